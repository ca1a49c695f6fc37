// Log CDFs, and those of complements, of distributions that have a shape: gamma, chi-squared, inverse gamma, beta and
// Student's t, also its half. The contract is that of log_cdfs.hpp; derivatives towards the shapes are as accurate as
// the others. Each costs some forty exponentials or logarithms in single and eighty in double precision, of beta and
// Student's t half as many more: several times a density.
//
// Errors, where P is the probability and eps 2^-23 or 2^-52: of log P below 32 eps (1 + |log P| + d), where d is what
// the rounding of arguments costs: |alpha - beta x| of the gamma distributions (|alpha - beta / x| of the inverse), |a
// (1 - x) - b x| of beta; of derivatives likewise, relative to one and their size. Shapes are 1e-6 or more, of gamma
// anything above zero. Of a shape below one the tail on the other side is one less what lies towards the shape's end:
// for gamma where beta x < 1, for beta where the variate is on that side of the mean. There errors grow by 1 / P.
#pragma once

#include "manychain/core/incomplete_functions.hpp"
#include "manychain/model/distributions/log_cdfs.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// The tail of gamma(shape, 1) at z, which underflow or overflow may not make zero or infinite.
template <bool Upper, class A, class Z>
MANYCHAIN_HD auto gamma_tail(const A& shape, const Z& z) {
  return log_probability<2>(
      []<class R>(R a, R x) {
        using T = number_of<R>;
        const R least = R(std::numeric_limits<T>::min()), most = R(std::numeric_limits<T>::max() / 1000);
        return log_incomplete_gamma<Upper>(a, min(max(x, least), most));
      },
      shape, z);
}
template <bool Upper, class X, class A, class B>
MANYCHAIN_HD auto gamma_log_cdf(const X& variate, const A& shape, const B& rate) {
  return vectorised(
      [](const auto& x, const auto& alpha, const auto& beta) {
        const auto tail = gamma_tail<Upper>(alpha.value(), beta.value() * x.value());
        using V = std::remove_cvref_t<decltype(tail.value)>;
        const V value = nan_if(V(beta.value()) < V(0), tail.value);
        return inside_or(above(V(x.value()), V(0)), value, Upper ? 0.0 : minus_infinity,
                         partial(x, tail.slope[1] * beta.value()), partial(alpha, tail.slope[0]),
                         partial(beta, tail.slope[1] * x.value()));
      },
      variate, shape, rate);
}
template <bool Upper, class X, class N>
MANYCHAIN_HD auto chi_square_log_cdf(const X& variate, const N& freedom) {
  return vectorised(
      [](const auto& x, const auto& nu) {
        const auto tail = gamma_tail<Upper>(0.5 * nu.value(), 0.5 * x.value());
        using V = std::remove_cvref_t<decltype(tail.value)>;
        return inside_or(above(V(x.value()), V(0)), tail.value, Upper ? 0.0 : minus_infinity,
                         partial(x, 0.5 * tail.slope[1]), partial(nu, 0.5 * tail.slope[0]));
      },
      variate, freedom);
}
template <bool Upper, class X, class A, class B>
MANYCHAIN_HD auto inverse_gamma_log_cdf(const X& variate, const A& shape, const B& scale) {
  return vectorised(
      [](const auto& x, const auto& alpha, const auto& beta) {
        const auto inverse = 1.0 / x.value();
        const auto z = beta.value() * inverse;
        const auto tail = gamma_tail<!Upper>(alpha.value(), z);
        using V = std::remove_cvref_t<decltype(tail.value)>;
        const V value = nan_if(V(beta.value()) < V(0), tail.value);
        return inside_or(above(V(x.value()), V(0)), value, Upper ? 0.0 : minus_infinity,
                         partial(x, -(tail.slope[1] * z) * inverse), partial(alpha, tail.slope[0]),
                         partial(beta, tail.slope[1] * inverse));
      },
      variate, shape, scale);
}

/// The tail of beta(a, b) at x, also outside of (0, 1). Slopes: towards a, b and x.
template <bool Upper, class R>
MANYCHAIN_HD LogProbability<R, 3> beta_tail(R x, R a, R b) {
  const auto below = x <= R(0), above = x >= R(1);
  const R at = select(below || above, R(0.5), x), rest = R(1) - at;
  auto inside = log_incomplete_beta<Upper>(a, b, at, rest, log(at), log1p(-at));
  inside.value =
      select(below, R(Upper ? 0.0 : minus_infinity), select(above, R(Upper ? minus_infinity : 0.0), inside.value));
  inside.slope[2] = inside.slope[2] / (at * rest);
  MANYCHAIN_UNROLL
  for (int k = 0; k < 3; ++k) inside.slope[k] = select(below || above, R(0), inside.slope[k]);
  return inside;
}
template <bool Upper, class X, class A, class B>
MANYCHAIN_HD auto beta_log_cdf(const X& variate, const A& first, const B& second) {
  return vectorised(
      [](const auto& x, const auto& a, const auto& b) {
        const auto tail = log_probability<3>([]<class R>(R at, R p, R q) { return beta_tail<Upper>(at, p, q); },
                                             x.value(), a.value(), b.value());
        return elementary(tail.value, partial(x, tail.slope[2]), partial(a, tail.slope[0]), partial(b, tail.slope[1]));
      },
      variate, first, second);
}

/// log P(|T| <= z) of the standardised distribution for z >= 0, or log P(|T| > z) if Upper, which is I(nu / 2, 1 / 2)
/// at nu / (nu + z^2) (Abramowitz and Stegun 26.7.1). Slopes: towards nu and z.
template <bool Upper, class R>
MANYCHAIN_HD LogProbability<R, 2> half_student_t_tail(R nu, R z) {
  constexpr double least = is_single<R> ? 1e-18 : 1e-150, most = is_single<R> ? 1e37 : 1e307;
  const R size = max(z, R(least)), q = min(size * (size / nu), R(most));
  const R x = R(1) / (R(1) + q), y = q / (R(1) + q), log_x = -log1p(q), log_y = log(q) + log_x;
  const auto both = log_incomplete_beta<!Upper>(R(0.5) * nu, R(0.5), x, y, log_x, log_y);
  return {both.value, {fma(R(0.5), both.slope[0], both.slope[2] / nu), both.slope[2] * R(-2) / size}};
}
/// log P(T <= z), or log P(T > z) if Upper. Slopes: towards nu and z.
template <bool Upper, class R>
MANYCHAIN_HD LogProbability<R, 2> student_t_tail(R nu, R z) {
  const auto negative = z < R(0), outer = Upper ? R(0) < z : negative;  // the side where it falls below a half
  const auto both = half_student_t_tail<true>(nu, abs(z));
  const R half = R(0.5) * exp(both.value), factor = select(outer, R(1), -half / (R(1) - half));
  LogProbability<R, 2> tail;
  tail.value = select(outer, both.value - R(log_two), log1p(-half));
  tail.slope[0] = factor * both.slope[0];
  tail.slope[1] = factor * select(negative, -both.slope[1], both.slope[1]);
  return tail;
}
template <bool Upper, class X, class N, class M, class S>
MANYCHAIN_HD auto student_t_log_cdf(const X& variate, const N& freedom, const M& location, const S& scale) {
  return vectorised(
      [](const auto& x, const auto& nu, const auto& mu, const auto& sigma) {
        const auto inverse = 1.0 / sigma.value();
        const auto z = (x.value() - mu.value()) * inverse;
        const auto tail =
            log_probability<2>([]<class R>(R n, R at) { return student_t_tail<Upper>(n, at); }, nu.value(), z);
        using V = std::remove_cvref_t<decltype(tail.value)>;
        const V change = tail.slope[1] * inverse;
        const V value = nan_if(V(sigma.value()) < V(0), tail.value);
        return elementary(value, partial(x, change), partial(nu, tail.slope[0]), partial(mu, -change),
                          partial(sigma, -(change * z)));
      },
      variate, freedom, location, scale);
}
template <bool Upper, class X, class N, class S>
MANYCHAIN_HD auto half_student_t_log_cdf(const X& variate, const N& freedom, const S& scale) {
  return vectorised(
      [](const auto& x, const auto& nu, const auto& sigma) {
        const auto inverse = 1.0 / sigma.value();
        const auto z = x.value() * inverse;
        const auto tail =
            log_probability<2>([]<class R>(R n, R at) { return half_student_t_tail<Upper>(n, at); }, nu.value(), z);
        using V = std::remove_cvref_t<decltype(tail.value)>;
        const V change = tail.slope[1] * inverse, value = nan_if(V(sigma.value()) < V(0), tail.value);
        return inside_or(above(V(x.value()), V(0)), value, Upper ? 0.0 : minus_infinity, partial(x, change),
                         partial(nu, tail.slope[0]), partial(sigma, -(change * z)));
      },
      variate, freedom, scale);
}

}  // namespace detail

/// gamma_lcdf(x, alpha, beta): log P(X <= x) of gamma. Support: x > 0. Source: Stan Functions Reference, Gamma
/// distribution; DLMF 8.2.4.
template <class X, class A, class B>
MANYCHAIN_HD auto gamma_lcdf(const X& variate, const A& shape, const B& rate) {
  detail::needs_positive("gamma_lcdf", "alpha", shape);
  detail::needs_positive("gamma_lcdf", "beta", rate);
  return detail::gamma_log_cdf<false>(variate, shape, rate);
}
/// gamma_lccdf(x, alpha, beta): log P(X > x) of gamma. Support: x > 0. Source: Stan Functions Reference, Gamma
/// distribution; DLMF 8.2.4.
template <class X, class A, class B>
MANYCHAIN_HD auto gamma_lccdf(const X& variate, const A& shape, const B& rate) {
  detail::needs_positive("gamma_lccdf", "alpha", shape);
  detail::needs_positive("gamma_lccdf", "beta", rate);
  return detail::gamma_log_cdf<true>(variate, shape, rate);
}
/// chi_square_lcdf(x, nu): log P(X <= x) of chi_square. Support: x > 0. Source: Stan Functions Reference, Chi-square
/// distribution.
template <class X, class N>
MANYCHAIN_HD auto chi_square_lcdf(const X& variate, const N& freedom) {
  detail::needs_positive("chi_square_lcdf", "nu", freedom);
  return detail::chi_square_log_cdf<false>(variate, freedom);
}
/// chi_square_lccdf(x, nu): log P(X > x) of chi_square. Support: x > 0. Source: Stan Functions Reference, Chi-square
/// distribution.
template <class X, class N>
MANYCHAIN_HD auto chi_square_lccdf(const X& variate, const N& freedom) {
  detail::needs_positive("chi_square_lccdf", "nu", freedom);
  return detail::chi_square_log_cdf<true>(variate, freedom);
}
/// inverse_gamma_lcdf(x, alpha, beta): log P(X <= x) of inverse_gamma. Support: x > 0. Source: Stan Functions
/// Reference, Inverse gamma distribution.
template <class X, class A, class B>
MANYCHAIN_HD auto inverse_gamma_lcdf(const X& variate, const A& shape, const B& scale) {
  detail::needs_positive("inverse_gamma_lcdf", "alpha", shape);
  detail::needs_positive("inverse_gamma_lcdf", "beta", scale);
  return detail::inverse_gamma_log_cdf<false>(variate, shape, scale);
}
/// inverse_gamma_lccdf(x, alpha, beta): log P(X > x) of inverse_gamma. Support: x > 0. Source: Stan Functions
/// Reference, Inverse gamma distribution.
template <class X, class A, class B>
MANYCHAIN_HD auto inverse_gamma_lccdf(const X& variate, const A& shape, const B& scale) {
  detail::needs_positive("inverse_gamma_lccdf", "alpha", shape);
  detail::needs_positive("inverse_gamma_lccdf", "beta", scale);
  return detail::inverse_gamma_log_cdf<true>(variate, shape, scale);
}
/// beta_lcdf(x, a, b): log P(X <= x) of beta. Support: 0 < x < 1. Source: Stan Functions Reference, Beta distribution;
/// DLMF 8.17.2.
template <class X, class A, class B>
MANYCHAIN_HD auto beta_lcdf(const X& variate, const A& first, const B& second) {
  detail::needs_positive("beta_lcdf", "a", first);
  detail::needs_positive("beta_lcdf", "b", second);
  return detail::beta_log_cdf<false>(variate, first, second);
}
/// beta_lccdf(x, a, b): log P(X > x) of beta. Support: 0 < x < 1. Source: Stan Functions Reference, Beta distribution;
/// DLMF 8.17.2.
template <class X, class A, class B>
MANYCHAIN_HD auto beta_lccdf(const X& variate, const A& first, const B& second) {
  detail::needs_positive("beta_lccdf", "a", first);
  detail::needs_positive("beta_lccdf", "b", second);
  return detail::beta_log_cdf<true>(variate, first, second);
}
/// student_t_lcdf(x, nu, mu, sigma): log P(X <= x) of student_t, nu >= 0.02. Support: all x. Source: Stan Functions
/// Reference, Student-t distribution; Abramowitz and Stegun 26.7.1.
template <class X, class N, class M, class S>
MANYCHAIN_HD auto student_t_lcdf(const X& variate, const N& freedom, const M& location, const S& scale) {
  detail::needs_positive("student_t_lcdf", "nu", freedom);
  detail::needs_positive("student_t_lcdf", "sigma", scale);
  return detail::student_t_log_cdf<false>(variate, freedom, location, scale);
}
/// student_t_lccdf(x, nu, mu, sigma): log P(X > x) of student_t, nu >= 0.02. Support: all x. Source: Stan Functions
/// Reference, Student-t distribution; Abramowitz and Stegun 26.7.1.
template <class X, class N, class M, class S>
MANYCHAIN_HD auto student_t_lccdf(const X& variate, const N& freedom, const M& location, const S& scale) {
  detail::needs_positive("student_t_lccdf", "nu", freedom);
  detail::needs_positive("student_t_lccdf", "sigma", scale);
  return detail::student_t_log_cdf<true>(variate, freedom, location, scale);
}
/// half_student_t_lcdf(x, nu, sigma): log P(X <= x) of half_student_t, nu >= 0.02. Support: x > 0. Source: Gelman 2006,
/// Prior distributions for variance parameters; Abramowitz and Stegun 26.7.1.
template <class X, class N, class S>
MANYCHAIN_HD auto half_student_t_lcdf(const X& variate, const N& freedom, const S& scale) {
  detail::needs_positive("half_student_t_lcdf", "nu", freedom);
  detail::needs_positive("half_student_t_lcdf", "sigma", scale);
  return detail::half_student_t_log_cdf<false>(variate, freedom, scale);
}
/// half_student_t_lccdf(x, nu, sigma): log P(X > x) of half_student_t, nu >= 0.02. Support: x > 0. Source: Gelman 2006,
/// Prior distributions for variance parameters; Abramowitz and Stegun 26.7.1.
template <class X, class N, class S>
MANYCHAIN_HD auto half_student_t_lccdf(const X& variate, const N& freedom, const S& scale) {
  detail::needs_positive("half_student_t_lccdf", "nu", freedom);
  detail::needs_positive("half_student_t_lccdf", "sigma", scale);
  return detail::half_student_t_log_cdf<true>(variate, freedom, scale);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
