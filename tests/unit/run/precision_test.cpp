// A run in single precision says when that is not enough, and only then.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "check/precision_check.hpp"
#include "manychain/manychain.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

TEST(PrecisionCheck, counts_the_decisions_that_change) {
  EXPECT_EQ(decisions_changed({3, 3, 3}), 0);  // what is the same everywhere changes nothing
  EXPECT_NEAR(decisions_changed({1, 1 - std::log(2.0)}), 0.5, 1e-15);
  // Pairs 0, log 2, log 2 apart.
  EXPECT_NEAR(decisions_changed({0, 0, std::log(2.0)}), (0 + 0.5 + 0.5) / 3, 1e-15);
  EXPECT_NEAR(decisions_changed({0, 1e-9}), 1e-9, 1e-17);  // no cancellation
  EXPECT_EQ(decisions_changed({0, infinity}), 1);
  EXPECT_EQ(decisions_changed({infinity, infinity}), 0);
  EXPECT_NEAR(decisions_changed({0, nan, std::log(2.0)}), 0.5, 1e-15);
  EXPECT_TRUE(std::isnan(decisions_changed({})));
  EXPECT_TRUE(std::isnan(decisions_changed({1, nan})));
}

// One chain of 256 that is far off cannot raise the alarm alone: it is in 255 of 32640 pairs.
TEST(PrecisionCheck, one_chain_alone_raises_no_alarm) {
  std::vector<double> errors(256, 0.0);
  errors[17] = 1e10;
  EXPECT_LT(decisions_changed(errors), precision_error_limit);
}

Settings settings() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 256;
  s.warmup.transitions = 100;
  s.sampling.draws = 10;
  s.seed = 1;
  s.precision = Precision::single_precision;
  return s;
}

// exp(-x^2 / 2), far from where its terms are small. 5e7 is rounded to multiples of 4, so that two errors differ by a
// triangular distribution on (-4, 4), and 1 - exp(-|d|) is 0.62 on average.
template <class Number>
struct Cancelling {
  static constexpr int dimension = 1;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += 1e4 * x - 0.5 * square(x + 1e4);
  }
};

TEST(PrecisionCheck, tells_to_take_double_where_terms_cancel) {
  Settings s = settings();
  for (const char* sampler : {"hmc", "metropolis"}) {
    s.sampler = sampler;
    s.precision = Precision::single_precision;
    const Result single = sample(model_of<Cancelling>(), s);
    EXPECT_GT(single.precision.error, 0.3);
    EXPECT_LE(single.precision.error, 1);
    EXPECT_NE(single.table().find("take Settings::precision double"), std::string::npos) << single.table();
    s.precision = Precision::automatic;
    EXPECT_EQ(sample(model_of<Cancelling>(), s).settings.precision, Precision::double_precision);
    s.precision = Precision::double_precision;
    const Result in_double = sample(model_of<Cancelling>(), s);
    EXPECT_TRUE(std::isnan(in_double.precision.error));
    EXPECT_EQ(in_double.table().find("double precision"), std::string::npos) << in_double.table();
  }
}

TEST(PrecisionCheck, built_in_models_pass) {
  for (const ModelInfo& info : builtin_models()) {
    const Result result = sample(builtin_model(info.name), settings());
    EXPECT_EQ(std::isnan(result.precision.error), !result.converged) << info.name;
    EXPECT_EQ(result.precision.unknown, !result.converged) << info.name;
    EXPECT_EQ(result.table().find("Settings::precision double"), std::string::npos) << info.name;
  }
}

// A regression on an income in cents, some four million: in one direction the posterior is a million times narrower
// than where chains start. In single precision they stand still far off, where sigma is too large for rounding to
// matter.
TEST(PrecisionCheck, does_not_pass_a_run_that_stands_far_off) {
  constexpr std::size_t n = 60;
  std::vector<double> x, y;
  for (std::size_t i = 0; i < n; ++i) {
    const double income = 20000 + 700 * static_cast<double>(i);
    x.insert(x.end(), {1.0, 100 * income});
    y.push_back(2 + 1e-4 * income + std::sqrt(2.0) * std::sin(static_cast<double>(i * i)));  // residuals of sd 1
  }
  Data data;
  data.set("N", n);
  data.set("D", 2);
  data.set("X", x, {n, 2});
  data.set("y", y);
  Settings s = settings();
  s.chains = 64;
  s.sampling.draws = 100;
  s.precision = Precision::single_precision;
  for (s.seed = 1; s.seed <= 3; ++s.seed) {
    // Paths find it, and chains that start at their ends.
    s.warmup.starts = Starts::automatic;
    EXPECT_TRUE(sample(builtin_model("linear_regression", data), s).converged);
    s.warmup.starts = Starts::uniform;
    const Result result = sample(builtin_model("linear_regression", data), s);
    ASSERT_FALSE(result.converged);
    const double posterior_sd = 1 / std::sqrt(2.0 * n);  // of sigma, which is about 1
    ASSERT_GT(result.summary[2].statistics.mean, 1 + 60 * posterior_sd) << result.table();
    // An alarm where they stand is one; no alarm says nothing.
    EXPECT_FALSE(result.precision.error <= precision_error_limit) << result.precision.error;
    EXPECT_EQ(result.precision.unknown, std::isnan(result.precision.error));
    const std::string table = result.table();
    EXPECT_EQ(table.find("whether it suffices cannot be told") != std::string::npos, result.precision.unknown) << table;
    EXPECT_NE(table.find("Settings::precision double"), std::string::npos) << table;
  }
}

// Densities and gradients at several points at once are those at each, whatever the number of lanes.
TEST(PrecisionCheck, densities_at_many_points) {
  for (const char* name : {"eight_schools", "logistic_regression"}) {
    const Model model = builtin_model(name);
    const std::size_t d = model.layout().dimension;
    for (const std::size_t count : {1, 7, 8, 19}) {
      std::vector<double> points, values(count), gradients(count * d), gradient(d);
      for (std::size_t i = 0; i < count * d; ++i) points.push_back(std::sin(static_cast<double>(i)));
      model.bound().evaluator()(points.data(), count, values.data(), gradients.data());
      for (std::size_t p = 0; p < count; ++p) {
        EXPECT_EQ(values[p], model.bound().density(points.data() + p * d, gradient.data()));
        for (std::size_t i = 0; i < d; ++i) EXPECT_EQ(gradients[p * d + i], gradient[i]);
      }
      EXPECT_EQ(model.bound().densities(points, count), values);
    }
  }
}

/// Draws of its own beside a density.
template <class Number>
struct OfItsOwn {
  static constexpr int dimension = 1;
  using samplers = SamplerList<Gibbs<>, Metropolis<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    Cancelling<Number>().log_density(target);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return normal_distribution(0, 1); });
  }
};

TEST(PrecisionCheck, is_made_after_a_warm_up) {
  Settings s = settings();
  s.warmup.transitions = 0;
  EXPECT_TRUE(std::isnan(sample(model_of<Cancelling>(), s).precision.error));
}

TEST(PrecisionCheck, is_for_those_who_accept_by_the_density) {
  Settings s = settings();
  s.sampler = "gibbs";
  EXPECT_TRUE(std::isnan(sample(model_of<OfItsOwn>(), s).precision.error));
  s.sampler = "metropolis";
  EXPECT_GT(sample(model_of<OfItsOwn>(), s).precision.error, 0.3);
}

}  // namespace
}  // namespace manychain
