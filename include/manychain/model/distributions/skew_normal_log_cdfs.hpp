// Log CDF of the skew normal distribution, and that of the complement. The contract is that of log_cdfs.hpp, at the
// cost of some 20 exponentials in single and 36 in double precision. Errors: of log P below 32 eps (1 + |log P|), of
// derivatives 32 eps times one and their size.
#pragma once

#include "manychain/core/incomplete_functions.hpp"
#include "manychain/model/distributions/shape_log_cdfs.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// P(Z <= -h) exp(h^2 (1 + a^2) / 2) of a standard skew normal variate Z of shape a, for a, h >= 0. It is the integral
/// of exp(-h^2 (t^2 - a^2) / 2) / (1 + t^2) / pi from a on: Owen 1956, Tables for computing bivariate normal
/// probabilities, has it from 0 to a, less which it is half of P(|X| > h). Where little of it lies beyond a the
/// integral is taken as it is, else from what is less than it, in which for a > 1 the roles of h and a h change
/// (there 2.3).
template <Real R>
MANYCHAIN_HD R scaled_light_tail(R h, R a) {
  const R k = a * h, exponent = R(0.5) * fma(h, h, k * k), reach = R(2 * integrand_depth<R>) / (h * h);
  const auto direct = exponent >= R(1), steep = a > R(1);
  const R first = select(direct, a, R(0)), at = select(direct || !steep, h, k), half_square = R(0.5) * at * at;
  const R length = select(direct, reach / (a + sqrt(fma(a, a, reach))), select(steep, R(1) / a, a));
  R sum = R(0);
  integrate_unit_interval<R>([&](R node, R weight) {
    const R u = length * node, t = first + u;
    sum = fma(weight, exp(-(half_square * u) * (t + first)) / fma(t, t, R(1)), sum);
  });
  sum = sum * length * R(1 / pi);
  const R within = sum * exp(-half_square);
  const R rest = select(steep, within - Phi(-k) * erf(R(sqrt_half) * h), Phi(-h) - within);
  return select(direct, sum, rest * exp(min(exponent, R(1))));
}

/// log P(Z <= z) of a standard skew normal variate of that shape, or log P(Z > z) if Upper. Slopes: towards z and the
/// shape.
template <bool Upper, Real R>
MANYCHAIN_HD LogProbability<R, 2> skew_normal_tail(R z, R shape) {
  constexpr double most_skew = is_single<R> ? 1e6 : 1e60, farthest = is_single<R> ? 1e8 : 1e100;
  // -Z has minus the shape of Z: the light tail is made the lower one.
  const auto mirrored = shape < R(0);
  const R sign = select(mirrored, R(-1), R(1)), w = sign * z, a = min(abs(shape), R(most_skew));
  const R h = min(abs(z), R(farthest)), k = a * h;
  const R light = scaled_light_tail(h, a), fade_h = exp(R(-0.5) * h * h), fade_k = exp(R(-0.5) * k * k);
  const R scaled_h = R(0.5) * scaled_erfc(R(sqrt_half) * h), scaled_k = R(0.5) * scaled_erfc(R(sqrt_half) * k);
  const R density = R(2 * inv_sqrt_two_pi), skew = R(1 / pi) / fma(a, a, R(1));  // -dF / da over both fades

  // Below zero: the light tail, never more than a half.
  const R below = light * fade_h * fade_k, not_below = R(1) - below;
  const R log_below = log(light) - R(0.5) * (z * z) * fma(a, a, R(1));
  // Above: P(|X| > h) less that of a normal variate X, and what is not beyond.
  const R of_normal = R(2) - fade_k * light / scaled_h, beyond = scaled_h * fade_h * of_normal;
  const R not_beyond = erf(R(sqrt_half) * h) + below;

  const auto negative = w <= R(0), lower = Upper ? mirrored : !mirrored;
  const auto small = beyond < R(0.5);
  const R log_beyond = select(small, log_Phi(-h) + log(of_normal), log1p(-not_beyond));
  const R log_not_beyond = select(small, log1p(-beyond), log(not_beyond));
  LogProbability<R, 2> tail;
  tail.value = select(negative, select(lower, log_below, log1p(-below)), select(lower, log_not_beyond, log_beyond));
  // Each slope is the density, or its counterpart, over the probability, without the fades that cancel.
  const R by_below = density * scaled_k, by_beyond = density * Phi(k);
  const R fades = fade_h * fade_k;
  const R change = select(negative, select(lower, by_below / light, by_below * fades / not_below),
                          by_beyond * select(lower, fade_h / not_beyond, R(1) / (scaled_h * of_normal)));
  const R skewed = skew * select(negative, select(lower, R(1) / light, fades / not_below),
                                 select(lower, fades / not_beyond, fade_k / (scaled_h * of_normal)));
  tail.slope[0] = select(lower, sign, -sign) * change;
  tail.slope[1] = select(lower, -sign, sign) * skewed;
  return tail;
}
template <bool Upper, class X, class L, class S, class A>
MANYCHAIN_HD auto skew_normal_log_cdf(const X& variate, const L& location, const S& scale, const A& shape) {
  return vectorised(
      [](const auto& x, const auto& xi, const auto& omega, const auto& alpha) {
        const auto inverse = 1.0 / omega.value();
        const auto z = (x.value() - xi.value()) * inverse;
        const auto tail =
            log_probability<2>([]<class R>(R at, R a) { return skew_normal_tail<Upper>(at, a); }, z, alpha.value());
        using V = std::remove_cvref_t<decltype(tail.value)>;
        const V change = tail.slope[0] * inverse;
        const V value = nan_if(V(omega.value()) < V(0), tail.value);
        return elementary(value, partial(x, change), partial(xi, -change), partial(omega, -(change * z)),
                          partial(alpha, tail.slope[1]));
      },
      variate, location, scale, shape);
}

}  // namespace detail

/// skew_normal_lcdf(x, xi, omega, alpha): log P(X <= x) of skew_normal. Support: all x. Source: Stan Functions
/// Reference, Skew normal distribution; Owen 1956, Tables for computing bivariate normal probabilities.
template <class X, class L, class S, class A>
MANYCHAIN_HD auto skew_normal_lcdf(const X& variate, const L& location, const S& scale, const A& shape) {
  detail::needs_positive("skew_normal_lcdf", "omega", scale);
  return detail::skew_normal_log_cdf<false>(variate, location, scale, shape);
}
/// skew_normal_lccdf(x, xi, omega, alpha): log P(X > x) of skew_normal. Support: all x. Source: Stan Functions
/// Reference, Skew normal distribution; Owen 1956, Tables for computing bivariate normal probabilities.
template <class X, class L, class S, class A>
MANYCHAIN_HD auto skew_normal_lccdf(const X& variate, const L& location, const S& scale, const A& shape) {
  detail::needs_positive("skew_normal_lccdf", "omega", scale);
  return detail::skew_normal_log_cdf<true>(variate, location, scale, shape);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
