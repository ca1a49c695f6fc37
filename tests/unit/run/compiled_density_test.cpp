// Compiled densities: sampled, refused where they do not fit, and what they throw.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>

#include "manychain/chain/program.hpp"
#include "manychain/manychain.hpp"

namespace manychain {
namespace {

/// Independent normals with standard deviations 1, 2, ..., dimension.
CompiledDensity normals(std::size_t dimension) {
  CompiledDensity density;
  density.dimension = dimension;
  density.value_and_gradient = [dimension](const double* q, double* gradient) {
    double lp = 0;
    for (std::size_t i = 0; i < dimension; ++i) {
      const double precision = 1 / static_cast<double>((i + 1) * (i + 1));
      lp -= 0.5 * q[i] * q[i] * precision;
      gradient[i] = -q[i] * precision;
    }
    return lp;
  };
  return density;
}

Settings small() {
  Settings settings;
  settings.precision = Precision::double_precision;
  settings.chains = 256;
  settings.warmup.transitions = 200;
  settings.sampling.draws = 100;
  settings.seed = 1;
  return settings;
}

TEST(CompiledDensity, HasTheMomentsOfItsTarget) {
  const Result result = sample(Model(normals(3)), small());
  ASSERT_EQ(result.summary.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const VariableSummary& s = result.summary[i].statistics;
    EXPECT_EQ(result.summary[i].name, "q[" + std::to_string(i + 1) + "]");
    EXPECT_LT(std::fabs(s.mean), 6 * s.mcse_mean);
    EXPECT_NEAR(s.sd, static_cast<double>(i + 1), 0.05 * static_cast<double>(i + 1));
  }
}

TEST(CompiledDensity, DrawsDoNotDependOnTheNumberOfThreads) {
  Settings one = small(), three = small();
  one.threads = 1;
  three.threads = 3;
  EXPECT_EQ(sample(Model(normals(2)), one).draws.float64, sample(Model(normals(2)), three).draws.float64);
}

TEST(CompiledDensity, OutputsAreThePositionAndThereAreNoRows) {
  const Model model(normals(2));
  const auto operations = model.bound().operations();
  const std::vector<double> points = {1, 2, 3, 4, 5, 6};
  std::vector<double> outputs(6), values(3), none;
  EXPECT_EQ(operations->outputs(points.data(), 3, {}, outputs.data()), 0u);
  EXPECT_EQ(outputs, (std::vector<double>{1, 3, 5, 2, 4, 6}));
  operations->evaluate(points.data(), 3, values.data(), nullptr);
  EXPECT_EQ(values[1], -0.5 * 9 - 0.5 * 16 / 4);
  operations->rows(outputs.data(), 3, 3, none.data(), 3);
}

TEST(CompiledDensity, RefusesWhatCannotBe) {
  EXPECT_THROW(Model(normals(0)), BadInput);
  CompiledDensity empty;
  empty.dimension = 1;
  EXPECT_THROW(Model{empty}, BadInput);
  CompiledDensity named = normals(2);
  named.parameters = {"only one"};
  EXPECT_THROW(Model{named}, BadInput);
  named.parameters = {"x", "x"};
  EXPECT_THROW(Model{named}, BadInput);
  named.parameters = {"a/b", "a_b"};  // one name in a NetCDF file
  EXPECT_THROW(Model{named}, BadInput);
  Settings single = small();
  single.precision = Precision::single_precision;
  EXPECT_THROW(sample(Model(normals(2)), single), BadInput);
}

/// Throws at every evaluation after the first `calls`: while chains start, in warm-up, while they are sampled.
CompiledDensity throwing_after(int calls) {
  CompiledDensity density = normals(2);
  auto count = std::make_shared<std::atomic<int>>(0);
  density.value_and_gradient = [=, inner = density.value_and_gradient](const double* q, double* gradient) {
    if (count->fetch_add(1) >= calls) throw std::out_of_range("no such table entry");
    return inner(q, gradient);
  };
  return density;
}

class ThrowingDensity : public testing::TestWithParam<int> {};

TEST_P(ThrowingDensity, EndsTheRunAndKeepsTheReason) {
  Settings settings = small();
  settings.threads = 2;
  settings.warmup.transitions = 20;
  settings.sampling.draws = 1000;
  settings.sampling.trajectory = 1.0;
  try {
    sample(Model(throwing_after(GetParam())), settings);
    FAIL() << "the exception was lost";
  } catch (const SamplingFailed& error) {
    EXPECT_STREQ(error.what(), "the compiled density threw: no such table entry");
    EXPECT_THROW(std::rethrow_if_nested(error), std::out_of_range);
  }
}
INSTANTIATE_TEST_SUITE_P(AtAnyTime, ThrowingDensity, testing::Values(0, 300, 2000, 100000));

TEST(CompiledDensity, GradientCheckFindsTheWrongComponent) {
  EXPECT_TRUE(check_gradient(Model(normals(3))).passed);
  CompiledDensity wrong = normals(3);
  wrong.value_and_gradient = [right = wrong.value_and_gradient](const double* q, double* gradient) {
    const double lp = right(q, gradient);
    gradient[1] *= 1.001;
    return lp;
  };
  const GradientCheck check = check_gradient(Model(wrong));
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.worst_parameter, "q[2]");
}

}  // namespace
}  // namespace manychain
