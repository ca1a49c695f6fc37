// The covariance of the normal distribution that a path has found.
#pragma once

#include "annealing/reference.hpp"
#include "core/eigen.hpp"
#include "core/linear_algebra.hpp"
#include "starts/pathfinder.hpp"

namespace manychain {

inline Eigen::VectorXd variances_of(const Path& path) {
  return Eigen::Map<const Eigen::VectorXd>(path.sds.data(), eigen_index(path.sds.size())).cwiseAbs2();
}

inline std::vector<double> numbers(const Eigen::MatrixXd& matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

/// In more dimensions than dense ones, the diagonal alone.
inline Eigen::MatrixXd covariance_of(const Path& path) {
  const NormalApproximation& normal = path.normal;
  if (normal.dimension() > Reference::most_dense) return variances_of(path).asDiagonal();
  const Eigen::Index d = eigen_index(normal.dimension());
  Eigen::MatrixXd factor(d, d);
  std::vector<double> unit(normal.dimension()), column(normal.dimension());
  for (Eigen::Index i = 0; i < d; ++i) {
    unit[static_cast<std::size_t>(i)] = 1;
    normal.transform(unit.data(), column.data());
    unit[static_cast<std::size_t>(i)] = 0;
    factor.col(i) =
        Eigen::Map<const Eigen::VectorXd>(column.data(), d) - Eigen::Map<const Eigen::VectorXd>(normal.mean.data(), d);
  }
  return factor * factor.transpose();
}

}  // namespace manychain
