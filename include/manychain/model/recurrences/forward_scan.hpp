// A recurrence whose terms are added as it goes, with its gradient beside it: the state's derivatives towards what a
// step is made of follow from those of the state before (forward sensitivities), and nothing is stored. What a program
// written by hand does for a GARCH model; for steps of few parameters 2.3 times as fast as a scan() that runs back. The
// expression of a step gives its partial derivatives leaf by leaf (Traced, model/autodiff/leaves.hpp).
#pragma once

#include <utility>

#include "manychain/model/recurrences/scan.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// Sensitivities that are carried: beyond some thirty there are no registers for them, and running back is cheaper.
inline constexpr int most_sensitivities = 24;

/// The number of leaves with an adjoint in an expression; unknown where its type does not say.
inline constexpr int unknown_leaves = -1;
constexpr int add_leaves(int a, int b) { return a < 0 || b < 0 ? unknown_leaves : a + b; }
template <class E>
inline constexpr int leaves = unknown_leaves;
template <class V>
inline constexpr int leaves<Constant<V>> = 0;
template <class R, int Sums, bool Scoped>
inline constexpr int leaves<Variable<R, Sums, Scoped>> = 1;
template <class X, class U, class Scale>
inline constexpr int leaves<ScaledLeaf<X, U, Scale>> = leaves<X>;
template <class V, class X>
inline constexpr int leaves<ExpOfScaled<V, X>> = leaves<X>;
template <class X, class Y>
inline constexpr int leaves<Product<X, Y>> = add_leaves(leaves<X>, leaves<Y>);
template <class X, class Y, int Sign>
inline constexpr int leaves<Sum<X, Y, Sign>> = add_leaves(leaves<X>, leaves<Y>);
template <class X>
inline constexpr int leaves<Square<X>> = leaves<X>;
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

/// Leaves of the states before state k.
template <class E>
constexpr int leaves_before(int k) {
  if constexpr (states_in<E> == 0)
    return k == 0 ? 0 : leaves<E>;
  else
    return k == 0 ? 0 : leaves<decltype(E::first)> + leaves_before<decltype(E::rest)>(k - 1);
}
template <>
constexpr int leaves_before<States<>>(int) {
  return 0;
}

/// True where the places of leaves are noted, to see that they stay the same. On a GPU an address would take adjoints
/// out of their registers: a step that names another parameter is found when data are bound, on the host
/// (step_of_other_leaves()).
#if defined(__CUDA_ARCH__)
inline constexpr bool knows_slots = false;
#else
inline constexpr bool knows_slots = true;
#endif

/// The partial derivatives of one step towards its leaves, the last that an adjoint reached first, and of state
/// `of` towards the states before. Elements move up instead of being indexed: on a GPU an index would need memory.
template <class R, int Leaves, int States>
struct StepRecord {
  R partial[Leaves > 0 ? Leaves : 1];
  R* slot[Leaves > 0 && knows_slots ? Leaves : 1];
  R by_state[States][States];
  int of = 0;
  MANYCHAIN_HD void leaf(R* where, R derivative) {
    for_each(Size<(Leaves > 0 ? Leaves - 1 : 0)>{}, [&](int back) {
      const int d = Leaves - 1 - back;
      partial[d] = partial[d - 1];
      if constexpr (knows_slots) slot[d] = slot[d - 1];
    });
    partial[0] = derivative;
    if constexpr (knows_slots) slot[0] = where;
  }
  MANYCHAIN_HD void state(int k, R derivative) { by_state[of][k] += derivative; }
};

/// Gives each leaf its adjoint, in the order in which adjoints reach them.
template <class R, int Leaves>
struct LeafTotals {
  R total[Leaves > 0 ? Leaves : 1];
  MANYCHAIN_HD void leaf(R* where, R) {
    *where += total[0];
    for_each(Size<(Leaves > 0 ? Leaves - 1 : 0)>{}, [&](int d) { total[d] = total[d + 1]; });
  }
  MANYCHAIN_HD void state(int, R) const {}
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
  LeafTotals<R, Leaves> of_leaves;  // sums over all terms
  R(&total)[D] = of_leaves.total;
  R total_first[K];
  [[maybe_unused]] R* slot[knows_slots ? D : 1];
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
  for (int d = 0; d < D; ++d) total[d] = R(0);

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
    for_each(Size<K>{}, [&](int k) { for_each(Size<K>{}, [&](int j) { record.by_state[k][j] = R(0); }); });
    Registers<R, K> next;
    const auto states = Shape::next(step, t, StateNodes<R, Registers<R, K>>{&state, &adjoint});
    Shape::each(states, [&](int k, const auto& node) {
      next[k] = R(node.value());
      record.of = k;
      node.push(Traced<R, StepRecord<R, Leaves, K>>{R(1), &record}, NoMask{});
    });
    state = next;
    using Next = std::remove_cvref_t<decltype(states)>;
    for_each(Size<Leaves>{}, [&](int d) {
      R before[K];
      for_each(Size<K>{}, [&](int j) { before[j] = by_leaf[j][d]; });
      for_each(Size<K>{}, [&](int k) {
        R sum = d >= leaves_before<Next>(k) && d < leaves_before<Next>(k + 1) ? record.partial[Leaves - 1 - d] : R(0);
        for_each(Size<K>{}, [&](int j) { sum = fma(record.by_state[k][j], before[j], sum); });
        by_leaf[k][d] = sum;
      });
      if constexpr (knows_slots) {
        R* const where = record.slot[Leaves - 1 - d];
        if (t == 1)
          slot[d] = where;
        else if (slot[d] != where)
          total[d] = R(std::numeric_limits<number_of<R>>::quiet_NaN());
      }
    });
    if constexpr (from_first)
      for_each(Size<K>{}, [&](int i) {
        R before[K];
        for_each(Size<K>{}, [&](int j) { before[j] = by_first[j][i]; });
        for_each(Size<K>{}, [&](int k) {
          R sum = record.by_state[k][0] * before[0];
          for_each(Size<K - 1>{}, [&](int j) { sum = fma(record.by_state[k][j + 1], before[j + 1], sum); });
          by_first[k][i] = sum;
        });
      });
    add_terms_at(t);
  }
  if constexpr (Leaves > 0)
    if (n > 1)
      Shape::each(Shape::next(step, 1, StateNodes<R, Registers<R, K>>{&state, &adjoint}), [&](int, const auto& node) {
        node.push(Traced<R, LeafTotals<R, Leaves>>{R(0), &of_leaves}, NoMask{});
      });
  if constexpr (from_first) Shape::each(first, [&](int k, const auto& node) { node.push(total_first[k], NoMask{}); });
}

/// The first step whose leaves are not those of step 1; 0 if there is none. The host asks when data are bound.
template <int Leaves, class R, class First, class Step>
int step_of_other_leaves(int n, const First& first, const Step& step) {
  using Shape = StateShape<First>;
  constexpr int K = decltype(Shape::size(first))::compile_time;
  Registers<R, K> state, adjoint;
  Shape::each(first, [&](int k, const auto& node) { state[k] = R(node.value()); });
  StepRecord<R, Leaves, K> known;
  for (int t = 1; t < n; ++t) {
    StepRecord<R, Leaves, K> record;
    for (auto& row : record.by_state)
      for (R& derivative : row) derivative = R(0);
    Registers<R, K> next;
    Shape::each(Shape::next(step, t, StateNodes<R, Registers<R, K>>{&state, &adjoint}), [&](int k, const auto& node) {
      next[k] = R(node.value());
      record.of = k;
      node.push(Traced<R, StepRecord<R, Leaves, K>>{R(1), &record}, NoMask{});
    });
    state = next;
    if (t == 1) known = record;
    for (int d = 0; d < Leaves; ++d)
      if (record.slot[d] != known.slot[d]) return t;
  }
  return 0;
}

/// The number of leaves of a recurrence that forward_sensitivities() serves; unknown_leaves of any other.
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
