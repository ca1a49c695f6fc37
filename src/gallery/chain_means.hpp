// Estimates from independent chains: the scatter of their means knows about autocorrelation.
#pragma once

#include <cmath>
#include <cstddef>

#include "gallery/gallery.hpp"
#include "manychain/run/result.hpp"

namespace manychain::gallery {

struct ChainMean {
  double value = 0, error = 0;  ///< over chains, and its standard error
  double freedom = 0;           ///< degrees of freedom of the error
};

/// The mean of f(draw, chain) over all draws.
template <class F>
ChainMean chain_mean(const Draws& draws, F f) {
  ChainMean m;
  double squares = 0;
  for (std::size_t c = 0; c < draws.chains; ++c) {
    double mean = 0;
    for (std::size_t d = 0; d < draws.draws; ++d) mean += f(d, c) / static_cast<double>(draws.draws);
    const double delta = mean - m.value;
    m.value += delta / static_cast<double>(c + 1);
    squares += delta * (mean - m.value);
  }
  m.freedom = static_cast<double>(draws.chains - 1);
  m.error = std::sqrt(squares / m.freedom / static_cast<double>(draws.chains));
  return m;
}

inline Check monte_carlo(const std::string& what, double known, const ChainMean& m) {
  return monte_carlo(what, known, m.value, m.error, m.freedom);
}

}  // namespace manychain::gallery
