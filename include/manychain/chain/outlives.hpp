// Looks if what a function of the user returns reads variables of that function, which are gone. C++ says nothing of
// it. For units that check a model (model/data/checks.hpp).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <vector>

#include "manychain/model/autodiff/vector_expression.hpp"

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

template <class R, class V>
std::vector<double> elements_of(const V& vector) {
  std::vector<double> all;
  for (int k = 0; k < vector.size().value(); ++k) all.push_back(static_cast<double>(R(as_node(vector[k]).value()).v));
  return all;
}

/// True if no element depends on the stack that is not used any more. A few bits are tried: elements may be equal.
template <class R, class V>
bool stand_alone(const V& vector) {
  const std::vector<double> before = elements_of<R>(vector);
  bool same = true;
  for (const std::uint64_t bit : {8, 64, 512}) {
    flip_unused_stack(bit);
    try {
      const std::vector<double> after = elements_of<R>(vector);
      for (std::size_t k = 0; k < before.size(); ++k)
        same = same && (after[k] == before[k] || (std::isnan(after[k]) && std::isnan(before[k])));
    } catch (const std::exception&) {  // an index that is none
      same = false;
    }
    flip_unused_stack(bit);
  }
  return same;
}

/// What the call returns. Throws BadInput where that is a vector that reads variables of the call.
template <class R, class Call>
auto outlives(const Call& call) {
  auto result = far_below(call);
  if constexpr (ModelVector<decltype(result)>)
    if (!stand_alone<R>(result)) checks::throw_gone("the step");
  return result;
}

}  // namespace detail
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
