#include "gallery/walk_acceptance.hpp"

#include <cmath>

namespace manychain::gallery {

double walk_acceptance(int dimension, double step) {
  constexpr int cells = 40'000;
  const double far = std::sqrt(dimension) + 10, h = far / cells, half = 0.5 * dimension;
  const double log_norm = (half - 1) * std::log(2.0) + std::lgamma(half);  // of the chi distribution of |z|
  double sum = 0;
  for (int i = 0; i < cells; ++i) {
    const double r = h * (i + 0.5);
    const double density = std::exp((dimension - 1) * std::log(r) - 0.5 * r * r - log_norm);
    sum += h * density * std::erfc(step * r / (2 * std::sqrt(2.0)));  // 2 Phi(-s r / 2)
  }
  return sum;
}

}  // namespace manychain::gallery
