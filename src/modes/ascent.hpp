// Many points that climb a density together.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/chain/program.hpp"
#include "modes/place.hpp"

namespace manychain {

/// Points are [point][dimension].
struct Ascended {
  std::vector<double> points;   ///< each at the highest that it came to
  std::vector<double> values;   ///< log densities there; -inf: it began where the density is not finite
  std::vector<bool> known;      ///< came to a peak that is known
  std::vector<bool> arrived;    ///< at a peak, as far as steps in the metric of the place tell
  std::size_t evaluations = 0;  ///< of density and gradient
};

/// The first of `peaks` within a standard deviation, and a tenth more for each of the square root of the dimension, or
/// the number of peaks.
std::size_t peak_near(const Place& place, const std::vector<double>& peaks, const double* x);
/// True if there is one.
bool near_peak(const Place& place, const std::vector<double>& peaks, const double* x);

/// Steepest ascent in the metric of the place, with step lengths of Barzilai and Borwein (1988) that never descend:
/// from anywhere in a normal density of that shape the first step leads to its peak, and is not even made if that is
/// one of `peaks`. A point stops at one of these, or where the step gains next to nothing; all stop once `most`
/// evaluations are spent. All points that still move are evaluated together.
Ascended ascend(const DensityEvaluator& density, const Place& place, const std::vector<double>& peaks,
                const std::vector<double>& points, std::size_t most);

/// By how much the log density falls, on a straight line between two points, below the lower of both. Infinite where
/// it is not finite.
double barrier(const DensityEvaluator& density, const std::vector<double>& a, const std::vector<double>& b);
inline constexpr std::size_t barrier_points = 25;  ///< evaluations of barrier()
inline constexpr double valley = 3;                ///< the barrier between two modes, at least

}  // namespace manychain
