// Ordinary differential equations y' = f(t, y, theta), non-stiff, by Runge-Kutta methods.
//
//   const auto rhs = [](const auto& t, const auto& z, const auto& alpha, const auto& beta, const auto& gamma,
//                       const auto& delta) {
//     return derivatives((alpha - beta * z[1]) * z[0], (-gamma + delta * z[0]) * z[1]);
//   };
//   auto z = target.ode_rk45(rhs, states(u0, v0), 0.0, times, alpha, beta, gamma, delta);
//   target.observe("y", n, [&](auto i, auto& term) { term += lognormal(y[i], log(z[i][0]), sigma); });
//
// z is a matrix, a row for each time and a column for each state; of one state (initial: a number; f takes and returns
// a number) it is a vector. Arguments are in the order of Stan's ode_rk45. f is called with Duals
// (model/recurrences/dual.hpp), it may loop and hold arrays, and has data by capture. As target.scan(), the result is
// an intermediate.
//
// The gradient is that of the numerical solution with its steps held fixed: the states at the given times are kept; the
// way back takes one interval between two times after the other, computes it once more with forward sensitivities, at
// the same steps, to the bit, and multiplies the adjoint by them (Hairer, Norsett and Wanner 1993, I.14 and II.6).
// The arithmetic of a gradient is that of some 2 + states + parameters solutions; of Lotka and Volterra's equations, in
// packs, it takes 2.4 times as long as a value.
#pragma once

#include <utility>

#include "manychain/model/recurrences/forward_mode.hpp"
#include "manychain/model/recurrences/scan.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// derivatives(dy, dz, ...): what the right-hand side of a differential equation returns, one for each state.
template <class... As>
MANYCHAIN_HD auto derivatives(const As&... x) {
  return numbers(x...);
}

namespace detail {
template <class R, int N>
MANYCHAIN_HD Dual<R, N> add_scaled(const Dual<R, N>& y, R by, const Dual<R, N>& x) {
  return Dual<R, N>::with(fma(by, x.v, y.v), [&](int k) { return fma(by, x.d[k], y.d[k]); });
}
template <class T, class R, int K>
MANYCHAIN_HD void add_scaled(Registers<T, K>& y, R by, const Registers<T, K>& x) {
  for_each(Size<K>{}, [&](int i) { y[i] = add_scaled(y[i], by, x[i]); });
}
template <class R, int N, int K>
MANYCHAIN_HD auto all_finite(const Registers<Dual<R, N>, K>& y) {
  auto finite = isfinite(y[0].v);
  for_each(Size<K>{}, [&](int i) { finite = finite && isfinite(y[i].v); });
  return finite;
}
template <class Mask, class T, int K>
MANYCHAIN_HD Registers<T, K> select_all(const Mask& mask, const Registers<T, K>& a, const Registers<T, K>& b) {
  Registers<T, K> chosen;
  for_each(Size<K>{}, [&](int i) { chosen[i] = select(mask, a[i], b[i]); });
  return chosen;
}

/// A right-hand side with its parameters, as the methods call it: f(t, y) of Duals.
template <class First, class Rhs, class Lifted>
struct OdeSystem {
  const Rhs& rhs;
  const Lifted& theta;
  template <class R, int N, int K>
  MANYCHAIN_HD Registers<Dual<R, N>, K> operator()(R t, const Registers<Dual<R, N>, K>& y) const {
    using T = Dual<R, N>;
    Registers<T, K> slope;
    if constexpr (Operand<First>) {
      slope[0] = T(theta.apply([&](const auto&... parameter) { return rhs(T(t), y[0], parameter...); }));
    } else {
      const auto result = theta.apply([&](const auto&... parameter) { return rhs(T(t), y, parameter...); });
      static_assert(results_in<std::remove_cvref_t<decltype(result)>> == K,
                    "the right-hand side of a differential equation returns a derivative for each state: return "
                    "derivatives(dy, dz), or an array like y");
      for_each(Size<K>{}, [&](int i) { slope[i] = T(result[i]); });
    }
    return slope;
  }
};
}  // namespace detail

/// The classical method of order 4, `steps` steps of one length between two times (Kutta 1901; Hairer, Norsett and
/// Wanner 1993, II.1, table 1.2).
struct RungeKutta4 {
  static constexpr bool adaptive = false;
  static constexpr const char* name = "ode_rk4";
  int steps;

  template <class R, class F, class State>
  MANYCHAIN_HD R first_step(const F&, R, R, const State&) const {
    return R(0);
  }
  /// y at `to` from y at `from`.
  template <class R, int N, int K, class F>
  MANYCHAIN_HD_CALLED void advance(const F& f, R from, R to, Registers<Dual<R, N>, K>& y, R&) const {
    const R h = (to - from) / R(steps);
    MANYCHAIN_ROLLED
    for (int step = 0; step < steps; ++step) {
      const R t = fma(R(step), h, from);
      const Registers<Dual<R, N>, K> start = y;
      Registers<Dual<R, N>, K> slope = f(t, start);
      detail::add_scaled(y, h * R(1.0 / 6), slope);
      MANYCHAIN_ROLLED
      for (int stage = 1; stage < 4; ++stage) {  // one copy of f for three stages
        const R length = h * R(stage < 3 ? 0.5 : 1.0);
        Registers<Dual<R, N>, K> at = start;
        detail::add_scaled(at, length, slope);
        slope = f(t + length, at);
        detail::add_scaled(y, h * R(stage < 3 ? 1.0 / 3 : 1.0 / 6), slope);
      }
    }
  }
};

/// The method of Dormand and Prince of order 5 with an embedded one of order 4, with error control (Dormand and Prince
/// 1980; Hairer, Norsett and Wanner 1993, II.4 and table 5.2). Chains step side by side, each with its own step size;
/// the error is that of the values, sensitivities do not count. A chain that needs more than max_steps between two
/// times, or whose state is not finite, has NaN from there on, and its proposal is rejected.
struct DormandPrince45 {
  static constexpr bool adaptive = true;
  static constexpr const char* name = "ode_rk45";
  double relative = 1e-6, absolute = 1e-6;
  int max_steps = 1000;

  /// The allowed error of a state, given its size.
  template <class R>
  MANYCHAIN_HD R scale(R size) const {
    constexpr double smallest = 10 * static_cast<double>(std::numeric_limits<number_of<R>>::epsilon());
    return fma(R(relative < smallest ? smallest : relative), size, R(absolute));
  }
  /// Hairer, Norsett and Wanner 1993, II.4: an explicit Euler step tells how fast the slope changes.
  template <class R, class F, int K>
  MANYCHAIN_HD_CALLED R first_step(const F& f, R from, R to, const Registers<Dual<R, 0>, K>& y) const {
    const auto slope = f(from, y);
    R size = R(0), speed = R(0), change = R(0);
    for_each(Size<K>{}, [&](int i) {
      const R by = R(1) / scale(abs(y[i].v));
      size = max(size, abs(y[i].v) * by), speed = max(speed, abs(slope[i].v) * by);
    });
    const R h = min(select(min(size, speed) < R(1e-5), R(1e-6), R(0.01) * size / speed), to - from);
    Registers<Dual<R, 0>, K> next = y;
    detail::add_scaled(next, h, slope);
    const auto later = f(from + h, next);
    for_each(Size<K>{}, [&](int i) { change = max(change, abs(later[i].v - slope[i].v) / scale(abs(y[i].v))); });
    const R fastest = max(speed, select(h > R(0), change / h, R(0)));
    const R second = select(fastest < R(1e-15), max(R(1e-6), R(1e-3) * h), exp(R(0.2) * log(R(0.01) / fastest)));
    // The heuristic does not know the spacing of numbers at `from`, below which no step leads anywhere.
    const R spacing = R(static_cast<double>(std::numeric_limits<number_of<R>>::epsilon())) * abs(from);
    return max(min(R(100) * h, second), R(8) * spacing);
  }
  /// y at `to` from y at `from`; h is the length of the first step and, then, of the one that would come next.
  template <class R, int N, int K, class F>
  MANYCHAIN_HD_CALLED void advance(const F& f, R from, R to, Registers<Dual<R, N>, K>& y, R& h) const {
    using State = Registers<Dual<R, N>, K>;
    const double a[6][6] = {{1.0 / 5, 0, 0, 0, 0, 0},
                            {3.0 / 40, 9.0 / 40, 0, 0, 0, 0},
                            {44.0 / 45, -56.0 / 15, 32.0 / 9, 0, 0, 0},
                            {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0, 0},
                            {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0},
                            {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    const double c[6] = {1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
    const double e[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    R t = from;
    auto active = from < to && detail::all_finite(y);
    State slope[7], next;
    slope[0] = f(t, y);
    MANYCHAIN_ROLLED
    for (int step = 0; step < max_steps && any(active); ++step) {
      const R left = to - t;
      const auto last = h >= left;
      const R length = select(last, left, h);
      MANYCHAIN_ROLLED
      for (int stage = 0; stage < 6; ++stage) {  // one copy of f for six stages
        next = y;
        for (int j = 0; j <= stage; ++j) detail::add_scaled(next, length * R(a[stage][j]), slope[j]);
        slope[stage + 1] = f(fma(R(c[stage]), length, t), next);
      }
      R error = R(0);
      for_each(Size<K>{}, [&](int i) {
        R sum = R(0);
        for (int j = 0; j < 7; ++j) sum = fma(R(e[j]), slope[j][i].v, sum);
        const R ratio = length * sum / scale(max(abs(y[i].v), abs(next[i].v)));
        error = fma(ratio, ratio, error);
      });
      error = error * R(1.0 / K);
      const auto small = error <= R(1);  // not if it is NaN
      const auto accepted = active && small;
      y = detail::select_all(accepted, next, y);
      slope[0] = detail::select_all(accepted, slope[6], slope[0]);
      t = select(accepted, select(last, to, t + length), t);
      const R factor = min(max(R(0.9) * exp(R(-0.1) * log(error)), R(0.2)), R(5));
      const R proposed = length * select(error <= R(1e30), factor, R(0.2));
      // A step cut short by the end of the interval says nothing against the length before.
      h = select(active, select(accepted && last, max(h, proposed), proposed), h);
      active = active && t < to && t + h > t;
    }
    const auto arrived = t >= to;
    const R none(std::numeric_limits<number_of<R>>::quiet_NaN());
    for_each(Size<K>{}, [&](int i) {
      y[i] = Dual<R, N>::with(select(arrived, y[i].v, none), [&](int k) { return select(arrived, y[i].d[k], none); });
    });
  }
};

namespace detail {
/// All that a solution is a function of.
template <class Method, class Rhs, class First, class Time, class Times, class Args>
struct OdeProblem {
  using Initial = First;
  Method method;
  Rhs rhs;
  First first;
  Time t0;
  Times times;
  Args theta;

  static constexpr int states =
      std::remove_cvref_t<decltype(StateShape<First>::size(std::declval<First>()))>::compile_time;
  static_assert(states > 0,
                "a differential equation has a fixed number of states: states(a, b), or a vector of Size<2>");
  static_assert(!Node<Time>, "the initial time is a number or data");
  MANYCHAIN_HD int count() const { return times.size().value(); }
  /// The beginning of interval i; the end of interval i - 1.
  template <class R>
  MANYCHAIN_HD R time(int i) const {
    static_assert(!Node<decltype(times[0])>, "the times of a solution are data");
    return i == 0 ? R(t0) : R(times[i - 1]);
  }

  /// The states at all times into values; the step size at the beginning of each interval to keep(i, h).
  template <class R, class Values, class Keep>
  MANYCHAIN_HD void solve(Values& values, const Keep& keep) const {
    using T = Dual<R, 0>;
    const auto parameters = theta.template lift<T, 0, R>();
    const OdeSystem<First, Rhs, decltype(parameters)> f{rhs, parameters};
    Registers<T, states> y;
    StateShape<First>::each(first, [&](int k, const auto& node) { y[k] = T(R(node.value())); });
    R h = count() > 0 ? method.template first_step<R>(f, time<R>(0), time<R>(count()), y) : R(0);
    for (int i = 0; i < count(); ++i) {
      keep(i, h);
      method.advance(f, time<R>(i), time<R>(i + 1), y, h);
      for_each(Size<states>{}, [&](int k) { values[i * states + k] = y[k].v; });
    }
  }
  /// Passes the adjoints of all states on to the initial ones and to the parameters.
  template <class R, class Values, class Adjoints, class Steps>
  MANYCHAIN_HD void pass_back(const Values& values, const Adjoints& adjoints, const Steps& steps) const {
    constexpr int N = states + Args::count;
    using T = Dual<R, N>;
    const auto parameters = theta.template lift<T, states, R>();
    const OdeSystem<First, Rhs, decltype(parameters)> f{rhs, parameters};
    Registers<R, N> adjoint;
    for_each(Size<N>{}, [&](int k) { adjoint[k] = R(0); });
    for (int i = count() - 1; i >= 0; --i) {
      Registers<T, states> y;
      const auto begin = [&](int k, R value) { y[k] = T::variable(value, k); };
      if (i == 0)
        StateShape<First>::each(first, [&](int k, const auto& node) { begin(k, R(node.value())); });
      else
        for_each(Size<states>{}, [&](int k) { begin(k, values[(i - 1) * states + k]); });
      R h = steps(i);
      method.advance(f, time<R>(i), time<R>(i + 1), y, h);
      Registers<R, N> before = adjoint;
      for_each(Size<states>{}, [&](int k) { before[k] = R(0); });
      for_each(Size<states>{}, [&](int j) {
        const R later = adjoint[j] + adjoints[i * states + j];
        for_each(Size<N>{}, [&](int k) { before[k] = fma(later, y[j].d[k], before[k]); });
      });
      adjoint = before;
    }
    StateShape<First>::each(first, [&](int k, const auto& node) { node.push(adjoint[k], NoMask{}); });
    theta.template each_direction<states>([&](int k, const auto& node) { node.push(adjoint[k], NoMask{}); });
  }
};
template <class Method, class Rhs, class First, class Time, class Times, class... Theta>
MANYCHAIN_HD auto ode_problem(const Method& method, const Rhs& rhs, const First& first, const Time& t0,
                              const Times& times, const Theta&... theta) {
  const auto parameters = hold_arguments(theta...);
  return OdeProblem<Method, Rhs, held_state<First>, Time, decltype(hold(times)),
                    std::remove_cvref_t<decltype(parameters)>>{method, rhs,         hold_state(first),
                                                               t0,     hold(times), parameters};
}
}  // namespace detail

/// The solution of a differential equation at given times, one row of states behind the other.
template <class Problem, class R, bool Gradient>
class OdeSolution : public IntermediateVector<OdeSolution<Problem, R, Gradient>, R, Size<dynamic>, Gradient> {
  using Base = IntermediateVector<OdeSolution, R, Size<dynamic>, Gradient>;
  static constexpr bool keeps_steps =
      Gradient && std::remove_cvref_t<decltype(std::declval<Problem>().method)>::adaptive;

 public:
  template <class Target>
  MANYCHAIN_HD OdeSolution(const Problem& problem, Target& target)
      : Base(Size<dynamic>(problem.count() * Problem::states), target.arena()),
        problem_(problem),
        arena_(&target.arena()) {
    if constexpr (keeps_steps) steps_ = arena_->take(problem_.count());
    problem_.template solve<R>(this->values(), [&](int i, R h) {
      if constexpr (keeps_steps) steps_[i] = h;
    });
    this->clear_adjoints();
  }
  MANYCHAIN_HD ~OdeSolution() {
    if constexpr (Gradient)
      problem_.template pass_back<R>(this->values(), this->adjoints(), [&](int i) {
        if constexpr (keeps_steps)
          return R(steps_[i]);
        else
          return R(0);
      });
    if constexpr (keeps_steps) arena_->give_back(problem_.count());
  }
  OdeSolution(const OdeSolution&) = default;  // the base refuses
  OdeSolution& operator=(const OdeSolution&) = default;

 private:
  Problem problem_;
  Arena<R>* arena_;
  Strided<R> steps_;
};

template <class R, bool Gradient, class Problem, class Target>
MANYCHAIN_HD auto make_ode(const Problem& problem, Target& target) {
  using Result = OdeSolution<Problem, R, Gradient>;
  if constexpr (Operand<typename Problem::Initial>) {
    return Result(problem, target);
  } else {
    const auto elements = [&] { return Result(problem, target); };
    using Columns = Size<Problem::states>;
    return StoredMatrix<Result, Columns>(elements, problem.count(), Columns{});
  }
}

/// A target says this of differential equations. Self has ode(problem).
template <class Self>
class OdeFunctions {
 public:
  /// target.ode_rk45(f, initial, t0, times, theta...): the solution of y' = f(t, y, theta...) with y(t0) = initial at
  /// `times`, data that do not decrease, none before t0. Adaptive steps; relative and absolute tolerance 1e-6, at most
  /// 1000 steps between two times. Source: Dormand and Prince 1980.
  template <class Rhs, class First, class Time, class Times, class... Theta>
  MANYCHAIN_HD auto ode_rk45(const Rhs& f, const First& initial, const Time& t0, const Times& times,
                             const Theta&... theta) {
    return self().ode(detail::ode_problem(DormandPrince45{}, f, initial, t0, times, theta...));
  }
  /// target.ode_rk45_tol(f, initial, t0, times, relative, absolute, max_steps, theta...): the same with tolerances: the
  /// error of a step is at most absolute + relative |y|, as a root mean square over the states. A relative tolerance
  /// below 10 units of rounding (1.2e-6 in single precision) counts as that. manychain check takes differences
  /// with stricter tolerances than these, and says how far they move the gradient. Source:
  /// Dormand and Prince 1980.
  template <class Rhs, class First, class Time, class Times, class... Theta>
  MANYCHAIN_HD auto ode_rk45_tol(const Rhs& f, const First& initial, const Time& t0, const Times& times,
                                 double relative, double absolute, int max_steps, const Theta&... theta) {
    const DormandPrince45 method{relative, absolute, max_steps};
    return self().ode(detail::ode_problem(method, f, initial, t0, times, theta...));
  }
  /// target.ode_rk4(f, initial, t0, times, steps, theta...): the same with `steps` steps of one length between two
  /// times, of order 4. Source: Kutta 1901.
  template <class Rhs, class First, class Time, class Times, class... Theta>
  MANYCHAIN_HD auto ode_rk4(const Rhs& f, const First& initial, const Time& t0, const Times& times, int steps,
                            const Theta&... theta) {
    return self().ode(detail::ode_problem(RungeKutta4{steps}, f, initial, t0, times, theta...));
  }

 private:
  MANYCHAIN_HD Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
