// R-hat, effective sample size and autocovariances of any array of sequences of equal length: whole chains, halves, or
// what was made of them (indicators, squares). The loops and the formulas are those of the summary.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "diagnostics/effective_sample_size.hpp"
#include "diagnostics/half_chains.hpp"

namespace manychain::diagnostics {

class ChainArray {
 public:
  /// `at(t, s)` is element t of sequence s. `slack`: relative differences up to it are rounding, not movement.
  template <class At>
  ChainArray(std::size_t sequences, std::size_t length, const At& at, double slack = 0)
      : sequences_(sequences),
        length_(length),
        // A layout thinks in halves: two sequences a chain.
        layout_((sequences + 1) / 2, 2 * length, lanes, true),
        values_(layout_.tiles_size(), 0.0),
        means_(layout_.padded),
        squares_(layout_.padded) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t s = 0; s < sequences; ++s) {
      double* to = values_.data() + layout_.place(s);
      for (std::size_t t = 0; t < length; ++t, to += layout_.width) {
        *to = at(t, s);
        low = std::min(low, *to);
        high = std::max(high, *to);
      }
    }
    constant_ = !(high - low > slack * std::max(std::abs(low), std::abs(high)));
    const double* source = values_.data();
    for (std::size_t unit = 0; unit < layout_.padded / lanes; ++unit) {
      CentreHalfChains<double, lanes>{source, values_.data(), means_.data(), squares_.data(), 0, layout_}(unit);
    }
    pool();
  }

  bool constant() const { return constant_; }

  /// NaN for one sequence.
  double rhat() const {
    if (constant_ || length_ < 2 || sequences_ < 2) return std::numeric_limits<double>::quiet_NaN();
    return potential_scale_reduction(moments_);
  }

  double ess() const {
    if (constant_) return std::numeric_limits<double>::quiet_NaN();
    std::size_t first = 1;
    std::size_t known = 0;
    double sums[lags];
    return effective_sample_size(moments_, [&](std::size_t lag) {
      if (lag >= first + known) {
        first = lag;
        known = lags;
        lag_products(first, sums);
      }
      return sums[lag - first] / scale();
    });
  }

  /// At the lags 0 to `max_lag`, divisor n, averaged over the sequences.
  std::vector<double> autocovariances(std::size_t max_lag) const {
    std::vector<double> result = {moments_.autocovariance_0};
    double sums[lags];
    while (result.size() <= max_lag) {
      lag_products(result.size(), sums);
      for (std::size_t k = 0; k < lags && result.size() <= max_lag; ++k) result.push_back(sums[k] / scale());
    }
    return result;
  }

 private:
  static constexpr int lanes = 8;
  static constexpr int lags = 8;

  double scale() const { return static_cast<double>(sequences_) * static_cast<double>(length_); }

  void pool() {
    double sum = 0, squares = 0, between = 0;
    for (std::size_t s = 0; s < sequences_; ++s) sum += means_[s];
    const double centre = sum / static_cast<double>(sequences_);
    for (std::size_t s = 0; s < sequences_; ++s) {
      squares += squares_[s];
      between += (means_[s] - centre) * (means_[s] - centre);
    }
    moments_.chains = static_cast<double>(sequences_);
    moments_.draws = length_;
    moments_.variance_of_means = sequences_ > 1 ? between / static_cast<double>(sequences_ - 1) : 0;
    moments_.autocovariance_0 = squares / scale();
  }

  void lag_products(std::size_t first, double (&sums)[lags]) const {
    products_.resize(lags * layout_.padded);
    for (std::size_t unit = 0; unit < layout_.padded / lanes; ++unit) {
      LagProducts<lags, lanes>{values_.data(), products_.data(), first, layout_}(unit);
    }
    for (std::size_t k = 0; k < lags; ++k) {
      sums[k] = 0;
      for (std::size_t s = 0; s < sequences_; ++s) sums[k] += products_[k * layout_.padded + s];
    }
  }

  std::size_t sequences_, length_;
  HalfChainLayout layout_;
  std::vector<double> values_;  // centred, in tiles
  std::vector<double> means_, squares_;
  mutable std::vector<double> products_;
  ArrayMoments moments_;
  bool constant_ = false;
};

}  // namespace manychain::diagnostics
