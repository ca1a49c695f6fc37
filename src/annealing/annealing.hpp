// Annealing: many particles go from a reference to the posterior by temperatures, or back, and their weights give the
// evidence.
//
// At the inverse temperature b the density is q^(1 - b) p^b, q the reference, p that of the model. A step to the next
// temperature adds (b' - b) (log p - log q) to the logarithm of a particle's weight; then a transition of HMC leaves
// the density at b' invariant (Neal 2001, Annealed importance sampling). The mean of all weights is an unbiased
// estimate of the integral of p, whatever temperatures and steps are. Those come from rounds before it, of other random
// numbers: each round has twice the temperatures of the one before, with equal steps of the barrier that it measured
// (Syed and others 2024, arXiv:2408.12057).
//
// Particles are in islands, which do not know of each other. Where the weights of an island degenerate, it resamples.
// Densities are evaluated in double, by the evaluators of the host: log p enters with its full size, of which single
// precision would leave nothing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "annealing/reference.hpp"
#include "manychain/run/model.hpp"

namespace manychain {

struct AnnealingWanted {
  std::size_t particles = 1024;  ///< a multiple of islands
  std::uint64_t seed = 0;
  std::uint64_t first = 0;  ///< number of the first particle, below 2^31, for its random numbers
  int threads = 1;
  const std::atomic<bool>* cancel = nullptr;  ///< or null; once true, densities are NaN, and nothing is worth anything
  std::size_t fewest_temperatures = 32, most_temperatures = 1024;
};

inline constexpr std::size_t islands_of_annealing = 16;

/// Temperatures beyond the reference, which has b = 0, and the steps of HMC there.
struct AnnealingSchedule {
  std::vector<double> inverse;    ///< ascending, the last is 1
  std::vector<double> log_steps;  ///< in units of the reference's metric
  double barrier = 0;             ///< between reference and posterior, cumulated
  std::size_t evaluations = 0;    ///< of density and gradient, that it took to find it
};

struct Annealed {
  std::vector<double> points;       ///< [particle][dimension], at the posterior or at the reference
  std::vector<double> log_weights;  ///< [particle]; -inf: outside of the support
  double log_z = 0;                 ///< log of the integral of the model's density
  /// The standard deviation of log_z: the larger of that of independent particles and that of independent islands.
  double error = 0;
  double ess = 0;             ///< of the weights
  std::size_t resampled = 0;  ///< how often, all islands together
  std::size_t evaluations = 0;
};

/// A function of its arguments; threads change nothing. Throws SamplingFailed if the density is finite at no particle.
AnnealingSchedule find_schedule(const Model& model, const Reference& reference, const AnnealingWanted& wanted);
/// From draws of the reference to the posterior.
Annealed anneal(const Model& model, const Reference& reference, const AnnealingSchedule& schedule,
                const AnnealingWanted& wanted);
/// From draws of the posterior, [particle][dimension], to the reference: weights estimate 1 / Z. Draws that depend on
/// each other stand together: the error is that of islands, which are equally many draws one after another.
Annealed anneal_back(const Model& model, const Reference& reference, const AnnealingSchedule& schedule,
                     const std::vector<double>& draws, const AnnealingWanted& wanted);

/// A mean over particles by their weights, with its standard error: of `values`, [particle].
struct WeightedMean {
  double value = 0, error = 0;
};
WeightedMean weighted_mean(const Annealed& annealed, const std::vector<double>& values);

/// `count` of the particles, drawn by their weights with the systematic scheme: [point][dimension]. Each stratum has
/// its share of them, to one point; `stratum`: [particle], empty: there is one. In an order by chance.
std::vector<double> resampled_points(const Annealed& annealed, std::size_t count, std::uint64_t seed,
                                     const std::vector<std::size_t>& stratum = {});

}  // namespace manychain
