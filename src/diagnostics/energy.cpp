#include "diagnostics/energy.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "diagnostics/limits.hpp"

namespace manychain::diagnostics {
namespace {

constexpr double false_alarms = 0.01, not_by_chance = 0.1;

/// Below this E-BFMI a chain is named.
double lowest_by_chance(const std::vector<double>& ebfmi, std::size_t draws) {
  std::vector<double> finite;
  std::copy_if(ebfmi.begin(), ebfmi.end(), std::back_inserter(finite), [](double e) { return std::isfinite(e); });
  if (finite.empty()) return ebfmi_limit;
  const auto middle = finite.begin() + static_cast<std::ptrdiff_t>(finite.size() / 2);
  std::nth_element(finite.begin(), middle, finite.end());
  const double median = *middle, variance = median * (4 - median) / static_cast<double>(draws);
  if (median < ebfmi_limit || !(variance > 0)) return ebfmi_limit;
  const double n = static_cast<double>(finite.size());
  const auto below =
      static_cast<double>(std::count_if(finite.begin(), finite.end(), [](double e) { return e < ebfmi_limit; }));
  if (below >= not_by_chance * n) return ebfmi_limit;
  // exp(-z^2 / 2) bounds the tail of a normal.
  return std::min(ebfmi_limit, median - std::sqrt(2 * std::log(n / false_alarms) * variance));
}

}  // namespace

std::vector<std::size_t> low_ebfmi_chains(const std::vector<double>& ebfmi, std::size_t draws) {
  std::vector<std::size_t> low;
  if (draws < ebfmi_draws) return low;
  const double lowest = lowest_by_chance(ebfmi, draws);
  for (std::size_t c = 0; c < ebfmi.size(); ++c)
    if (!(ebfmi[c] >= lowest)) low.push_back(c);
  return low;
}

}  // namespace manychain::diagnostics
