// The summary against the plain reference on made-up draws, its invariances, and what it says where nothing is defined.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>

#include "diagnostics/for_each_variable.hpp"
#include "diagnostics/from_draws.hpp"
#include "diagnostics/host_backend.hpp"
#include "diagnostics/rank_statistics.hpp"
#include "diagnostics/summarise_unless.hpp"
#include "diagnostics/suspects.hpp"
#include "manychain/diagnostics/summary.hpp"
#include "unit/diagnostics/draws.hpp"

namespace {

using manychain::summarise;
using manychain::VariableSummary;
using test_draws::autoregressions;
using test_draws::Draws;

void expect_like_reference(const VariableSummary& s, const reference::Chains& chains) {
  const double sd = reference::sd(chains);
  EXPECT_NEAR(s.mean, chains.mean(), 1e-12 * sd);
  EXPECT_NEAR(s.sd / sd, 1, 1e-12);
  EXPECT_NEAR(s.q5, reference::quantile(chains, 0.05), 1e-12 * sd);
  EXPECT_NEAR(s.q50, reference::quantile(chains, 0.5), 1e-12 * sd);
  EXPECT_NEAR(s.q95, reference::quantile(chains, 0.95), 1e-12 * sd);
  EXPECT_NEAR(s.rhat / reference::rhat(chains), 1, 1e-12);
  EXPECT_NEAR(s.ess_bulk / reference::ess_bulk(chains), 1, 1e-12);
  EXPECT_NEAR(s.mcse_mean / reference::mcse_mean(chains), 1, 1e-12);
  EXPECT_NEAR(s.mcse_sd / reference::mcse_sd(chains), 1, 1e-12);
  if (std::isnan(reference::ess_tail(chains))) {
    EXPECT_TRUE(std::isnan(s.ess_tail));
  } else {
    EXPECT_NEAR(s.ess_tail / reference::ess_tail(chains), 1, 1e-12);
  }
}

struct Shape {
  std::size_t draws, chains;
  double coefficient, grid;
};

class SummaryShapes : public testing::TestWithParam<Shape> {};

// Odd and even numbers of draws, chains that fill no tile, or tiles without a rest, or more than one partial sum,
// antithetic chains, ties.
INSTANTIATE_TEST_SUITE_P(Shapes, SummaryShapes,
                         testing::Values(Shape{100, 4, 0.5, 0}, Shape{101, 4, 0.5, 0}, Shape{1000, 1, 0.9, 0},
                                         Shape{57, 3, -0.6, 0}, Shape{16, 700, 0.3, 0}, Shape{33, 257, 0.9, 0.5},
                                         Shape{200, 8, 0, 1}, Shape{41, 13, 0.99, 0}, Shape{6, 50, 0.2, 0},
                                         Shape{7, 50, 0.9, 0}, Shape{9, 5, 0.2, 0}, Shape{12, 9, 0.95, 2},
                                         Shape{13, 3, 0.5, 0}, Shape{300, 5, -0.99, 0}, Shape{61, 1032, 0.4, 0},
                                         Shape{62, 64, 0.95, 0.01}));

TEST_P(SummaryShapes, double_precision) {
  const Shape p = GetParam();
  const auto draws = autoregressions<double>(p.draws, 3, p.chains, p.coefficient, 11, p.grid);
  const auto summaries = summarise(draws.view());
  ASSERT_EQ(summaries.size(), 3u);
  for (std::size_t v = 0; v < 3; ++v) expect_like_reference(summaries[v], draws.of(v));
}

TEST_P(SummaryShapes, single_precision) {
  const Shape p = GetParam();
  const auto draws = autoregressions<float>(p.draws, 3, p.chains, p.coefficient, 12, p.grid);
  const auto summaries = summarise(draws.view());
  for (std::size_t v = 0; v < 3; ++v) expect_like_reference(summaries[v], draws.of(v));
}

// Also where chains fill whole tiles, and in the middle draws, which are in no half.
TEST(Summary, counts_what_is_not_finite) {
  for (const std::size_t chains : {13u, 16u}) {
    auto draws = autoregressions<float>(21, 1, chains, 0.5, 19);
    const auto count = [&] {
      manychain::diagnostics::RankStatisticsOf<manychain::diagnostics::HostBackend, float, std::uint32_t> s(
          draws.view());
      s.load(0);
      return s.not_finite();
    };
    EXPECT_EQ(count(), 0u);
    draws.at(0, 0, 0) = std::numeric_limits<float>::quiet_NaN();
    draws.at(10, 0, 5) = std::numeric_limits<float>::infinity();
    draws.at(20, 0, chains - 1) = -std::numeric_limits<float>::infinity();
    EXPECT_EQ(count(), 3u);
  }
}

TEST(Summary, wide_indices_give_the_same) {
  const auto draws = autoregressions<float>(51, 1, 20, 0.5, 13, 0.1);
  using manychain::diagnostics::HostBackend;
  const auto narrow = manychain::diagnostics::RankStatisticsOf<HostBackend, float, std::uint32_t>(draws.view())(0, 3);
  const auto wide = manychain::diagnostics::RankStatisticsOf<HostBackend, float, std::uint64_t>(draws.view())(0, 3);
  EXPECT_EQ(std::memcmp(&narrow, &wide, sizeof narrow), 0);
}

// Sequences one after another in memory, on the host.
struct UntiledBackend : manychain::diagnostics::HostBackend {
  static constexpr int lanes = 1;
  static constexpr bool tiled = false;
  static constexpr std::size_t merged = 16;
};

TEST_P(SummaryShapes, layout_changes_no_bit) {
  const Shape p = GetParam();
  const auto draws = autoregressions<float>(p.draws, 1, p.chains, p.coefficient, 24, p.grid);
  using Untiled = manychain::diagnostics::RankStatisticsOf<UntiledBackend, float, std::uint32_t>;
  const auto a = summarise(draws.view(), 1, 2)[0];
  const auto b = Untiled(draws.view())(0, 2);
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
}

TEST(Summary, any_strides) {
  const auto draws = autoregressions<double>(50, 2, 6, 0.5, 14);
  std::vector<double> other(50 * 2 * 6);  // [chain][draw][variable]
  manychain::DrawsView<double> view = draws.view();
  view.data = other.data();
  view.chain_stride = 100;
  view.draw_stride = 2;
  view.variable_stride = 1;
  for (std::size_t c = 0; c < 6; ++c) {
    for (std::size_t t = 0; t < 50; ++t) {
      for (std::size_t v = 0; v < 2; ++v) other[c * 100 + t * 2 + v] = draws.view()(t, v, c);
    }
  }
  const auto a = summarise(draws.view());
  const auto b = summarise(view);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), 2 * sizeof(VariableSummary)), 0);
}

TEST(Summary, cancelled) {
  const auto draws = autoregressions<float>(60, 40, 300, 0.5, 15);
  std::atomic<bool> cancel = true;
  EXPECT_TRUE(summarise(draws.view(), 2, 5, &cancel).empty());
  cancel = false;
  EXPECT_EQ(summarise(draws.view(), 2, 5, &cancel).size(), 40u);
}

// Cancelled while the variable 17 is summarised: that ends half way and does not count, the whole ones before it are
// returned, and none after it is begun.
TEST(Summary, cancelled_half_way) {
  const auto draws = autoregressions<float>(60, 40, 300, 0.5, 15);
  const auto whole = summarise(draws.view(), 1, 5);
  std::atomic<bool> cancel = false;
  std::size_t asked = 0;
  const auto ask = [&](auto& statistics, std::size_t variable) {
    ++asked;
    if (variable == 17) cancel = true;
    const VariableSummary summary = statistics(variable, 5);
    EXPECT_EQ(std::isnan(summary.mcse_sd), variable == 17) << variable;
    return summary;
  };
  const auto part = manychain::diagnostics::for_each_variable<VariableSummary>(draws.view(), 1, ask, &cancel);
  EXPECT_EQ(asked, 18u);
  ASSERT_EQ(part.size(), 17u);
  EXPECT_EQ(std::memcmp(part.data(), whole.data(), part.size() * sizeof(VariableSummary)), 0);
}

/// Independent draws, but for variable 5, whose superchains have other means, and 2, whose scales differ.
Draws<double> draws_that_differ() {
  auto draws = autoregressions<double>(40, 9, 64, 0, 16);
  for (std::size_t t = 0; t < 40; ++t)
    for (std::size_t c = 0; c < 64; ++c) {
      draws.at(t, 5, c) += c % 8 == 3 ? 1 : 0;
      draws.at(t, 2, c) *= c % 8 == 6 ? 4 : 1;
    }
  return draws;
}

TEST(Summary, those_that_differ_are_suspect) {
  auto draws = draws_that_differ();
  const auto order = manychain::diagnostics::most_suspect_first(draws.view(), 8);
  ASSERT_EQ(order.size(), 9u);
  EXPECT_EQ(std::max(order[0], order[1]), 5u);
  EXPECT_EQ(std::min(order[0], order[1]), 2u);
  draws.at(0, 7, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(manychain::diagnostics::most_suspect_first(draws.view(), 8)[0], 7u);
}

// All of it if no variable suffices, in the order of variables and with the k-hat that is else made of the draws.
TEST(Summary, unless_one_variable_suffices) {
  const auto draws = draws_that_differ();
  std::vector<VariableSummary> whole = summarise(draws.view(), 1, 8);
  std::vector<VariableSummary*> rows;
  for (VariableSummary& row : whole) rows.push_back(&row);
  manychain::diagnostics::add_from_draws(draws.view(), rows, 1, 1);
  for (const int threads : {1, 3}) {
    std::mutex mutex;
    std::vector<std::size_t> asked;
    const auto look = [&](std::size_t enough) {
      asked.clear();
      return manychain::diagnostics::summarise_unless(
          [&](std::size_t variable, const VariableSummary& s) {
            const std::lock_guard<std::mutex> lock(mutex);
            asked.push_back(variable);
            EXPECT_EQ(s.mean, whole[variable].mean);
            return variable == enough;
          },
          draws.view(), threads, 8, nullptr);
    };
    const std::vector<VariableSummary> found = look(9);
    ASSERT_EQ(found.size(), 9u);
    EXPECT_EQ(asked.size(), 9u);
    EXPECT_EQ(std::memcmp(found.data(), whole.data(), 9 * sizeof(VariableSummary)), 0);
    const std::size_t first = manychain::diagnostics::most_suspect_first(draws.view(), 8)[0];
    EXPECT_TRUE(look(first).empty());
    EXPECT_TRUE(threads > 1 || asked == std::vector<std::size_t>{first});
  }
}

TEST(Summary, same_bits_for_any_number_of_threads) {
  const auto draws = autoregressions<float>(60, 7, 300, 0.5, 15, 0.01);
  const auto one = summarise(draws.view(), 1, 5);
  for (int threads : {2, 3, 8, 0}) {
    const auto more = summarise(draws.view(), threads, 5);
    EXPECT_EQ(std::memcmp(one.data(), more.data(), 7 * sizeof(VariableSummary)), 0) << threads;
  }
}

TEST(Summary, bulk_statistics_survive_a_monotone_transform) {
  const auto draws = autoregressions<double>(100, 1, 9, 0.7, 16);
  auto transformed = draws;
  for (double& x : transformed.values) x = std::exp(3 * x);
  const auto a = summarise(draws.view())[0];
  const auto b = summarise(transformed.view())[0];
  EXPECT_EQ(a.ess_bulk, b.ess_bulk);
  EXPECT_EQ(a.ess_tail, b.ess_tail);
  EXPECT_NE(a.mcse_mean / a.sd, b.mcse_mean / b.sd);
}

TEST(Summary, everything_survives_a_shift_and_a_change_of_sign) {
  auto draws = autoregressions<double>(100, 1, 9, 0.7, 17);
  for (double& x : draws.values) x = std::round(x * 65536) / 65536;  // so that the shift is exact
  auto moved = draws;
  for (double& x : moved.values) x = 1048576 - x;
  const auto a = summarise(draws.view())[0];
  const auto b = summarise(moved.view())[0];
  EXPECT_NEAR(a.rhat, b.rhat, 1e-13);
  EXPECT_NEAR(a.ess_bulk / b.ess_bulk, 1, 1e-12);
  EXPECT_NEAR(a.mcse_mean / b.mcse_mean, 1, 1e-12);
  EXPECT_NEAR(a.mcse_sd / b.mcse_sd, 1, 1e-12);
  EXPECT_NEAR(a.sd / b.sd, 1, 1e-12);
}

TEST(Summary, order_of_chains_does_not_matter) {
  const auto draws = autoregressions<double>(100, 1, 600, 0.7, 18);
  const auto other = test_draws::from(test_draws::shuffled(draws.of(0), 1));
  const auto a = summarise(draws.view())[0];
  const auto b = summarise(other.view())[0];
  EXPECT_NEAR(a.mean, b.mean, 1e-13);
  EXPECT_NEAR(a.rhat, b.rhat, 1e-13);
  EXPECT_NEAR(a.ess_bulk / b.ess_bulk, 1, 1e-12);
  EXPECT_NEAR(a.mcse_mean / b.mcse_mean, 1, 1e-12);
}

TEST(Summary, scale_that_differs_is_seen_by_the_folded_half) {
  auto draws = autoregressions<double>(500, 1, 4, 0, 19);
  for (std::size_t t = 0; t < 500; ++t) draws.at(t, 0, 0) *= 5;
  const auto s = summarise(draws.view())[0];
  EXPECT_GT(s.rhat, 1.1);
  EXPECT_LT(reference::rhat_bulk(draws.of(0)), 1.02);
}

void expect_undefined_convergence(const VariableSummary& s) {
  EXPECT_TRUE(std::isnan(s.rhat));
  EXPECT_TRUE(std::isnan(s.ess_bulk));
  EXPECT_TRUE(std::isnan(s.mcse_mean));
  EXPECT_TRUE(std::isnan(s.ess_tail));
  EXPECT_TRUE(std::isnan(s.mcse_sd));
  EXPECT_TRUE(std::isnan(s.rhat_nested));
}

TEST(SummaryEdges, constant_draws) {
  Draws<float> draws(50, 1, 4);
  std::fill(draws.values.begin(), draws.values.end(), 0.1f);
  const auto s = summarise(draws.view())[0];
  expect_undefined_convergence(s);
  EXPECT_EQ(s.mean, static_cast<double>(0.1f));
  EXPECT_EQ(s.sd, 0);
  EXPECT_EQ(s.q5, s.q95);
}

TEST(SummaryEdges, one_value_that_is_not_finite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (double bad : {std::nan(""), -std::nan(""), infinity, -infinity}) {
    for (std::size_t where : {0, 5, 10}) {  // 5 is the middle draw
      auto draws = autoregressions<double>(11, 2, 3, 0.5, 20);
      draws.at(where, 1, 2) = bad;
      const auto s = summarise(draws.view(), 1);
      EXPECT_FALSE(std::isnan(s[0].rhat));
      expect_undefined_convergence(s[1]);
      EXPECT_TRUE(std::isnan(s[1].mean));
      EXPECT_TRUE(std::isnan(s[1].sd));
      EXPECT_TRUE(std::isnan(s[1].q50));
    }
  }
}

TEST(SummaryEdges, fewer_than_three_draws_a_half) {
  for (std::size_t draws : {1, 2, 3, 4, 5}) {
    const auto x = autoregressions<double>(draws, 1, 10, 0.5, 21);
    const auto s = summarise(x.view())[0];
    const auto all = reference::flatten(x.of(0));
    expect_undefined_convergence(s);
    EXPECT_NEAR(s.mean, reference::mean(all), 1e-14);
    EXPECT_NEAR(s.sd, std::sqrt(reference::variance(all)), 1e-14);
    EXPECT_NEAR(s.q5, reference::quantile(all, 0.05), 1e-14);
  }
  const auto s = summarise(autoregressions<double>(6, 1, 10, 0.5, 21).view())[0];
  EXPECT_FALSE(std::isnan(s.rhat));
  EXPECT_FALSE(std::isnan(s.ess_bulk));
}

TEST(SummaryEdges, nothing_to_summarise) {
  EXPECT_TRUE(summarise(manychain::DrawsView<float>{}).empty());
  const Draws<double> none(0, 2, 4);
  EXPECT_TRUE(std::isnan(summarise(none.view())[1].mean));
  const auto one = autoregressions<double>(1, 1, 1, 0, 22);
  EXPECT_EQ(summarise(one.view())[0].mean, one.values[0]);
  EXPECT_TRUE(std::isnan(summarise(one.view())[0].sd));
}

TEST(SummaryEdges, chains_that_each_stand_still) {
  Draws<double> draws(40, 1, 8);
  for (std::size_t t = 0; t < 40; ++t) {
    for (std::size_t c = 0; c < 8; ++c) draws.at(t, 0, c) = static_cast<double>(c);
  }
  const auto s = summarise(draws.view())[0];
  EXPECT_GT(s.rhat, 100);
  EXPECT_LT(s.ess_bulk, 20);
}

TEST(SummaryEdges, two_values_that_fold_onto_one) {
  Draws<double> draws(40, 1, 2);
  for (std::size_t t = 0; t < 40; ++t) {
    for (std::size_t c = 0; c < 2; ++c) draws.at(t, 0, c) = (t * (c + 3) / 2 + c) % 2 == 0 ? -1 : 1;
  }
  for (std::size_t t = 0; t < 40; ++t) draws.at(t, 0, 1) = -draws.at(t, 0, 0);  // as many of either: the median is 0
  const auto s = summarise(draws.view())[0];
  EXPECT_EQ(s.q50, 0);
  EXPECT_NEAR(s.rhat, reference::rhat_bulk(draws.of(0)), 1e-13);
}

TEST(SummaryEdges, distant_mean_costs_no_digits) {
  auto draws = autoregressions<double>(100, 1, 300, 0.5, 23);
  for (double& x : draws.values) x = 1e9 + std::round(x * 1024) / 1024;
  auto near = draws;
  for (double& x : near.values) x -= 1e9;
  const auto a = summarise(draws.view())[0];
  const auto b = summarise(near.view())[0];
  EXPECT_NEAR(a.sd / b.sd, 1, 1e-13);
  EXPECT_NEAR(a.mcse_mean / b.mcse_mean, 1, 1e-12);
}

}  // namespace
