// Convergence diagnostics of draws of one quantity, whoever made them.
//
// Definitions: Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), "Rank-normalization, folding, and localization:
// an improved R-hat", Bayesian Analysis 16(2), step for step as the R package posterior computes them. "Split": each
// chain is cut in halves, the middle one of an odd number of draws left out.
//
// A diagnostic that is not defined is NaN: draws that are constant, a NaN or an infinity among them, fewer than three
// draws a (half) chain. R-hat is infinite where no chain moves and yet they differ. Neither may count as converged: ask
// `rhat < 1.01`, never `!(rhat >= 1.01)`. Costs: a sort, and products at as many lags as Geyer's sequence goes, or a
// Fourier transform where that is cheaper. The implementation is that of summaries of runs, on the host.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/diagnostics/quantity_view.hpp"

namespace manychain::diagnostics {

/// The larger of rank-normalised split R-hat of the draws and of their distances from the median (the folded half).
double rhat(const QuantityView& x);
double rhat_bulk(const QuantityView& x);    ///< rank-normalised split R-hat: chains that differ in location
double rhat_folded(const QuantityView& x);  ///< the same of |x - median|: chains that differ in scale
double rhat_split(const QuantityView& x);   ///< of the split draws as they are (Gelman et al. 2013)
double rhat_plain(const QuantityView& x);   ///< of whole chains (Gelman and Rubin 1992); NaN for one chain

/// Nested R-hat (Margossian et al. 2024, "Nested R-hat", Bayesian Analysis), for many short chains: sqrt(1 + B / W), B
/// the variance of the superchains' means, W the mean over superchains of variance between plus variance within chains.
/// `superchain` has a label per chain; chains of a superchain have started at one point. Works from one draw per chain;
/// NaN for fewer than two superchains. Throws BadInput unless there is a label per chain and the superchains' sizes
/// differ by one chain at most. Of the draws as they are: that of a summary is of ranks.
double rhat_nested(const QuantityView& x, const std::vector<std::size_t>& superchain);
/// That of a summary: the larger one of the rank-normalised draws and of their folded form, each half of a superchain
/// one of its own.
double rhat_nested_ranked(const QuantityView& x, const std::vector<std::size_t>& superchain);

double ess_bulk(const QuantityView& x);    ///< of the rank-normalised split draws
double ess_tail(const QuantityView& x);    ///< the smaller of those of the 5 % and the 95 % quantile
double ess_mean(const QuantityView& x);    ///< of the split draws
double ess_sd(const QuantityView& x);      ///< of the split (x - mean)^2
double ess_median(const QuantityView& x);  ///< ess_quantile(x, 0.5)
double ess_plain(const QuantityView& x);   ///< of whole chains

/// Effective sample size of the quantile at `p`: of the split indicators x <= quantile. NaN where all draws are on one
/// side. Throws BadInput unless 0 <= p <= 1.
double ess_quantile(const QuantityView& x, double p);

double mcse_mean(const QuantityView& x);  ///< sd / sqrt(ess_mean)

/// sqrt((m4 - m2^2) / (4 m2 ess_sd)) with the central moments m2 and m4: the delta method, without normality.
double mcse_sd(const QuantityView& x);
double mcse_median(const QuantityView& x);  ///< mcse_quantile(x, 0.5)

/// Half the distance between the order statistics that hold the central 68.3 % of the Beta distribution of the
/// quantile's rank (Vehtari et al. 2021, section 4.4). Throws BadInput unless 0 <= p <= 1.
double mcse_quantile(const QuantityView& x, double p);

/// Shape k of a generalised Pareto distribution fitted to both tails, the larger (Vehtari et al. 2024, "Pareto smoothed
/// importance sampling"; Zhang and Stephens 2009), as pareto_khat() of the R package posterior: of ceil(3 sqrt(S / r))
/// draws each with r = ess_tail / S, of S / 5 where S is at most 225, of no more than S / 2 and no fewer than 5.
/// Moments of orders below 1 / k exist. NaN where ess_tail is, and where the tails are ties. VariableSummary::khat is
/// of longer tails.
double pareto_khat(const QuantityView& x);

/// Autocorrelations at the lags 0 to `max_lag` (at most draws - 1): biased autocovariances about each chain's own mean,
/// averaged over the chains, over that at lag 0. Of one chain: autocorrelation(x.chain(c), max_lag). All NaN where the
/// draws of every chain are constant.
std::vector<double> autocorrelation(const QuantityView& x, std::size_t max_lag);

/// Energy Bayesian fraction of missing information (Betancourt 2016), one per chain: the sum of squared steps of the
/// energy over its sum of squares about the mean. Below 0.3 the momenta are too small for the tails of the energy. NaN
/// for a chain whose energies are constant or not all finite.
std::vector<double> ebfmi(const QuantityView& energy);

/// All that a table shows of one quantity.
struct QuantitySummary : VariableSummary {
  double mad = 0;
  double mcse_q5 = 0;
  double mcse_q50 = 0;
  double mcse_q95 = 0;
  std::size_t not_finite = 0;  ///< draws
  bool constant = false;       ///< finite, and all the same
};

QuantitySummary summarise_quantity(const QuantityView& x);

/// Summarises every variable with at most `threads` threads (0: all there are), on whose number nothing depends. Chain
/// c belongs to superchain c mod `superchains`; fewer than two: there are none, and no nested R-hat.
std::vector<QuantitySummary> summarise_quantities(const DrawsView<double>& draws, int threads = 0,
                                                  std::size_t superchains = 0);
std::vector<QuantitySummary> summarise_quantities(const DrawsView<float>& draws, int threads = 0,
                                                  std::size_t superchains = 0);

}  // namespace manychain::diagnostics
