// Targets with exact draws for samplers that need more than a density: full conditionals, proposals, integers. All are
// models of the tests' own, bound to the sampler under test.
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
  template <class Sweep>
  MANYCHAIN_HD void conditionals(Sweep& sweep) const {
    sweep.component(0, [](const auto& q) { return manychain::normal_law(rho * q[1], rest); });
    sweep.component(1, [](const auto& q) { return manychain::normal_law(rho * q[0], rest); });
  }
  template <class Sweep>
  MANYCHAIN_HD void proposal(Sweep& sweep) const {
    sweep.component(0, [](const auto& q) { return manychain::normal_law(0.5 * q[0] + 0.3 * q[1], exp(0.2 * q[1])); });
    sweep.component(1, [](const auto& q) { return manychain::normal_law(0.8 * q[1] + 0.2, 0.7); });
  }
};
/// The same, proposed independently, under an envelope: the ratio p / q is largest at the origin.
template <class Number>
struct BivariateNormalIndependent {
  static constexpr int dimension = 2;
  static constexpr bool independent_proposal = true;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    BivariateNormal<Number>().log_density(target);
  }
  template <class Sweep>
  MANYCHAIN_HD void proposal(Sweep& sweep) const {
    sweep.components(0, Size<2>{}, [](int, const auto&) { return manychain::normal_law(0.0, std::sqrt(2.0)); });
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
  template <class Sweep>
  MANYCHAIN_HD void proposal(Sweep& sweep) const {
    sweep.components(0, Size<10>{}, [](int i, const auto& q) { return manychain::normal_law(q[i] + 0.05, 0.45); });
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
struct LognormalLaw {
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
  template <class Sweep>
  MANYCHAIN_HD void proposal(Sweep& sweep) const {
    sweep.component(0, [](const auto& q) { return LognormalLaw<std::remove_cvref_t<decltype(q[0])>>{log(q[0]), 0.9}; });
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
  template <class Sweep>
  MANYCHAIN_HD void proposal(Sweep& sweep) const {
    sweep.component(0, [](const auto&) { return manychain::gamma_law(2.0, 0.6); });
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
  template <class Sweep>
  MANYCHAIN_HD void proposal(Sweep& sweep) const {
    sweep.component(0, [](const auto& q) {
      const auto here = q[0];
      return manychain::categorical_logit_law(Size<7>{}, [here](int k) {
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
  template <class Sweep>
  MANYCHAIN_HD void proposal(Sweep& sweep) const {
    sweep.component(0, [](const auto&) { return manychain::discrete_uniform_law(0, 6); });
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
  target.draw = [law = std::discrete_distribution<int>(weights.begin(), weights.end())](
                    Random& random, double* q, double* x) mutable { q[0] = x[0] = law(random); };
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
  template <class Sweep>
  MANYCHAIN_HD void conditionals(Sweep& sweep) const {
    sweep.components(0, Size<4>{}, [](int i, const auto& q) {
      return manychain::bernoulli_logit_law(2 * (coupling * (2 * (q[(i + 1) % 4] + q[(i + 3) % 4]) - 2) + field(i)));
    });
  }
  template <class Sweep>
  MANYCHAIN_HD void proposal(Sweep& sweep) const {
    sweep.components(0, Size<4>{},
                     [](int i, const auto& q) { return manychain::bernoulli_logit_law(0.7 - 1.1 * q[i]); });
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
  template <class Sweep>
  MANYCHAIN_HD void proposal(Sweep& sweep) const {
    sweep.components(0, Size<4>{}, [](int, const auto&) { return manychain::bernoulli_logit_law(0.3); });
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
  target.draw = [law = std::discrete_distribution<int>(weights.begin(), weights.end())](Random& random, double* q,
                                                                                        double* x) mutable {
    const int state = law(random);
    for (int i = 0; i < 4; ++i) q[i] = x[i] = state >> i & 1;
  };
  target.functions = spin_functions;
  return target;
}

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
  template <class Sweep>
  MANYCHAIN_HD void conditionals(Sweep& sweep) const {
    sweep.components(1, Size<4>{},
                     [](int, const auto& q) { return manychain::bernoulli_logit_law(2 * strength * q[0]); });
  }
};
template <class Sampler>
ExactTarget spins_in_field_target() {
  ExactTarget target{"spins in a field", model_under_test<SpinsInField, Sampler>(), {}, {}};
  const std::vector<double> weights = spin_weights(0.25, false);  // the field integrated out
  target.draw = [law = std::discrete_distribution<int>(weights.begin(), weights.end())](Random& random, double* q,
                                                                                        double* x) mutable {
    const int state = law(random);
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
  template <class Sweep>
  MANYCHAIN_HD void conditionals(Sweep& sweep) const {
    sweep.component(0, [](const auto& q) {
      const auto x = q[1];
      return manychain::categorical_logit_law(Size<3>{}, [x](int k) {
        const auto z = (x - mixture_mean(double(k))) / mixture_sd(double(k));
        return mixture_log_weight(double(k)) - std::log(mixture_sd(double(k))) - 0.5 * z * z;
      });
    });
    if constexpr (!label_alone)
      sweep.component(1, [](const auto& q) { return manychain::normal_law(mixture_mean(q[0]), mixture_sd(q[0])); });
  }
  template <class Sweep>
  MANYCHAIN_HD void proposal(Sweep& sweep) const {
    sweep.component(0, [](const auto& q) {
      const auto label = q[0];
      return manychain::categorical_law(Size<3>{}, [label](int k) { return 1 + 0.8 * k + 0.5 * abs(k - label); });
    });
    sweep.component(1, [](const auto& q) { return manychain::normal_law(q[1] + 0.2, 0.8); });
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
  target.draw = [law = std::discrete_distribution<int>(weights.begin(), weights.end())](Random& random, double* q,
                                                                                        double* x) mutable {
    const double k = law(random);
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

/// A precision with a gamma law and a normal of that precision: both conditionals are known.
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
  template <class Sweep>
  MANYCHAIN_HD void conditionals(Sweep& sweep) const {
    sweep.component(0, [](const auto& q) { return manychain::normal_law(1.0, 1 / sqrt(q[1])); });
    sweep.component(1, [](const auto& q) {
      const auto d = q[0] - 1;
      return manychain::gamma_law(3.5, 2 + 0.5 * d * d);
    });
  }
};
/// Both as one block.
struct NormalGammaLaw {
  template <class R, class Out>
  MANYCHAIN_HD void draw(manychain::Variates<R>& v, Out& out) const {
    out[1] = v.gamma(R(3)) / R(2);
    out[0] = R(1) + v.normal() / sqrt(R(out[1]));
  }
  template <class R, class X>
  MANYCHAIN_HD R log_density(const X& x) const {
    const auto tau = manychain::gamma_law(3.0, 2.0);
    return tau.log_density(R(x[1])) + manychain::normal_law(1.0, R(1) / sqrt(R(x[1]))).log_density(R(x[0]));
  }
};
template <class Number>
struct NormalGammaBlock {
  static constexpr int dimension = 2;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    NormalGamma<Number>().log_density(target);
  }
  template <class Sweep>
  MANYCHAIN_HD void conditionals(Sweep& sweep) const {
    sweep.block(0, Size<2>{}, [](const auto&) { return NormalGammaLaw(); });
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
  template <class Sweep>
  MANYCHAIN_HD void conditionals(Sweep& sweep) const {
    sweep.component(1, [](const auto& q) {
      const auto d = q[0] - 1;
      return manychain::gamma_law(3.5, 2 + 0.5 * d * d);
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
  template <class Sweep>
  MANYCHAIN_HD void conditionals(Sweep& sweep) const {
    sweep.block(0, Size<3>{}, [](const auto& q) {
      using R = std::remove_cvref_t<decltype(q[0])>;
      const std::array<R, 3> z = {q[3], q[4], q[5]};
      return manychain::dirichlet_law(Size<3>{}, [z](int k) {
        R alpha = R(k + 2);
        for (int i = 0; i < 3; ++i) alpha += select(z[static_cast<std::size_t>(i)] == R(k), R(1), R(0));
        return alpha;
      });
    });
    sweep.components(3, Size<3>{}, [](int, const auto& q) {
      return manychain::categorical_law(Size<3>{}, [&q](int k) { return q[k]; });
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
