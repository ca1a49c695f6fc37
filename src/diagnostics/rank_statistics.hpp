// Every statistic of the draws of one variable over all chains, on the host or on a device: one implementation over
// Thrust algorithms. Definitions: Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), as the R package posterior
// computes them. Private: Thrust must not reach a public header.
#pragma once

#include <thrust/fill.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "diagnostics/beta_quantile.hpp"
#include "diagnostics/cancelled.hpp"
#include "diagnostics/indicators.hpp"
#include "diagnostics/nested_rhat.hpp"
#include "diagnostics/ordered_draws.hpp"
#include "diagnostics/sequence_pool.hpp"
#include "diagnostics/spectral_products.hpp"
#include "diagnostics/tile_loops.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// The larger of two; a NaN among them comes out.
inline double larger(double a, double b) { return a > b || std::isnan(a) ? a : b; }
inline double smaller(double a, double b) { return a < b || std::isnan(a) ? a : b; }

/// Reads one variable after the other and keeps its memory in between. What is asked for is computed then; a statistic
/// that is not defined is NaN. With Parts::whole the statistics of split draws become those of whole chains. `Index`
/// numbers the places of all draws of a variable: 32 bits while they suffice.
template <class Backend, class Number, class Index>
class RankStatisticsOf {
 public:
  /// Once `cancel` is true, a summary ends half way.
  explicit RankStatisticsOf(const DrawsView<Number>& draws, Parts parts = Parts::halves,
                            const std::atomic<bool>* cancel = nullptr)
      : view_(draws), layout_(layout_of(draws, parts)), draws_(layout_), pool_(layout_), cancel_(cancel) {}

  /// Normal scores that were computed before, of ranks among ranked_draws().
  void look_up(ScoreTable scores) { scores_ = scores; }
  static std::size_t ranked_draws(const DrawsView<Number>& draws) {
    return layout_of(draws, Parts::halves).sequence_draws();
  }

  /// True if `Index` can number every place, and every rank that ties may have.
  static bool fits(const DrawsView<Number>& draws) {
    return layout_of(draws, Parts::whole).tiles_size() < std::numeric_limits<Index>::max() / 2;
  }

  void load(std::size_t variable) {
    variable_ = variable;
    if (!in_tiles) Vector<double>().swap(values_);  // while the draws are sorted their copies lie there
    content_ = Content::nothing;
    not_finite_ = 0;
    usable_ = moves_ = false;
    mean_ = sd_ = nan;
    if (layout_.all_draws() == 0) return;
    not_finite_ = draws_.load(view_, variable, pool_);
    usable_ = not_finite_ == 0;
    if (!usable_) return;
    draws_.sort();
    moves_ = draws_.order_statistic(0) != draws_.order_statistic(layout_.all_draws() - 1);
    if (!moves_) {
      mean_ = draws_.order_statistic(0);
      if (layout_.all_draws() > 1) sd_ = 0;
    }
  }

  std::size_t not_finite() const { return not_finite_; }
  bool constant() const { return usable_ && !moves_; }

  double quantile(double p) const { return usable_ ? draws_.quantile(p) : nan; }
  double mad() const { return usable_ ? 1.4826 * draws_.median_distance(quantile(0.5)) : nan; }
  double mean() {
    if (moves_ && std::isnan(mean_)) hold(Content::draws);
    return mean_;
  }
  double sd() {
    mean();
    return sd_;
  }

  double rhat_split() { return rhat_of(Content::draws); }
  double rhat_bulk() { return rhat_of(Content::scores); }
  double rhat_folded() { return rhat_of(Content::folded_scores); }
  double rhat() {
    const double bulk = rhat_bulk();
    // Two values at equal distance from the median leave no folded form to compare: the draws themselves decide.
    return moves_ && hold(Content::folded_scores) ? larger(rhat_folded(), bulk) : bulk;
  }

  double ess_mean() { return ess_of(Content::draws); }
  double ess_sd() { return ess_of(Content::squares); }
  double ess_bulk() { return ess_of(Content::scores); }
  double ess_tail() { return smaller(ess_quantile(0.05), ess_quantile(0.95)); }
  double ess_quantile(double p) {
    if (!moves_ || layout_.length < 3) return nan;
    const auto all = static_cast<double>(layout_.all_draws());
    // As posterior: at the very maximum the indicator would be constant.
    const double q = draws_.quantile(p == 1 ? (all - 0.5) / all : p);
    content_ = Content::nothing;  // the pool's rows are needed
    return indicators_.ess(draws_, q, layout_, pool_);
  }

  double mcse_mean() { return sd() / std::sqrt(ess_mean()); }
  double mcse_sd() {
    const double ess = ess_sd();
    if (!std::isfinite(ess)) return nan;
    const auto all = static_cast<double>(layout_.all_draws());
    const double m2 = sd_ * sd_ * (all - 1) / all;
    return std::sqrt((fourth_moment_ - m2 * m2) / ess / m2 / 4);
  }
  double mcse_quantile(double p) { return mcse_quantile(p, ess_quantile(p)); }
  double mcse_quantile(double p, double ess) const {
    if (!std::isfinite(ess)) return nan;
    const std::size_t all = layout_.all_draws();
    const double low = beta_quantile(0.1586553, ess * p + 1, ess * (1 - p) + 1);
    const double high = beta_quantile(0.8413447, ess * p + 1, ess * (1 - p) + 1);
    // Order statistics, counted from one.
    const auto from = std::max<std::size_t>(static_cast<std::size_t>(low * static_cast<double>(all)), 1);
    const auto to = std::min(static_cast<std::size_t>(std::ceil(high * static_cast<double>(all))), all);
    return (draws_.order_statistic(to - 1) - draws_.order_statistic(from - 1)) / 2;
  }

  /// Nested R-hat of the draws as they are; `superchain` says which of the `superchains` each chain belongs to.
  double rhat_nested(const std::vector<std::size_t>& superchain, std::size_t superchains) {
    return nested_of(Content::draws, superchain, superchains);
  }
  /// The larger of those of the rank-normalised draws and of their folded form.
  double rhat_nested_ranked(const std::vector<std::size_t>& superchain, std::size_t superchains) {
    const double bulk = nested_of(Content::scores, superchain, superchains);
    return moves_ && hold(Content::folded_scores)
               ? larger(nested_of(Content::folded_scores, superchain, superchains), bulk)
               : bulk;
  }

  /// Autocovariances of the draws at the lags 0 to `max_lag`, divisor n, averaged over the sequences.
  std::vector<double> autocovariances(std::size_t max_lag) {
    if (!moves_) return std::vector<double>(max_lag + 1, nan);
    hold(Content::draws);
    return pool_.autocovariances(moments_, max_lag, products(), direct_lags(layout_.length, price_of_product),
                                 spectrum());
  }

  /// The summary of a run. Chain c belongs to superchain c mod `superchains`; fewer than two: there are none.
  VariableSummary operator()(std::size_t variable, std::size_t superchains = 0) {
    load(variable);
    VariableSummary out;
    if (cancelled(cancel_)) return out;
    out.q5 = quantile(0.05);
    out.q50 = quantile(0.5);
    out.q95 = quantile(0.95);
    // In the order of what the values hold, so that each is written once.
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
    if (superchains > 1) {
      superchains = std::min(superchains, layout_.chains);
      for (std::size_t c = 0; c < layout_.chains; ++c) superchain.push_back(c % superchains);
      out.rhat_nested = nested_of(Content::scores, superchain, superchains);
    }
    if (!moves_ || !hold(Content::folded_scores)) return out;
    out.rhat = larger(rhat_folded(), out.rhat);
    if (superchains > 1) {
      out.rhat_nested = larger(nested_of(Content::folded_scores, superchain, superchains), out.rhat_nested);
    }
    return out;
  }

 private:
  template <class T>
  using Vector = typename Backend::template Vector<T>;
  using Pool = SequencePool<Backend>;
  static constexpr bool in_tiles = OrderedDraws<Backend, Number, Index>::in_tiles;
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  /// What pool_ has the means of sequences of, and the squares about these; values_ are centred by them.
  enum class Content { nothing, draws, squares, scores, folded_scores };

  static SequenceLayout layout_of(const DrawsView<Number>& draws, Parts parts) {
    return {draws.chains, draws.draws, parts, Backend::lanes, Backend::tiled};
  }
  std::size_t work_items() const { return layout_.padded / Backend::lanes; }
  /// What the content is made of, centred.
  double* values() {
    if (!has_values_) put_values(content_);
    return raw<Backend, double>(values_);
  }
  CentreSequences<Backend::lanes> centring() {
    return {raw<Backend, double>(values_), pool_.mean(), pool_.squares(), layout_};
  }

  /// Makes pool_ hold the moments of `content` of draws that move. False if that is constant, and nothing is known
  /// then.
  bool hold(Content content) {
    if (content_ == content) return true;
    if (content == Content::squares && (!hold(Content::draws) || !squares_differ())) return false;
    if (content == Content::folded_scores && !draws_.folds(draws_.quantile(0.5))) return false;
    if (content == Content::draws) origin_ = draws_.quantile(0.5);
    if constexpr (in_tiles) {
      find_moments(content);
    } else {
      put_values(content);
    }
    if (content == Content::squares) find_fourth_moment();
    moments_ = pool_.moments();
    content_ = content;
    if (content == Content::draws && std::isnan(mean_)) find_mean_and_sd();
    return true;
  }

  /// Moments and the first products, tile by tile: values_ are not needed before there are more lags.
  void find_moments(Content content) {
    tile_.resize(Backend::lanes * layout_.length);
    const bool with_products = content != Content::folded_scores;
    const TileRows rows{pool_.mean(), pool_.squares(), with_products ? pool_.products() : nullptr, tile_.data()};
    const TileShape shape = draws_.shape();
    fourth_.resize(layout_.padded);
    if (content == Content::draws) draw_moments(draws_.tiles(), shape, origin_, rows);
    if (content == Content::squares) square_moments(draws_.tiles(), shape, origin_, centre_, fourth_.data(), rows);
    if (content == Content::scores) score_moments(draws_.scores(table()), shape, rows);
    if (content == Content::folded_scores)
      score_moments(draws_.folded_scores(draws_.quantile(0.5), table()), shape, rows);
    has_values_ = false;
    has_products_ = with_products;
  }

  /// Makes values_ hold `content`, and pool_ the means of sequences and the squares about them.
  void put_values(Content content) {
    has_values_ = true;
    if (content == Content::squares && in_tiles) put_values(Content::draws);
    if (content == Content::squares) {
      for_each_index<Backend>(work_items(),
                              SquareSequences<Backend::lanes>{centring(), raw<Backend, double>(fourth_), centre_});
      return;
    }
    values_.resize(layout_.tiles_size());
    fourth_.resize(layout_.padded);
    double* const values = raw<Backend, double>(values_);
    if (content == Content::draws) {
      for_each_index<Backend>(work_items(), PutDraws<Number, Backend::lanes>{
                                                view_.data + variable_ * view_.variable_stride, view_.draw_stride,
                                                view_.chain_stride, values, origin_, layout_});
    } else if constexpr (in_tiles) {
      const RankScores scores =
          content == Content::scores ? draws_.scores(table()) : draws_.folded_scores(draws_.quantile(0.5), table());
      write_scores(scores, draws_.shape(), values);
    } else {
      thrust::fill(Backend::policy(), values_.begin(), values_.end(), 0.0);  // padding
      if (content == Content::scores) draws_.put_scores(values, scores_);
      if (content == Content::folded_scores) draws_.put_folded_scores(values, draws_.quantile(0.5));
    }
    for_each_index<Backend>(work_items(), centring());
  }

  /// Normal scores of this array's ranks: those that were given, or its own.
  ScoreTable table() {
    if (scores_ || draws_.size() == 0) return scores_;
    if (own_scores_.empty()) {
      own_scores_.resize(score_table_size(draws_.size()));
      write_score_table(own_scores_.data(), 0, own_scores_.size(), draws_.size());
    }
    return own_scores_.data();
  }

  /// Of all draws, the middle ones included, from the moments of the draws of sequences.
  void find_mean_and_sd() {
    const auto all = static_cast<double>(layout_.all_draws());
    const auto length = static_cast<double>(layout_.length);
    MiddleDraw<Number> middle{draws_.middle(), origin_, 0};
    double centre = length * moments_.chains * pool_.mean_of_means();
    if (layout_.middle() > 0) centre += pool_.sum(middle);
    centre /= all;
    double squares = pool_.sum_of_squares() + length * pool_.sum(OfChainSquared{pool_.mean(), centre, layout_});
    middle_fourth_ = 0;
    if (layout_.middle() > 0) {
      middle.centre = centre;
      double rows[3];
      pool_.sum(middle, 3, rows);
      squares += rows[1];
      middle_fourth_ = rows[2];
    }
    centre_ = centre;
    mean_ = origin_ + centre;
    sd_ = std::sqrt(squares / (all - 1));
  }

  /// Whether squared distances from the mean do.
  bool squares_differ() const {
    // Two values at equal distance from the mean: squares that differ by rounding say nothing.
    constexpr double slack = 1e-12;
    if (draws_.size() == 0) return false;
    const auto squared = [this](std::size_t i) { return (draws_.at(i) - mean_) * (draws_.at(i) - mean_); };
    const double high = std::max(squared(0), squared(draws_.size() - 1));
    const std::size_t above = draws_.count_below(mean_);
    double low = high;
    if (above > 0) low = std::min(low, squared(above - 1));
    if (above < draws_.size()) low = std::min(low, squared(above));
    return high - low > slack * high;
  }
  void find_fourth_moment() {
    fourth_moment_ = (pool_.sum(OfChain{raw<Backend, double>(fourth_), layout_}) + middle_fourth_) /
                     static_cast<double>(layout_.all_draws());
  }

  double rhat_of(Content content) {
    const std::size_t least = layout_.parts == 1 ? 2 : 3;
    if (!moves_ || layout_.length < least || layout_.sequences() < 2 || !hold(content)) return nan;
    return potential_scale_reduction(moments_);
  }

  double ess_of(Content content) {
    if (!moves_ || layout_.length < 3 || !hold(content)) return nan;
    return pool_.ess(moments_, products(), direct_lags(layout_.length, price_of_product), spectrum());
  }

  auto products() {
    return [this](std::size_t first) {
      if (in_tiles && has_products_ && first == 1) return;
      has_products_ = false;
      if constexpr (Backend::tiled) return lag_products(values(), draws_.shape(), first, pool_.products());
      for_each_index<Backend>(work_items(),
                              LagProducts<Pool::lags, Backend::lanes>{values(), pool_.products(), first, layout_});
    };
  }
  auto spectrum() {
    return [this] {
      if constexpr (Backend::spectral) {
        const double* all = values();
        return spectral_products(layout_.sequences(), layout_.length, [this, all](std::size_t s, double* to) {
          const double* from = all + layout_.place(s);
          for (std::size_t t = 0; t < layout_.length; ++t) to[2 * t] = from[t * layout_.width];
        });
      } else {
        return std::vector<double>();
      }
    };
  }

  double nested_of(Content content, const std::vector<std::size_t>& superchain, std::size_t superchains) {
    if (!moves_ || layout_.length < 1 || !hold(content)) return nan;
    // The halves of a superchain are two: what all superchains still share, but not for long, is seen, too.
    std::vector<std::size_t> group(layout_.sequences());
    for (std::size_t s = 0; s < group.size(); ++s)
      group[s] = superchain[s % layout_.chains] + s / layout_.chains * superchains;
    return nested_rhat(sequence_moments(layout_, pool_.host_means(), pool_.host_squares()), group,
                       superchains > 1 ? layout_.parts * superchains : superchains);
  }

  DrawsView<Number> view_;
  SequenceLayout layout_;
  OrderedDraws<Backend, Number, Index> draws_;
  Pool pool_;
  Vector<double> values_;
  bool has_values_ = false;    // values_ hold the content
  bool has_products_ = false;  // pool_ holds its products at the lags from one on
  Vector<double> fourth_;      // sums of fourth powers of distances from the mean
  DrawValues<double> tile_, own_scores_;
  Indicators<Backend> indicators_;
  Content content_ = Content::nothing;
  ArrayMoments moments_;  // of the content
  std::size_t variable_ = 0;
  std::size_t not_finite_ = 0;
  bool usable_ = false;  // there are draws, and all are finite
  bool moves_ = false;   // and they are not all the same
  double mean_ = nan, sd_ = nan;
  double origin_ = 0;  // subtracted from draws first, so that a distant mean costs no digits
  double centre_ = 0;  // the mean, less the origin
  double middle_fourth_ = 0, fourth_moment_ = 0;
  const std::atomic<bool>* cancel_;
  ScoreTable scores_ = nullptr;
};

}  // namespace manychain::diagnostics
