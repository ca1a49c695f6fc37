// Sums of products at all lags by a Fourier transform: what long chains that mix slowly ask for.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace manychain::diagnostics {

/// Element t: the sum over all sequences of x_i x_(i+t), for t < `length`. `read(s, to)` writes sequence s to to[0],
/// to[2], ... to[2 (length - 1)].
std::vector<double> spectral_products(std::size_t sequences, std::size_t length,
                                      const std::function<void(std::size_t, double*)>& read);

// Nanoseconds on one core, measured: AMD EPYC, g++ 12 -O3 for plain x86-64, processor time on a machine that did other
// work too. A product at one lag of one sequence; the transform of a sequence, over 2n log2(2n).
//
//          n            100    500   1000  10 000  100 000  1 000 000
//    product          0.125  0.105  0.102   0.113    0.108      0.171
//    of indicators    0.060  0.041  0.041   0.042    0.036      0.036
//    transform         0.52   0.45   0.45    0.55     0.75       1.85
inline constexpr double price_of_product = 0.11;
inline constexpr double price_of_indicator_product = 0.042;
inline constexpr double price_of_transform = 0.6;

/// Number of lags to compute directly before the transform: as many as cost what it does. Nobody knows beforehand where
/// Geyer's sequence ends, and so both together take at most twice the time of the better one (the ski rental rule).
/// `price`: of a product.
std::size_t direct_lags(std::size_t length, double price);

}  // namespace manychain::diagnostics
