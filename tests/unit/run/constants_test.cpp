// A quantity with one value by its constraint is recorded, not held against a run; so is a derived one that hardly
// moves. A parameter that does not move is a failure.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "manychain/manychain.hpp"
#include "manychain/model.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

using diagnostics::Verdict;

/// With `accidental`, a parameter's copy that no draw changes, and an indicator that is next to never one: x > 3.5 in 2
/// draws of 10 000.
template <class Number, bool accidental>
struct Correlated {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto L = target.cholesky_corr("L", 2);
    auto P = target.corr_matrix("P", 3);
    auto C = target.cholesky_cov("C", 2);
    auto whole = target.simplex("whole", 1);
    auto x = target.real("x");
    target += lkj_corr_cholesky(L, 3);
    target += lkj_corr(P, 3);
    target += normal(x, 0, whole[0]);
    for (int i = 0; i < 2; ++i) target += normal(C[1][i], 1, 0.1);
    target += normal(C[0][0], 1, 0.1);
    if constexpr (accidental) target.derived("same", 0.0 * x);
    if constexpr (accidental) target.derived("rare", select(value(x) > 3.5, 1.0, 0.0));
  }
};
template <class Number>
using Sound = Correlated<Number, false>;
template <class Number>
using Accident = Correlated<Number, true>;

Settings settings(Precision precision) {
  Settings s;
  s.backend = Backend::cpu;
  s.precision = precision;
  s.sampler = "hmc";
  s.chains = 256;
  s.seed = 4;
  return s;
}

Verdict of_file(const Result& result) {
  const std::string path = testing::TempDir() + "manychain_constants_" + std::to_string(getpid()) + ".nc";
  write_netcdf(path, result);
  const Verdict verdict = diagnose(read_draws({path})).verdict;
  std::remove(path.c_str());
  return verdict;
}

const std::string fixed = "Constants of the model: 7 of 19 quantities (L[1,1], L[1,2], P[1,1], P[2,2], P[3,3], ...).";

// The default ends at a target ESS, which constants must not keep from it. Nothing is left to chance but what the seed
// fixes; twenty thousand draws and more stand behind a limit of 400.
TEST(Constants, OfAConstraintAreNoFailure) {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    const Result result = sample(model_of<Sound, "hmc">(), settings(precision));
    EXPECT_TRUE(result.sampling.reached_target);
    EXPECT_TRUE(result.converged) << result.table();
    EXPECT_NE(result.verdict().text().find(fixed), std::string::npos) << result.verdict().text();
    for (const SummaryRow& row : result.summary) {
      const bool constant = row.name == "L[1,1]" || row.name == "L[1,2]" || row.name == "C[1,2]" ||
                            row.name == "P[1,1]" || row.name == "P[2,2]" || row.name == "P[3,3]" ||
                            row.name == "whole[1]";
      EXPECT_EQ(row.statistics.sd == 0, constant) << row.name;
      if (!constant) continue;
      EXPECT_EQ(row.statistics.mean, row.name[2] == row.name[4] || row.name == "whole[1]" ? 1 : 0) << row.name;
    }
    const Verdict later = of_file(result);
    EXPECT_TRUE(later.converged) << later.text();
    EXPECT_NE(later.text().find(fixed), std::string::npos) << later.text();
  }
}

TEST(Constants, WithoutDraws) {
  Settings s = settings(Precision::single_precision);
  s.output.keep_draws = false;
  s.sampling.draws = 100;
  const Result result = sample(model_of<Sound, "hmc">(), s);
  EXPECT_TRUE(result.converged) << result.table();
  EXPECT_NE(result.verdict().text().find(fixed), std::string::npos) << result.verdict().text();
}

// They decide neither when the run ends nor what is thought of it.
TEST(Constants, OfADerivedQuantityAreANote) {
  Settings s = settings(Precision::double_precision);
  s.sampling.draws = 400;
  s.sampling.target_ess = 400;
  const Result without = sample(model_of<Sound, "hmc">(), s), result = sample(model_of<Accident, "hmc">(), s);
  EXPECT_TRUE(result.sampling.reached_target);
  EXPECT_EQ(result.kept, without.kept);
  EXPECT_TRUE(result.converged);
  const Verdict later = of_file(result);
  for (const Verdict& verdict : {result.verdict(), later}) {
    EXPECT_TRUE(verdict.sound()) << verdict.text();
    EXPECT_NE(verdict.text().find("Hardly move: one value in all draws, or in all but a few, of 2 of 21 quantities "
                                  "(same, rare)."),
              std::string::npos)
        << verdict.text();
  }
  const std::string table = result.table();
  EXPECT_GT(table.find("\nsame "), table.find("\nx ")) << "what decides stands first";
}

}  // namespace
}  // namespace manychain
