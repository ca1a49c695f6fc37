// The frame of the gallery: what passes, what does not, and how it is said.
#include "gallery/gallery.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "gallery/counts.hpp"
#include "statistical/z_test.hpp"

namespace manychain::gallery::test {
namespace {

TEST(Check, Exact) {
  EXPECT_TRUE(exact("", 1, 1 + 1e-12, 1e-11).passed);
  EXPECT_FALSE(exact("", 1, 1 + 1e-10, 1e-11).passed);
  EXPECT_FALSE(exact("", 1, NAN, 1).passed);
  EXPECT_FALSE(exact("", NAN, 1, 1).passed);
}

TEST(Check, MonteCarlo) {
  EXPECT_EQ(threshold, statistical::threshold) << "one false-alarm rate for all";
  EXPECT_TRUE(monte_carlo("", 2, 2 + 0.621, 0.1).passed);
  EXPECT_FALSE(monte_carlo("", 2, 2 + 0.623, 0.1).passed);
  EXPECT_FALSE(monte_carlo("", 2, 2 - 0.623, 0.1).passed);
  EXPECT_NEAR(monte_carlo("", 2, 2.3, 0.1, 50).score, statistical::z_of_t(3, 50), 1e-9);
  EXPECT_FALSE(monte_carlo("", 1, 1, 0).passed) << "an error of zero is not known";
  EXPECT_FALSE(monte_carlo("", 1, 1, NAN).passed);
  EXPECT_FALSE(monte_carlo("", 1, NAN, 1).passed);
  EXPECT_FALSE(monte_carlo("", 1, 1, HUGE_VAL).passed) << "an infinite error lets everything pass";
}

// The 0.95 quantile of chi-square with 100 degrees of freedom is 124.342, that of the normal 1.6449 (Abramowitz and
// Stegun, table 26.8).
TEST(Check, VarianceRatio) {
  EXPECT_NEAR(variance_ratio("", 1.24342, 100).score, 1.6449, 0.003);
  EXPECT_NEAR(variance_ratio("", 0.77929, 100).score, -1.6449, 0.003);
  EXPECT_TRUE(variance_ratio("", 1.1, 1000).passed);
  EXPECT_FALSE(variance_ratio("", 1.4, 1000).passed);
  EXPECT_FALSE(variance_ratio("", 0.7, 1000).passed);
  EXPECT_FALSE(variance_ratio("", NAN, 1000).passed);
}

// The tails of the normal distribution beyond 6.22 have the probability 2.49e-10 each.
TEST(Check, WithinTails) {
  EXPECT_TRUE(within_tails("", 0, 1, 1, 1, 2.51e-10).passed);
  EXPECT_FALSE(within_tails("", 0, 1, 1, 1, 2.47e-10).passed);
  EXPECT_FALSE(within_tails("", 0, 1, 1, 2.47e-10, 1).passed);
  EXPECT_FALSE(within_tails("", 0, 1, 1, 1, 0).passed);
  EXPECT_FALSE(within_tails("", 0, 1, 1, NAN, 1).passed);
  EXPECT_FALSE(within_tails("", 0, 1, 1, 1, NAN).passed);
  EXPECT_NEAR(within_tails("", 0, 1, 1, 1, 0.0227501319).score, 2, 1e-8);
  EXPECT_NEAR(within_tails("", 0, 1, 1, 0.0227501319, 1).score, -2, 1e-8);
}

// Independent states are a binomial count; of ten coins five or fewer are heads with probability 638 / 1024.
TEST(Counts, OfIndependentStatesAreBinomial) {
  const markov::TransitionMatrix coin({{0.5, 0.5}, {0.5, 0.5}});
  for (std::size_t start : {0, 1}) {
    const std::vector<double> heads = occupation_of_two(coin, start, 1, 10);
    EXPECT_NEAR(heads[5], 252 / 1024.0, 1e-15);
    EXPECT_NEAR(heads[10], 1 / 1024.0, 1e-18);
    const Check count = count_check("", heads, 7), share = binomial_check("", 0.5, 10, 7);
    EXPECT_NEAR(count.score, share.score, 1e-12);
    EXPECT_NEAR(0.5 * std::erfc(share.score / std::sqrt(2.0)), 176 / 1024.0, 1e-12) << "seven or more";
  }
  EXPECT_NEAR(binomial_check("", 0.25, 3, 0).score, -binomial_check("", 0.75, 3, 3).score, 1e-12);
}

// All paths of six steps, one by one.
TEST(Counts, OfAChainAreThoseOfItsPaths) {
  const markov::TransitionMatrix p({{0.1, 0.9}, {0.6, 0.4}});
  for (std::size_t start : {0, 1})
    for (std::size_t state : {0, 1}) {
      std::vector<double> known(7, 0);
      for (std::size_t path = 0; path < 64; ++path) {
        double probability = 1;
        std::size_t at = start, count = 0;
        for (std::size_t t = 0; t < 6; ++t) {
          const std::size_t next = path >> t & 1;
          probability *= p(at, next);
          count += next == state;
          at = next;
        }
        known[count] += probability;
      }
      const std::vector<double> got = occupation_of_two(p, start, state, 6);
      for (std::size_t k = 0; k <= 6; ++k) EXPECT_NEAR(got[k], known[k], 1e-15) << start << state << k;
    }
}

TEST(Check, WordsAndOrder) {
  EXPECT_TRUE(same("", "yes", "yes").passed);
  EXPECT_FALSE(same("", "yes", "no").passed);
  EXPECT_TRUE(less("", 1, 2).passed);
  EXPECT_FALSE(less("", 2, 2).passed);
  EXPECT_FALSE(less("", NAN, 2).passed);
}

TEST(Report, PassesOnlyIfEverythingAgrees) {
  Report report;
  EXPECT_FALSE(report.passed()) << "nothing was checked";
  EXPECT_NE(to_text(report).find("Wrong: nothing was checked."), std::string::npos);
  report.checks = {exact("pi", 3.5, 3.5, 0), monte_carlo("mean", 0, 0.25, 0.125)};
  EXPECT_TRUE(report.passed());
  report.checks.push_back(same("period", "2", "1"));
  EXPECT_FALSE(report.passed());
  report.lines = {"Prose."};
  report.tables = {{{"n", "x", "word"}, {{"1", "0.5", "a"}, {"10", "12", "bcd"}}}};
  EXPECT_EQ(to_text(report),
            "Prose.\n"
            "\n"
            "  n     x  word\n"
            "  1   0.5  a\n"
            "  10   12  bcd\n"
            "\n"
            "          known   got  error  off by  verdict\n"
            "  pi        3.5   3.5                 agrees\n"
            "  mean        0  0.25   0.12  2.0 se  agrees\n"
            "  period      2     1                 DIFFERS\n"
            "\n"
            "Wrong: 1 of 3 answers differ.\n");
}

// With another seed than that of the tests of each entry; the comparisons of all together bound the false-alarm rate.
TEST(Entries, AgreeWithOtherSeeds) {
  std::set<std::string> names;
  std::size_t chapter = 0, comparisons = 0;
  for (const Entry& entry : entries()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    while (chapter < 3 && std::string(entry.chapter) != chapters[chapter]) ++chapter;
    EXPECT_LT(chapter, 3u) << entry.name << ": chapters in their order";
    const auto run = [&] {
      Report report = entry.run({.threads = 1, .seed = 2, .quick = true});
      report.timings.clear();
      return report;
    };
    const Report report = run();
    EXPECT_TRUE(report.passed()) << entry.name << "\n" << to_text(report);
    EXPECT_EQ(to_text(report), to_text(run())) << entry.name << ": a function of the seed";
    for (const Check& check : report.checks) {
      comparisons += check.comparisons;
      EXPECT_EQ(check.comparisons > 1, check.what.find("farthest of ") != std::string::npos) << check.what;
    }
  }
  EXPECT_LT(comparisons, 2000u);
}

}  // namespace
}  // namespace manychain::gallery::test
