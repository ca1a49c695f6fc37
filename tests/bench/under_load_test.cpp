// The clock of a made-up device rises while it works, as those of real ones do.
#include "under_load.hpp"

#include <gtest/gtest.h>

namespace manychain::bench {
namespace {

// From 345 to 1980 MHz within `ramp` seconds of work; 1e6 cycles a call.
struct Device {
  double ramp, busy = 0;
  int calls = 0;

  double operator()() {
    const double clock = 345e6 + (1980e6 - 345e6) * std::min(1.0, busy / ramp);
    const double seconds = 1e6 / clock;
    busy += seconds;
    ++calls;
    return seconds;
  }
};

TEST(UnderLoad, MeasuresAtFullClock) {
  for (const double ramp : {1e-9, 0.05, 0.3, 1.0}) {
    Device device{ramp};
    EXPECT_NEAR(shortest_under_load(device), 1e6 / 1980e6, 0.03 * 1e6 / 1980e6) << ramp;
    EXPECT_GT(device.busy, 0.2);
    EXPECT_LT(device.busy, 2.2);
  }
}

TEST(UnderLoad, EndsWhereNothingSettles) {
  int calls = 0;
  const double best = shortest_under_load([&] { return ++calls % 2 ? 0.01 : 0.02; });
  EXPECT_EQ(best, 0.01);
  EXPECT_LT(calls, 200);
}

}  // namespace
}  // namespace manychain::bench
