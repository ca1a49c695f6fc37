// Advice on files of draws of any program, followed: autoregressive chains of a standard normal that are too few, too
// slow or not yet where they should be.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "manychain/diagnostics/verdict.hpp"

namespace {

using namespace manychain;
using namespace manychain::diagnostics;

struct Chains {
  std::size_t count = 4, draws = 200;
  double correlation = 0.7;  // of a draw with the next
  double start = 0;          // chain c starts at that times 1, -1, 1, ...
  std::size_t left_out = 0;  // draws before the first
};

Facts facts_of(const Chains& chains) {
  std::mt19937_64 random(20261123);
  std::normal_distribution<double> normal;
  std::vector<double> draws(chains.count * chains.draws);
  for (std::size_t c = 0; c < chains.count; ++c) {
    double x = chains.start == 0 ? normal(random) : chains.start * (c % 2 == 0 ? 1 : -1);
    for (std::size_t d = 0; d < chains.left_out + chains.draws; ++d) {
      if (d >= chains.left_out) draws[(d - chains.left_out) * chains.count + c] = x;
      x = chains.correlation * x + std::sqrt(1 - chains.correlation * chains.correlation) * normal(random);
    }
  }
  Facts facts;
  facts.chains = chains.count;
  facts.draws = chains.draws;
  facts.summary = {
      {"x",
       summarise(DrawsView<double>{draws.data(), chains.draws, 1, chains.count, chains.count, chains.count}, 1)[0]}};
  return facts;
}

/// The finding that begins so; empty: there is none.
std::string advice_on(const Chains& chains, const std::string& finding) {
  for (const Finding& found : judge(facts_of(chains)).findings)
    if (found.what.rfind(finding, 0) == 0) return found.advice;
  return "";
}

TEST(FileAdvice, for_more_effective_draws) {
  for (const char* finding : {"Bulk ESS:", "Tail ESS:"}) {
    EXPECT_EQ(advice_on({}, finding), "Take more draws, more chains, or a sampler that mixes faster.");
    EXPECT_EQ(advice_on({.draws = 2000}, finding), "");
    EXPECT_EQ(advice_on({.count = 40}, finding), "");
    EXPECT_EQ(advice_on({.correlation = -0.1}, finding), "");
  }
}

TEST(FileAdvice, against_chains_that_do_not_agree) {
  const Chains early{.draws = 1000, .correlation = 0.97, .start = 30};
  EXPECT_EQ(advice_on(early, "R-hat:").rfind("The chains do not agree yet; lengthen warm-up and run on.", 0), 0u);
  EXPECT_EQ(advice_on({.draws = 20000, .correlation = 0.97, .start = 30, .left_out = 1000}, "R-hat:"), "");
}

}  // namespace
