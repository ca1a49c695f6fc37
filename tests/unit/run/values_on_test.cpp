// values_on(): what chains of an engine have where they start.
#include "run/values_on.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "manychain/manychain.hpp"
#include "manychain/run/engine.hpp"
#include "run/defaults.hpp"

namespace manychain {
namespace {

constexpr std::size_t count = 13;  // not a whole number of packs

void expect_same(const std::vector<double>& a, const std::vector<double>& b, const std::string& of) {
  ASSERT_EQ(a.size(), b.size()) << of;
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_TRUE(a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]))) << of;
}

TEST(ValuesOn, HasTheBitsOfAnEngine) {
  const Model model = builtin_model("eight_schools");
  const std::size_t d = model.layout().dimension;
  std::vector<double> points(count * d), by_dimension(count * d);
  for (std::size_t k = 0; k < count * d; ++k) points[k] = std::sin(static_cast<double>(k));
  for (std::size_t i = 0; i < d; ++i) points[4 * d + i] = 1e30;  // without a density
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < d; ++i) by_dimension[i * count + k] = points[k * d + i];
  for (const char* const sampler : {"hmc", "metropolis"})
    for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
      Settings settings;
      settings.sampler = sampler;
      settings.precision = precision;
      settings.backend = Backend::cpu;
      settings.chains = count;
      settings.sampling.draws = 1;
      fill_in_defaults(model, settings);
      const auto engine = make_cpu_engine(model, settings);
      engine->initialise(by_dimension, 0);
      ChainPoints expected = engine->points(count);
      const ValuesOn values = values_on(model, settings, points, count);
      expect_same(values.positions, expected.positions, sampler);
      EXPECT_TRUE(std::isnan(values.log_densities[4]));
      expected.log_densities[4] = NAN;
      expect_same(values.log_densities, expected.log_densities, sampler);
      ASSERT_EQ(values.gradients.empty(), settings.sampler == "metropolis");
      if (!values.gradients.empty()) {
        const std::vector<double> gradients = engine->gradients(count);
        for (std::size_t k = 0; k < 4 * d; ++k) EXPECT_EQ(values.gradients[k], gradients[k]);
        for (std::size_t k = 5 * d; k < count * d; ++k) EXPECT_EQ(values.gradients[k], gradients[k]);
      }
      settings.sampler = "gibbs";
      EXPECT_THROW(values_on(model, settings, points, count), BadInput);
    }
}

}  // namespace
}  // namespace manychain
