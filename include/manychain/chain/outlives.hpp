// A look at vectors that a function of the user returns: they may read variables of that function, which are gone. C++
// says nothing of it. For units that check a model (model/data/checks.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "manychain/model/autodiff/first_elements.hpp"
#include "manychain/model/autodiff/vector_expression.hpp"
#include "manychain/model/data/checks.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

inline constexpr std::size_t stack_below = 65536;  // more than the evaluation of an expression takes

/// Changes a bit of all words, there and back: an index is another one, a pointer one to something near.
[[gnu::noinline]] inline void flip_unused_stack(std::uint64_t bit) {
  std::uint64_t words[(stack_below + stack_below / 4) / sizeof(std::uint64_t)];
  asm volatile("" : : "r"(words) : "memory");  // they are what earlier calls have left there
  for (std::uint64_t& word : words) word ^= bit << 32 | bit;
  asm volatile("" : : "r"(words) : "memory");
}

template <class Call>
[[gnu::noinline]] auto in_a_frame(const Call& call) {
  return call();
}
/// The variables of the call lie so far below that those of its caller do not reach them.
template <class Call>
[[gnu::noinline]] auto far_below(const Call& call) {
  struct Gap {
    char bytes[stack_below];
    Gap() { keep(); }
    ~Gap() { keep(); }
    void keep() { asm volatile("" : : "r"(bytes) : "memory"); }
  } const gap;
  return in_a_frame(call);
}

template <class V>
std::vector<long double> checked_numbers(const V& vector) {
  std::vector<long double> all;
  for (int k = 0; k < vector.size().value(); ++k) all.push_back(checked_number(vector[k]));
  return all;
}

/// True if no element depends on the stack that is not used any more. A few bits are tried: elements may be equal.
template <class V>
bool stands_alone(const V& vector) {
  const std::vector<long double> before = checked_numbers(vector);
  bool same = true;
  for (const std::uint64_t bit : {8, 64, 512}) {
    flip_unused_stack(bit);
    try {
      const std::vector<long double> after = checked_numbers(vector);
      same = same && std::equal(before.begin(), before.end(), after.begin(), same_number);
    } catch (const std::exception&) {  // an index that is none
      same = false;
    }
    flip_unused_stack(bit);
  }
  return same;
}

/// Gives the result of a call. Throws BadInput where that is a vector that reads variables of the call.
template <class Call>
auto outlives(const Call& call) {
  auto result = far_below(call);
  if constexpr (ModelVector<decltype(result)>)
    if (!stands_alone(result)) checks::throw_gone("the step");
  return result;
}

}  // namespace detail
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
