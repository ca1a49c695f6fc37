// A density to which paths take a thousand evaluations and more.
#pragma once

#include <cstddef>

namespace manychain {

/// Curved valleys, one of each two components.
inline void curved_valleys(std::size_t n, const double* q, double* gradient, double* log_density) {
  *log_density = 0;
  for (std::size_t i = 0; i + 1 < n; i += 2) {
    const double off = q[i + 1] - q[i] * q[i];
    *log_density -= 50 * off * off + 0.5 * (q[i] - 5) * (q[i] - 5);
    gradient[i] = 200 * off * q[i] - (q[i] - 5);
    gradient[i + 1] = -100 * off;
  }
}

}  // namespace manychain
