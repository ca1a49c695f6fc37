// Costs of a run with default settings follow from those of a gradient.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/random/purpose.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "run/defaults.hpp"
#include "starts/shared_evaluator.hpp"
#include "starts/starts.hpp"
#include "unit/run/model_of.hpp"

namespace {

using namespace manychain;

TEST(Cost, chains_follow_from_the_numbers_that_a_gradient_reads) {
  constexpr std::size_t cheap = 262144;
  const std::pair<std::optional<std::size_t>, std::size_t> table[] = {{0, 256},
                                                                      {1000 * 25, 256},
                                                                      {5000 * 25, 256},
                                                                      {cheap, 256},
                                                                      {cheap + 1, 128},
                                                                      {2 * cheap, 128},
                                                                      {2 * cheap + 1, 64},
                                                                      {4 * cheap, 64},
                                                                      {4 * cheap + 1, 32},
                                                                      {1000000 * 11, 32},
                                                                      {~std::size_t{0}, 32},
                                                                      {std::nullopt, 32}};
  for (const auto& [values, chains] : table) EXPECT_EQ(default_chains(values), chains) << values.value_or(0);
}

/// A normal distribution: component i has mean i and sd 1 + i, and its neighbours are correlated by 0.4.
CompiledDensity normal(std::size_t dimension, std::atomic<std::size_t>& calls) {
  CompiledDensity density;
  density.dimension = dimension;
  density.value_and_gradient = [=, &calls](const double* q, double* gradient) {
    ++calls;
    // x_0 = z_0, x_i = 0.4 x_(i - 1) + sqrt(1 - 0.16) z_i
    double sum = 0, before = 0;
    std::vector<double> z(dimension);
    for (std::size_t i = 0; i < dimension; ++i) {
      const double x = (q[i] - double(i)) / double(1 + i);
      z[i] = i == 0 ? x : (x - 0.4 * before) / std::sqrt(0.84);
      sum -= 0.5 * z[i] * z[i];
      before = x;
    }
    for (std::size_t i = 0; i < dimension; ++i) {
      double of_x = i == 0 ? -z[i] : -z[i] / std::sqrt(0.84);
      if (i + 1 < dimension) of_x += 0.4 * z[i + 1] / std::sqrt(0.84);
      gradient[i] = of_x / double(1 + i);
    }
    return sum;
  };
  return density;
}

TEST(Cost, a_foreign_density_says_what_it_costs_or_is_expensive) {
  std::atomic<std::size_t> calls{0};
  const auto completed = [&](std::size_t values, Settings s = {}) {
    CompiledDensity density = normal(3, calls);
    density.gradient_values = values;
    fill_in_defaults(Model(density), s);
    return std::pair(s.chains, *s.superchains);
  };
  using Chains = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(completed(0), Chains(32, 8));
  EXPECT_EQ(completed(1000), Chains(256, 16));
  EXPECT_EQ(completed(std::size_t{1} << 20), Chains(64, 16));
  Settings given;
  given.chains = 256;
  EXPECT_EQ(completed(0, given), Chains(256, 16));
  given.chains = 32;
  EXPECT_EQ(completed(0, given), Chains(32, 0));
  EXPECT_EQ(calls, 0u);
}

TEST(Cost, chains_fit_the_other_settings) {
  std::atomic<std::size_t> calls{0};
  const Model model(normal(3, calls));
  const auto chains = [&](auto change) {
    Settings s;
    change(s);
    s.validate();
    fill_in_defaults(model, s);
    return s.chains;
  };
  EXPECT_EQ(chains([](Settings& s) { s.groups = 2; }), 128u);
  EXPECT_EQ(chains([](Settings& s) { s.superchains = 40; }), 80u);
  EXPECT_EQ(chains([](Settings& s) { s.superchains = 24, s.groups = 2; }), 384u);
  EXPECT_EQ(chains([](Settings& s) { s.warmup.initial_points.assign(3 * 7, 0.0); }), 7u);
  EXPECT_THROW(chains([](Settings& s) { s.warmup.initial_points.assign(4, 0.0); }), BadInput);
  EXPECT_THROW(chains([](Settings& s) { s.superchains = max_chains; }), BadInput);
  EXPECT_THROW(chains([](Settings& s) { s.groups = max_chains; }), BadInput);
}

TEST(Cost, of_a_model_of_ones_own_is_known_when_data_are_bound) {
  const auto completed = [](const Model& model, Settings s = {}) {
    fill_in_defaults(model, s);
    return s.chains;
  };
  for (const ModelInfo& model : builtin_models()) {
    if (!model.carries_data) continue;
    const Model bound(*model.unit);
    Settings on_cpu;  // a GPU has more chains
    on_cpu.backend = Backend::cpu;
    EXPECT_EQ(completed(bound, on_cpu), 256u) << model.name;
    EXPECT_FALSE(has_expensive_gradient(bound)) << model.name;
  }
}

/// Two columns of a table that has more.
template <class Number>
struct TwoColumns {
  using samplers = SamplerList<Hmc<>>;
  Size<> N;
  View<const Number> x, y;
  void data(DataReader& in) {
    in("N", N);
    in("x", x, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto slope = target.real("slope");
    target += normal(slope, 0, 1);
    target.observe("y", normal(y, slope * x, 1));
  }
};

TEST(Cost, counts_the_data_that_a_model_reads) {
  constexpr std::size_t rows = 10000;
  Data data;
  data.set("N", rows);
  for (int column = 0; column < 38; ++column) data.set("unread" + std::to_string(column), std::vector<double>(rows));
  data.set("x", std::vector<double>(rows, 1.0));
  data.set("y", std::vector<double>(rows, 2.0));
  const Model model = model_of<TwoColumns>(data);
  EXPECT_EQ(model.bound().data_values, 1 + 2 * rows);
  EXPECT_FALSE(has_expensive_gradient(model));
}

// Which draws settle it is chance. A warm-up of 256 chains has at least 90 transitions and a look of 20 draws; 32
// chains have a tenth of that warm-up, and need as many draws in all for one nested R-hat, or half as many again.
TEST(Cost, an_expensive_density_is_evaluated_a_third_as_often_and_the_posterior_is_right) {
  constexpr std::size_t d = 8;
  std::atomic<std::size_t> calls{0};
  Settings s;
  s.seed = 3;
  CompiledDensity density = normal(d, calls);
  density.gradient_values = d;
  const Result cheap = sample(Model(density), s);
  const std::size_t of_cheap = calls.exchange(0);
  density.gradient_values = 0;
  const Result expensive = sample(Model(density), s);
  EXPECT_TRUE(cheap.converged && expensive.converged) << expensive.table();
  EXPECT_EQ(cheap.settings.chains, 256u);
  EXPECT_EQ(expensive.settings.chains, 32u);
  EXPECT_LT(expensive.warmup.transitions, cheap.warmup.transitions);
  EXPECT_LT(3 * calls, of_cheap);
  EXPECT_GE(calls, expensive.gradients);
  // |z| < 5 of 16 numbers: false alarms below 1e-5.
  for (std::size_t i = 0; i < d; ++i) {
    const VariableSummary& of = expensive.summary[i].statistics;
    EXPECT_LT(std::fabs(of.mean - double(i)), 5 * of.mcse_mean) << i;
    EXPECT_LT(std::fabs(of.sd - double(1 + i)), 5 * of.mcse_sd) << i;
    EXPECT_LT(of.mcse_mean, 0.06 * double(1 + i)) << i;
  }
}

// The printed settings of a run make it again.
TEST(Cost, an_expensive_run_is_the_same_with_its_settings_given) {
  std::atomic<std::size_t> calls{0};
  const Model model(normal(4, calls));
  Settings s;
  s.seed = 5;
  const Result plain = sample(model, s);
  s = plain.settings;
  s.threads = 1;
  const Result again = sample(model, s);
  EXPECT_EQ(plain.warmup.transitions, again.warmup.transitions);
  ASSERT_EQ(plain.kept, again.kept);
  EXPECT_EQ(plain.draws.float64, again.draws.float64);
}

/// A logistic regression whose gradient is expensive: 30 000 rows of 10 columns and a response.
Model large_regression() {
  constexpr std::size_t rows = 30000, columns = 10;
  std::mt19937_64 random(20261123);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<double> x, y;
  for (std::size_t i = 0; i < rows; ++i) {
    double eta = 0.3;
    for (std::size_t j = 0; j < columns; ++j) {
      x.push_back(normal(random));
      eta += 0.5 * std::cos(3.0 * double(j)) * x.back();
    }
    y.push_back(uniform(random) < 1 / (1 + std::exp(-eta)));
  }
  Data data;
  data.set("N", double(rows));
  data.set("D", double(columns));
  data.set("X", x, {rows, columns});
  data.set("y", y);
  return builtin_model("logistic_regression", data);
}

TEST(Cost, paths_that_are_answered_together_are_the_same) {
  const Model model = large_regression();
  ASSERT_TRUE(has_expensive_gradient(model));
  EXPECT_EQ(default_chains(gradient_values(model)), 128u);
  StartsWanted wanted;
  wanted.count = 8;
  wanted.seed = 2;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int p = 0; p < 4; ++p) {
    auto& from = wanted.from.emplace_back(model.layout().dimension);
    for (double& x : from) x = uniform(random);
  }
  wanted.threads = 4;  // each path on its own
  const FoundStarts apart = find_starts(model, wanted);
  for (const int threads : {1, 3}) {
    wanted.threads = threads;
    const FoundStarts together = find_starts(model, wanted);
    EXPECT_EQ(together.points, apart.points);
    EXPECT_EQ(together.spread, apart.spread);
    EXPECT_EQ(together.near, apart.near);
    EXPECT_EQ(together.report.evaluations, apart.report.evaluations);
    EXPECT_EQ(together.report.found, 4u);
  }
}

TEST(SharedEvaluator, answers_all_who_ask_at_once) {
  std::atomic<int> calls{0};
  const DensityEvaluator squares = [&](const double* points, std::size_t count, double* values, double* gradients) {
    ++calls;
    for (std::size_t k = 0; k < count; ++k) {
      if (points[2 * k] > 1e6) throw std::runtime_error("too far");
      values[k] = points[2 * k] * points[2 * k + 1];
      if (gradients) gradients[2 * k] = points[2 * k + 1], gradients[2 * k + 1] = points[2 * k];
    }
  };
  constexpr int askers = 5, rounds = 40;
  SharedEvaluator shared(squares, 2, askers);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < askers; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < rounds - 5 * t; ++round) {
        const std::size_t count = std::size_t(1 + (t + round) % 3);
        std::vector<double> points(2 * count, 1.0 + t), values(count), gradients(2 * count);
        points[1] = round;
        const bool with = (t + round) % 4 != 0;
        shared(points.data(), count, values.data(), with ? gradients.data() : nullptr);
        wrong += values[0] != (1.0 + t) * round || (with && gradients[1] != 1.0 + t) || (!with && gradients[1] != 0);
      }
      shared.leave();
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(calls, 2 * rounds);  // with and without gradients, of the asker that asks longest

  SharedEvaluator two(squares, 2, 2);
  std::atomic<int> refused{0};
  const auto ask = [&](double x) {
    const double point[2] = {x, 1};
    double value = 0;
    try {
      two(point, 1, &value, nullptr);
    } catch (const std::runtime_error&) {
      ++refused;
    }
    two.leave();
  };
  std::thread other(ask, 1.0);
  ask(1e7);
  other.join();
  EXPECT_EQ(refused, 2);
}

}  // namespace
