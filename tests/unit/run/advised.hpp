// Models whose runs need advice.
#pragma once

#include <cmath>
#include <vector>

#include "unit/run/model_with_terms.hpp"

namespace manychain::test {

/// Two groups of data; means that may be exchanged, or are in order.
template <class Number>
struct TwoGroups {
  Size<> N, in_order;
  View<const Number> y;
  void data(DataReader& in) {
    in("N", N);
    in("y", y, N);
  }
};
template <class Number>
struct Exchangeable : TwoGroups<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.vector("mu", Size<2>{});
    target += normal(mu, 0, 5);
    target.observe("y", this->N, [&](auto j, auto& term) {
      term += log_mix(0.5, normal(this->y[j], mu[0], 1), normal(this->y[j], mu[1], 1));
    });
  }
};
/// Likewise, and which of them is the larger: an indicator that no chain changes.
template <class Number>
struct ExchangeableWithIndicator : TwoGroups<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.vector("mu", Size<2>{});
    target += normal(mu, 0, 5);
    target.observe("y", this->N, [&](auto j, auto& term) {
      term += log_mix(0.5, normal(this->y[j], mu[0], 1), normal(this->y[j], mu[1], 1));
    });
    target.derived("first_is_larger", select(value(mu[0]) > value(mu[1]), 1.0, 0.0));
  }
};
template <class Number>
struct Ordered : TwoGroups<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.ordered("mu", Size<2>{});
    target += normal(mu, 0, 5);
    target.observe("y", this->N, [&](auto j, auto& term) {
      term += log_mix(0.5, normal(this->y[j], mu[0], 1), normal(this->y[j], mu[1], 1));
    });
  }
};
inline Data two_groups() {
  Data data;
  data.set("N", 8);
  data.set("y", std::vector<double>{-4.9, -4.2, -3.7, -3.1, 3.2, 3.8, 4.1, 4.7});
  return data;
}

/// A group for each y, which says much of it: non-centred, and centred.
template <class Number>
struct PreciseGroups {
  Size<> J;
  View<const Number> y;
  void data(DataReader& in) {
    in("J", J);
    in("y", y, J);
  }
  template <class Target, class M, class T, class Theta>
  MANYCHAIN_HD void terms(Target& target, const M& mu, const T& tau, const Theta& theta) const {
    target += normal(mu, 0, 10);
    target += half_normal(tau, 1);
    target += normal(theta, mu, tau);
    target.observe("y", normal(y, theta, 0.003));
  }
};
template <class Number>
struct PreciseGroupsNonCentred : PreciseGroups<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau", lower(0));
    this->terms(target, mu, tau, target.vector("theta", this->J, offset_multiplier(mu, tau)));
  }
};
template <class Number>
struct PreciseGroupsCentred : PreciseGroups<Number> {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau", lower(0));
    this->terms(target, mu, tau, target.vector("theta", this->J));
  }
};
inline Data precise_groups() {
  Data data;
  data.set("J", 20);
  std::vector<double> y(20);
  for (std::size_t j = 0; j < y.size(); ++j) y[j] = -6 + 0.5 * std::sin(7.0 * static_cast<double>(j * j));
  data.set("y", y);
  return data;
}

/// y ~ uniform(0, theta): without a bound, and above the largest y.
template <class Number>
struct Unbounded {
  Size<> N;
  View<const Number> y;
  void data(DataReader& in) {
    in("N", N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto theta = target.real("theta");
    target += lognormal(theta, 1, 1);
    target.observe("y", N, [&](auto j, auto& term) { term += uniform(y[j], 0, theta); });
  }
};
/// Above zero, which is not enough.
template <class Number>
struct Positive {
  Size<> N;
  View<const Number> y;
  void data(DataReader& in) {
    in("N", N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto theta = target.real("theta", lower(0));
    target += lognormal(theta, 1, 1);
    target.observe("y", N, [&](auto j, auto& term) { term += uniform(y[j], 0, theta); });
  }
};
/// x (1 - x), without either bound.
template <class Number>
struct Between {
  static constexpr int dimension = 1;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += log(x) + log1p(-x);
  }
};
template <class Number>
struct Bounded {
  Size<> N;
  View<const Number> y;
  Scalar<Number> largest;
  void data(DataReader& in) {
    in("N", N);
    in("y", y, N);
    in("largest", largest);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto theta = target.real("theta", lower(largest));
    target += lognormal(theta, 1, 1);
    target.observe("y", N, [&](auto j, auto& term) { term += uniform(y[j], 0, theta); });
  }
};
inline Data up_to_1_2() {
  Data data;
  data.set("N", 6);
  data.set("y", std::vector<double>{0.4, 1.2, 0.7, 0.2, 0.9, 1.1});
  data.set("largest", 1.2);
  return data;
}

/// x ~ gamma(a, a), so much of which lies at zero that a precision cuts it off, or lognormal(0, a).
template <class Number>
struct AtZero {
  Scalar<Number> a;
  Size<> D, log_normal;
  void data(DataReader& in) {
    in("a", a, lower(0));
    in("D", D);
    in("log_normal", log_normal);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", D, lower(0));
    if (log_normal.value() == 1)
      target += lognormal(x, 0, a);
    else
      target += gamma(x, a, a);
  }
};
/// In extended precision, of its terms, it reaches further.
inline Model at_zero(double a, bool log_normal) {
  Data data;
  data.set("a", a);
  data.set("D", 1);
  data.set("log_normal", log_normal ? 1 : 0);
  return model_with_terms<AtZero, "hmc">(data);
}

/// x ~ normal(m, 1), and exp(x), which overflows in single precision from 89 on, in double precision from 710 on.
template <class Number>
struct Exponential {
  static constexpr int dimension = 1;
  Scalar<Number> m;
  void data(DataReader& in) { in("m", m); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += normal(x, m, 1);
    target.derived("y", exp(x));
  }
};

/// A standard normal, and proposals of scale m that do not look at the state.
template <class Number>
struct Proposed {
  static constexpr int dimension = 1;
  static constexpr bool independent_proposal = true;
  using samplers = SamplerList<MetropolisHastings<>, Importance>;
  Scalar<Number> m;
  void data(DataReader& in) { in("m", m, lower(0)); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += normal(target.real("x"), 0, 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.component(0, [this](const auto&) { return normal_distribution(0, m); });
  }
};

template <class Number>
struct SixteenNormals {
  static constexpr int dimension = 16;
  using samplers = SamplerList<Ula>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += normal(target.vector("x", Size<16>{}), 0, 1);
  }
};

/// x^40 overflows in single precision beyond 9.2, and the log density is then not a number.
template <class Number>
struct Overflowing {
  static constexpr int dimension = 1;
  using samplers = SamplerList<Mala<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = let(square(square(x)) * x);  // x^5
    target += normal(x, 0, 12);
    auto z = let(square(square(square(y))));
    target += z - z;
  }
};

/// Eight Cauchy variates, by their density and by what they are quotients of.
template <class Number>
struct HeavyTails {
  static constexpr int dimension = 8;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += cauchy(target.vector("x", Size<8>{}), 0, 1);
  }
};
/// Has an sd, and no fourth moment: the error of the sd falls slowly.
template <class Number>
struct NoFourthMoment {
  static constexpr int dimension = 2;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += student_t(target.vector("x", Size<2>{}), 3, 0, 1);
  }
};
template <class Number>
struct Quotients {
  static constexpr int dimension = 16;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto a = target.vector("a", Size<8>{});
    auto b = target.vector("b", Size<8>{});
    target += normal(a, 0, 1);
    target += normal(b, 0, 1);
    target.derived("x", a / b);
  }
};

/// Eight observations of 0 with sd 1 and a prior of sd 1: the posterior has sd 1/3.
template <class Number>
struct Averaged {
  static constexpr int dimension = 1;
  static constexpr bool minibatches = true;
  using samplers = SamplerList<Sgld>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += normal(x, 0, 1);
    target.observe("y", Size<8>{}, [&](auto, auto& term) { term += normal(x, 0, 1); });
  }
};

/// y' = -rate y, for which 20 steps are enough up to a rate of about 47, next to which the posterior is.
template <class Number>
struct FewSteps {
  Size<> N;
  View<const Number> times;
  void data(DataReader& in) {
    in("N", N);
    in("times", times, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto rate = target.real("rate", lower(0));
    target += lognormal(rate, 4, 1);
    const auto decay = [](const auto&, const auto& y, const auto& r) { return -r * y; };
    auto y = target.ode_rk45_tol(decay, 1.0, 0.0, times, 1e-3, 1e-3, 20, rate);
    target += normal(0.1, y[0], 1);
  }
};
inline Data at_time_one() {
  Data data;
  data.set("N", 1);
  data.set("times", std::vector<double>{1});
  return data;
}

/// Nearly exponential from 100 on, and without that bound.
template <class Number>
struct AboveHundred {
  static constexpr int dimension = 1;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += 0.01 * log(x - 100) - x;
  }
};

inline Data with(double m) {
  Data data;
  data.set("m", m);
  return data;
}

}  // namespace manychain::test
