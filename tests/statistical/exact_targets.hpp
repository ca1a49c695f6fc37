// The unconstrained targets with exact draws: all are built-in models.
#pragma once

#include "manychain/chain/program.hpp"
#include "statistical/invariance.hpp"

namespace statistical {

inline void standard_normals(Random& random, double* z, std::size_t n) {
  thread_local std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < n; ++i) z[i] = normal(random);
}

/// A target that is the image of standard normals: x = forward(z), z = backward(x).
template <class Forward, class Backward>
ExactTarget image_of_normals(const std::string& name, Forward forward, Backward backward) {
  ExactTarget target{name, manychain::builtin_model(name), {}, {}};
  const std::size_t n = target.model.layout().dimension;
  target.draw = [=](Random& random, double* q, double* x) {
    std::vector<double> z(n);
    standard_normals(random, z.data(), n);
    forward(z.data(), x);
    std::copy_n(x, n, q);
  };
  target.functions = [=](const double* x, std::vector<double>& values) {
    std::vector<double> z(n);
    backward(x, z.data());
    normal_functions(z.data(), n, values);
  };
  return target;
}

inline ExactTarget normal_target() {
  const auto copy = [](const double* from, double* to) { std::copy_n(from, 10, to); };
  ExactTarget target = image_of_normals("normal", copy, copy);
  target.proposal_scale = 0.45;
  target.step_size = 0.9;
  return target;
}

inline ExactTarget correlated_target() {
  const double rest = std::sqrt(1 - 0.81);
  return image_of_normals(
      "correlated_normal",
      [=](const double* z, double* x) {
        x[0] = z[0];
        x[1] = 0.9 * z[0] + rest * z[1];
      },
      [=](const double* x, double* z) {
        z[0] = x[0];
        z[1] = (x[1] - 0.9 * x[0]) / rest;
      });
}

inline ExactTarget banana_target() {
  ExactTarget target = image_of_normals(
      "banana",
      [](const double* z, double* x) {
        x[0] = 10 * z[0];
        x[1] = 0.03 * (x[0] * x[0] - 100) + z[1];
      },
      [](const double* x, double* z) {
        z[0] = x[0] / 10;
        z[1] = x[1] - 0.03 * (x[0] * x[0] - 100);
      });
  target.proposal_scale = 2;
  target.step_size = 0.9;
  target.trajectory = 10;
  return target;
}

inline ExactTarget rosenbrock_target() {
  ExactTarget target = image_of_normals(
      "rosenbrock",
      [](const double* z, double* x) {
        x[0] = 1 + std::sqrt(10.0) * z[0];
        x[1] = x[0] * x[0] + std::sqrt(0.1) * z[1];
      },
      [](const double* x, double* z) {
        z[0] = (x[0] - 1) / std::sqrt(10.0);
        z[1] = (x[1] - x[0] * x[0]) / std::sqrt(0.1);
      });
  target.proposal_scale = 0.5;
  target.step_size = 0.08;
  target.trajectory = 1;
  return target;
}

inline ExactTarget funnel_target() {
  ExactTarget target = image_of_normals(
      "funnel",
      [](const double* z, double* x) {
        x[0] = 3 * z[0];
        for (int i = 1; i < 10; ++i) x[i] = std::exp(x[0] / 2) * z[i];
      },
      [](const double* x, double* z) {
        z[0] = x[0] / 3;
        for (int i = 1; i < 10; ++i) z[i] = x[i] * std::exp(-x[0] / 2);
      });
  target.proposal_scale = 0.5;
  target.step_size = 0.4;
  target.trajectory = 2;
  return target;
}

}  // namespace statistical
