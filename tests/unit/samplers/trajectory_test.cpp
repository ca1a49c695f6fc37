#include "manychain/samplers/trajectory.hpp"

#include <gtest/gtest.h>

namespace {

using manychain::leapfrogs;
using manychain::van_der_corput;

TEST(VanDerCorput, first_elements) {
  const float expected[] = {0, 0.5f, 0.25f, 0.75f, 0.125f, 0.625f, 0.375f, 0.875f};
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(van_der_corput(i), expected[i] + 0x1p-24f);
  EXPECT_EQ(van_der_corput((1u << 24) - 1), 1);
  EXPECT_EQ(van_der_corput(std::uint64_t{1} << 24), van_der_corput(0));
}

TEST(Leapfrogs, lie_between_a_quarter_and_the_whole) {
  for (std::uint64_t t = 0; t < 4096; ++t) {
    const std::uint32_t l = leapfrogs(8.0, 0.1, t, 1000);
    EXPECT_GE(l, 20u);
    EXPECT_LE(l, 80u);
    EXPECT_EQ(l, leapfrogs(8.0f, 0.1f, t, 1000));  // the same in both precisions
  }
}

TEST(Leapfrogs, at_least_one_at_most_the_limit) {
  EXPECT_EQ(leapfrogs(1e-6, 1.0, 5, 10), 1u);
  EXPECT_EQ(leapfrogs(1e12, 1.0, 5, 10), 10u);
  EXPECT_EQ(leapfrogs(1.0, 0.0, 5, 10), 10u);  // infinitely many
}

}  // namespace
