// Summaries of several variables at a time, on a backend that is the host: those of each alone, to the bit, and those
// of the host's own loops. Here the copies to the host are counted; tests/cuda_on_host/summary_calls_test.cpp counts
// launches, too.
#include "diagnostics/summary_batch.hpp"

#include <gtest/gtest.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "diagnostics/rank_statistics.hpp"
#include "unit/diagnostics/draws.hpp"

namespace {

using manychain::DrawsView;
using manychain::VariableSummary;
using manychain::diagnostics::GatheredVariable;
using manychain::diagnostics::RankStatisticsOf;
using manychain::diagnostics::SummaryBatch;
using test_draws::autoregressions;
using test_draws::Draws;

std::size_t copies = 0;

struct SerialBackend {
  template <class T>
  using Vector = manychain::DrawValues<T>;
  static constexpr std::size_t merged = 16;
  static auto policy() { return thrust::seq; }
  template <class T>
  static void fetch(T* to, const T* from, std::size_t count) {
    ++copies;
    std::copy_n(from, count, to);
  }
  template <class Key, class Value>
  static void sort_by_key(Vector<Key>& keys, Vector<Value>& values) {
    thrust::stable_sort_by_key(policy(), keys.begin(), keys.end(), values.begin());
  }
};

/// In batches of `at_once`.
template <class Number>
std::vector<VariableSummary> summaries(const DrawsView<Number>& draws, std::size_t at_once, std::size_t superchains) {
  SummaryBatch<SerialBackend, Number> batch(draws, superchains > 1);
  std::vector<VariableSummary> all;
  while (all.size() < draws.variables)
    for (const GatheredVariable& v : batch.read(all.size(), std::min(at_once, draws.variables - all.size()), nullptr))
      all.push_back(
          RankStatisticsOf<SerialBackend, Number, manychain::diagnostics::BatchPlace, GatheredVariable>(v).summary(
              superchains));
  return all;
}

void expect_same_bits(const std::vector<VariableSummary>& a, const std::vector<VariableSummary>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t v = 0; v < a.size(); ++v)
    for (const auto number :
         {&VariableSummary::mean, &VariableSummary::sd, &VariableSummary::q5, &VariableSummary::q50,
          &VariableSummary::q95, &VariableSummary::rhat, &VariableSummary::rhat_nested, &VariableSummary::ess_bulk,
          &VariableSummary::ess_tail, &VariableSummary::mcse_mean, &VariableSummary::mcse_sd, &VariableSummary::moved})
      EXPECT_TRUE(a[v].*number == b[v].*number || (std::isnan(a[v].*number) && std::isnan(b[v].*number)))
          << v << ": " << a[v].*number << ", " << b[v].*number;
}
void expect_close(double batch, double host, double relative) {
  if (std::isnan(host)) {
    EXPECT_TRUE(std::isnan(batch));
  } else {
    EXPECT_NEAR(batch, host, relative * std::fabs(host));
  }
}
/// As tests/backends/diagnostics_device_test.cpp holds a device to the host.
void expect_like_host(const std::vector<VariableSummary>& batch, const std::vector<VariableSummary>& host) {
  ASSERT_EQ(batch.size(), host.size());
  for (std::size_t v = 0; v < host.size(); ++v) {
    SCOPED_TRACE(v);
    if (!std::isnan(host[v].mean)) {
      EXPECT_NEAR(batch[v].mean, host[v].mean, 1e-12 * (host[v].sd + std::fabs(host[v].mean)));
    }
    for (const auto quantile : {&VariableSummary::q5, &VariableSummary::q50, &VariableSummary::q95})
      expect_close(batch[v].*quantile, host[v].*quantile, 1e-14);
    expect_close(batch[v].moved, host[v].moved, 0);
    for (const auto number :
         {&VariableSummary::sd, &VariableSummary::rhat, &VariableSummary::rhat_nested, &VariableSummary::ess_bulk,
          &VariableSummary::ess_tail, &VariableSummary::mcse_mean, &VariableSummary::mcse_sd})
      expect_close(batch[v].*number, host[v].*number, 1e-11);
  }
}

template <class Number>
void expect_right(const Draws<Number>& draws, std::size_t superchains = 3) {
  const std::vector<VariableSummary> alone = summaries(draws.view(), 1, superchains);
  for (const std::size_t at_once : {std::size_t{2}, std::size_t{3}, draws.variables})
    expect_same_bits(summaries(draws.view(), at_once, superchains), alone);
  expect_like_host(alone, manychain::summarise(draws.view(), 0, superchains));
}

/// Variables of all kinds beside each other: that mix at different rates, of few values, constant, not finite.
template <class Number>
Draws<Number> mixed(std::size_t chains, std::size_t draws) {
  Draws<Number> all = autoregressions<Number>(draws, 9, chains, 0.5, 7);
  const Draws<Number> slow = autoregressions<Number>(draws, 1, chains, 0.97, 8);
  for (std::size_t d = 0; d < draws; ++d)
    for (std::size_t c = 0; c < chains; ++c) {
      all.at(d, 1, c) = slow.values[d * chains + c];
      all.at(d, 2, c) = 3;                                                  // nothing moves
      all.at(d, 3, c) = static_cast<Number>(all.at(d, 3, c) > 0 ? 1 : -1);  // nothing folds
      all.at(d, 4, c) = std::round(2 * all.at(d, 4, c));                    // ties
      all.at(d, 5, c) = static_cast<Number>(std::exp(all.at(d, 5, c)));     // skew
      all.at(d, 6, c) = static_cast<Number>(c == 0 && d == 0 ? 1 : 0);      // a tail that does not vary
      all.at(d, 7, c) += 1000000;                                           // far from zero
    }
  all.at(draws - 1, 8, chains / 2) = std::numeric_limits<Number>::quiet_NaN();
  return all;
}

TEST(SummaryBatch, of_variables_of_all_kinds) {
  expect_right(mixed<float>(70, 40));
  expect_right(mixed<double>(70, 41));  // with middle draws
  expect_right(mixed<float>(600, 21));  // and several partial sums
  expect_right(mixed<double>(9, 300), 0);
}

TEST(SummaryBatch, of_few_draws) {
  for (const std::size_t draws : {1, 2, 3, 4, 5, 6, 7}) expect_right(mixed<float>(20, draws));
  expect_right(mixed<double>(1, 50), 0);
}

TEST(SummaryBatch, copies_do_not_grow_with_variables) {
  const Draws<float> draws = autoregressions<float>(300, 1, 64, 0.97, 9);
  DrawsView<float> repeated = draws.view();
  repeated.variable_stride = 0;
  const auto calls = [&](std::size_t variables) {
    repeated.variables = variables;
    const std::size_t before = copies;
    summaries(repeated, variables, 3);
    return copies - before;
  };
  const std::size_t of_one = calls(1);
  EXPECT_GT(of_one, 2u);  // facts, sums, and further lags
  EXPECT_EQ(calls(12), of_one);
}

TEST(SummaryBatch, as_many_variables_as_memory_and_places_allow) {
  const auto fitting = [](std::size_t chains, std::size_t draws, double bytes) {
    return SummaryBatch<SerialBackend, float>(DrawsView<float>{nullptr, draws, 1, chains, 0, 0, 0}, true)
        .fitting_variables(bytes);
  };
  EXPECT_EQ(fitting(256, 20, 1e12), 222u);  // 64 MB of 302 kB each
  EXPECT_EQ(fitting(16, 20, 1e12), 256u);
  EXPECT_EQ(fitting(256, 20, 0), 1u);
  EXPECT_EQ(fitting(1 << 20, 1000, 1e12), 1u);
}

}  // namespace
