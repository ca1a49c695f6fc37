// The monotone map from an output to its normal score, frozen at the end of warm-up: what streaming diagnostics have in
// place of ranks.
#pragma once

#include <vector>

#include "diagnostics/streaming.hpp"

namespace manychain::diagnostics {

/// On the host, in double, with its inverse.
class FrozenMap {
 public:
  /// Lays the map out by these values of all chains (in any order; they are sorted). Values that are not finite are
  /// left out.
  explicit FrozenMap(std::vector<double>& values);

  template <class Number>
  ScoreMap<Number> as() const;

  double centre() const { return centre_; }
  double scale() const { return scale_; }
  /// The output whose normal score is z: linear between the knots.
  double output(double z) const;

 private:
  struct Knot {
    double u, z;
  };
  double centre_ = 0, scale_ = 1;
  std::vector<Knot> knots_;  ///< at least two; u and z increase strictly
};

}  // namespace manychain::diagnostics
