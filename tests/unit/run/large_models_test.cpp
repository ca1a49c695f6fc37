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
  s.warmup.transitions = 100;
  s.sampling.draws = 20;
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
  EXPECT_EQ(r.warmup.tuning[0].inverse_metric.size(), static_cast<std::size_t>(large + 3));
  EXPECT_TRUE(r.warmup.starts.taken);
  EXPECT_TRUE(r.sampling.stuck_chains.empty());
  expect_near(r, "mu", 1);
  expect_near(r, "tau", 0.7);
  expect_near(r, "sigma", 0.6);
  expect_a_table_to_read(r);
}

/// The posterior mean of tau of balanced groups, mu and the effects integrated out in closed form, by a grid over
/// log(tau) and sigma: the group means are N(mu, tau^2 + sigma^2 / n), what is within groups has n - 1 times as many
/// degrees of freedom as there are groups.
double mean_of_tau(const std::vector<double>& y, int groups) {
  const int n = static_cast<int>(y.size()) / groups;
  std::vector<double> means(static_cast<std::size_t>(groups), 0);
  double grand = 0, within = 0, between = 0;
  for (std::size_t i = 0; i < y.size(); ++i) means[i % means.size()] += y[i] / n;
  for (const double m : means) grand += m / groups;
  for (std::size_t i = 0; i < y.size(); ++i) within += std::pow(y[i] - means[i % means.size()], 2);
  for (const double m : means) between += std::pow(m - grand, 2);
  const double noise = std::sqrt(within / (groups * (n - 1)));  // sigma is within 6 standard errors of it
  double mass = 0, moment = 0;
  for (double log_tau = std::log(noise) - 14; log_tau < std::log(noise) + 3; log_tau += 0.01)
    for (double ratio = 0.7; ratio < 1.4; ratio += 0.004) {
      const double tau = std::exp(log_tau), sigma = ratio * noise, v = tau * tau + sigma * sigma / n;
      const double log_p = -groups * (n - 1) * (std::log(ratio) + 0.5 / (ratio * ratio) - 0.5) -
                           0.5 * (groups - 1) * std::log(v * n / (noise * noise)) - between / (2 * v) -
                           0.5 * std::log(25 + v / groups) - grand * grand / (2 * (25 + v / groups)) -
                           (tau * tau + sigma * sigma) / 8 + log_tau - std::log(noise);
      mass += std::exp(log_p);
      moment += tau * std::exp(log_p);
    }
  return moment / mass;
}

// Twenty groups that do not differ, with little noise: tau reaches to where (theta - mu) / tau has no digits in single
// precision. From what is sampled theta is what mu + tau * z is, and as easy: a default run converges. The mean of tau
// within 5 standard errors: a false alarm in 2 million.
TEST(LargeModels, effects_that_vanish) {
  constexpr int groups = 20;
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> group, y;
  for (int i = 0; i < 10 * groups; ++i) {
    group.push_back(i % groups + 1);
    y.push_back(3 + 0.001 * normal(random));
  }
  Data data;
  data.set("N", 10 * groups);
  data.set("J", groups);
  data.set("group", group, {group.size()});
  data.set("y", y, {y.size()});
  Settings settings;
  settings.backend = Backend::cpu;
  settings.seed = 1;
  settings.precision = Precision::single_precision;
  const Result r = sample(model_of<Effects, "hmc">(data), settings);
  EXPECT_TRUE(r.converged) << r.table();
  EXPECT_LE(r.sampling.divergences, 10u);
  EXPECT_GT(r.warmup.tuning[0].step_size, 0.05);
  const auto tau = std::find_if(r.summary.begin(), r.summary.end(), [](const auto& q) { return q.name == "tau"; });
  ASSERT_NE(tau, r.summary.end());
  EXPECT_NEAR(tau->statistics.mean, mean_of_tau(y, groups), 5 * tau->statistics.mcse_mean);
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
  EXPECT_EQ(r.warmup.tuning[0].inverse_metric.size(), static_cast<std::size_t>(large + 3));
  EXPECT_TRUE(r.warmup.starts.taken);
  EXPECT_TRUE(r.sampling.stuck_chains.empty());
  expect_near(r, "phi", 0.9);
  expect_near(r, "tau", 0.3);
  expect_near(r, "sigma", 0.5);
  expect_a_table_to_read(r);
}

// The draws that may be kept fit into a machine of 8 GB, in double precision, too.
TEST(LargeModels, limit_the_draws_of_which_nothing_is_said) {
  Data data;
  data.set("T", large);
  data.set("y", std::vector<double>(large, 0.5), {static_cast<std::size_t>(large)});
  const Model model = model_of<Autoregression, "hmc">(data);
  const auto draws = [&](std::size_t chains, bool kept) {
    Settings s;
    s.chains = chains;
    s.output.keep_draws = kept;
    fill_in_defaults(model, s);
    return *s.sampling.draws;
  };
  EXPECT_EQ(draws(256, true), 195u);  // 5e8 / (256 * 10 003)
  EXPECT_EQ(draws(1024, true), 100u);
  EXPECT_EQ(draws(256, false), 1600u);
}

}  // namespace
