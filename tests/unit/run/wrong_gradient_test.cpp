// Runs whose gradient is not that of the density say so and end; right gradients are never accused, however the density
// rounds.
#include "check/wrong_gradient.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "manychain/manychain.hpp"
#include "unit/run/advice.hpp"

namespace manychain::test {
namespace {

/// Two normals of sds 1 and 0.01, with a factor of the second derivative.
DensityEvaluator two_scales(double factor, double rounded_to = 0) {
  return [=](const double* points, std::size_t count, double* values, double* gradients) {
    for (std::size_t k = 0; k < count; ++k) {
      const double x = points[2 * k], y = 100 * points[2 * k + 1];
      values[k] = -0.5 * (x * x + y * y);
      if (rounded_to > 0) values[k] = rounded_to * std::round(values[k] / rounded_to);
      if (gradients) gradients[2 * k] = -x, gradients[2 * k + 1] = -100 * y * factor;
    }
  };
}
const std::vector<double> places = {0.3, 0.004, -1.2, 0.01, 0.7, -0.02}, scales = {1, 0.01};

TEST(WrongGradient, is_seen_by_a_line_or_two) {
  EXPECT_EQ(wrong_gradient(two_scales(1), places, scales), "");
  for (const double factor : {-1.0, 0.0, 3.0, 100.0, std::nan("")})
    EXPECT_NE(wrong_gradient(two_scales(factor), places, scales), "") << factor;
  EXPECT_NE(wrong_gradient(two_scales(std::nan("")), places, scales).find("nan by the gradient and "),
            std::string::npos);
}

// Densities in single precision, and in steps.
TEST(WrongGradient, is_not_told_from_rounded_densities) {
  for (const double rounded_to : {1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 0.1})
    EXPECT_EQ(wrong_gradient(two_scales(1, rounded_to), places, scales), "") << rounded_to;
}

TEST(WrongGradient, is_not_told_where_densities_end) {
  const auto nowhere = [](const double*, std::size_t count, double* values, double* gradients) {
    for (std::size_t k = 0; k < count; ++k) values[k] = -HUGE_VAL;
    if (gradients) std::fill(gradients, gradients + 2 * count, std::nan(""));
  };
  EXPECT_EQ(wrong_gradient(nowhere, places, scales), "");
  EXPECT_EQ(wrong_gradient(two_scales(0.0), {}, scales), "");
}

/// Three normals; the gradient of the last has a factor.
Model by_hand(const double& factor) {
  CallbackDensity density;
  density.user = const_cast<double*>(&factor);
  density.dimension = 3;
  density.function = [](std::size_t, const double* q, double* gradient, double* log_density, void* user) {
    *log_density = -0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    for (int i = 0; i < 3; ++i) gradient[i] = -q[i];
    gradient[2] *= *static_cast<const double*>(user);
    return 0;
  };
  return Model(density);
}

// The advice is followed: with the right factor the finding is gone.
TEST(WrongGradient, is_said_of_runs_before_all_else_until_it_is_corrected) {
  static const double wrong = -0.5, right = 1;
  for (const std::uint64_t seed : {1, 2, 3}) {
    Settings s;
    s.seed = seed;
    expect_that_advice_cures({"Gradient: it is not that of the density: a derivative is ",
                              "Correct it: ", by_hand(wrong), s, not_converged, [] { return by_hand(right); }});
    const Result result = sample(by_hand(wrong), s);
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.verdict().findings.front().what.rfind("Gradient: ", 0), 0u) << result.verdict().text();
    EXPECT_TRUE(sample(by_hand(right), s).verdict().sound()) << seed;
  }
}

TEST(WrongGradient, ends_runs_that_miss_their_target) {
  static const double wrong = -0.5;
  Settings s;
  s.seed = 1;
  s.sampling.target_ess = 1e6;
  s.sampling.draws = 640;
  EXPECT_EQ(sample(by_hand(wrong), s).kept, 20u);
}

TEST(WrongGradient, is_said_of_no_built_in_model) {
  for (const ModelInfo& info : builtin_models())
    for (const std::uint64_t seed : {1, 2, 3}) {
      Settings s;
      s.seed = seed;
      s.sampling.draws = 20;
      s.warmup.transitions = 100;
      EXPECT_EQ(sample(builtin_model(info.name), s).posterior.wrong_gradient, "") << info.name << " " << seed;
    }
}

}  // namespace
}  // namespace manychain::test
