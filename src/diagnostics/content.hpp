// Contents of the sequences of a variable, and the sums that moments and ESS are finished from.
#pragma once

#include <algorithm>
#include <cstddef>

#include "diagnostics/about_mean.hpp"
#include "diagnostics/effective_sample_size.hpp"
#include "diagnostics/normal_scores.hpp"
#include "diagnostics/sorted_draws.hpp"

namespace manychain::diagnostics {
inline namespace MANYCHAIN_ISA {  // units of either instruction set include it

/// `nothing` has no sums.
enum class Content { low_tail, high_tail, draws, squares, scores, folded_scores, nothing };
inline constexpr std::size_t gathered_contents = static_cast<std::size_t>(Content::nothing);

/// Sums over sequences: of the means' squared distances from their mean, of the means, of the squares; behind them of
/// the products at the lags from 1 on.
inline constexpr std::size_t moment_sums = 3;

inline ArrayMoments array_moments(double sequences, std::size_t length, const double* sums) {
  ArrayMoments m;
  m.chains = sequences;
  m.draws = length;
  if (sequences > 1) m.variance_of_means = sums[0] / (sequences - 1);
  m.autocovariance_0 = sums[2] / sequences / static_cast<double>(length);
  return m;
}

/// False if all distances of `size` draws from the median are one.
inline bool folds_in(const OrderFacts& facts, std::size_t size) {
  if (size == 0) return false;
  const Folded fold{facts.median()};
  const std::size_t below = facts.below_median;
  const double farthest = std::max(fold(facts.first), fold(facts.last));
  const double above_nearest = below < size ? fold(facts.nearest_above) : farthest;
  return std::min(above_nearest, below > 0 ? fold(facts.nearest_below) : farthest) != farthest;
}

/// True if squared distances of `size` draws from the mean differ by more than rounding, which says nothing of two
/// values at equal distance from it.
inline bool squares_differ(const OrderFacts& facts, const AboutMean& about, double mean, std::size_t size) {
  constexpr double slack = 1e-12;
  if (size == 0) return false;
  const auto squared = [mean](double x) { return (x - mean) * (x - mean); };
  const double high = std::max(squared(facts.first), squared(facts.last));
  double low = high;
  if (about.below > 0) low = std::min(low, squared(about.nearest_below));
  if (about.below < size) low = std::min(low, squared(about.nearest_above));
  return high - low > slack * high;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain::diagnostics
