// An engine of several engines: it says what one says.
#include "engine/joined_engine.hpp"

#include <gtest/gtest.h>

#include "manychain/core/error.hpp"
#include "manychain/run/model.hpp"
#include "unit/engine/run_of_engine.hpp"

namespace {

using namespace manychain;

Settings usual() {
  Settings s;
  s.backend = Backend::cpu;
  s.precision = Precision::single_precision;
  s.chains = 320;
  s.sampling.draws = 12;
  s.seed = 4;
  s.threads = 1;
  s.superchains = 16;
  return s;
}

void expect_joined_as_one(const Settings& settings) {
  const Model model = builtin_model(settings.warmup.adaptation == "windowed" ? "eight_schools" : "correlated_normal");
  const std::string one = run_of_engine(*make_cpu_engine(model, settings), settings);
  EXPECT_GT(one.size(), settings.chains * sizeof(double));
  for (const int parts : {1, 2, 3, 4}) {
    const auto joined = make_joined_engine(settings, parts,
                                           [&](const Share& share) { return make_cpu_engine(model, settings, share); });
    EXPECT_TRUE(one == run_of_engine(*joined, settings)) << parts << " parts";
  }
}

TEST(JoinedEngine, as_one) { expect_joined_as_one(usual()); }
TEST(JoinedEngine, in_double) {
  Settings s = usual();
  s.precision = Precision::double_precision;
  expect_joined_as_one(s);
}
TEST(JoinedEngine, of_chains_that_are_no_whole_packs) {
  Settings s = usual();
  s.chains = 77;
  s.superchains = 0;
  expect_joined_as_one(s);
}
TEST(JoinedEngine, of_whole_sums) {
  Settings s = usual();
  s.chains = 256 * 16;
  expect_joined_as_one(s);
}
TEST(JoinedEngine, with_an_adaptation_that_observes) {
  Settings s = usual();
  s.warmup.adaptation = "snaper";
  expect_joined_as_one(s);
}
TEST(JoinedEngine, of_groups) {
  Settings s = usual();
  s.chains = 384;
  s.groups = 3;
  expect_joined_as_one(s);
}
TEST(JoinedEngine, that_keeps_no_draws) {
  Settings s = usual();
  s.output.keep_draws = false;
  expect_joined_as_one(s);
}

TEST(JoinedEngine, throws_what_a_part_throws_and_goes_on) {
  const Settings settings = usual();
  const Model model = builtin_model("normal");
  const auto joined =
      make_joined_engine(settings, 3, [&](const Share& share) { return make_cpu_engine(model, settings, share); });
  joined->initialise({}, 100);
  EXPECT_THROW(joined->restore(Snapshot{}), BadInput);
  EXPECT_THROW(joined->restore_image(ChainImage{}), BadInput);
  EXPECT_THROW(joined->restore_image(ChainImage{std::string(100, 'x'), {}}), BadInput);
  EXPECT_EQ(joined->statistics().since_move.size(), settings.chains);
}

TEST(JoinedEngine, is_not_made_where_a_part_is_not) {
  const Settings settings = usual();
  EXPECT_THROW(make_joined_engine(settings, 2,
                                  [](const Share& share) -> std::unique_ptr<Engine> {
                                    if (share.here() == 1) throw OutOfMemory("no room");
                                    return make_cpu_engine(builtin_model("normal"), usual(), share);
                                  }),
               OutOfMemory);
}

}  // namespace
