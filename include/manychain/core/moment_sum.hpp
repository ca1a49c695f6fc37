#pragma once

#include "manychain/core/macros.hpp"

namespace manychain {

/// Count, mean and sum of squared deviations, which merge (Chan, Golub and LeVeque 1983).
struct MomentSum {
  double count = 0, mean = 0, m2 = 0;
  MANYCHAIN_HD void merge(double other_count, double other_mean, double other_m2) {
    if (other_count == 0) return;
    const double total = count + other_count, delta = other_mean - mean;
    mean += delta * (other_count / total);
    m2 += other_m2 + delta * delta * (count * other_count / total);
    count = total;
  }
};

}  // namespace manychain
