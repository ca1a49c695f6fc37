// Draws in bins: nothing is lost, cuts and discrete quantities are right, ranks of groups that are alike are even.
#include "report/binning.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace {

using namespace manychain;
using namespace manychain::report;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Chains of numbers, [chain][draw].
struct Chains {
  std::size_t draws;
  std::vector<double> values;

  std::size_t chains() const { return values.size() / draws; }
  diagnostics::QuantityView view() const { return {values.data(), draws, chains(), 1, draws}; }
  ChainGroups groups() const {
    DrawsFile file;
    file.chains = chains();
    return groups_of(file);
  }
  SortedDraws sorted() const { return sort_draws(view(), groups()); }
};

template <class Draw>
Chains drawn(std::size_t chains, std::size_t draws, Draw&& draw) {
  Chains all{draws, {}};
  for (std::size_t c = 0; c < chains; ++c)
    for (std::size_t d = 0; d < draws; ++d) all.values.push_back(draw(c, d));
  return all;
}

Chains normal_draws(std::size_t chains, std::size_t draws) {
  std::mt19937_64 random(1);
  return drawn(chains, draws, [&, normal = std::normal_distribution<double>()](std::size_t, std::size_t) mutable {
    return normal(random);
  });
}

std::size_t total(const Histogram& histogram) {
  return std::accumulate(histogram.counts.begin(), histogram.counts.end(), histogram.below + histogram.above);
}

TEST(Histogram, HasEveryDrawInItsBin) {
  const Histogram histogram = histogram_of(drawn(1, 8, [](std::size_t, std::size_t d) {
                                             return d < 4 ? 0.25 : 0.1 * double(d);  // 0.4, 0.5, 0.6, 0.7
                                           }).sorted());
  ASSERT_GT(histogram.bins.count, 1u);
  EXPECT_DOUBLE_EQ(histogram.bins.low, 0.25);
  EXPECT_NEAR(histogram.bins.high(), 0.7, 1e-12);
  EXPECT_EQ(histogram.counts.front(), 4u);
  EXPECT_EQ(histogram.counts.back(), 1u) << "the largest draw lies on the last edge";
  EXPECT_EQ(total(histogram), 8u);
}

TEST(Histogram, OfNormalDrawsIsNotCut) {
  const Histogram histogram = histogram_of(normal_draws(4, 25000).sorted());
  EXPECT_EQ(histogram.cut, 0);
  EXPECT_EQ(total(histogram), 100000u);
  // The share within one sd is 0.683; its standard error is 0.0015, and bins are 0.2 wide.
  double within = 0;
  for (std::size_t b = 0; b < histogram.bins.count; ++b) {
    const double middle = histogram.bins.low + histogram.bins.width * (double(b) + 0.5);
    if (std::abs(middle) < 1) within += double(histogram.counts[b]);
  }
  EXPECT_NEAR(within / 1e5, 0.683, 0.06);
}

TEST(Histogram, OfHeavyTailsIsCutAtQuantiles) {
  const Chains cauchy = drawn(1, 10001, [](std::size_t, std::size_t d) {
    return std::tan(3.14159265358979 * ((double(d) + 0.5) / 10001 - 0.5));  // its quantiles
  });
  const Histogram histogram = histogram_of(cauchy.sorted());
  EXPECT_EQ(histogram.cut, 0.05);
  EXPECT_NEAR(histogram.bins.low, -6.314, 0.02);
  EXPECT_NEAR(histogram.bins.high(), 6.314, 0.02);
  EXPECT_EQ(histogram.below, 500u);
  EXPECT_EQ(histogram.above, 500u);
  EXPECT_EQ(total(histogram), 10001u);
}

TEST(Histogram, GivesWholeNumbersABarEach) {
  const Histogram histogram =
      histogram_of(drawn(2, 30, [](std::size_t, std::size_t d) { return double(d % 3 == 0 ? 7 : 4); }).sorted());
  EXPECT_TRUE(histogram.bins.whole);
  EXPECT_EQ(histogram.bins.low, 3.5);
  EXPECT_EQ(histogram.bins.width, 1);
  EXPECT_EQ(histogram.counts, (std::vector<std::size_t>{40, 0, 0, 20}));
}

TEST(Histogram, BarsOfManyWholeNumbersHoldAsManyEach) {
  const Histogram histogram =
      histogram_of(drawn(1, 6000, [](std::size_t, std::size_t d) { return double(d % 1000); }).sorted());
  EXPECT_TRUE(histogram.bins.whole);
  EXPECT_EQ(histogram.bins.width, std::floor(histogram.bins.width));
  for (std::size_t b = 0; b + 1 < histogram.bins.count; ++b)
    EXPECT_EQ(double(histogram.counts[b]), 6 * histogram.bins.width) << b;
  EXPECT_EQ(total(histogram), 6000u);
}

TEST(Histogram, OfConstantsAndOfNothingIsEmpty) {
  EXPECT_TRUE(histogram_of(drawn(2, 5, [](std::size_t, std::size_t) { return 3.0; }).sorted()).counts.empty());
  EXPECT_TRUE(histogram_of(drawn(2, 5, [](std::size_t, std::size_t) { return nan; }).sorted()).counts.empty());
}

TEST(Histogram, OfNeighbouringNumbersAndOfTheWholeRange) {
  const double one = 1, next = std::nextafter(1.0, 2.0);
  const Histogram close =
      histogram_of(drawn(1, 10, [&](std::size_t, std::size_t d) { return d % 2 ? one : next; }).sorted());
  EXPECT_EQ(total(close), 10u);
  const Histogram far =
      histogram_of(drawn(1, 10, [](std::size_t, std::size_t d) { return d % 2 ? 1.7e308 : -1.7e308; }).sorted());
  EXPECT_TRUE(far.counts.empty());
}

TEST(SortedDraws, CountWhatIsNotFinite) {
  const SortedDraws sorted = drawn(3, 4, [](std::size_t c, std::size_t d) {
                               return c == 1 && d < 2 ? nan : c == 2 && d == 3 ? -infinity : double(d);
                             }).sorted();
  EXPECT_EQ(sorted.nans, 2u);
  EXPECT_EQ(sorted.infinities, 1u);
  EXPECT_EQ(sorted.draws.size(), 9u);
  EXPECT_EQ(sorted.nonfinite_chains, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(sorted.smallest(), 0);
  EXPECT_EQ(sorted.largest(), 3);
}

TEST(Ranks, OfGroupsThatAreAlikeAreEven) {
  const auto ratios = rank_ratios(drawn(4, 200,
                                        [](std::size_t c, std::size_t d) {
                                          return double(4 * d + c);  // every fourth rank each
                                        })
                                      .sorted(),
                                  10);
  ASSERT_EQ(ratios.size(), 4u);
  for (const auto& group : ratios)
    for (const double ratio : group) EXPECT_NEAR(ratio, 1, 1e-12);
}

TEST(Ranks, OfEqualDrawsAreShared) {
  // Two values: without sharing, the bar in which the border lies would stand out in every group.
  const auto ratios =
      rank_ratios(drawn(2, 90, [](std::size_t, std::size_t d) { return double(d % 3 == 0); }).sorted(), 7);
  for (const auto& group : ratios)
    for (const double ratio : group) EXPECT_NEAR(ratio, 1, 1e-12);
}

TEST(Ranks, ShowAChainThatLiesApart) {
  const auto ratios =
      rank_ratios(drawn(2, 100, [](std::size_t c, std::size_t d) { return double(1000 * c + d); }).sorted(), 4);
  // One by one: for AVX-512 GCC 12 makes {2, 2, 2, 2} of the constant {2, 2, 0, 0}.
  for (std::size_t bin = 0; bin < 4; ++bin) {
    EXPECT_EQ(ratios[0][bin], bin < 2 ? 2 : 0) << bin;
    EXPECT_EQ(ratios[1][bin], bin < 2 ? 0 : 2) << bin;
  }
}

TEST(Running, IsTheMeanAndTheBandOfEachWindow) {
  const Chains chains = drawn(101, 6, [](std::size_t c, std::size_t d) { return 100 * double(d) + double(c); });
  const Running along = running(chains.view(), chains.groups());
  ASSERT_EQ(along.at, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  for (std::size_t w = 0; w < 6; ++w) {
    EXPECT_DOUBLE_EQ(along.mean[w], 100 * double(w) + 50);
    EXPECT_DOUBLE_EQ(along.low[w], 100 * double(w) + 5);
    EXPECT_DOUBLE_EQ(along.high[w], 100 * double(w) + 95);
  }
  ASSERT_EQ(along.of_group.size(), 16u);
  EXPECT_DOUBLE_EQ(along.of_group[0][0], 3) << "chains 0 to 6";
}

TEST(Running, LeavesOutWhatIsNotFinite) {
  const Chains chains = drawn(50, 2, [](std::size_t c, std::size_t d) { return d == 1 ? nan : c == 0 ? infinity : 2; });
  const Running along = running(chains.view(), chains.groups());
  EXPECT_EQ(along.mean[0], 2);
  EXPECT_TRUE(std::isnan(along.mean[1]));
  EXPECT_TRUE(std::isnan(along.high[1]));
}

TEST(ChainGroups, AreSuperchainsWhereThereAreSome) {
  DrawsFile file;
  file.chains = 64;
  file.run.emplace().superchains = 8;
  const ChainGroups groups = groups_of(file);
  EXPECT_EQ(groups.kind, "superchain");
  ASSERT_EQ(groups.names.size(), 8u);
  for (std::size_t c = 0; c < 64; ++c) EXPECT_EQ(groups.of[c], c % 8);
}

TEST(ChainGroups, AreNeighboursWhereThereAreMany) {
  for (const std::size_t chains : {1u, 4u, 16u, 17u, 100u, 4096u}) {
    DrawsFile file;
    file.chains = chains;
    const ChainGroups groups = groups_of(file);
    EXPECT_EQ(groups.kind, chains > 16 ? "group of chains" : "chain");
    ASSERT_EQ(groups.of.size(), chains);
    EXPECT_EQ(groups.of.back() + 1, groups.names.size());
    // A name says which chains there are.
    for (std::size_t c = 0; c < chains; ++c) {
      const std::string& name = groups.names[groups.of[c]];
      const std::size_t to = name.find(" to ");
      EXPECT_LE(std::stoul(name), c);
      EXPECT_GE(std::stoul(to == std::string::npos ? name : name.substr(to + 4)), c);
    }
  }
}

}  // namespace
