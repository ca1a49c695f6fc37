// Draws from distributions of counts and categories, in the form of sampled_distributions.hpp. The masses are those of
// distributions.hpp, count_distributions.hpp and categorical_distributions.hpp, with the same arguments.
//
// Counts are Reals that hold whole numbers: in single precision exact up to 2^24. Parameters that are none give NaN.
// Docstrings are in the form that sampled_continuous.hpp describes.
#pragma once

#include "manychain/model/distributions/categorical_distributions.hpp"
#include "manychain/model/distributions/count_distributions.hpp"
#include "manychain/model/distributions/sampled_continuous.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// A distribution of whole numbers: others have mass zero.
template <class Draw, class Mass>
struct DrawnCount {
  Draw drawn;
  Mass mass;
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>& v) const {
    return drawn(v);
  }
  template <class R>
  MANYCHAIN_HD R log_density(R x) const {
    return select(x == floor(x), R(mass(x).value()), log_of_zero<R>());
  }
};
template <class Draw, class Mass>
MANYCHAIN_HD auto drawn_count(const Draw& draw, const Mass& mass) {
  return DrawnCount<Draw, Mass>{draw, mass};
}

/// Above this mean counts are drawn by rejection, else by inversion.
inline constexpr int rejection_from = 10;

/// By inversion: the mass of 0 is `first`, and the mass of k is ratio(k) times the mass of k - 1. Ends where masses no
/// longer count, so that a uniform of 1 gives no number far out.
template <class R, class Ratio>
MANYCHAIN_HD R count_by_inversion(Variates<R>& v, R mean, R first, Ratio ratio) {
  const R u = v.uniform();
  R mass = first, sum = first, result = R(0);
  for (int k = 1; k < 1000; ++k) {
    mass = mass * ratio(R(k));
    const auto more = u > sum && (sum + mass > sum || R(k) <= mean);
    if (!any(more)) break;
    result = select(more, R(k), result);
    sum = select(more, sum + mass, sum);
  }
  return result;
}
/// k log(k / m) + m - k for k >= 0 and m > 0, without cancellation where k is close to m (Loader 2000).
template <class R>
MANYCHAIN_HD R deviance(R k, R m) {
  const R d = (k - m) / m;
  return m * (times_log(R(1) + d, log1p(d)) - d);
}
/// log k! less (k + 1/2) log k - k + log(2 pi) / 2, for k >= 1.
template <class R>
MANYCHAIN_HD R stirling_error(R k) {
  constexpr int enough = asymptotic<R>;
  const R z = min(k, R(enough));
  return select(k < R(enough), lgamma_positive(z + R(1)) - fma(z + R(0.5), log(z), R(half_log_two_pi) - z),
                stirling_series(max(k, R(enough))));
}

/// Transformed rejection with the squeezes left out (Hoermann 1993): proposals floor((2 a / s + b) u + centre) with u
/// uniform on (-1/2, 1/2) and s = 1/2 - |u|; accept(k, log(v (a / s^2 + b))) of another uniform v.
template <class R, class Accept>
MANYCHAIN_HD R count_by_rejection(Variates<R>& v, R a, R b, R centre, mask_of<R> done, Accept accept) {
  R result = floor(centre);
  v.trials(2, [&] {
    const R u = v.uniform() - R(0.5);
    const R s = max(R(0.5) - abs(u), R(std::numeric_limits<number_of<R>>::epsilon()));
    const R k = floor(fma(fma(R(2), a / s, b), u, centre));
    const auto accepted = accept(k, log(v.uniform()) - log(a / (s * s) + b));
    result = select(!done && accepted, k, result);
    done = done || accepted;
    return all(done);
  });
  return result;
}

template <class R>
MANYCHAIN_HD R poisson_variate(Variates<R>& v, R lambda) {
  const auto few = lambda < R(rejection_from);
  const R small = select(few, lambda, R(1)), large = select(few, R(rejection_from), lambda);
  const R by_inversion = count_by_inversion(v, small, exp(-small), [small](R k) { return small / k; });
  // PTRS.
  const R b = fma(R(2.53), sqrt(large), R(0.931)), a = fma(R(0.02483), b, R(-0.059));
  const R log_inverse_alpha = log(R(1.1239) + R(1.1328) / (b - R(3.4)));
  const auto accept = [&](R k, R log_height) {
    const R positive = max(k, R(1));
    const R log_mass =
        -deviance(positive, large) - stirling_error(positive) - R(half_log_two_pi) - R(0.5) * log(positive);
    return k >= R(0) && log_height + log_inverse_alpha <= select(k == R(0), -large, log_mass);
  };
  const R by_rejection = count_by_rejection<R>(v, a, b, large + R(0.43), few, accept);
  return select(lambda >= R(0) && isfinite(lambda), select(few, by_inversion, by_rejection),
                R(std::numeric_limits<number_of<R>>::quiet_NaN()));
}

template <class R>
MANYCHAIN_HD R binomial_variate(Variates<R>& v, R n, R theta) {
  const auto likely = theta > R(0.5);
  const R p = select(likely, R(1) - theta, theta);  // at most a half
  const auto few = n * p < R(rejection_from);
  const R small_p = select(few, p, R(0)), odds = small_p / (R(1) - small_p);
  const R by_inversion = count_by_inversion(v, n * small_p, exp(n * log1p(-small_p)),
                                            [n, odds](R k) { return max(n - k + R(1), R(0)) * odds / k; });
  // BTRS, of 20 trials with probability 1/2 in the lanes that do without.
  const R N = select(few, R(2 * rejection_from), n), P = select(few, R(0.5), p), Q = R(1) - P;
  const R mean = N * P, failures = N * Q, sd = sqrt(mean * Q);
  const R b = fma(R(2.53), sd, R(1.15)), a = R(-0.0873) + R(0.0248) * b + R(0.01) * P;
  const R log_alpha = log((R(2.83) + R(5.1) / b) * sd);
  const auto log_mass = [&](R k) {
    const R inner = max(min(k, N - R(1)), R(1)), rest = N - inner;
    const R between = stirling_error(N) - stirling_error(inner) - stirling_error(rest) - deviance(inner, mean) -
                      deviance(rest, failures) + R(0.5) * log(N / (inner * rest)) - R(half_log_two_pi);
    return select(k <= R(0), N * log1p(-P), select(k >= N, N * log(P), between));
  };
  const R at_mode = log_mass(floor((N + R(1)) * P));
  const auto accept = [&](R k, R log_height) {
    return k >= R(0) && k <= N && log_height + log_alpha <= log_mass(k) - at_mode;
  };
  const R by_rejection = count_by_rejection<R>(v, a, b, mean + R(0.5), few, accept);
  const R k = select(few, by_inversion, by_rejection);
  return select(n >= R(0) && theta >= R(0) && theta <= R(1), select(likely, n - k, k),
                R(std::numeric_limits<number_of<R>>::quiet_NaN()));
}

}  // namespace detail

/// poisson_distribution(lambda): by inversion below a mean of 10, else by transformed rejection. Source: Hoermann 1993,
/// The transformed rejection method for generating Poisson random variables.
template <class L>
MANYCHAIN_HD auto poisson_distribution(const L& rate) {
  return detail::drawn_count([l = plain(rate)]<class R>(Variates<R>& v) { return detail::poisson_variate(v, R(l)); },
                             [l = plain(rate)](auto y) { return poisson(y, l); });
}
/// poisson_log_distribution(eta): poisson_distribution(exp(eta)). Source: as that.
template <class E>
MANYCHAIN_HD auto poisson_log_distribution(const E& log_rate) {
  return detail::drawn_count(
      [e = plain(log_rate)]<class R>(Variates<R>& v) { return detail::poisson_variate(v, exp(R(e))); },
      [e = plain(log_rate)](auto y) { return poisson(y, exp(decltype(y)(e))); });
}
/// bernoulli_distribution(theta): one where a uniform variate is at most theta. Source: its definition.
template <class T>
MANYCHAIN_HD auto bernoulli_distribution(const T& probability) {
  return detail::drawn_count(
      [t = plain(probability)]<class R>(Variates<R>& v) {
        const R p = R(t);
        return select(p >= R(0) && p <= R(1), select(v.uniform() <= p, R(1), R(0)),
                      R(std::numeric_limits<number_of<R>>::quiet_NaN()));
      },
      [t = plain(probability)](auto y) { return bernoulli(y, t); });
}
/// binomial_distribution(n, theta): by inversion where n theta or n (1 - theta) is below 10, else by transformed
/// rejection. Source: Hoermann 1993, The generation of binomial random variates.
template <class N, class T>
MANYCHAIN_HD auto binomial_distribution(const N& trials, const T& probability) {
  return detail::drawn_count([n = plain(trials), t = plain(probability)]<class R>(
                                 Variates<R>& v) { return detail::binomial_variate(v, R(n), R(t)); },
                             [n = plain(trials), t = plain(probability)](auto y) { return binomial(y, n, t); });
}
/// binomial_logit_distribution(n, eta): binomial_distribution(n, inv_logit(eta)). Source: as that.
template <class N, class E>
MANYCHAIN_HD auto binomial_logit_distribution(const N& trials, const E& logit) {
  return detail::drawn_count(
      [n = plain(trials), e = plain(logit)]<class R>(Variates<R>& v) {
        return detail::binomial_variate(v, R(n), inv_logit(R(e)));
      },
      [n = plain(trials), e = plain(logit)](auto y) { return binomial(y, n, inv_logit(decltype(y)(e))); });
}
/// geometric_distribution(theta): by inversion. Source: Devroye 1986, Non-Uniform Random Variate Generation, X.2.
template <class T>
MANYCHAIN_HD auto geometric_distribution(const T& probability) {
  return detail::drawn_count(
      [t = plain(probability)]<class R>(Variates<R>& v) {
        const R p = R(t);
        return select(p > R(0) && p <= R(1), floor(-detail::fine_exponential(v) / log1p(-p)),
                      R(std::numeric_limits<number_of<R>>::quiet_NaN()));
      },
      [t = plain(probability)](auto y) { return geometric(y, t); });
}
/// neg_binomial_distribution(alpha, beta): a Poisson variate whose mean is a gamma variate. Source: Devroye 1986, X.1.
template <class A, class B>
MANYCHAIN_HD auto neg_binomial_distribution(const A& shape, const B& rate) {
  return detail::drawn_count(
      [a = plain(shape), b = plain(rate)]<class R>(Variates<R>& v) {
        const R mean = v.gamma(R(a)) / R(b);
        return detail::poisson_variate(v, mean);
      },
      [a = plain(shape), b = plain(rate)](auto y) { return neg_binomial(y, a, b); });
}
/// neg_binomial_2_distribution(mu, phi): likewise. Source: as that.
template <class M, class P>
MANYCHAIN_HD auto neg_binomial_2_distribution(const M& mean, const P& precision) {
  return detail::drawn_count(
      [m = plain(mean), p = plain(precision)]<class R>(Variates<R>& v) {
        const R share = v.gamma(R(p)) / R(p);
        return detail::poisson_variate(v, R(m) * share);
      },
      [m = plain(mean), p = plain(precision)](auto y) { return neg_binomial_2(y, m, p); });
}
/// neg_binomial_2_log_distribution(eta, phi): neg_binomial_2_distribution(exp(eta), phi). Source: as that.
template <class E, class P>
MANYCHAIN_HD auto neg_binomial_2_log_distribution(const E& log_mean, const P& precision) {
  return detail::drawn_count(
      [e = plain(log_mean), p = plain(precision)]<class R>(Variates<R>& v) {
        const R share = v.gamma(R(p)) / R(p);
        return detail::poisson_variate(v, exp(R(e)) * share);
      },
      [e = plain(log_mean), p = plain(precision)](auto y) { return neg_binomial_2_log(y, e, p); });
}
/// beta_binomial_distribution(n, a, b): a binomial variate whose probability is a beta variate. Source: its definition.
template <class N, class A, class B>
MANYCHAIN_HD auto beta_binomial_distribution(const N& trials, const A& first, const B& second) {
  return detail::drawn_count(
      [n = plain(trials), a = plain(first), b = plain(second)]<class R>(Variates<R>& v) {
        const R theta = v.beta(R(a), R(b));
        return detail::binomial_variate(v, R(n), theta);
      },
      [n = plain(trials), a = plain(first), b = plain(second)](auto y) { return beta_binomial(y, n, a, b); });
}
/// ordered_logistic_distribution(eta, c): how many of the cutpoints c a logistic variate about eta is above. Source:
/// its definition.
template <class E, VectorOperand C>
MANYCHAIN_HD auto ordered_logistic_distribution(const E& predictor, const C& cutpoints) {
  return detail::drawn_count(
      [e = plain(predictor), c = cutpoints.view()]<class R>(Variates<R>& v) {
        const R latent = logistic_distribution(R(e), R(1)).draw(v);
        R y = R(0);
        for_each(c.size(), [&](int k) { y += select(latent > R(as_node(c[k]).value()), R(1), R(0)); });
        return select(isfinite(latent), y, R(std::numeric_limits<number_of<R>>::quiet_NaN()));
      },
      [e = plain(predictor), c = cutpoints.view()](auto y) { return ordered_logistic(y, e, c); });
}

/// categorical_distribution(theta): category k with probability proportional to theta[k], a vector of parameters or of
/// data. Source: inversion of the cumulative sum.
template <VectorOperand T>
MANYCHAIN_HD auto categorical_distribution(const T& probabilities) {
  return categorical_distribution(probabilities.size(),
                                  [theta = probabilities.view()](int k) { return as_node(theta[k]).value(); });
}
/// categorical_logit_distribution(eta): category k with probability proportional to exp(eta[k]). Source: as that.
template <VectorOperand E>
MANYCHAIN_HD auto categorical_logit_distribution(const E& logits) {
  return categorical_logit_distribution(logits.size(),
                                        [eta = logits.view()](int k) { return as_node(eta[k]).value(); });
}

/// A block: multinomial_distribution(K, n, theta): n trials, each giving k with probability proportional to theta(k),
/// k = 0, ..., K - 1. Source: one binomial variate after the other, Devroye 1986, XI.1.
template <class K, class N, class W>
struct MultinomialDistribution {
  K size;
  N trials;
  W weight;
  template <class R, class Out>
  MANYCHAIN_HD void draw(Variates<R>& v, Out& out) const {
    const R whole = total<R>();
    R left = select(whole > R(0) && isfinite(whole), R(trials), R(std::numeric_limits<number_of<R>>::quiet_NaN()));
    for_each(size, [&](int k) {
      // The sum of the weights from k on, formed anew: where all others are zero it has the bits of weight k.
      R rest = R(weight(k));
      for (int j = k + 1; j < size.value(); ++j) rest += R(weight(j));
      const R theta = select(rest > R(0), R(weight(k)) / rest, R(0));
      const R count = k + 1 < size.value() ? detail::binomial_variate(v, left, theta) : left;
      out[k] = count;
      left = left - count;
    });
  }
  template <class R, class X>
  MANYCHAIN_HD R log_density(const X& x) const {
    const R whole = total<R>();
    R value = lgamma_positive(R(trials) + R(1)), sum = R(0);
    mask_of<R> inside = R(0) == R(0);
    for_each(size, [&](int k) {
      const R y = R(x[k]);
      value += detail::times_log(y, log(R(weight(k)) / whole)) - lgamma_positive(y + R(1));
      sum += y;
      inside = inside && y >= R(0) && y == floor(y);
    });
    return select(inside && sum == R(trials), value, detail::log_of_zero<R>());
  }

 private:
  template <class R>
  MANYCHAIN_HD R total() const {
    R sum = R(0);
    for_each(size, [&](int k) { sum += R(weight(k)); });
    return sum;
  }
};
template <class K, class N, class W>
MANYCHAIN_HD auto multinomial_distribution(K size, const N& trials, W weight) {
  return MultinomialDistribution<decltype(as_size(size)), decltype(plain(trials)), W>{as_size(size), plain(trials),
                                                                                      weight};
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
