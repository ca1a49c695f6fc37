// More log densities, in the form of distributions.hpp: normalising constants included, any argument an expression,
// data, a literal or a vector.
//
// Each docstring reads: name(variate, parameters): what it is. Support: where the density is not zero; parameters have
// their own ranges there, and are not checked. Source: where it is written; parameters are those of that page.
#pragma once

#include "manychain/model/distributions/functions.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

// Each is a log density of location zero and scale one, and takes a node.
struct standard_double_exponential {
  template <class Z>
  MANYCHAIN_HD auto operator()(const Z& z) const {
    using V = std::remove_cvref_t<decltype(z.value() * 1.0)>;
    const V v = z.value();
    return elementary(-abs(v) - log_two, partial(z, select(v < V(0), V(1), select(v > V(0), V(-1), V(0)))));
  }
};
struct standard_logistic {
  template <class Z>
  MANYCHAIN_HD auto operator()(const Z& z) const {
    const auto size = abs(z.value());
    return elementary(-size - 2.0 * log1p(exp(-size)), partial(z, -tanh(0.5 * z.value())));
  }
};
struct standard_gumbel {
  template <class Z>
  MANYCHAIN_HD auto operator()(const Z& z) const {
    return elementary(-(z.value() + exp(-z.value())), partial(z, expm1(-z.value())));
  }
};

}  // namespace detail

/// double_exponential(x, mu, sigma): Laplace with location mu and scale sigma > 0. Support: all x. Source: Stan
/// Functions Reference, Double exponential (Laplace) distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto double_exponential(const X& variate, const M& location, const S& scale) {
  detail::needs_positive("double_exponential", "sigma", scale);
  return detail::vectorised(
      [](const auto& x, const auto& mu, const auto& sigma) MANYCHAIN_LAMBDA {
        if constexpr (is_scaled_leaf<std::remove_cvref_t<decltype(x)>>) {
          return detail::by_own_scale(x, mu, sigma, detail::standard_double_exponential{},
                                      double_exponential(x.leaf(), mu, sigma));
        } else {
          if constexpr (checks_bounds) detail::note_scale(x, mu, sigma);
          const auto inverse = 1.0 / sigma.value();
          const auto z = (x.value() - mu.value()) * inverse;
          using V = std::remove_cvref_t<decltype(z * 1.0)>;
          const V sign = select(z < V(0), V(-1), select(z > V(0), V(1), V(0)));
          const auto slope = sign * inverse;
          return elementary(-abs(z) - (log(sigma.value()) + log_two), partial(x, -slope), partial(mu, slope),
                            partial(sigma, (abs(z) - 1.0) * inverse));
        }
      },
      variate, location, scale);
}

/// logistic(x, mu, sigma): logistic with location mu and scale sigma > 0. Support: all x. Source: Stan Functions
/// Reference, Logistic distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto logistic(const X& variate, const M& location, const S& scale) {
  detail::needs_positive("logistic", "sigma", scale);
  return detail::vectorised(
      [](const auto& x, const auto& mu, const auto& sigma) MANYCHAIN_LAMBDA {
        if constexpr (is_scaled_leaf<std::remove_cvref_t<decltype(x)>>) {
          return detail::by_own_scale(x, mu, sigma, detail::standard_logistic{}, logistic(x.leaf(), mu, sigma));
        } else {
          if constexpr (checks_bounds) detail::note_scale(x, mu, sigma);
          const auto inverse = 1.0 / sigma.value();
          const auto z = (x.value() - mu.value()) * inverse;
          const auto t = tanh(0.5 * z);
          const auto slope = t * inverse;
          return elementary(-abs(z) - 2.0 * log1p(exp(-abs(z))) - log(sigma.value()), partial(x, -slope),
                            partial(mu, slope), partial(sigma, (z * t - 1.0) * inverse));
        }
      },
      variate, location, scale);
}

/// weibull(x, alpha, sigma): Weibull with shape alpha > 0 and scale sigma > 0. Support: x >= 0. Source: Stan Functions
/// Reference, Weibull distribution.
template <class X, class A, class S>
MANYCHAIN_HD auto weibull(const X& variate, const A& shape, const S& scale) {
  detail::needs_positive("weibull", "alpha", shape);
  detail::needs_positive("weibull", "sigma", scale);
  return detail::vectorised(
      [](const auto& x, const auto& alpha, const auto& sigma) MANYCHAIN_LAMBDA {
        const auto a = alpha.value();
        const auto log_scale = log(sigma.value());
        const auto log_ratio = log(x.value()) - log_scale;
        const auto power = exp(a * log_ratio);
        const auto before = detail::times_log(a - 1.0, log_ratio);
        using V = std::remove_cvref_t<decltype(power * 1.0)>;
        return detail::supported(
            detail::nonnegative<V>(x.value()), V(log(a) - log_scale + before - power),
            partial(x, detail::divide_or_zero(a - 1.0, x.value()) - a * exp(before) / sigma.value()),
            partial(alpha, 1.0 / a + log_ratio - detail::times_log(power, log_ratio)),
            partial(sigma, a * (power - 1.0) / sigma.value()));
      },
      variate, shape, scale);
}

/// gumbel(x, mu, beta): Gumbel (largest extreme value) with location mu and scale beta > 0. Support: all x. Source:
/// Stan Functions Reference, Gumbel distribution.
template <class X, class M, class B>
MANYCHAIN_HD auto gumbel(const X& variate, const M& location, const B& scale) {
  detail::needs_positive("gumbel", "beta", scale);
  return detail::vectorised(
      [](const auto& x, const auto& mu, const auto& beta) MANYCHAIN_LAMBDA {
        if constexpr (is_scaled_leaf<std::remove_cvref_t<decltype(x)>>) {
          return detail::by_own_scale(x, mu, beta, detail::standard_gumbel{}, gumbel(x.leaf(), mu, beta));
        } else {
          if constexpr (checks_bounds) detail::note_scale(x, mu, beta);
          const auto inverse = 1.0 / beta.value();
          const auto z = (x.value() - mu.value()) * inverse;
          const auto excess = expm1(-z);
          const auto slope = excess * inverse;
          return elementary(-(z + exp(-z)) - log(beta.value()), partial(x, slope), partial(mu, -slope),
                            partial(beta, -(z * excess + 1.0) * inverse));
        }
      },
      variate, location, scale);
}

/// von_mises(x, mu, kappa): von Mises with location mu and concentration kappa >= 0. Support: all x; it is a
/// distribution on any interval of length 2 pi, to which x must be bound. Source: Stan Functions Reference, Von Mises
/// distribution.
template <class X, class M, class K>
MANYCHAIN_HD auto von_mises(const X& variate, const M& location, const K& concentration) {
  detail::needs_positive("von_mises", "kappa", concentration);
  return detail::vectorised(
      [](const auto& x, const auto& mu, const auto& kappa) MANYCHAIN_LAMBDA {
        const auto k = kappa.value();
        const auto half = 0.5 * (x.value() - mu.value());
        // cos(2 h) - 1 and log I0 less kappa: where kappa is large nothing cancels.
        const auto sine = sin(half);
        const auto less = -2.0 * (sine * sine);
        const auto slope = 2.0 * k * sine * cos(half);
        return elementary(k * less - log_scaled_bessel_i0(k) - (log_pi + log_two), partial(x, -slope),
                          partial(mu, slope), partial(kappa, less + (1.0 - bessel_i_ratio(k))));
      },
      variate, location, concentration);
}

/// skew_normal(x, xi, omega, alpha): skew normal with location xi, scale omega > 0 and shape alpha. Support: all x.
/// Source: Stan Functions Reference, Skew normal distribution.
template <class X, class L, class S, class A>
MANYCHAIN_HD auto skew_normal(const X& variate, const L& location, const S& scale, const A& shape) {
  detail::needs_positive("skew_normal", "omega", scale);
  return detail::vectorised(
      [](const auto& x, const auto& xi, const auto& omega, const auto& alpha) MANYCHAIN_LAMBDA {
        if constexpr (checks_bounds) detail::note_scale(x, xi, omega);
        const auto inverse = 1.0 / omega.value();
        const auto z = (x.value() - xi.value()) * inverse;
        const auto skewed = alpha.value() * z;
        const auto mills = log_Phi_slope(skewed);
        const auto slope = (z - alpha.value() * mills) * inverse;
        return elementary(-0.5 * (z * z) + log_Phi(skewed) - (log(omega.value()) + (half_log_two_pi - log_two)),
                          partial(x, -slope), partial(xi, slope), partial(omega, z * slope - inverse),
                          partial(alpha, z * mills));
      },
      variate, location, scale, shape);
}

/// half_student_t(x, nu, sigma): student_t(x, nu, 0, sigma) restricted to x >= 0, with nu > 0 degrees of freedom and
/// scale sigma > 0. Support: x >= 0. Source: Gelman 2006, Prior distributions for variance parameters.
template <class X, class N, class S>
MANYCHAIN_HD auto half_student_t(const X& variate, const N& freedom, const S& scale) {
  detail::needs_positive("half_student_t", "nu", freedom);
  detail::needs_positive("half_student_t", "sigma", scale);
  return detail::vectorised(
      [](const auto& x, const auto& nu_, const auto& sigma) MANYCHAIN_LAMBDA {
        const auto nu = nu_.value();
        const auto half = 0.5 * nu;
        const auto inverse = 1.0 / sigma.value();
        const auto z = x.value() * inverse;
        const auto w = z * z / nu;
        const auto t = 1.0 / (1.0 + w);
        const auto rest = w * t;  // 1 - t, without cancellation
        const auto tail = log1p(w);
        using V = std::remove_cvref_t<decltype(w * 1.0)>;
        using H = std::remove_cvref_t<decltype(half)>;
        const auto value =
            lgamma_difference(half, H(0.5)) - 0.5 * log(pi * nu) + log_two - log(sigma.value()) - (half + 0.5) * tail;
        const auto d_nu = 0.5 * (digamma_difference(half, H(0.5)) - 1.0 / nu - tail + (nu + 1.0) / nu * rest);
        return detail::supported(detail::nonnegative<V>(x.value()), V(value),
                                 partial(x, -((nu + 1.0) / nu * t * z * inverse)), partial(nu_, d_nu),
                                 partial(sigma, ((nu + 1.0) * rest - 1.0) * inverse));
      },
      variate, freedom, scale);
}

/// chi_square(x, nu): chi-squared with nu > 0 degrees of freedom. Support: x >= 0. Source: Stan Functions Reference,
/// Chi-square distribution.
template <class X, class N>
MANYCHAIN_HD auto chi_square(const X& variate, const N& freedom) {
  detail::needs_positive("chi_square", "nu", freedom);
  return detail::vectorised(
      [](const auto& x, const auto& nu) MANYCHAIN_LAMBDA {
        const auto half = 0.5 * nu.value();
        const auto log_x = log(x.value());
        using V = detail::common_real<decltype(x.value()), decltype(half)>;
        return detail::supported(
            detail::nonnegative<V>(x.value()),
            V(detail::times_log(half - 1.0, log_x) - 0.5 * x.value() - half * log_two - lgamma_positive(half)),
            partial(x, detail::divide_or_zero(half - 1.0, x.value()) - 0.5),
            partial(nu, 0.5 * (log_x - log_two - digamma_positive(half))));
      },
      variate, freedom);
}

/// pareto(x, least, alpha): Pareto (type 1) with the smallest value least > 0 and shape alpha > 0. Support: x >= least.
/// Source: Stan Functions Reference, Pareto distribution.
template <class X, class L, class A>
MANYCHAIN_HD auto pareto(const X& variate, const L& least, const A& shape) {
  detail::needs_positive("pareto", "least", least);
  detail::needs_positive("pareto", "alpha", shape);
  return detail::vectorised(
      [](const auto& x, const auto& low, const auto& alpha) MANYCHAIN_LAMBDA {
        const auto a = alpha.value();
        const auto log_ratio = log(low.value()) - log(x.value());
        using V = detail::common_real<decltype(log_ratio), decltype(a)>;
        return detail::supported(V(x.value()) >= V(low.value()), V(log(a) - log(x.value()) + a * log_ratio),
                                 partial(x, -(a + 1.0) / x.value()), partial(low, a / low.value()),
                                 partial(alpha, 1.0 / a + log_ratio));
      },
      variate, least, shape);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
