#include "manychain/adaptation/schedule.hpp"

#include <algorithm>

namespace manychain {

std::vector<WarmupPhase> warmup_schedule(std::size_t warmup, std::size_t max_leapfrogs) {
  // Chains that still travel need no long trajectories, and a metric that is far off would make them very long.
  const std::size_t travelling = std::min<std::size_t>(max_leapfrogs, 16);
  const std::size_t settling = std::min<std::size_t>(max_leapfrogs, 64);
  if (warmup == 0) return {};
  if (warmup < 40) return {{warmup, false, false, false, settling}};

  std::vector<WarmupPhase> phases;
  std::size_t done = 0;
  const auto add = [&](std::size_t transitions, bool harmonic, bool update_metric, std::size_t limit) {
    if (transitions > 0) phases.push_back({transitions, harmonic, update_metric, false, limit});
    done += transitions;
  };
  for (int round = 0; round < 2; ++round) {
    add(warmup * 3 / 100, false, false, travelling);
    add(warmup * 5 / 100, true, false, travelling);
  }
  const std::size_t last = warmup / 10, end = warmup - last;
  double window = std::max(10.0, 0.04 * static_cast<double>(warmup));
  while (done < end) {
    // No window shorter than the next one would be is left at the end: the last takes what remains.
    const double left = static_cast<double>(end - done);
    const bool final_window = left < 2.5 * window;
    add(final_window ? end - done : static_cast<std::size_t>(window), false, true,
        final_window        ? max_leapfrogs
        : done < warmup / 5 ? travelling
                            : settling);
    window *= 1.5;
  }
  if (last > 0) phases.push_back({last, true, false, true, max_leapfrogs});
  return phases;
}

double shrunk_variance(double variance, double count) {
  return count / (count + 5) * variance + 5 / (count + 5) * std::min(1e-3, variance);
}

}  // namespace manychain
