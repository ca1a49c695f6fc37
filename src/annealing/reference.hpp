// The distribution that annealing begins with: a mixture of normals, of which draws and log densities are exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "annealing/triangular_matrix.hpp"

namespace manychain {

/// N(mean, L L^T).
struct ReferencePart {
  double share = 1;
  std::vector<double> mean;
  std::vector<double> factor;  ///< L, lower triangular, column after column; empty: diagonal
  std::vector<double> scale;   ///< the diagonal of L where `factor` is empty
  bool wide = false;           ///< reaches beyond what is known of the posterior
  double log_determinant = 0;  ///< log |det L|
};

class Reference {
 public:
  /// Dimensions up to which covariances are dense.
  static constexpr std::size_t most_dense = 100;

  /// Shares are normalised. Throws nothing.
  explicit Reference(std::vector<ReferencePart> parts);

  std::size_t dimension() const { return parts_.front().mean.size(); }
  const std::vector<ReferencePart>& parts() const { return parts_; }

  /// Log densities and their gradients at `count` points, [point][dimension].
  void evaluate(const double* points, std::size_t count, double* log_densities, double* gradients) const;
  /// Draws `first`, ..., `first + count - 1` of a seed: [draw][dimension]. Parts take turns, so that each has its share
  /// of any long row of draws.
  std::vector<double> draw(std::uint64_t seed, std::size_t first, std::size_t count) const;
  /// The part, among those that are not wide, that a point most likely belongs to.
  std::size_t part_of(const double* x) const;
  /// Multiplies `count` vectors, one after another, by the metric for moves: the factor of the covariance if one part
  /// alone is not wide, else the scales that these have in common. By its transpose, if that is wanted.
  void scale(double* vectors, std::size_t count, bool transposed) const;

 private:
  /// A part whose squared distances are `weight` times those of `part`, which comes before it or is the part itself. A
  /// wide part beside a narrow one of its shape needs no matrices of its own then.
  struct Like {
    std::size_t part = 0;
    double weight = 1;
  };
  /// |L^-1 (x - mean)|^2 of each point, and its gradient times -1/2: [point][dimension].
  struct SquaredDistances {
    std::vector<double> values, slopes;
  };
  bool has_common_scales() const;  ///< moves have a diagonal metric
  SquaredDistances squared_distances(std::size_t part, const double* points, std::size_t count) const;

  std::vector<ReferencePart> parts_;
  std::vector<Like> like_;
  std::vector<TriangularMatrix> inverse_, inverse_transposed_;  ///< of L, [part]; empty: diagonal, or like another part
  TriangularMatrix metric_, metric_transposed_;                 ///< L of the one part that is not wide, if it is dense
  std::size_t alone_at_ = 0;  ///< the one part that is not wide; parts_.size(): there are several
  std::vector<double> common_;
};

/// The parts that are not wide, or all if there is none, with `factor` times their standard deviations: a reference for
/// particles that come back from the posterior, which must have been wherever it has mass.
Reference narrowed(const Reference& reference, double factor);

/// A part of that covariance, column after column, which is made diagonal if it is not positive definite or has too
/// many dimensions.
ReferencePart normal_part(double share, std::vector<double> mean, const std::vector<double>& covariance);
ReferencePart diagonal_part(double share, std::vector<double> mean, std::vector<double> sds);

}  // namespace manychain
