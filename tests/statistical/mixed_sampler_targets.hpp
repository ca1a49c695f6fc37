// Targets of integers and real numbers, with exact draws and with conditionals or proposals.
#pragma once

#include <array>

#include "statistical/constrained_targets.hpp"
#include "statistical/discrete_sampler_targets.hpp"
#include "statistical/exact_targets.hpp"

namespace statistical {

using manychain::Size;

/// Four spins in a common field, which is normal given them: spins by Gibbs, the field by HMC.
template <class Number>
struct SpinsInField {
  static constexpr int dimension = 5;
  static constexpr double strength = 0.5;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto h = target.real("h");
    auto x = target.integers("x", Size<4>{}, 0, 1);
    target += normal(h, 0, 1);
    for (int i = 0; i < 4; ++i) target += strength * h * (2 * x[i] - 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.components(1, Size<4>{},
                       [](int, const auto& q) { return manychain::bernoulli_logit_distribution(2 * strength * q[0]); });
  }
};
template <class Sampler>
ExactTarget spins_in_field_target() {
  ExactTarget target{"spins in a field", model_under_test<SpinsInField, Sampler>(), {}, {}};
  const std::vector<double> weights = spin_weights(0.25, false);  // the field integrated out
  target.draw = [distribution = std::discrete_distribution<int>(weights.begin(), weights.end())](
                    Random& random, double* q, double* x) mutable {
    const int state = distribution(random);
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
      q[1 + i] = x[1 + i] = state >> i & 1;
      sum += 2 * x[1 + i] - 1;
    }
    standard_normals(random, q, 1);
    q[0] = x[0] = q[0] + 0.5 * sum;
  };
  target.functions = [](const double* x, std::vector<double>& values) {
    spin_functions(x + 1, values);
    coordinate_functions(x, 5, values);
  };
  target.step_size = 1;
  target.trajectory = 2;
  return target;
}

/// A mixture of three normals with its label. Proposal: a label that prefers to grow, a drifting random walk.
MANYCHAIN_HD auto mixture_log_weight(auto k) { return 0.3 * k - 0.2 * k * k; }
MANYCHAIN_HD auto mixture_mean(auto k) { return -1 + 1.5 * k - 0.25 * k * k; }
MANYCHAIN_HD auto mixture_sd(auto k) { return 0.6 + 0.3 * k; }

template <class Number, bool label_alone>
struct LabelledMixtureOf {
  static constexpr int dimension = 2;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto label = target.integers("label", Size<1>{}, 0, 2);
    auto x = target.real("x");
    target += mixture_log_weight(label[0]);
    target += normal(x, mixture_mean(label[0]), mixture_sd(label[0]));
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(0, [](const auto& q) {
      const auto x = q[1];
      return manychain::categorical_logit_distribution(Size<3>{}, [x](int k) {
        const auto z = (x - mixture_mean(double(k))) / mixture_sd(double(k));
        return mixture_log_weight(double(k)) - std::log(mixture_sd(double(k))) - 0.5 * z * z;
      });
    });
    if constexpr (!label_alone)
      visitor.component(
          1, [](const auto& q) { return manychain::normal_distribution(mixture_mean(q[0]), mixture_sd(q[0])); });
  }
  template <class Visitor>
  MANYCHAIN_HD void proposal(Visitor& visitor) const {
    visitor.component(0, [](const auto& q) {
      const auto label = q[0];
      return manychain::categorical_distribution(Size<3>{},
                                                 [label](int k) { return 1 + 0.8 * k + 0.5 * abs(k - label); });
    });
    visitor.component(1, [](const auto& q) { return manychain::normal_distribution(q[1] + 0.2, 0.8); });
  }
};
template <class Number>
struct LabelledMixture : LabelledMixtureOf<Number, false> {};
template <class Number>
struct LabelConditional : LabelledMixtureOf<Number, true> {};

template <template <class> class ModelClass, class Sampler>
ExactTarget mixture_target() {
  ExactTarget target{"labelled mixture", model_under_test<ModelClass, Sampler>(), {}, {}};
  std::vector<double> weights;
  for (int k = 0; k < 3; ++k) weights.push_back(std::exp(mixture_log_weight(double(k))));
  target.draw = [distribution = std::discrete_distribution<int>(weights.begin(), weights.end())](
                    Random& random, double* q, double* x) mutable {
    const double k = distribution(random);
    standard_normals(random, q, 1);
    q[1] = x[1] = mixture_mean(k) + mixture_sd(k) * q[0];
    q[0] = x[0] = k;
  };
  target.functions = [](const double* x, std::vector<double>& values) {
    coordinate_functions(x, 2, values);
    values.push_back(x[0] == 1);
    values.push_back((x[0] == 1) * x[1] * x[1]);
  };
  target.proposal_scale = 1;
  target.step_size = 0.8;
  target.trajectory = 1.5;
  return target;
}

/// A precision with a gamma distribution and a normal of that precision: both conditionals are known.
template <class Number>
struct NormalGamma {
  static constexpr int dimension = 2;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau");
    target += gamma(tau, 3, 2);
    target += normal(mu, 1, 1 / sqrt(tau));
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(0, [](const auto& q) { return manychain::normal_distribution(1.0, 1 / sqrt(q[1])); });
    visitor.component(1, [](const auto& q) {
      const auto d = q[0] - 1;
      return manychain::gamma_distribution(3.5, 2 + 0.5 * d * d);
    });
  }
};
/// Both as one block.
struct NormalGammaDistribution {
  template <class R, class Out>
  MANYCHAIN_HD void draw(manychain::Variates<R>& v, Out& out) const {
    out[1] = v.gamma(R(3)) / R(2);
    out[0] = R(1) + v.normal() / sqrt(R(out[1]));
  }
  template <class R, class X>
  MANYCHAIN_HD R log_density(const X& x) const {
    const auto tau = manychain::gamma_distribution(3.0, 2.0);
    return tau.log_density(R(x[1])) + manychain::normal_distribution(1.0, R(1) / sqrt(R(x[1]))).log_density(R(x[0]));
  }
};
template <class Number>
struct NormalGammaBlock {
  static constexpr int dimension = 2;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    NormalGamma<Number>().log_density(target);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.block(0, Size<2>{}, [](const auto&) { return NormalGammaDistribution(); });
  }
};
/// The precision by Gibbs, the mean by HMC.
template <class Number>
struct PrecisionConditional {
  static constexpr int dimension = 2;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    NormalGamma<Number>().log_density(target);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(1, [](const auto& q) {
      const auto d = q[0] - 1;
      return manychain::gamma_distribution(3.5, 2 + 0.5 * d * d);
    });
  }
};
template <template <class> class ModelClass, class Sampler>
ExactTarget normal_gamma_target() {
  ExactTarget target{"normal-gamma", model_under_test<ModelClass, Sampler>(), {}, {}};
  target.draw = [](Random& random, double* q, double* x) {
    q[1] = x[1] = gamma_draw(random, 3) / 2;
    standard_normals(random, q, 1);
    q[0] = x[0] = 1 + q[0] / std::sqrt(x[1]);
  };
  // The mean is a t variate with six degrees of freedom: bounded functions of it, and of its whitened value all.
  target.functions = [](const double* x, std::vector<double>& values) {
    values.push_back(std::tanh(x[0] - 1));
    values.push_back(std::tanh(std::fabs(x[0] - 1)));
    values.push_back(std::tanh(std::fabs(x[0] - 1)) * x[1]);
    const double z[] = {(x[0] - 1) * std::sqrt(x[1]), x[1]};
    coordinate_functions(z, 2, values);
    values.push_back(std::log(x[1]));
  };
  target.proposal_scale = 0.8;
  target.step_size = 0.7;
  target.trajectory = 1.5;
  return target;
}

/// A Dirichlet(2, 3, 4) block, and three labels drawn from it.
inline constexpr double concentration[] = {2, 3, 4};

template <class Number>
struct BlockAndLabels {
  static constexpr int dimension = 6;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto p = target.vector("p", Size<3>{});
    auto z = target.integers("z", Size<3>{}, 0, 2);
    target += log(p[0]) + 2 * log(p[1]) + 3 * log(p[2]);
    for (int i = 0; i < 3; ++i) {
      target += 0.5 * (1 - z[i]) * (2 - z[i]) * log(p[0]);
      target += z[i] * (2 - z[i]) * log(p[1]);
      target += 0.5 * z[i] * (z[i] - 1) * log(p[2]);
    }
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.block(0, Size<3>{}, [](const auto& q) {
      using R = std::remove_cvref_t<decltype(q[0])>;
      const std::array<R, 3> z = {q[3], q[4], q[5]};
      return manychain::dirichlet_distribution(Size<3>{}, [z](int k) {
        R alpha = R(k + 2);
        for (int i = 0; i < 3; ++i) alpha += select(z[static_cast<std::size_t>(i)] == R(k), R(1), R(0));
        return alpha;
      });
    });
    visitor.components(3, Size<3>{}, [](int, const auto& q) {
      return manychain::categorical_distribution(Size<3>{}, [&q](int k) { return q[k]; });
    });
  }
};
template <class Sampler>
ExactTarget block_target() {
  ExactTarget target{"block and labels", model_under_test<BlockAndLabels, Sampler>(), {}, {}};
  target.draw = [](Random& random, double* q, double* x) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += x[k] = gamma_draw(random, concentration[k]);
    for (int k = 0; k < 3; ++k) x[k] /= sum;
    std::uniform_real_distribution<double> uniform;
    for (int i = 3; i < 6; ++i) {
      const double u = uniform(random);
      x[i] = u < x[0] ? 0 : u < x[0] + x[1] ? 1 : 2;
    }
    std::copy_n(x, 6, q);
  };
  target.functions = [](const double* x, std::vector<double>& values) {
    coordinate_functions(x, 6, values);
    values.push_back(x[0] * (x[3] == 0));
    values.push_back(x[1] * (x[4] == 1) * (x[5] == 1));
    values.push_back(std::log(x[0]) + 2 * std::log(x[1]) + 3 * std::log(x[2]));
  };
  target.proposal_scale = 0.3;
  return target;
}

}  // namespace statistical
