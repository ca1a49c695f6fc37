// Ten thousand parameters, their number from the data: a run with default starts and tuning finds the posterior, and
// its table is no longer than that of a small model.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "run/defaults.hpp"
#include "unit/run/model_of.hpp"

namespace {

using namespace manychain;

/// y_i ~ N(theta[group_i], sigma), theta = mu + tau z; z ~ N(0, 1), mu ~ N(0, 5), tau, sigma ~ half-N(0, 2).
template <class Number>
struct Effects {
  Size<> N, J;
  View<const int> group;
  View<const Number> y;

  void data(DataReader& in) {
    in("N", N, lower(1));
    in("J", J, lower(1));
    in("group", group, N, integer(1, J.value()));
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau", lower(0));
    auto sigma = target.real("sigma", lower(0));
    auto theta = target.vector("theta", J, offset_multiplier(mu, tau));
    target += normal(mu, 0, 5) + half_normal(tau, 2) + half_normal(sigma, 2);
    target += normal(theta, mu, tau);
    target.observe("y", N, [&](auto i, auto& term) { term += normal(y[i], theta[group[i] - 1], sigma); });
  }
};

/// y_t ~ N(h_t, sigma), h_t = phi h_{t-1} + tau z_t; z ~ N(0, 1), tau, sigma ~ half-N(0, 1), phi flat on (-1, 1).
template <class Number>
struct Autoregression {
  Size<> T;
  View<const Number> y;

  void data(DataReader& in) {
    in("T", T, lower(2));
    in("y", y, T);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto phi = target.real("phi", interval(-1, 1));
    auto tau = target.real("tau", lower(0));
    auto sigma = target.real("sigma", lower(0));
    auto z = target.vector("z", T);
    target += half_normal(tau, 1) + half_normal(sigma, 1);
    target += normal(z, 0, 1);
    auto h = target.scan(T, tau / sqrt(1 - square(phi)) * z[0],
                         [&](int t, const auto& before) { return phi * before + tau * z[t]; });
    target.observe("y", normal(y, h, sigma));
  }
};

constexpr int large = 10000;

Settings short_run() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 32;
  s.superchains = 0;
  s.warmup = 100;
  s.draws = 20;
  s.seed = 1;
  s.precision = Precision::single_precision;
  return s;
}

/// The mean of a quantity lies within 6 standard deviations of what made the data.
void expect_near(const Result& r, const std::string& name, double truth) {
  const auto row =
      std::find_if(r.summary.begin(), r.summary.end(), [&](const auto& quantity) { return quantity.name == name; });
  ASSERT_NE(row, r.summary.end()) << name;
  EXPECT_LT(std::fabs(row->statistics.mean - truth), 6 * row->statistics.sd) << name;
  EXPECT_LT(row->statistics.sd, 0.1) << name;
}

void expect_a_table_to_read(const Result& r) {
  const std::string table = r.table();
  EXPECT_LT(std::count(table.begin(), table.end(), '\n'), 60);
}

TEST(LargeModels, ten_thousand_effects) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> theta, y;
  std::vector<double> group;
  for (int j = 0; j < large; ++j) theta.push_back(1 + 0.7 * normal(random));
  for (int i = 0; i < 2 * large; ++i) {
    group.push_back(i % large + 1);
    y.push_back(theta[static_cast<std::size_t>(i % large)] + 0.6 * normal(random));
  }
  Data data;
  data.set("N", 2 * large);
  data.set("J", large);
  data.set("group", group, {group.size()});
  data.set("y", y, {y.size()});
  const Result r = sample(model_of<Effects, "hmc">(data), short_run());
  EXPECT_EQ(r.tuning[0].inverse_metric.size(), static_cast<std::size_t>(large + 3));
  EXPECT_TRUE(r.starts.taken);
  EXPECT_TRUE(r.stuck_chains.empty());
  expect_near(r, "mu", 1);
  expect_near(r, "tau", 0.7);
  expect_near(r, "sigma", 0.6);
  expect_a_table_to_read(r);
}

TEST(LargeModels, ten_thousand_states_of_a_scan) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> y;
  double h = 0.3 / std::sqrt(1 - 0.81) * normal(random);
  for (int t = 0; t < large; ++t) {
    if (t > 0) h = 0.9 * h + 0.3 * normal(random);
    y.push_back(h + 0.5 * normal(random));
  }
  Data data;
  data.set("T", large);
  data.set("y", y, {y.size()});
  const Result r = sample(model_of<Autoregression, "hmc">(data), short_run());
  EXPECT_EQ(r.tuning[0].inverse_metric.size(), static_cast<std::size_t>(large + 3));
  EXPECT_TRUE(r.starts.taken);
  EXPECT_TRUE(r.stuck_chains.empty());
  expect_near(r, "phi", 0.9);
  expect_near(r, "tau", 0.3);
  expect_near(r, "sigma", 0.5);
  expect_a_table_to_read(r);
}

// What may be kept is small enough for a machine of 8 GB, in double precision, too.
TEST(LargeModels, limit_the_draws_of_which_nothing_is_said) {
  Data data;
  data.set("T", large);
  data.set("y", std::vector<double>(large, 0.5), {static_cast<std::size_t>(large)});
  const Model model = model_of<Autoregression, "hmc">(data);
  const auto draws = [&](std::size_t chains, bool kept) {
    Settings s;
    s.chains = chains;
    s.keep_draws = kept;
    complete(model, s);
    return *s.draws;
  };
  EXPECT_EQ(draws(256, true), 195u);  // 5e8 / (256 * 10 003)
  EXPECT_EQ(draws(1024, true), 100u);
  EXPECT_EQ(draws(256, false), 1600u);
}

}  // namespace
