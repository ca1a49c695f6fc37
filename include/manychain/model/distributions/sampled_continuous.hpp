// Draws from continuous distributions, in the form of sampled_distributions.hpp: for predictions, full conditionals and
// proposals. The densities are those of distributions.hpp and continuous_distributions.hpp, with the same arguments.
//
// Each docstring reads: NAME_distribution(parameters): how NAME is drawn. Source: where that is written.
#pragma once

#include "manychain/model/distributions/continuous_distributions.hpp"
#include "manychain/model/distributions/sampled_distributions.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// A distribution that is drawn by draw(variates) and has the log density density(x).
template <class Draw, class Density>
struct Drawn {
  Draw drawn;
  Density density;
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>& v) const {
    return drawn(v);
  }
  template <class R>
  MANYCHAIN_HD R log_density(R x) const {
    return R(density(x).value());
  }
};
template <class Draw, class Density>
MANYCHAIN_HD auto drawn(const Draw& draw, const Density& density) {
  return Drawn<Draw, Density>{draw, density};
}

/// Rate one, fine near zero as well as far out, and never zero: whether it is above its median is drawn by itself.
template <class R>
MANYCHAIN_HD R fine_exponential(Variates<R>& v) {
  const R half = R(0.5) * v.uniform();
  return select(v.uniform() <= R(0.5), -log(half), -log1p(-half));
}
/// x or -x with equal probability.
template <class R>
MANYCHAIN_HD R with_sign(Variates<R>& v, R x) {
  return select(v.uniform() <= R(0.5), x, -x);
}
/// The absolute value of a Cauchy variate: cot(pi u / 2).
template <class R>
MANYCHAIN_HD R half_cauchy_variate(Variates<R>& v) {
  R sine, cosine;
  sincos_two_pi(R(0.25) * v.uniform(), sine, cosine);
  return cosine / sine;
}
/// Student's t: a normal variate over the root of a gamma variate, whose logarithm does not underflow.
template <class R>
MANYCHAIN_HD R student_t_variate(Variates<R>& v, R nu) {
  const R z = v.normal(), half = R(0.5) * nu;
  return z * exp(R(-0.5) * (v.log_gamma(half) - log(half)));
}

}  // namespace detail

/// normal_variance_distribution(mu, v): normal_distribution(mu, sqrt(v)). Source: as that of normal_distribution.
template <class M, class V>
MANYCHAIN_HD auto normal_variance_distribution(const M& mean, const V& variance) {
  return detail::drawn(
      [m = plain(mean), w = plain(variance)]<class R>(Variates<R>& v) { return fma(sqrt(R(w)), v.normal(), R(m)); },
      [m = plain(mean), w = plain(variance)](auto x) { return normal_variance(x, m, w); });
}
/// half_normal_distribution(sigma): the absolute value of a normal variate. Source: its definition.
template <class S>
MANYCHAIN_HD auto half_normal_distribution(const S& scale) {
  return detail::drawn([s = plain(scale)]<class R>(Variates<R>& v) { return R(s) * abs(v.normal()); },
                       [s = plain(scale)](auto x) { return half_normal(x, s); });
}
/// half_cauchy_distribution(sigma): by inversion. Source: Devroye 1986, Non-Uniform Random Variate Generation, II.2.
template <class S>
MANYCHAIN_HD auto half_cauchy_distribution(const S& scale) {
  return detail::drawn([s = plain(scale)]<class R>(Variates<R>& v) { return R(s) * detail::half_cauchy_variate(v); },
                       [s = plain(scale)](auto x) { return half_cauchy(x, s); });
}
/// student_t_distribution(nu, mu, sigma): from a normal and a gamma variate. Source: Devroye 1986, IX.5.
template <class N, class M, class S>
MANYCHAIN_HD auto student_t_distribution(const N& freedom, const M& location, const S& scale) {
  return detail::drawn(
      [n = plain(freedom), m = plain(location), s = plain(scale)]<class R>(Variates<R>& v) {
        return fma(R(s), detail::student_t_variate(v, R(n)), R(m));
      },
      [n = plain(freedom), m = plain(location), s = plain(scale)](auto x) { return student_t(x, n, m, s); });
}
/// half_student_t_distribution(nu, sigma): the absolute value of a Student's t variate. Source: its definition.
template <class N, class S>
MANYCHAIN_HD auto half_student_t_distribution(const N& freedom, const S& scale) {
  return detail::drawn([n = plain(freedom), s = plain(scale)]<class R>(
                           Variates<R>& v) { return R(s) * abs(detail::student_t_variate(v, R(n))); },
                       [n = plain(freedom), s = plain(scale)](auto x) { return half_student_t(x, n, s); });
}
/// lognormal_distribution(mu, sigma): exp of a normal variate. Source: its definition.
template <class M, class S>
MANYCHAIN_HD auto lognormal_distribution(const M& mean, const S& scale) {
  return detail::drawn(
      [m = plain(mean), s = plain(scale)]<class R>(Variates<R>& v) { return exp(fma(R(s), v.normal(), R(m))); },
      [m = plain(mean), s = plain(scale)](auto x) { return lognormal(x, m, s); });
}
/// double_exponential_distribution(mu, sigma): an exponential variate with a sign. Source: Devroye 1986, II.2.
template <class M, class S>
MANYCHAIN_HD auto double_exponential_distribution(const M& location, const S& scale) {
  return detail::drawn(
      [m = plain(location), s = plain(scale)]<class R>(Variates<R>& v) {
        const R size = v.exponential();
        return fma(R(s), detail::with_sign(v, size), R(m));
      },
      [m = plain(location), s = plain(scale)](auto x) { return double_exponential(x, m, s); });
}
/// logistic_distribution(mu, sigma): the absolute value by inversion, and a sign. Source: Devroye 1986, II.2.
template <class M, class S>
MANYCHAIN_HD auto logistic_distribution(const M& location, const S& scale) {
  return detail::drawn(
      [m = plain(location), s = plain(scale)]<class R>(Variates<R>& v) {
        const R u = v.uniform();
        return fma(R(s), detail::with_sign(v, log((R(2) - u) / u)), R(m));
      },
      [m = plain(location), s = plain(scale)](auto x) { return logistic(x, m, s); });
}
/// weibull_distribution(alpha, sigma): a power of an exponential variate. Source: Devroye 1986, II.2.
template <class A, class S>
MANYCHAIN_HD auto weibull_distribution(const A& shape, const S& scale) {
  return detail::drawn([a = plain(shape), s = plain(scale)]<class R>(
                           Variates<R>& v) { return R(s) * exp(log(detail::fine_exponential(v)) / R(a)); },
                       [a = plain(shape), s = plain(scale)](auto x) { return weibull(x, a, s); });
}
/// gumbel_distribution(mu, beta): less the logarithm of an exponential variate. Source: Devroye 1986, II.2.
template <class M, class B>
MANYCHAIN_HD auto gumbel_distribution(const M& location, const B& scale) {
  return detail::drawn([m = plain(location), b = plain(scale)]<class R>(
                           Variates<R>& v) { return fma(-R(b), log(detail::fine_exponential(v)), R(m)); },
                       [m = plain(location), b = plain(scale)](auto x) { return gumbel(x, m, b); });
}
/// von_mises_distribution(mu, kappa): on (mu - pi, mu + pi), by rejection from a wrapped Cauchy distribution, which is
/// accepted with probability above 0.65. Source: Best and Fisher 1979, in half angles, so that a large kappa loses no
/// digits.
template <class M, class K>
MANYCHAIN_HD auto von_mises_distribution(const M& location, const K& concentration) {
  return detail::drawn(
      [m = plain(location), k = plain(concentration)]<class R>(Variates<R>& v) {
        const R kappa = select(R(k) >= R(0), R(k), R(std::numeric_limits<number_of<R>>::quiet_NaN()));
        // kappa (r - 1) of their r, and (1 - rho) / (1 + rho) of their rho.
        const R excess = R(0.5) * (R(1) + R(1) / (sqrt(fma(R(4) * kappa, kappa, R(1))) + R(2) * kappa));
        const R ratio = sqrt(excess / fma(R(2), kappa, excess));
        mask_of<R> done = R(0) == R(1);
        R tangent = R(0);
        v.trials(2, [&] {
          const R t = ratio * detail::half_cauchy_variate(v);  // tan(w / 2) of the proposal w
          const R less = R(2) / (R(1) + R(1) / (t * t));       // 1 - cos w
          const R y = fma(kappa, less, excess);
          const auto accept = log(v.uniform()) <= R(1) - y + log(y);
          tangent = select(!done && accept, t, tangent);
          done = done || accept;
          return all(done);
        });
        const R w = detail::with_sign(v, R(2) * atan(tangent));
        return R(m) + select(isfinite(kappa), w, kappa - kappa);
      },
      [m = plain(location), k = plain(concentration)](auto x) { return von_mises(x, m, k); });
}
/// skew_normal_distribution(xi, omega, alpha): from two normal variates. Source: Azzalini 1986, Further results on a
/// class of distributions which includes the normal ones.
template <class L, class S, class A>
MANYCHAIN_HD auto skew_normal_distribution(const L& location, const S& scale, const A& shape) {
  return detail::drawn(
      [l = plain(location), s = plain(scale), a = plain(shape)]<class R>(Variates<R>& v) {
        const R rest = R(1) / sqrt(fma(R(a), R(a), R(1)));
        const R size = abs(v.normal());
        return fma(R(s), rest * fma(R(a), size, v.normal()), R(l));
      },
      [l = plain(location), s = plain(scale), a = plain(shape)](auto x) { return skew_normal(x, l, s, a); });
}
/// chi_square_distribution(nu): twice a gamma variate. Source: Devroye 1986, IX.3.
template <class N>
MANYCHAIN_HD auto chi_square_distribution(const N& freedom) {
  return detail::drawn([n = plain(freedom)]<class R>(Variates<R>& v) { return R(2) * v.gamma(R(0.5) * R(n)); },
                       [n = plain(freedom)](auto x) { return chi_square(x, n); });
}
/// pareto_distribution(least, alpha): by inversion. Source: Devroye 1986, II.2.
template <class L, class A>
MANYCHAIN_HD auto pareto_distribution(const L& least, const A& shape) {
  return detail::drawn(
      [l = plain(least), a = plain(shape)]<class R>(Variates<R>& v) { return R(l) * exp(v.exponential() / R(a)); },
      [l = plain(least), a = plain(shape)](auto x) { return pareto(x, l, a); });
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
