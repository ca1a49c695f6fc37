// When to measure a device: its clocks rise under load, over some tenths of a second.
#pragma once

#include <algorithm>
#include <cmath>

namespace manychain::bench {

/// `seconds_of_one()` does the work once and returns how long that took. It is called until its mean over 0.1 s of work
/// differs by less than 1 % from that of the 0.1 s before, for 2 s at most; then the shortest of nine more is returned.
template <class SecondsOfOne>
double shortest_under_load(SecondsOfOne&& seconds_of_one) {
  constexpr double window = 0.1, most = 2, steady = 0.01;
  constexpr int most_calls = 100000, repetitions = 9;
  double before = 0;
  for (double busy = 0; busy < most;) {
    double here = 0;
    int calls = 0;
    for (; here < window && calls < most_calls; ++calls) here += seconds_of_one();
    busy += std::max(here, window);  // also where the clock stands still
    const double mean = here / calls;
    if (std::fabs(mean - before) <= steady * before) break;
    before = mean;
  }
  double best = seconds_of_one();
  for (int k = 1; k < repetitions; ++k) best = std::min(best, seconds_of_one());
  return best;
}

}  // namespace manychain::bench
