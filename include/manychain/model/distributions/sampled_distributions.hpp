// Distributions as objects that can be drawn from and evaluated, for full conditionals, proposals and predictions. The
// densities are those of distributions.hpp.
//
// That of one component has draw<R>(variates) -> R and log_density(x) -> R, that of a block draw<R>(variates, out) and
// log_density<R>(x), where out[i] and x[i] are its components. Discrete components hold whole numbers.
#pragma once

#include "manychain/model/distributions/distributions.hpp"
#include "manychain/random/variates.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The number behind an argument: where a prediction is drawn, it may be a parameter or an expression.
template <class T>
MANYCHAIN_HD auto plain(const T& x) {
  static_assert(!VectorOperand<T>,
                "a distribution that is drawn from takes numbers: for a vector of draws write target.predict(name, N, "
                "[&](auto j) { return normal_distribution(mu[j], sigma); })");
  if constexpr (Node<T>)
    return value(x);
  else
    return x;
}

/// Normal with that mean and standard deviation.
template <class M, class S>
struct NormalDistribution {
  M mean;
  S sd;
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>& v) const {
    return fma(R(sd), v.normal(), R(mean));
  }
  template <class R>
  MANYCHAIN_HD R log_density(R x) const {
    return R(normal(x, R(mean), R(sd)).value());
  }
};
/// normal_distribution(mean, sd): by the transform of Box and Muller. Source: Box and Muller 1958, A note on the
/// generation of random normal deviates.
template <class M, class S>
MANYCHAIN_HD auto normal_distribution(const M& mean, const S& sd) {
  return NormalDistribution<decltype(plain(mean)), decltype(plain(sd))>{plain(mean), plain(sd)};
}

/// Cauchy with that location and scale.
template <class M, class S>
struct CauchyDistribution {
  M location;
  S scale;
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>& v) const {
    // Inverse transform of the absolute value, cot(pi u / 2), and a sign: u is finest near 0, and never 0. (In
    // tan(pi (u - 1/2)) a u that rounds to 1 is a draw at infinity.)
    R sine, cosine;
    sincos_two_pi(R(0.25) * v.uniform(), sine, cosine);
    const R magnitude = cosine / sine;
    return fma(R(scale), select(v.uniform() <= R(0.5), magnitude, -magnitude), R(location));
  }
  template <class R>
  MANYCHAIN_HD R log_density(R x) const {
    return R(cauchy(x, R(location), R(scale)).value());
  }
};
/// cauchy_distribution(location, scale): the absolute value by inversion, and a sign. Source: Devroye 1986, Non-Uniform
/// Random Variate Generation, II.2.
template <class M, class S>
MANYCHAIN_HD auto cauchy_distribution(const M& location, const S& scale) {
  return CauchyDistribution<decltype(plain(location)), decltype(plain(scale))>{plain(location), plain(scale)};
}

/// Uniform on [low, high].
template <class A, class B>
struct UniformDistribution {
  A low;
  B high;
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>& v) const {
    return min(fma(R(high) - R(low), v.uniform(), R(low)), R(high));  // rounding may lead outside
  }
  template <class R>
  MANYCHAIN_HD R log_density(R x) const {
    return R(uniform(x, R(low), R(high)).value());
  }
};
/// uniform_distribution(low, high): a uniform variate, stretched. Source: its definition.
template <class A, class B>
MANYCHAIN_HD auto uniform_distribution(const A& low, const B& high) {
  return UniformDistribution<decltype(plain(low)), decltype(plain(high))>{plain(low), plain(high)};
}

/// Exponential with that rate.
template <class B>
struct ExponentialDistribution {
  B rate;
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>& v) const {
    return v.exponential() / R(rate);
  }
  template <class R>
  MANYCHAIN_HD R log_density(R x) const {
    return R(exponential(x, R(rate)).value());
  }
};
/// exponential_distribution(rate): by inversion. Source: Devroye 1986, II.2.
template <class B>
MANYCHAIN_HD auto exponential_distribution(const B& rate) {
  return ExponentialDistribution<decltype(plain(rate))>{plain(rate)};
}

/// Gamma with that shape and rate.
template <class A, class B>
struct GammaDistribution {
  A shape;
  B rate;
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>& v) const {
    return v.gamma(R(shape)) / R(rate);
  }
  template <class R>
  MANYCHAIN_HD R log_density(R x) const {
    return R(gamma(x, R(shape), R(rate)).value());
  }
};
/// gamma_distribution(shape, rate): by rejection. Source: Marsaglia and Tsang 2000, A simple method for generating
/// gamma variables.
template <class A, class B>
MANYCHAIN_HD auto gamma_distribution(const A& shape, const B& rate) {
  return GammaDistribution<decltype(plain(shape)), decltype(plain(rate))>{plain(shape), plain(rate)};
}

/// Inverse gamma with that shape and scale.
template <class A, class B>
struct InverseGammaDistribution {
  A shape;
  B scale;
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>& v) const {
    return R(scale) / v.gamma(R(shape));
  }
  template <class R>
  MANYCHAIN_HD R log_density(R x) const {
    return R(inverse_gamma(x, R(shape), R(scale)).value());
  }
};
/// inverse_gamma_distribution(shape, scale): the scale over a gamma variate. Source: its definition.
template <class A, class B>
MANYCHAIN_HD auto inverse_gamma_distribution(const A& shape, const B& scale) {
  return InverseGammaDistribution<decltype(plain(shape)), decltype(plain(scale))>{plain(shape), plain(scale)};
}

/// Beta with those shapes.
template <class A, class B>
struct BetaDistribution {
  A a;
  B b;
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>& v) const {
    return v.beta(R(a), R(b));
  }
  template <class R>
  MANYCHAIN_HD R log_density(R x) const {
    return R(beta(x, R(a), R(b)).value());
  }
};
/// beta_distribution(a, b): from the logarithms of two gamma variates. Source: Devroye 1986, IX.4.
template <class A, class B>
MANYCHAIN_HD auto beta_distribution(const A& a, const B& b) {
  return BetaDistribution<decltype(plain(a)), decltype(plain(b))>{plain(a), plain(b)};
}

/// One with probability inv_logit(eta), else zero. NaN where eta is NaN.
template <class E>
struct BernoulliLogitDistribution {
  E eta;
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>& v) const {
    const R p = inv_logit(R(eta));
    return select(p >= R(0), select(v.uniform() <= p, R(1), R(0)), R(std::numeric_limits<number_of<R>>::quiet_NaN()));
  }
  template <class R>
  MANYCHAIN_HD R log_density(R x) const {
    return select(x == R(0) || x == R(1), R(bernoulli_logit(x, R(eta)).value()),
                  R(-std::numeric_limits<number_of<R>>::infinity()));
  }
};
/// bernoulli_logit_distribution(eta): one where a uniform variate is at most inv_logit(eta). Source: its definition.
template <class E>
MANYCHAIN_HD auto bernoulli_logit_distribution(const E& eta) {
  return BernoulliLogitDistribution<decltype(plain(eta))>{plain(eta)};
}

/// low, low + 1, ..., high with equal probability.
struct DiscreteUniformDistribution {
  int low, high;
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>& v) const {
    const R count = R(high - low + 1);
    return R(low) + min(floor(v.uniform() * count), count - R(1));  // u = 1 belongs to the last
  }
  template <class R>
  MANYCHAIN_HD R log_density(R x) const {
    const auto inside = x >= R(low) && x <= R(high) && x == floor(x);
    return select(inside, R(-std::log(static_cast<double>(high - low + 1))),
                  R(-std::numeric_limits<number_of<R>>::infinity()));
  }
};
/// discrete_uniform_distribution(low, high): a whole number of low, ..., high, each with equal probability. Source: its
/// definition.
MANYCHAIN_HD DiscreteUniformDistribution discrete_uniform_distribution(int low, int high) { return {low, high}; }

/// k = 0, ..., K - 1 with probability proportional to weight(k), by inverting the cumulative sum. NaN where the sum
/// is zero, infinite or NaN.
template <class N, class W>
struct CategoricalDistribution {
  N size;
  W weight;
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>& v) const {
    const R whole = total<R>(), at = v.uniform() * whole;
    R sum = R(0);
    R index = select(whole > R(0) && isfinite(whole), R(0), R(std::numeric_limits<number_of<R>>::quiet_NaN()));
    for_each(size, [&](int k) {
      sum += R(weight(k));
      if (k + 1 < size.value()) index += select(at > sum, R(1), R(0));
    });
    return index;
  }
  template <class R>
  MANYCHAIN_HD R log_density(R x) const {
    R here = R(0);
    for_each(size, [&](int k) { here = select(x == R(k), R(weight(k)), here); });
    return log(here) - log(total<R>());
  }

 private:
  template <class R>
  MANYCHAIN_HD R total() const {
    R sum = R(0);
    for_each(size, [&](int k) { sum += R(weight(k)); });
    return sum;
  }
};
/// categorical_distribution(K, weight): k = 0, ..., K - 1 with probability proportional to weight(k). Source: inversion
/// of the cumulative sum, Devroye 1986, III.2.
template <class N, class W>
MANYCHAIN_HD auto categorical_distribution(N size, W weight) {
  return CategoricalDistribution<decltype(as_size(size)), W>{as_size(size), weight};
}

/// An index drawn by log weights, which may be of any size: measured from the largest.
template <class N, class W>
struct CategoricalLogitDistribution {
  N size;
  W log_weight;
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>& v) const {
    return shifted<R>().template draw<R>(v);
  }
  template <class R>
  MANYCHAIN_HD R log_density(R x) const {
    const R top = largest<R>();
    R sum = R(0), here = R(-std::numeric_limits<number_of<R>>::infinity());
    for_each(size, [&](int k) {
      const R l = R(log_weight(k)) - top;
      sum += exp(l);
      here = select(x == R(k), l, here);  // not the log of its exponential, which underflows
    });
    return here - log(sum);
  }

 private:
  template <class R>
  MANYCHAIN_HD R largest() const {
    R top = R(log_weight(0));
    for_each(size, [&](int k) { top = max(top, R(log_weight(k))); });
    return top;
  }
  template <class R>
  MANYCHAIN_HD auto shifted() const {
    const R largest = this->largest<R>();
    const W w = log_weight;
    const auto weight = [w, largest](int k) { return exp(R(w(k)) - largest); };
    return CategoricalDistribution<N, decltype(weight)>{size, weight};
  }
};
/// categorical_logit_distribution(K, log_weight): k = 0, ..., K - 1 with probability proportional to
/// exp(log_weight(k)). Source: as that of categorical_distribution.
template <class N, class W>
MANYCHAIN_HD auto categorical_logit_distribution(N size, W log_weight) {
  return CategoricalLogitDistribution<decltype(as_size(size)), W>{as_size(size), log_weight};
}

/// A block: the Dirichlet distribution with concentrations alpha(k), from the logs of independent gamma variates.
template <class N, class A>
struct DirichletDistribution {
  N size;
  A alpha;
  template <class R, class Out>
  MANYCHAIN_HD void draw(Variates<R>& v, Out& out) const {
    R largest = R(-std::numeric_limits<number_of<R>>::max()), sum = R(0);
    for_each(size, [&](int k) { largest = max(largest, out[k] = v.log_gamma(R(alpha(k)))); });
    for_each(size, [&](int k) { sum += out[k] = exp(R(out[k]) - largest); });
    for_each(size, [&](int k) { out[k] = out[k] / sum; });
  }
  template <class R, class X>
  MANYCHAIN_HD R log_density(const X& x) const {
    R sum = R(0), total = R(0), whole = R(0);
    mask_of<R> inside = R(0) == R(0);
    for_each(size, [&](int k) {
      const R a = R(alpha(k)), share = R(x[k]);
      sum += detail::times_log(a - R(1), log(share)) - lgamma_positive(a);
      total += a;
      whole += share;
      inside = inside && share >= R(0);
    });
    // A move of one component alone leaves the simplex: it has density zero there.
    const R rounding = R((1000 + size.value()) * std::numeric_limits<number_of<R>>::epsilon());
    return select(inside && abs(whole - R(1)) <= rounding, sum + lgamma_positive(total),
                  R(-std::numeric_limits<number_of<R>>::infinity()));
  }
};
/// dirichlet_distribution(K, alpha): a block, from the logarithms of K gamma variates with shapes alpha(k). Source:
/// Devroye 1986, XI.4.
template <class N, class A>
requires(!Operand<A>) MANYCHAIN_HD auto dirichlet_distribution(N size, A alpha) {
  return DirichletDistribution<decltype(as_size(size)), A>{as_size(size), alpha};
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
