#include "warmup/travelling.hpp"

#include <algorithm>

#include "manychain/diagnostics/convergence.hpp"

namespace manychain {
namespace {

// Split R-hats of a window of 125 transitions of 16 chains were 1.02 to 1.04 of the log density and up to 1.09 of
// components where chains had arrived, and 1.4 to 6 where some had not (accel_gp of examples/posteriors).
constexpr double arrived_below = 1.1, components_arrived_below = 1.2;
constexpr std::size_t fewest_looks = 32;
constexpr int most_longer = 4;

}  // namespace

double largest_split_rhat(const std::vector<double>& values, std::size_t chains, std::size_t components) {
  constexpr std::size_t fewest = 8;
  const std::size_t row = chains * components, draws = row > 0 ? values.size() / row : 0;
  double largest = 1;
  for (std::size_t i = 0; i < components && draws >= fewest; ++i)
    largest = std::max(largest, diagnostics::rhat_split({values.data() + i, draws, chains, row, components}));
  return largest;
}

bool Travelling::repeats() {
  if (settings_.warmup_end != WarmupEnd::arrived || longer_ == most_longer) return false;
  // The first longer window has points of chains that still arrived: its metric is none to sample with.
  if (longer_ != 1 && !chains_travel()) return false;
  ++longer_;
  return true;
}

bool Travelling::chains_travel() const {
  const std::size_t chains = groups_.chains_of_group(), d = layout_.dimension;
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

}  // namespace manychain
