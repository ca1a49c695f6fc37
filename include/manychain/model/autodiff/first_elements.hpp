// What the body of a vector gives when the vector is made, and when it is read: C++ says nothing of a body that is read
// when the variables that it refers to are gone. For units that check a model (model/data/checks.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/model/autodiff/expression.hpp"
#include "manychain/model/data/checks.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// The first elements of a vector when it was made, where the variables that its body refers to are there.
class FirstElements {
 public:
  template <class Body>
  void remember(int size, const Body& body) {
    if constexpr (Operand<decltype(body(0))>)
      for (int i = 0; i < std::min(size, most); ++i) {
        try {
          values_.push_back(number(body(i)));
        } catch (const BadInput&) {  // an element that nobody may ask for
          values_.push_back(std::nullopt);
        }
      }
  }
  template <class E>
  void compare(int i, const E& element) const {
    if constexpr (Operand<E>) {
      if (i >= static_cast<int>(values_.size()) || !values_[static_cast<std::size_t>(i)]) return;
      const long double now = number(element), then = *values_[static_cast<std::size_t>(i)];
      if (now != then && (now == now || then == then)) checks::throw_gone("a function");
    }
  }

 private:
  static constexpr int most = 4;
  template <class E>
  static long double number(const E& element) {
    const auto x = as_node(element).value();
    if constexpr (requires { x.v; })
      return x.v;
    else
      return x;
  }
  std::vector<std::optional<long double>> values_;
};

}  // namespace detail
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
