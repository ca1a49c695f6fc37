// The shape of tails: fits against another implementation, and how often the rule doubts moments that exist, and finds
// those that do not.
#include "diagnostics/tails.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <random>

#include "diagnostics/from_draws.hpp"
#include "manychain/diagnostics/convergence.hpp"
#include "unit/diagnostics/draws.hpp"

namespace {

using namespace manychain;
using namespace manychain::diagnostics;

/// The `n` quantiles of the middles of equal parts.
template <class Quantile>
std::vector<double> sample_of(std::size_t n, const Quantile& quantile) {
  std::vector<double> x;
  for (std::size_t i = 0; i < n; ++i) x.push_back(quantile((static_cast<double>(i) + 0.5) / static_cast<double>(n)));
  return x;
}
double shape_of(const std::vector<double>& ascending) {
  const std::size_t n = ascending.size();
  return pareto_shape(ascending.data(), n, ascending[static_cast<std::size_t>(static_cast<double>(n) / 4 + 0.5) - 1],
                      ascending.back());
}
double pareto(double p) { return 1 / std::sqrt(1 - p) - 1; }

// The figures are those of _gpdfit() of arviz-stats 0.8.0 (Apache 2.0), printed to the last digit.
TEST(Tails, shape_is_that_of_arviz) {
  EXPECT_NEAR(shape_of(sample_of(200, pareto)), 0.5021985369632885, 1e-12);
  EXPECT_NEAR(shape_of(sample_of(200, [](double p) { return -std::log(1 - p); })), 0.03437334540487307, 1e-12);
  EXPECT_NEAR(shape_of(sample_of(200, [](double p) { return p; })), -0.8966065871791483, 1e-12);
  EXPECT_NEAR(shape_of(sample_of(200, [](double p) { return std::tan(p * M_PI / 2); })), 0.7148557749023643, 1e-12);
  EXPECT_NEAR(shape_of(sample_of(200, [](double p) { return p * p * p; })), 0.8314901166910176, 1e-12);
  EXPECT_TRUE(std::isnan(shape_of(sample_of(5, pareto)))) << "the quartile is the smallest: posterior refuses it";
  EXPECT_NEAR(shape_of(sample_of(37, pareto)), 0.5136881589153607, 1e-12);
  EXPECT_NEAR(shape_of(sample_of(1000, pareto)), 0.50039702093313, 1e-12);
}

// Products of all factors would leave the range of numbers.
TEST(Tails, shape_of_draws_that_differ_beyond_all_measure) {
  std::vector<double> x = sample_of(64, pareto);
  for (std::size_t i = 32; i < 64; ++i) x[i] *= 1e40;
  const double k = shape_of(x);
  EXPECT_GT(k, 10);
  EXPECT_TRUE(std::isfinite(k));
  for (double& one : x) one *= 0x1p-60;
  EXPECT_NEAR(shape_of(x), k, 1e-9);
}

// Shorter tails are fitted where the longest one leaves doubt.
TEST(Tails, of_light_draws_are_those_of_the_longest_fit) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> x(2560);
  for (double& one : x) one = normal(random);
  const TailRule rule(x.size(), NAN);
  TailFits fits;
  fits.select_tails(x, rule.inner);
  EXPECT_EQ(fits.shape(rule), fits.shape(rule.inner));
  EXPECT_LT(fits.shape(rule), rule.no_sd);
  for (std::size_t i = 0; i < 256; ++i) x[i] += 40;  // a mode far out, twice as many draws as the shorter fits take
  fits.select_tails(x, rule.inner);
  EXPECT_GT(fits.shape(rule.inner), rule.no_sd);
  EXPECT_LT(fits.shape(rule), rule.no_sd);
}

// One point of the grid is theta = 0, the exponential distribution, where the largest excess is three times the
// quartile.
TEST(Tails, a_point_of_the_grid_may_be_the_exponential_distribution) {
  for (const std::size_t n : {16, 20, 24, 144, 160, 168}) {
    const std::size_t quartile = n / 4;
    std::vector<double> x;
    for (std::size_t i = 1; i < n; ++i) x.push_back(static_cast<double>(std::min(i, 3 * quartile - 1)));
    x.push_back(static_cast<double>(3 * quartile));
    const double k = shape_of(x);
    x.back() *= 1 + 1e-8;
    EXPECT_NEAR(k, shape_of(x), 1e-6) << n;
  }
}

// Tails as posterior chooses them (their ESS is among its published figures), fits by arviz-stats.
TEST(Tails, pareto_khat_is_that_of_posterior) {
  const std::string folder = MANYCHAIN_TEST_DATA "/diagnostics/";
  const test_draws::Table files[] = {test_draws::Table(folder + "blocker.1.csv"),
                                     test_draws::Table(folder + "blocker.2.csv")};
  for (const auto& [name, khat] : {std::pair<const char*, double>{"d", -0.05471834956146129},
                                   {"sigmasq_delta", 0.10611524438574461},
                                   {"delta_new", 0.1644838685862159},
                                   {"sigma_delta", -0.11372878787926029}}) {
    const auto draws = test_draws::from(test_draws::beside({files[0].column(name), files[1].column(name)}));
    EXPECT_NEAR(pareto_khat(quantity(draws.view(), 0)), khat, 1e-9) << name;
  }
}

TEST(Tails, neither_place_nor_scale_nor_sign_changes_the_shape) {
  std::mt19937_64 random(1);
  std::student_t_distribution<double> t(3);
  std::vector<double> x(4000), other(4000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = t(random), other[i] = 1000 - 1e-3 * x[i];
  const TailRule rule(x.size(), NAN);
  EXPECT_NEAR(tail_shape(x, rule), tail_shape(other, rule), 1e-6);
}

TEST(Tails, that_are_not_there_have_no_shape) {
  std::vector<double> two(4000);
  for (std::size_t i = 0; i < two.size(); ++i) two[i] = static_cast<double>(i % 2);
  EXPECT_TRUE(std::isnan(tail_shape(two, TailRule(two.size(), NAN))));
  std::vector<double> few(24, 1.0);
  EXPECT_TRUE(std::isnan(tail_shape(few, TailRule(few.size(), NAN))));
  EXPECT_EQ(doubt_of({}, 0), Doubt::nothing);
  EXPECT_TRUE(std::isnan(pareto_khat({two.data(), 2, 2, 1, 2})));
}

using Make = std::function<double(std::mt19937_64&)>;

/// Numbers of quantities, of `repeats`, whose mean and whose sd is doubted. Each has 256 chains of 20 independent
/// draws.
struct Doubted {
  int mean = 0, sd = 0;
};
Doubted doubted(int repeats, const Make& make) {
  std::mt19937_64 random(7);
  Doubted found;
  for (int i = 0; i < repeats; ++i) {
    std::vector<double> x(5120);
    for (double& value : x) value = make(random);
    VariableSummary s;
    s.ess_tail = 5120;
    s.khat = tail_shape(x, TailRule(x.size(), s.ess_tail));
    const Doubt doubt = doubt_of(s, x.size());
    found.mean += doubt == Doubt::mean;
    found.sd += doubt == Doubt::sd;
  }
  return found;
}
template <class Distribution>
Make made_by(Distribution of) {
  return [of](std::mt19937_64& random) mutable { return of(random); };
}

// The limit of 0.4 is eight and more standard errors away.
TEST(Tails, light_ones_are_never_doubted) {
  for (const Make& make :
       {made_by(std::normal_distribution<double>()), made_by(std::exponential_distribution<double>()),
        made_by(std::gamma_distribution<double>(0.5)), made_by(std::student_t_distribution<double>(5)),
        made_by(std::uniform_real_distribution<double>())}) {
    const Doubted found = doubted(100, make);
    EXPECT_EQ(found.mean + found.sd, 0);
  }
}

// A lognormal of sigma 1 is doubted 2 to 4 times in a thousand: more than 5 of 200 once in 10^4 times.
TEST(Tails, lognormals_are_next_to_never_doubted) {
  const Doubted found = doubted(200, made_by(std::lognormal_distribution<double>(0, 1)));
  EXPECT_EQ(found.mean, 0);
  EXPECT_LE(found.sd, 5);
}

/// Normal draws, of which a share is at a distance, where it is spread as `there` says.
template <class There>
Make with_mode(double share, double distance, There there) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  return [=](std::mt19937_64& random) mutable {
    return uniform(random) < share ? distance + there(random) : normal(random);
  };
}

// With shares from 1 % on, 51 draws, none of 6000 was doubted; with 0.5 %, 26 draws, 3 in 100: more than 8 of 60 once
// in 3000 times.
TEST(Tails, a_mode_of_its_own_is_no_tail) {
  const std::normal_distribution<double> normal;
  for (const double distance : {10.0, 30.0}) {
    for (const double share : {0.005, 0.01, 0.02, 0.03, 0.04}) {
      const Doubted found = doubted(60, with_mode(share, distance, normal));
      EXPECT_EQ(found.mean, 0) << share << " at " << distance;
      EXPECT_LE(found.sd, share < 0.01 ? 8 : 0) << share << " at " << distance;
    }
  }
  for (const double share : {0.02, 0.03}) {
    const Doubted found = doubted(60, with_mode(share, 10, std::exponential_distribution<double>()));
    EXPECT_EQ(found.mean + found.sd, 0) << share;
  }
  // y = x + 12 [z > 2.2]
  const Make regression = [normal = std::normal_distribution<double>()](auto& random) mutable {
    return normal(random) + (normal(random) > 2.2 ? 12 : 0);
  };
  const Doubted found = doubted(60, regression);
  EXPECT_EQ(found.mean + found.sd, 0);
}

// Their logarithm is nearly uniform over hundreds of units, so that the long fits take k for 1 and more. The shorter
// ones contradict them: an sd is doubted in 7 of 100, more than 12 of 60 times once in 4500.
TEST(Tails, moments_of_a_gamma_of_tiny_shape_exist) {
  const Doubted found = doubted(60, made_by(std::gamma_distribution<double>(0.01)));
  EXPECT_EQ(found.mean, 0);
  EXPECT_LE(found.sd, 12);
}

/// A Pareto distribution of that Hill index.
Make pareto_of(double index) {
  std::uniform_real_distribution<double> uniform;
  return [=](std::mt19937_64& random) mutable { return std::pow(1 - uniform(random), -1 / index); };
}

// In 2000 quantities a mean that does not exist was found in 0.995, an sd of a Hill index of 1.9 in 0.95 to 0.99: fewer
// than 85 of 100 once in 10^4 times. Of t(2), which is at the border, in 0.92: fewer than 80 once in 10^5 times.
TEST(Tails, heavy_ones_are_found) {
  std::cauchy_distribution<double> cauchy;
  EXPECT_EQ(doubted(50, made_by(cauchy)).mean, 50);
  EXPECT_GE(doubted(50, [cauchy](auto& random) mutable { return std::fabs(cauchy(random)); }).mean, 49);
  EXPECT_GE(doubted(50, pareto_of(1)).mean, 49);
  std::student_t_distribution<double> t(1.9);
  for (const Make& make :
       {made_by(t), Make([t](auto& random) mutable { return std::fabs(t(random)); }), pareto_of(1.9)}) {
    const Doubted found = doubted(100, make);
    EXPECT_GE(found.mean + found.sd, 85);
    EXPECT_LE(found.mean, 3);
  }
  for (const Make& make : {made_by(std::student_t_distribution<double>(1.5)), pareto_of(1.5)}) {
    const Doubted found = doubted(100, make);
    EXPECT_GE(found.mean + found.sd, 97);
  }
  const Doubted border = doubted(100, made_by(std::student_t_distribution<double>(2)));
  EXPECT_GE(border.sd, 80);
  EXPECT_EQ(border.mean, 0);
}

// Chains of 80 draws with a correlation of 0.8 from one to the next, as a run of slow chains ends with.
TEST(Tails, of_correlated_draws) {
  int light = 0, heavy = 0;
  for (unsigned seed = 1; seed <= 15; ++seed) {
    auto draws = test_draws::autoregressions<double>(80, 2, 256, 0.8, seed);
    for (std::size_t t = 0; t < 80; ++t) {
      for (std::size_t c = 0; c < 256; ++c) {
        draws.at(t, 0, c) = std::exp(draws.at(t, 0, c));
        draws.at(t, 1, c) = std::pow(0.5 * std::erfc(draws.at(t, 1, c) / std::sqrt(2.0)), -1 / 1.9);
      }
    }
    auto summaries = summarise(draws.view(), 1);
    add_from_draws(draws.view(), {&summaries[0], &summaries[1]}, 0, 1);
    light += doubt_of(summaries[0], 80 * 256) != Doubt::nothing;
    heavy += doubt_of(summaries[1], 80 * 256) != Doubt::nothing;
  }
  EXPECT_LE(light, 1);
  EXPECT_GE(heavy, 12);
}

/// 5120 draws, 20 of each chain.
test_draws::Draws<double> drawn(const Make& make, std::size_t chains = 256) {
  std::mt19937_64 random(3);
  test_draws::Draws<double> draws(20, 1, chains);
  for (double& x : draws.values) x = make(random);
  return draws;
}
VariableSummary summary_of(const test_draws::Draws<double>& draws) {
  VariableSummary s = summarise(draws.view(), 1, 16)[0];
  EXPECT_EQ(add_from_draws(draws.view(), {&s}, 16, 1), 1u);
  return s;
}

// Finite draws whose sum is none are those of the heaviest tails.
TEST(Tails, of_draws_whose_mean_overflows) {
  const auto wide = drawn([rank = 0](auto&) mutable { return 1.7e308 / (1 + 2 * (rank++ * 1009 % 5120)); });
  const VariableSummary heavy = summary_of(wide);
  ASSERT_FALSE(std::isfinite(heavy.mean));
  EXPECT_NEAR(heavy.khat, 1, 0.2);
  EXPECT_EQ(doubt_of(heavy, 5120), Doubt::mean);

  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto large = drawn([uniform](auto& random) mutable { return 1.7e308 * uniform(random); });
  const VariableSummary light = summary_of(large);
  EXPECT_LT(light.khat, 0) << "no difference of draws may overflow";
  EXPECT_EQ(doubt_of(light, 5120), Doubt::mean) << light.mean;

  const auto squares = drawn([uniform](auto& random) mutable { return 1e200 * uniform(random); });
  const VariableSummary no_sd = summary_of(squares);
  ASSERT_TRUE(std::isfinite(no_sd.mean));
  ASSERT_FALSE(std::isfinite(no_sd.sd));
  EXPECT_EQ(doubt_of(no_sd, 5120), Doubt::sd);
}

TEST(Tails, of_draws_near_the_smallest_number) {
  const auto tiny =
      drawn([e = std::exponential_distribution<double>()](auto& random) mutable { return 1e-305 * e(random); });
  auto scaled = tiny;
  for (double& x : scaled.values) x *= 0x1p1000;
  EXPECT_NEAR(summary_of(tiny).khat, summary_of(scaled).khat, 1e-9);
}

// At most 2^17 - 1, at equal distances in each chain; all where there are no more.
TEST(Tails, of_so_many_draws_are_those_of_some) {
  const Make pareto_draw = pareto_of(1.9);
  const auto khat_of = [&](std::size_t chains, const std::vector<std::size_t>& rows) {
    const auto draws = drawn(pareto_draw, chains);
    const VariableSummary s = summary_of(draws);
    std::vector<double> x;
    for (std::size_t c = 0; c < chains; ++c)
      for (const std::size_t t : rows) x.push_back(draws.view()(t, 0, c));
    EXPECT_EQ(s.khat, tail_shape(x, TailRule(20 * chains, s.ess_tail))) << chains;
    EXPECT_EQ(doubt_of(s, 20 * chains), Doubt::sd);
  };
  std::vector<std::size_t> all(20);
  for (std::size_t t = 0; t < 20; ++t) all[t] = t;
  khat_of(6000, all);
  khat_of(33792, {3, 10, 16});
}

TEST(Tails, what_is_left_when_cancelled_is_told) {
  const auto draws = test_draws::autoregressions<float>(20, 3, 64, 0.5, 1);
  auto summaries = summarise(draws.view(), 1);
  const std::vector<VariableSummary*> rows = {&summaries[0], &summaries[1], &summaries[2]};
  std::atomic<bool> cancel = true;
  EXPECT_EQ(add_from_draws(draws.view(), rows, 4, 1, &cancel), 0u);
  EXPECT_TRUE(std::isnan(summaries[2].khat));
  cancel = false;
  EXPECT_EQ(add_from_draws(draws.view(), rows, 4, 1, &cancel), 3u);
  EXPECT_FALSE(std::isnan(summaries[2].khat));
}

// The summary counts them, in one place, for the look that ends a run and for the verdict.
TEST(Tails, leave_what_the_summary_counted) {
  test_draws::Draws<float> draws(21, 2, 8);
  draws.at(3, 1, 5) = draws.at(10, 1, 0) = 1;  // the second in the middle, in neither half
  auto summaries = summarise(draws.view(), 1);
  EXPECT_EQ(add_from_draws(draws.view(), {&summaries[0], &summaries[1]}, 4, 1), 2u);
  EXPECT_EQ(summaries[0].moved, 0);
  EXPECT_EQ(summaries[1].moved, 1);
}

}  // namespace
