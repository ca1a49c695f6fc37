// Runs whose posteriors have no sd, or no mean: chains agree, and the verdict warns.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "manychain/manychain.hpp"
#include "manychain/model.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

/// As the Michaelis constant of a few concentrations: k has the density 1.9 (1 + k)^-2.9, whose Hill index is 1.9.
template <class Number>
struct Michaelis {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto k = target.real("k", lower(0));
    auto x = target.real("x");
    target += -2.9 * log1p(k);
    target += normal(x, 0, 1);
  }
};

/// Logistic regression of six outcomes that beta separates, under a Cauchy prior: no mean.
template <class Number>
struct Separable {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.real("beta");
    target += cauchy(beta, 0, 2.5);
    for (int i = 1; i <= 3; ++i) {
      target += bernoulli_logit(1, 0.5 * i * beta);
      target += bernoulli_logit(0, -0.5 * i * beta);
    }
  }
};

Result run(const Model& model, std::uint64_t seed) {
  Settings s;
  s.backend = Backend::cpu;
  s.sampler = "hmc";
  s.seed = seed;
  return sample(model, s);
}

diagnostics::Verdict of_file(const Result& result) {
  const std::string path = testing::TempDir() + "manychain_tails_" + std::to_string(getpid()) + ".nc";
  write_netcdf(path, result);
  const Diagnosis diagnosis = diagnose(read_draws({path}));
  EXPECT_NE(diagnosis.table().find("k_hat"), std::string::npos);
  for (std::size_t i = 0; i < diagnosis.summary.size(); ++i) {
    const VariableSummary &a = result.summary[i].statistics, &b = diagnosis.summary[i];
    EXPECT_EQ(a.khat, b.khat);
    EXPECT_EQ(a.moved, b.moved);
    EXPECT_NEAR(a.mcse_mean, b.mcse_mean, 1e-10 * a.mcse_mean);
  }
  std::remove(path.c_str());
  return diagnosis.verdict;
}

// Three of 40 runs were not warned of: fewer than 3 of 5 once in 280 times.
TEST(HeavyTails, an_sd_that_does_not_exist) {
  const Model model = model_of<Michaelis, "hmc">();
  int warned = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Result result = run(model, seed);
    EXPECT_TRUE(result.converged) << result.table();
    EXPECT_NEAR(result.summary[0].statistics.q50, std::pow(2, 1 / 1.9) - 1, 0.05);
    const std::string text = result.verdict().text();
    warned += text.find("Tails: the sd may not exist for 1 of 2 quantities (k)") != std::string::npos;
    EXPECT_EQ(text.find("(x"), std::string::npos) << text;
    if (warned == 1) {
      EXPECT_NE(result.table().find(" sd?"), std::string::npos) << result.table();
      EXPECT_EQ(of_file(result).text(), text);
    }
  }
  EXPECT_GE(warned, 3);
}

// Trajectories hardly reach the far tail, so that not every run tells: 14 of 20 did where packs are of AVX2. With that
// rate fewer than 7 do once in 800 times.
TEST(HeavyTails, a_mean_that_does_not_exist) {
  const Model model = model_of<Separable, "hmc">();
  int warned = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Result result = run(model, seed);
    const std::string text = result.verdict().text();
    warned += text.find("may not exist for 1 of 1 quantities (beta)") != std::string::npos;
  }
  EXPECT_GE(warned, 7);
}

// The last look at the draws has all but what only the draws on the host say; a run that lacks this is no whole one.
TEST(HeavyTails, cancelled_before_they_are_looked_at) {
  std::atomic<bool> cancel = false;
  Settings s;
  s.backend = Backend::cpu;
  s.sampler = "hmc";
  s.seed = 1;
  s.cancel = &cancel;
  s.progress = [&](const Progress& p) { cancel = std::string(p.phase) == "diagnostics"; };
  const Result result = sample(model_of<Michaelis, "hmc">(), s);
  EXPECT_TRUE(result.sampling.reached_target);
  EXPECT_TRUE(result.cancelled);
  EXPECT_FALSE(result.converged);
  ASSERT_EQ(result.summary.size(), 2u);
  EXPECT_EQ(result.not_summarised, 2u);
  EXPECT_TRUE(std::isnan(result.summary[0].statistics.mcse_mean));
  EXPECT_NE(result.verdict().text().find("Not computed: the summary of 2 of 2 quantities"), std::string::npos)
      << result.verdict().text();
}

// Sums over draws tell nothing of tails, and the verdict says so.
TEST(HeavyTails, without_draws_it_is_said_that_nobody_looked) {
  Settings s;
  s.backend = Backend::cpu;
  s.sampler = "hmc";
  s.output.keep_draws = false;
  const Result result = sample(model_of<Separable, "hmc">(), s);
  EXPECT_TRUE(std::isnan(result.summary[0].statistics.khat));
  const diagnostics::Verdict verdict = result.verdict();
  EXPECT_EQ(verdict.text().find("Tails:"), std::string::npos);
  const std::vector<std::string> notes = verdict.texts(diagnostics::Severity::note);
  EXPECT_NE(std::find(notes.begin(), notes.end(), "Not looked at, because draws are not kept: tails."), notes.end())
      << verdict.text();
  s.output.keep_draws = true;
  EXPECT_EQ(sample(model_of<Michaelis, "hmc">(), s).verdict().text().find("Not looked at"), std::string::npos);
}

/// A precision whose mean is sixty times its median.
TEST(HeavyTails, QuantilesOfASkewedQuantityAreNoZeros) {
  Result result = run(model_of<Michaelis, "hmc">(), 1);
  VariableSummary& k = result.summary[0].statistics;
  k.mean = 0.0457, k.sd = 0.2524, k.q5 = 0.000062, k.q50 = 0.00071, k.q95 = 0.1142, k.mcse_mean = 0.0047,
  k.ess_tail = 5348;
  const std::string table = result.table();
  const std::size_t row = table.find("\nk ");
  ASSERT_NE(row, std::string::npos) << table;
  std::istringstream cells(table.substr(row + 3));
  double mean = 0, sd = 0, q5 = 0, q50 = 0, q95 = 0;
  cells >> mean >> sd >> q5 >> q50 >> q95;
  EXPECT_NEAR(q5, k.q5, 0.1 * k.q5) << table;
  EXPECT_NEAR(q50, k.q50, 0.1 * k.q50) << table;
  EXPECT_EQ(q95, k.q95);
}

}  // namespace
}  // namespace manychain
