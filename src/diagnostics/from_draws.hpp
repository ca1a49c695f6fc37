// Statistics of the draws themselves once they lie on the host, whichever backend made the summary: Monte Carlo
// standard errors from superchains, and the shape of the tails.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// The mean of all chains, from the means of chains of equal length of which c belongs to superchain c mod
/// `superchains` (at least two, at most one a chain).
struct MeanOfChains {
  /// With the mean square between superchains B (K - 1 degrees of freedom) and that of all chains about their common
  /// mean T (C - 1), it is max(B, T) / C: what is left of where superchains started is in B, and T is the more precise
  /// where nothing is. docs/diagnostics.md derives it.
  double variance = 0;
  double between_starts = 0;  ///< B over the mean square within superchains (C - K); NaN if these are single chains
};
MeanOfChains mean_of_chains(const std::vector<double>& chain_means, std::size_t superchains);

/// Adds khat and, with two superchains or more, mcse_mean, mcse_sd and sd_between_starts to the summaries of the first
/// variables of `draws`, and makes rhat_nested that of `groups` (rhat_of_groups()) where this is larger, with at most
/// `threads` threads (0: all there are), on whose number nothing depends. Beside sums of each chain a thread takes 1
/// MB. Once `cancel` is true no more are begun. Returns how many summaries, the first ones, need nothing more: all of
/// them if it was not cancelled.
template <class Number>
std::size_t add_from_draws(const DrawsView<Number>& draws, const std::vector<VariableSummary*>& summaries,
                           std::size_t superchains, int threads, const std::atomic<bool>* cancel = nullptr,
                           std::size_t groups = 1);

}  // namespace manychain::diagnostics
