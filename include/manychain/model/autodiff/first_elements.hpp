// Elements of a vector when it is made, and when it is read. C++ says nothing of a body that reads variables which are
// gone. For units that check a model (model/data/checks.hpp).
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

/// The value of an element, of any type.
template <class E>
long double checked_number(const E& element) {
  const auto x = as_node(element).value();
  if constexpr (requires { x.v; })
    return x.v;
  else
    return x;
}
/// NaN equals NaN.
inline bool same_number(long double a, long double b) { return a == b || (a != a && b != b); }

/// The first elements of a vector when it is made, while the variables that its body refers to are there.
class FirstElements {
 public:
  template <class Body>
  void remember(int size, const Body& body) {
    if constexpr (Operand<decltype(body(0))>)
      for (int i = 0; i < std::min(size, most); ++i) {
        try {
          values_.push_back(checked_number(body(i)));
        } catch (const BadInput&) {  // an element that nobody may ask for
          values_.push_back(std::nullopt);
        }
      }
  }
  /// Element i. Throws BadInput where it was another one.
  template <class Index, class Body>
  auto read(Index i, const Body& body) const {
    const auto k = static_cast<std::size_t>(i);
    const bool known = k < values_.size() && values_[k];
    try {
      const auto element = body(i);
      if constexpr (Operand<decltype(body(i))>)
        if (known && !same_number(checked_number(element), *values_[k])) checks::throw_gone("a function");
      return element;
    } catch (const BadInput&) {  // an index that is another one, too
      if (known) checks::throw_gone("a function");
      throw;
    }
  }

 private:
  static constexpr int most = 4;
  std::vector<std::optional<long double>> values_;
};

}  // namespace detail
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
