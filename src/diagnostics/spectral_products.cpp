#include "diagnostics/spectral_products.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/eigen.hpp"  // before the next, which takes its namespace

#include <unsupported/Eigen/FFT>

namespace manychain::diagnostics {
namespace {

/// The least length of the form 2^a 3^b 5^c, which the transform is quick for, that is not below `least`.
std::size_t quick_length(std::size_t least) {
  std::size_t best = 1;
  while (best < least) best *= 2;
  for (std::size_t fives = 1; fives < best; fives *= 5) {
    for (std::size_t odd = fives; odd < best; odd *= 3) {
      std::size_t length = odd;
      while (length < least) length *= 2;
      best = std::min(best, length);
    }
  }
  return best;
}

/// Zeros behind a sequence, so that its end does not meet its beginning.
std::size_t padded_length(std::size_t length) { return quick_length(2 * length); }

}  // namespace

std::vector<double> spectral_products(std::size_t sequences, std::size_t length,
                                      const std::function<void(std::size_t, double*)>& read) {
  const std::size_t padded = padded_length(length);
  std::vector<std::complex<double>> pair(padded), transformed(padded), power(padded);
  Eigen::FFT<double> transform;
  transform.SetFlag(Eigen::FFT<double>::Unscaled);
  // Two sequences at a time, x and y: the transform of |FFT(x + iy)|^2 has the sum of their products as its real part,
  // what mixes them as the imaginary one.
  for (std::size_t s = 0; s < sequences; s += 2) {
    std::fill(pair.begin(), pair.end(), 0.0);
    double* numbers = reinterpret_cast<double*>(pair.data());
    read(s, numbers);
    if (s + 1 < sequences) read(s + 1, numbers + 1);
    transform.fwd(transformed.data(), pair.data(), static_cast<Eigen::Index>(padded));
    for (std::size_t k = 0; k < padded; ++k) power[k] += std::norm(transformed[k]);
  }
  transform.inv(transformed.data(), power.data(), static_cast<Eigen::Index>(padded));
  std::vector<double> products(length);
  for (std::size_t t = 0; t < length; ++t) products[t] = transformed[t].real() / static_cast<double>(padded);
  return products;
}

std::size_t direct_lags(std::size_t length, double price) {
  if (length < 2) return length;
  const auto padded = static_cast<double>(padded_length(length));
  return static_cast<std::size_t>(price_of_transform * padded * std::log2(padded) /
                                  (price * static_cast<double>(length)));
}

}  // namespace manychain::diagnostics
