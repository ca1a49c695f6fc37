#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/eigen.hpp"

namespace manychain {

/// The upper median of numbers, of which there are some.
inline double median(const Eigen::ArrayXd& x) {
  std::vector<double> values(x.begin(), x.end());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace manychain
