// The draws of one quantity, wherever they lie: what every diagnostic takes.
#pragma once

#include <cstddef>

#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// A strided view of the draws of one scalar quantity that somebody else owns. Strides are in elements.
struct QuantityView {
  const double* data = nullptr;
  std::size_t draws = 0;  ///< of each chain
  std::size_t chains = 1;
  std::size_t draw_stride = 1;
  std::size_t chain_stride = 0;

  double operator()(std::size_t draw, std::size_t chain) const {
    return data[draw * draw_stride + chain * chain_stride];
  }

  /// Chain `c` alone.
  QuantityView chain(std::size_t c) const { return {data + c * chain_stride, draws, 1, draw_stride, 0}; }
};

/// One variable of an array of draws.
inline QuantityView quantity(const DrawsView<double>& draws, std::size_t variable) {
  return {draws.data + variable * draws.variable_stride, draws.draws, draws.chains, draws.draw_stride,
          draws.chain_stride};
}

}  // namespace manychain::diagnostics
