#include "manychain/adaptation/schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "manychain/adaptation/dual_averaging.hpp"
#include "manychain/adaptation/pooled.hpp"

namespace {

using namespace manychain;

TEST(WarmupSchedule, spends_every_transition_and_ends_with_the_step_size_alone) {
  for (const std::size_t warmup : {1, 5, 39, 40, 41, 60, 99, 100, 300, 1000, 12345}) {
    std::size_t sum = 0, updates = 0;
    for (const WarmupPhase& phase : warmup_schedule(warmup, 1000)) {
      EXPECT_GT(phase.transitions, 0u);
      EXPECT_LE(phase.leapfrog_limit, 1000u);
      sum += phase.transitions;
      updates += phase.update_metric;
    }
    EXPECT_EQ(sum, warmup);
    if (warmup < 40) continue;
    EXPECT_GE(updates, 2u);
    const WarmupPhase last = warmup_schedule(warmup, 1000).back();
    EXPECT_FALSE(last.update_metric);
    EXPECT_EQ(last.leapfrog_limit, 1000u);
  }
  EXPECT_TRUE(warmup_schedule(0, 1000).empty());
}

TEST(WarmupSchedule, windows_grow_and_no_limit_is_above_the_users) {
  std::size_t window = 0;
  for (const WarmupPhase& phase : warmup_schedule(1000, 8)) {
    EXPECT_LE(phase.leapfrog_limit, 8u);
    if (!phase.update_metric) continue;
    EXPECT_GT(phase.transitions, window);
    window = phase.transitions;
  }
}

TEST(DualAveraging, finds_the_step_of_a_known_acceptance) {
  // Acceptance falls as exp(-step): 0.8 at step = -log 0.8.
  for (const double start : {1e-4, 0.1, 10.0}) {
    DualAveraging a = DualAveraging::starting_at(start, 0.8, false);
    for (int k = 0; k < 2000; ++k) a.update(std::exp(-std::exp(a.log_step)));
    EXPECT_NEAR(std::exp(a.log_step_average), -std::log(0.8), 0.02);
  }
}

TEST(DualAveraging, harmonic_pooling_floors) {
  EXPECT_EQ(DualAveraging::term(0, true), 100);
  EXPECT_EQ(DualAveraging::pooled((100 + 99 * 1.0) / 100, true), 100 / 199.0);
  EXPECT_EQ(DualAveraging::term(0.3, false), 0.3);
}

TEST(PooledMoments, leave_out_the_chains_that_did_not_move) {
  const double mean[] = {1, 2, 1e6, 3}, m2[] = {4, 5, 0, 6};
  const MomentSum sum = moment_partial(mean, m2, 4, 0, 10.0);
  EXPECT_EQ(sum.count, 30);
  EXPECT_NEAR(sum.mean, 2, 1e-15);
  EXPECT_NEAR(sum.m2, 4 + 5 + 6 + 10 * (1 + 0 + 1), 1e-12);
}

TEST(ShrunkVariance, is_stans) { EXPECT_NEAR(shrunk_variance(2, 95), 1.9 + 0.05e-3, 1e-15); }

}  // namespace
