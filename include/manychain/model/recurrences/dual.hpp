// A number with its derivatives along N directions; arithmetic carries these along (Wengert 1964; Griewank and Walther
// 2008, Evaluating Derivatives, chapter 3). model/recurrences/forward_mode.hpp and model/recurrences/ode.hpp hand them
// to functions of a model.
#pragma once

#include <concepts>
#include <limits>
#include <utility>

#include "manychain/model/distributions/distributions.hpp"
#include "manychain/model/matrices/parameter_vectors.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

struct DualTag {};

namespace detail {
/// An operand that may stand beside a Dual and has no derivative: a literal, data, a number without derivatives.
template <class C, class R>
concept DualConstant = (Arithmetic<C> || Real<C> || PlainRows<C>)&&std::is_constructible_v<R, C>;

template <class T>
MANYCHAIN_HD void refuse_capture() {
  static_assert(
      allowed<T>,
      "a function that is differentiated as a whole takes parameters as arguments, by which it is then "
      "differentiated; it captures data alone: forward_mode(f, x, mu), target.ode_rk45(f, y0, t0, times, mu)");
}

/// N derivatives. None take no room.
template <class R, int N>
struct Derivatives : Registers<R, N> {};
template <class R>
struct Derivatives<R, 0> {
  MANYCHAIN_HD R operator[](int) const { return R(0); }
};
}  // namespace detail

/// A number with its derivatives along N directions. It has the operators and functions of the language; comparisons
/// and select() look at the value. As of any number that differs from chain to chain, there is no branch on it.
template <class R, int N>
struct Dual : NoNumber<DualTag, Dual<R, N>> {
  R v;
  detail::Derivatives<R, N> d;

  Dual() = default;
  /// A constant.
  template <class C>
  requires detail::DualConstant<C, R> MANYCHAIN_HD Dual(const C& c) : v(R(c)) {  // NOLINT: implicit, as of a Real
    if constexpr (N > 0) for_each(Size<N>{}, [&](int k) { d[k] = R(0); });
  }
  /// The variable of one direction.
  MANYCHAIN_HD static Dual variable(R value, int direction) {
    Dual x;
    x.v = value;
    if constexpr (N > 0) for_each(Size<N>{}, [&](int k) { x.d[k] = R(k == direction ? 1 : 0); });
    return x;
  }
  /// A function of this with that value and that derivative.
  MANYCHAIN_HD Dual chain(R value, R slope) const {
    return with(value, [&](int k) { return slope * d[k]; });
  }
  /// With derivative f(k) along direction k.
  template <class F>
  MANYCHAIN_HD static Dual with(R value, const F& f) {
    Dual x;
    x.v = value;
    if constexpr (N > 0) for_each(Size<N>{}, [&](int k) { x.d[k] = f(k); });
    return x;
  }

  MANYCHAIN_HD friend Dual operator+(const Dual& a, const Dual& b) {
    return with(a.v + b.v, [&](int k) { return a.d[k] + b.d[k]; });
  }
  MANYCHAIN_HD friend Dual operator-(const Dual& a, const Dual& b) {
    return with(a.v - b.v, [&](int k) { return a.d[k] - b.d[k]; });
  }
  MANYCHAIN_HD friend Dual operator*(const Dual& a, const Dual& b) {
    return with(a.v * b.v, [&](int k) { return fma(a.v, b.d[k], a.d[k] * b.v); });
  }
  MANYCHAIN_HD friend Dual operator/(const Dual& a, const Dual& b) {
    const R quotient = a.v / b.v, inverse = R(1) / b.v;
    return with(quotient, [&](int k) { return inverse * fma(-quotient, b.d[k], a.d[k]); });
  }
  MANYCHAIN_HD friend Dual operator-(const Dual& a) {
    return with(-a.v, [&](int k) { return -a.d[k]; });
  }
  MANYCHAIN_HD friend Dual operator+(const Dual& a) { return a; }
  template <class C>
  requires detail::DualConstant<C, R> MANYCHAIN_HD friend Dual operator+(const Dual& a, const C& c) {
    return with(a.v + R(c), [&](int k) { return a.d[k]; });
  }
  template <class C>
  requires detail::DualConstant<C, R> MANYCHAIN_HD friend Dual operator+(const C& c, const Dual& a) {
    return with(R(c) + a.v, [&](int k) { return a.d[k]; });
  }
  template <class C>
  requires detail::DualConstant<C, R> MANYCHAIN_HD friend Dual operator-(const Dual& a, const C& c) {
    return with(a.v - R(c), [&](int k) { return a.d[k]; });
  }
  template <class C>
  requires detail::DualConstant<C, R> MANYCHAIN_HD friend Dual operator-(const C& c, const Dual& a) {
    return with(R(c) - a.v, [&](int k) { return -a.d[k]; });
  }
  template <class C>
  requires detail::DualConstant<C, R> MANYCHAIN_HD friend Dual operator*(const Dual& a, const C& c) {
    return a.chain(a.v * R(c), R(c));
  }
  template <class C>
  requires detail::DualConstant<C, R> MANYCHAIN_HD friend Dual operator*(const C& c, const Dual& a) {
    return a.chain(R(c) * a.v, R(c));
  }
  template <class C>
  requires detail::DualConstant<C, R> MANYCHAIN_HD friend Dual operator/(const Dual& a, const C& c) {
    return a.chain(a.v / R(c), R(1) / R(c));
  }
  template <class C>
  requires detail::DualConstant<C, R> MANYCHAIN_HD friend Dual operator/(const C& c, const Dual& a) {
    const R quotient = R(c) / a.v;
    return a.chain(quotient, -(quotient / a.v));
  }
  template <class B>
  MANYCHAIN_HD Dual& operator+=(const B& b) {
    return *this = *this + b;
  }
  template <class B>
  MANYCHAIN_HD Dual& operator-=(const B& b) {
    return *this = *this - b;
  }
  template <class B>
  MANYCHAIN_HD Dual& operator*=(const B& b) {
    return *this = *this * b;
  }
  template <class B>
  MANYCHAIN_HD Dual& operator/=(const B& b) {
    return *this = *this / b;
  }

#define MANYCHAIN_REFUSED(op)                                     \
  template <Node E>                                               \
  MANYCHAIN_HD friend Dual operator op(const Dual& a, const E&) { \
    return detail::refuse_capture<E>(), a;                        \
  }                                                               \
  template <Node E>                                               \
  MANYCHAIN_HD friend Dual operator op(const E&, const Dual& a) { \
    return detail::refuse_capture<E>(), a;                        \
  }
  MANYCHAIN_REFUSED(+)
  MANYCHAIN_REFUSED(-)
  MANYCHAIN_REFUSED(*)
  MANYCHAIN_REFUSED(/)
#undef MANYCHAIN_REFUSED

#define MANYCHAIN_DUAL_COMPARISON(op)                                                                   \
  MANYCHAIN_HD friend auto operator op(const Dual& a, const Dual& b) { return a.v op b.v; }             \
  template <class C>                                                                                    \
  requires detail::DualConstant<C, R> MANYCHAIN_HD friend auto operator op(const Dual& a, const C& c) { \
    return a.v op R(c);                                                                                 \
  }                                                                                                     \
  template <class C>                                                                                    \
  requires detail::DualConstant<C, R> MANYCHAIN_HD friend auto operator op(const C& c, const Dual& a) { \
    return R(c) op a.v;                                                                                 \
  }
  MANYCHAIN_DUAL_COMPARISON(<)
  MANYCHAIN_DUAL_COMPARISON(<=)
  MANYCHAIN_DUAL_COMPARISON(>)
  MANYCHAIN_DUAL_COMPARISON(>=)
  MANYCHAIN_DUAL_COMPARISON(==)
#undef MANYCHAIN_DUAL_COMPARISON

  /// `a` where the mask holds, `b` elsewhere, derivatives included: what is not chosen may be NaN.
  template <class Mask>
  MANYCHAIN_HD friend Dual select(const Mask& mask, const Dual& a, const Dual& b) {
    return with(select(mask, a.v, b.v), [&](int k) { return select(mask, a.d[k], b.d[k]); });
  }
  template <class Mask, class C>
  requires detail::DualConstant<C, R> MANYCHAIN_HD friend Dual select(const Mask& mask, const Dual& a, const C& c) {
    return select(mask, a, Dual(c));
  }
  template <class Mask, class C>
  requires detail::DualConstant<C, R> MANYCHAIN_HD friend Dual select(const Mask& mask, const C& c, const Dual& b) {
    return select(mask, Dual(c), b);
  }
  MANYCHAIN_HD friend Dual min(const Dual& a, const Dual& b) { return select(b.v < a.v, b, a); }
  MANYCHAIN_HD friend Dual max(const Dual& a, const Dual& b) { return select(a.v < b.v, b, a); }

  // The functions of the language. Those that core/special_functions.hpp has are found where it is included.
  MANYCHAIN_HD friend Dual exp(const Dual& a) {
    const R f = exp(a.v);
    return a.chain(f, f);
  }
  MANYCHAIN_HD friend Dual log(const Dual& a) { return a.chain(log(a.v), R(1) / a.v); }
  MANYCHAIN_HD friend Dual log1p(const Dual& a) { return a.chain(log1p(a.v), R(1) / (R(1) + a.v)); }
  MANYCHAIN_HD friend Dual expm1(const Dual& a) { return a.chain(expm1(a.v), exp(a.v)); }
  MANYCHAIN_HD friend Dual sqrt(const Dual& a) {
    const R f = sqrt(a.v);
    return a.chain(f, R(0.5) / f);
  }
  MANYCHAIN_HD friend Dual square(const Dual& a) { return a.chain(a.v * a.v, a.v + a.v); }
  MANYCHAIN_HD friend Dual tanh(const Dual& a) {
    const R f = tanh(a.v);
    return a.chain(f, fma(-f, f, R(1)));
  }
  MANYCHAIN_HD friend Dual atan(const Dual& a) { return a.chain(atan(a.v), R(1) / fma(a.v, a.v, R(1))); }
  MANYCHAIN_HD friend Dual abs(const Dual& a) { return a.chain(abs(a.v), select(a.v < R(0), R(-1), R(1))); }
  MANYCHAIN_HD friend Dual inv_logit(const Dual& a) {
    const auto both = inv_logit_pair(a.v);
    return a.chain(both.p, both.p * both.complement);
  }
  MANYCHAIN_HD friend Dual log1p_exp(const Dual& a) { return a.chain(log1p_exp(a.v), inv_logit(a.v)); }
  MANYCHAIN_HD friend Dual lgamma(const Dual& a) {
    const auto inside = a.v > R(0);
    const R none(std::numeric_limits<number_of<R>>::quiet_NaN());
    return a.chain(select(inside, lgamma_positive(a.v), none), select(inside, digamma_positive(a.v), none));
  }
  MANYCHAIN_HD friend Dual sin(const Dual& a) { return a.chain(sin(a.v), cos(a.v)); }
  MANYCHAIN_HD friend Dual cos(const Dual& a) { return a.chain(cos(a.v), -sin(a.v)); }
  MANYCHAIN_HD friend Dual Phi(const Dual& a) {
    return a.chain(Phi(a.v), R(0.39894228040143267794) * exp(R(-0.5) * (a.v * a.v)));
  }
  MANYCHAIN_HD friend Dual erf(const Dual& a) {
    return a.chain(erf(a.v), R(1.12837916709551257390) * exp(-(a.v * a.v)));
  }
  MANYCHAIN_HD friend Dual erfc(const Dual& a) {
    return a.chain(erfc(a.v), R(-1.12837916709551257390) * exp(-(a.v * a.v)));
  }

  /// x to the power of y: x >= 0, or any x where y is a whole number of the program, which is multiplied out.
  MANYCHAIN_HD friend Dual pow(const Dual& x, const Dual& y) {
    const R log_x = log(x.v), f = real_power(log_x, y.v);
    // As detail::power_slope().
    const R slope = y.v * real_power(log_x, y.v - R(1));
    const R by_x = select(x.v == R(0), select(y.v < R(1), R(0), slope), slope),
            by_y = select(f == R(0), R(0), f * log_x);
    return with(f, [&](int k) { return fma(by_x, x.d[k], by_y * y.d[k]); });
  }
  template <class C>
  requires detail::DualConstant<C, R> MANYCHAIN_HD friend Dual pow(const Dual& x, const C& y) {
    if constexpr (Arithmetic<C>) {
      if (y >= -64 && y <= 64 && static_cast<C>(static_cast<int>(y)) == y) return x.whole_power(static_cast<int>(y));
    }
    const R log_x = log(x.v);
    return x.chain(real_power(log_x, R(y)), R(y) * real_power(log_x, R(y) - R(1)));
  }
  template <class C>
  requires detail::DualConstant<C, R> MANYCHAIN_HD friend Dual pow(const C& x, const Dual& y) {
    const R log_x = log(R(x)), f = real_power(log_x, y.v);
    return y.chain(f, select(f == R(0), R(0), f * log_x));
  }

 private:
  MANYCHAIN_HD static R squared_up(R x, int n) {
    R result = R(1);
    for (; n > 0; n /= 2) {
      if (n % 2) result = result * x;
      x = x * x;
    }
    return result;
  }
  MANYCHAIN_HD Dual whole_power(int n) const {
    if (n < 0) return chain(R(1) / squared_up(v, -n), R(n) / squared_up(v, 1 - n));
    return chain(squared_up(v, n), n == 0 ? R(0) : R(R(n) * squared_up(v, n - 1)));
  }
  MANYCHAIN_HD static R real_power(R log_x, R y) { return select(y == R(0), R(1), exp(y * log_x)); }
};

namespace detail {
template <class T, class... Ts>
struct first_dual : first_dual<Ts...> {};
template <class R, int N, class... Ts>
struct first_dual<Dual<R, N>, Ts...> {
  using type = Dual<R, N>;
};
/// An argument of a density: a variable with its adjoint, or what has no derivative.
template <class R, class T>
MANYCHAIN_HD auto dual_operand(const T& x, R& adjoint) {
  if constexpr (Node<T>) refuse_capture<T>();
  if constexpr (DualArgument<T>)
    return Variable<R>(x.v, &adjoint);
  else
    return operand<number_of<R>>(x);
}
}  // namespace detail
/// A density or a log CDF of Duals: its partial derivatives, which the language knows, times theirs.
template <class Density, class... Args>
MANYCHAIN_HD auto density_of_duals(const Density& density, const Args&... args) {
  using Result = typename detail::first_dual<Args...>::type;
  using R = decltype(Result::v);
  Registers<R, sizeof...(Args)> adjoint;
  for_each(Size<int(sizeof...(Args))>{}, [&](int i) { adjoint[i] = R(0); });
  const R value = [&]<int... I>(std::integer_sequence<int, I...>) {
    const auto node = density(detail::dual_operand<R>(args, adjoint[I])...);
    node.push(One{}, NoMask{});
    return R(node.value());
  }
  (std::make_integer_sequence<int, int(sizeof...(Args))>{});
  return Result::with(value, [&](int k) {
    R sum = R(0);
    int i = 0;
    const auto add = [&](const auto& x) {
      if constexpr (detail::DualArgument<std::remove_cvref_t<decltype(x)>>) sum = fma(adjoint[i], x.d[k], sum);
      ++i;
    };
    (add(args), ...);
    return sum;
  });
}

/// value(x): the number behind a Dual, without its derivatives.
template <class R, int N>
MANYCHAIN_HD R value(const Dual<R, N>& x) {
  return x.v;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
