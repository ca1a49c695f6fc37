// The number of chains that a default run on a CUDA device has.
#include "run/device_chains.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "manychain/core/error.hpp"
#include "run/devices.hpp"

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

TEST(Devices, of_a_run_are_a_list) {
  using manychain::listed_devices;
  EXPECT_EQ(listed_devices("0"), std::vector<int>{0});
  EXPECT_EQ(listed_devices("3,0,12"), (std::vector<int>{3, 0, 12}));
  EXPECT_EQ(listed_devices(""), std::vector<int>());
  for (const char* const words : {",", "0,", ",0", "0,0", "-1", "0;1", "one", "0 1", "99999999999", "0,,1"})
    EXPECT_FALSE(listed_devices(words)) << words;
}

TEST(Devices, are_dealt_to_the_ranks_of_a_machine) {
  manychain::Settings settings;
  const auto dealt = [&](const char* devices, int there) {
    settings.devices = devices;
    std::vector<int> numbers;
    for (int here = 0; here < 5; ++here)
      numbers.push_back(manychain::device_of_rank(settings, here, there).value_or(-1));
    return numbers;
  };
  for (const char* const of_all : {"", "all"}) {
    EXPECT_EQ(dealt(of_all, 4), (std::vector<int>{0, 1, 2, 3, 0}));
    EXPECT_EQ(dealt(of_all, 1), std::vector<int>(5, -1));
    EXPECT_EQ(dealt(of_all, 0), std::vector<int>(5, -1));
  }
  EXPECT_EQ(dealt("3,1", 4), (std::vector<int>{3, 1, 3, 1, 3}));
  EXPECT_EQ(dealt("2", 4), std::vector<int>(5, 2));
}

TEST(Devices, of_a_run_are_checked) {
  manychain::Settings settings;
  settings.devices = "0,1";
  EXPECT_NO_THROW(settings.validate());
  EXPECT_EQ(manychain::first_device(settings), 0);
  settings.device = 0;
  EXPECT_THROW(settings.validate(), manychain::BadInput);
  settings.device.reset();
  settings.backend = manychain::Backend::cpu;
  EXPECT_THROW(settings.validate(), manychain::BadInput);
  settings.backend = manychain::Backend::cuda;
  settings.devices = "0,0";
  EXPECT_THROW(settings.validate(), manychain::BadInput);
}

}  // namespace
