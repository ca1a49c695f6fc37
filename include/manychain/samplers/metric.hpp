// The metric of Hamiltonian samplers: a scale for each component, and beside it some directions along which the
// posterior is wider or narrower than that tells.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/core/macros.hpp"

namespace manychain {

/// The inverse of the mass matrix, an estimate of the posterior covariance, as the host holds it:
///   D (I + U (Lambda - I) U') D,
/// D the scales, the columns of U `rank` orthonormal directions, Lambda their eigenvalues. Rank 0: diagonal.
struct Metric {
  std::vector<double> scale;        ///< [dimension]; zero: not moved by gradients
  std::vector<double> eigenvalues;  ///< [rank]
  std::vector<double> directions;   ///< [rank][dimension]

  std::size_t rank() const { return eigenvalues.size(); }
  /// The diagonal of the above: marginal variances.
  std::vector<double> variances() const;
};

/// Which directions a metric has: those that are worth their cost; none; none, with scales from positions and
/// gradients; all that stand out; all.
enum class MetricKind { automatic, diagonal, fisher, low_rank, dense };
constexpr bool has_directions(MetricKind kind) { return kind != MetricKind::diagonal && kind != MetricKind::fisher; }

/// The most directions that a metric of that dimension may have.
constexpr std::size_t metric_capacity(std::size_t dimension) { return dimension <= 256 ? dimension : 32; }

/// I + U (Lambda - I) U' where the chains are (samplers/low_rank.hpp).
template <class Number>
struct LowRank {
  static constexpr int factors_per_direction = 3;  ///< lambda - 1, sqrt(lambda) - 1, 1 / lambda - 1

  const Number* directions = nullptr;  ///< [rank][dimension]
  const Number* factors = nullptr;     ///< [rank][3]
  int rank = 0;

  /// 1 / lambda - 1 of direction j.
  MANYCHAIN_HD double excess(int j) const { return static_cast<double>(factors[j * factors_per_direction + 2]); }
};

}  // namespace manychain
