// The trial of longer trajectories of few chains: the measure it takes, and runs that it changes.
#include "warmup/longer_trajectories.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "manychain/manychain.hpp"
#include "manychain/model.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

/// Normal autoregressions of two components: [look][chain][component].
ChainPlaces autoregressions(std::size_t looks, std::size_t chains, double first, double second, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> standard;
  ChainPlaces places(looks * chains * 2);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const double rho = k % 2 == 0 ? first : second;
    const double before = k < 2 * chains ? 0 : places[k - 2 * chains];
    places[k] = k < 2 * chains ? standard(generator) : rho * before + std::sqrt(1 - rho * rho) * standard(generator);
  }
  return places;
}

/// Spearman's correlation of normals (Kruskal 1958, equation 6.2).
double rank_correlation(double rho) { return 6 / std::numbers::pi * std::asin(rho / 2); }

// The standard error of the mean of 64 x 16 squares is 0.02 of it; the least of two components is that of the slower
// one.
TEST(SlowestMoves, are_those_of_the_component_with_the_largest_rank_correlation) {
  for (const double rho : {0.3, 0.6, 0.9}) {
    ChainPlaces places = autoregressions(2000, 16, rho, rho - 0.3, 1);
    EXPECT_NEAR(slowest_moves({&places}, 16, 2)[0], 1 - rank_correlation(rho), 0.01) << rho;
    // Monotone functions of a component change nothing, and a chain far away little.
    for (double& x : places) x = std::exp(9 * x);
    EXPECT_NEAR(slowest_moves({&places}, 16, 2)[0], 1 - rank_correlation(rho), 0.01) << rho;
  }
}

// Ranks are those among both: one that lies in the middle of the other has the middle half of the ranks, and moves half
// as far.
TEST(SlowestMoves, compare_sequences_by_one_scale) {
  const ChainPlaces slow = autoregressions(64, 16, 0.8, 0.2, 2), fast = autoregressions(64, 16, 0.3, 0.2, 3);
  const std::vector<double> moved = slowest_moves({&slow, &fast}, 16, 2);
  EXPECT_NEAR(moved[0], 1 - rank_correlation(0.8), 0.06);
  EXPECT_NEAR(moved[1], 1 - rank_correlation(0.3), 0.1);
  ChainPlaces narrow = fast;
  for (double& x : narrow) x *= 0.05;
  EXPECT_NEAR(slowest_moves({&narrow, &fast}, 16, 2)[0], 0.25 * moved[1], 0.05);
}

// Integers are ranked by their mean ranks, and a component that does not move, as one that another sampler has, is
// none.
TEST(SlowestMoves, leave_out_what_does_not_vary) {
  ChainPlaces places = autoregressions(2000, 16, 0.6, 0.3, 4);
  const double moved = slowest_moves({&places}, 16, 2)[0];
  for (double& x : places) x = std::round(3 * x);
  EXPECT_NEAR(slowest_moves({&places}, 16, 2)[0], moved, 0.02);
  for (std::size_t k = 1; k < places.size(); k += 2) places[k] = 7;
  EXPECT_NEAR(slowest_moves({&places}, 16, 2)[0], moved, 0.02);
  EXPECT_EQ(slowest_moves({&places, &places}, 16, 2).size(), 2u);
  std::fill(places.begin(), places.end(), 7);
  EXPECT_EQ(slowest_moves({&places}, 16, 2)[0], 1);
}

/// A scale that data know through standard normals alone: the length of its ridge has no metric.
template <class Number>
struct Ridge {
  View<const Number> y;
  Size<> n;
  void data(DataReader& in) {
    in("n", n);
    in("y", y, n);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto s = target.real("s", lower(0));
    auto z = target.vector("z", n);
    target += half_student_t(s, 3, 36);
    target += normal(z, 0, 1);
    target.observe("y", normal(y, s * z, 0.5));
  }
};

Model ridge() {
  Data data;
  data.set("n", 6);
  data.set("y", std::vector<double>{20, -35, 41, 3, -15, 8}, {6});
  return model_of<Ridge, "hmc">(data);
}

Settings few_chains(std::uint64_t seed) {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 16;
  s.sampling.draws = 1000;
  s.seed = seed;
  return s;
}

double least_ess(const Result& result) {
  double least = HUGE_VAL;
  for (const SummaryRow& row : result.summary) least = std::min(least, row.statistics.ess_bulk);
  return least;
}

// Nine of these twelve seeds take longer trajectories, in a trial of 128 transitions: 1.45 to 2.2 times the effective
// draws of the slowest parameter, and 0.98 to 1.56 times those per gradient, 1.26 in the mean.
TEST(LongerTrajectories, are_taken_where_few_chains_mix_slowly) {
  const Model model = ridge();
  int taken = 0;
  double per_gradient = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Settings s = few_chains(seed);
    const Result longer = sample(model, s);
    const double length = longer.warmup.tuning[0].trajectory;
    if (length < 3.5) continue;
    ++taken;
    s.sampling.trajectory = length / std::numbers::sqrt2;
    const Result shorter = sample(model, s);
    EXPECT_NEAR(shorter.warmup.tuning[0].trajectory, *s.sampling.trajectory, 1e-6) << "a given length stays";
    EXPECT_EQ(shorter.warmup.transitions + 128, longer.warmup.transitions) << "and has no trial";
    EXPECT_GT(least_ess(longer), 1.3 * least_ess(shorter)) << seed;
    per_gradient += least_ess(longer) * static_cast<double>(shorter.gradients) / least_ess(shorter) /
                    static_cast<double>(longer.gradients);
  }
  EXPECT_GE(taken, 8);
  EXPECT_GT(per_gradient, 1.1 * taken);
}

// No transition goes into a trial.
TEST(LongerTrajectories, leave_posteriors_near_normal_ones_as_they_are) {
  for (const char* name : {"normal", "eight_schools", "logistic_regression"}) {
    const Result result = sample(builtin_model(name), few_chains(1));
    EXPECT_EQ(result.warmup.transitions, 300u) << name;
    EXPECT_LT(result.warmup.tuning[0].trajectory, 3.5) << name;
  }
}

}  // namespace
}  // namespace manychain
