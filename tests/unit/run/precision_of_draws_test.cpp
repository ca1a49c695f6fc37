// Samplers that accept without the density: the precision is chosen by their draws.
#include "check/precision_of_draws.hpp"

#include <gtest/gtest.h>

#include "manychain/manychain.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

/// Two normal variates with the mean `centre`, by their full conditionals or by draws.
template <class Number>
struct FarMean {
  static constexpr int dimension = 2;
  using samplers = SamplerList<Gibbs<>, Gibbs<RandomScan>, Direct>;
  Scalar<Number> centre;
  void data(DataReader& in) { in("centre", centre); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto y = target.real("y");
    target += normal(x, centre, 1);
    target += normal(y, centre, 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(0, [this](const auto&) { return normal_distribution(centre, 1); });
    visitor.component(1, [this](const auto&) { return normal_distribution(centre, 1); });
  }
  template <class Visitor>
  MANYCHAIN_HD void draw(Visitor& visitor) const {
    conditionals(visitor);
  }
};

/// The sum of a small and a large number: its sd is lost in single precision within the conditional, not in its draws.
template <class Number>
struct LostInADifference {
  static constexpr int dimension = 1;
  using samplers = SamplerList<Gibbs<>>;
  Scalar<Number> large;
  void data(DataReader& in) { in("large", large); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += normal(x, 3, 1);
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(0, [this](const auto&) { return normal_distribution(large + 3 - large, 1); });
  }
};

Model far_mean(double centre) {
  Data data;
  data.set("centre", centre);
  return model_of<FarMean>(data);
}

Settings settings(const std::string& sampler) {
  Settings s;
  s.backend = Backend::cpu;
  s.sampler = sampler;
  s.chains = 64;
  s.warmup.transitions = 50;
  s.sampling.draws = 40;
  return s;
}

TEST(PrecisionOfDraws, takes_double_where_draws_lose_their_digits) {
  for (const char* const sampler : {"gibbs", "random_scan_gibbs", "direct"}) {
    const Result far = sample(far_mean(1e7), settings(sampler));
    EXPECT_EQ(far.settings.precision, Precision::double_precision) << sampler;
    EXPECT_TRUE(far.precision.chosen && far.precision.check.looked);
    EXPECT_NE(far.verdict().text().find("single precision rounds draws of x (mean 1e+07, sd "), std::string::npos)
        << far.verdict().text();
    const Result near = sample(far_mean(10), settings(sampler));
    EXPECT_EQ(near.settings.precision, Precision::single_precision) << sampler;
    EXPECT_TRUE(near.precision.check.looked && near.precision.check.enough);
  }
}

TEST(PrecisionOfDraws, takes_double_where_single_draws_elsewhere) {
  Data data;
  data.set("large", 1e9);
  const Result result = sample(model_of<LostInADifference>(data), settings("gibbs"));
  EXPECT_EQ(result.settings.precision, Precision::double_precision);
  EXPECT_NE(result.precision.check.failure.find("draws x (mean "), std::string::npos) << result.precision.check.failure;
  EXPECT_NEAR(result.summary[0].statistics.mean, 3, 0.1);
}

// A precision that is asked for is not looked at, and the chosen run is the one that is asked for.
TEST(PrecisionOfDraws, changes_no_draw) {
  Settings s = settings("gibbs");
  const Result chosen = sample(far_mean(10), s);
  s.precision = Precision::single_precision;
  const Result asked = sample(far_mean(10), s);
  EXPECT_FALSE(asked.precision.check.looked);
  EXPECT_EQ(chosen.draws.float32, asked.draws.float32);
}

}  // namespace
}  // namespace manychain
