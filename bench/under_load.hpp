// When to measure a device: its clocks rise under load, over some tenths of a second.
#pragma once

#include <algorithm>
#include <vector>

namespace manychain::bench {

/// `seconds_of_one()` does the work once and returns how long that took. It is called until the device has worked for 0.2
/// s and the last five calls differ by less than 2 %, for 2 s at most; then the shortest of nine more is returned.
template <class SecondsOfOne>
double shortest_under_load(SecondsOfOne&& seconds_of_one) {
  constexpr double least = 0.2, most = 2, steady = 0.02;
  constexpr std::size_t last = 5;
  constexpr int repetitions = 9;
  std::vector<double> latest;
  for (double busy = 0; busy < most;) {
    latest.push_back(seconds_of_one());
    busy += latest.back();
    if (latest.size() > last) latest.erase(latest.begin());
    const auto [low, high] = std::minmax_element(latest.begin(), latest.end());
    if (busy >= least && latest.size() == last && *high <= (1 + steady) * *low) break;
  }
  double best = seconds_of_one();
  for (int k = 1; k < repetitions; ++k) best = std::min(best, seconds_of_one());
  return best;
}

}  // namespace manychain::bench
