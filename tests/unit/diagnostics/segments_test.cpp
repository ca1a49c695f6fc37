// Which draws share a segment: a function of the settings, however blocks are cut.
#include "diagnostics/segments.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace manychain;
using diagnostics::Chunk;
using diagnostics::Segments;

/// Numbers of draws in each segment and in the open chunk, after the chunks of a run.
struct Held {
  std::vector<std::vector<std::uint64_t>> segment;  // the draws themselves
  std::vector<std::uint64_t> open;

  explicit Held(const Segments& segments) : segment(segments.capacity()) {}
  void accumulate(const Chunk& s) {
    if (s.merge) {
      const std::size_t half = segment.size() / 2;
      for (std::size_t i = 0; i < half; ++i) {
        std::vector<std::uint64_t> merged = segment[2 * i];
        merged.insert(merged.end(), segment[2 * i + 1].begin(), segment[2 * i + 1].end());
        segment[i] = merged;
      }
      for (std::size_t i = half; i < segment.size(); ++i) segment[i].clear();
    }
    for (std::uint64_t d = s.draw; d < s.draw + s.draws; ++d) open.push_back(d);
    if (!s.close) return;
    segment[s.segment].insert(segment[s.segment].end(), open.begin(), open.end());
    open.clear();
  }
};

struct Plan {
  std::size_t chains, draws, thin, until;  // until: draws that are made; fewer than planned if the run is cancelled
};

class OfAPlan : public testing::TestWithParam<Plan> {};

TEST_P(OfAPlan, every_draw_lies_in_its_segment_however_blocks_are_cut) {
  const Plan plan = GetParam();
  const Segments segments(plan.chains, plan.draws);
  for (const std::size_t block_length : {std::size_t{1}, std::size_t{7}, std::size_t{1000}, std::size_t{1000000}}) {
    Held held(segments);
    std::uint64_t expected = 0;
    const std::uint64_t all = plan.until * plan.thin;
    for (std::uint64_t done = 0; done < all;) {
      Block block;
      block.sampling_begin = 300;
      block.thin = plan.thin;
      block.first_transition = 300 + done;
      block.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(block_length, all - done));
      std::uint64_t transitions = 0;
      for (const Chunk& s : segments.cut(block)) {
        EXPECT_EQ(s.block.first_transition, block.first_transition + transitions);
        EXPECT_EQ(s.draw, expected);
        EXPECT_LE(s.draws, Segments::longest_chunk);
        transitions += s.block.count;
        expected += s.draws;
        held.accumulate(s);
      }
      EXPECT_EQ(transitions, block.count);
      done += block.count;
    }
    ASSERT_EQ(expected, plan.until);
    const std::uint32_t used = segments.used(plan.until);
    ASSERT_LE(used, segments.capacity());
    if (plan.until > segments.capacity() * segments.length(1)) {  // they have been full
      EXPECT_GE(2 * used, segments.capacity());
    }
    held.segment[used - 1].insert(held.segment[used - 1].end(), held.open.begin(), held.open.end());
    std::uint64_t next = 0;
    for (std::size_t s = 0; s < segments.capacity(); ++s) {
      if (s + 1 < used) {
        EXPECT_EQ(held.segment[s].size(), segments.length(plan.until));
      } else if (s >= used) {
        EXPECT_TRUE(held.segment[s].empty());
      }
      for (std::uint64_t d : held.segment[s]) ASSERT_EQ(d, next++);
    }
    EXPECT_EQ(next, plan.until);
  }
}

INSTANTIATE_TEST_SUITE_P(Segments, OfAPlan,
                         testing::Values(Plan{1024, 400, 1, 400}, Plan{1024, 400, 3, 400}, Plan{4, 400, 1, 400},
                                         Plan{1024, 1000, 1, 1000}, Plan{1024, 1000, 1, 77}, Plan{1024, 1, 1, 1},
                                         Plan{2, 5, 2, 5}, Plan{100, 30, 1, 30}, Plan{1, 100000, 1, 100000},
                                         Plan{1, 1000, 1, 3}),
                         [](const auto& plan) {
                           return std::to_string(plan.param.chains) + "_chains_" + std::to_string(plan.param.draws) +
                                  "_draws_" + std::to_string(plan.param.thin) + "_thin_" +
                                  std::to_string(plan.param.until) + "_made";
                         });

TEST(Segments, a_plan_that_is_carried_out_nearly_fills_them) {
  for (const std::size_t draws : {100, 400, 1000, 1024, 5000, 12345}) {
    const Segments segments(1024, draws);
    EXPECT_GE(segments.used(draws), segments.capacity() - 1) << draws;
  }
}

}  // namespace
