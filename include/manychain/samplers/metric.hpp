// The metric of Hamiltonian samplers: a scale for each component, and beside it some directions along which the
// posterior is wider or narrower than that tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "manychain/core/macros.hpp"

namespace manychain {

/// Masses that depend on position (samplers/leaf_masses.hpp), as the host holds them. In units of its scale the
/// component of leaf l has the mass
///   mu(q) = constant[l] + exp(intercept[l] + sum over e of exponent[e] q[hyper[e]]),   first[l] <= e < second[l],
/// and one more exponential, of second_intercept[l] and second[l] <= e < first[l + 1], if it has such edges. A hyper
/// that is a leaf itself comes behind all leaves whose hyper it is.
struct LeafMasses {
  std::vector<std::int32_t> component;      ///< [leaf]
  std::vector<double> constant, intercept;  ///< [leaf]
  std::vector<double> second_intercept;     ///< [leaf]
  std::vector<std::int32_t> first = {0};    ///< [leaf + 1]
  std::vector<std::int32_t> second;         ///< [leaf]
  std::vector<std::int32_t> hyper;          ///< [edge] a component
  std::vector<double> exponent;             ///< [edge]

  std::size_t count() const { return component.size(); }
};

/// The inverse of the mass matrix, an estimate of the posterior covariance, as the host holds it:
///   D (I + U (Lambda - I) U') D,
/// D the scales, the columns of U `rank` orthonormal directions, Lambda their eigenvalues. Rank 0: diagonal.
struct Metric {
  std::vector<double> scale;        ///< [dimension]; zero: not moved by gradients
  std::vector<double> eigenvalues;  ///< [rank]
  std::vector<double> directions;   ///< [rank][dimension]
  LeafMasses leaves = {};           ///< beside which directions are zero at leaves and their hypers

  std::size_t rank() const { return eigenvalues.size(); }
  /// The diagonal of the above: marginal variances.
  std::vector<double> variances() const;
};

/// Which directions a metric has: those that are worth their cost; none; none, with scales from positions and
/// gradients; all that stand out; all. `hierarchical` has those of `automatic`, and masses that depend on position
/// wherever a density of the model says so; `automatic` only where they pay.
enum class MetricKind { automatic, diagonal, fisher, low_rank, dense, hierarchical };
constexpr bool has_directions(MetricKind kind) { return kind != MetricKind::diagonal && kind != MetricKind::fisher; }
constexpr bool has_leaves(MetricKind kind) { return kind == MetricKind::automatic || kind == MetricKind::hierarchical; }

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

/// LeafMasses where the chains are. Leaf l has the exponentials 2 l and 2 l + 1, the second of which may have no edges:
/// these are first[k] <= e < first[k + 1]. No more pointers than these: kernels without leaves hold the struct, too,
/// and with two more nvcc 13 kept tunings of models of any size out of registers (a fifth more instructions a
/// leapfrog).
template <class Number>
struct LeafArrays {
  const std::int32_t* component = nullptr;  ///< [count]
  const std::int32_t* first = nullptr;      ///< [2 count + 1]
  const std::int32_t* hyper = nullptr;      ///< [edge]
  const Number* constant = nullptr;         ///< [count]
  const Number* intercept = nullptr;        ///< [2 count]
  const Number* exponent = nullptr;         ///< [edge]
  const Number* rest = nullptr;             ///< [dimension] 0 of leaves, 1 of all else
  int count = 0;
};
/// Working memory of a trajectory with leaves, in vectors of the model's dimension (InverseMasses).
inline constexpr int leaf_mass_vectors = 4;

}  // namespace manychain
