// Starting points of Pathfinder in runs: chains find posteriors whose scale and place uniform points do not know.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>

#include "manychain/model.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "starts/starts.hpp"
#include "unit/run/model_of.hpp"
#include "unit/run/orange_trees.hpp"

namespace {

using namespace manychain;

/// Income from height, unscaled: the intercept and the slope are correlated by 0.999, the intercept lies some hundred
/// standard deviations from the uniform points.
Data incomes() {
  std::mt19937_64 random(20261122);
  std::normal_distribution<double> normal;
  std::vector<double> x, y;
  for (int k = 0; k < 400; ++k) {
    const double height = 66 + 3 * normal(random);
    x.insert(x.end(), {1, height});
    y.push_back(2 + 0.3 * height + 0.9 * normal(random));
  }
  Data data;
  data.set("N", 400);
  data.set("D", 2);
  data.set("X", x, {400, 2});
  data.set("y", y);
  return data;
}

Settings settings() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 128;
  s.warmup.transitions = 100;
  s.sampling.draws = 100;
  s.seed = 8;
  return s;
}

TEST(Starts, an_unscaled_regression_converges) {
  const Result r = sample(builtin_model("linear_regression", incomes()), settings());
  EXPECT_TRUE(r.converged);
  EXPECT_TRUE(r.warmup.starts.taken);
  EXPECT_EQ(r.warmup.starts.paths, 16u);
  EXPECT_EQ(r.warmup.starts.found, 16u);
  EXPECT_EQ(r.warmup.starts.left, 0u);
  EXPECT_GT(r.warmup.starts.evaluations, 16u);
  EXPECT_GE(r.warmup.tuning[0].metric_rank, 2u);
  EXPECT_NEAR(r.summary[1].statistics.mean, 0.3, 0.1);
  // A trajectory of 2.8 at a step near one: a few leapfrogs each.
  EXPECT_LT(static_cast<double>(r.gradients) / (128 * 200), 12);
}

TEST(Starts, uniform_points_stay_where_they_are_near_enough) {
  for (const char* model : {"normal", "eight_schools", "funnel"}) {
    Settings s = settings();
    s.sampling.metric = MetricKind::diagonal;
    s.sampling.trajectory = 2.8;
    const Result automatic = sample(builtin_model(model), s);
    s.warmup.starts = Starts::uniform;
    const Result uniform = sample(builtin_model(model), s);
    EXPECT_FALSE(automatic.warmup.starts.taken) << model;
    EXPECT_GT(automatic.warmup.starts.paths, 0u);
    EXPECT_EQ(uniform.warmup.starts.paths, 0u);
    EXPECT_EQ(automatic.warmup.tuning[0].step_size, uniform.warmup.tuning[0].step_size) << model;
    EXPECT_EQ(automatic.draws(99, 0, 77), uniform.draws(99, 0, 77)) << model;
  }
}

// From uniform points the first steps would suit small scales of the effects: twice as many gradients.
TEST(Starts, good_approximations_behind_a_spike_are_taken) {
  Data data;
  std::vector<double> y, sigma(30, 2.5);
  for (int j = 0; j < 30; ++j) y.push_back(4 + 7 * std::sin(7 * j) + 3.5 * std::sin(11 * j));
  data.set("J", 30);
  data.set("y", y);
  data.set("sigma", sigma);
  const Model model = builtin_model("eight_schools_centered", data);
  for (const std::uint64_t seed : {1, 2, 3}) {
    Settings s;
    s.chains = 128;
    s.seed = seed;
    s.warmup.transitions = 60;
    s.sampling.draws = 2;
    const Result automatic = sample(model, s);
    s.warmup.starts = Starts::uniform;
    const Result uniform = sample(model, s);
    EXPECT_TRUE(automatic.warmup.starts.taken) << seed;
    EXPECT_LT(automatic.gradients, 0.75 * static_cast<double>(uniform.gradients)) << seed;
  }
}

// Paths that began near the posterior end early; where most did not, nothing changes.
TEST(Starts, that_are_of_use_only_if_far) {
  const auto found = [](const Model& model, double radius, bool only_if_far) {
    StartsWanted wanted;
    wanted.count = 16;
    wanted.seed = 3;
    wanted.only_if_far = only_if_far;
    std::mt19937_64 random(4);
    std::uniform_real_distribution<double> uniform(-radius, radius);
    for (int p = 0; p < 8; ++p) {
      std::vector<double>& from = wanted.from.emplace_back(model.layout().dimension);
      for (double& x : from) x = uniform(random);
    }
    return find_starts(model, wanted);
  };
  const Model schools = builtin_model("eight_schools");
  const FoundStarts whole = found(schools, 2, false), quick = found(schools, 2, true);
  EXPECT_TRUE(whole.near);
  EXPECT_TRUE(quick.near);
  EXPECT_FALSE(whole.spread.empty());
  EXPECT_TRUE(quick.spread.empty());
  EXPECT_LT(2 * quick.report.evaluations, whole.report.evaluations);

  const Model regression = builtin_model("linear_regression", incomes());
  const FoundStarts far = found(regression, 2, false), as_far = found(regression, 2, true);
  EXPECT_FALSE(far.near);
  EXPECT_FALSE(as_far.near);
  EXPECT_EQ(far.points, as_far.points);
  EXPECT_EQ(far.spread, as_far.spread);
}

// Few paths find the growth of the trees. Where half of 16 find nothing, others begin farther out: of seeds 3 to 8 all
// came there, and four without these paths.
TEST(Starts, begin_farther_out_where_many_paths_find_nothing) {
  const Model model = model_of<CorrelatedTrees>(orange_trees());
  std::size_t found = 0, found_by_few = 0, more = 0;
  for (const std::uint64_t seed : {3, 4, 5, 6, 7, 8}) {
    StartsWanted wanted;
    wanted.count = 16;
    wanted.seed = seed;
    wanted.only_if_far = true;
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-2, 2);
    for (int p = 0; p < 16; ++p)
      for (std::size_t i = 0; i < model.layout().dimension; ++i)
        (i == 0 ? wanted.from.emplace_back() : wanted.from.back()).push_back(uniform(random));
    const auto comes_there = [&](const FoundStarts& starts) {
      const std::vector<double> values = model.bound().densities(starts.points, wanted.count);
      return *std::max_element(values.begin(), values.end()) > -190 ? 1u : 0u;
    };
    const FoundStarts few = find_starts(model, wanted);
    EXPECT_EQ(few.report.paths, 16u);
    found_by_few += comes_there(few);
    wanted.more_if_few = true;
    const FoundStarts starts = find_starts(model, wanted);
    more += starts.report.paths > 16 ? 1 : 0;
    found += comes_there(starts);
  }
  EXPECT_GT(found, found_by_few);
  EXPECT_GE(found, 5u);
  EXPECT_GT(more, 2u);
}

TEST(Starts, threads_change_nothing) {
  const Model model = builtin_model("linear_regression", incomes());
  Settings s = settings();
  s.threads = 1;
  const Result one = sample(model, s);
  s.threads = 3;
  const Result three = sample(model, s);
  EXPECT_EQ(one.warmup.starts.evaluations, three.warmup.starts.evaluations);
  for (std::size_t c = 0; c < 128; ++c) EXPECT_EQ(one.draws(0, 0, c), three.draws(0, 0, c));
}

// Narrow enough that of some groups most uniform points lie far from the posterior, and of some they do not.
TEST(Starts, of_groups_are_those_of_runs) {
  CompiledDensity narrow;
  narrow.dimension = 1;
  narrow.value_and_gradient = [](const double* q, double* gradient) {
    *gradient = -*q / (0.22 * 0.22);
    return 0.5 * *q * *gradient;
  };
  const Model model(narrow);
  Settings s = settings();
  s.groups = 4;
  s.chains = 4 * 64;
  const Result together = sample(model, s);
  s.groups = 1;
  s.chains = 64;
  std::size_t taken = 0, evaluations = 0;
  for (std::size_t g = 0; g < 4; ++g) {
    s.first_chain = g * 64;
    const Result apart = sample(model, s);
    taken += apart.warmup.starts.taken ? 1 : 0;
    evaluations += apart.warmup.starts.evaluations;
    EXPECT_EQ(together.warmup.tuning[g].step_size, apart.warmup.tuning[0].step_size) << g;
    for (std::size_t c = 0; c < 64; ++c) EXPECT_EQ(together.draws(99, 0, g * 64 + c), apart.draws(99, 0, c)) << g;
  }
  EXPECT_GT(taken, 0u);
  EXPECT_LT(taken, 4u);
  EXPECT_EQ(together.warmup.starts.evaluations, evaluations);
}

/// Found in double precision; in single precision the square is infinite there.
template <class Number>
struct BeyondSingle {
  static constexpr int dimension = 1;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += normal(x, 1000, 1);
    target += -1e-42 * square(1e17 * x);
  }
};

TEST(Starts, that_a_run_cannot_take_are_left) {
  const Model model = model_of<BeyondSingle>();
  Settings s = settings();
  s.warmup.transitions = 20;
  s.sampling.draws = 5;
  s.sampling.metric = MetricKind::diagonal;
  s.sampling.trajectory = 2.8;
  s.warmup.starts = Starts::pathfinder;
  s.precision = Precision::single_precision;
  const Result left = sample(model, s);
  EXPECT_FALSE(left.warmup.starts.taken);
  EXPECT_EQ(left.warmup.starts.paths, 16u);
  EXPECT_GT(left.warmup.starts.evaluations, 16u);
  s.warmup.starts = Starts::uniform;
  const Result uniform = sample(model, s);
  EXPECT_EQ(left.warmup.tuning[0].step_size, uniform.warmup.tuning[0].step_size);
  for (std::size_t c = 0; c < 128; ++c) EXPECT_EQ(left.draws(4, 0, c), uniform.draws(4, 0, c));
  s.warmup.starts = Starts::pathfinder;
  s.precision = Precision::double_precision;
  EXPECT_TRUE(sample(model, s).warmup.starts.taken);
}

/// Half of the paths end where single precision has no density, at 1000.
template <class Number>
struct HalfBeyondSingle {
  static constexpr int dimension = 1;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += log_mix(0.5, normal(x, -1000, 1), normal(x, 1000, 1));
    target += -1e-42 * square(1e17 * log1p_exp(x));
  }
};

TEST(Starts, that_a_run_cannot_take_are_those_of_other_paths) {
  const Model model = model_of<HalfBeyondSingle>();
  Settings s = settings();
  s.warmup.transitions = 20;
  s.sampling.draws = 5;
  s.precision = Precision::single_precision;
  const Result single = sample(model, s);
  EXPECT_TRUE(single.warmup.starts.taken);
  for (std::size_t c = 0; c < 128; ++c) EXPECT_NEAR(single.draws(4, 0, c), -1000, 6) << c;
  s.precision = Precision::double_precision;
  const Result both = sample(model, s);
  EXPECT_TRUE(both.warmup.starts.taken);
  std::size_t above = 0;
  for (std::size_t c = 0; c < 128; ++c) above += both.draws(4, 0, c) > 0 ? 1 : 0;
  EXPECT_GT(above, 8u);
  EXPECT_LT(above, 120u);
}

template <class Number>
struct ValueAlone {
  static constexpr int dimension = 1;
  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.real("x");
  }
  template <class R, class Q>
  MANYCHAIN_HD R value(const Q& q) const {
    return R(-0.5) * q[0] * q[0];
  }
};

TEST(Starts, of_paths_need_a_gradient) {
  Settings s = settings();
  s.sampler = "metropolis";
  s.warmup.starts = Starts::pathfinder;
  EXPECT_SAYS(refusal(model_of<ValueAlone>(), s),
              "Settings::warmup.starts: pathfinder follows gradients of all parameters, which");
  s.warmup.starts = Starts::automatic;
  EXPECT_EQ(refusal(model_of<ValueAlone>(), s), "nothing was thrown");
}

TEST(Starts, every_chain_its_own_without_superchains) {
  Settings s = settings();
  s.superchains = 0;
  s.warmup.transitions = 1;
  s.sampling.draws = 1;
  s.warmup.starts = Starts::pathfinder;
  const Result r = sample(builtin_model("linear_regression", incomes()), s);
  EXPECT_TRUE(r.warmup.starts.taken);
  EXPECT_EQ(r.warmup.starts.paths, 16u);
  for (std::size_t c = 16; c < 128; ++c) EXPECT_NE(r.draws(0, 0, c), r.draws(0, 0, c - 16));
}

/// An exponential above `begin`, where uniform points lie from -2 to 2.
Model exponential_above(double begin) {
  CompiledDensity density;
  density.dimension = 1;
  density.value_and_gradient = [begin](const double* q, double* gradient) {
    gradient[0] = -1;
    return q[0] > begin ? -q[0] : -std::numeric_limits<double>::infinity();
  };
  return Model(density);
}

// A superchain finds a point by 100 tries with probability 0.53: all 16 do from one seed of 26 000, and no two of them
// from one of 9000. The others try more often, and some run in a thousand ends there.
TEST(Starts, where_the_density_is_finite_at_few_points) {
  const Result r = sample(exponential_above(1.97), settings());
  for (std::size_t c = 0; c < 128; ++c) EXPECT_GT(r.draws(0, 0, c), 1.97);
  const VariableSummary& x = r.summary[0].statistics;
  EXPECT_NEAR(x.mean, 2.97, 5 * x.mcse_mean);
}

// Evaluations that are made twice are counted once.
TEST(Starts, that_are_tried_again_are_counted_once) {
  std::atomic<std::uint64_t> refused = 0;
  CallbackDensity density;
  density.dimension = 1;
  density.user = &refused;
  density.function = [](std::size_t, const double* q, double* gradient, double* log_density, void* count) {
    gradient[0] = -1;
    *log_density = -q[0];
    if (q[0] > 1.97) return 0;
    ++*static_cast<std::atomic<std::uint64_t>*>(count);
    return 1;
  };
  Settings s = settings();
  s.warmup.transitions = 0;
  s.warmup.starts = Starts::uniform;
  s.sampling.step_size = 1e-3;
  s.sampling.draws = 1;
  const Result r = sample(Model(density), s);
  const std::uint64_t counted = r.warmup.rejected.evaluations + r.sampling.rejected.evaluations;
  EXPECT_GT(counted, 128u);
  EXPECT_LT(counted, refused - 128 * 50);  // a chain fails 70 times by 100 tries on average
}

// Given points are not replaced; and where no chain finds one, the run ends after 100 tries.
TEST(Starts, that_are_not_finite_are_refused) {
  Settings given = settings();
  given.superchains = 0;
  given.warmup.initial_points.assign(128, 2.5);
  given.warmup.initial_points[3] = 1.5;
  EXPECT_NE(refusal<SamplingFailed>(exponential_above(1.97), given).find("1 of 128 chains found no starting point"),
            std::string::npos);
  std::atomic<int> evaluations = 0;
  CompiledDensity nowhere;
  nowhere.dimension = 1;
  nowhere.value_and_gradient = [&](const double*, double* gradient) {
    ++evaluations;
    return gradient[0] = -std::numeric_limits<double>::infinity();
  };
  EXPECT_NE(refusal<SamplingFailed>(Model(nowhere), settings()).find("128 of 128 chains found no starting point"),
            std::string::npos);
  EXPECT_LT(evaluations, 128 * 100 + 100);
}

TEST(Starts, a_radius) {
  Settings s = settings();
  s.warmup.transitions = 0;
  s.sampling.step_size = 1e-6;
  s.sampling.draws = 1;
  s.warmup.initial_radius = 0.25;
  s.superchains = 0;
  const Result r = sample(builtin_model("normal"), s);
  double largest = 0;
  for (std::size_t c = 0; c < 128; ++c) largest = std::max(largest, std::fabs(r.draws(0, 0, c)));
  EXPECT_LT(largest, 0.2501);
  EXPECT_GT(largest, 0.2);
}

// A second place that holds exp(-40) of the posterior: chains do not stay in it, and it is said.
TEST(Starts, leave_a_place_that_holds_nothing) {
  CompiledDensity hills;
  hills.dimension = 1;
  hills.value_and_gradient = [](const double* q, double* gradient) {
    const double x = *q, a = -0.5 * (x - 100) * (x - 100), b = -0.5 * (x + 100) * (x + 100) - 40;
    *gradient = a > b ? 100 - x : -100 - x;
    return std::max(a, b);
  };
  Settings s = settings();
  const Result r = sample(Model(hills), s);
  EXPECT_TRUE(r.warmup.starts.taken);
  EXPECT_GT(r.warmup.starts.left, 0u);
  EXPECT_LT(r.warmup.starts.left, 16u);
  EXPECT_NEAR(r.warmup.starts.largest_gap, 40, 1);
  EXPECT_TRUE(r.converged);
  EXPECT_NEAR(r.summary[0].statistics.mean, 100, 0.5);
}

// That place has a flat top: a normal fits it badly, and its lower bound says that it might hold something. Its best
// draws say that it does not.
TEST(Starts, leave_a_place_that_holds_nothing_and_fits_no_normal) {
  CompiledDensity hills;
  hills.dimension = 1;
  hills.value_and_gradient = [](const double* q, double* gradient) {
    const double x = *q, y = x + 100, y4 = y * y * y * y;
    const double a = -0.5 * (x - 100) * (x - 100), b = -40 - 0.5 * y * y - 60 * y4 / (1 + y4);
    *gradient = a > b ? 100 - x : -y - 240 * y * y * y / ((1 + y4) * (1 + y4));
    return std::max(a, b);
  };
  const Result r = sample(Model(hills), settings());
  EXPECT_GT(r.warmup.starts.left, 0u);
  EXPECT_LT(r.warmup.starts.left, 16u);
  EXPECT_GT(r.warmup.starts.largest_gap, 40);
  EXPECT_EQ(r.warmup.restarted.chains, 0u);
  EXPECT_TRUE(r.converged);
  EXPECT_NEAR(r.summary[0].statistics.mean, 100, 0.5);
}

// Paths that begin on a plateau 6000 below the hill, between walls, find nothing. Chains that stood there would stray.
TEST(Starts, leave_a_plateau_far_below) {
  CompiledDensity hill;
  hill.dimension = 1;
  hill.value_and_gradient = [](const double* q, double* gradient) {
    if (*q < -1.9 || (*q > -1 && *q < -0.9)) return *gradient = 0, -HUGE_VAL;
    if (*q < -1) return *gradient = 0, -6000.0;
    return *gradient = 100 - *q, -0.5 * (*q - 100) * (*q - 100);
  };
  const Result r = sample(Model(hill), settings());
  EXPECT_TRUE(r.warmup.starts.taken);
  EXPECT_GT(r.warmup.starts.found, 8u);
  EXPECT_LT(r.warmup.starts.found, 16u);
  EXPECT_EQ(r.warmup.restarted.chains, 0u);
  EXPECT_TRUE(r.converged);
  EXPECT_NEAR(r.summary[0].statistics.mean, 100, 0.5);
}

// The good hill is the narrow one: of 16 uniform points most lie at the other one, which holds exp(-15) of the
// posterior. Those at the good hill are near enough, but the others would lead chains away from it.
TEST(Starts, most_of_which_lead_to_a_place_that_holds_nothing) {
  CompiledDensity hills;
  hills.dimension = 1;
  hills.value_and_gradient = [](const double* q, double* gradient) {
    const double good = (*q - 1.5) / 0.15, other = (*q + 0.75) / 0.6;
    const double a = -0.5 * good * good, b = -0.5 * other * other - 16;
    *gradient = a > b ? -good / 0.15 : -other / 0.6;
    return std::max(a, b);
  };
  Settings s = settings();
  const Result r = sample(Model(hills), s);
  EXPECT_GT(r.warmup.starts.left, 8u);
  EXPECT_LT(r.warmup.starts.left, 16u);
  EXPECT_LT(r.warmup.starts.largest_gap, 20);
  EXPECT_TRUE(r.warmup.starts.taken);
  EXPECT_TRUE(r.converged);
  EXPECT_NEAR(r.summary[0].statistics.mean, 1.5, 0.05);
}

}  // namespace
