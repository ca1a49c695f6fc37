// Statistics about the mean of all draws. The mean may be known only where the draws are.
#pragma once

#include <cstddef>

#include "diagnostics/sequence_layout.hpp"
#include "diagnostics/sorted_draws.hpp"
#include "manychain/core/macros.hpp"

namespace manychain::diagnostics {
inline namespace MANYCHAIN_ISA {  // units of either instruction set include it

/// Statistics of draws less an origin. `below` and the nearest draws are of sequences.
struct AboutMean {
  double centre;     ///< the mean
  double spread;     ///< of the sequences' means: sum of squared distances
  double middle[3];  ///< of the middle draws: sum, and sums of squared distances and of their squares
  double fourth;     ///< of the draws of sequences: sum of fourth powers of distances
  std::size_t below;
  double nearest_below, nearest_above;  ///< to the mean, where there is one on that side
};

/// Finds the centre from the sum over sequences of their means, and that of the middle draws.
struct FindCentre {
  const double* sum_of_means;
  SequenceLayout layout;
  AboutMean* about;

  MANYCHAIN_HD void operator()(std::size_t) const {
    const auto sequences = static_cast<double>(layout.sequences());
    double centre = static_cast<double>(layout.length) * sequences * (*sum_of_means / sequences);
    if (layout.middle() > 0) centre += about->middle[0];
    about->centre = centre / static_cast<double>(layout.all_draws());
  }
};

template <class Number>
struct FindNearestToMean {
  SortedDraws<Number> draws;
  double origin;
  AboutMean* about;

  MANYCHAIN_HD void operator()(std::size_t) const {
    const std::size_t below = draws.count_below(origin + about->centre);
    about->below = below;
    if (below > 0) about->nearest_below = draws.at(below - 1);
    if (below < draws.size) about->nearest_above = draws.at(below);
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain::diagnostics
