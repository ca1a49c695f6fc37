// Logarithms of distribution functions and of their complements, for censored and truncated data:
//
//   term += normal_lccdf(limit[j], mu, sigma);                                       // only y > limit is known
//   term += normal(y[j], mu, sigma) - normal_lccdf(0, mu, sigma);                    // y is seen only where y > 0
//   term += log_diff_exp(normal_lcdf(b, mu, sigma), normal_lcdf(a, mu, sigma));      // a < y < b
//
// Names are Stan's: NAME_lcdf(x, ...) is log P(X <= x), NAME_lccdf(x, ...) is log P(X > x), both accurate where the
// probability is close to zero or to one. Arguments may be vectors, as those of densities. Outside the support one of
// them is 0 and the other -infinity, with derivatives of zero.
//
// Docstrings are in the form that continuous_distributions.hpp describes.
#pragma once

#include "manychain/model/distributions/continuous_distributions.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// A function of z = (x - mu) / sigma: curve(z, value, slope) gives it and its derivative.
template <class Curve, class X, class M, class S>
MANYCHAIN_HD auto of_standardised(Curve curve, const X& variate, const M& location, const S& scale) {
  return vectorised(
      [curve](const auto& x, const auto& mu, const auto& sigma) MANYCHAIN_LAMBDA {
        const auto inverse = 1.0 / sigma.value();
        const auto z = (x.value() - mu.value()) * inverse;
        using V = std::remove_cvref_t<decltype(z * 1.0)>;
        V value, slope;
        curve(V(z), value, slope);
        value = nan_if(V(sigma.value()) < V(0), value);
        const V change = slope * inverse;
        return elementary(value, partial(x, change), partial(mu, -change), partial(sigma, -(V(z) * change)));
      },
      variate, location, scale);
}

/// Above the edge of a support, or NaN: the log probability of a NaN is one too, which a value beyond the edge would
/// hide.
template <class V>
MANYCHAIN_HD auto above(V x, V edge) {
  return !(x <= edge);
}
/// The value with its derivatives for those that are `inside`, else `edge`.
template <class Mask, class V, class... Partials>
MANYCHAIN_HD auto inside_or(Mask inside, V value, double edge, Partials... partials) {
  return elementary(select(inside, value, V(edge)),
                    partial(partials.child, select(inside, V(partials.derivative), V(0)))...);
}
inline constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

/// The hazard exp(x), or the largest number: its product with a slope that vanishes is then zero and not NaN.
template <class V>
MANYCHAIN_HD V finite_hazard(V x) {
  return min(exp(x), V(std::numeric_limits<number_of<V>>::max()));
}

/// log(1 - exp(-t)) for a hazard t >= 0, and its derivative.
template <class V>
MANYCHAIN_HD void before_hazard(V t, V& value, V& slope) {
  value = log1m_exp(-t);
  slope = 1.0 / expm1(t);
}

/// Between two ends: the variate has gone `from` the lower one and has `left` to the upper one.
template <bool Upper, class V, class X, class A, class B>
MANYCHAIN_HD auto uniform_tail(V from, V left, const X& x, const A& a, const B& b) {
  const V part = Upper ? left : from, rest = Upper ? from : left, whole = from + left;
  const auto none = part <= V(0), all_of_it = rest <= V(0);
  const V value = select(part < rest, V(log(part / whole)), V(log1p(-(rest / whole))));
  // Towards x, towards the end that the part begins at, and towards the other.
  const auto outside = none || all_of_it;
  const V along = select(outside, V(0), 1.0 / part), away = select(outside, V(0), 1.0 / whole);
  const V here = select(outside, V(0), rest / whole * (1.0 / part)), sign(Upper ? -1.0 : 1.0);
  const V logarithm = select(none, V(minus_infinity), select(all_of_it, V(0), value));
  return elementary(nan_if(V(b.value()) < V(a.value()), logarithm), partial(x, sign * along),
                    partial(a, Upper ? away : -here), partial(b, Upper ? here : -away));
}

}  // namespace detail

/// uniform_lcdf(x, a, b): log P(X <= x) of uniform. Support: a < x < b. Source: Stan Functions Reference, Uniform
/// distribution.
template <class X, class A, class B>
MANYCHAIN_HD auto uniform_lcdf(const X& variate, const A& lower_bound, const B& upper_bound) {
  detail::needs_order("uniform_lcdf", lower_bound, upper_bound);
  return detail::vectorised(
      [](const auto& x, const auto& a, const auto& b) MANYCHAIN_LAMBDA {
        using V = detail::common_real<decltype(x.value()), decltype(a.value()), decltype(b.value())>;
        return detail::uniform_tail<false>(V(x.value() - a.value()), V(b.value() - x.value()), x, a, b);
      },
      variate, lower_bound, upper_bound);
}
/// uniform_lccdf(x, a, b): log P(X > x) of uniform. Support: a < x < b. Source: Stan Functions Reference, Uniform
/// distribution.
template <class X, class A, class B>
MANYCHAIN_HD auto uniform_lccdf(const X& variate, const A& lower_bound, const B& upper_bound) {
  detail::needs_order("uniform_lccdf", lower_bound, upper_bound);
  return detail::vectorised(
      [](const auto& x, const auto& a, const auto& b) MANYCHAIN_LAMBDA {
        using V = detail::common_real<decltype(x.value()), decltype(a.value()), decltype(b.value())>;
        return detail::uniform_tail<true>(V(x.value() - a.value()), V(b.value() - x.value()), x, a, b);
      },
      variate, lower_bound, upper_bound);
}

/// normal_lcdf(x, mu, sigma): log P(X <= x) of normal. Support: all x. Source: Stan Functions Reference, Normal
/// distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto normal_lcdf(const X& variate, const M& mean, const S& scale) {
  detail::needs_positive("normal_lcdf", "sigma", scale);
  return detail::of_standardised(
      [](const auto& z, auto& value, auto& slope) MANYCHAIN_LAMBDA {
        value = log_Phi(z);
        slope = log_Phi_slope(z);
      },
      variate, mean, scale);
}
/// normal_lccdf(x, mu, sigma): log P(X > x) of normal. Support: all x. Source: Stan Functions Reference, Normal
/// distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto normal_lccdf(const X& variate, const M& mean, const S& scale) {
  detail::needs_positive("normal_lccdf", "sigma", scale);
  return detail::of_standardised(
      [](const auto& z, auto& value, auto& slope) MANYCHAIN_LAMBDA {
        value = log_Phi(-z);
        slope = -log_Phi_slope(-z);
      },
      variate, mean, scale);
}

/// logistic_lcdf(x, mu, sigma): log P(X <= x) of logistic. Support: all x. Source: Stan Functions Reference, Logistic
/// distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto logistic_lcdf(const X& variate, const M& location, const S& scale) {
  detail::needs_positive("logistic_lcdf", "sigma", scale);
  return detail::of_standardised(
      [](const auto& z, auto& value, auto& slope) MANYCHAIN_LAMBDA {
        value = -log1p_exp(-z);
        slope = inv_logit(-z);
      },
      variate, location, scale);
}
/// logistic_lccdf(x, mu, sigma): log P(X > x) of logistic. Support: all x. Source: Stan Functions Reference, Logistic
/// distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto logistic_lccdf(const X& variate, const M& location, const S& scale) {
  detail::needs_positive("logistic_lccdf", "sigma", scale);
  return detail::of_standardised(
      [](const auto& z, auto& value, auto& slope) MANYCHAIN_LAMBDA {
        value = -log1p_exp(z);
        slope = -inv_logit(z);
      },
      variate, location, scale);
}

/// gumbel_lcdf(x, mu, beta): log P(X <= x) of gumbel. Support: all x. Source: Stan Functions Reference, Gumbel
/// distribution.
template <class X, class M, class B>
MANYCHAIN_HD auto gumbel_lcdf(const X& variate, const M& location, const B& scale) {
  detail::needs_positive("gumbel_lcdf", "beta", scale);
  return detail::of_standardised(
      [](const auto& z, auto& value, auto& slope) MANYCHAIN_LAMBDA {
        slope = exp(-z);
        value = -slope;
      },
      variate, location, scale);
}
/// gumbel_lccdf(x, mu, beta): log P(X > x) of gumbel. Support: all x. Source: Stan Functions Reference, Gumbel
/// distribution.
template <class X, class M, class B>
MANYCHAIN_HD auto gumbel_lccdf(const X& variate, const M& location, const B& scale) {
  detail::needs_positive("gumbel_lccdf", "beta", scale);
  return detail::of_standardised(
      [](const auto& z, auto& value, auto& slope) MANYCHAIN_LAMBDA {
        using V = std::remove_cvref_t<decltype(z)>;
        // log(1 - exp(-t)) with t = exp(-z). Where t is zero this is log t = -z.
        const V t = detail::finite_hazard(V(-z));
        const auto far = t < V(std::numeric_limits<number_of<V>>::min());
        V excess;
        detail::before_hazard(t, value, excess);
        value = select(far, V(-z), value);
        slope = select(far, V(-1), V(-(t * excess)));
      },
      variate, location, scale);
}

/// double_exponential_lcdf(x, mu, sigma): log P(X <= x) of double_exponential. Support: all x. Source: Stan Functions
/// Reference, Double exponential (Laplace) distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto double_exponential_lcdf(const X& variate, const M& location, const S& scale) {
  detail::needs_positive("double_exponential_lcdf", "sigma", scale);
  return detail::of_standardised(
      [](const auto& z, auto& value, auto& slope) MANYCHAIN_LAMBDA {
        using V = std::remove_cvref_t<decltype(z)>;
        const V tail = 0.5 * exp(-abs(z));
        value = select(z < V(0), V(z - log_two), V(log1p(-tail)));
        slope = select(z < V(0), V(1), V(tail / (1.0 - tail)));
      },
      variate, location, scale);
}
/// double_exponential_lccdf(x, mu, sigma): log P(X > x) of double_exponential. Support: all x. Source: Stan Functions
/// Reference, Double exponential (Laplace) distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto double_exponential_lccdf(const X& variate, const M& location, const S& scale) {
  detail::needs_positive("double_exponential_lccdf", "sigma", scale);
  return detail::of_standardised(
      [](const auto& z, auto& value, auto& slope) MANYCHAIN_LAMBDA {
        using V = std::remove_cvref_t<decltype(z)>;
        const V tail = 0.5 * exp(-abs(z));
        value = select(z < V(0), V(log1p(-tail)), V(-z - log_two));
        slope = select(z < V(0), V(-(tail / (1.0 - tail))), V(-1));
      },
      variate, location, scale);
}

namespace detail {
/// log P(X <= x) of a lognormal variate for Sign = 1, log P(X > x) for Sign = -1.
template <int Sign, class X, class M, class S>
MANYCHAIN_HD auto lognormal_tail(const X& variate, const M& mean, const S& scale) {
  return vectorised(
      [](const auto& x, const auto& mu, const auto& sigma) MANYCHAIN_LAMBDA {
        const auto inverse = 1.0 / sigma.value();
        const auto z = (log(x.value()) - mu.value()) * inverse;
        using V = std::remove_cvref_t<decltype(z * 1.0)>;
        const V change = double(Sign) * log_Phi_slope(double(Sign) * z) * inverse;
        const V value = nan_if(V(sigma.value()) < V(0), V(log_Phi(double(Sign) * z)));
        return inside_or(above(V(x.value()), V(0)), value, Sign > 0 ? minus_infinity : 0.0,
                         partial(x, change / x.value()), partial(mu, -change), partial(sigma, -(V(z) * change)));
      },
      variate, mean, scale);
}
}  // namespace detail
/// lognormal_lcdf(x, mu, sigma): log P(X <= x) of lognormal. Support: x > 0. Source: Stan Functions Reference,
/// Lognormal distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto lognormal_lcdf(const X& variate, const M& mean, const S& scale) {
  detail::needs_positive("lognormal_lcdf", "sigma", scale);
  return detail::lognormal_tail<1>(variate, mean, scale);
}
/// lognormal_lccdf(x, mu, sigma): log P(X > x) of lognormal. Support: x > 0. Source: Stan Functions Reference,
/// Lognormal distribution.
template <class X, class M, class S>
MANYCHAIN_HD auto lognormal_lccdf(const X& variate, const M& mean, const S& scale) {
  detail::needs_positive("lognormal_lccdf", "sigma", scale);
  return detail::lognormal_tail<-1>(variate, mean, scale);
}

/// exponential_lcdf(x, beta): log P(X <= x) of exponential. Support: x > 0. Source: Stan Functions Reference,
/// Exponential distribution.
template <class X, class B>
MANYCHAIN_HD auto exponential_lcdf(const X& variate, const B& rate) {
  detail::needs_positive("exponential_lcdf", "beta", rate);
  return detail::vectorised(
      [](const auto& x, const auto& beta) MANYCHAIN_LAMBDA {
        const auto hazard = beta.value() * x.value();
        using V = std::remove_cvref_t<decltype(hazard * 1.0)>;
        V value, slope;
        detail::before_hazard(V(hazard), value, slope);
        return detail::inside_or(detail::above(V(x.value()), V(0)), value, detail::minus_infinity,
                                 partial(x, slope * beta.value()), partial(beta, slope * x.value()));
      },
      variate, rate);
}
/// exponential_lccdf(x, beta): log P(X > x) of exponential. Support: x > 0. Source: Stan Functions Reference,
/// Exponential distribution.
template <class X, class B>
MANYCHAIN_HD auto exponential_lccdf(const X& variate, const B& rate) {
  detail::needs_positive("exponential_lccdf", "beta", rate);
  return detail::vectorised(
      [](const auto& x, const auto& beta) MANYCHAIN_LAMBDA {
        const auto hazard = beta.value() * x.value();
        using V = std::remove_cvref_t<decltype(hazard * 1.0)>;
        const V value = detail::nan_if(V(beta.value()) < V(0), V(-hazard));
        return detail::inside_or(detail::above(V(x.value()), V(0)), value, 0, partial(x, -beta.value()),
                                 partial(beta, -x.value()));
      },
      variate, rate);
}

/// weibull_lcdf(x, alpha, sigma): log P(X <= x) of weibull. Support: x > 0. Source: Stan Functions Reference, Weibull
/// distribution.
template <class X, class A, class S>
MANYCHAIN_HD auto weibull_lcdf(const X& variate, const A& shape, const S& scale) {
  detail::needs_positive("weibull_lcdf", "alpha", shape);
  detail::needs_positive("weibull_lcdf", "sigma", scale);
  return detail::vectorised(
      [](const auto& x, const auto& alpha, const auto& sigma) MANYCHAIN_LAMBDA {
        const auto log_ratio = log(x.value()) - log(sigma.value());
        const auto power = alpha.value() * log_ratio;
        using V = std::remove_cvref_t<decltype(power * 1.0)>;
        // The logarithm of the hazard exp(power) remains where that is zero.
        const V hazard = detail::finite_hazard(V(power));
        const auto far = hazard < V(std::numeric_limits<number_of<V>>::min());
        V value, slope;
        detail::before_hazard(hazard, value, slope);
        const V change = select(far, V(1), V(hazard * slope));
        const V logarithm = detail::nan_if(V(alpha.value()) < V(0), select(far, V(power), value));
        return detail::inside_or(detail::above(V(x.value()), V(0)), logarithm, detail::minus_infinity,
                                 partial(x, change * alpha.value() / x.value()), partial(alpha, change * log_ratio),
                                 partial(sigma, -(change * alpha.value() / sigma.value())));
      },
      variate, shape, scale);
}
/// weibull_lccdf(x, alpha, sigma): log P(X > x) of weibull. Support: x > 0. Source: Stan Functions Reference, Weibull
/// distribution.
template <class X, class A, class S>
MANYCHAIN_HD auto weibull_lccdf(const X& variate, const A& shape, const S& scale) {
  detail::needs_positive("weibull_lccdf", "alpha", shape);
  detail::needs_positive("weibull_lccdf", "sigma", scale);
  return detail::vectorised(
      [](const auto& x, const auto& alpha, const auto& sigma) MANYCHAIN_LAMBDA {
        const auto log_ratio = log(x.value()) - log(sigma.value());
        const auto power = alpha.value() * log_ratio;
        using V = std::remove_cvref_t<decltype(power * 1.0)>;
        const V change = -exp(V(power)), value = detail::nan_if(V(alpha.value()) < V(0), change);
        return detail::inside_or(detail::above(V(x.value()), V(0)), value, 0,
                                 partial(x, change * alpha.value() / x.value()), partial(alpha, change * log_ratio),
                                 partial(sigma, -(change * alpha.value() / sigma.value())));
      },
      variate, shape, scale);
}

/// pareto_lcdf(x, least, alpha): log P(X <= x) of pareto. Support: x > least. Source: Stan Functions Reference, Pareto
/// distribution.
template <class X, class L, class A>
MANYCHAIN_HD auto pareto_lcdf(const X& variate, const L& least, const A& shape) {
  detail::needs_positive("pareto_lcdf", "least", least);
  detail::needs_positive("pareto_lcdf", "alpha", shape);
  return detail::vectorised(
      [](const auto& x, const auto& low, const auto& alpha) MANYCHAIN_LAMBDA {
        const auto log_ratio = log(x.value() / low.value());
        const auto hazard = alpha.value() * log_ratio;
        using V = std::remove_cvref_t<decltype(hazard * 1.0)>;
        V value, slope;
        detail::before_hazard(V(hazard), value, slope);
        const auto none = V(low.value()) < V(0);
        return detail::inside_or(detail::above(V(x.value()), V(low.value())) || none, detail::nan_if(none, value),
                                 detail::minus_infinity, partial(x, slope * alpha.value() / x.value()),
                                 partial(low, -(slope * alpha.value() / low.value())),
                                 partial(alpha, slope * log_ratio));
      },
      variate, least, shape);
}
/// pareto_lccdf(x, least, alpha): log P(X > x) of pareto. Support: x > least. Source: Stan Functions Reference, Pareto
/// distribution.
template <class X, class L, class A>
MANYCHAIN_HD auto pareto_lccdf(const X& variate, const L& least, const A& shape) {
  detail::needs_positive("pareto_lccdf", "least", least);
  detail::needs_positive("pareto_lccdf", "alpha", shape);
  return detail::vectorised(
      [](const auto& x, const auto& low, const auto& alpha) MANYCHAIN_LAMBDA {
        const auto log_ratio = log(x.value() / low.value());
        using V = detail::common_real<decltype(log_ratio), decltype(alpha.value())>;
        const auto none = V(low.value()) < V(0);
        const V value = detail::nan_if(none || V(alpha.value()) < V(0), V(-(alpha.value() * log_ratio)));
        return detail::inside_or(detail::above(V(x.value()), V(low.value())) || none, value, 0,
                                 partial(x, -(alpha.value() / x.value())), partial(low, alpha.value() / low.value()),
                                 partial(alpha, -log_ratio));
      },
      variate, least, shape);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
