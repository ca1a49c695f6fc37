// Summary statistics and convergence diagnostics of draws, over all chains.
// Definitions: Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), as the R package posterior computes them.
#pragma once

#include <atomic>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace manychain {

/// A strided view of draws that somebody else owns. Strides are in elements.
template <class Number>
struct DrawsView {
  const Number* data = nullptr;
  std::size_t draws = 0;      ///< draws kept of each chain
  std::size_t variables = 0;  ///< scalars a draw
  std::size_t chains = 0;
  std::size_t draw_stride = 0;
  std::size_t variable_stride = 0;
  std::size_t chain_stride = 1;

  const Number& operator()(std::size_t draw, std::size_t variable, std::size_t chain) const {
    return data[draw * draw_stride + variable * variable_stride + chain * chain_stride];
  }
};

/// Statistics of one scalar quantity over all chains. A statistic that is not defined (constant draws, a NaN or an
/// infinity among them, fewer than three draws a half chain) or not computed is NaN, and a NaN never counts as
/// converged.
struct VariableSummary {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double sd = std::numeric_limits<double>::quiet_NaN();  ///< sample standard deviation of all draws (divisor S - 1)
  double q5 = std::numeric_limits<double>::quiet_NaN();  ///< quantiles of type 7
  double q50 = std::numeric_limits<double>::quiet_NaN();
  double q95 = std::numeric_limits<double>::quiet_NaN();
  /// Larger of rank-normalised split R-hat of the draws and of their folded form.
  double rhat = std::numeric_limits<double>::quiet_NaN();
  double ess_bulk = std::numeric_limits<double>::quiet_NaN();  ///< effective sample size, rank-normalised split draws
  /// sd / sqrt(ess of the split draws). Of a run with superchains, this and mcse_sd come from the chains' means and
  /// hold what is left of where superchains started.
  double mcse_mean = std::numeric_limits<double>::quiet_NaN();
  double ess_tail = std::numeric_limits<double>::quiet_NaN();  ///< smaller ESS of the 5 % and the 95 % quantile
  double mcse_sd = std::numeric_limits<double>::quiet_NaN();   ///< of sd, by the delta method, without normality
  /// Spread of superchains against each other: the variance of their mean squared deviations, over what the chains
  /// within let expect. About 1 where starts are forgotten; NaN without superchains.
  double sd_between_starts = std::numeric_limits<double>::quiet_NaN();
  /// Nested R-hat (Margossian et al. 2024) of the rank-normalised draws or, if larger, of their folded form. The halves
  /// of a superchain count as two. From two draws per chain; NaN without superchains.
  double rhat_nested = std::numeric_limits<double>::quiet_NaN();
  /// Shape k of a generalised Pareto distribution fitted to the tails (Vehtari et al. 2024): no sd from 1/2 on, no mean
  /// from 1 on. Of runs that keep draws and of files; summarise() leaves it NaN.
  double khat = std::numeric_limits<double>::quiet_NaN();
  /// Draws that are not the median: 0 of a constant. NaN where draws are not kept.
  double moved = std::numeric_limits<double>::quiet_NaN();
};

/// One line of a summary.
struct SummaryRow {
  std::string name;  ///< "beta[1]"
  VariableSummary statistics;
};

/// Summarises every variable of `draws`, on the host, with at most `threads` threads (0: all there are).
/// The result does not depend on the number of threads. Chain c belongs to superchain c mod `superchains`; fewer than
/// two: there are none. When `cancel` becomes true, it ends within a part of one variable, and returns the first
/// variables alone, those that were done.
std::vector<VariableSummary> summarise(const DrawsView<float>& draws, int threads = 0, std::size_t superchains = 0,
                                       const std::atomic<bool>* cancel = nullptr);
std::vector<VariableSummary> summarise(const DrawsView<double>& draws, int threads = 0, std::size_t superchains = 0,
                                       const std::atomic<bool>* cancel = nullptr);

/// Summary of draws in the memory of the current CUDA device, computed there. Variables of 2^31 draws or more are
/// copied to the host, one after the other, and summarised there. Throws BadInput in a build without CUDA.
std::vector<VariableSummary> summarise_on_device(const DrawsView<float>& device_draws, std::size_t superchains = 0,
                                                 const std::atomic<bool>* cancel = nullptr);
std::vector<VariableSummary> summarise_on_device(const DrawsView<double>& device_draws, std::size_t superchains = 0,
                                                 const std::atomic<bool>* cancel = nullptr);

}  // namespace manychain
