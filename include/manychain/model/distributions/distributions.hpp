// Log densities and log masses, normalising constants included, with their derivatives.
//
// Each takes its variate first and its parameters after it; any argument may be an expression, data or a literal, and
// any may be a vector or a matrix: the result is then the sum over its elements. Outside the support the value is
// -infinity and the derivatives are zero. Formulae: Johnson, Kotz and Balakrishnan, Continuous Univariate
// Distributions; Stan Functions Reference. More: continuous_distributions.hpp, count_distributions.hpp,
// categorical_distributions.hpp; log CDFs: log_cdfs.hpp.
//
// Docstrings: name(variate, parameters): what it is. Support: where the density is not zero. Source: where it is
// written.
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "manychain/model/distributions/beta_density.hpp"
#include "manychain/model/distributions/density_arguments.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

template <class V>
MANYCHAIN_HD auto log_of_zero() {
  return V(-std::numeric_limits<number_of<V>>::infinity());
}
/// a l, zero where a is zero, also where l = log(0).
template <class A, class L>
MANYCHAIN_HD auto times_log(A a, L l) {
  using V = common_real<A, L>;
  return select(V(a) == V(0), V(0), V(a) * V(l));
}
/// a / x, zero where a is zero, also at x = 0.
template <class A, class X>
MANYCHAIN_HD auto divide_or_zero(A a, X x) {
  using V = common_real<A, X>;
  return select(V(a) == V(0), V(0), V(a) / V(x));
}

/// x >= 0 and x > 0 as masks of the type V that the result has, whatever x is.
template <class V, class X>
MANYCHAIN_HD auto nonnegative(X x) {
  return V(x) >= V(0);
}
template <class V, class X>
MANYCHAIN_HD auto positive(X x) {
  return V(x) > V(0);
}
/// Below zero or above one. False of NaN, which remains what it is.
template <class V>
MANYCHAIN_HD auto no_probability(V p) {
  return p < V(0) || p > V(1);
}

/// The value, or NaN by a parameter that is `invalid`: it may be computed without a logarithm of that.
template <class Mask, class V>
MANYCHAIN_HD V nan_if(Mask invalid, V value) {
  return select(invalid, V(std::numeric_limits<number_of<V>>::quiet_NaN()), value);
}

/// The value where `inside`, -infinity elsewhere; and derivatives of zero there.
template <class Mask, class V, class... Partials>
MANYCHAIN_HD auto supported(Mask inside, V value, Partials... partials) {
  return elementary(select(inside, value, log_of_zero<V>()),
                    partial(partials.child, select(inside, V(partials.derivative), V(0)))...);
}

// Each is a log density of location zero and scale one, and takes a node.
struct standard_normal {
  template <class Z>
  MANYCHAIN_HD auto operator()(const Z& z) const {
    return elementary(-0.5 * (z.value() * z.value()) - half_log_two_pi, partial(z, -z.value()));
  }
};
struct standard_cauchy {
  template <class Z>
  MANYCHAIN_HD auto operator()(const Z& z) const {
    using V = std::remove_cvref_t<decltype(z.value() * 1.0)>;
    const auto one_and_square = fma(V(z.value()), V(z.value()), V(1.0));
    return elementary(-log1p(z.value() * z.value()) - log_pi, partial(z, V(z.value() * -2.0) / one_and_square));
  }
};
template <class N>
struct standard_student_t {
  N freedom;
  template <class Z>
  MANYCHAIN_HD auto operator()(const Z& z) const {
    const auto nu = freedom.value();
    const auto half = 0.5 * nu;
    using H = std::remove_cvref_t<decltype(half)>;
    const auto w = z.value() * z.value() / nu;
    const auto t = 1.0 / (1.0 + w);
    const auto tail = log1p(w);
    const auto value = lgamma_difference(half, H(0.5)) - 0.5 * log(pi * nu) - (half + 0.5) * tail;
    const auto d_nu = 0.5 * (digamma_difference(half, H(0.5)) - 1.0 / nu - tail + (nu + 1.0) / nu * (w * t));
    return elementary(value, partial(z, -((nu + 1.0) / nu * t * z.value())), partial(freedom, d_nu));
  }
};
}  // namespace detail

/// normal(x, mu, sigma): normal with mean mu and standard deviation sigma > 0. Support: all x. Source: Stan Functions
/// Reference, Normal distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto normal(const X& variate, const M& mean, const S& scale) {
  detail::needs_positive("normal", "sigma", scale);
  return detail::vectorised(
      [](const auto& x, const auto& mu, const auto& sigma) MANYCHAIN_LAMBDA {
        if constexpr (is_scaled_leaf<std::remove_cvref_t<decltype(x)>>) {
          return detail::by_own_scale(x, mu, sigma, detail::standard_normal{}, normal(x.leaf(), mu, sigma));
        } else {
          if constexpr (checks_bounds) detail::note_scale(x, mu, sigma);
          const auto inverse = 1.0 / sigma.value();
          const auto z = (x.value() - mu.value()) * inverse;
          const auto slope = z * inverse;
          return elementary(-0.5 * (z * z) - (log(sigma.value()) + half_log_two_pi), partial(x, -slope),
                            partial(mu, slope), partial(sigma, z * slope - inverse));
        }
      },
      variate, mean, scale);
}

/// normal_variance(x, mu, v): normal with mean mu and variance v > 0, of recurrences of a variance: no square root.
/// Support: all x. Source: Stan Functions Reference, Normal distribution.
template <class X, class M, class V>
MANYCHAIN_HD auto normal_variance(const X& variate, const M& mean, const V& variance) {
  detail::needs_positive("normal_variance", "v", variance);
  return detail::vectorised(
      [](const auto& x, const auto& mu, const auto& v) MANYCHAIN_LAMBDA {
        if constexpr (is_scaled_leaf<std::remove_cvref_t<decltype(x)>> &&
                      detail::is_square<std::remove_cvref_t<decltype(v)>>) {
          return detail::by_own_scale(x, mu, v.x, detail::standard_normal{}, normal_variance(x.leaf(), mu, v));
        } else {
          if constexpr (checks_bounds) detail::note_scale(x, mu, v);
          const auto from = x.value() - mu.value();
          const auto inverse = 1.0 / v.value();
          const auto slope = from * inverse;
          using S = std::remove_cvref_t<decltype(slope)>;
          return elementary(-0.5 * (from * slope + log(v.value())) - half_log_two_pi, partial(x, -slope),
                            partial(mu, slope), partial(v, 0.5 * fma(slope, slope, S(-inverse))));
        }
      },
      variate, mean, variance);
}

/// half_normal(x, sigma): normal(x, 0, sigma) restricted to x >= 0. Support: x >= 0. Source: Gelman 2006, Prior
/// distributions for variance parameters.
template <class X, class S>
MANYCHAIN_HD auto half_normal(const X& variate, const S& scale) {
  detail::needs_positive("half_normal", "sigma", scale);
  return detail::vectorised(
      [](const auto& x, const auto& sigma) MANYCHAIN_LAMBDA {
        const auto inverse = 1.0 / sigma.value();
        const auto z = x.value() * inverse;
        const auto slope = z * inverse;
        constexpr double log_normaliser = half_log_two_pi - log_two;
        return detail::supported(detail::nonnegative<decltype(z * 1.0)>(z),
                                 -0.5 * (z * z) - (log(sigma.value()) + log_normaliser), partial(x, -slope),
                                 partial(sigma, z * slope - inverse));
      },
      variate, scale);
}

/// student_t(x, nu, mu, sigma): Student's t with nu > 0 degrees of freedom, location mu and scale sigma > 0. Support:
/// all x. Source: Stan Functions Reference, Student-t distribution.
template <class X, class N, class M, class S>
MANYCHAIN_HD auto student_t(const X& variate, const N& freedom, const M& location, const S& scale) {
  detail::needs_positive("student_t", "nu", freedom);
  detail::needs_positive("student_t", "sigma", scale);
  return detail::vectorised(
      [](const auto& x, const auto& nu_, const auto& mu, const auto& sigma) MANYCHAIN_LAMBDA {
        if constexpr (is_scaled_leaf<std::remove_cvref_t<decltype(x)>>) {
          return detail::by_own_scale(x, mu, sigma, detail::standard_student_t<std::remove_cvref_t<decltype(nu_)>>{nu_},
                                      student_t(x.leaf(), nu_, mu, sigma));
        } else {
          if constexpr (checks_bounds) detail::note_scale(x, mu, sigma);
          const auto nu = nu_.value();
          const auto half = 0.5 * nu;
          using H = std::remove_cvref_t<decltype(half)>;
          const auto inverse = 1.0 / sigma.value();
          const auto z = (x.value() - mu.value()) * inverse;
          const auto w = z * z / nu;
          const auto t = 1.0 / (1.0 + w);                        // nu / (nu + z^2)
          const auto rest = w * t;                               // 1 - t, without cancellation
          const auto slope = (nu + 1.0) / nu * t * z * inverse;  // minus the derivative towards x
          const auto tail = log1p(w);
          const auto value =
              lgamma_difference(half, H(0.5)) - 0.5 * log(pi * nu) - log(sigma.value()) - (half + 0.5) * tail;
          const auto d_nu = 0.5 * (digamma_difference(half, H(0.5)) - 1.0 / nu - tail + (nu + 1.0) / nu * rest);
          return elementary(value, partial(x, -slope), partial(nu_, d_nu), partial(mu, slope),
                            partial(sigma, ((nu + 1.0) * rest - 1.0) * inverse));
        }
      },
      variate, freedom, location, scale);
}

/// cauchy(x, mu, sigma): Cauchy with location mu and scale sigma > 0. Support: all x. Source: Stan Functions Reference,
/// Cauchy distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto cauchy(const X& variate, const M& location, const S& scale) {
  detail::needs_positive("cauchy", "sigma", scale);
  return detail::vectorised(
      [](const auto& x, const auto& mu, const auto& sigma) MANYCHAIN_LAMBDA {
        if constexpr (is_scaled_leaf<std::remove_cvref_t<decltype(x)>>) {
          return detail::by_own_scale(x, mu, sigma, detail::standard_cauchy{}, cauchy(x.leaf(), mu, sigma));
        } else {
          if constexpr (checks_bounds) detail::note_scale(x, mu, sigma);
          const auto inverse = 1.0 / sigma.value();
          const auto z = (x.value() - mu.value()) * inverse;
          using Z = std::remove_cvref_t<decltype(z * 1.0)>;
          const auto slope = Z(z * (2.0 * inverse)) / fma(Z(z), Z(z), Z(1.0));
          return elementary(-(log(sigma.value()) + log_pi) - log1p(z * z), partial(x, -slope), partial(mu, slope),
                            partial(sigma, fma(Z(z), slope, Z(-inverse))));
        }
      },
      variate, location, scale);
}

/// half_cauchy(x, sigma): cauchy(x, 0, sigma) restricted to x >= 0. Support: x >= 0. Source: Gelman 2006, Prior
/// distributions for variance parameters.
template <class X, class S>
MANYCHAIN_HD auto half_cauchy(const X& variate, const S& scale) {
  detail::needs_positive("half_cauchy", "sigma", scale);
  return detail::vectorised(
      [](const auto& x, const auto& sigma) MANYCHAIN_LAMBDA {
        const auto inverse = 1.0 / sigma.value();
        const auto z = x.value() * inverse;
        using Z = std::remove_cvref_t<decltype(z * 1.0)>;
        const auto d_x = Z(z * (-2.0 * inverse)) / fma(Z(z), Z(z), Z(1.0));
        return detail::supported(detail::nonnegative<Z>(z), -(log(sigma.value()) + (log_pi - log_two)) - log1p(z * z),
                                 partial(x, d_x), partial(sigma, fma(Z(-z), d_x, Z(-inverse))));
      },
      variate, scale);
}

/// lognormal(x, mu, sigma): exp of a normal variate with mean mu and standard deviation sigma > 0. Support: x > 0.
/// Source: Stan Functions Reference, Lognormal distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto lognormal(const X& variate, const M& mean, const S& scale) {
  detail::needs_positive("lognormal", "sigma", scale);
  return detail::vectorised(
      [](const auto& x, const auto& mu, const auto& sigma) MANYCHAIN_LAMBDA {
        if constexpr (is_exp_of_scaled<std::remove_cvref_t<decltype(x)>>) {
          const auto& log_x = x.exponent();
          return detail::by_own_scale(log_x, mu, sigma, detail::standard_normal{}, normal(log_x.leaf(), mu, sigma)) -
                 log_x;
        } else {
          if constexpr (checks_bounds) detail::note_scale(x, mu, sigma);
          const auto log_x = log(x.value());
          const auto inverse = 1.0 / sigma.value();
          const auto z = (log_x - mu.value()) * inverse;
          const auto slope = z * inverse;
          return detail::supported(detail::positive<decltype(z * 1.0)>(x.value()),
                                   -0.5 * (z * z) - (log_x + log(sigma.value()) + half_log_two_pi),
                                   partial(x, -(1.0 + slope) / x.value()), partial(mu, slope),
                                   partial(sigma, z * slope - inverse));
        }
      },
      variate, mean, scale);
}

/// exponential(x, beta): exponential with rate beta > 0. Support: x >= 0. Source: Stan Functions Reference, Exponential
/// distribution.
template <class X, class B>
MANYCHAIN_HD auto exponential(const X& variate, const B& rate) {
  detail::needs_positive("exponential", "beta", rate);
  return detail::vectorised(
      [](const auto& x, const auto& beta) MANYCHAIN_LAMBDA {
        const auto product = beta.value() * x.value();
        return detail::supported(detail::nonnegative<decltype(product * 1.0)>(x.value()), log(beta.value()) - product,
                                 partial(x, -beta.value()), partial(beta, 1.0 / beta.value() - x.value()));
      },
      variate, rate);
}

/// gamma(x, alpha, beta): gamma with shape alpha > 0 and rate beta > 0. Support: x >= 0. Source: Stan Functions
/// Reference, Gamma distribution.
template <class X, class A, class B>
MANYCHAIN_HD auto gamma(const X& variate, const A& shape, const B& rate) {
  detail::needs_positive("gamma", "alpha", shape);
  detail::needs_positive("gamma", "beta", rate);
  return detail::vectorised(
      [](const auto& x, const auto& alpha, const auto& beta) MANYCHAIN_LAMBDA {
        if constexpr (checks_bounds) detail::note_scale_of_gamma<1>(x, alpha, beta);
        const auto a = alpha.value();
        const auto value = a * log(beta.value()) - lgamma_positive(a) + detail::times_log(a - 1.0, log(x.value())) -
                           beta.value() * x.value();
        return detail::supported(detail::nonnegative<decltype(value * 1.0)>(x.value()), value,
                                 partial(x, detail::divide_or_zero(a - 1.0, x.value()) - beta.value()),
                                 partial(alpha, log(beta.value()) - digamma_positive(a) + log(x.value())),
                                 partial(beta, a / beta.value() - x.value()));
      },
      variate, shape, rate);
}

/// inverse_gamma(x, alpha, beta): inverse gamma with shape alpha > 0 and scale beta > 0. Support: x > 0. Source: Stan
/// Functions Reference, Inverse gamma distribution.
template <class X, class A, class B>
MANYCHAIN_HD auto inverse_gamma(const X& variate, const A& shape, const B& scale) {
  detail::needs_positive("inverse_gamma", "alpha", shape);
  detail::needs_positive("inverse_gamma", "beta", scale);
  return detail::vectorised(
      [](const auto& x, const auto& alpha, const auto& beta) MANYCHAIN_LAMBDA {
        if constexpr (checks_bounds) detail::note_scale_of_gamma<-1>(x, alpha, beta);
        const auto a = alpha.value();
        const auto inverse = 1.0 / x.value();
        const auto log_x = log(x.value());
        const auto value = a * log(beta.value()) - lgamma_positive(a) - (a + 1.0) * log_x - beta.value() * inverse;
        return detail::supported(detail::positive<decltype(value * 1.0)>(x.value()), value,
                                 partial(x, (beta.value() * inverse - (a + 1.0)) * inverse),
                                 partial(alpha, log(beta.value()) - digamma_positive(a) - log_x),
                                 partial(beta, a / beta.value() - inverse));
      },
      variate, shape, scale);
}

/// beta(x, a, b): beta with shapes a, b > 0. Support: 0 <= x <= 1. Source: Stan Functions Reference, Beta distribution.
template <class X, class A, class B>
MANYCHAIN_HD auto beta(const X& variate, const A& first, const B& second) {
  detail::needs_positive("beta", "a", first);
  detail::needs_positive("beta", "b", second);
  return detail::vectorised(
      [](const auto& x, const auto& a_, const auto& b_) MANYCHAIN_LAMBDA {
        if constexpr (checks_bounds) detail::note_scale_of_beta(x, a_, b_);
        const auto a = a_.value();
        const auto b = b_.value();
        const auto rest = 1.0 - x.value();
        const auto log_density = detail::log_probability<2>(
            []<class R>(R at, R p, R q) { return detail::log_beta_density(at, p, q); }, x.value(), a, b);
        using V = std::remove_cvref_t<decltype(log_density.value)>;
        return detail::supported(
            detail::nonnegative<V>(x.value()) && detail::nonnegative<V>(rest), log_density.value,
            partial(x, detail::divide_or_zero(a - 1.0, x.value()) - detail::divide_or_zero(b - 1.0, rest)),
            partial(a_, log_density.slope[0]), partial(b_, log_density.slope[1]));
      },
      variate, first, second);
}

/// uniform(x, a, b): uniform on [a, b]. Support: a <= x <= b. Source: Stan Functions Reference, Uniform distribution.
template <class X, class A, class B>
MANYCHAIN_HD auto uniform(const X& variate, const A& lower_bound, const B& upper_bound) {
  detail::needs_order("uniform", lower_bound, upper_bound);
  return detail::vectorised(
      [](const auto& x, const auto& a, const auto& b) MANYCHAIN_LAMBDA {
        const auto width = b.value() - a.value();
        const auto inverse = 1.0 / width;
        using V = detail::common_real<decltype(x.value()), decltype(width)>;
        return detail::supported(V(x.value()) >= V(a.value()) && V(x.value()) <= V(b.value()), V(-log(width)),
                                 partial(a, inverse), partial(b, -inverse));
      },
      variate, lower_bound, upper_bound);
}

namespace detail {
/// A number of the data in the unit that checks.
template <class T>
concept CheckedDatum = Arithmetic<T> ||(Real<T>&& requires(const T& x) { static_cast<double>(x.v); });
template <CheckedDatum T>
double datum(const T& x) {
  if constexpr (Arithmetic<T>)
    return static_cast<double>(x);
  else
    return static_cast<double>(x.v);
}
/// Throws, when data are bound, where a count of the data is not whole: no formula asks for that. A number or a vector.
template <class Y>
MANYCHAIN_HD void check_whole([[maybe_unused]] const char* density, [[maybe_unused]] const Y& counts) {
  if constexpr (checks_bounds && VectorOperand<Y>) {
    for (int i = 0; i < counts.size().value(); ++i) check_whole(density, counts[i]);
  } else if constexpr (checks_bounds && CheckedDatum<Y>) {
    if (const double y = datum(counts); y > std::floor(y)) checks::throw_count(density, y);  // false of NaN
  }
}
/// Throws, when data are bound, where an outcome of the data is not whole or lies outside of 0 to `most`: its density
/// would be above one. Each is a number or a vector.
template <class Y, class N>
MANYCHAIN_HD void check_outcomes([[maybe_unused]] const char* density, [[maybe_unused]] const Y& outcomes,
                                 [[maybe_unused]] const N& most) {
  if constexpr (checks_bounds && VectorOperand<Y>) {
    for (int i = 0; i < outcomes.size().value(); ++i)
      if constexpr (VectorOperand<N>)
        check_outcomes(density, outcomes[i], most[i]);
      else
        check_outcomes(density, outcomes[i], most);
  } else if constexpr (checks_bounds && CheckedDatum<Y>) {
    if constexpr (CheckedDatum<N>)
      if (const double y = datum(outcomes), n = datum(most); !(y >= 0 && y <= n && y == std::floor(y)))
        checks::throw_outcome(density, y, n);
  }
}
}  // namespace detail

/// bernoulli_logit(y, eta): one with probability inv_logit(eta), else zero. Support: y = 0, 1, which is asked of data
/// when they are bound. Source: Stan Functions Reference, Bernoulli distribution, logit parameterization.
template <class Y, class E>
MANYCHAIN_HD auto bernoulli_logit(const Y& outcome, const E& logit) {
  detail::check_outcomes("bernoulli_logit", outcome, 1);
  return detail::vectorised(
      [](const auto& y, const auto& eta_) MANYCHAIN_LAMBDA {
        const auto eta = eta_.value();
        using V = std::remove_cvref_t<decltype(eta)>;
        // Measured from the limit of a large |eta|, 0 or eta: what is left of it is small, and stays exact.
        const auto e = exp(-abs(eta));
        const auto surplus = y.value() - select(eta < V(0), V(0), V(1));
        const auto rest = over_one_plus(e, e);
        return elementary(surplus * eta - log1p(e), partial(eta_, surplus - select(eta < V(0), rest, -rest)));
      },
      outcome, logit);
}

/// binomial_logit(y, n, eta): y successes of n trials, each with probability inv_logit(eta). Support: y = 0, ..., n,
/// which is asked of data when they are bound. Source: Stan Functions Reference, Binomial distribution, logit
/// parameterization.
template <class Y, class N, class E>
MANYCHAIN_HD auto binomial_logit(const Y& successes, const N& trials, const E& logit) {
  detail::check_outcomes("binomial_logit", successes, trials);
  return detail::vectorised(
      [](const auto& y, const auto& n, const auto& eta_) MANYCHAIN_LAMBDA {
        const auto eta = eta_.value();
        using V = detail::common_real<decltype(eta), decltype(n.value())>;
        const auto e = exp(-abs(eta));  // as in bernoulli_logit
        const auto surplus = y.value() - select(eta < 0.0, V(0), V(n.value()));
        const auto rest = n.value() * over_one_plus(e, e);
        const auto log_choose = lgamma_positive(n.value() + 1.0) - lgamma_positive(y.value() + 1.0) -
                                lgamma_positive(n.value() - y.value() + 1.0);
        return elementary(log_choose + surplus * eta - n.value() * log1p(e),
                          partial(eta_, surplus - select(eta < 0.0, rest, -rest)));
      },
      successes, trials, logit);
}

/// poisson_log(y, eta): a count with mean exp(eta). Support: y = 0, 1, ...; whole numbers are asked of data. Source:
/// Stan Functions Reference, Poisson distribution, log parameterization.
template <class Y, class E>
MANYCHAIN_HD auto poisson_log(const Y& count, const E& log_rate) {
  detail::check_whole("poisson_log", count);
  return detail::vectorised(
      [](const auto& y, const auto& eta) MANYCHAIN_LAMBDA {
        const auto rate = exp(eta.value());
        return elementary(y.value() * eta.value() - rate - lgamma_positive(y.value() + 1.0),
                          partial(eta, y.value() - rate));
      },
      count, log_rate);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
