// A recurrence whose terms are added as it goes, with its gradient beside it: the state's derivatives towards what a
// step is made of follow from those of the state before (forward sensitivities), and nothing is stored. What a program
// written by hand does for a GARCH model; for steps of few parameters 2.3 times as fast as a scan() that runs back.
#pragma once

#include "manychain/model/scan.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// Sensitivities that are carried: beyond some thirty there are no registers for them, and running back is cheaper.
inline constexpr int most_sensitivities = 24;

/// How many leaves with an adjoint an expression has; unknown where its type does not say.
inline constexpr int unknown_leaves = -1;
constexpr int add_leaves(int a, int b) { return a < 0 || b < 0 ? unknown_leaves : a + b; }
template <class E>
inline constexpr int leaves = unknown_leaves;
template <class V>
inline constexpr int leaves<Constant<V>> = 0;
template <class R, int Sums>
inline constexpr int leaves<Variable<R, Sums>> = 1;
template <class X, class Y>
inline constexpr int leaves<Product<X, Y>> = add_leaves(leaves<X>, leaves<Y>);
template <class X, class Y, int Sign>
inline constexpr int leaves<Sum<X, Y, Sign>> = add_leaves(leaves<X>, leaves<Y>);
template <class Mask, class X, class Y>
inline constexpr int leaves<Select<Mask, X, Y>> = add_leaves(leaves<X>, leaves<Y>);
template <class V>
inline constexpr int leaves<Elementary<V>> = 0;
template <class V, class Child, class D, class... Rest>
inline constexpr int leaves<Elementary<V, Partial<Child, D>, Rest...>> = add_leaves(leaves<Child>,
                                                                                    leaves<Elementary<V, Rest...>>);
template <>
inline constexpr int leaves<States<>> = 0;
template <class First, class... Rest>
inline constexpr int leaves<States<First, Rest...>> = add_leaves(leaves<First>, leaves<States<Rest...>>);

/// State k in an expression: a variable that is told from parameters.
template <class R>
struct StateNode : NoNumber<ExpressionTag, StateNode<R>> {
  R v;
  R* adjoint;
  int k;
  MANYCHAIN_HD StateNode(R value, R* slot, int index) : v(value), adjoint(slot), k(index) {}
  MANYCHAIN_HD R value() const { return v; }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    if constexpr (is_traced<A>)
      a.record->state(k, a.masked(m));
    else
      Variable<R>(v, adjoint).push(a, m);
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor, M m) const {
    if constexpr (is_traced<A>)
      push(a * factor, m);
    else
      Variable<R>(v, adjoint).push(a, factor, m);
  }
};
template <class R>
inline constexpr int leaves<StateNode<R>> = 0;

template <class R, class Memory>
struct StateNodes {
  const Memory* values;
  Memory* adjoints;
  MANYCHAIN_HD StateNode<R> operator[](int k) const { return StateNode<R>((*values)[k], &(*adjoints)[k], k); }
};

/// The partial derivatives of one step towards its leaves, in the order in which adjoints reach them, and towards the
/// states before.
template <class R, int Leaves, int States>
struct StepRecord {
  R partial[Leaves > 0 ? Leaves : 1];
  R* slot[Leaves > 0 ? Leaves : 1];
  R by_state[States];
  int count = 0;
  MANYCHAIN_HD void leaf(R* where, R derivative) {
    partial[count] = derivative;
    slot[count++] = where;
  }
  MANYCHAIN_HD void state(int k, R derivative) { by_state[k] += derivative; }
};

/// Runs the recurrence, hands every state to body(t, nodes) and adds to the adjoints of all leaves of steps. The leaves
/// must be the same parameters in every step: what they are is noted in the first; where another comes, the gradient is
/// NaN.
template <int Leaves, class R, class First, class Step, class Body>
MANYCHAIN_HD void forward_sensitivities(int n, const First& first, const Step& step, const Body& body) {
  using Shape = StateShape<First>;
  constexpr int K = decltype(Shape::size(first))::compile_time;
  constexpr int D = Leaves > 0 ? Leaves : 1;
  constexpr bool from_first = leaves<decltype(Shape::node(first))> != 0;
  Registers<R, K> state, adjoint;
  R by_leaf[K][D], by_first[K][K];  // derivatives of the state
  R total[D], total_first[K];       // of all terms
  R* slot[D];
  Shape::each(first, [&](int k, const auto& node) { state[k] = R(node.value()); });
  MANYCHAIN_UNROLL
  for (int k = 0; k < K; ++k) {
    total_first[k] = R(0);
    MANYCHAIN_UNROLL
    for (int d = 0; d < D; ++d) by_leaf[k][d] = R(0);
    MANYCHAIN_UNROLL
    for (int j = 0; j < K; ++j) by_first[k][j] = R(j == k ? 1 : 0);
  }
  MANYCHAIN_UNROLL
  for (int d = 0; d < D; ++d) total[d] = R(0), slot[d] = nullptr;

  const auto add_terms_at = [&](int t) {
    for_each(Size<K>{}, [&](int k) { adjoint[k] = R(0); });
    body(t, StateNodes<R, Registers<R, K>>{&state, &adjoint});
    for_each(Size<K>{}, [&](int k) {
      for_each(Size<Leaves>{}, [&](int d) { total[d] = fma(adjoint[k], by_leaf[k][d], total[d]); });
      if constexpr (from_first)
        for_each(Size<K>{}, [&](int j) { total_first[j] = fma(adjoint[k], by_first[k][j], total_first[j]); });
    });
  };
  if (n > 0) add_terms_at(0);
  for (int t = 1; t < n; ++t) {
    StepRecord<R, Leaves, K> record;
    Registers<R, K> next;
    R next_by_leaf[K][D], next_by_first[K][K];
    int done = 0;
    Shape::each(Shape::next(step, t, StateNodes<R, Registers<R, K>>{&state, &adjoint}), [&](int k, const auto& node) {
      next[k] = R(node.value());
      for_each(Size<K>{}, [&](int j) { record.by_state[j] = R(0); });
      node.push(Traced<R, StepRecord<R, Leaves, K>>{R(1), &record}, NoMask{});
      for_each(Size<Leaves>{}, [&](int d) {
        R sum = d >= done && d < record.count ? record.partial[d] : R(0);
        for_each(Size<K>{}, [&](int j) { sum = fma(record.by_state[j], by_leaf[j][d], sum); });
        next_by_leaf[k][d] = sum;
      });
      done = record.count;
      if constexpr (from_first)
        for_each(Size<K>{}, [&](int i) {
          R sum = record.by_state[0] * by_first[0][i];
          for_each(Size<K - 1>{}, [&](int j) { sum = fma(record.by_state[j + 1], by_first[j + 1][i], sum); });
          next_by_first[k][i] = sum;
        });
    });
    state = next;
    for_each(Size<K>{}, [&](int k) {
      for_each(Size<Leaves>{}, [&](int d) { by_leaf[k][d] = next_by_leaf[k][d]; });
      if constexpr (from_first) for_each(Size<K>{}, [&](int j) { by_first[k][j] = next_by_first[k][j]; });
    });
    for_each(Size<Leaves>{}, [&](int d) {
      if (t == 1)
        slot[d] = record.slot[d];
      else if (slot[d] != record.slot[d])
        total[d] = R(std::numeric_limits<number_of<R>>::quiet_NaN());
    });
    add_terms_at(t);
  }
  if (n > 1) for_each(Size<Leaves>{}, [&](int d) { *slot[d] += total[d]; });
  if constexpr (from_first) Shape::each(first, [&](int k, const auto& node) { node.push(total_first[k], NoMask{}); });
}

/// How many leaves a recurrence has that forward_sensitivities() serves; unknown_leaves of any other.
template <class R, class First, class Step>
constexpr int served_leaves() {
  using Shape = StateShape<First>;
  using Width = std::remove_cvref_t<decltype(Shape::size(std::declval<const First&>()))>;
  if constexpr (!is_unrolled<Width> || ModelVector<First>) {
    return unknown_leaves;
  } else {
    using Nodes = StateNodes<R, Registers<R, Width::compile_time>>;
    constexpr int count = leaves<decltype(Shape::next(std::declval<const Step&>(), 1, std::declval<const Nodes&>()))>;
    return count * Width::compile_time <= most_sensitivities ? count : unknown_leaves;
  }
}

}  // namespace detail
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
