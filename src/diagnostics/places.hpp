// Chains that stay in a few places: a posterior of several modes that no chain leaves.
#pragma once

#include <cstddef>
#include <vector>

namespace manychain::diagnostics {

/// Draws of one chain, summed up.
struct ChainMoments {
  double mean = 0, sd = 0;
  std::size_t start = 0;  ///< chains of a number started at one point
};

struct Place {
  double centre = 0;  ///< the mean of the chains that stay there
  std::size_t chains = 0;
};

/// Finds the places, from 2 to 8, in which nearly all chains stay, the lowest first. Empty: they cannot be told. The
/// means of chains of two places lie further apart than three standard deviations of a chain, those of one place within
/// one. Each place has two chains and a hundredth of all; the largest has chains of several starts: chains that hardly
/// move stay where they started, and show no modes.
std::vector<Place> places_of(std::vector<ChainMoments> chains);

}  // namespace manychain::diagnostics
