// Functions on any Real that neither the C++ library nor xsimd has in the form that chains need: no branch, no table.
#pragma once

#include <limits>

#include "manychain/core/real.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

inline constexpr double pi = 3.14159265358979323846;
inline constexpr double log_pi = 1.14472988584940017414;
inline constexpr double log_two = 0.69314718055994530942;
inline constexpr double half_log_two_pi = 0.91893853320467274178;

template <Real R>
MANYCHAIN_HD R square(R x) {
  return x * x;
}

/// a / (1 + e) for e in [0, 1] or NaN. On a GPU the single-precision division costs some ten instructions for
/// denominators that cannot come: here the approximate reciprocal and a Newton step, good to 2 units in the last place.
template <class A, class E>
MANYCHAIN_HD auto over_one_plus(const A& a, const E& e) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<E, Scalar<float>>) {
    const float d = 1.0f + e.v;
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(d));
    r = __fmaf_rn(r, __fmaf_rn(-d, r, 1.0f), r);
    return a * E(r);
  } else
#endif
    return a / (1.0 + e);
}

/// 1 / (1 + exp(-x)), without overflow.
template <Real R>
MANYCHAIN_HD R inv_logit(R x) {
  const R e = exp(-abs(x));
  return over_one_plus(select(x < R(0), e, R(1)), e);
}

/// p = inv_logit(x) and complement = inv_logit(-x), the same bits, from one exponential.
template <Real R>
struct InvLogitPair {
  R p, complement;
};
template <Real R>
MANYCHAIN_HD InvLogitPair<R> inv_logit_pair(R x) {
  const R e = exp(-abs(x));
  const R small = over_one_plus(e, e), large = over_one_plus(R(1), e);
  const auto below = x < R(0);
  return {select(below, small, large), select(below, large, small)};
}

/// log(1 + exp(x)), without overflow.
template <Real R>
MANYCHAIN_HD R log1p_exp(R x) {
  return max(x, R(0)) + log1p(exp(-abs(x)));
}

namespace detail {
/// sin and cos of x + quadrant pi / 2 for |x| <= pi / 4 and a quadrant of 0 .. 4. The Taylor series are below half a
/// unit in the last place there.
template <Real R>
MANYCHAIN_HD void sincos_of_quadrant(R x, R quadrant, R& sine, R& cosine) {
  constexpr bool single = sizeof(number_of<R>) == 4;
  const R y = x * x;
  R s, c;
  if constexpr (single) {
    s = fma(y, R(2.7557319e-6), R(-1.9841270e-4));
    s = fma(y, s, R(8.3333333e-3));
    s = fma(y, s, R(-1.6666667e-1));
    c = fma(y, R(2.4801587e-5), R(-1.3888889e-3));
    c = fma(y, c, R(4.1666667e-2));
    c = fma(y, c, R(-0.5));
  } else {
    s = fma(y, R(2.8114572543455206e-15), R(-7.6471637318198164e-13));
    s = fma(y, s, R(1.6059043836821613e-10));
    s = fma(y, s, R(-2.5052108385441720e-8));
    s = fma(y, s, R(2.7557319223985893e-6));
    s = fma(y, s, R(-1.9841269841269841e-4));
    s = fma(y, s, R(8.3333333333333333e-3));
    s = fma(y, s, R(-1.6666666666666667e-1));
    c = fma(y, R(-1.5619206968586226e-16), R(4.7794773323873853e-14));
    c = fma(y, c, R(-1.1470745597729725e-11));
    c = fma(y, c, R(2.0876756987868099e-9));
    c = fma(y, c, R(-2.7557319223985891e-7));
    c = fma(y, c, R(2.4801587301587302e-5));
    c = fma(y, c, R(-1.3888888888888889e-3));
    c = fma(y, c, R(4.1666666666666667e-2));
    c = fma(y, c, R(-0.5));
  }
  s = fma(x * y, s, x);
  c = fma(y, c, R(1));
  const auto odd = (quadrant == R(1)) || (quadrant == R(3));
  const auto sine_negative = (quadrant == R(2)) || (quadrant == R(3));
  const auto cosine_negative = (quadrant == R(1)) || (quadrant == R(2));
  sine = select(odd, c, s);
  cosine = select(odd, s, c);
  sine = select(sine_negative, -sine, sine);
  cosine = select(cosine_negative, -cosine, cosine);
}
}  // namespace detail

/// sin(2 pi u) and cos(2 pi u) for u in [0, 1]. The reduction to [-pi/4, pi/4] is exact.
template <Real R>
MANYCHAIN_HD void sincos_two_pi(R u, R& sine, R& cosine) {
  const R quadrant = floor(fma(R(4), u, R(0.5)));  // 0 .. 4
  const R x = fma(R(-0.25), quadrant, u) * R(2 * pi);
  detail::sincos_of_quadrant(x, quadrant, sine, cosine);
}

namespace detail {
/// Above this the asymptotic series are good to the precision of R. No higher than needed in single precision: every
/// step costs, and what the recurrence adds is taken off again, rounding errors and all.
template <Real R>
inline constexpr int asymptotic = sizeof(number_of<R>) == 4 ? 4 : 8;
}  // namespace detail

/// log Gamma(x) for x > 0: shifted up by the recurrence, then Stirling's series (Abramowitz and Stegun 6.1.41). NaN
/// below zero, also where Gamma is positive: no density has a parameter there.
template <Real R>
MANYCHAIN_HD R lgamma_positive(R x) {
  constexpr int enough = detail::asymptotic<R>;
  R product = select(x < R(0), R(std::numeric_limits<number_of<R>>::quiet_NaN()), R(1)), z = x;
  MANYCHAIN_UNROLL
  for (int k = 0; k < enough; ++k) {
    const auto small = z < R(enough);
    product = select(small, product * z, product);
    z = select(small, z + R(1), z);
  }
  const R r = R(1) / z, r2 = r * r;
  R series = R(-691.0 / 360360);
  if constexpr (sizeof(number_of<R>) == 8) {
    series = fma(r2, R(-3617.0 / 122400), R(1.0 / 156));
    series = fma(r2, series, R(-691.0 / 360360));
  }
  series = fma(r2, series, R(1.0 / 1188));
  series = fma(r2, series, R(-1.0 / 1680));
  series = fma(r2, series, R(1.0 / 1260));
  series = fma(r2, series, R(-1.0 / 360));
  series = fma(r2, series, R(1.0 / 12));
  return fma(z - R(0.5), log(z), -z) + (R(half_log_two_pi) + r * series) - log(product);
}

/// Its derivative, for x > 0 (Abramowitz and Stegun 6.3.18).
template <Real R>
MANYCHAIN_HD R digamma_positive(R x) {
  constexpr int enough = detail::asymptotic<R>;
  R shift = R(0), z = x;
  MANYCHAIN_UNROLL
  for (int k = 0; k < enough; ++k) {
    const auto small = z < R(enough);
    shift = select(small, shift + R(1) / z, shift);
    z = select(small, z + R(1), z);
  }
  const R r = R(1) / z, r2 = r * r;
  R series = R(691.0 / 32760);
  if constexpr (sizeof(number_of<R>) == 8) {
    series = fma(r2, R(3617.0 / 8160), R(-1.0 / 12));
    series = fma(r2, series, R(691.0 / 32760));
  }
  series = fma(r2, series, R(-1.0 / 132));
  series = fma(r2, series, R(1.0 / 240));
  series = fma(r2, series, R(-1.0 / 252));
  series = fma(r2, series, R(1.0 / 120));
  series = fma(r2, series, R(-1.0 / 12));
  return log(z) - R(0.5) * r + r2 * series - shift;
}

/// A sum with its rounding error beside it (Knuth's two-sum), so that an energy difference can be trusted in single
/// precision when the log density itself is of the order of 1e8. A log density is such a pair while its terms are added
/// and when a proposal is accepted, and it is saved with the state.
template <Real R>
struct Compensated {
  R sum = R(0), error = R(0);

  MANYCHAIN_HD void add(R x) {
    const R s = sum + x;
    const R b = s - sum;
    error += (sum - (s - b)) + (x - b);
    sum = s;
  }
  MANYCHAIN_HD void add(const Compensated& other) {
    add(other.sum);
    error += other.error;
  }
  /// Adds x, a term of a long sum of positive numbers: what the last addition lost goes into this one, so that the
  /// error stays below a unit in the last place of the sum however many terms there are (Kahan 1965).
  MANYCHAIN_HD void add_of_many(R x) {
    const R y = x + error, s = sum + y;
    error = y - (s - sum);
    sum = s;
  }
  /// Moves what it can of the error into the sum. A long loop does so now and then: the error is itself a plain sum,
  /// and loses small terms once it has grown.
  MANYCHAIN_HD void renormalise() {
    const R s = sum + error;
    const auto finite = isfinite(s);
    error = select(finite, error - (s - sum), R(0));
    sum = select(finite, s, sum);
  }
  /// Rounded once. Not finite if the sum is not: the error is then NaN and is dropped.
  MANYCHAIN_HD R value() const { return select(isfinite(sum), sum + error, sum); }
  /// this - other, where the two are close.
  MANYCHAIN_HD R minus(const Compensated& other) const { return (sum - other.sum) + (error - other.error); }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
