#include "warmup/travelling.hpp"

#include <algorithm>
#include <cmath>

namespace manychain {

double largest_split_rhat(const std::vector<double>& values, std::size_t chains, std::size_t components) {
  const std::size_t row = chains * components, n = row > 0 ? values.size() / row : 0, half = n / 2;
  if (half < 4) return 1;
  const double count = static_cast<double>(half), halves = static_cast<double>(2 * chains);
  double largest = 1;
  for (std::size_t i = 0; i < components; ++i) {
    double sum = 0, squares = 0, within = 0;
    const double origin = values[i];
    for (std::size_t h = 0; h < 2 * chains; ++h) {
      const std::size_t first = h % 2 == 0 ? 0 : n - half;
      const auto at = [&](std::size_t k) { return values[(first + k) * row + h / 2 * components + i] - origin; };
      double mean = 0, spread = 0;
      for (std::size_t k = 0; k < half; ++k) mean += at(k);
      mean /= count;
      for (std::size_t k = 0; k < half; ++k) spread += (at(k) - mean) * (at(k) - mean) / (count - 1);
      sum += mean, squares += mean * mean, within += spread / halves;
    }
    const double between = (squares - sum * sum / halves) / (halves - 1);
    if (between > 0) largest = std::max(largest, std::sqrt((count - 1) / count + between / within));
  }
  return largest;
}

}  // namespace manychain
