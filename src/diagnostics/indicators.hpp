// The effective sample size of a quantile: that of the indicators of the draws up to it.
#pragma once

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
  /// ESS of I(x <= q) on the sequences of `layout`. That of I(x > q) is the same, and the rarer of the two is marked.
  /// Overwrites the rows of `pool`. NaN where all draws are on one side.
  template <class OrderedDraws>
  double ess(OrderedDraws& draws, double q, const SequenceLayout& layout, SequencePool<Backend>& pool) {
    const std::size_t up_to = draws.count_up_to(q), count = draws.size();
    if (up_to == 0 || up_to == count) return std::numeric_limits<double>::quiet_NaN();
    const std::size_t words = IndicatorBits::words_of(layout.length);
    const std::size_t sequences = layout.sequences();
    words_.assign(words * sequences, 0);
    const IndicatorBits bits{raw<Backend, BitWord>(words_), layout.length, Backend::tiled ? words : 1,
                             Backend::tiled ? 1 : sequences};
    if (up_to <= count / 2) {
      draws.mark(0, up_to, bits);
    } else {
      draws.mark(up_to, count, bits);
    }
    const TileShape shape{layout.chains, layout.draws, layout.parts};
    if constexpr (Backend::tiled) {
      indicator_moments(bits.words, shape, pool.mean(), pool.squares());
    } else {
      for_each_index<Backend>(sequences, IndicatorMoments{bits, pool.mean(), pool.squares()});
    }
    const auto products = [&](std::size_t first) {
      if constexpr (Backend::tiled) return indicator_products(bits.words, shape, pool.mean(), first, pool.products());
      for_each_index<Backend>(sequences, IndicatorProducts<SequencePool<Backend>::lags>{
                                             bits, pool.mean(), pool.products(), first, layout.padded});
    };
    const auto spectrum = [&] {
      if constexpr (Backend::spectral) {
        const double* mean = pool.mean();
        return spectral_products(sequences, layout.length, [&](std::size_t s, double* to) {
          for (std::size_t t = 0; t < layout.length; ++t) to[2 * t] = bits.bit(s, t) - mean[s];
        });
      } else {
        return std::vector<double>();
      }
    };
    return pool.ess(pool.moments(), products, direct_lags(layout.length, price_of_indicator_product), spectrum);
  }

 private:
  typename Backend::template Vector<BitWord> words_;
};

}  // namespace manychain::diagnostics
