// A run that is watched: the same draws, and what is seen is where the chains are.
#include "sampling/watch.hpp"

#include <gtest/gtest.h>

namespace {

using namespace manychain;

Settings settings() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 64;
  s.sampling.draws = 20;
  s.seed = 5;
  s.warmup.starts = Starts::pathfinder;
  s.blocks_per_second = 1'000'000'000;
  return s;
}

TEST(Watch, changes_no_draw_and_sees_every_transition) {
  const Model model = builtin_model("banana");
  std::vector<Watched> seen;
  std::vector<double> last;
  const Result watched = sample_watched(model, settings(), [&](const Engine& engine, const Watched& at) {
    seen.push_back(at);
    last = engine.points(64).positions;
  });
  Settings unwatched = settings();
  unwatched.blocks_per_second = 20;
  const Result plain = sample(model, unwatched);
  EXPECT_EQ(watched.draws.float32, plain.draws.float32);
  EXPECT_EQ(watched.warmup.transitions, plain.warmup.transitions);

  ASSERT_EQ(seen.size(), watched.warmup.transitions + 20 + 1);
  for (std::size_t k = 0; k < seen.size(); ++k) {
    EXPECT_EQ(seen[k].transitions, k);
    EXPECT_EQ(seen[k].sampling, k > watched.warmup.transitions);
    if (k > 0) {
      EXPECT_GT(seen[k].evaluations, seen[k - 1].evaluations);
    }
  }
  EXPECT_EQ(seen.front().evaluations, 0u);
  EXPECT_EQ(seen.back().evaluations, watched.gradients);
  for (std::size_t c = 0; c < 64; ++c)
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(last[c * 2 + i], watched.draws(19, i, c));
}

TEST(Watch, knows_the_longest_path) {
  std::size_t longest = 0;
  const Result r = sample_watched(builtin_model("banana"), settings(),
                                  [&](const Engine&, const Watched& at) { longest = at.longest_path; });
  EXPECT_EQ(r.warmup.starts.paths, 16u);
  EXPECT_GE(16 * longest + 16, r.warmup.starts.evaluations);  // one more of each path where it begins
  EXPECT_LT(longest, r.warmup.starts.evaluations);
  Settings uniform = settings();
  uniform.warmup.starts = Starts::uniform;
  sample_watched(builtin_model("banana"), uniform,
                 [&](const Engine&, const Watched& at) { longest = at.longest_path; });
  EXPECT_EQ(longest, 0u);
}

}  // namespace
