// The shared part of tests of constraints: values and log Jacobians as a target has them, and by differences.
#pragma once

#include <Eigen/Dense>

#include "unit/model/evaluation.hpp"

namespace manychain::test {

/// The constrained values that a target holds at q, and its log density, which is the log Jacobian alone.
template <class Declare>
std::pair<std::vector<double>, double> transformed(const std::vector<double>& q, Declare declare) {
  std::vector<double> x;
  const auto outcome = run_target<Request::value, Scalar<double>>(
      static_cast<int>(q.size()), [&](int i, int) { return q[static_cast<std::size_t>(i)]; },
      [&](auto& target) {
        auto theta = declare(target);
        for (int i = 0; i < theta.size().value(); ++i) x.push_back(value(theta[i]).v);
      });
  return {x, outcome.value[0]};
}

/// dx/dq, by differences.
template <class Declare>
Eigen::MatrixXd numerical_jacobian(const std::vector<double>& q, Declare declare) {
  const Eigen::Index n = static_cast<Eigen::Index>(q.size());
  Eigen::MatrixXd jacobian(static_cast<Eigen::Index>(transformed(q, declare).first.size()), n);
  const double h = 1e-3;
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto at = [&](double step) {
      std::vector<double> moved = q;
      moved[static_cast<std::size_t>(k)] += step;
      return transformed(moved, declare).first;
    };
    const auto a = at(h), b = at(-h), c = at(2 * h), d = at(-2 * h);
    for (Eigen::Index i = 0; i < jacobian.rows(); ++i) {
      const std::size_t j = static_cast<std::size_t>(i);
      jacobian(i, k) = (8 * (a[j] - b[j]) - (c[j] - d[j])) / (12 * h);
    }
  }
  return jacobian;
}
/// log |det dx/dq| of the first components.
template <class Declare>
double numerical_log_jacobian(const std::vector<double>& q, Declare declare) {
  const Eigen::Index n = static_cast<Eigen::Index>(q.size());
  return std::log(std::fabs(numerical_jacobian(q, declare).topRows(n).determinant()));
}

/// A density in which every element has another slope, in every Real.
template <class Declare>
void check_gradients(Declare declare, const std::vector<double>& q) {
  const auto density = [&](auto& target) {
    auto theta = declare(target);
    target += normal(theta, 0.3, 1.7);
    for (int i = 0; i + 1 < theta.size().value(); ++i) target += 0.7 * theta[i] * theta[i + 1] + square(theta[i]);
  };
  check_gradient_of(q, density);
  check_lanes<Scalar<float>>(q, density);
  check_lanes<Pack<float>>(q, density);
  check_lanes<Pack<double>>(q, density);
}

template <class Declare, class Check>
void check_vector(Declare declare, Check check, std::vector<double> q) {
  const auto [x, log_jacobian] = transformed(q, declare);
  check(x);
  EXPECT_NEAR(log_jacobian, numerical_log_jacobian(q, declare), 1e-8);
  check_gradients(declare, q);
}

inline const std::vector<double> start = {0.3, -1.1, 0.7, 1.9, -0.2};

template <class Constraint, class Check>
void check_sizes(Constraint constraint, Check check, int removed = 0) {
  std::vector<double> q(start.begin(), start.end() - removed);
  check_vector([&](auto& target) { return target.vector("x", Size<5>{}, constraint); }, check, q);         // registers
  check_vector([&](auto& target) { return target.vector("x", Size<dynamic>(5), constraint); }, check, q);  // the arena
}

}  // namespace manychain::test
