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
  /// left out. The second argument says in which precision the map will be used.
  template <class Number>
  FrozenMap(std::vector<double>& values, Number);

  template <class Number>
  ScoreMap<Number> as() const;

  /// All that it is, to be made again, in whichever precision.
  std::vector<double> numbers() const;
  /// Throws BadInput if these are no map's.
  explicit FrozenMap(const std::vector<double>& numbers);

  double scale() const { return scale_; }
  /// The output of which u is made: u = scale() x + shift.
  double original(double u) const { return (u - shift_) / scale_; }
  /// The output whose normal score is z: linear between the knots.
  double output(double z) const;

 private:
  struct Knot {
    double u, z;
  };
  double scale_ = 1, shift_ = 0;
  std::vector<Knot> knots_;  ///< at least two; u and z increase strictly
};

}  // namespace manychain::diagnostics
