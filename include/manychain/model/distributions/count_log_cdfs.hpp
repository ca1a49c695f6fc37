// Log CDFs of counts, and those of complements, for censored and truncated counts:
//
//   term += poisson(y[j], rate) - poisson_lccdf(0, rate);      // zeros are not seen
//   term += neg_binomial_2_lccdf(49, mu, phi);                 // only y >= 50 is known
//
// The contract is that of log_cdfs.hpp: P(Y <= y) and P(Y > y), of which only the second leaves out y itself. Counts
// and numbers of trials are data. Formulae, costs and errors are those of shape_log_cdfs.hpp, of shapes y + 1, n - y,
// and of that of the negative binomial distributions. By the logit, or the logarithm of a mean, nothing overflows or
// vanishes.
#pragma once

#include "manychain/model/distributions/shape_log_cdfs.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// The value where a count is neither `below` all counts nor at or `above` the last; there what is certain, without
/// derivatives.
template <bool Upper, class Mask, class V, class... Partials>
MANYCHAIN_HD auto between_counts(Mask below, Mask above, V value, Partials... partials) {
  const auto certain = Upper ? below : above, never = Upper ? above : below;
  return elementary(select(certain, V(0), select(never, V(minus_infinity), value)),
                    partial(partials.child, select(certain || never, V(0), V(partials.derivative)))...);
}

/// The largest exponent whose exponential is a normal number, as that of its negative is.
template <Real R>
inline constexpr double exponent_limit = is_single<R> ? 80 : 700;
template <Real R>
MANYCHAIN_HD R limited_exponent(R x) {
  return min(max(x, R(-exponent_limit<R>)), R(exponent_limit<R>));
}

/// The tail of a count with mean exp(eta). Slopes: towards the count, which is not asked for, and eta.
template <bool Upper, Real R>
MANYCHAIN_HD LogProbability<R, 2> poisson_log_tail(R count, R eta) {
  const R at = limited_exponent(eta);
  auto tail = log_incomplete_gamma<!Upper>(count + R(1), exp(at));
  // Beyond the limit the leading term alone: rate^(y + 1) / (y + 1)! above, exp(-rate) below.
  if constexpr (Upper) {
    tail.value = tail.value + (count + R(1)) * min(eta - at, R(0));
    tail.slope[1] = tail.slope[1] * exp(at);
  } else {
    tail.value = select(eta > at, -exp(eta), tail.value);
    tail.slope[1] = tail.slope[1] * exp(eta);
  }
  return tail;
}
template <bool Upper, class Y, class E>
MANYCHAIN_HD auto poisson_log_log_cdf(const Y& count, const E& log_rate) {
  return vectorised(
      [](const auto& y, const auto& eta) {
        const auto tail =
            log_probability<2>([]<class R>(R k, R e) { return poisson_log_tail<Upper>(k, e); }, y.value(), eta.value());
        using V = std::remove_cvref_t<decltype(tail.value)>;
        return inside_or(nonnegative<V>(y.value()), tail.value, Upper ? 0.0 : minus_infinity,
                         partial(eta, tail.slope[1]));
      },
      count, log_rate);
}
template <bool Upper, class Y, class L>
MANYCHAIN_HD auto poisson_log_cdf(const Y& count, const L& rate) {
  return vectorised(
      [](const auto& y, const auto& lambda) {
        const auto tail = log_probability<2>(
            []<class R>(R k, R l) {
              auto some = gamma_tail<!Upper>(R(k + R(1)), l);
              const R none = select(l == R(0), R(Upper ? minus_infinity : 0.0), log(l));  // log is NaN of less
              some.value = select(l > R(0), some.value, none);
              // log P(Y <= 0) = -rate has a slope there.
              if constexpr (!Upper) some.slope[1] = select(l == R(0), select(k == R(0), R(-1), R(0)), some.slope[1]);
              return some;
            },
            y.value(), lambda.value());
        using V = std::remove_cvref_t<decltype(tail.value)>;
        return inside_or(nonnegative<V>(y.value()), tail.value, Upper ? 0.0 : minus_infinity,
                         partial(lambda, tail.slope[1]));
      },
      count, rate);
}

/// log I(a, b) at inv_logit(odds), or that of one less it. Slopes: towards a, b and the log odds.
template <bool Upper, Real R>
MANYCHAIN_HD LogProbability<R, 3> beta_tail_of_logit(R a, R b, R odds) {
  const R at = limited_exponent(odds);
  const auto both = inv_logit_pair(at);
  auto tail = log_incomplete_beta<Upper>(a, b, both.p, both.complement, -log1p_exp(-at), -log1p_exp(at));
  // Beyond the limit the tail falls as the power that its end has.
  const R beyond = Upper ? min(at - odds, R(0)) : min(odds - at, R(0));
  tail.value = fma(Upper ? b : a, beyond, tail.value);
  tail.slope[Upper ? 1 : 0] += beyond;
  return tail;
}
/// y + 1 successes or more of n trials: I(y + 1, n - y) at the probability.
template <bool Upper, class Tail, class Y, class N, class P>
MANYCHAIN_HD auto binomial_of(Tail tail_of, const Y& successes, const N& trials, const P& probability) {
  return vectorised(
      [tail_of](const auto& y_, const auto& n_, const auto& p) {
        const auto y = y_.value();
        const auto failures = n_.value() - y;
        const auto tail = log_probability<3>(tail_of, y, failures, p.value());
        using V = std::remove_cvref_t<decltype(tail.value)>;
        return between_counts<Upper>(V(y) < V(0), V(failures) <= V(0), tail.value, partial(p, tail.slope[2]));
      },
      successes, trials, probability);
}
template <bool Upper, class Y, class N, class T>
MANYCHAIN_HD auto binomial_log_cdf(const Y& successes, const N& trials, const T& probability) {
  return binomial_of<Upper>(
      []<class R>(R k, R rest, R theta) {
        auto tail = beta_tail<!Upper>(theta, k + R(1), rest);
        // A variate may have such a value, and a probability may not.
        tail.value = nan_if(no_probability(theta), tail.value);
        // At the ends (1 - theta)^n and theta^n have a slope.
        if constexpr (Upper)
          tail.slope[2] = select(theta == R(1) && rest == R(1), k + R(1), tail.slope[2]);
        else
          tail.slope[2] = select(theta == R(0) && k == R(0), -rest, tail.slope[2]);
        return tail;
      },
      successes, trials, probability);
}
template <bool Upper, class Y, class N, class E>
MANYCHAIN_HD auto binomial_logit_log_cdf(const Y& successes, const N& trials, const E& logit) {
  return binomial_of<Upper>([]<class R>(R k, R rest, R eta) { return beta_tail_of_logit<!Upper>(k + R(1), rest, eta); },
                            successes, trials, logit);
}

template <bool Upper, class Y, class T>
MANYCHAIN_HD auto bernoulli_log_cdf(const Y& outcome, const T& probability) {
  return vectorised(
      [](const auto& y_, const auto& theta) {
        const auto p = theta.value();
        using V = common_real<decltype(y_.value()), decltype(p)>;
        const V y(y_.value());
        const V value = Upper ? V(log(p)) : V(log1p(-p));
        return between_counts<Upper>(y < V(0), y >= V(1), nan_if(no_probability(V(p)), value),
                                     partial(theta, Upper ? V(1.0 / p) : V(-1.0 / (1.0 - p))));
      },
      outcome, probability);
}
template <bool Upper, class Y, class E>
MANYCHAIN_HD auto bernoulli_logit_log_cdf(const Y& outcome, const E& logit) {
  return vectorised(
      [](const auto& y_, const auto& eta) {
        const auto e = Upper ? -eta.value() : eta.value();
        using V = common_real<decltype(y_.value()), decltype(e)>;
        const V y(y_.value());
        return between_counts<Upper>(y < V(0), y >= V(1), V(-log1p_exp(e)),
                                     partial(eta, Upper ? V(inv_logit(e)) : V(-inv_logit(e))));
      },
      outcome, logit);
}

/// P(Y > y) = (1 - theta)^(y + 1).
template <bool Upper, class Y, class T>
MANYCHAIN_HD auto geometric_log_cdf(const Y& failures, const T& probability) {
  return vectorised(
      [](const auto& y_, const auto& theta) {
        const auto log_rest = log1p(-theta.value());
        using V = common_real<decltype(y_.value()), decltype(log_rest)>;
        const V y(y_.value()), log_none = nan_if(no_probability(V(theta.value())), V((y + 1.0) * V(log_rest)));
        if constexpr (Upper)
          return inside_or(nonnegative<V>(y), log_none, 0.0, partial(theta, -((y + 1.0) / (1.0 - theta.value()))));
        else
          return inside_or(nonnegative<V>(y), V(log1m_exp(log_none)), minus_infinity,
                           partial(theta, (y + 1.0) * exp(times_log(y, log_rest)) / -expm1(log_none)));
      },
      failures, probability);
}

/// `tail_of` the count and two parameters, with slopes towards these.
template <bool Upper, class Tail, class Y, class A, class B>
MANYCHAIN_HD auto neg_binomial_of(Tail tail_of, const Y& count, const A& first, const B& second) {
  return vectorised(
      [tail_of](const auto& y, const auto& a, const auto& b) {
        const auto tail = log_probability<2>(tail_of, y.value(), a.value(), b.value());
        using V = std::remove_cvref_t<decltype(tail.value)>;
        return inside_or(nonnegative<V>(y.value()), tail.value, Upper ? 0.0 : minus_infinity, partial(a, tail.slope[0]),
                         partial(b, tail.slope[1]));
      },
      count, first, second);
}
/// P(Y <= y) = I(alpha, y + 1) at beta / (beta + 1).
template <bool Upper, class Y, class A, class B>
MANYCHAIN_HD auto neg_binomial_log_cdf(const Y& count, const A& shape, const B& rate) {
  return neg_binomial_of<Upper>(
      []<class R>(R k, R alpha, R beta) {
        const R rest = R(1) / (R(1) + beta);
        const auto tail =
            log_incomplete_beta<Upper>(alpha, k + R(1), beta * rest, rest, -log1p(R(1) / beta), -log1p(beta));
        return LogProbability<R, 2>{tail.value, {tail.slope[0], tail.slope[2] / beta}};
      },
      count, shape, rate);
}
/// The log CDF by the mean mu: alpha = phi, beta = phi / mu.
template <bool Upper, class Y, class M, class P>
MANYCHAIN_HD auto neg_binomial_2_log_cdf(const Y& count, const M& mean, const P& precision) {
  return neg_binomial_of<Upper>(
      []<class R>(R k, R mu, R phi) {
        const R both = mu + phi;
        const auto tail =
            log_incomplete_beta<Upper>(phi, k + R(1), phi / both, mu / both, -log1p(mu / phi), -log1p(phi / mu));
        return LogProbability<R, 2>{tail.value, {-(tail.slope[2] / mu), tail.slope[0] + tail.slope[2] / phi}};
      },
      count, mean, precision);
}
template <bool Upper, class Y, class E, class P>
MANYCHAIN_HD auto neg_binomial_2_log_log_cdf(const Y& count, const E& log_mean, const P& precision) {
  return neg_binomial_of<Upper>(
      []<class R>(R k, R eta, R phi) {
        const auto tail = beta_tail_of_logit<Upper>(phi, k + R(1), log(phi) - eta);
        return LogProbability<R, 2>{tail.value, {-tail.slope[2], tail.slope[0] + tail.slope[2] / phi}};
      },
      count, log_mean, precision);
}

}  // namespace detail

/// poisson_lcdf(y, lambda): log P(Y <= y) of poisson. Support: y >= 0. Source: Stan Functions Reference, Poisson
/// distribution; DLMF 8.4.10.
template <class Y, class L>
MANYCHAIN_HD auto poisson_lcdf(const Y& count, const L& rate) {
  detail::check_whole("poisson_lcdf", count);
  detail::needs_positive("poisson_lcdf", "lambda", rate);
  return detail::poisson_log_cdf<false>(count, rate);
}
/// poisson_lccdf(y, lambda): log P(Y > y) of poisson. Support: y >= 0. Source: Stan Functions Reference, Poisson
/// distribution; DLMF 8.4.10.
template <class Y, class L>
MANYCHAIN_HD auto poisson_lccdf(const Y& count, const L& rate) {
  detail::check_whole("poisson_lccdf", count);
  detail::needs_positive("poisson_lccdf", "lambda", rate);
  return detail::poisson_log_cdf<true>(count, rate);
}
/// poisson_log_lcdf(y, eta): log P(Y <= y) of poisson_log. Support: y >= 0. Source: Stan Functions Reference, Poisson
/// distribution, log parameterization; DLMF 8.4.10.
template <class Y, class E>
MANYCHAIN_HD auto poisson_log_lcdf(const Y& count, const E& log_rate) {
  detail::check_whole("poisson_log_lcdf", count);
  return detail::poisson_log_log_cdf<false>(count, log_rate);
}
/// poisson_log_lccdf(y, eta): log P(Y > y) of poisson_log. Support: y >= 0. Source: Stan Functions Reference, Poisson
/// distribution, log parameterization; DLMF 8.4.10.
template <class Y, class E>
MANYCHAIN_HD auto poisson_log_lccdf(const Y& count, const E& log_rate) {
  detail::check_whole("poisson_log_lccdf", count);
  return detail::poisson_log_log_cdf<true>(count, log_rate);
}
/// bernoulli_lcdf(y, theta): log P(Y <= y) of bernoulli. Support: 0 <= y < 1. Source: Stan Functions Reference,
/// Bernoulli distribution.
template <class Y, class T>
MANYCHAIN_HD auto bernoulli_lcdf(const Y& outcome, const T& probability) {
  detail::check_whole("bernoulli_lcdf", outcome);
  detail::needs_probability("bernoulli_lcdf", "theta", probability);
  return detail::bernoulli_log_cdf<false>(outcome, probability);
}
/// bernoulli_lccdf(y, theta): log P(Y > y) of bernoulli. Support: 0 <= y < 1. Source: Stan Functions Reference,
/// Bernoulli distribution.
template <class Y, class T>
MANYCHAIN_HD auto bernoulli_lccdf(const Y& outcome, const T& probability) {
  detail::check_whole("bernoulli_lccdf", outcome);
  detail::needs_probability("bernoulli_lccdf", "theta", probability);
  return detail::bernoulli_log_cdf<true>(outcome, probability);
}
/// bernoulli_logit_lcdf(y, eta): log P(Y <= y) of bernoulli_logit. Support: 0 <= y < 1. Source: Stan Functions
/// Reference, Bernoulli distribution, logit parameterization.
template <class Y, class E>
MANYCHAIN_HD auto bernoulli_logit_lcdf(const Y& outcome, const E& logit) {
  detail::check_whole("bernoulli_logit_lcdf", outcome);
  return detail::bernoulli_logit_log_cdf<false>(outcome, logit);
}
/// bernoulli_logit_lccdf(y, eta): log P(Y > y) of bernoulli_logit. Support: 0 <= y < 1. Source: Stan Functions
/// Reference, Bernoulli distribution, logit parameterization.
template <class Y, class E>
MANYCHAIN_HD auto bernoulli_logit_lccdf(const Y& outcome, const E& logit) {
  detail::check_whole("bernoulli_logit_lccdf", outcome);
  return detail::bernoulli_logit_log_cdf<true>(outcome, logit);
}
/// binomial_lcdf(y, n, theta): log P(Y <= y) of binomial. Support: 0 <= y < n. Source: Stan Functions Reference,
/// Binomial distribution; DLMF 8.17.5.
template <class Y, class N, class T>
MANYCHAIN_HD auto binomial_lcdf(const Y& successes, const N& trials, const T& probability) {
  detail::check_whole("binomial_lcdf", successes);
  detail::needs_probability("binomial_lcdf", "theta", probability);
  return detail::binomial_log_cdf<false>(successes, trials, probability);
}
/// binomial_lccdf(y, n, theta): log P(Y > y) of binomial. Support: 0 <= y < n. Source: Stan Functions Reference,
/// Binomial distribution; DLMF 8.17.5.
template <class Y, class N, class T>
MANYCHAIN_HD auto binomial_lccdf(const Y& successes, const N& trials, const T& probability) {
  detail::check_whole("binomial_lccdf", successes);
  detail::needs_probability("binomial_lccdf", "theta", probability);
  return detail::binomial_log_cdf<true>(successes, trials, probability);
}
/// binomial_logit_lcdf(y, n, eta): log P(Y <= y) of binomial_logit. Support: 0 <= y < n. Source: Stan Functions
/// Reference, Binomial distribution, logit parameterization; DLMF 8.17.5.
template <class Y, class N, class E>
MANYCHAIN_HD auto binomial_logit_lcdf(const Y& successes, const N& trials, const E& logit) {
  detail::check_whole("binomial_logit_lcdf", successes);
  return detail::binomial_logit_log_cdf<false>(successes, trials, logit);
}
/// binomial_logit_lccdf(y, n, eta): log P(Y > y) of binomial_logit. Support: 0 <= y < n. Source: Stan Functions
/// Reference, Binomial distribution, logit parameterization; DLMF 8.17.5.
template <class Y, class N, class E>
MANYCHAIN_HD auto binomial_logit_lccdf(const Y& successes, const N& trials, const E& logit) {
  detail::check_whole("binomial_logit_lccdf", successes);
  return detail::binomial_logit_log_cdf<true>(successes, trials, logit);
}
/// geometric_lcdf(y, theta): log P(Y <= y) of geometric. Support: y >= 0. Source: Johnson, Kemp and Kotz, Univariate
/// Discrete Distributions, section 5.2.
template <class Y, class T>
MANYCHAIN_HD auto geometric_lcdf(const Y& failures, const T& probability) {
  detail::check_whole("geometric_lcdf", failures);
  detail::needs_probability("geometric_lcdf", "theta", probability);
  return detail::geometric_log_cdf<false>(failures, probability);
}
/// geometric_lccdf(y, theta): log P(Y > y) of geometric. Support: y >= 0. Source: Johnson, Kemp and Kotz, Univariate
/// Discrete Distributions, section 5.2.
template <class Y, class T>
MANYCHAIN_HD auto geometric_lccdf(const Y& failures, const T& probability) {
  detail::check_whole("geometric_lccdf", failures);
  detail::needs_probability("geometric_lccdf", "theta", probability);
  return detail::geometric_log_cdf<true>(failures, probability);
}
/// neg_binomial_lcdf(y, alpha, beta): log P(Y <= y) of neg_binomial. Support: y >= 0. Source: Stan Functions Reference,
/// Negative binomial distribution; Abramowitz and Stegun 26.5.26.
template <class Y, class A, class B>
MANYCHAIN_HD auto neg_binomial_lcdf(const Y& count, const A& shape, const B& rate) {
  detail::check_whole("neg_binomial_lcdf", count);
  detail::needs_positive("neg_binomial_lcdf", "alpha", shape);
  detail::needs_positive("neg_binomial_lcdf", "beta", rate);
  return detail::neg_binomial_log_cdf<false>(count, shape, rate);
}
/// neg_binomial_lccdf(y, alpha, beta): log P(Y > y) of neg_binomial. Support: y >= 0. Source: Stan Functions Reference,
/// Negative binomial distribution; Abramowitz and Stegun 26.5.26.
template <class Y, class A, class B>
MANYCHAIN_HD auto neg_binomial_lccdf(const Y& count, const A& shape, const B& rate) {
  detail::check_whole("neg_binomial_lccdf", count);
  detail::needs_positive("neg_binomial_lccdf", "alpha", shape);
  detail::needs_positive("neg_binomial_lccdf", "beta", rate);
  return detail::neg_binomial_log_cdf<true>(count, shape, rate);
}
/// neg_binomial_2_lcdf(y, mu, phi): log P(Y <= y) of neg_binomial_2. Support: y >= 0. Source: Stan Functions Reference,
/// Negative binomial distribution (alternative parameterization); Abramowitz and Stegun 26.5.26.
template <class Y, class M, class P>
MANYCHAIN_HD auto neg_binomial_2_lcdf(const Y& count, const M& mean, const P& precision) {
  detail::check_whole("neg_binomial_2_lcdf", count);
  detail::needs_positive("neg_binomial_2_lcdf", "mu", mean);
  detail::needs_positive("neg_binomial_2_lcdf", "phi", precision);
  return detail::neg_binomial_2_log_cdf<false>(count, mean, precision);
}
/// neg_binomial_2_lccdf(y, mu, phi): log P(Y > y) of neg_binomial_2. Support: y >= 0. Source: Stan Functions Reference,
/// Negative binomial distribution (alternative parameterization); Abramowitz and Stegun 26.5.26.
template <class Y, class M, class P>
MANYCHAIN_HD auto neg_binomial_2_lccdf(const Y& count, const M& mean, const P& precision) {
  detail::check_whole("neg_binomial_2_lccdf", count);
  detail::needs_positive("neg_binomial_2_lccdf", "mu", mean);
  detail::needs_positive("neg_binomial_2_lccdf", "phi", precision);
  return detail::neg_binomial_2_log_cdf<true>(count, mean, precision);
}
/// neg_binomial_2_log_lcdf(y, eta, phi): log P(Y <= y) of neg_binomial_2_log. Support: y >= 0. Source: Stan Functions
/// Reference, Negative binomial distribution (log alternative parameterization); Abramowitz and Stegun 26.5.26.
template <class Y, class E, class P>
MANYCHAIN_HD auto neg_binomial_2_log_lcdf(const Y& count, const E& log_mean, const P& precision) {
  detail::check_whole("neg_binomial_2_log_lcdf", count);
  detail::needs_positive("neg_binomial_2_log_lcdf", "phi", precision);
  return detail::neg_binomial_2_log_log_cdf<false>(count, log_mean, precision);
}
/// neg_binomial_2_log_lccdf(y, eta, phi): log P(Y > y) of neg_binomial_2_log. Support: y >= 0. Source: Stan Functions
/// Reference, Negative binomial distribution (log alternative parameterization); Abramowitz and Stegun 26.5.26.
template <class Y, class E, class P>
MANYCHAIN_HD auto neg_binomial_2_log_lccdf(const Y& count, const E& log_mean, const P& precision) {
  detail::check_whole("neg_binomial_2_log_lccdf", count);
  detail::needs_positive("neg_binomial_2_log_lccdf", "phi", precision);
  return detail::neg_binomial_2_log_log_cdf<true>(count, log_mean, precision);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
