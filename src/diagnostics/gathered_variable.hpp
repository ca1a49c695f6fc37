// One variable of a batch, on the host: what its summary is finished from, once the sums have come from the device.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "diagnostics/about_mean.hpp"
#include "diagnostics/content.hpp"
#include "diagnostics/effective_sample_size.hpp"
#include "diagnostics/sequence_layout.hpp"
#include "diagnostics/sorted_draws.hpp"

namespace manychain::diagnostics {
inline namespace MANYCHAIN_ISA {

/// Answers what RankStatisticsOf::summary() asks of contents.
class GatheredVariable {
 public:
  GatheredVariable(const SequenceLayout& layout, const OrderFacts& facts) : layout_(layout), facts_(facts) {
    usable_ = layout.all_draws() > 0 && facts.not_finite == 0;
    moves_ = usable_ && facts.least != facts.greatest;
    if (usable_ && !moves_) {
      mean_ = facts.least;
      if (layout.all_draws() > 1) sd_ = 0;
    }
  }

  const SequenceLayout& layout() const { return layout_; }
  const OrderFacts& facts() const { return facts_; }
  bool usable() const { return usable_; }
  bool moves() const { return moves_; }
  /// Draws of sequences that are not the median.
  double moved() const {
    return static_cast<double>(layout_.sequence_draws() - (facts_.up_to[1] - facts_.below_median));
  }
  bool folds() const { return folds_in(facts_, layout_.sequence_draws()); }
  /// True if there are draws on both sides of the quantile of a tail.
  bool varies(Content tail) const {
    const std::size_t up_to = facts_.up_to[tail == Content::low_tail ? 0 : 2];
    return up_to != 0 && up_to != layout_.sequence_draws();
  }
  /// True if an ESS of `content` exists.
  bool has_ess(Content content) const {
    if (!moves_ || layout_.length < 3) return false;
    if (content == Content::low_tail || content == Content::high_tail) return varies(content);
    if (content == Content::squares) return squares_differ();
    return content == Content::draws || content == Content::scores;
  }

  // As they come.

  void set_about(const AboutMean& about) {
    about_ = about;
    const auto all = static_cast<double>(layout_.all_draws());
    const double* const draws = sums(Content::draws);
    double squares = draws[2] + static_cast<double>(layout_.length) * about.spread;
    if (layout_.middle() > 0) squares += about.middle[1];
    mean_ = facts_.median() + about.centre;
    sd_ = std::sqrt(squares / (all - 1));
    fourth_moment_ = (about.fourth + (layout_.middle() > 0 ? about.middle[2] : 0)) / all;
  }
  /// Sums of the moments, and of products at the lags from 1 on.
  void set_sums(Content content, const double* begin, const double* end) { of(content).sums.assign(begin, end); }
  void add_products(Content content, const double* begin, const double* end) {
    of(content).sums.insert(of(content).sums.end(), begin, end);
  }
  void set_rows(Content content, const double* rows) { of(content).rows = rows; }

  /// Finds the ESS of `content`, or the lag that it lacks: then zero comes out no more.
  std::size_t missing_lag(Content content) {
    Sums& s = of(content);
    const double scale = static_cast<double>(layout_.sequences()) * static_cast<double>(layout_.length);
    const std::size_t lags = s.sums.size() - moment_sums;
    std::size_t missing = 0;
    s.ess = effective_sample_size(moments_of(content), [&](std::size_t lag) {
      s.last_lag = lag;
      if (lag <= lags) return s.sums[moment_sums + lag - 1] / scale;
      missing = missing ? missing : lag;
      return std::numeric_limits<double>::quiet_NaN();  // which ends the search
    });
    return missing;
  }
  /// The last one that the ESS took.
  std::size_t last_lag(Content content) const { return of(content).last_lag; }

  // The members that RankStatisticsOf calls, as in SequenceContents.

  bool hold(Content content) {
    if (content == Content::squares && !squares_differ()) return false;
    if (content == Content::folded_scores && !folds()) return false;
    content_ = content;
    moments_ = moments_of(content);
    return true;
  }
  const ArrayMoments& moments() const { return moments_; }
  const double* moments_of_sequences() const { return of(content_).rows; }
  double ess() const { return of(content_).ess; }
  double ess_of_indicator(Content tail, std::size_t) const { return has_ess(tail) ? of(tail).ess : nan; }
  double mean() const { return mean_; }
  double sd() const { return sd_; }
  double fourth_moment() const { return fourth_moment_; }

 private:
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  struct Sums {
    std::vector<double> sums;
    const double* rows = nullptr;
    double ess = nan;
    std::size_t last_lag = 0;
  };

  Sums& of(Content content) { return sums_[static_cast<int>(content)]; }
  const Sums& of(Content content) const { return sums_[static_cast<int>(content)]; }
  const double* sums(Content content) const { return of(content).sums.data(); }
  ArrayMoments moments_of(Content content) const {
    return array_moments(static_cast<double>(layout_.sequences()), layout_.length, sums(content));
  }
  bool squares_differ() const { return diagnostics::squares_differ(facts_, about_, mean_, layout_.sequence_draws()); }

  SequenceLayout layout_;
  OrderFacts facts_;
  AboutMean about_ = {};
  Sums sums_[gathered_contents];
  Content content_ = Content::nothing;
  ArrayMoments moments_;
  bool usable_, moves_;
  double mean_ = nan, sd_ = nan, fourth_moment_ = 0;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain::diagnostics
