// Chains that stay at lower log densities than all others, with a gap between.
#pragma once

#include <cstddef>
#include <vector>

namespace manychain::diagnostics {

struct LowChains {
  std::size_t chains = 0;  ///< 0: there is no such gap
  double gap = 0;          ///< from the highest of them to the lowest of the others
};

/// Finds the widest gap of the log densities of 32 chains or more, below which there are four chains and a fiftieth of
/// all at least, and above which there are eight and an eighth. It counts from 5 on, from 3 sqrt(dimension) and from
/// three standard deviations of those above: in one place log densities have hardly any gap, and a normal's have a
/// standard deviation of sqrt(dimension / 2). What is not finite is not counted.
LowChains find_low_chains(std::vector<double> log_densities, std::size_t dimension);

}  // namespace manychain::diagnostics
