// Groups of chains: tuning, adaptation and superchains of their own. A run of several groups is several runs.
#include <gtest/gtest.h>

#include <cmath>

#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"

namespace manychain {
namespace {

constexpr std::size_t each = 128, group_count = 4;

Settings settings(std::size_t groups) {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = groups * each;
  s.groups = groups;
  s.superchains = 16;
  s.sampling.draws = 12;
  s.warmup.transitions = 60;
  s.seed = 11;
  return s;
}

std::vector<double> values(const Draws& draws, std::size_t first_chain, std::size_t chains) {
  std::vector<double> x;
  for (std::size_t d = 0; d < draws.draws; ++d)
    for (std::size_t v = 0; v < draws.variables; ++v)
      for (std::size_t c = first_chain; c < first_chain + chains; ++c) x.push_back(draws(d, v, c));
  return x;
}

class Groups : public testing::TestWithParam<const char*> {
 protected:
  /// The draws and the statistics of `chains` chains of an engine whose groups have these step sizes.
  static std::vector<double> run(const Settings& s, const std::vector<double>& step_sizes) {
    const Model model = builtin_model("eight_schools");
    const auto engine = make_cpu_engine(model, s);
    engine->initialise({}, 100);
    for (std::size_t g = 0; g < step_sizes.size(); ++g)
      engine->set_tuning(static_cast<int>(g), {.step_size = step_sizes[g], .trajectory = 2, .leapfrog_limit = 40});
    engine->advance(Block{.count = static_cast<std::uint32_t>(*s.sampling.draws), .keep = true}, 0);
    return values(engine->draws(0, *s.sampling.draws), 0, s.chains);
  }
};

TEST_P(Groups, four_step_sizes_in_one_run_are_four_runs) {
  const std::vector<double> step_sizes = {0.05, 0.1, 0.3, 0.7};
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    Settings s = settings(group_count);
    s.sampler = GetParam();
    s.precision = precision;
    const std::vector<double> together = run(s, step_sizes);
    std::vector<double> apart(together.size());
    const std::size_t rows = together.size() / s.chains;
    Settings one = settings(1);
    one.sampler = s.sampler;
    one.precision = precision;
    for (std::size_t g = 0; g < group_count; ++g) {
      one.first_chain = g * each;
      const std::vector<double> group = run(one, {step_sizes[g]});
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t c = 0; c < each; ++c) apart[row * s.chains + g * each + c] = group[row * each + c];
    }
    EXPECT_TRUE(together == apart);
    EXPECT_NE(std::vector<double>(apart.begin(), apart.begin() + each),
              std::vector<double>(apart.begin() + each, apart.begin() + 2 * each));
  }
}
INSTANTIATE_TEST_SUITE_P(All, Groups, testing::Values("hmc", "metropolis", "mala", "single_component"));

// Warm-up too: each group adapts to its own chains alone.
TEST(GroupsOfARun, adapt_as_runs_of_their_own) {
  const Model model = builtin_model("eight_schools");
  for (const char* adaptation : {"windowed", "chees", "snaper"}) {
    Settings s = settings(group_count);
    s.warmup.adaptation = adaptation;
    const Result together = sample(model, s);
    Settings one = settings(1);
    one.warmup.adaptation = adaptation;
    for (std::size_t g = 0; g < group_count; ++g) {
      one.first_chain = g * each;
      const Result apart = sample(model, one);
      EXPECT_EQ(values(together.draws, g * each, each), values(apart.draws, 0, each)) << adaptation << " " << g;
      EXPECT_EQ(together.warmup.tuning[g].step_size, apart.warmup.tuning[0].step_size);
      EXPECT_EQ(together.warmup.tuning[g].trajectory, apart.warmup.tuning[0].trajectory);
      EXPECT_EQ(together.warmup.tuning[g].inverse_metric, apart.warmup.tuning[0].inverse_metric);
    }
    EXPECT_NE(together.warmup.tuning[0].step_size, together.warmup.tuning[1].step_size);
  }
}

// Each group has its own trial of the integrators.
TEST(GroupsOfARun, choose_integrators_as_runs_of_their_own) {
  Data data;
  data.set("D", 25);
  const Model model = builtin_model("normal", data);
  Settings s = settings(group_count);
  s.warmup.transitions = 300;
  const Result together = sample(model, s);
  Settings one = settings(1);
  one.warmup.transitions = 300;
  for (std::size_t g = 0; g < group_count; ++g) {
    one.first_chain = g * each;
    const Result apart = sample(model, one);
    EXPECT_EQ(values(together.draws, g * each, each), values(apart.draws, 0, each)) << g;
    EXPECT_EQ(together.warmup.tuning[g].integrator, Integrator::two_stage);
    EXPECT_EQ(apart.warmup.tuning[0].integrator, Integrator::two_stage);
  }
}

TEST(GroupsOfARun, have_whole_packs) {
  Settings s = settings(group_count);
  s.chains = 4 * 100;
  try {
    s.validate();
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("Settings::groups: 4 is not allowed"), std::string::npos) << error.what();
  }
}

// A given step size is used as it is, to the last bit.
TEST(GivenStepSize, is_not_a_logarithm) {
  for (const double step : {0.5, 0.1, 0.7, 1.0 / 3}) {
    Settings s = settings(1);
    s.precision = Precision::double_precision;
    s.sampling.step_size = step;
    const Result result = sample(builtin_model("normal"), s);
    EXPECT_EQ(result.warmup.tuning[0].step_size, step);
  }
}

/// Modes that no chain leaves.
Model two_modes() {
  CompiledDensity density;
  density.dimension = 1;
  density.value_and_gradient = [](const double* q, double* gradient) {
    const double mode = q[0] < 0 ? -20 : 20;
    gradient[0] = mode - q[0];
    return -0.5 * (q[0] - mode) * (q[0] - mode);
  };
  return Model(density);
}

// A superchain has chains of all groups. One group of four in another mode, and the others in one: none of them moves.
TEST(GroupsInModes, are_not_converged) {
  const Model model = two_modes();
  for (const bool keep_draws : {true, false})
    for (const bool apart : {true, false}) {
      Settings s = settings(group_count);
      s.sampling.draws = 60;
      s.warmup.transitions = 100;
      s.output.keep_draws = keep_draws;
      for (std::size_t c = 0; c < s.chains; ++c)
        s.warmup.initial_points.push_back((apart && c < each ? -20 : 20) +
                                          0.01 * static_cast<double>(c % 16));  // of its superchain
      const Result result = sample(model, s);
      EXPECT_EQ(result.converged, !apart) << result.verdict().text();
    }
}

// A run that ended at its target would not have converged.
TEST(GroupsInModes, do_not_reach_a_target) {
  for (const bool apart : {true, false}) {
    Settings s = settings(group_count);
    s.sampling.draws = 60;
    s.warmup.transitions = 100;
    s.sampling.step_size =
        0.3;  // long steps, which warm-up tries, throw chains into the other mode: their sd is waited for
    s.sampling.target_ess = 400;
    for (std::size_t c = 0; c < s.chains; ++c)
      s.warmup.initial_points.push_back((apart && c < each ? -20 : 20) + 0.01 * static_cast<double>(c % 16));
    const Result result = sample(two_modes(), s);
    EXPECT_EQ(result.sampling.reached_target, !apart);
    EXPECT_EQ(result.kept == 60, apart) << result.kept;
  }
}

// A limit counts gradients, of which a step of two stages takes two: whatever the limit, and with a step size given.
TEST(GivenStepSize, a_limit_counts_gradients) {
  for (const std::size_t limit : {1, 7, 8}) {
    Settings s = settings(1);
    s.sampling.step_size = 1e-3;
    s.warmup.transitions = 0;
    s.sampling.draws = 10;
    s.sampling.max_leapfrogs = limit;
    EXPECT_EQ(sample(builtin_model("normal"), s).gradients, limit * 10 * each);
    s.sampling.integrator = Integrator::two_stage;
    const Result two = sample(builtin_model("normal"), s);
    const std::size_t whole_steps = (limit + 1) / 2 * 2;
    EXPECT_EQ(two.gradients, whole_steps * 10 * each);
    EXPECT_EQ(two.sampling.leapfrogs, std::vector<std::uint32_t>(10, static_cast<std::uint32_t>(whole_steps)));
  }
}

// A snapshot and the number of the next transition are all that a run needs to go on.
TEST(Snapshots, a_run_goes_on_from_one) {
  const Model model = builtin_model("eight_schools");
  for (const char* sampler : {"hmc", "metropolis"}) {
    Settings s = settings(1);
    s.sampler = sampler;
    const GroupTuning tuning{.step_size = 0.2, .trajectory = 2, .leapfrog_limit = 40};
    const auto whole = make_cpu_engine(model, s);
    whole->initialise({}, 100);
    whole->set_tuning(0, tuning);
    whole->advance(Block{.count = 5}, 0);
    const Snapshot taken = whole->snapshot();
    whole->advance(Block{.first_transition = 5, .count = 7}, 0);

    const auto resumed = make_cpu_engine(model, s);
    resumed->restore(taken);
    resumed->set_tuning(0, tuning);
    resumed->advance(Block{.first_transition = 5, .count = 7}, 0);
    for (std::size_t c = 0; c < s.chains; ++c) EXPECT_EQ(whole->position(c), resumed->position(c));
    EXPECT_EQ(whole->statistics().acceptance_sum, resumed->statistics().acceptance_sum);
    EXPECT_EQ(whole->statistics().since_move, resumed->statistics().since_move);

    Settings other = s;
    other.chains = 2 * each;
    EXPECT_THROW(make_cpu_engine(model, other)->restore(taken), BadInput);
  }
}

}  // namespace
}  // namespace manychain
