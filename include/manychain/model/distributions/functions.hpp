// Special functions of expressions, with their derivatives. Formulae and bounds on errors: core/special_functions.hpp.
//
// Each docstring reads: name(arguments): what it is. Support: where it is defined. Source: where that is written.
#pragma once

#include "manychain/core/special_functions.hpp"
#include "manychain/model/distributions/distributions.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
/// lgamma(x): the logarithm of the gamma function. Support: x > 0, NaN elsewhere. Source: Abramowitz and Stegun 6.1.41.
template <detail::DataOrNode A>
MANYCHAIN_HD auto lgamma(const A& a) {
  const auto x = as_node(a);
  using V = std::remove_cvref_t<decltype(x.value())>;
  const auto inside = x.value() > V(0);
  const V none(std::numeric_limits<number_of<V>>::quiet_NaN());
  return elementary(select(inside, lgamma_positive(x.value()), none),
                    partial(x, select(inside, digamma_positive(x.value()), none)));
}
/// lbeta(a, b): log(Gamma(a) Gamma(b) / Gamma(a + b)). Support: a, b > 0. Source: Abramowitz and Stegun 6.2.2.
template <Operand A, Operand B>
requires(Node<A> || Node<B> || (Real<A> && Arithmetic<B>) || (Arithmetic<A> && Real<B>)) MANYCHAIN_HD
    auto lbeta(const A& first, const B& second) {
  using Number = typename detail::common_number<A, B>::type;
  const auto a = detail::operand<Number>(first);
  const auto b = detail::operand<Number>(second);
  return elementary(lbeta(a.value(), b.value()), partial(a, -digamma_difference(a.value(), b.value())),
                    partial(b, -digamma_difference(b.value(), a.value())));
}
/// Phi(x): the distribution function of the standard normal distribution. Support: all x. Source: Shepherd and
/// Laframboise 1981.
template <Node A>
MANYCHAIN_HD auto Phi(const A& a) {
  const auto x = as_node(a);
  return elementary(Phi(x.value()), partial(x, inv_sqrt_two_pi * exp(-0.5 * (x.value() * x.value()))));
}
/// log_Phi(x): log Phi(x), accurate in both tails. Support: all x. Source: Shepherd and Laframboise 1981.
template <Node A>
MANYCHAIN_HD auto log_Phi(const A& a) {
  const auto x = as_node(a);
  return elementary(log_Phi(x.value()), partial(x, log_Phi_slope(x.value())));
}
/// erf(x): the error function. Support: all x. Source: Abramowitz and Stegun 7.1.1.
template <Node A>
MANYCHAIN_HD auto erf(const A& a) {
  const auto x = as_node(a);
  return elementary(erf(x.value()), partial(x, two_over_sqrt_pi * exp(-(x.value() * x.value()))));
}
/// erfc(x): 1 - erf(x). Support: all x. Source: Abramowitz and Stegun 7.1.2.
template <Node A>
MANYCHAIN_HD auto erfc(const A& a) {
  const auto x = as_node(a);
  return elementary(erfc(x.value()), partial(x, -two_over_sqrt_pi * exp(-(x.value() * x.value()))));
}
/// log1m_exp(x): log(1 - exp(x)). Support: x <= 0, NaN elsewhere. Source: Maechler 2012, Accurately computing
/// log(1 - exp(-|a|)).
template <Node A>
MANYCHAIN_HD auto log1m_exp(const A& a) {
  const auto x = as_node(a);
  return elementary(log1m_exp(x.value()), partial(x, -1.0 / expm1(-x.value())));
}
/// log1m(x): log(1 - x). Support: x <= 1, NaN elsewhere. Source: Stan Functions Reference, Composed functions.
template <detail::DataOrNode A>
MANYCHAIN_HD auto log1m(const A& a) {
  const auto x = as_node(a);
  return elementary(log1p(-x.value()), partial(x, -1.0 / (1.0 - x.value())));
}
/// log_diff_exp(a, b): log(exp(a) - exp(b)), for example of the probability of an interval from two log CDFs.
/// Support: a >= b, NaN elsewhere. Source: Stan Functions Reference, Composed functions.
template <Operand A, Operand B>
requires(detail::DataOrNode<A> || detail::DataOrNode<B>) MANYCHAIN_HD
    auto log_diff_exp(const A& first, const B& second) {
  using Number = typename detail::common_number<A, B>::type;
  const auto a = detail::operand<Number>(first);
  const auto b = detail::operand<Number>(second);
  using V = detail::common_real<decltype(a.value()), decltype(b.value())>;
  // exp(b) = 0 takes nothing off, also where exp(a) = 0.
  const V gap = select(V(b.value()) == detail::log_of_zero<V>(), detail::log_of_zero<V>(), V(b.value() - a.value()));
  return elementary(a.value() + log1m_exp(gap), partial(a, -1.0 / expm1(gap)), partial(b, -1.0 / expm1(-gap)));
}
/// logit(p): log(p / (1 - p)). Support: 0 <= p <= 1, NaN elsewhere. Source: Stan Functions Reference, Link functions.
template <detail::DataOrNode A>
MANYCHAIN_HD auto logit(const A& a) {
  const auto p = as_node(a);
  return elementary(log(p.value()) - log1p(-p.value()), partial(p, 1.0 / (p.value() * (1.0 - p.value()))));
}
/// sin(x): the sine. Support: |x| <= 10^6 in single and 10^15 in double precision, NaN beyond. Source: Cody and Waite
/// 1980.
template <Node A>
MANYCHAIN_HD auto sin(const A& a) {
  const auto x = as_node(a);
  return elementary(sin(x.value()), partial(x, cos(x.value())));
}
/// cos(x): the cosine. Support: as that of sin(x). Source: Cody and Waite 1980.
template <Node A>
MANYCHAIN_HD auto cos(const A& a) {
  const auto x = as_node(a);
  return elementary(cos(x.value()), partial(x, -sin(x.value())));
}
/// log_bessel_i0(x): log I0(x), the modified Bessel function of the first kind. Support: all x. Source: Abramowitz and
/// Stegun 9.6.10 and 9.7.1.
template <Node A>
MANYCHAIN_HD auto log_bessel_i0(const A& a) {
  const auto x = as_node(a);
  using V = std::remove_cvref_t<decltype(x.value())>;
  const V size = abs(x.value()), slope = bessel_i_ratio(size);
  return elementary(log_bessel_i0(size), partial(x, select(x.value() < V(0), -slope, slope)));
}

namespace detail {
template <class T>
concept Exponent = Arithmetic<T> || Node<T> || Real<T> || PlainRows<T> || is_lane_integers<T>;
/// x^n for n >= 0 by squaring.
template <class V>
MANYCHAIN_HD V whole_power(V x, int n) {
  V result = V(1);
  for (; n > 0; n /= 2) {
    if (n % 2) result = result * x;
    x = x * x;
  }
  return result;
}
/// exp(y log x) for x >= 0; 1 where y is zero.
template <class V>
MANYCHAIN_HD V real_power(V log_x, V y) {
  return select(y == V(0), V(1), V(exp(y * log_x)));
}
/// The derivative of x^y by x, for x >= 0 and a y that is estimated. At x = 0 it is 0, not infinite, for y < 1: there x
/// mostly is a datum of zero, as a dose, by a parameter, and zero times infinity is no gradient.
template <class V>
MANYCHAIN_HD V power_slope(V x, V log_x, V y) {
  const V slope = y * real_power(log_x, V(y - V(1)));
  return select(x == V(0), V(select(y < V(1), V(0), slope)), slope);
}
/// Up to here an exponent that is a whole number of the program is multiplied out.
inline constexpr int largest_whole_power = 64;
}  // namespace detail

/// pow(x, y): x to the power of y. Support: x >= 0, NaN elsewhere; at x = 0 the slope by x is 0 where an estimated y is
/// below 1; all x where y is a literal that holds a whole number of at most 64 in size, which is multiplied out. Error:
/// (2 + |y log x|) eps relative to the value, 64 eps of those. Source: Stan Functions Reference, Elementary functions.
template <Operand A, Operand B>
requires((detail::DataOrNode<A> || detail::DataOrNode<B>)&&detail::Exponent<B>) MANYCHAIN_HD
    auto pow(const A& base, const B& exponent) {
  using Number = typename detail::common_number<A, B>::type;
  const auto x = detail::operand<Number>(base);
  const auto y = detail::operand<Number>(exponent);
  using V = detail::common_real<decltype(x.value()), decltype(y.value())>;
  const V v(x.value()), p(y.value()), log_x = log(v);
  if constexpr (Arithmetic<B>) {
    const double power = static_cast<double>(exponent);
    V value, slope;
    if (power == std::floor(power) && std::fabs(power) <= detail::largest_whole_power) {
      const int n = static_cast<int>(power);
      // A negative power takes the inverse. A slope of 0 x^-1 is 0.
      const int before = n > 0 ? n - 1 : 1 - n;
      value = detail::whole_power(v, n < 0 ? -n : n);
      slope = detail::whole_power(v, before);
      if (n < 0) value = 1.0 / value, slope = 1.0 / slope;
      slope = n == 0 ? V(0) : V(power * slope);
    } else {
      value = detail::real_power(log_x, p);
      slope = power * detail::real_power(log_x, V(p - 1.0));
    }
    return elementary(value, partial(x, slope));
  } else {
    const V value = detail::real_power(log_x, p);
    return elementary(value, partial(x, detail::power_slope(v, log_x, p)), partial(y, detail::times_log(value, log_x)));
  }
}

// Functions of vectors, element by element.
MANYCHAIN_VECTOR_FUNCTION(lgamma)
MANYCHAIN_VECTOR_FUNCTION(Phi)
MANYCHAIN_VECTOR_FUNCTION(log_Phi)
MANYCHAIN_VECTOR_FUNCTION(erf)
MANYCHAIN_VECTOR_FUNCTION(erfc)
MANYCHAIN_VECTOR_FUNCTION(log1m_exp)
MANYCHAIN_VECTOR_FUNCTION(log1m)
MANYCHAIN_VECTOR_FUNCTION(logit)
MANYCHAIN_VECTOR_FUNCTION(sin)
MANYCHAIN_VECTOR_FUNCTION(cos)
MANYCHAIN_VECTOR_FUNCTION(log_bessel_i0)

namespace detail {
struct Power {
  template <class A, class B>
  MANYCHAIN_HD auto operator()(const A& a, const B& b) const {
    return pow(a, b);
  }
};
}  // namespace detail
template <detail::VectorArgument A, detail::VectorArgument B>
requires(ModelVector<A> || ModelVector<B>) MANYCHAIN_HD auto pow(const A& a, const B& b) {
  return detail::elementwise("pow()", detail::Power{}, a, b);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
