// Do chains still travel? From where they were in a window of warm-up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "manychain/diagnostics/convergence.hpp"
#include "warmup/estimator.hpp"

namespace manychain {

/// The largest split R-hat (Gelman and others 2013, section 11.4) of any component of [observation][chain][component]:
/// chains that drift, or that stay apart, have one above what the noise of so few observations makes. 1 if a half has
/// fewer than four; a component that does not vary counts as 1, and infinity where only chains differ.
inline double largest_split_rhat(const std::vector<double>& values, std::size_t chains, std::size_t components) {
  constexpr std::size_t fewest = 8;
  const std::size_t row = chains * components, draws = row > 0 ? values.size() / row : 0;
  double largest = 1;
  for (std::size_t i = 0; i < components && draws >= fewest; ++i)
    largest = std::max(largest, diagnostics::rhat_split({values.data() + i, draws, chains, row, components}));
  return largest;
}

/// Has longer windows follow a last one in which chains of some group drifted, or stayed apart, in a warm-up of
/// WarmupEnd::arrived.
class Travelling final : public Estimator {
 public:
  using Estimator::Estimator;

  bool repeats() override {
    if (settings.warmup.end != WarmupEnd::arrived || longer_ == most_longer) return false;
    // The first longer window has points of chains that still arrived: its metric is none to sample with.
    if (longer_ != 1 && !chains_travel()) return false;
    ++longer_;
    return true;
  }

 private:
  // Split R-hats of a window of 125 transitions of 16 chains were 1.02 to 1.04 of the log density and up to 1.09 of
  // components where chains had arrived, and 1.4 to 6 where some had not (accel_gp of examples/posteriors).
  static constexpr double arrived_below = 1.1, components_arrived_below = 1.2;
  static constexpr std::size_t fewest_looks = 32;
  static constexpr int most_longer = 4;

  /// False of many chains, whose points are too few of each to tell.
  bool chains_travel() const {
    const std::size_t chains = groups_.chains_of_group(), d = layout.dimension;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto& [log_densities, points, gradients] = groups_[g].window;
      const std::size_t looks = log_densities.size() / chains;
      if (looks < fewest_looks) continue;
      if (largest_split_rhat(log_densities, chains, 1) > arrived_below) return true;
      // Points of chains that are lost are missing.
      if (points.size() == looks * chains * d && largest_split_rhat(points, chains, d) > components_arrived_below)
        return true;
    }
    return false;
  }

  int longer_ = 0;  ///< windows so far
};

}  // namespace manychain
