// Discrete targets with exact draws, with conditionals or proposals.
#pragma once

#include <array>

#include "statistical/constrained_targets.hpp"
#include "statistical/exact_targets.hpp"

namespace statistical {

using manychain::Size;

/// One of seven states. Proposal: mostly upward.
inline double seven_log_weight(double k) { return 0.9 * k - 0.2 * k * k; }

template <class Number>
struct SevenStates {
  static constexpr int dimension = 1;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto k = target.integers("k", Size<1>{}, 0, 6);
    target += 0.9 * k[0] - 0.2 * k[0] * k[0];
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.component(0, [](const auto& q) {
      const auto here = q[0];
      return manychain::categorical_logit_distribution(Size<7>{}, [here](int k) {
        const auto d = k - here - 0.7;
        return -0.3 * d * d;
      });
    });
  }
};
template <class Number>
struct SevenIndependent {
  static constexpr int dimension = 1;
  static constexpr bool independent_proposal = true;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    SevenStates<Number>().log_density(target);
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return manychain::discrete_uniform_distribution(0, 6); });
  }
  /// The weights are largest at 2, the whole number next to 2.25.
  double log_envelope() const { return seven_log_weight(2) + std::log(7.0); }
};

inline std::vector<double> seven_weights() {
  std::vector<double> weights;
  for (int k = 0; k < 7; ++k) weights.push_back(std::exp(seven_log_weight(k)));
  return weights;
}

template <template <class> class ModelClass, class Sampler>
ExactTarget seven_target() {
  ExactTarget target{"seven states", model_under_test<ModelClass, Sampler>(), {}, {}};
  const std::vector<double> weights = seven_weights();
  target.draw = [distribution = std::discrete_distribution<int>(weights.begin(), weights.end())](
                    Random& random, double* q, double* x) mutable { q[0] = x[0] = distribution(random); };
  target.functions = [](const double* x, std::vector<double>& values) {
    for (int k = 0; k < 6; ++k) values.push_back(x[0] == k);
    values.push_back(x[0]);
  };
  return target;
}

/// Four spins on a ring in a field of their own, x in {0, 1}, s = 2 x - 1. Proposal: all at once, one direction
/// likelier.
inline constexpr double coupling = 0.4;
MANYCHAIN_HD constexpr double field(int i) { return 0.15 * i - 0.2; }

template <class Number>
struct Spins {
  static constexpr int dimension = 4;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.integers("x", Size<4>{}, 0, 1);
    for (int i = 0; i < 4; ++i) {
      target += coupling * (2 * x[i] - 1) * (2 * x[(i + 1) % 4] - 1);
      target += field(i) * (2 * x[i] - 1);
    }
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.components(0, Size<4>{}, [](int i, const auto& q) {
      return manychain::bernoulli_logit_distribution(
          2 * (coupling * (2 * (q[(i + 1) % 4] + q[(i + 3) % 4]) - 2) + field(i)));
    });
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.components(0, Size<4>{},
                       [](int i, const auto& q) { return manychain::bernoulli_logit_distribution(0.7 - 1.1 * q[i]); });
  }
};
template <class Number>
struct SpinsIndependent {
  static constexpr int dimension = 4;
  static constexpr bool independent_proposal = true;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    Spins<Number>().log_density(target);
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.components(0, Size<4>{}, [](int, const auto&) { return manychain::bernoulli_logit_distribution(0.3); });
  }
};

/// The weights of the 16 states, x[i] the i-th bit. `spread`: log weight spread / 2 (sum of s)^2 besides.
inline std::vector<double> spin_weights(double spread = 0, bool ring = true) {
  std::vector<double> weights;
  for (int state = 0; state < 16; ++state) {
    double log_weight = 0, sum = 0;
    const auto s = [&](int i) { return 2.0 * (state >> (i % 4) & 1) - 1; };
    for (int i = 0; i < 4; ++i) {
      if (ring) log_weight += coupling * s(i) * s(i + 1) + field(i) * s(i);
      sum += s(i);
    }
    weights.push_back(std::exp(log_weight + 0.5 * spread * sum * sum));
  }
  return weights;
}
inline void spin_functions(const double* x, std::vector<double>& values) {
  for (int i = 0; i < 4; ++i) {
    values.push_back(x[i]);
    for (int j = 0; j < i; ++j) values.push_back(x[i] * x[j]);
  }
  values.push_back(x[0] * x[1] * x[2] * x[3]);
}

template <template <class> class ModelClass, class Sampler>
ExactTarget spins_target() {
  ExactTarget target{"spins", model_under_test<ModelClass, Sampler>(), {}, {}};
  const std::vector<double> weights = spin_weights();
  target.draw = [distribution = std::discrete_distribution<int>(weights.begin(), weights.end())](
                    Random& random, double* q, double* x) mutable {
    const int state = distribution(random);
    for (int i = 0; i < 4; ++i) q[i] = x[i] = state >> i & 1;
  };
  target.functions = spin_functions;
  return target;
}

}  // namespace statistical
