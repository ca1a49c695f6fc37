// Continuous targets with exact draws, with conditionals or proposals.
#pragma once

#include <array>

#include "statistical/constrained_targets.hpp"
#include "statistical/exact_targets.hpp"

namespace statistical {

using manychain::Size;

/// Two standard normals of correlation 0.6. Proposal: a contraction with a width that depends on the state.
template <class Number>
struct BivariateNormal {
  static constexpr int dimension = 2;
  static constexpr double rho = 0.6, rest = 0.8;

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = target.real("y");
    target += normal(x, 0, 1);
    target += normal(y, rho * x, rest);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(0, [](const auto& q) { return manychain::normal_distribution(rho * q[1], rest); });
    visitor.component(1, [](const auto& q) { return manychain::normal_distribution(rho * q[0], rest); });
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.component(
        0, [](const auto& q) { return manychain::normal_distribution(0.5 * q[0] + 0.3 * q[1], exp(0.2 * q[1])); });
    visitor.component(1, [](const auto& q) { return manychain::normal_distribution(0.8 * q[1] + 0.2, 0.7); });
  }
};
/// The bivariate normal with independent proposals, under an envelope: the ratio p / q is largest at the origin.
template <class Number>
struct BivariateNormalIndependent {
  static constexpr int dimension = 2;
  static constexpr bool independent_proposal = true;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    BivariateNormal<Number>().log_density(target);
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.components(0, Size<2>{},
                       [](int, const auto&) { return manychain::normal_distribution(0.0, std::sqrt(2.0)); });
  }
  double log_envelope() const { return std::log(2 / 0.8); }
};

template <template <class> class ModelClass, class Sampler>
ExactTarget bivariate_target() {
  ExactTarget target{"bivariate normal", model_under_test<ModelClass, Sampler>(), {}, {}};
  target.draw = [](Random& random, double* q, double* x) {
    standard_normals(random, x, 2);
    x[1] = 0.6 * x[0] + 0.8 * x[1];
    std::copy_n(x, 2, q);
  };
  target.functions = [](const double* x, std::vector<double>& values) {
    const double z[] = {x[0], (x[1] - 0.6 * x[0]) / 0.8};
    normal_functions(z, 2, values);
    values.push_back(x[0] * x[1]);
  };
  target.proposal_scale = 1;
  return target;
}

/// Ten standard normals. Proposal: a walk that drifts upward.
template <class Number>
struct Drifting {
  static constexpr int dimension = 10;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += normal(target.vector("x", Size<10>{}), 0, 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.components(0, Size<10>{},
                       [](int i, const auto& q) { return manychain::normal_distribution(q[i] + 0.05, 0.45); });
  }
};
template <class Sampler>
ExactTarget drifting_target() {
  ExactTarget target = normal_target();
  target.model = model_under_test<Drifting, Sampler>();
  return target;
}

/// Gamma(3, 1) on the positive half line. Proposal: a random walk of the logarithm.
template <class M>
struct LognormalDistribution {
  M log_median;
  double sd;
  template <class R>
  MANYCHAIN_HD R draw(manychain::Variates<R>& v) const {
    return exp(fma(R(sd), v.normal(), R(log_median)));
  }
  template <class R>
  MANYCHAIN_HD R log_density(R x) const {
    return R(normal(log(x), R(log_median), R(sd)).value()) - log(x);
  }
};
template <class Number>
struct GammaTarget {
  static constexpr int dimension = 1;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += gamma(target.real("x"), 3, 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.component(0, [](const auto& q) {
      return LognormalDistribution<std::remove_cvref_t<decltype(q[0])>>{log(q[0]), 0.9};
    });
  }
};
template <class Number>
struct GammaIndependent {
  static constexpr int dimension = 1;
  static constexpr bool independent_proposal = true;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += gamma(target.real("x"), 3, 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return manychain::gamma_distribution(2.0, 0.6); });
  }
  /// p / q = x exp(-0.4 x) / 0.72, which is largest at 2.5.
  double log_envelope() const { return std::log(2.5 / 0.72) - 1; }
};

template <template <class> class ModelClass, class Sampler>
ExactTarget gamma_target() {
  ExactTarget target{"gamma", model_under_test<ModelClass, Sampler>(), {}, {}};
  target.draw = [](Random& random, double* q, double* x) { q[0] = x[0] = gamma_draw(random, 3); };
  target.functions = [](const double* x, std::vector<double>& values) {
    coordinate_functions(x, 1, values);
    values.push_back(2 * std::log(x[0]) - x[0]);
  };
  target.proposal_scale = 2;
  return target;
}

}  // namespace statistical
