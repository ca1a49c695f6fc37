// Mixtures of densities. Included by models that have one.
#pragma once

#include <type_traits>

#include "manychain/core/math.hpp"
#include "manychain/model/expression.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// log(exp(a) + exp(b)), the smaller taken relative to the larger: nothing overflows, and what is far smaller than the
/// other does not take that with it, as it does in a + log1p_exp(b - a).
template <Real R>
MANYCHAIN_HD R log_of_sum(R a, R b) {
  const R larger = select(a < b, b, a);
  return larger + select(a == b, R(0.69314718055994531), log1p(exp(-abs(a - b))));
}

/// The part of exp(a) in exp(a) + exp(b).
template <Real R>
MANYCHAIN_HD R part_of_sum(R a, R b) {
  return select(a == b, R(0.5), inv_logit(a - b));
}

}  // namespace detail

/// log(exp(a) + exp(b)): of a mixture whose weights are in a and b.
template <Operand A, Operand B>
requires(Node<A> || Node<B>) MANYCHAIN_HD auto log_sum_exp(const A& a, const B& b) {
  const auto x = as_node(a);
  const auto y = as_node(b);
  using V = std::remove_cvref_t<decltype(x.value() + y.value())>;
  const V u(x.value()), v(y.value());
  return elementary(detail::log_of_sum(u, v), partial(x, detail::part_of_sum(u, v)),
                    partial(y, detail::part_of_sum(v, u)));
}

/// log(theta exp(a) + (1 - theta) exp(b)): a mixture of two densities, 0 < theta < 1. Of many data, log(theta) and
/// log1p(-theta) are better computed once, with let(), and given to log_sum_exp().
template <Operand T, Operand A, Operand B>
requires(Node<T> || Node<A> || Node<B>) MANYCHAIN_HD auto log_mix(const T& theta, const A& a, const B& b) {
  const auto weight = as_node(theta);
  return log_sum_exp(log(weight) + a, log1p(-weight) + b);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
