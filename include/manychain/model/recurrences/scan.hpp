// Recurrences: state t follows from state t - 1. States are kept; the gradient runs back over them and computes each
// step once more, with the state before it as the variable. Nothing else is stored.
//
//   auto h = target.scan(T, h0, [&](int t, const auto& h) { return a0 + a1 * square(y[t - 1] - mu) + b1 * h; });
//   target.observe("y", T, [&](auto t, auto& term) { term += normal(y[t], mu, sqrt(h[t])); });
//
// A state of several numbers: scan(T, states(a, b), [&](int t, const auto& a, const auto& b) { return states(c, d); });
// it is a matrix, path[t][0], path[t][1]. A state that is a vector: scan(T, first, [&](int t, const auto& before) {
// return vector_of(K, [&, t, before](auto k) { return ...before[j]...; }); }); path[t][k].
//
// A step returns expressions, no intermediates of its own. A body that it returns outlives it, and captures what the
// step was given by value.
#pragma once

#include <utility>

#include "manychain/model/matrices/intermediate_vectors.hpp"
#include "manychain/model/matrices/stored_matrix.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Several expressions: a state, or what follows from it.
template <class... Es>
struct States;
template <>
struct States<> {
  static constexpr int count = 0;
};
template <class First, class... Rest>
struct States<First, Rest...> {
  static constexpr int count = 1 + static_cast<int>(sizeof...(Rest));
  First first;
  States<Rest...> rest;
};
MANYCHAIN_HD States<> states() { return {}; }
template <Operand First, Operand... Rest>
MANYCHAIN_HD auto states(const First& first, const Rest&... rest) {
  return States<node_of<First>, node_of<Rest>...>{as_node(first), states(rest...)};
}

namespace detail {
template <class T>
inline constexpr int states_in = 0;
template <class... Es>
inline constexpr int states_in<States<Es...>> = States<Es...>::count;

/// f(i, state i) for each of several.
template <int I = 0, class F, class... Es>
MANYCHAIN_HD void for_each_state(const States<Es...>& several, const F& f) {
  if constexpr (sizeof...(Es) > 0) {
    f(I, several.first);
    for_each_state<I + 1>(several.rest, f);
  }
}

// Passing a state of each kind to a step, and reading the state that it returns. `before` is a vector of nodes.

/// One number.
template <class First>
struct StateShape {
  MANYCHAIN_HD static Size<1> size(const First&) { return {}; }
  MANYCHAIN_HD static auto node(const First& first) { return as_node(first); }
  /// body(t, state, term)
  template <class Body, class State, class Term>
  MANYCHAIN_HD static void apply(const Body& body, int t, const State& state, Term& term) {
    body(t, state[0], term);
  }
  template <class Step, class Before>
  MANYCHAIN_HD static auto next(const Step& step, int t, const Before& before) {
    return as_node(step(t, before[0]));
  }
  template <class State, class F>
  MANYCHAIN_HD static void each(const State& state, const F& f) {
    f(0, as_node(state));
  }
};
/// Several numbers.
template <class First>
requires(states_in<First> > 0) struct StateShape<First> {
  MANYCHAIN_HD static Size<states_in<First>> size(const First&) { return {}; }
  MANYCHAIN_HD static First node(const First& first) { return first; }
  template <class Body, class State, class Term>
  MANYCHAIN_HD static void apply(const Body& body, int t, const State& state, Term& term) {
    call(body, t, state, term, std::make_integer_sequence<int, states_in<First>>());
  }
  template <class Step, class Before>
  MANYCHAIN_HD static auto next(const Step& step, int t, const Before& before) {
    return call(step, t, before, std::make_integer_sequence<int, states_in<First>>());
  }
  template <class State, class F>
  MANYCHAIN_HD static void each(const State& state, const F& f) {
    static_assert(states_in<State> == states_in<First>, "a step of scan() returns as many states as it is given");
    for_each_state(state, f);
  }

 private:
  template <class Step, class Before, int... I>
  MANYCHAIN_HD static auto call(const Step& step, int t, const Before& before, std::integer_sequence<int, I...>) {
    return step(t, before[I]...);
  }
  template <class Body, class State, class Term, int... I>
  MANYCHAIN_HD static void call(const Body& body, int t, const State& state, Term& term,
                                std::integer_sequence<int, I...>) {
    body(t, state[I]..., term);
  }
};
/// A vector.
template <ModelVector First>
struct StateShape<First> {
  MANYCHAIN_HD static auto size(const First& first) { return first.size(); }
  template <class Body, class State, class Term>
  MANYCHAIN_HD static void apply(const Body& body, int t, const State& state, Term& term) {
    body(t, state, term);
  }
  template <class Step, class Before>
  MANYCHAIN_HD static auto next(const Step& step, int t, const Before& before) {
    return step(t, before);
  }
  template <class State, class F>
  MANYCHAIN_HD static void each(const State& state, const F& f) {
    for_each(state.size(), [&](int k) { f(k, as_node(state[k])); });
  }
};

/// The state before a step, as nodes.
template <class R, class Values, class N>
struct ConstantState {
  const Values* values;
  int first;
  N n;
  MANYCHAIN_HD auto operator[](int k) const { return Constant<R>((*values)[first + k]); }
  MANYCHAIN_HD N size() const { return n; }
  MANYCHAIN_HD ConstantState view() const { return *this; }
};
template <class R, class Values, class Adjoints, class N>
struct VariableState {
  const Values* values;
  Adjoints* adjoints;
  int first, first_adjoint;
  N n;
  MANYCHAIN_HD auto operator[](int k) const {
    return Variable<R>((*values)[first + k], &(*adjoints)[first_adjoint + k]);
  }
  MANYCHAIN_HD N size() const { return n; }
  MANYCHAIN_HD VariableState view() const { return *this; }
};

/// A step that returns a vector returns one of as many elements as it was given: looked at where data are bound.
template <class State, class N>
MANYCHAIN_HD const State& same_size(const State& state, [[maybe_unused]] N size) {
  if constexpr (checks_bounds && VectorOperand<State>)
    checks::same_size("a step of scan()", checks::Operand{size.value(), "the state", nullptr},
                      checks::Operand{state.size().value(), "what it returns", nullptr});
  return state;
}

// All states of a recurrence of n steps, one behind the other, and the way back. A state of fixed size goes from step
// to step in registers: what is stored and read again at once takes as long as several operations.
template <class R, class N, class First, class Step, class Values>
MANYCHAIN_HD void scan_forward(N n, const First& first, const Step& step, Values& values) {
  using Shape = StateShape<First>;
  const auto size = Shape::size(first);
  using Width = std::remove_cvref_t<decltype(size)>;
  constexpr bool carried = is_unrolled<Width>;
  Registers<R, carried ? Width::compile_time : 1> state;
  for_each(n, [&](int t) {
    decltype(state) next;
    const auto put = [&](int k, const auto& node) {
      const R x = R(node.value());
      values[t * size.value() + k] = x;
      if constexpr (carried) next[k] = x;
    };
    if (t == 0)
      Shape::each(first, put);
    else if constexpr (carried)
      Shape::each(same_size(Shape::next(step, t, ConstantState<R, decltype(state), Width>{&state, 0, size}), size),
                  put);
    else
      Shape::each(
          same_size(Shape::next(step, t, ConstantState<R, Values, Width>{&values, (t - 1) * size.value(), size}), size),
          put);
    state = next;
  });
}
template <class R, class N, class First, class Step, class Values, class Adjoints>
MANYCHAIN_HD void scan_backward(N n, const First& first, const Step& step, const Values& values, Adjoints& adjoints) {
  using Shape = StateShape<First>;
  const auto size = Shape::size(first);
  using Width = std::remove_cvref_t<decltype(size)>;
  if constexpr (is_unrolled<Width>) {
    using Carried = Registers<R, Width::compile_time>;
    Carried adjoint;
    if (n.value() > 0) for_each(size, [&](int k) { adjoint[k] = adjoints[(n.value() - 1) * size.value() + k]; });
    for_each(n, [&](int back) {
      const int t = n.value() - 1 - back;
      const auto pass = [&](int k, const auto& node) { node.push(adjoint[k], NoMask{}); };
      if (t == 0) {
        Shape::each(first, pass);
      } else {
        const int before = (t - 1) * size.value();
        Carried earlier;
        for_each(size, [&](int k) { earlier[k] = adjoints[before + k]; });
        Shape::each(Shape::next(step, t, VariableState<R, Values, Carried, Width>{&values, &earlier, before, 0, size}),
                    pass);
        adjoint = earlier;
      }
    });
  } else {
    for_each(n, [&](int back) {
      const int t = n.value() - 1 - back;
      const auto pass = [&](int k, const auto& node) { node.push(R(adjoints[t * size.value() + k]), NoMask{}); };
      const int before = (t - 1) * size.value();
      if (t == 0)
        Shape::each(first, pass);
      else
        Shape::each(
            Shape::next(step, t, VariableState<R, Values, Adjoints, Width>{&values, &adjoints, before, before, size}),
            pass);
    });
  }
}
}  // namespace detail

/// The states of a recurrence, one behind the other.
template <class First, class Step, class R, class N, class All, bool Gradient>
class Scan : public IntermediateVector<Scan<First, Step, R, N, All, Gradient>, R, All, Gradient> {
  using Base = IntermediateVector<Scan, R, All, Gradient>;

 public:
  template <class Target>
  MANYCHAIN_HD Scan(N n, All all, const First& first, const Step& step, Target& target)
      : Base(all, target.arena()), n_(n), first_(first), step_(step) {
    detail::scan_forward<R>(n_, first_, step_, this->values());
    this->clear_adjoints();
  }
  MANYCHAIN_HD ~Scan() {
    if constexpr (Gradient) detail::scan_backward<R>(n_, first_, step_, this->values(), this->adjoints());
  }
  Scan(const Scan&) = default;  // the base refuses
  Scan& operator=(const Scan&) = default;

 private:
  N n_;
  First first_;
  Step step_;
};

namespace detail {
/// The form in which a recurrence keeps its beginning.
template <class First>
MANYCHAIN_HD auto hold_state(const First& first) {
  if constexpr (states_in < First >> 0)
    return first;
  else
    return hold(first);
}
template <class First>
using held_state = std::remove_cvref_t<decltype(hold_state(std::declval<const First&>()))>;
template <class N, class First>
MANYCHAIN_HD auto scan_size(N n, const First& first) {
  return multiply_sizes(n, StateShape<held_state<First>>::size(hold_state(first)));
}
}  // namespace detail

template <class R, bool Gradient, class N, class First, class Step, class Target>
MANYCHAIN_HD auto make_scan(N n, const First& first, const Step& step, Target& target) {
  using Held = detail::held_state<First>;
  using All = decltype(detail::scan_size(n, first));
  using Result = Scan<Held, Step, R, N, All, Gradient>;
  const auto all = detail::scan_size(n, first);
  if constexpr (Operand<First>) {
    return Result(n, all, detail::hold_state(first), step, target);
  } else {
    const auto size = detail::StateShape<Held>::size(detail::hold_state(first));
    const auto elements = [&] { return Result(n, all, detail::hold_state(first), step, target); };
    return StoredMatrix<Result, std::remove_cvref_t<decltype(size)>>(elements, n.value(), size);
  }
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
