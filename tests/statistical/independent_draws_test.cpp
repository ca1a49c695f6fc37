// Samplers without a chain: draws of rejection sampling follow the target from any start, importance weights have the
// mean Z, the model's own draws do what the model says. False alarms: z_test.hpp; Kolmogorov's distance 3.33, 4.7e-10.
#include <gtest/gtest.h>

#include "statistical/sampler_targets.hpp"
#include "statistical/wrong_samplers.hpp"
#include "unit/random/distribution_functions.hpp"

namespace {

using namespace statistical;
using namespace manychain;

constexpr double farthest = 3.33;

struct Drawn {
  std::vector<std::vector<double>> x;  // [output][chain], after two transitions
  std::vector<double> log_density, acceptance;
};

/// The second draw of chains that all start at 1.
Drawn drawn(const ExactTarget& target, const char* sampler, Precision precision) {
  Settings settings;
  settings.sampler = sampler;
  settings.precision = precision;
  settings.chains = chains / 4;
  settings.sampling.draws = 1;
  settings.seed = 20261121;
  const Layout& layout = target.model.layout();
  const std::unique_ptr<Engine> engine = make_cpu_engine(target.model, settings);
  engine->initialise(std::vector<double>(layout.dimension * settings.chains, 1.0), 0);
  engine->advance(Block{.count = 2, .keep = true, .thin = 2}, 0);
  const Draws draws = engine->draws(0, 1), stats = engine->sample_stats(0, 1);
  Drawn result;
  result.x.resize(layout.outputs);
  for (std::size_t c = 0; c < settings.chains; ++c) {
    for (std::size_t o = 0; o < layout.outputs; ++o) result.x[o].push_back(draws(0, o, c));
    result.log_density.push_back(stats(0, 0, c));
    result.acceptance.push_back(stats(0, 1, c));
  }
  for (double count : engine->statistics().divergences) EXPECT_EQ(count, 0);
  return result;
}

template <class F>
Moments moments_of(std::size_t n, F f) {
  Moments m;
  for (std::size_t i = 0; i < n; ++i) m.add(f(i));
  return m;
}

constexpr Precision both[] = {Precision::single_precision, Precision::double_precision};

/// The mean acceptance probability is Z / M.
void expect_rate(const Drawn& d, double expected) {
  const Moments rate = moments_of(d.acceptance.size(), [&](std::size_t i) { return d.acceptance[i]; });
  EXPECT_LT(std::fabs(z_of_mean(rate, expected)), threshold);
}

TEST(Rejection, gamma) {
  for (const Precision precision : both) {
    const Drawn d = drawn(gamma_target<GammaIndependent, Rejection>(), "rejection", precision);
    EXPECT_LT(test::kolmogorov_smirnov(d.x[0], [](double x) { return test::gamma_cdf(3, x); }), farthest);
    expect_rate(d, 0.72 / 2.5 * std::exp(1.0));
  }
}
TEST(Rejection, bivariate_normal) {
  for (const Precision precision : both) {
    const Drawn d = drawn(bivariate_target<BivariateNormalIndependent, Rejection>(), "rejection", precision);
    std::vector<double> rest;
    for (std::size_t c = 0; c < d.x[0].size(); ++c) rest.push_back((d.x[1][c] - 0.6 * d.x[0][c]) / 0.8);
    EXPECT_LT(test::kolmogorov_smirnov(d.x[0], test::normal_cdf), farthest);
    EXPECT_LT(test::kolmogorov_smirnov(rest, test::normal_cdf), farthest);
    const Moments product = moments_of(rest.size(), [&](std::size_t c) { return d.x[0][c] * rest[c]; });
    EXPECT_LT(std::fabs(z_of_mean(product, 0)), threshold);
    expect_rate(d, 1 / 2.5);
  }
}
TEST(Rejection, finite_space) {
  const std::vector<double> weights = seven_weights();
  double total = 0;
  for (double w : weights) total += w;
  for (const Precision precision : both) {
    const Drawn d = drawn(seven_target<SevenIndependent, Rejection>(), "rejection", precision);
    for (int k = 0; k < 7; ++k) {
      const Moments here = moments_of(d.x[0].size(), [&](std::size_t c) { return d.x[0][c] == k; });
      EXPECT_LT(std::fabs(z_of_mean(here, weights[static_cast<std::size_t>(k)] / total)), threshold) << k;
    }
    expect_rate(d, total / (7 * weights[2]));
  }
}

/// The mean of the weights is Z, that of the weights times f is Z E f.
template <class F>
void expect_weights(const Drawn& d, double z, F f, double mean) {
  const auto weight = [&](std::size_t c) { return std::exp(d.log_density[c]); };
  EXPECT_LT(std::fabs(z_of_mean(moments_of(d.x[0].size(), weight), z)), threshold);
  const Moments weighted = moments_of(d.x[0].size(), [&](std::size_t c) { return weight(c) * f(c); });
  EXPECT_LT(std::fabs(z_of_mean(weighted, z * mean)), threshold);
}

TEST(Importance, weights_have_the_mean_z) {
  const std::vector<double> weights = seven_weights();
  double total = 0, mean = 0;
  for (int k = 0; k < 7; ++k) {
    total += weights[static_cast<std::size_t>(k)];
    mean += k * weights[static_cast<std::size_t>(k)];
  }
  for (const Precision precision : both) {
    const Drawn gamma = drawn(gamma_target<GammaIndependent, Importance>(), "importance", precision);
    expect_weights(
        gamma, 1, [&](std::size_t c) { return gamma.x[0][c]; }, 3);
    const Drawn normal = drawn(bivariate_target<BivariateNormalIndependent, Importance>(), "importance", precision);
    expect_weights(
        normal, 1, [&](std::size_t c) { return normal.x[0][c] * normal.x[1][c]; }, 0.6);
    const Drawn seven = drawn(seven_target<SevenIndependent, Importance>(), "importance", precision);
    expect_weights(
        seven, total, [&](std::size_t c) { return seven.x[0][c]; }, mean / total);
    // And the draws are those of the proposal.
    EXPECT_LT(test::kolmogorov_smirnov(gamma.x[0], [](double x) { return test::gamma_cdf(2, 0.6 * x); }), farthest);
  }
}

/// Chains as they are defined: an autoregression, a finite chain that prefers to stay, and independent draws of a
/// block.
template <class Number>
struct Autoregression {
  static constexpr int dimension = 2;
  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.vector("x", Size<2>{});
  }
  template <class Visitor>
  MANYCHAIN_HD void draw(Visitor& visitor) const {  // both from the state before
    visitor.component(0, [](const auto& q) { return normal_distribution(0.6 * q[1], 0.8); });
    visitor.component(1, [](const auto& q) { return normal_distribution(q[0], 0.1); });
  }
};
template <class Number>
struct LazyStates {
  static constexpr int dimension = 1;
  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.integers("k", Size<1>{}, 0, 6);
  }
  template <class Visitor>
  MANYCHAIN_HD void draw(Visitor& visitor) const {
    visitor.component(0, [](const auto& q) {
      const auto here = q[0];
      return categorical_distribution(Size<7>{}, [here](int k) {
        return std::exp(seven_log_weight(k)) + select(here == k, decltype(here)(3), decltype(here)(0));
      });
    });
  }
};
template <class Number>
struct NormalGammaDraws {
  static constexpr int dimension = 2;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    NormalGamma<Number>().log_density(target);
  }
  template <class Visitor>
  MANYCHAIN_HD void draw(Visitor& visitor) const {
    visitor.block(0, Size<2>{}, [](const auto&) { return NormalGammaDistribution(); });
  }
};

TEST(Direct, simulates_the_model_as_it_is_defined) {
  const Experiment direct{.sampler = "direct", .chains = chains};
  expect_invariant(seven_target<LazyStates, Direct>(), direct, always_accepted);
  expect_invariant(normal_gamma_target<NormalGammaDraws, Direct>(), direct, always_accepted);
  // x' = 0.6 y + 0.8 z, y' = x + 0.1 z: after two transitions from (1, 1) x has mean 0.6 and variance 0.6436, y has
  // mean 0.6 and variance 0.65.
  for (const Precision precision : both) {
    const Drawn d = drawn(bivariate_target<Autoregression, Direct>(), "direct", precision);
    const auto cdf = [](double variance) {
      return [=](double x) { return test::normal_cdf((x - 0.6) / std::sqrt(variance)); };
    };
    EXPECT_LT(test::kolmogorov_smirnov(d.x[0], cdf(0.64 + 0.36 * 0.01)), farthest);
    EXPECT_LT(test::kolmogorov_smirnov(d.x[1], cdf(0.64 + 0.01)), farthest);
  }
}

}  // namespace
