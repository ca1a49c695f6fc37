// Functions of the type that nutpie and walnutpie call: of this program and of a library.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>

#include "manychain/manychain.h"
#include "manychain/manychain.hpp"

namespace manychain {
namespace {

const std::string library = std::string(MANYCHAIN_FOREIGN) + "/densities.so";

struct Bound {
  double above;
  std::atomic<int> calls{0};
};

/// A standard normal in the first component, sd 2 in the second. Above the bound of the first it leaves rubbish.
int truncated(std::size_t n, const double* x, double* gradient, double* logp, void* user) {
  Bound& bound = *static_cast<Bound*>(user);
  ++bound.calls;
  EXPECT_EQ(n, 2u);
  EXPECT_TRUE(std::isfinite(x[0]) && std::isfinite(x[1]));
  gradient[0] = -x[0];
  gradient[1] = -0.25 * x[1];
  *logp = -0.5 * x[0] * x[0] - 0.125 * x[1] * x[1];
  if (x[0] <= bound.above) return 0;
  *logp = 1e9;
  gradient[0] = 1e9;
  return 5;
}
int throws(std::size_t, const double*, double*, double*, void*) { throw std::out_of_range("from behind C"); }
int never(std::size_t, const double*, double*, double*, void*) { return 1; }

CallbackDensity density(Bound& bound) {
  CallbackDensity density;
  density.dimension = 2;
  density.function = truncated;
  density.user = &bound;
  density.parameters = {"x", "y"};
  return density;
}

Settings small() {
  Settings settings;
  settings.chains = 1024;
  settings.warmup.transitions = 200;
  settings.sampling.draws = 100;
  settings.seed = 4;
  return settings;
}

// |z| < 5 for two means: false alarms below 1e-6. That of x without the rejections is off by 0.29, with the rubbish
// read as a density by 1 and more; a standard error is below 0.02.
TEST(Callback, RejectsWhereItReturnsAnError) {
  Bound bound{1};
  const Result result = sample(Model(density(bound)), small());
  const double below = 0.5 * std::erfc(-1 / std::sqrt(2.0)), at = std::exp(-0.5) / std::sqrt(2 * M_PI);
  const VariableSummary &x = result.summary[0].statistics, &y = result.summary[1].statistics;
  EXPECT_LT(std::fabs(x.mean + at / below), 5 * x.mcse_mean);
  EXPECT_LT(std::fabs(y.mean), 5 * y.mcse_mean);
  EXPECT_LT(x.mcse_mean, 0.02);
  EXPECT_NEAR(y.sd, 2, 0.1);
  EXPECT_EQ(result.summary[1].name, "y");
  EXPECT_EQ(result.sampling.rejected.message, "it returned 5");
  EXPECT_EQ(result.sampling.rejected.evaluations, result.sampling.divergences);
  EXPECT_GT(result.sampling.rejected.evaluations, 0u);
  EXPECT_GT(result.warmup.rejected.evaluations, 0u);
}

TEST(Callback, CountsNothingWhereItRejectsNothing) {
  Bound bound{1e300};
  const Model model(density(bound));
  const Result result = sample(model, small());
  EXPECT_EQ(result.sampling.rejected.evaluations + result.warmup.rejected.evaluations, 0u);
  EXPECT_TRUE(result.converged) << result.table();
  EXPECT_GT(bound.calls, 0);
}

TEST(Callback, IsRefusedWhereItDoesNotFit) {
  Bound bound{1};
  CallbackDensity none = density(bound);
  none.function = nullptr;
  EXPECT_THROW(Model{none}, BadInput);
  none = density(bound);
  none.dimension = 0;
  EXPECT_THROW(Model{none}, BadInput);
  none = density(bound);
  none.parameters = {"x"};
  EXPECT_THROW(Model{none}, BadInput);
  none = density(bound);
  none.function = never;
  EXPECT_THROW(sample(Model(none), small()), SamplingFailed);
  none.function = throws;
  EXPECT_THROW(sample(Model(none), small()), SamplingFailed);
}

TEST(Callback, ComesFromALibrary) {
  const char mean[] = "7";
  CallbackDensity normals = load_callback(library, "normals", 3, const_cast<char*>(mean));
  EXPECT_EQ(normals.name, "normals");
  const Result result = sample(Model(normals), small());
  for (const SummaryRow& one : result.summary)
    EXPECT_LT(std::fabs(one.statistics.mean - 7), 5 * one.statistics.mcse_mean) << one.name;
  EXPECT_THROW(load_callback(library, "normal", 3), BadInput);
  EXPECT_THROW(load_callback("none.so", "normals", 3), BadInput);
}

TEST(Callback, IsSampledFromC) {
  Bound bound{1};
  const char* names[] = {"x", "y"};
  manychain_settings settings = manychain_settings_default();
  settings.chains = 64;
  settings.warmup = 100;
  settings.draws = 50;
  manychain_result* result = nullptr;
  ASSERT_EQ(manychain_sample_logp(2, names, truncated, &bound, &settings, &result), MANYCHAIN_OK)
      << manychain_last_error();
  EXPECT_EQ(manychain_outputs(result), 2u);
  EXPECT_GT(manychain_get_counts(result).rejected, 0u);
  manychain_free(result);
  EXPECT_EQ(manychain_sample_logp(2, names, nullptr, nullptr, &settings, &result), MANYCHAIN_BAD_INPUT);
  EXPECT_STREQ(manychain_last_error(), "logp: give a function, not NULL");
  EXPECT_EQ(manychain_sample_logp(2, nullptr, never, nullptr, &settings, &result), MANYCHAIN_SAMPLING_FAILED);
}

}  // namespace
}  // namespace manychain
