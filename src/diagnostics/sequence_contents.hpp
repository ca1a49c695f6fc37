// The contents of the sequences of one variable: its draws, their squares, normal scores; and the statistics finished
// from the moments and products of each. Private: Thrust must not reach a public header.
#pragma once

#include <thrust/fill.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "diagnostics/about_mean.hpp"
#include "diagnostics/content.hpp"
#include "diagnostics/indicators.hpp"
#include "diagnostics/ordered_draws.hpp"
#include "diagnostics/sequence_pool.hpp"
#include "diagnostics/spectral_products.hpp"
#include "diagnostics/tile_loops.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// Reads one variable after the other and keeps its memory in between. Contents are made when they are asked for, one
/// at a time.
template <class Backend, class Number, class Index>
class SequenceContents {
 public:
  SequenceContents(const DrawsView<Number>& draws, Parts parts)
      : view_(draws), layout_(layout_of(draws, parts)), draws_(layout_), pool_(layout_), indicators_(layout_) {
    fourth_.resize(layout_.padded);
  }

  static SequenceLayout layout_of(const DrawsView<Number>& draws, Parts parts) {
    return {draws.chains, draws.draws, parts, Backend::lanes, Backend::tiled};
  }
  const SequenceLayout& layout() const { return layout_; }
  void look_up(ScoreTable scores) { scores_ = scores; }

  void load(std::size_t variable) {
    variable_ = variable;
    if (!in_tiles) Vector<double>().swap(values_);  // while the draws are sorted their copies lie there
    forget();
    usable_ = moves_ = false;
    mean_ = sd_ = nan;
    if (layout_.all_draws() == 0) return;
    draws_.load(view_, variable_, pool_);
    const OrderFacts& facts = draws_.facts();
    usable_ = facts.not_finite == 0;
    if (!usable_) return;
    moves_ = facts.least != facts.greatest;
    if (!moves_) {
      mean_ = facts.least;
      if (layout_.all_draws() > 1) sd_ = 0;
    }
  }
  OrderedDraws<Backend, Number, Index>& order() { return draws_; }
  const OrderFacts& facts() const { return draws_.facts(); }
  std::size_t not_finite() const { return layout_.all_draws() == 0 ? 0 : static_cast<std::size_t>(facts().not_finite); }
  bool usable() const { return usable_; }
  bool moves() const { return moves_; }
  /// Draws of sequences that are not the median.
  double moved() const {
    return static_cast<double>(layout_.sequence_draws() - (facts().up_to[1] - facts().below_median));
  }

  /// Mean and sd of all draws, the middle ones included.
  double mean() {
    if (moves_ && std::isnan(mean_)) hold(Content::draws);
    return mean_;
  }
  double sd() {
    mean();
    return sd_;
  }
  /// Central, once squares are held.
  double fourth_moment() const { return fourth_moment_; }

  /// Finds the moments of `content` of draws that move. False if that is constant, and nothing is known then.
  bool hold(Content content) {
    if (content_ == content) return true;
    if (content == Content::squares && (!hold(Content::draws) || !squares_differ())) return false;
    if (content == Content::folded_scores && !draws_.folds()) return false;
    if (content == Content::draws) origin_ = draws_.facts().median();
    if constexpr (in_tiles) {
      find_moments(content);
    } else {
      write_values(content);
    }
    moments_ = pool_.moments();
    if (content == Content::squares) {
      pool_.write_sums(OfChain{fourth_.data(), layout_}, 1, &about_.fourth);
      fourth_moment_ =
          (about_.fourth + (layout_.middle() > 0 ? about_.middle[2] : 0)) / static_cast<double>(layout_.all_draws());
    }
    content_ = content;
    if (content == Content::draws && std::isnan(mean_)) find_mean_and_sd();
    return true;
  }

  /// The moments of the current content.
  const ArrayMoments& moments() const { return moments_; }
  /// The means of sequences, and one row behind them the squares.
  const double* moments_of_sequences() { return pool_.mean(); }
  double ess() { return pool_.ess(moments_, products(), direct_lags(layout_.length, price_of_product), spectrum()); }
  std::vector<double> autocovariances(std::size_t max_lag) {
    return pool_.autocovariances(moments_, max_lag, products(), direct_lags(layout_.length, price_of_product),
                                 spectrum());
  }

  /// ESS of the indicators of the first `up_to` draws of sequences.
  double ess_of_indicator(Content, std::size_t up_to) {
    if (!indicators_.vary(up_to)) return nan;
    forget();  // the pool's rows are needed
    return indicators_.ess(draws_, up_to, pool_);
  }

 private:
  template <class T>
  using Vector = typename Backend::template Vector<T>;
  using Pool = SequencePool<Backend>;
  static constexpr bool in_tiles = OrderedDraws<Backend, Number, Index>::in_tiles;
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  std::size_t work_items() const { return layout_.padded / Backend::lanes; }
  void forget() { content_ = in_values_ = Content::nothing; }
  /// The values of the content, centred.
  double* values() {
    if (in_values_ != content_) write_values(content_);
    return raw<Backend, double>(values_);
  }
  CentreSequences<Backend::lanes> centring() {
    return {raw<Backend, double>(values_), pool_.mean(), pool_.squares(), layout_};
  }

  /// Moments and the first products, tile by tile: values_ are not needed before there are more lags.
  void find_moments(Content content) {
    tile_.resize(Backend::lanes * layout_.length);
    const bool with_products = content != Content::folded_scores;
    const TileRows rows{pool_.mean(), pool_.squares(), with_products ? pool_.products() : nullptr, tile_.data()};
    const TileShape shape = draws_.shape();
    if (content == Content::draws) draw_moments(draws_.tiles(), shape, origin_, rows);
    if (content == Content::squares)
      square_moments(draws_.tiles(), shape, origin_, about_.centre, fourth_.data(), rows);
    if (content == Content::scores) score_moments(draws_.scores(table()), shape, rows);
    if (content == Content::folded_scores) score_moments(draws_.folded_scores(table()), shape, rows);
    in_values_ = Content::nothing;
    has_products_ = with_products;
  }

  /// Makes values_ hold `content`, and pool_ the means of sequences and the squares about them.
  void write_values(Content content) {
    if (content == Content::squares) {
      if (in_values_ != Content::draws) write_values(Content::draws);
      in_values_ = content;
      for_each_index<Backend>(
          work_items(), SquareSequences<Backend::lanes>{centring(), raw<Backend, double>(fourth_), &about_.centre});
      return;
    }
    in_values_ = content;
    values_.resize(layout_.tiles_size());
    double* const values = raw<Backend, double>(values_);
    if (content == Content::draws) {
      for_each_index<Backend>(work_items(), PutDraws<Number, Backend::lanes>{
                                                view_.data + variable_ * view_.variable_stride, view_.draw_stride,
                                                view_.chain_stride, values, origin_, layout_});
    } else if constexpr (in_tiles) {
      const RankScores scores = content == Content::scores ? draws_.scores(table()) : draws_.folded_scores(table());
      write_scores(scores, draws_.shape(), values);
    } else {
      thrust::fill(Backend::policy(), values_.begin(), values_.end(), 0.0);  // padding
      if (content == Content::scores) draws_.write_scores(values, scores_);
      if (content == Content::folded_scores) draws_.write_folded_scores(values);
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

  /// Measures all of it but the fourth powers, from the moments of the draws of sequences.
  void measure_about_mean(const double* sum_of_means) {
    AboutMean* const about = &about_;
    const MiddleDraw<Number> middle{draws_.middle(), origin_, &about->centre};
    if (layout_.middle() > 0) pool_.write_sums(middle, 1, about->middle);
    for_each_index<Backend>(1, FindCentre{sum_of_means, layout_, about});
    pool_.write_sums(OfChainSquared{pool_.mean(), &about->centre, 1, layout_}, 1, &about->spread);
    if (layout_.middle() > 0) pool_.write_sums(middle, 3, about->middle);
    for_each_index<Backend>(1, FindNearestToMean<Number>{draws_.in_order(), origin_, about});
  }
  /// Finds mean and sd of all draws, the middle ones included.
  void find_mean_and_sd() {
    measure_about_mean(pool_.sum_of_means());
    const auto all = static_cast<double>(layout_.all_draws());
    double squares = pool_.sum_of_squares() + static_cast<double>(layout_.length) * about_.spread;
    if (layout_.middle() > 0) squares += about_.middle[1];
    mean_ = origin_ + about_.centre;
    sd_ = std::sqrt(squares / (all - 1));
  }

  bool squares_differ() const { return diagnostics::squares_differ(draws_.facts(), about_, mean_, draws_.size()); }

  auto products() {
    return [this](std::size_t first) {
      if (in_tiles && has_products_ && first == 1) return;
      has_products_ = false;
      values();
      write_products(first);
    };
  }
  /// Writes the products of the values as they are.
  void write_products(std::size_t first) {
    const double* const values = raw<Backend, double>(values_);
    if constexpr (Backend::tiled) {
      lag_products(values, draws_.shape(), first, pool_.products());
    } else {
      static_assert(Backend::lanes == 1);
      for_each_index<Backend>(work_items(),
                              LagProductsInRegisters<Pool::lags>{values, pool_.products(), first, layout_});
    }
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

  DrawsView<Number> view_;
  SequenceLayout layout_;
  OrderedDraws<Backend, Number, Index> draws_;
  Pool pool_;
  Indicators<Backend> indicators_;
  Vector<double> values_;
  Vector<double> fourth_;  // of each sequence, the sum of fourth powers of distances from the mean
  DrawValues<double> tile_, own_scores_;
  Content content_ = Content::nothing;    // what the moments are of
  Content in_values_ = Content::nothing;  // what values_ hold, centred by the means in pool_
  bool has_products_ = false;             // pool_ holds its products at the lags from one on
  ArrayMoments moments_;
  std::size_t variable_ = 0;
  bool usable_ = false;  // there are draws, and all are finite
  bool moves_ = false;   // and they are not all the same
  double mean_ = nan, sd_ = nan;
  double origin_ = 0;  // subtracted from draws first, so that a distant mean costs no digits
  AboutMean about_ = {};
  double fourth_moment_ = 0;
  ScoreTable scores_ = nullptr;
};

}  // namespace manychain::diagnostics
