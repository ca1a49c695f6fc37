// Parts of a posterior that a precision does not hold: below the smallest number, next to one, and where steps vanish.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "check/posterior_precision.hpp"
#include "check/precision_reach.hpp"
#include "manychain/manychain.hpp"
#include "run/defaults.hpp"
#include "unit/run/model_with_terms.hpp"

namespace manychain {
namespace {

/// x[i] ~ gamma(a, a) or beta(a, a): P(x < y) is (a y)^a / Gamma(a + 1) and y^a / (a B(a, a)) for small y.
template <class Number>
struct AtTheBound {
  using samplers = SamplerList<Hmc<>>;
  Scalar<Number> a;
  Size<> in_interval, components;
  void data(DataReader& in) {
    in("a", a, lower(0));
    in("in_interval", in_interval);
    in("components", components);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    if (in_interval.value() == 1) {
      auto x = target.vector("x", components, interval(0, 1));
      target += beta(x, a, a);
    } else {
      auto x = target.vector("x", components, lower(0));
      target += gamma(x, a, a);
    }
  }
};
Model at_the_bound(double a, bool in_interval, std::size_t components = 1) {
  Data data;
  data.set("a", a);
  data.set("in_interval", in_interval ? 1 : 0);
  data.set("components", static_cast<int>(components));
  return model_with_terms<AtTheBound>(data);
}

PrecisionCheck looked_at(const Model& model, std::uint64_t seed) {
  Settings settings;
  fill_in_defaults(model, settings);
  return compare_precisions(model, settings, draws_near_posterior(model, settings, seed));
}

/// A density at a bound, the share of it that is beyond the last number of single precision, and whether single is
/// taken. exp(u) is 0 below the smallest normal number, 2^-126; 1 - x is 0 where exp(-u) is below half a rounding,
/// 2^-25.
struct Bound {
  const char* name;
  double a;
  bool in_interval;
  double lost;
  bool single;
};
double below(double a, double y) { return std::exp(a * std::log(a * y) - std::lgamma(a + 1)); }
double beside_one(double a, double y) {
  return std::exp(a * std::log(y) - std::log(a) + std::lgamma(2 * a) - 2 * std::lgamma(a));
}
class PrecisionReachOf : public testing::TestWithParam<std::tuple<Bound, std::size_t>> {};

// The line is the posterior itself, the error that of a sum of trapezoids, most where the edge lies between two of
// them. Whatever other components there are.
TEST_P(PrecisionReachOf, is_the_same_whatever_the_seed) {
  const auto& [bound, components] = GetParam();
  const Model model = at_the_bound(bound.a, bound.in_interval, components);
  for (std::uint64_t seed = 0; seed < (components == 1 ? 20 : 5); ++seed) {
    const PrecisionCheck check = looked_at(model, seed);
    ASSERT_TRUE(check.looked);
    EXPECT_EQ(check.enough, bound.single) << seed << ": " << precision_fault(check);
    EXPECT_NEAR(check.lost, bound.lost, 0.2 * bound.lost + 1e-3) << seed;
    EXPECT_EQ(check.beyond.substr(0, 2), bound.single ? "" : "x[");
  }
}
INSTANTIATE_TEST_SUITE_P(Bounds, PrecisionReachOf,
                         testing::Combine(testing::Values(Bound{"gamma_0001", 0.001, false, below(0.001, 0x1p-126),
                                                                false},
                                                          Bound{"gamma_001", 0.01, false, below(0.01, 0x1p-126), false},
                                                          Bound{"gamma_01", 0.1, false, below(0.1, 0x1p-126), true},
                                                          Bound{"beta_01", 0.1, true, beside_one(0.1, 0x1p-25), false},
                                                          Bound{"beta_05", 0.5, true, beside_one(0.5, 0x1p-25), true}),
                                          testing::Values<std::size_t>(1, 20)),
                         [](const auto& of) {
                           return std::string(std::get<0>(of.param).name) + "_" + std::to_string(std::get<1>(of.param));
                         });

TEST(PrecisionReach, nothing_is_found_once_the_run_is_cancelled) {
  const Model model = at_the_bound(0.001, false);
  Settings settings;
  fill_in_defaults(model, settings);
  const std::vector<double> points = draws_near_posterior(model, settings, 1);
  EXPECT_GT(reach_of(model, settings, Precision::single_precision, points).lost, 0.5);
  const std::atomic<bool> cancel{true};
  settings.cancel = &cancel;
  EXPECT_EQ(reach_of(model, settings, Precision::single_precision, points).lost, 0);
}

TEST(PrecisionReach, shares_near_one_are_written_out) {
  PrecisionCheck check;
  check.found = check.looked = true;
  check.enough = false;
  check.beyond = "x[1]";
  for (const auto& [lost, words] : {std::pair<double, const char*>{0.5, "50 % of x[1] lies"},
                                    {0.997, "99.7 % of x[1] lies"},
                                    {1, "100 % of x[1] lies"}}) {
    check.lost = lost;
    EXPECT_EQ(precision_fault(check).rfind(words, 0), 0u) << precision_fault(check);
  }
}

Result sampled(const Model& model, std::uint64_t seed, Precision precision = Precision::automatic,
               std::optional<std::size_t> draws = {}) {
  Settings settings;
  settings.backend = Backend::cpu;
  settings.precision = precision;
  settings.chains = 64;
  settings.seed = seed;
  if (draws) settings.sampling.draws = *draws;
  return sample(model, settings);
}

// Means of 1 and of 1/2, less the 0.013 of beta(0.1, 0.1) that lie beyond the last double before 1 and shift it by
// 0.014 of an sd, which a standard error of 1/20 of an sd hides. A z above 5 comes once in a million runs.
TEST(PrecisionReach, answers_of_the_precision_taken_are_right) {
  for (const bool in_interval : {false, true})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Result result = sampled(at_the_bound(in_interval ? 0.1 : 0.01, in_interval), seed);
      EXPECT_EQ(result.settings.precision, Precision::double_precision);
      EXPECT_EQ(result.precision.beyond, "");
      const VariableSummary& x = result.summary[0].statistics;
      EXPECT_LT(std::fabs(x.mean - (in_interval ? 0.5 : 1)), 5 * x.mcse_mean + 0.0064) << result.table();
    }
}

// gamma(0.001, 0.001) has 0.49 of its mass below the smallest double, gamma(0.01, 0.01) 0.4 below the smallest single,
// each component for itself.
TEST(PrecisionReach, what_no_precision_holds_is_not_called_converged) {
  for (const std::size_t components : {1, 12}) {
    const Result in_double = sampled(at_the_bound(0.001, false, components), 1, Precision::automatic, 100);
    EXPECT_EQ(in_double.settings.precision, Precision::double_precision);
    EXPECT_FALSE(in_double.converged);
    EXPECT_NEAR(std::stod(in_double.precision.beyond), 49, 2) << in_double.table();
    EXPECT_NE(in_double.table().find("] lies where double precision has no finite log density, and no draw is there"),
              std::string::npos)
        << in_double.table();
  }
  const Result in_single = sampled(at_the_bound(0.01, false), 1, Precision::single_precision, 100);
  EXPECT_FALSE(in_single.converged);
  EXPECT_NE(in_single.table().find("Take Settings::precision double"), std::string::npos) << in_single.table();
}

/// Lognormals of sigma 500: 0.0778 of their mass above the largest double, and 0.0744 (at exp(-722)) below the smallest
/// that log() and 1 / x hold.
template <class Number>
struct Lognormals {
  using samplers = SamplerList<Metropolis<>>;
  Size<> components;
  void data(DataReader& in) { in("components", components); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", components, lower(0));
    target += lognormal(x, 0, 500);
  }
};

// A line through one of nine such components costs no other one its look; a mean that overflows is doubted.
TEST(PrecisionReach, of_many_components_beyond_the_range) {
  for (const int components : {1, 9}) {
    Data data;
    data.set("components", components);
    Settings settings;
    settings.backend = Backend::cpu;
    settings.sampler = "metropolis";
    settings.precision = Precision::double_precision;
    settings.warmup.transitions = 1000;
    settings.sampling.draws = 100;
    settings.sampling.thin = 60;
    settings.seed = 1;
    const Result result = sample(model_with_terms<Lognormals>(data), settings);
    EXPECT_FALSE(result.converged) << result.table();
    EXPECT_NEAR(std::stod(result.precision.beyond), 15.2, 0.2 * 15.2) << result.table();
    EXPECT_NE(result.verdict().text().find("Tails: the mean"), std::string::npos) << result.table();
  }
}

/// The advice of that verdict, followed: the logarithm of the same variable.
template <class Number>
struct LogOfGamma {
  using samplers = SamplerList<Hmc<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto u = target.real("u");
    target += 0.001 * (u - exp(u));
  }
};
TEST(PrecisionReach, the_logarithm_reaches_as_far_as_the_posterior) {
  const Result result = sampled(model_of<LogOfGamma>(), 1);
  EXPECT_TRUE(result.converged) << result.table();
  EXPECT_EQ(result.precision.beyond, "");
  // E log x = digamma(0.001) - log(0.001).
  const VariableSummary& u = result.summary[0].statistics;
  EXPECT_LT(std::fabs(u.mean - (-1000.5755719318103 + 6.907755278982137)), 5 * u.mcse_mean) << result.table();
}

/// Groups that hardly differ: where tau is small, mu + tau z - mu has no digit of z left, and z is free.
template <class Number>
struct Vanishing {
  using samplers = SamplerList<Hmc<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    constexpr double y[] = {5.1, 4.7, 5.9, 4.2, 6.1, 5.4, 3.8, 5.0, 4.9, 5.6};
    auto mu = target.real("mu");
    auto tau = target.real("tau", lower(0));
    auto theta = target.vector("theta", Size<10>{}, offset_multiplier(mu, tau));
    target += normal(mu, 0, 10);
    target += half_normal(tau, 1);
    target += normal(theta - mu, 0, tau);
    for (int i = 0; i < 10; ++i) target += normal(y[i], theta[i], 1);
  }
};
TEST(PrecisionReach, steps_that_vanish_are_seen) {
  const Model model = model_of<Vanishing>();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PrecisionCheck check = looked_at(model, seed);
    EXPECT_FALSE(check.enough) << seed;
    EXPECT_EQ(check.beyond, "tau") << seed << " " << precision_fault(check);
  }
}

}  // namespace
}  // namespace manychain
