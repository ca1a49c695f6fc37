// Constrained targets with exact draws: one of scalars with every kind of bound, one of a simplex and an ordered
// vector.
#pragma once

#include "statistical/invariance.hpp"

namespace statistical {

/// Three scalars: gamma(3, rate 2) above 0, beta(2, 3) on (0, 1), and 1 minus an exponential with rate 2 below 1.
template <class Number>
struct BoundedScalars {
  static constexpr int dimension = 3;

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto scale = target.real("scale", manychain::lower(0));
    auto share = target.real("share", manychain::interval(0, 1));
    auto below = target.real("below", manychain::upper(1));
    target += gamma(scale, 3, 2);
    target += beta(share, 2, 3);
    target += exponential(1 - below, 2);
  }
};

/// BoundedScalars without the Jacobian of the first: a transform by hand whose Jacobian was forgotten.
template <class Number>
struct MissingJacobian {
  static constexpr int dimension = 3;

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto log_scale = target.real("log_scale");
    auto scale = let(exp(log_scale));
    auto share = target.real("share", manychain::interval(0, 1));
    auto below = target.real("below", manychain::upper(1));
    target += gamma(scale, 3, 2);
    target += beta(share, 2, 3);
    target += exponential(1 - below, 2);
  }
};

/// A Dirichlet(2, 3, 4) simplex and three standard normals in order.
template <class Number>
struct SimplexAndOrdered {
  static constexpr int dimension = 5;

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto share = target.simplex("share", manychain::Size<3>{});
    auto rank = target.ordered("rank", manychain::Size<3>{});
    target += log(share[0]) + 2 * log(share[1]) + 3 * log(share[2]);
    for (int i = 0; i < 3; ++i) target += normal(rank[i], 0, 1);
  }
};

inline double gamma_draw(Random& random, double shape) { return std::gamma_distribution<double>(shape, 1)(random); }

/// For any coordinates of light tails.
inline void coordinate_functions(const double* x, std::size_t n, std::vector<double>& values) {
  for (std::size_t i = 0; i < n; ++i) {
    values.push_back(x[i]);
    values.push_back(x[i] * x[i]);
    values.push_back(std::cos(3 * x[i]));
    if (i + 1 < n) values.push_back(x[i] * x[i + 1]);
  }
}

template <class Sampler, template <class> class ModelClass = BoundedScalars, bool first_is_log = false>
ExactTarget bounded_target() {
  ExactTarget target{"bounded scalars", model_under_test<ModelClass, Sampler>(), {}, {}};
  target.draw = [](Random& random, double* q, double* x) {
    const double scale = gamma_draw(random, 3) / 2, a = gamma_draw(random, 2), b = gamma_draw(random, 3);
    const double rest = gamma_draw(random, 1) / 2;
    x[0] = first_is_log ? std::log(scale) : scale;
    x[1] = a / (a + b);
    x[2] = 1 - rest;
    q[0] = std::log(scale);
    q[1] = std::log(a / b);
    q[2] = std::log(rest);
  };
  target.functions = [](const double* x, std::vector<double>& values) {
    const double log_scale = first_is_log ? x[0] : std::log(x[0]), scale = std::exp(log_scale);
    const double z[] = {log_scale, scale, x[1], x[2]};
    coordinate_functions(z, 4, values);
    values.push_back(2 * log_scale - 2 * scale + std::log(x[1]) + 2 * std::log1p(-x[1]) - 2 * (1 - x[2]));
  };
  target.proposal_scale = 0.8;
  target.step_size = 0.6;
  target.trajectory = 2;
  return target;
}

template <class Sampler>
ExactTarget vector_target() {
  ExactTarget target{"simplex and ordered", model_under_test<SimplexAndOrdered, Sampler>(), {}, {}};
  target.draw = [](Random& random, double* q, double* x) {
    const double g[] = {gamma_draw(random, 2), gamma_draw(random, 3), gamma_draw(random, 4)};
    for (int i = 0; i < 3; ++i) x[i] = g[i] / (g[0] + g[1] + g[2]);
    // Stick breaking: z_i = x_i / what is left, q_i = logit(z_i) + log(2 - i).
    q[0] = std::log(g[0] / (g[1] + g[2])) + std::log(2.0);
    q[1] = std::log(g[1] / g[2]);
    std::normal_distribution<double> normal;
    for (int i = 3; i < 6; ++i) x[i] = normal(random);
    std::sort(x + 3, x + 6);
    q[2] = x[3];
    q[3] = std::log(x[4] - x[3]);
    q[4] = std::log(x[5] - x[4]);
  };
  target.functions = [](const double* x, std::vector<double>& values) {
    coordinate_functions(x, 6, values);
    values.push_back(std::log(x[0]) + 2 * std::log(x[1]) + 3 * std::log(x[2]) -
                     0.5 * (x[3] * x[3] + x[4] * x[4] + x[5] * x[5]));
  };
  target.proposal_scale = 0.5;
  target.step_size = 0.5;
  target.trajectory = 2;
  return target;
}

}  // namespace statistical
