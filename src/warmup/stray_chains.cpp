#include "warmup/stray_chains.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace manychain {
namespace {

constexpr std::size_t most_left = 16;  // places of restarted chains that are kept

double quantile(std::vector<double>& values, std::size_t numerator, std::size_t denominator) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() * numerator / denominator);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

struct Bounds {
  double median, lowest;
};
Bounds bounds(const std::vector<double>& log_densities, std::size_t dimension) {
  std::vector<double> values = log_densities;
  for (double& x : values)
    if (!std::isfinite(x)) x = -HUGE_VAL;  // a NaN has no place in an order
  const double median = quantile(values, 1, 2), upper = quantile(values, 3, 4);
  return {median, median - 10 * std::max(upper - median, std::sqrt(static_cast<double>(dimension)))};
}

}  // namespace

std::vector<std::size_t> find_stray(const std::vector<double>& log_densities, std::size_t dimension) {
  std::vector<std::size_t> stray;
  if (log_densities.size() < 4) return stray;
  const Bounds bound = bounds(log_densities, dimension);
  for (std::size_t c = 0; c < log_densities.size(); ++c)
    if (!(log_densities[c] >= bound.lowest)) stray.push_back(c);
  return stray;
}

bool StrayChains::settled() {
  // Chains that were put into a mode by its share stay there.
  if (settings.warmup.starts == Starts::annealed && settings.warmup.initial_points.empty()) return true;
  const std::size_t chains = settings.chains, of_group = groups_.chains_of_group(), d = layout.dimension;
  const ChainPoints points = engine.points(chains);
  const std::vector<double>& log_densities = points.log_densities;
  std::vector<std::size_t> once;                           // for the first time in a row
  std::vector<std::pair<std::size_t, std::size_t>> moves;  // which chain takes whose place
  for (std::size_t first = 0; first < chains; first += of_group) {
    const std::vector<double> group(log_densities.begin() + static_cast<std::ptrdiff_t>(first),
                                    log_densities.begin() + static_cast<std::ptrdiff_t>(first + of_group));
    std::vector<std::size_t> others, twice;
    const std::vector<std::size_t> stray = find_stray(group, d);
    for (std::size_t c = 0; c < of_group; ++c)
      if (!std::binary_search(stray.begin(), stray.end(), c)) others.push_back(first + c);
    for (const std::size_t c : stray)
      (std::binary_search(before_.begin(), before_.end(), first + c) ? twice : once).push_back(first + c);
    if (others.empty()) twice.clear();  // no chain has a finite log density: there is no place to take
    const double median = stray.empty() ? 0 : bounds(group, d).median;
    for (std::size_t k = 0; k < twice.size(); ++k) {
      moves.emplace_back(twice[k], others[k * others.size() / twice.size()]);
      const double gap = median - log_densities[twice[k]];
      if (std::isfinite(gap)) restarted_.largest_gap = std::max(restarted_.largest_gap, gap);
    }
  }
  before_ = once;
  restarted_.chains += moves.size();
  if (moves.empty()) return once.empty();
  for (std::size_t k = 0; k < moves.size() && left_.size() < most_left * d; ++k) {
    const auto from = points.positions.begin() + static_cast<std::ptrdiff_t>(moves[k].first * d);
    left_.insert(left_.end(), from, from + static_cast<std::ptrdiff_t>(d));
  }
  Snapshot all = engine.snapshot();
  for (std::size_t row = 0; row < all.values.size() / chains; ++row)
    for (const auto& [chain, other] : moves) all.values[row * chains + chain] = all.values[row * chains + other];
  engine.restore(all);
  return false;
}

}  // namespace manychain
