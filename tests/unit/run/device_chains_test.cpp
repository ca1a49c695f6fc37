// The number of chains that a default run on a CUDA device has.
#include "run/device_chains.hpp"

#include <gtest/gtest.h>

namespace {

using manychain::chains_that_fill;

TEST(DeviceChains, fill_the_multiprocessors) {
  EXPECT_EQ(chains_that_fill(132, 1, 10), 33'792u);  // 132 x 8 warps x 32 chains
  EXPECT_EQ(chains_that_fill(108, 1, 10), 27'648u);
  EXPECT_EQ(chains_that_fill(1, 1, 10), 256u);
}

TEST(DeviceChains, are_warps_where_terms_are_dealt) {
  EXPECT_EQ(chains_that_fill(132, 32, 10), 1024u);  // 1056 warps
  EXPECT_EQ(chains_that_fill(4, 32, 10), 256u);
}

TEST(DeviceChains, leave_room_for_draws) {
  EXPECT_EQ(chains_that_fill(132, 1, 100), 4864u);  // 5e5 numbers of a draw
  EXPECT_EQ(chains_that_fill(132, 1, 15), 33'280u);
  EXPECT_EQ(chains_that_fill(132, 1, 14), 33'792u);
  EXPECT_EQ(chains_that_fill(132, 1, 10'000'000), 256u);
}

TEST(DeviceChains, are_those_of_a_run_on_the_host_at_least) {
  EXPECT_EQ(chains_that_fill(0, 1, 0), 256u);
  EXPECT_EQ(chains_that_fill(-1, 1, 1), 256u);
}

}  // namespace
