// Log masses of counts, in the form of distributions.hpp: normalising constants included. Counts and numbers of trials
// are data, or whole numbers of a state: they receive no derivative. Data that are not whole are refused when they are
// bound.
//
// Docstrings are in the form that continuous_distributions.hpp describes.
#pragma once

#include "manychain/model/distributions/functions.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {
/// log of n over k, for 0 <= k <= n.
template <class N, class K>
MANYCHAIN_HD auto log_choose(N n, K k) {
  return lgamma_positive(n + 1.0) - lgamma_positive(k + 1.0) - lgamma_positive(n - k + 1.0);
}
}  // namespace detail

/// poisson(y, lambda): a count with mean lambda >= 0. Support: y = 0, 1, ... Source: Stan Functions Reference, Poisson
/// distribution.
template <class Y, class L>
MANYCHAIN_HD auto poisson(const Y& count, const L& rate) {
  detail::check_whole("poisson", count);
  detail::needs_positive("poisson", "lambda", rate);
  return detail::vectorised(
      [](const auto& y, const auto& lambda) MANYCHAIN_LAMBDA {
        const auto k = y.value();
        const auto l = lambda.value();
        using V = detail::common_real<decltype(k), decltype(l)>;
        const V value = V(detail::times_log(k, log(l)) - l - lgamma_positive(k + 1.0));
        return detail::supported(detail::nonnegative<V>(k), detail::nan_if(V(l) < V(0), value),
                                 partial(lambda, detail::divide_or_zero(k, l) - 1.0));
      },
      count, rate);
}

/// bernoulli(y, theta): one with probability theta, else zero. Support: y = 0, 1. Source: Stan Functions Reference,
/// Bernoulli distribution.
template <class Y, class T>
MANYCHAIN_HD auto bernoulli(const Y& outcome, const T& probability) {
  detail::check_whole("bernoulli", outcome);
  detail::needs_probability("bernoulli", "theta", probability);
  return detail::vectorised(
      [](const auto& y_, const auto& theta) MANYCHAIN_LAMBDA {
        const auto y = y_.value();
        const auto p = theta.value();
        using V = detail::common_real<decltype(y), decltype(p)>;
        const V value = select(V(y) == V(1), V(log(p)), V(log1p(-p)));
        return detail::supported(V(y) == V(0) || V(y) == V(1), detail::nan_if(detail::no_probability(V(p)), value),
                                 partial(theta, select(V(y) == V(1), V(1.0 / p), V(-1.0 / (1.0 - p)))));
      },
      outcome, probability);
}

/// binomial(y, n, theta): y successes of n trials, each with probability theta. Support: y = 0, ..., n. Source: Stan
/// Functions Reference, Binomial distribution.
template <class Y, class N, class T>
MANYCHAIN_HD auto binomial(const Y& successes, const N& trials, const T& probability) {
  detail::check_whole("binomial", successes);
  detail::check_whole("binomial", trials);
  detail::needs_probability("binomial", "theta", probability);
  return detail::vectorised(
      [](const auto& y_, const auto& n_, const auto& theta) MANYCHAIN_LAMBDA {
        const auto y = y_.value();
        const auto failures = n_.value() - y;
        const auto p = theta.value();
        using V = detail::common_real<decltype(failures), decltype(p)>;
        const V value = V(detail::log_choose(n_.value(), y) + detail::times_log(y, log(p)) +
                          detail::times_log(failures, log1p(-p)));
        return detail::supported(
            detail::nonnegative<V>(y) && detail::nonnegative<V>(failures),
            detail::nan_if(detail::no_probability(V(p)), value),
            partial(theta, detail::divide_or_zero(y, p) - detail::divide_or_zero(failures, 1.0 - p)));
      },
      successes, trials, probability);
}

/// geometric(y, theta): y failures before the first success, each trial succeeding with probability theta > 0.
/// Support: y = 0, 1, ... Source: Johnson, Kemp and Kotz, Univariate Discrete Distributions, section 5.1.
template <class Y, class T>
MANYCHAIN_HD auto geometric(const Y& failures, const T& probability) {
  detail::check_whole("geometric", failures);
  detail::needs_probability("geometric", "theta", probability);
  return detail::vectorised(
      [](const auto& y_, const auto& theta) MANYCHAIN_LAMBDA {
        const auto y = y_.value();
        const auto p = theta.value();
        using V = detail::common_real<decltype(y), decltype(p)>;
        const V value = V(log(p) + detail::times_log(y, log1p(-p)));
        return detail::supported(detail::nonnegative<V>(y), detail::nan_if(detail::no_probability(V(p)), value),
                                 partial(theta, 1.0 / p - detail::divide_or_zero(y, 1.0 - p)));
      },
      failures, probability);
}

/// neg_binomial(y, alpha, beta): a Poisson count whose mean is gamma with shape alpha > 0 and rate beta > 0. Support:
/// y = 0, 1, ... Source: Stan Functions Reference, Negative binomial distribution.
template <class Y, class A, class B>
MANYCHAIN_HD auto neg_binomial(const Y& count, const A& shape, const B& rate) {
  detail::check_whole("neg_binomial", count);
  detail::needs_positive("neg_binomial", "alpha", shape);
  detail::needs_positive("neg_binomial", "beta", rate);
  return detail::vectorised(
      [](const auto& y_, const auto& alpha, const auto& beta) MANYCHAIN_LAMBDA {
        const auto y = y_.value();
        const auto a = alpha.value();
        const auto b = beta.value();
        const auto log_rest = log1p(1.0 / b);  // less the log of beta / (beta + 1)
        using V = detail::common_real<detail::common_real<decltype(y), decltype(a)>, decltype(b)>;
        return detail::supported(
            detail::nonnegative<V>(y),
            detail::nan_if(V(a) < V(0) || V(b) < V(0), V(lgamma_difference(a, y) - lgamma_positive(y + 1.0) -
                                                         a * log_rest - detail::times_log(y, log1p(b)))),
            partial(alpha, digamma_difference(a, y) - log_rest), partial(beta, (a / b - y) / (1.0 + b)));
      },
      count, shape, rate);
}

/// neg_binomial_2(y, mu, phi): a count with mean mu > 0 and variance mu + mu^2 / phi, phi > 0. Support: y = 0, 1, ...
/// Source: Stan Functions Reference, Negative binomial distribution (alternative parameterization).
template <class Y, class M, class P>
MANYCHAIN_HD auto neg_binomial_2(const Y& count, const M& mean, const P& precision) {
  detail::check_whole("neg_binomial_2", count);
  detail::needs_positive("neg_binomial_2", "mu", mean);
  detail::needs_positive("neg_binomial_2", "phi", precision);
  return detail::vectorised(
      [](const auto& y_, const auto& mu_, const auto& phi_) MANYCHAIN_LAMBDA {
        const auto y = y_.value();
        const auto mu = mu_.value();
        const auto phi = phi_.value();
        const auto both = mu + phi;
        const auto tail = log1p(mu / phi);
        using V = detail::common_real<decltype(y), decltype(both)>;
        // Towards the Poisson distribution, phi far larger than y and mu, what remains is of the size of y and mu.
        return detail::supported(
            detail::nonnegative<V>(y),
            detail::nan_if(V(mu) < V(0) || V(phi) < V(0), V(lgamma_difference(phi, y) - lgamma_positive(y + 1.0) +
                                                            detail::times_log(y, log(mu) - log(both)) - phi * tail)),
            partial(mu_, select(V(mu) == V(0) && V(y) == V(0), V(-1), V((y - mu) / mu)) * (phi / both)),
            partial(phi_, digamma_difference(phi, y) - tail + (mu - y) / both));
      },
      count, mean, precision);
}

/// neg_binomial_2_log(y, eta, phi): neg_binomial_2 with mean exp(eta), without overflow. Support: y = 0, 1, ...
/// Source: Stan Functions Reference, Negative binomial distribution (log alternative parameterization).
template <class Y, class E, class P>
MANYCHAIN_HD auto neg_binomial_2_log(const Y& count, const E& log_mean, const P& precision) {
  detail::check_whole("neg_binomial_2_log", count);
  detail::needs_positive("neg_binomial_2_log", "phi", precision);
  return detail::vectorised(
      [](const auto& y_, const auto& eta, const auto& phi_) MANYCHAIN_LAMBDA {
        const auto y = y_.value();
        const auto phi = phi_.value();
        const auto odds = eta.value() - log(phi);  // log(mu / phi)
        const auto [up, down] = inv_logit_pair(odds);
        const auto tail = log1p_exp(odds);
        using V = detail::common_real<decltype(y), decltype(odds)>;
        return detail::supported(
            detail::nonnegative<V>(y),
            V(lgamma_difference(phi, y) - lgamma_positive(y + 1.0) - y * log1p_exp(-odds) - phi * tail),
            partial(eta, y * down - phi * up),
            partial(phi_, digamma_difference(phi, y) - y * down / phi - (tail - up)));
      },
      count, log_mean, precision);
}

/// beta_binomial(y, n, a, b): y successes of n trials whose probability is beta with shapes a, b > 0. Support: y = 0,
/// ..., n. Source: Stan Functions Reference, Beta-binomial distribution.
template <class Y, class N, class A, class B>
MANYCHAIN_HD auto beta_binomial(const Y& successes, const N& trials, const A& first, const B& second) {
  detail::check_whole("beta_binomial", successes);
  detail::check_whole("beta_binomial", trials);
  detail::needs_positive("beta_binomial", "a", first);
  detail::needs_positive("beta_binomial", "b", second);
  return detail::vectorised(
      [](const auto& y_, const auto& n_, const auto& a_, const auto& b_) MANYCHAIN_LAMBDA {
        const auto y = y_.value();
        const auto n = n_.value();
        const auto failures = n - y;
        const auto a = a_.value();
        const auto b = b_.value();
        const auto both = a + b;
        using V = detail::common_real<decltype(failures), decltype(both)>;
        const auto whole = digamma_difference(both, n);
        return detail::supported(detail::nonnegative<V>(y) && detail::nonnegative<V>(failures),
                                 V(detail::log_choose(n, y) + lgamma_difference(a, y) + lgamma_difference(b, failures) -
                                   lgamma_difference(both, n)),
                                 partial(a_, digamma_difference(a, y) - whole),
                                 partial(b_, digamma_difference(b, failures) - whole));
      },
      successes, trials, first, second);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
