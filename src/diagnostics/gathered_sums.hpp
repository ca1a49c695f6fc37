// The sums that the summary of a variable is finished from, of a backend whose memory the host reads by copies: all of
// them lie there in one piece, and one copy reads it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "diagnostics/about_mean.hpp"
#include "diagnostics/sequence_layout.hpp"
#include "diagnostics/sequence_pool.hpp"

namespace manychain::diagnostics {

/// What sequences may hold. Of `nothing` there are no sums.
enum class Content { low_tail, high_tail, draws, squares, scores, folded_scores, nothing };

template <class Backend>
class GatheredSums {
  using Pool = SequencePool<Backend>;

 public:
  explicit GatheredSums(const SequenceLayout& layout) : layout_(layout) {
    std::fill(next_lags_, next_lags_ + contents, fitting(Pool::lags));
  }

  /// Makes room for the next variable. `rows`: moments of each sequence are wanted, too, of both kinds of scores.
  void make_room(bool rows) {
    std::copy(next_lags_, next_lags_ + contents, lags_);
    stride_ = Pool::moment_sums + *std::max_element(lags_, lags_ + contents);
    const std::size_t most = Pool::moment_sums + fitting(most_lags);
    const std::size_t row_numbers = rows ? 4 * layout_.padded : 0;
    sums_.resize(about_numbers + contents * most + row_numbers);
    used_ = about_numbers + contents * stride_ + row_numbers;
  }

  // In the backend's memory.

  AboutMean* about() { return reinterpret_cast<AboutMean*>(raw<Backend, double>(sums_)); }
  double* sums(Content of) { return raw<Backend, double>(sums_) + place(of); }
  /// Means, and behind them sums of squares.
  double* rows(Content of) { return raw<Backend, double>(sums_) + row_place(of); }

  /// Reads all of it.
  void fetch() {
    host_.resize(used_);
    Backend::fetch(host_.data(), raw<Backend, double>(sums_), used_);
  }

  // On the host.

  AboutMean about_here() const {
    AboutMean about;
    std::memcpy(&about, host_.data(), sizeof about);
    return about;
  }
  const double* sums_here(Content of) const { return host_.data() + place(of); }
  typename Pool::KnownProducts products_here(Content of) const { return {sums_here(of) + Pool::moment_sums, lags(of)}; }
  const double* rows_here(Content of) const { return host_.data() + row_place(of); }

  /// Lags whose products are gathered: as many as the variable before needed, since variables of one model mix alike.
  std::size_t lags(Content of) const { return lags_[static_cast<int>(of)]; }
  void needed(Content of, std::size_t last_lag) { next_lags_[static_cast<int>(of)] = fitting(last_lag); }

 private:
  static constexpr std::size_t contents = static_cast<std::size_t>(Content::nothing);
  static constexpr std::size_t most_lags = 1024;
  static constexpr std::size_t about_numbers = (sizeof(AboutMean) + sizeof(double) - 1) / sizeof(double);

  /// Whole passes over the draws, and none behind the last lag there is. Sequences of fewer than three draws have no
  /// ESS.
  std::size_t fitting(std::size_t lags) const {
    if (layout_.length < 3) return 0;
    lags = std::clamp<std::size_t>(lags, 1, std::min(most_lags, layout_.length));
    return (lags + Pool::lags - 1) / Pool::lags * Pool::lags;
  }
  std::size_t place(Content of) const { return about_numbers + static_cast<std::size_t>(of) * stride_; }
  std::size_t row_place(Content of) const {
    return about_numbers + contents * stride_ + (of == Content::folded_scores ? 2 * layout_.padded : 0);
  }

  SequenceLayout layout_;
  typename Backend::template Vector<double> sums_;
  std::vector<double> host_;
  std::size_t lags_[contents] = {}, next_lags_[contents];
  std::size_t stride_ = 0, used_ = 0;
};

}  // namespace manychain::diagnostics
