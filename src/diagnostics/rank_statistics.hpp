// Every statistic of the draws of one variable over all chains, on the host or on a device: one implementation over
// Thrust algorithms. Definitions: Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), as the R package posterior
// computes them. Private: Thrust must not reach a public header.
//
// Its parts: draws in order with their places (ordered_draws.hpp), loops over sequences (sequence_loops.hpp,
// indicator_loops.hpp), sums over all sequences (sequence_pool.hpp). A CPU has loops of its own, compiled for the
// instruction set of chain code: tile_loops.hpp and sort_draws.hpp are functions of numbers, whose units hold no
// template of others. A device does several variables in each kernel (summary_batch.hpp, batch_loops.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "diagnostics/beta_quantile.hpp"
#include "diagnostics/cancelled.hpp"
#include "diagnostics/nested_rhat.hpp"
#include "diagnostics/sequence_contents.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// The larger of two; NaN if one of them is.
inline double larger(double a, double b) { return a > b || std::isnan(a) ? a : b; }
inline double smaller(double a, double b) { return a < b || std::isnan(a) ? a : b; }

/// Reads one variable after another and reuses its memory. Computes what is asked for; an undefined statistic is NaN.
/// With Parts::whole the statistics of split chains become those of whole chains. `Index` numbers the places of all
/// draws of a variable: 32 bits while they suffice.
template <class Backend, class Number, class Index, class Contents = SequenceContents<Backend, Number, Index>>
class RankStatisticsOf {
 public:
  /// Once `cancel` is true, a summary is left incomplete.
  explicit RankStatisticsOf(const DrawsView<Number>& draws, Parts parts = Parts::halves,
                            const std::atomic<bool>* cancel = nullptr)
      : variable_(draws, parts), layout_(variable_.layout()), cancel_(cancel) {}

  /// For the sums of one variable, gathered before: only summary() may be called.
  explicit RankStatisticsOf(const Contents& gathered)
      : variable_(gathered), layout_(variable_.layout()), cancel_(nullptr) {}

  /// Sets normal scores, computed before, of ranks among ranked_draws().
  void look_up(ScoreTable scores) { variable_.look_up(scores); }
  static std::size_t ranked_draws(const DrawsView<Number>& draws) {
    return Contents::layout_of(draws, Parts::halves).sequence_draws();
  }

  /// True if `Index` can number every place, and every rank that ties may have.
  static bool fits(const DrawsView<Number>& draws) {
    return Contents::layout_of(draws, Parts::whole).tiles_size() < std::numeric_limits<Index>::max() / 2;
  }

  void load(std::size_t variable) { variable_.load(variable); }

  /// The draws of the variable that was read, which are finite, in the backend's memory.
  auto in_order() { return variable_.order().in_order(); }

  std::size_t not_finite() const { return variable_.not_finite(); }
  bool constant() const { return variable_.usable() && !variable_.moves(); }

  double quantile(double p) { return variable_.usable() ? variable_.order().quantile(p) : nan; }
  double mad() { return variable_.usable() ? 1.4826 * variable_.order().median_distance() : nan; }
  double mean() { return variable_.mean(); }
  double sd() { return variable_.sd(); }

  double rhat_split() { return rhat_of(Content::draws); }
  double rhat_bulk() { return rhat_of(Content::scores); }
  double rhat_folded() { return rhat_of(Content::folded_scores); }
  double rhat() {
    const double bulk = rhat_bulk();
    // Draws with two values, at equal distances from the median, have no folded form: the bulk R-hat decides.
    return variable_.moves() && variable_.hold(Content::folded_scores) ? larger(rhat_folded(), bulk) : bulk;
  }

  double ess_mean() { return ess_of(Content::draws); }
  double ess_sd() { return ess_of(Content::squares); }
  double ess_bulk() { return ess_of(Content::scores); }
  double ess_tail() {
    if (!has_ess()) return nan;
    return smaller(variable_.ess_of_indicator(Content::low_tail, variable_.facts().up_to[0]),
                   variable_.ess_of_indicator(Content::high_tail, variable_.facts().up_to[2]));
  }
  double ess_quantile(double p) {
    if (!has_ess()) return nan;
    const auto all = static_cast<double>(layout_.all_draws());
    // As in the package posterior: at the maximum the indicator would be constant.
    const double q = variable_.order().quantile(p == 1 ? (all - 0.5) / all : p);
    return variable_.ess_of_indicator(Content::nothing, variable_.order().count_up_to(q));
  }

  double mcse_mean() { return sd() / std::sqrt(ess_mean()); }
  double mcse_sd() {
    const double ess = ess_sd();
    if (!std::isfinite(ess)) return nan;
    const auto all = static_cast<double>(layout_.all_draws());
    const double m2 = sd() * sd() * (all - 1) / all;
    return std::sqrt((variable_.fourth_moment() - m2 * m2) / ess / m2 / 4);
  }
  double mcse_quantile(double p) { return mcse_quantile(p, ess_quantile(p)); }
  double mcse_quantile(double p, double ess) {
    if (!std::isfinite(ess)) return nan;
    const std::size_t all = layout_.all_draws();
    const double low = beta_quantile(0.1586553, ess * p + 1, ess * (1 - p) + 1);
    const double high = beta_quantile(0.8413447, ess * p + 1, ess * (1 - p) + 1);
    // Order statistics, counted from one.
    const auto from = std::max<std::size_t>(static_cast<std::size_t>(low * static_cast<double>(all)), 1);
    const auto to = std::min(static_cast<std::size_t>(std::ceil(high * static_cast<double>(all))), all);
    return (variable_.order().order_statistic(to - 1) - variable_.order().order_statistic(from - 1)) / 2;
  }

  /// Nested R-hat of the draws without rank normalisation; `superchain` gives the superchain, of `superchains`, of each
  /// chain.
  double rhat_nested(const std::vector<std::size_t>& superchain, std::size_t superchains) {
    return nested_of(Content::draws, superchain, superchains);
  }
  /// The larger nested R-hat of the rank-normalised draws and of their folded form.
  double rhat_nested_ranked(const std::vector<std::size_t>& superchain, std::size_t superchains) {
    const double bulk = nested_of(Content::scores, superchain, superchains);
    return variable_.moves() && variable_.hold(Content::folded_scores)
               ? larger(nested_of(Content::folded_scores, superchain, superchains), bulk)
               : bulk;
  }

  /// Autocovariances of the draws at the lags 0 to `max_lag`, divisor n, averaged over the sequences.
  std::vector<double> autocovariances(std::size_t max_lag) {
    if (!variable_.moves()) return std::vector<double>(max_lag + 1, nan);
    variable_.hold(Content::draws);
    return variable_.autocovariances(max_lag);
  }

  /// The summary of a run. Chain c belongs to superchain c mod `superchains`; fewer than two: no nested R-hat.
  VariableSummary operator()(std::size_t variable, std::size_t superchains = 0) {
    load(variable);
    return cancelled(cancel_) ? VariableSummary() : summary(superchains);
  }
  /// Summary of the variable that was read.
  VariableSummary summary(std::size_t superchains) {
    superchains = superchains > 1 ? std::min(superchains, layout_.chains) : 0;
    VariableSummary out;
    out.q5 = variable_.usable() ? variable_.facts().quantile[0] : nan;
    out.q50 = variable_.usable() ? variable_.facts().quantile[1] : nan;
    out.q95 = variable_.usable() ? variable_.facts().quantile[2] : nan;
    if (variable_.usable()) out.moved = variable_.moved();
    // In the order of the contents that values hold, so that each is written once.
    out.ess_tail = ess_tail();
    if (cancelled(cancel_)) return out;
    out.mean = mean();
    out.sd = sd();
    out.mcse_mean = mcse_mean();
    out.mcse_sd = mcse_sd();
    if (cancelled(cancel_)) return out;
    out.ess_bulk = ess_bulk();
    out.rhat = rhat_bulk();
    std::vector<std::size_t> superchain;
    if (superchains > 0) {
      for (std::size_t c = 0; c < layout_.chains; ++c) superchain.push_back(c % superchains);
      out.rhat_nested = nested_of(Content::scores, superchain, superchains);
    }
    if (!variable_.moves() || !variable_.hold(Content::folded_scores)) return out;
    out.rhat = larger(rhat_folded(), out.rhat);
    if (superchains > 0) {
      out.rhat_nested = larger(nested_of(Content::folded_scores, superchain, superchains), out.rhat_nested);
    }
    return out;
  }

 private:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  bool has_ess() const { return variable_.moves() && layout_.length >= 3; }

  double rhat_of(Content content) {
    const std::size_t least = layout_.parts == 1 ? 2 : 3;
    if (!variable_.moves() || layout_.length < least || layout_.sequences() < 2 || !variable_.hold(content)) return nan;
    return potential_scale_reduction(variable_.moments());
  }

  double ess_of(Content content) { return has_ess() && variable_.hold(content) ? variable_.ess() : nan; }

  double nested_of(Content content, const std::vector<std::size_t>& superchain, std::size_t superchains) {
    if (!variable_.moves() || layout_.length < 1 || !variable_.hold(content)) return nan;
    // Each half of a superchain is one of its own, to detect a drift that all superchains share.
    std::vector<std::size_t> group(layout_.sequences());
    for (std::size_t s = 0; s < group.size(); ++s)
      group[s] = superchain[s % layout_.chains] + s / layout_.chains * superchains;
    const double* const rows = variable_.moments_of_sequences();
    return nested_rhat(sequence_moments(layout_, rows, rows + layout_.padded), group,
                       superchains > 1 ? layout_.parts * superchains : superchains);
  }

  Contents variable_;
  const SequenceLayout& layout_;
  const std::atomic<bool>* cancel_;
};

}  // namespace manychain::diagnostics
