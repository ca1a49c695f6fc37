// Single precision is held against double where the posterior is, the check names what to scale, and auto takes double
// where single does not do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "check/posterior_precision.hpp"
#include "check/unscaled_data.hpp"
#include "manychain/manychain.hpp"
#include "run/defaults.hpp"
#include "unit/run/model_of.hpp"
#include "unit/run/regressions.hpp"

namespace manychain {
namespace {

using test::FlatRegression;

/// y = 3 + x / 20 and residuals of sd `sigma`, on 71 values of x around `mean`, 10.2 their sd.
Model regression(double mean, double sigma, int standardise = 0) {
  constexpr std::size_t n = 71;
  std::vector<double> x, y;
  for (std::size_t i = 0; i < n; ++i) {
    const double from_mean = (static_cast<double>(i) - 35) / 2;
    x.push_back(mean + from_mean);
    y.push_back(3 + from_mean / 20 + sigma * std::sqrt(2.0) * std::sin(static_cast<double>(i * i)));
  }
  Data data;
  data.set("N", n);
  data.set("standardise", standardise);
  data.set("x", x);
  data.set("y", y);
  return model_of<FlatRegression>(data);
}

PrecisionCheck looked_at(const Model& model, std::uint64_t seed = 1) {
  Settings settings;
  fill_in_defaults(model, settings);
  return compare_precisions(model, settings, draws_near_posterior(model, settings, seed));
}

Settings settings() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 64;
  s.warmup.transitions = 150;
  s.sampling.draws = 40;
  s.seed = 1;
  return s;
}

// Measured with 256 chains of 300 + 100 transitions: single precision meets double at means up to 2000 sds, and does
// not always converge from 3000 on, where double does.
TEST(PosteriorPrecision, is_enough_on_years_and_heights) {
  for (const double mean : {0.0, 67.0, 1985.0})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const PrecisionCheck check = looked_at(regression(mean, 1), seed);
      EXPECT_TRUE(check.looked);
      EXPECT_TRUE(check.enough) << mean << ": " << precision_fault(check);
      EXPECT_LT(check.decisions_changed, 1e-3);
      EXPECT_TRUE(check.unscaled.empty());  // nobody is told to scale what does no harm
    }
}

TEST(PosteriorPrecision, is_not_enough_far_from_zero) {
  for (const double mean : {4e4, 6e4})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const PrecisionCheck check = looked_at(regression(mean, 1), seed);
      ASSERT_TRUE(check.looked);
      EXPECT_FALSE(check.enough) << mean;
      EXPECT_EQ(check.parameters, (std::vector<std::string>{"alpha", "beta"}));
      EXPECT_LT(check.correlation, -0.999999);
      ASSERT_EQ(check.unscaled.size(), 1u);
      EXPECT_EQ(check.unscaled[0].rfind("x (mean " + fmt::format("{:.6g}", mean) + ", sd 10.3)", 0), 0u)
          << check.unscaled[0];
      EXPECT_NE(precision_fault(check).find("alpha and beta are nearly collinear"), std::string::npos);
    }
}

// Small residuals: differences of y, which are exact, from a line that is not.
TEST(PosteriorPrecision, is_not_enough_for_small_residuals) {
  const PrecisionCheck check = looked_at(regression(1e4, 0.001));
  ASSERT_TRUE(check.looked);
  EXPECT_FALSE(check.enough);
  EXPECT_GT(check.positions_changed, 0.05);
}

TEST(PosteriorPrecision, does_not_blame_data_that_the_model_standardises) {
  const Model raw = regression(1e5, 1), standardised = regression(1e5, 1, 1);
  EXPECT_TRUE(looked_at(standardised).enough);
  const std::vector<double> points = {0.1, 0.2, 0.3, -0.5, 0.7, 0.1};
  const std::vector<UnscaledData> found = unscaled_data(raw, points);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "x");
  EXPECT_NEAR(found[0].mean, 1e5, 1e-6);
  EXPECT_NEAR(found[0].sd, 10.32, 0.01);
  EXPECT_TRUE(unscaled_data(standardised, points).empty());
}

TEST(PosteriorPrecision, auto_takes_double_where_single_does_not_do) {
  Settings s = settings();
  const Model far = regression(5e4, 1);
  const Result chosen = sample(far, s);
  EXPECT_TRUE(chosen.precision.chosen);
  EXPECT_EQ(chosen.settings.precision, Precision::double_precision);
  EXPECT_FALSE(chosen.precision.check.enough);
  EXPECT_NE(chosen.table().find("Precision: double was taken: at the posterior rounding changes"), std::string::npos)
      << chosen.table();
  EXPECT_NE(chosen.table().find("centre and scale x (mean 50000, sd 10.3)"), std::string::npos) << chosen.table();
  const auto json = nlohmann::json::parse(to_json(chosen));
  EXPECT_EQ(json["precision"], "double");
  EXPECT_EQ(json["precision_chosen"], true);
  EXPECT_EQ(json["precision_check"]["enough"], false);
  EXPECT_EQ(json["precision_check"]["parameters"][0], "alpha");

  // It is the run that --precision double gives, bit by bit.
  s.precision = Precision::double_precision;
  const Result asked = sample(far, s);
  EXPECT_FALSE(asked.precision.chosen);
  EXPECT_FALSE(asked.precision.check.looked);
  EXPECT_EQ(chosen.draws.float64, asked.draws.float64);
}

template <class Number>
struct TwoNumbers {
  void data(DataReader&) {}
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto h = target.real("h");
    auto x = target.real("x");
    target += normal(h, 0, 1) + normal(x, 0, 1);
  }
};
/// TwoNumbers, of which the search for scales says that x depends on h, and whether its density cancels.
template <bool Cancels>
Model two_numbers() {
  static const ModelUnit unit{"two_numbers", "", [] { return ""; },
                              [](const Data& data) -> std::shared_ptr<const Model::Bound> {
                                using Single = VariantList<TwoNumbers<float>>;
                                using Double = VariantList<TwoNumbers<double>>;
                                const auto scales = [](const Data&) {
                                  DependentScale x{1, {0}};
                                  x.cancels = Cancels;
                                  return std::vector<DependentScale>{x};
                                };
                                return bind_generated("two_numbers", data, {{cpu_unit<Single, Double, false>()}, {}},
                                                      model_functions<Single, Double>(scales, nullptr));
                              }};
  return Model(unit, Data());
}
// Paths lead to no neck: the statements of the model say what single precision does there.
TEST(PosteriorPrecision, is_not_enough_where_a_density_cancels_in_a_neck) {
  EXPECT_TRUE(looked_at(two_numbers<false>()).enough);
  const PrecisionCheck check = looked_at(two_numbers<true>());
  EXPECT_TRUE(check.looked);
  EXPECT_FALSE(check.enough);
  EXPECT_EQ(precision_fault(check), "the density of x is a difference of large terms where h makes its scale small");
  EXPECT_EQ(sample(two_numbers<true>(), settings()).settings.precision, Precision::double_precision);
  EXPECT_EQ(sample(two_numbers<false>(), settings()).settings.precision, Precision::single_precision);
}
TEST(PosteriorPrecision, auto_takes_single_where_it_does) {
  Settings s = settings();
  const Model near = regression(67, 1);
  const Result chosen = sample(near, s);
  EXPECT_TRUE(chosen.precision.chosen);
  EXPECT_EQ(chosen.settings.precision, Precision::single_precision);
  s.precision = Precision::single_precision;
  const Result asked = sample(near, s);
  EXPECT_FALSE(asked.precision.chosen);
  EXPECT_EQ(chosen.draws.float32, asked.draws.float32);
}

// So far from zero that no path finds the posterior: nothing speaks for single precision.
TEST(PosteriorPrecision, auto_takes_double_where_no_path_finds_the_posterior) {
  const Result result = sample(regression(5e14, 1), settings());
  EXPECT_FALSE(result.precision.check.looked);
  EXPECT_FALSE(result.precision.check.found);
  EXPECT_EQ(result.settings.precision, Precision::double_precision);
  const std::string table = result.table();
  EXPECT_NE(
      table.find("no path found the posterior, where single could be looked at: the model may be improper, or the "
                 "data unscaled (not centred: x (mean 5e+14, sd 10.3)); manychain check looks at the model."),
      std::string::npos)
      << table;
  EXPECT_EQ(table.find("centre and scale"), std::string::npos) << table;
}

// Neither the number of chains nor of threads decides.
TEST(PosteriorPrecision, is_a_function_of_model_data_settings_and_seed) {
  const Model far = regression(5e4, 1);
  Settings s;
  const SamplerInfo sampler = fill_in_defaults(far, s);
  const PrecisionCheck first = compare_precisions(far, s, sampler);
  s.chains = 1000;
  s.threads = 1;
  s.first_chain = 500;
  const PrecisionCheck second = compare_precisions(far, s, sampler);
  EXPECT_EQ(first.decisions_changed, second.decisions_changed);
  EXPECT_EQ(first.positions_changed, second.positions_changed);
  EXPECT_EQ(first.smallest_eigenvalue, second.smallest_eigenvalue);
}

TEST(PosteriorPrecision, single_that_was_asked_for_is_warned_of) {
  Settings s = settings();
  s.precision = Precision::single_precision;
  const Result result = sample(regression(5e4, 1), s);
  EXPECT_EQ(result.settings.precision, Precision::single_precision);
  const std::string table = result.table();
  EXPECT_NE(table.find("warning: Single precision"), std::string::npos) << table;
  EXPECT_NE(table.find("centre and scale x (mean 50000"), std::string::npos) << table;
}

// Metropolis accepts by the density; its chains carry no gradient.
TEST(PosteriorPrecision, is_looked_at_for_every_sampler_of_a_density) {
  Settings s;
  s.sampler = "metropolis";
  const Model far = regression(5e4, 1);
  const SamplerInfo sampler = fill_in_defaults(far, s);
  const PrecisionCheck check = compare_precisions(far, s, sampler);
  EXPECT_TRUE(check.looked);
  EXPECT_FALSE(check.enough);
  EXPECT_TRUE(std::isnan(check.gradient_error));
}

// Gradients that lose digits by rounding are no mistake of the program in single precision.
TEST(PosteriorPrecision, rounding_is_no_wrong_gradient) {
  for (const double mean : {0.0, 2e3, 5e4, 1e6})
    for (const double sigma : {1.0, 0.001}) {
      const ModelCheck check = check_model(regression(mean, sigma));
      EXPECT_TRUE(check.single.gradient_passed) << check.table();
    }
}

/// Its data do not fit into single precision.
template <class Number>
struct Huge {
  using samplers = SamplerList<Hmc<>>;
  static constexpr int dimension = 1;
  Size<> N;
  View<const Number> y;
  void data(DataReader& in) {
    in("N", N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += -0.5 * square(x - 1e-60 * y[0]);
  }
};
TEST(PosteriorPrecision, data_that_do_not_fit_take_double) {
  Data data;
  data.set("N", 1);
  data.set("y", std::vector<double>{1e60});
  const Result result = sample(model_of<Huge>(data), settings());
  EXPECT_EQ(result.settings.precision, Precision::double_precision);
  EXPECT_NE(result.precision.check.failure.find("1e+60"), std::string::npos) << result.precision.check.failure;
}

TEST(PosteriorPrecision, built_in_models_are_sampled_in_single) {
  for (const ModelInfo& info : builtin_models()) {
    const PrecisionCheck check = looked_at(builtin_model(info.name));
    EXPECT_TRUE(check.looked && check.enough) << info.name << ": " << precision_fault(check);
  }
}

}  // namespace
}  // namespace manychain
