// Modes in which no chain is: they are found, and the run is not converged; nothing is found where there is one mode.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "manychain/manychain.hpp"
#include "manychain/model.hpp"
#include "modes/ascent.hpp"
#include "modes/look.hpp"
#include "sampling/watch.hpp"
#include "unit/run/advice.hpp"
#include "unit/run/memory_store.hpp"
#include "unit/run/mixtures_of_normals.hpp"
#include "unit/run/model_of.hpp"

namespace manychain::test {
namespace {

Settings usual(std::uint64_t seed) {
  Settings s;
  s.backend = Backend::cpu;
  s.seed = seed;
  return s;
}

const diagnostics::Finding* missed(const diagnostics::Verdict& verdict) { return find(verdict, "Missed modes: "); }

Model wide_and_narrow() { return mixture_of({{0.5, 1, {-5, -5}}, {0.5, 0.1, {5, 5}}}); }

/// Runs of several seeds miss a mode of `share` of the posterior, and say so.
void expect_missed(const Model& model, double share, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Result r = sample(model, usual(seed));
    EXPECT_FALSE(r.converged) << seed;
    ASSERT_EQ(r.posterior.modes.missed.size(), 1u) << seed;
    EXPECT_NEAR(r.posterior.modes.missed[0].share, share, 0.1 * share) << seed;
    EXPECT_TRUE(missed(r.verdict())) << r.verdict().text();
  }
}

TEST(MissedModes, of_another_width) { expect_missed(wide_and_narrow(), 0.5, 10); }
TEST(MissedModes, of_a_small_share_in_many_dimensions) {
  expect_missed(mixture_of({{0.95, 1, alternating(50, 0, 0)}, {0.05, 1, alternating(50, -1.4, 0.8)}}), 0.05, 5);
}
TEST(MissedModes, far_away) {
  expect_missed(mixture_of({{0.5, 1, alternating(5, 0, 0)}, {0.5, 1, alternating(5, -50, 40)}}), 0.5, 5);
}
TEST(MissedModes, that_are_wider_and_therefore_low) {
  expect_missed(mixture_of({{0.5, 1, alternating(20, 0, 0)}, {0.5, 3, alternating(20, 4, -6)}}), 0.5, 5);
}

// No chain was so far away: a point where the density throws ends neither the run nor the look.
TEST(MissedModes, of_a_density_that_throws_far_away) {
  CompiledDensity alone = density_of_mixture({{0.5, 1, {-5, -5}}, {0.5, 0.1, {5, 5}}});
  alone.value_and_gradient = [mixture = alone.value_and_gradient](const double* q, double* gradient) {
    if (std::max(std::fabs(q[0]), std::fabs(q[1])) > 400) throw std::domain_error("too far");
    return mixture(q, gradient);
  };
  BatchedDensity batched;
  batched.dimension = 2;
  batched.function = [=](const double* points, std::size_t count, double* log_densities, double* gradients) {
    for (std::size_t k = 0; k < count; ++k)
      log_densities[k] = alone.value_and_gradient(points + 2 * k, gradients + 2 * k);
  };
  for (const Model& model : {Model(alone), Model(batched)}) {
    const Result r = sample(model, usual(1));
    EXPECT_FALSE(r.converged);
    ASSERT_EQ(r.posterior.modes.missed.size(), 1u);
    EXPECT_NEAR(r.posterior.modes.missed[0].share, 0.5, 0.05);
  }
}

// A few chains may start in such a mode, and leave it: twenty draws do not weigh it.
TEST(MissedModes, that_chains_leave_too_seldom) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Result r = sample(mixture_of({{0.99, 1, {0, 0}}, {0.01, 1, {-7, 4}}}), usual(seed));
    EXPECT_FALSE(r.converged) << seed;
    EXPECT_EQ(r.posterior.modes.missed.size(), 1u) << seed;
  }
}
TEST(MissedModes, that_are_a_spike_among_the_chains) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Result r =
        sample(mixture_of({{0.5, 1, alternating(10, 1, 0)}, {0.5, 0.2, alternating(10, 1, 0)}}), usual(seed));
    EXPECT_FALSE(r.converged) << seed;
    ASSERT_EQ(r.posterior.modes.missed.size(), 1u) << seed;
    EXPECT_NEAR(r.posterior.modes.missed[0].share, 0.5, 0.1) << seed;
    EXPECT_NE(missed(r.verdict())->what.find("in a spike within the place of its draws"), std::string::npos);
  }
}

TEST(MissedModes, are_named_with_their_place) {
  const diagnostics::Verdict verdict = sample(wide_and_narrow(), usual(1)).verdict();
  const diagnostics::Finding* const finding = missed(verdict);
  ASSERT_TRUE(finding);
  EXPECT_NE(finding->what.find("1 beside that of the draws: about 50 % of the posterior near q["), std::string::npos)
      << finding->what;
  EXPECT_NE(finding->what.find("= 5, "), std::string::npos) << finding->what;
  EXPECT_NE(finding->what.find("sds from its draws (-5 +- 1)"), std::string::npos) << finding->what;
}

TEST(MissedModes, of_several_are_all_named) {
  const Model three = mixture_of({{0.4, 1, {0, 0, 0}}, {0.3, 1, {12, 0, -3}}, {0.3, 0.5, {-4, 14, 6}}});
  const Result r = sample(three, usual(1));
  EXPECT_FALSE(r.converged);
  ASSERT_EQ(r.posterior.modes.missed.size(), 2u);
  for (const MissedMode& mode : r.posterior.modes.missed) EXPECT_NEAR(mode.share, 0.3, 0.03);
}

/// The logarithm of a density in few dimensions, with differences for a gradient.
template <class LogDensity>
Model shape(std::size_t dimension, const LogDensity& log_density) {
  CompiledDensity density;
  density.dimension = dimension;
  density.gradient_values = 100;
  density.value_and_gradient = [=](const double* q, double* gradient) {
    std::vector<double> x(q, q + dimension);
    for (std::size_t i = 0; i < dimension; ++i) {
      const double step = 1e-5 * std::max(1.0, std::fabs(q[i]));
      x[i] = q[i] + step;
      const double above = log_density(x);
      x[i] = q[i] - step;
      gradient[i] = (above - log_density(x)) / (2 * step);
      x[i] = q[i];
    }
    return log_density(x);
  };
  return Model(density);
}

/// No false alarm: a mode that is found is tried, and chains join the others.
void expect_none(const Model& model, const std::string& name, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Result r = sample(model, usual(seed));
    EXPECT_GT(r.posterior.modes.points, 0u) << name;
    EXPECT_TRUE(r.posterior.modes.missed.empty()) << name << " " << seed << "\n" << r.verdict().text();
  }
}

TEST(MissedModes, are_none_of_ordinary_models) {
  for (const char* name : {"normal", "correlated_normal", "banana", "funnel", "eight_schools", "eight_schools_centered",
                           "linear_regression", "logistic_regression"})
    expect_none(builtin_model(name), name, 3);
}

using Point = std::vector<double>;
TEST(MissedModes, are_none_of_curved_or_heavy_densities) {
  expect_none(shape(2,
                    [](const Point& x) {
                      const double far = (std::hypot(x[0], x[1]) - 5) / 0.3;
                      return -0.5 * far * far;
                    }),
              "ring", 3);
  expect_none(shape(2,
                    [](const Point& x) {
                      const double u = x[0] / 3, v = (x[1] - 0.5 * x[0] * x[0]) / 0.5;
                      return -0.5 * (u * u + v * v);
                    }),
              "banana", 2);
  expect_none(shape(3,
                    [](const Point& x) {
                      return -2 *
                             (std::log1p(x[0] * x[0] / 3) + std::log1p(x[1] * x[1] / 3) + std::log1p(x[2] * x[2] / 3));
                    }),
              "Student's t", 3);
  expect_none(shape(2,
                    [](const Point& x) {
                      return -(x[0] * x[0] + x[1] * x[1]) / 18 + 1.2 * (std::cos(3 * x[0]) + std::cos(3 * x[1]));
                    }),
              "rough", 2);
  expect_none(mixture_of({{0.5, 1, {-1.5}}, {0.5, 1, {1.5}}}), "two that are near", 3);
}

// The normal of the chains fits a ring so badly that its mass looks infinite: annealing weighs the mode beside it.
TEST(MissedModes, beside_a_place_that_is_no_normal) {
  const Model model = shape(2, [](const Point& x) {
    const double r = std::hypot(x[0], x[1]), far = (r - 10) / 0.3, u = (x[0] - 20) / 0.5, v = x[1] / 0.5;
    const double ring = std::log(0.8 / (2 * M_PI * 0.3 * r)) - 0.5 * far * far;
    const double spot = std::log(0.2 / (0.25 * std::sqrt(2 * M_PI))) - 0.5 * (u * u + v * v);
    return std::max(ring, spot) + std::log1p(std::exp(-std::fabs(ring - spot)));
  });
  int missed_by = 0;  // else some superchains began there, and R-hat sees it
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Settings settings = usual(seed);
    settings.sampling.draws = 40;
    const Result r = sample(model, settings);
    EXPECT_FALSE(r.converged) << seed;
    if (r.posterior.modes.missed.size() != 1) continue;
    ++missed_by;
    EXPECT_NEAR(r.posterior.modes.missed[0].share, 0.2, 0.06) << seed;
  }
  EXPECT_GE(missed_by, 1);
}

// Two rings, the second with 40 %, and two normal dimensions: no normal distribution fits a peak of either ring. Chains
// from a peak show its extent.
TEST(MissedModes, of_a_shape_that_no_normal_fits) {
  const Model model = shape(4, [](const Point& x) {
    const auto ring = [&](double at, double radius) {
      const double r = std::hypot(x[0] - at, x[1]), far = (r - radius) / 0.3;
      return -0.5 * far * far - std::log(r);
    };
    const double first = std::log(0.6) + ring(0, 5), second = std::log(0.4) + ring(30, 8);
    return std::max(first, second) + std::log1p(std::exp(-std::fabs(first - second))) -
           0.5 * (x[2] * x[2] + x[3] * x[3]);
  });
  int missed_by = 0;  // else some superchains began there, and R-hat sees it
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Settings settings = usual(seed);
    settings.sampling.draws = 40;
    const Result r = sample(model, settings);
    EXPECT_FALSE(r.converged) << seed;
    if (r.posterior.modes.missed.size() != 1) continue;
    ++missed_by;
    EXPECT_NEAR(r.posterior.modes.missed[0].share, 0.4, 0.1) << seed;
  }
  EXPECT_GE(missed_by, 3);
}

// Two rings in a plane. Runs called the first one converged: its pieces, where chains are, were all that was tried; and
// pieces of the second passed for normal modes, which their chains left for the rest of the ring.
TEST(MissedModes, of_rings_whose_pieces_look_normal) {
  const Model model = shape(2, [](const Point& x) {
    const auto ring = [&](double at, double radius) {
      const double r = std::hypot(x[0] - at, x[1]), far = (r - radius) / 0.3;
      return -0.5 * far * far - std::log(r);
    };
    const double first = std::log(0.6) + ring(0, 5), second = std::log(0.4) + ring(30, 8);
    return std::max(first, second) + std::log1p(std::exp(-std::fabs(first - second)));
  });
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Settings settings = usual(seed);
    settings.sampling.draws = 40;
    const Result r = sample(model, settings);
    EXPECT_FALSE(r.converged) << seed;
    double share = 0;
    for (const MissedMode& mode : r.posterior.modes.missed) share += mode.share;
    if (r.posterior.modes.missed.empty()) continue;  // some superchains began there, and R-hat sees it
    EXPECT_NEAR(share, 0.4, 0.15) << seed;
  }
}

// Chains that cross in sampling: 16 are at the other mode when it begins, and many at its end. R-hat decides.
TEST(MissedModes, are_none_where_chains_come_to_them_in_the_end) {
  const Result r = sample(mixture_of({{0.5, 1, {-1.5, 0}}, {0.5, 1, {6, 0}}}), usual(2));
  EXPECT_FALSE(r.converged);
  EXPECT_TRUE(r.posterior.modes.missed.empty()) << r.verdict().text();
}

TEST(MissedModes, are_not_looked_for_where_starts_are_given_or_nothing_is_tuned) {
  Settings s = usual(1);
  s.sampling.step_size = 0.5;
  EXPECT_EQ(sample(builtin_model("normal"), s).posterior.modes.points, 0u);
  s = usual(1);
  s.chains = 64;
  s.superchains = 0;
  s.warmup.initial_points.assign(64 * 10, 0.5);
  EXPECT_EQ(sample(builtin_model("normal"), s).posterior.modes.points, 0u);
}

// The look is behind warm-up: what goes on from a file has its finding.
TEST(MissedModes, are_stored_with_a_run) {
  const Settings settings = usual(1);
  const Model model = wide_and_narrow();
  const Result whole = sample(model, settings);
  ASSERT_EQ(whole.posterior.modes.missed.size(), 1u);
  MemoryStore store(10);
  int resumes = 0;
  expect_same_run(run_that_dies(model, settings, 1, 1e9, store, &resumes), whole);
  EXPECT_GT(resumes, 0);
}

TEST(MissedModes, are_those_of_all_parts_of_a_run) {
  Settings s = usual(3);
  s.chains = 100;
  s.superchains = 4;
  s.warmup.transitions = 100;
  s.sampling.draws = 12;
  const Model model = wide_and_narrow();
  const Result whole = sample(model, s);
  ASSERT_EQ(whole.posterior.modes.missed.size(), 1u);
  MemoryStore warm(10), merged(10);
  sample(model, s, warm, {.warmup_only = true});
  expect_same_run(merge(model, parts_of(model, warm.run, {3}), {}, merged), whole);
}

TEST(MissedModes, threads_change_nothing) {
  Settings s = usual(1);
  s.threads = 1;
  const Result one = sample(wide_and_narrow(), s);
  s.threads = 3;
  expect_same_run(sample(wide_and_narrow(), s), one);
}

/// Positions of 64 chains in a normal, [chain][dimension], with a metric that fits.
struct Standing {
  Metric metric;
  std::vector<double> positions, left;
};
Standing standing(const Model& model, std::uint64_t seed) {
  Standing all;
  const auto watch = [&](const Engine& engine, const Watched&) { all.positions = engine.points(64).positions; };
  Settings s = usual(seed);
  s.chains = 64;
  const Result r = sample_watched(model, s, watch);
  for (const double variance : r.warmup.tuning[0].inverse_metric) all.metric.scale.push_back(std::sqrt(variance));
  return all;
}

// No point far away leads to the mode, but a chain stood there that was moved elsewhere.
TEST(MissedModes, are_looked_for_where_chains_were_restarted) {
  const std::vector<double> there = alternating(10, 5, -4);
  const Model model = mixture_of({{0.5, 1, alternating(10, 0, 0)}, {0.5, 0.1, there}});
  Standing chains = standing(model, 1);
  const Place place(chains.positions, chains.metric);
  ASSERT_TRUE(place.usable());
  LookWanted wanted{chains.positions, chains.left};
  wanted.evaluations = 1000;
  EXPECT_TRUE(look_for_modes(model, place, wanted).modes.empty());
  chains.left = alternating(10, 5.1, -4.1);
  const FoundModes found = look_for_modes(model, place, wanted);
  ASSERT_EQ(found.modes.size(), 1u);
  EXPECT_NEAR(found.modes[0].log_mass - found.log_mass, 0, 0.3);
  EXPECT_TRUE(found.modes[0].has(there.data()));
  EXPECT_FALSE(found.modes[0].has(place.centre().data()));
  EXPECT_EQ(found.modes[0].chains, 0u);
}

// One chain of 64 is in a mode of half of the mass. It is among those whose peaks are where the chains are.
TEST(MissedModes, are_seen_where_few_chains_are) {
  const std::vector<double> there = alternating(10, 5, -4);
  const Model model = mixture_of({{0.5, 1, alternating(10, 0, 0)}, {0.5, 1, there}});
  Standing chains = standing(mixture_of({{1, 1, alternating(10, 0, 0)}}), 1);
  std::copy(there.begin(), there.end(), chains.positions.begin());
  const Place place(chains.positions, chains.metric);
  LookWanted wanted{chains.positions, chains.left};
  wanted.evaluations = 1000;
  const FoundModes found = look_for_modes(model, place, wanted);
  ASSERT_EQ(found.modes.size(), 1u);
  EXPECT_TRUE(found.modes[0].has(there.data()));
  EXPECT_EQ(found.modes[0].chains, 1u);
}

// Whatever direction a climb comes from, it ends where the chains are.
TEST(MissedModes, are_seen_around_chains_in_a_narrow_one) {
  const Model model = mixture_of({{0.3, 0.1, alternating(5, 2, 1)}, {0.7, 1, alternating(5, 2, 1)}});
  const Standing narrow = standing(mixture_of({{1, 0.1, alternating(5, 2, 1)}}), 1);
  const Place place(narrow.positions, narrow.metric);
  LookWanted wanted{narrow.positions, narrow.left};
  wanted.evaluations = 3000;
  const FoundModes found = look_for_modes(model, place, wanted);
  ASSERT_EQ(found.modes.size(), 1u);
  EXPECT_NEAR(found.modes[0].log_mass, std::log(0.7 / 0.3), 0.5);
  EXPECT_TRUE(found.modes[0].has(alternating(5, 3, 0).data()));
  EXPECT_FALSE(found.modes[0].has(place.centre().data()));
}

// The mass of a normal in ten dimensions is known without Pathfinder.
TEST(LogMass, of_a_normal) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Model model = mixture_of({{1, 0.5, alternating(10, 3, -2)}});
    const Standing chains = standing(model, seed);
    const Place place(chains.positions, chains.metric);
    const double mass = log_mass(place, chains.positions, model.bound().densities(chains.positions, 64));
    EXPECT_NEAR(mass, 5 * std::log(2 * M_PI), 0.5) << seed;
  }
}

// From anywhere in a normal one evaluation tells that its peak is the one that is known.
TEST(Ascent, of_a_normal_takes_one_evaluation_of_each_point) {
  const Model model = mixture_of({{1, 2, {1, -3}}});
  Metric metric;
  metric.scale = {2, 2};
  std::vector<double> around;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0}) around.insert(around.end(), {1 + x * std::sqrt(3), -3 + y * std::sqrt(3)});
  const Place place(around, metric);
  const DensityEvaluator density = model.bound().evaluator();
  const std::vector<double> far = {100, 50, -30, 7, 2, -800};
  const Ascended known = ascend(density, place, {1, -3}, far, 100);
  EXPECT_EQ(known.evaluations, 3u);
  EXPECT_EQ(known.known, std::vector<bool>(3, true));
  const Ascended unknown = ascend(density, place, {}, far, 100);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_FALSE(unknown.known[k]);
    EXPECT_TRUE(unknown.arrived[k]);
    EXPECT_NEAR(unknown.points[2 * k], 1, 0.05);
    EXPECT_NEAR(unknown.points[2 * k + 1], -3, 0.05);
  }
}

// A step in the metric of a wide mode leads over a narrow one's peak, to where the density is higher, too. A climb from
// the slope of the narrow mode ends at its peak.
TEST(Ascent, of_a_narrow_mode_ends_there) {
  const Model model = mixture_of({{0.03, 1, {0, 0}}, {0.97, 0.1, {4, -4}}});
  Metric metric;
  metric.scale = {1, 1};
  std::vector<double> around;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-1.0, 1.0}) around.insert(around.end(), {x * std::sqrt(0.75), y * std::sqrt(0.75)});
  const Place place(around, metric);
  std::vector<double> starts;
  constexpr std::size_t count = 16;
  for (std::size_t k = 0; k < count; ++k) {
    const double angle = 2 * M_PI * static_cast<double>(k) / count;
    starts.insert(starts.end(), {4 + 0.6 * std::cos(angle), -4 + 0.6 * std::sin(angle)});
  }
  const Ascended climbed = ascend(model.bound().evaluator(), place, {0, 0}, starts, 32 * count);
  for (std::size_t k = 0; k < count; ++k) {
    EXPECT_FALSE(climbed.known[k]) << k;
    EXPECT_NEAR(climbed.points[2 * k], 4, 0.05) << k;
    EXPECT_NEAR(climbed.points[2 * k + 1], -4, 0.05) << k;
  }
}

TEST(Barrier, is_the_depth_of_the_valley) {
  const Model model = mixture_of({{0.5, 1, {-4}}, {0.5, 1, {4}}});
  const DensityEvaluator density = model.bound().evaluator();
  EXPECT_NEAR(barrier(density, {-4}, {4}), 8 - std::log(2), 1e-9);
  EXPECT_NEAR(barrier(density, {4}, {5}), 0, 1e-9);
}

/// Two places, of which bounds may leave one out.
template <class Number>
struct Apart {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    target += log_mix(0.6, normal(mu, -1, 1), normal(mu, 19, 1));
  }
};
template <class Number>
struct Bounded {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu", upper(9));
    target += log_mix(0.6, normal(mu, -1, 1), normal(mu, 19, 1));
  }
};

// No chain leaves its mode, and a run that drew on would say nothing else. Chains that change their modes draw until
// all is reached.
TEST(SeparateModes, end_a_run) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Result apart = sample(mixture_of({{0.5, 1, {-6, 0}}, {0.5, 1, {6, 0}}}), usual(seed));
    EXPECT_TRUE(apart.sampling.stays_apart) << seed;
    EXPECT_EQ(apart.kept, 320u) << seed;
    EXPECT_FALSE(apart.sampling.reached_target);
    EXPECT_TRUE(find(apart.verdict(), "Several modes: ")) << apart.verdict().text();
    Settings all = usual(seed);
    all.sampling.draws = 640;  // which then are what was asked for
    EXPECT_EQ(sample(mixture_of({{0.5, 1, {-6, 0}}, {0.5, 1, {6, 0}}}), all).kept, 640u);

    const Result joined = sample(mixture_of({{0.5, 1, {-2.3, 0}}, {0.5, 1, {2.3, 0}}}), usual(seed));
    EXPECT_FALSE(joined.sampling.stays_apart) << seed;
    EXPECT_TRUE(joined.sampling.reached_target) << seed;
  }
}

TEST(SeparateModes, end_a_run_that_is_stored_at_the_same_draw) {
  const Model model = mixture_of({{0.5, 1, {-6, 0}}, {0.5, 1, {6, 0}}});
  const Result whole = sample(model, usual(1));
  MemoryStore store(64);
  int resumes = 0;
  const Result stored = run_that_dies(model, usual(1), 1, 1e9, store, &resumes);
  expect_same_run(stored, whole);
  EXPECT_TRUE(stored.sampling.stays_apart);
  EXPECT_GT(resumes, 0);
}

TEST(Advice, against_missed_modes) {
  const Case c{"Missed modes: 1 beside that of the draws: about",
               "declare bounds of that parameter",
               model_of<Apart, "hmc">(),
               usual(1),
               not_converged,
               [] { return model_of<Bounded, "hmc">(); }};
  expect_that_advice_cures(c);
  // The share that is named follows rounding: 39 or 40 %.
  const Result result = sample(c.model, c.settings);
  ASSERT_EQ(result.posterior.modes.missed.size(), 1u);
  EXPECT_NEAR(result.posterior.modes.missed[0].share, 0.4, 0.04);
}

}  // namespace
}  // namespace manychain::test
