#include "diagnostics/low_chains.hpp"

#include <algorithm>
#include <cmath>

namespace manychain::diagnostics {

LowChains find_low_chains(std::vector<double> log_densities, std::size_t dimension) {
  constexpr std::size_t fewest = 32, fewest_below = 4, fewest_above = 8;
  constexpr double least_gap = 5, of_root = 3, of_sd = 3;
  std::erase_if(log_densities, [](double x) { return !std::isfinite(x); });
  const std::size_t n = log_densities.size();
  if (n < fewest) return {};
  std::sort(log_densities.begin(), log_densities.end());
  LowChains low{0, std::max(least_gap, of_root * std::sqrt(static_cast<double>(dimension)))};
  // From the highest down, with the moments of those above.
  double sum = 0, squares = 0;
  for (std::size_t above = 1; above + std::max(fewest_below, n / 50) <= n; ++above) {
    const double x = log_densities[n - above] - log_densities[n - 1], m = static_cast<double>(above);
    sum += x;
    squares += x * x;
    if (above < std::max(fewest_above, n / 8)) continue;
    const double gap = log_densities[n - above] - log_densities[n - above - 1];
    const double sd = std::sqrt(std::max(squares / m - sum / m * (sum / m), 0.0));
    if (gap >= std::max(low.gap, of_sd * sd)) low = {n - above, gap};
  }
  return low.chains > 0 ? low : LowChains{};
}

}  // namespace manychain::diagnostics
