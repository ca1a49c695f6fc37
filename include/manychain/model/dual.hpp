// Forward mode: derivatives of a whole function, whatever it is made of. A Dual is a number with its derivatives along
// N directions; arithmetic carries these along (Wengert 1964; Griewank and Walther 2008, chapter 3).
//
//   const auto f = [&](const auto& a, const auto& b) {      // any code that does not branch on a or b
//     auto x = a;
//     for (int t = 0; t < 20; ++t) x = x + b * tanh(x - a);  // a loop, variables that change, arrays of one's own
//     return x * x;
//   };
//   target += normal(y, forward_mode(f, alpha, beta), sigma);
//
// It is for what cannot be said with expressions: a loop that goes on changing a variable, an algorithm with arrays.
// The cost of N derivatives is that of some N + 1 evaluations, and 1 + N numbers stand for each: good for up to about
// ten. Of more parameters, and of recurrences over the data, the gradient is cheaper by expressions, target.let() and
// target.scan(), which cost some three evaluations whatever the number of parameters.
#pragma once

#include "manychain/model/parameter_vectors.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

namespace detail {
/// What may stand beside a Dual and has no derivative: a literal, data, a number without derivatives.
template <class C, class R>
concept DualConstant = (Arithmetic<C> || Real<C> || PlainRows<C>)&&std::is_constructible_v<R, C>;

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
struct Dual {
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
    const R v = exp(a.v);
    return a.chain(v, v);
  }
  MANYCHAIN_HD friend Dual log(const Dual& a) { return a.chain(log(a.v), R(1) / a.v); }
  MANYCHAIN_HD friend Dual log1p(const Dual& a) { return a.chain(log1p(a.v), R(1) / (R(1) + a.v)); }
  MANYCHAIN_HD friend Dual expm1(const Dual& a) { return a.chain(expm1(a.v), exp(a.v)); }
  MANYCHAIN_HD friend Dual sqrt(const Dual& a) {
    const R v = sqrt(a.v);
    return a.chain(v, R(0.5) / v);
  }
  MANYCHAIN_HD friend Dual square(const Dual& a) { return a.chain(a.v * a.v, a.v + a.v); }
  MANYCHAIN_HD friend Dual tanh(const Dual& a) {
    const R v = tanh(a.v);
    return a.chain(v, fma(-v, v, R(1)));
  }
  MANYCHAIN_HD friend Dual atan(const Dual& a) { return a.chain(atan(a.v), R(1) / fma(a.v, a.v, R(1))); }
  MANYCHAIN_HD friend Dual abs(const Dual& a) { return a.chain(abs(a.v), select(a.v < R(0), R(-1), R(1))); }
  MANYCHAIN_HD friend Dual inv_logit(const Dual& a) {
    const R v = inv_logit(a.v);
    return a.chain(v, v * inv_logit(-a.v));
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
    const R log_x = log(x.v), v = real_power(log_x, y.v);
    const R by_x = y.v * real_power(log_x, y.v - R(1)), by_y = select(v == R(0), R(0), v * log_x);
    return with(v, [&](int k) { return fma(by_x, x.d[k], by_y * y.d[k]); });
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
    const R log_x = log(R(x)), v = real_power(log_x, y.v);
    return y.chain(v, select(v == R(0), R(0), v * log_x));
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

/// value(x): the number behind a Dual, without its derivatives.
template <class R, int N>
MANYCHAIN_HD R value(const Dual<R, N>& x) {
  return x.v;
}

namespace detail {
template <class T>
inline constexpr bool is_constant_node = false;
template <class V>
inline constexpr bool is_constant_node<Constant<V>> = true;

/// What is kept of an argument of a whole function: a node, a literal, or a view of a vector of fixed size.
template <class A>
MANYCHAIN_HD auto hold_argument(const A& a) {
  if constexpr (VectorOperand<A>) {
    static_assert(std::remove_cvref_t<decltype(a.size())>::fixed,
                  "a vector that is an argument here has a fixed size, Size<3>{}, since each of its elements is a "
                  "direction; data of any size are captured by the function");
    return a.view();
  } else if constexpr (Arithmetic<A>) {
    return a;
  } else {
    return as_node(a);
  }
}

/// How many directions an argument takes: none if it is data.
template <class H>
inline constexpr int directions = Arithmetic<H> || is_constant_node<H> ? 0 : 1;
template <VectorOperand H>
inline constexpr int directions<H> = is_constant_node<node_of<decltype(std::declval<H>()[0])>>
                                         ? 0
                                         : std::remove_cvref_t<decltype(std::declval<H>().size())>::compile_time;

/// What the function is given in the place of an argument whose first direction is First: a T, whatever it stands for,
/// so that variables of the function may take either; but whole numbers of the program as they are.
template <class T, int First, class R, class H>
MANYCHAIN_HD auto lifted(const H& argument) {
  constexpr bool varies = directions < H >> 0;
  if constexpr (VectorOperand<H>) {
    Registers<T, std::remove_cvref_t<decltype(argument.size())>::compile_time> elements;
    for_each(argument.size(), [&](int i) {
      const R x(as_node(argument[i]).value());
      elements[i] = varies ? T::variable(x, First + i) : T(x);
    });
    return elements;
  } else if constexpr (std::integral<H>) {
    return argument;
  } else {
    const R x(as_node(argument).value());
    return varies ? T::variable(x, First) : T(x);
  }
}
template <class H>
struct argument_value {
  using type = value_of<H>;
};
template <VectorOperand H>
struct argument_value<H> {
  using type = value_of<decltype(std::declval<H>()[0])>;
};

/// Arguments of a whole function, one behind the other. (No tuple: nvcc is much faster without.)
template <class... Hs>
struct Arguments;
template <>
struct Arguments<> {
  static constexpr int count = 0;
  template <class F, class... Done>
  MANYCHAIN_HD auto apply(const F& f, const Done&... done) const {
    return f(done...);
  }
  template <class T, int First, class R>
  MANYCHAIN_HD auto lift() const {
    return Arguments<>();
  }
  template <int First, class F>
  MANYCHAIN_HD void each_direction(const F&) const {}
};
template <class H, class... Rest>
struct Arguments<H, Rest...> {
  static constexpr int count = directions<H> + Arguments<Rest...>::count;
  H first;
  Arguments<Rest...> rest;
  MANYCHAIN_HD explicit Arguments(const H& h, const Rest&... others) : first(h), rest(others...) {}
  MANYCHAIN_HD Arguments(const H& h, const Arguments<Rest...>& others) : first(h), rest(others) {}

  /// f of all of them.
  template <class F, class... Done>
  MANYCHAIN_HD auto apply(const F& f, const Done&... done) const {
    return rest.apply(f, done..., first);
  }
  /// What the function is given.
  template <class T, int First, class R>
  MANYCHAIN_HD auto lift() const {
    const auto x = lifted<T, First, R>(first);
    const auto others = rest.template lift<T, First + directions<H>, R>();
    return joined(x, others);
  }
  /// f(direction, node) for each that has one.
  template <int First, class F>
  MANYCHAIN_HD void each_direction(const F& f) const {
    if constexpr (directions < H >> 0) {
      if constexpr (VectorOperand<H>)
        for_each(first.size(), [&](int i) { f(First + i, as_node(first[i])); });
      else
        f(First, first);
    }
    rest.template each_direction<First + directions<H>>(f);
  }

 private:
  template <class L, class... Ls>
  MANYCHAIN_HD static Arguments<L, Ls...> joined(const L& x, const Arguments<Ls...>& others) {
    return {x, others};
  }
};
template <class... As>
MANYCHAIN_HD auto hold_arguments(const As&... args) {
  return Arguments<decltype(hold_argument(args))...>(hold_argument(args)...);
}

template <class T>
inline constexpr int results_in = 0;
template <class T, int M>
inline constexpr int results_in<Registers<T, M>> = M;
}  // namespace detail

/// A function of several arguments, with the derivatives that forward mode found.
template <class T, class Args>
struct ForwardMode : NoNumber<ExpressionTag, ForwardMode<T, Args>> {
  T result;
  Args arguments;
  MANYCHAIN_HD ForwardMode(const T& f, const Args& args) : result(f), arguments(args) {}
  MANYCHAIN_HD auto value() const { return result.v; }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    arguments.template each_direction<0>([&](int k, const auto& node) {
      if constexpr (std::is_same_v<A, One>)
        node.push(result.d[k], m);
      else
        node.push(a, result.d[k], m);
    });
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor, M m) const {
    push(a * factor, m);
  }
};
/// Several results, as a vector.
template <class T, int M, class Args>
class ForwardModeVector {
 public:
  MANYCHAIN_HD ForwardModeVector(const Registers<T, M>& results, const Args& arguments)
      : results_(results), arguments_(arguments) {}
  MANYCHAIN_HD auto operator[](int i) const { return ForwardMode<T, Args>(results_[i], arguments_); }
  template <class Index>
  requires detail::NoIndex<Index> MANYCHAIN_HD auto operator[](const Index&) const {
    detail::refuse_index<Index>();
    return (*this)[0];
  }
  MANYCHAIN_HD Size<M> size() const { return {}; }
  MANYCHAIN_HD ForwardModeVector view() const { return *this; }

 private:
  Registers<T, M> results_;
  Args arguments_;
};

/// numbers(a, b, ...): several numbers as one result of a function, results[0], results[1], ...
template <class... As>
MANYCHAIN_HD auto numbers(const As&... x) {
  using T = std::remove_cvref_t<decltype((... + x))>;
  return Registers<T, static_cast<int>(sizeof...(As))>{{T(x)...}};
}

/// forward_mode(f, x, y, ...): the value of f(x, y, ...) as an expression, its derivatives found by forward mode. f is
/// called once, with a Dual for each argument, with an array of them for a vector of fixed size, and with whole numbers
/// of the program as they are; data that it captures cost nothing. It may loop, change variables and hold arrays. It
/// returns one number, or several by numbers(a, b, ...), which are then a vector. Cost: one and as many evaluations as
/// there are parameters. Source: Wengert 1964; Griewank and Walther 2008, Evaluating Derivatives, chapter 3.
template <class F, class... As>
MANYCHAIN_HD auto forward_mode(const F& f, const As&... args) {
  const auto arguments = detail::hold_arguments(args...);
  using Args = std::remove_cvref_t<decltype(arguments)>;
  using R =
      std::remove_cvref_t<decltype((... + std::declval<typename detail::argument_value<
                                              std::remove_cvref_t<decltype(detail::hold_argument(args))>>::type>()))>;
  using T = Dual<R, Args::count>;
  const auto result = arguments.template lift<T, 0, R>().apply(f);
  using Result = std::remove_cvref_t<decltype(result)>;
  if constexpr (detail::results_in < Result >> 0) {
    constexpr int count = detail::results_in<Result>;
    Registers<T, count> results;
    for_each(Size<count>{}, [&](int i) { results[i] = T(result[i]); });
    return ForwardModeVector<T, count, Args>(results, arguments);
  } else {
    return ForwardMode<T, Args>(T(result), arguments);
  }
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
