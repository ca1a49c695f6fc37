// A tail along a curve that the chains of a run do not enter, though no valley parts it from them.
//
// If a parameter enters through an exponential, and few data hold it, the density may go on along a curve: far, in
// standard deviations of the chains, and narrow across. Steps that suit the rest are refused there, no chain enters,
// and all agree. From the outermost chains the highest density at growing distances is followed. Normal approximations
// across the curve tell the mass there, and trajectories from its middle tell if chains of the run would move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "manychain/chain/program.hpp"
#include "manychain/run/result.hpp"
#include "modes/place.hpp"

namespace manychain {

struct TailWanted {
  const std::vector<double>& positions;  ///< [chain][dimension]
  double step_size = 1, trajectory = 1;  ///< of the chains, by leapfrog steps in the metric of the place
  double transitions = 0;                ///< of all chains, that the run makes at least
  std::size_t evaluations = 50000;       ///< at most, about
  std::uint64_t seed = 0;
};

/// `share` is that of more than sqrt(d) + 3 standard deviations from the chains' mean; `means` are empty.
struct FoundTail : UnreachedTail {
  std::vector<double> middle;
};

/// In so many transitions of all chains: they come to the tail as often as they leave it.
inline double visits_of_tail(const UnreachedTail& tail, double transitions) {
  return tail.share * tail.leaves * transitions;
}
/// The relative error of the largest standard deviation by the tail's part, after so many transitions of all chains.
double sd_error_of_tail(const UnreachedTail& tail, double transitions);

inline constexpr std::size_t most_dimensions_of_tail = 20;
/// A mass by normals is known to a factor of a few: a run aims for half of the error that the verdict passes.
inline constexpr double small_error_of_tail = 0.05, wanted_error_of_tail = 0.025;

/// The tail by which a standard deviation is most in error, of those that add a tenth to a variance. One whose variance
/// grows as far as it is followed is none: the tails of draws show it. Adds its evaluations of density and gradient to
/// `evaluations`: some 400 where the posterior ends before the first distance. Nothing, too, where there are more than
/// TailWanted::evaluations.
std::optional<FoundTail> find_tail(const DensityEvaluator& density, const Place& place, const TailWanted& wanted,
                                   std::size_t& evaluations);

}  // namespace manychain
