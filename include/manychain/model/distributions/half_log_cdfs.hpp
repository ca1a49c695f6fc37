// Log CDFs, and those of complements, of the Cauchy distribution and of the half distributions without a shape. The
// contract is that of log_cdfs.hpp.
#pragma once

#include "manychain/model/distributions/log_cdfs.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// A log probability and its derivative towards z.
template <class V>
struct StandardisedTail {
  V value, slope;
};

/// The quadrant in two parts at z >= 0, each to its last digits: atan(z), and what is left of pi / 2. `scale` / (1 +
/// z^2) is the derivative of both over `by`, so that neither end overflows.
template <class V>
struct Angles {
  V below, above;
  V density;  // 1 / (1 + z^2), over `scale`
  V scale;
};
template <class V>
MANYCHAIN_HD Angles<V> angles(V z) {
  const auto far = z > V(1);
  const V ratio = select(far, 1.0 / z, z), small = atan(ratio), large = 0.5 * pi - small;
  const V scale = select(far, ratio, V(1));
  return {select(far, large, small), select(far, small, large), scale / (1.0 + ratio * ratio), scale};
}

/// The tail of the standard Cauchy distribution at z; with Upper that at -z, by symmetry.
template <class V>
MANYCHAIN_HD StandardisedTail<V> cauchy_tail(V z) {
  const auto lower = z < V(0);
  const Angles<V> at = angles(V(abs(z)));
  const V tail = at.above * (1.0 / pi);  // P(Z > |z|) <= 1 / 2
  const V ratio = select(lower, V(at.scale / at.above), V(at.scale / (pi - at.above)));
  return {select(lower, V(log(tail)), V(log1p(-tail))), at.density * ratio};
}
/// P(|Z| <= z) or, if Upper, P(|Z| > z) for z >= 0.
template <bool Upper, class V>
MANYCHAIN_HD StandardisedTail<V> half_cauchy_tail(V z) {
  const Angles<V> at = angles(z);
  const V part = Upper ? at.above : at.below, rest = Upper ? at.below : at.above;
  const V change = at.density * (at.scale / part);
  return {select(part < rest, V(log(part * (2.0 / pi))), V(log1p(-(rest * (2.0 / pi))))), Upper ? V(-change) : change};
}
template <bool Upper, class V>
MANYCHAIN_HD StandardisedTail<V> half_normal_tail(V z) {
  const auto near = z < V(1);
  const V inside = erf(V(sqrt_half * z));
  if constexpr (Upper)
    return {select(near, V(log1p(-inside)), V(log_two + log_Phi(V(-z)))), -log_Phi_slope(V(-z))};
  else
    return {select(near, V(log(inside)), V(log1p(-erfc(V(sqrt_half * z))))),
            V(2.0 * inv_sqrt_two_pi * exp(-0.5 * (z * z)) / inside)};
}

/// The log probability of a variate at or above zero: tail(x / sigma) for x > 0, below nothing.
template <bool Upper, class Tail, class X, class S>
MANYCHAIN_HD auto of_half(Tail tail_at, const X& variate, const S& scale) {
  return vectorised(
      [tail_at](const auto& x, const auto& sigma) MANYCHAIN_LAMBDA {
        const auto inverse = 1.0 / sigma.value();
        const auto z = x.value() * inverse;
        using V = std::remove_cvref_t<decltype(z * 1.0)>;
        const auto outside = V(x.value()) <= V(0);
        const auto tail = tail_at(select(outside, V(1), V(z)));
        const V change = tail.slope * inverse;
        const V value = nan_if(V(sigma.value()) < V(0), V(tail.value));
        return inside_or(!outside, value, Upper ? 0.0 : minus_infinity, partial(x, change),
                         partial(sigma, -(V(z) * change)));
      },
      variate, scale);
}

}  // namespace detail

/// cauchy_lcdf(x, mu, sigma): log P(X <= x) of cauchy. Support: all x. Source: Stan Functions Reference, Cauchy
/// distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto cauchy_lcdf(const X& variate, const M& location, const S& scale) {
  detail::needs_positive("cauchy_lcdf", "sigma", scale);
  return detail::of_standardised(
      [](const auto& z, auto& value, auto& slope) MANYCHAIN_LAMBDA {
        const auto tail = detail::cauchy_tail(z);
        value = tail.value;
        slope = tail.slope;
      },
      variate, location, scale);
}
/// cauchy_lccdf(x, mu, sigma): log P(X > x) of cauchy. Support: all x. Source: Stan Functions Reference, Cauchy
/// distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto cauchy_lccdf(const X& variate, const M& location, const S& scale) {
  detail::needs_positive("cauchy_lccdf", "sigma", scale);
  return detail::of_standardised(
      [](const auto& z, auto& value, auto& slope) MANYCHAIN_LAMBDA {
        using V = std::remove_cvref_t<decltype(z)>;
        const auto tail = detail::cauchy_tail(V(-z));
        value = tail.value;
        slope = -tail.slope;
      },
      variate, location, scale);
}
/// half_cauchy_lcdf(x, sigma): log P(X <= x) of half_cauchy. Support: x > 0. Source: Gelman 2006, Prior distributions
/// for variance parameters.
template <class X, class S>
MANYCHAIN_HD auto half_cauchy_lcdf(const X& variate, const S& scale) {
  detail::needs_positive("half_cauchy_lcdf", "sigma", scale);
  return detail::of_half<false>([](const auto& z) MANYCHAIN_LAMBDA { return detail::half_cauchy_tail<false>(z); },
                                variate, scale);
}
/// half_cauchy_lccdf(x, sigma): log P(X > x) of half_cauchy. Support: x > 0. Source: Gelman 2006, Prior distributions
/// for variance parameters.
template <class X, class S>
MANYCHAIN_HD auto half_cauchy_lccdf(const X& variate, const S& scale) {
  detail::needs_positive("half_cauchy_lccdf", "sigma", scale);
  return detail::of_half<true>([](const auto& z) MANYCHAIN_LAMBDA { return detail::half_cauchy_tail<true>(z); },
                               variate, scale);
}
/// half_normal_lcdf(x, sigma): log P(X <= x) of half_normal. Support: x > 0. Source: Gelman 2006, Prior distributions
/// for variance parameters; Abramowitz and Stegun 26.2.29.
template <class X, class S>
MANYCHAIN_HD auto half_normal_lcdf(const X& variate, const S& scale) {
  detail::needs_positive("half_normal_lcdf", "sigma", scale);
  return detail::of_half<false>([](const auto& z) MANYCHAIN_LAMBDA { return detail::half_normal_tail<false>(z); },
                                variate, scale);
}
/// half_normal_lccdf(x, sigma): log P(X > x) of half_normal. Support: x > 0. Source: Gelman 2006, Prior distributions
/// for variance parameters; Abramowitz and Stegun 26.2.29.
template <class X, class S>
MANYCHAIN_HD auto half_normal_lccdf(const X& variate, const S& scale) {
  detail::needs_positive("half_normal_lccdf", "sigma", scale);
  return detail::of_half<true>([](const auto& z) MANYCHAIN_LAMBDA { return detail::half_normal_tail<true>(z); },
                               variate, scale);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
