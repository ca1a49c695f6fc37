// Mixtures of densities. Included by models that have one.
#pragma once

#include <type_traits>

#include "manychain/core/math.hpp"
#include "manychain/model/expression.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
/// log_sum_exp(a, b): log(exp(a) + exp(b)), of a mixture whose weights are in a and b. Support: all, -infinity
/// included. Source: Stan Functions Reference, Composed functions.
template <Operand A, Operand B>
requires(Node<A> || Node<B>) MANYCHAIN_HD auto log_sum_exp(const A& a, const B& b) {
  const auto x = as_node(a);
  const auto y = as_node(b);
  using V = std::remove_cvref_t<decltype(x.value() + y.value())>;
  const V u(x.value()), v(y.value());
  // The smaller is taken relative to the larger: nothing overflows, and what is far smaller than the other does not
  // take that with it, as it does in a + log1p_exp(b - a). Two that are -infinity count alike.
  const V ratio = select(u == v, V(1), exp(-abs(u - v)));
  const V larger = over_one_plus(V(1), ratio), smaller = ratio * larger;
  return elementary(select(u < v, v, u) + log1p(ratio), partial(x, select(u < v, smaller, larger)),
                    partial(y, select(u < v, larger, smaller)));
}

/// log_mix(theta, a, b): log(theta exp(a) + (1 - theta) exp(b)), a mixture of two densities. Support: 0 < theta < 1.
/// Source: Stan Functions Reference, Composed functions.
template <Operand T, Operand A, Operand B>
requires(Node<T> || Node<A> || Node<B>) MANYCHAIN_HD auto log_mix(const T& theta, const A& a, const B& b) {
  const auto weight = as_node(theta);
  return log_sum_exp(log(weight) + a, log1p(-weight) + b);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
