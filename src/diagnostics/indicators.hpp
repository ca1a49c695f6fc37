// The effective sample size of a quantile: that of the indicators of the draws up to it.
#pragma once

#include <thrust/fill.h>

#include <cstddef>
#include <limits>
#include <vector>

#include "diagnostics/indicator_loops.hpp"
#include "diagnostics/sequence_pool.hpp"
#include "diagnostics/spectral_products.hpp"
#include "diagnostics/tile_loops.hpp"

namespace manychain::diagnostics {

template <class Backend>
class Indicators {
 public:
  explicit Indicators(const SequenceLayout& layout) : layout_(layout) {}

  /// True if there are draws on both sides: else ess() is NaN.
  bool vary(std::size_t up_to) const { return up_to != 0 && up_to != layout_.sequence_draws(); }

  /// ESS of I(x <= q) for a q that the first `up_to` draws of sequences are up to. That of I(x > q) is the same, and
  /// the rarer of the two is marked. Overwrites the rows of `pool`.
  template <class OrderedDraws>
  double ess(OrderedDraws& draws, std::size_t up_to, SequencePool<Backend>& pool) {
    if (!vary(up_to)) return std::numeric_limits<double>::quiet_NaN();
    put(draws, up_to, pool);
    const auto spectrum = [&] {
      const IndicatorBits bits = this->bits();
      const double* mean = pool.mean();
      return spectral_products(layout_.sequences(), layout_.length, [&](std::size_t s, double* to) {
        for (std::size_t t = 0; t < layout_.length; ++t) to[2 * t] = bits.bit(s, t) - mean[s];
      });
    };
    return pool.ess(pool.moments(), products(pool), direct_lags(layout_.length, price_of_indicator_product), spectrum);
  }

 private:
  std::size_t word_count() const { return IndicatorBits::words_of(layout_.length) * layout_.sequences(); }
  IndicatorBits bits() {
    return {raw<Backend, BitWord>(words_), layout_.length, Backend::tiled ? IndicatorBits::words_of(layout_.length) : 1,
            Backend::tiled ? 1 : layout_.sequences()};
  }
  TileShape shape() const { return {layout_.chains, layout_.draws, layout_.parts}; }

  /// Marks the draws, and makes the pool hold the moments.
  template <class OrderedDraws>
  void put(OrderedDraws& draws, std::size_t up_to, SequencePool<Backend>& pool) {
    words_.resize(word_count());
    thrust::fill(Backend::policy(), words_.begin(), words_.end(), BitWord{0});
    const IndicatorBits bits = this->bits();
    if (up_to <= draws.size() / 2) {
      draws.mark(0, up_to, bits);
    } else {
      draws.mark(up_to, draws.size(), bits);
    }
    if constexpr (Backend::tiled) {
      indicator_moments(bits.words, shape(), pool.mean(), pool.squares());
    } else {
      for_each_index<Backend>(layout_.sequences(), IndicatorMoments{bits, pool.mean(), pool.squares()});
    }
  }
  auto products(SequencePool<Backend>& pool) {
    return [this, &pool](std::size_t first) {
      if constexpr (Backend::tiled) {
        indicator_products(bits().words, shape(), pool.mean(), first, pool.products());
      } else {
        for_each_index<Backend>(layout_.sequences(), IndicatorProducts<SequencePool<Backend>::lags>{
                                                         bits(), pool.mean(), pool.products(), first, layout_.padded});
      }
    };
  }

  SequenceLayout layout_;
  typename Backend::template Vector<BitWord> words_;
};

}  // namespace manychain::diagnostics
