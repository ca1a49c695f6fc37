// Special functions on any Real, without a branch: the normal distribution function and its logarithm in both tails,
// the error function, sine and cosine, differences of log gamma functions, the modified Bessel function I0.
//
// Coefficients: Chebyshev interpolation at 40 digits, turned into powers. tests/unit/core/special_functions_test.cpp
// holds each function to the bound on its error that stands here; eps is that of the number type, 2^-23 or 2^-52.
#pragma once

#include "manychain/core/row_block.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

inline constexpr double sqrt_half = 0.70710678118654752440;
inline constexpr double inv_sqrt_two_pi = 0.39894228040143267794;
inline constexpr double two_over_sqrt_pi = 1.12837916709551257390;

namespace detail {

template <class R>
inline constexpr bool is_single = sizeof(number_of<R>) == 4;

/// c0 + x (c1 + x (c2 + ...)).
template <Real R>
MANYCHAIN_HD R polynomial(R, double c) {
  return R(c);
}
template <Real R, class... Cs>
MANYCHAIN_HD R polynomial(R x, double c, Cs... rest) {
  return fma(x, polynomial(x, rest...), R(c));
}

/// exp(x^2) erfc(x) for x >= 0: a polynomial in (x - 3) / (x + 3) over 1 + 2 x (Shepherd and Laframboise 1981, another
/// centre). Relative error below 4 eps.
template <Real R>
MANYCHAIN_HD R scaled_erfc(R x) {
  const R u = fma(R(-6), R(1) / (x + R(3)), R(1));
  R p;
  if constexpr (is_single<R>)
    p = polynomial(u, 1.253008056, -1.356211001e-1, -4.756215615e-2, 1.296447209e-1, -1.192752814e-1, 6.831319672e-2,
                   -2.37635597e-2, 2.506778672e-3, 1.875060246e-3, -7.340820504e-4, -9.253769126e-5, 8.007454975e-5);
  else
    p = polynomial(u, 1.25300805826972954, -1.35621106124581193e-1, -4.75622943534189722e-2, 1.29645158702762625e-1,
                   -1.19273663416815948e-1, 6.83080273439214412e-2, -2.37705148906622709e-2, 2.52939181679966303e-3,
                   1.88869009083329058e-3, -7.79832277274254708e-4, -1.05158280854672537e-4, 1.25099374359158215e-4,
                   4.94403121488292762e-6, -2.01006276644061065e-5, -7.18614939630362216e-7, 3.47252028006551874e-6,
                   3.36490339652982549e-7, -6.16770949355096349e-7, -1.20387139236165253e-7, 1.01957173757908939e-7,
                   2.77790615997086329e-8, -1.3361953304404018e-8, -3.16959203955352196e-9, 9.9488209475371958e-10);
  return p / fma(R(2), x, R(1));
}

/// exp(-x^2 / 2), what x^2 is rounded by included: relative error below 2 eps. At |x| = 40 it is zero.
template <Real R>
MANYCHAIN_HD R exp_minus_half_square(R x) {
  const R z = min(abs(x), R(40)), square = z * z, rest = fma(z, z, -square);
  return exp(R(-0.5) * square) * fma(R(-0.5), rest, R(1));
}

}  // namespace detail

/// The standard normal distribution function. Relative error below 8 eps while it is a normal number, in the lower
/// tail, too.
template <Real R>
MANYCHAIN_HD R Phi(R x) {
  const R tail = R(0.5) * detail::scaled_erfc(R(sqrt_half) * abs(x)) * detail::exp_minus_half_square(x);
  return select(x < R(0), tail, R(1) - tail);
}
/// log Phi(x), also where Phi(x) is zero or one. Relative error below 8 eps.
template <Real R>
MANYCHAIN_HD R log_Phi(R x) {
  const R half = R(0.5) * detail::scaled_erfc(R(sqrt_half) * abs(x));
  return select(x < R(0), fma(R(-0.5) * x, x, log(half)), log1p(-half * detail::exp_minus_half_square(x)));
}
/// The derivative of log Phi, the inverse of Mills' ratio at -x. Relative error below 8 eps.
template <Real R>
MANYCHAIN_HD R log_Phi_slope(R x) {
  const R half = R(0.5) * detail::scaled_erfc(R(sqrt_half) * abs(x)), e = detail::exp_minus_half_square(x);
  return R(inv_sqrt_two_pi) * select(x < R(0), R(1) / half, e / (R(1) - half * e));
}

/// 2 / sqrt(pi) times the integral of exp(-t^2) from x on. Relative error below 8 eps while it is a normal number.
template <Real R>
MANYCHAIN_HD R erfc(R x) {
  const R z = min(abs(x), R(30)), square = z * z, rest = fma(z, z, -square);
  const R tail = detail::scaled_erfc(z) * (exp(-square) * (R(1) - rest));
  return select(x < R(0), R(2) - tail, tail);
}
/// 1 - erfc(x). Relative error below 4 eps.
template <Real R>
MANYCHAIN_HD R erf(R x) {
  const R y = min(x * x, R(1));
  R p;
  if constexpr (detail::is_single<R>)
    p = detail::polynomial(y, 1.128379166, -3.761262667e-1, 1.128359472e-1, -2.685421201e-2, 5.189087423e-3,
                           -8.016864287e-4, 7.875875063e-5);
  else
    p = detail::polynomial(y, 1.12837916709551257, -3.76126389031837524e-1, 1.12837916709551202e-1,
                           -2.68661706451298408e-2, 5.22397762542329831e-3, -8.5483270219348296e-4,
                           1.20553329028887354e-4, -1.49256475675193321e-5, 1.64620454414684189e-6,
                           -1.63646421581676153e-7, 1.4792401209404813e-8, -1.21645600572834501e-9,
                           8.70904512905310669e-11, -4.23094582429533782e-12);
  return select(abs(x) < R(1), x * p, R(1) - erfc(x));
}

/// log(1 - exp(x)) for x <= 0 (Maechler 2012). Relative error below 4 eps.
template <Real R>
MANYCHAIN_HD R log1m_exp(R x) {
  return select(x > R(-log_two), log(-expm1(x)), log1p(-exp(x)));
}

/// Sine and cosine. Absolute error below 2 eps for |x| up to 10^5 in single and 10^9 in double precision; NaN beyond
/// 10^6 and 10^15, where an angle has no digits left.
template <Real R>
MANYCHAIN_HD void sincos(R x, R& sine, R& cosine) {
  constexpr bool single = detail::is_single<R>;
  const R k = floor(fma(x, R(2 / pi), R(0.5)));
  // pi / 2 in three parts; the first difference is exact.
  R r = fma(-k, R(single ? 1.57079637050628662 : 1.5707963267948966), x);
  r = fma(-k, R(single ? -4.37113900018624283e-8 : 6.123233995736766e-17), r);
  r = fma(-k, R(single ? -1.71512451000588187e-15 : -1.4973849048591833e-33), r);
  r = select(abs(x) <= R(single ? 1e6 : 1e15), r, R(std::numeric_limits<number_of<R>>::quiet_NaN()));
  detail::sincos_of_quadrant(r, fma(R(-4), floor(R(0.25) * k), k), sine, cosine);
}
template <Real R>
MANYCHAIN_HD R sin(R x) {
  R sine, cosine;
  sincos(x, sine, cosine);
  return sine;
}
template <Real R>
MANYCHAIN_HD R cos(R x) {
  R sine, cosine;
  sincos(x, sine, cosine);
  return cosine;
}

namespace detail {

/// Stirling's series: log Gamma(z) less (z - 1/2) log z - z + log(2 pi) / 2, for z >= asymptotic<R>.
template <Real R>
MANYCHAIN_HD R stirling_series(R z) {
  const R r = R(1) / z, r2 = r * r;
  if constexpr (is_single<R>)
    return r * polynomial(r2, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188);
  else
    return r * polynomial(r2, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156,
                          -3617.0 / 122400);
}

/// a and b = a + d, each shifted up by the recurrence to where Stirling's series holds; d as it is then; `step` sees
/// what each step adds.
template <Real R, class Step>
MANYCHAIN_HD void shift_both(R& a, R& b, R& d, Step step) {
  constexpr int enough = asymptotic<R>;
  b = a + d;
  MANYCHAIN_UNROLL
  for (int k = 0; k < enough; ++k) {
    const auto small_a = a < R(enough), small_b = b < R(enough);
    step(small_a, a, small_b, b);
    const R up_a = select(small_a, R(1), R(0)), up_b = select(small_b, R(1), R(0));
    a += up_a;
    b += up_b;
    d += up_b - up_a;
  }
}

}  // namespace detail

/// log Gamma(a + d) - log Gamma(a) for a > 0 and a + d > 0: no cancellation where a is far larger than d, so that it
/// approaches d log a. Error below 8 eps (1 + |d log(a + d)| + |log a|).
template <Real R>
requires(!SeveralRows<R>) MANYCHAIN_HD R lgamma_difference(R a, R d) {
  R b, product_a = R(1), product_b = R(1);
  detail::shift_both(a, b, d, [&](auto small_a, R x, auto small_b, R y) {
    product_a = select(small_a, product_a * x, product_a);
    product_b = select(small_b, product_b * y, product_b);
  });
  return fma(d, log(b), fma(a - R(0.5), log1p(d / a), -d)) + (detail::stirling_series(b) - detail::stirling_series(a)) +
         (log(product_a) - log(product_b));
}

/// digamma(a + d) - digamma(a), its derivative towards a, likewise. Error below 8 eps times its size
/// and 1 / a + 1 / (a + d) for a < 8, its size and 1 / a^2 above.
template <Real R>
requires(!SeveralRows<R>) MANYCHAIN_HD R digamma_difference(R a, R d) {
  R b, shift = R(0);
  detail::shift_both(a, b, d, [&](auto small_a, R x, auto small_b, R y) {
    shift += select(small_a, R(1) / x, R(0)) - select(small_b, R(1) / y, R(0));
  });
  const auto series = [](R r) {
    const R r2 = r * r;
    if constexpr (detail::is_single<R>)
      return r2 * detail::polynomial(r2, -1.0 / 12, 1.0 / 120, -1.0 / 252, 1.0 / 240, -1.0 / 132, 691.0 / 32760);
    else
      return r2 * detail::polynomial(r2, -1.0 / 12, 1.0 / 120, -1.0 / 252, 1.0 / 240, -1.0 / 132, 691.0 / 32760,
                                     -1.0 / 12, 3617.0 / 8160);
  };
  const R inverse_a = R(1) / a, inverse_b = R(1) / b;
  return fma(R(0.5) * d * inverse_a, inverse_b, log1p(d * inverse_a)) + (series(inverse_b) - series(inverse_a)) + shift;
}

/// log(Gamma(a) Gamma(b) / Gamma(a + b)) for a, b > 0. Error below 8 eps times the sizes of its terms, which do not
/// grow where one of the two is large.
template <Real R>
requires(!SeveralRows<R>) MANYCHAIN_HD R lbeta(R a, R b) {
  const R small = min(a, b), large = max(a, b);
  return lgamma_positive(small) - lgamma_difference(large, small);
}

/// log I0(x), the same less x, and I1(x) / I0(x) for x >= 0: the modified Bessel functions of the first kind. Power
/// series (Abramowitz and Stegun 9.6.10) up to 4 or 10; above, sqrt(x) exp(-x) I0(x) as a polynomial in 1 / x. Errors
/// below 16 eps.
template <Real R>
MANYCHAIN_HD void bessel_i0(R x, R& log_value, R& log_scaled, R& ratio) {
  constexpr bool single = detail::is_single<R>;
  constexpr double switch_at = single ? 4 : 10;
  constexpr int terms = single ? 11 : 26;
  const R near = min(x, R(switch_at)), y = R(0.25) * near * near;
  R rest = R(1), i1 = R(1);  // (I0 - 1) / y and 2 I1 / x
  MANYCHAIN_UNROLL
  for (int k = terms; k > 1; --k) {
    rest = fma(y * rest, R(1.0 / (k * k)), R(1));
    i1 = fma(y * i1, R(1.0 / (k * (k - 1))), R(1));
  }
  const R excess = y * rest;

  const R inverse = R(1) / max(x, R(switch_at)), u = fma(R(2 * switch_at), inverse, R(-1));
  R p, slope;
  if constexpr (single) {
    p = detail::polynomial(u, 4.056863424e-1, 7.349199647e-3, 7.35359117e-4, 1.882929064e-4, 7.789575237e-5,
                           -1.383609864e-7, -3.270615003e-5, -6.587468188e-6, 6.176907676e-6);
    slope = detail::polynomial(u, 7.349199647e-3, 2 * 7.35359117e-4, 3 * 1.882929064e-4, 4 * 7.789575237e-5,
                               5 * -1.383609864e-7, 6 * -3.270615003e-5, 7 * -6.587468188e-6, 8 * 6.176907676e-6);
  } else {
    p = detail::polynomial(u, 4.01509760831206508e-1, 2.645885967186204e-3, 8.31132726372162387e-5,
                           5.1520339512725224e-6, 5.04125745822027323e-7, 7.07840027772527256e-8,
                           1.36352909312049169e-8, 3.55947185862525628e-9, 1.27948548344865041e-9,
                           6.33571005603059347e-10, 3.74433671067432525e-10, 1.51568169321564464e-10,
                           -1.10274806379088768e-10, -2.4247917231732243e-10, -9.71652866230730816e-11,
                           1.01811386413370896e-10, 8.34436752786741621e-11, -2.42259068728937599e-11,
                           -3.05596061048695526e-11, 2.767339685555002e-12, 4.81400583000033313e-12);
    slope = detail::polynomial(
        u, 2.645885967186204e-3, 2 * 8.31132726372162387e-5, 3 * 5.1520339512725224e-6, 4 * 5.04125745822027323e-7,
        5 * 7.07840027772527256e-8, 6 * 1.36352909312049169e-8, 7 * 3.55947185862525628e-9, 8 * 1.27948548344865041e-9,
        9 * 6.33571005603059347e-10, 10 * 3.74433671067432525e-10, 11 * 1.51568169321564464e-10,
        12 * -1.10274806379088768e-10, 13 * -2.4247917231732243e-10, 14 * -9.71652866230730816e-11,
        15 * 1.01811386413370896e-10, 16 * 8.34436752786741621e-11, 17 * -2.42259068728937599e-11,
        18 * -3.05596061048695526e-11, 19 * 2.767339685555002e-12, 20 * 4.81400583000033313e-12);
  }
  const auto small = x <= R(switch_at);
  const R log_near = log1p(excess), log_far = log(p) + R(0.5) * log(inverse);
  log_value = select(small, log_near, log_far + x);
  log_scaled = select(small, log_near - x, log_far);
  ratio = select(small, R(0.5) * near * i1 / (R(1) + excess),
                 R(1) - inverse * fma(R(2 * switch_at) * inverse, slope / p, R(0.5)));
}
/// log I0(x) for x >= 0.
template <Real R>
MANYCHAIN_HD R log_bessel_i0(R x) {
  R log_value, log_scaled, ratio;
  bessel_i0(x, log_value, log_scaled, ratio);
  return log_value;
}
/// log I0(x) - x, which is small where x is large.
template <Real R>
MANYCHAIN_HD R log_scaled_bessel_i0(R x) {
  R log_value, log_scaled, ratio;
  bessel_i0(x, log_value, log_scaled, ratio);
  return log_scaled;
}
/// I1(x) / I0(x), the derivative of log I0(x).
template <Real R>
MANYCHAIN_HD R bessel_i_ratio(R x) {
  R log_value, log_scaled, ratio;
  bessel_i0(x, log_value, log_scaled, ratio);
  return ratio;
}

#define MANYCHAIN_TERMS_FUNCTION(name)                          \
  template <class R, int K>                                     \
  MANYCHAIN_HD auto name(const RowBlock<R, K>& a) {             \
    return detail::each_row([](auto x) { return name(x); }, a); \
  }
MANYCHAIN_TERMS_FUNCTION(Phi)
MANYCHAIN_TERMS_FUNCTION(log_Phi)
MANYCHAIN_TERMS_FUNCTION(log_Phi_slope)
MANYCHAIN_TERMS_FUNCTION(erfc)
MANYCHAIN_TERMS_FUNCTION(erf)
MANYCHAIN_TERMS_FUNCTION(log1m_exp)
MANYCHAIN_TERMS_FUNCTION(sin)
MANYCHAIN_TERMS_FUNCTION(cos)
MANYCHAIN_TERMS_FUNCTION(log_bessel_i0)
MANYCHAIN_TERMS_FUNCTION(log_scaled_bessel_i0)
MANYCHAIN_TERMS_FUNCTION(bessel_i_ratio)
#undef MANYCHAIN_TERMS_FUNCTION

// Functions of two arguments, of which either may be data or stand for all rows.
#define MANYCHAIN_PAIR_FUNCTION(name)                                                                \
  template <Real A, Real B>                                                                          \
  requires(!std::is_same_v<A, B> || SeveralRows<A>) MANYCHAIN_HD auto name(const A& a, const B& b) { \
    if constexpr (SeveralRows<A> || SeveralRows<B>)                                                  \
      return detail::each_row([](auto x, auto y) { return name(x, y); }, a, b);                      \
    else                                                                                             \
      return detail::widened([](auto x, auto y) { return name(x, y); }, a, b);                       \
  }
namespace detail {
template <class F, class A, class B>
MANYCHAIN_HD auto widened(F f, const A& a, const B& b) {
  using V = std::remove_cvref_t<decltype(a + b)>;
  return f(V(a), V(b));
}
}  // namespace detail
MANYCHAIN_PAIR_FUNCTION(lgamma_difference)
MANYCHAIN_PAIR_FUNCTION(digamma_difference)
MANYCHAIN_PAIR_FUNCTION(lbeta)
#undef MANYCHAIN_PAIR_FUNCTION

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
