#include "annealing/weighed_modes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace manychain {

WeighedModes weigh_modes(const FoundReference& found, const Annealed& annealed) {
  const std::size_t n = annealed.log_weights.size(), d = annealed.points.size() / n;
  const std::size_t count = std::max<std::size_t>(found.modes, 1);
  std::vector<std::size_t> mode_of(n);
  if (found.modes > 1)
    for (std::size_t k = 0; k < n; ++k)
      mode_of[k] = found.mode[found.reference.part_of(annealed.points.data() + k * d)];
  std::vector<WeighedMode> modes(count);
  std::vector<double> weights(n), within(d);
  for (std::size_t k = 0; k < n; ++k)
    weights[k] = std::exp(annealed.log_weights[k] - annealed.log_z) / static_cast<double>(n);
  for (std::size_t m = 0; m < count; ++m) {
    std::vector<double> member(n);
    for (std::size_t k = 0; k < n; ++k) member[k] = mode_of[k] == m;
    const WeightedMean share = weighted_mean(annealed, member);
    modes[m] = {share.value, share.error, std::vector<double>(d)};
    for (std::size_t k = 0; k < n && share.value > 0; ++k)
      for (std::size_t i = 0; i < d; ++i)
        modes[m].centre[i] += member[k] * weights[k] / share.value * annealed.points[k * d + i];
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < d; ++i) {
      const double apart = annealed.points[k * d + i] - modes[mode_of[k]].centre[i];
      within[i] += weights[k] * apart * apart;
    }
  std::vector<std::size_t> order(count), place(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return modes[a].share > modes[b].share; });
  WeighedModes weighed;
  for (std::size_t m = 0; m < count; ++m) {
    place[order[m]] = m;
    if (modes[order[m]].share > 0) weighed.modes.push_back(std::move(modes[order[m]]));
  }
  for (const std::size_t m : mode_of) weighed.member.push_back(place[m]);
  double largest = -1;
  for (std::size_t i = 0; i < d; ++i) {
    const auto by_centre = [i](const WeighedMode& a, const WeighedMode& b) { return a.centre[i] < b.centre[i]; };
    const auto [low, high] = std::minmax_element(weighed.modes.begin(), weighed.modes.end(), by_centre);
    const double apart = (high->centre[i] - low->centre[i]) / std::sqrt(within[i]);
    if (!(apart > largest)) continue;
    largest = apart;
    weighed.differs = i;
  }
  return weighed;
}

}  // namespace manychain
