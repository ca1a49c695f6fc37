#include "manychain/warmup/schedule.hpp"

#include <algorithm>

namespace manychain {

std::vector<WarmupPhase> warmup_schedule(std::size_t warmup, bool adapt_metric, std::size_t max_leapfrogs) {
  // Chains that still travel need no long trajectories, and a metric that is far off would make them very long.
  const std::size_t travelling = std::min<std::size_t>(max_leapfrogs, 16);
  const std::size_t settling = std::min<std::size_t>(max_leapfrogs, 64);
  if (warmup == 0) return {};
  if (!adapt_metric || warmup < 20) return {{warmup, false, false, settling}};

  const std::size_t first = warmup * 15 / 100, last = std::max<std::size_t>(warmup / 10, 1);
  const std::size_t middle = warmup - first - last;
  std::vector<WarmupPhase> phases;
  if (first) phases.push_back({first, false, false, travelling});
  std::size_t done = 0, window = std::max<std::size_t>(warmup / 20, 1);
  while (done < middle) {
    const std::size_t next = 2 * window;
    const std::size_t length = middle - done - std::min(middle - done, window) < next ? middle - done : window;
    phases.push_back({length, false, true, settling});
    done += length;
    window = next;
  }
  phases.push_back({last, true, false, max_leapfrogs});
  phases[phases.size() - 2].leapfrog_limit = max_leapfrogs;
  return phases;
}

double shrunk_variance(double variance, double count) {
  return count / (count + 5) * variance + 5 / (count + 5) * 1e-3;
}

}  // namespace manychain
