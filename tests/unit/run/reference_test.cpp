// Means and sds of a run against those of another program, and the files that these are in.
#include "calibration/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "io/read_reference.hpp"
#include "manychain/core/error.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

VariableSummary row_of(double mean, double sd, double mcse_mean, double mcse_sd) {
  VariableSummary row;
  row.mean = mean;
  row.sd = sd;
  row.mcse_mean = mcse_mean;
  row.mcse_sd = mcse_sd;
  return row;
}

Result run_of(const std::vector<SummaryRow>& rows) {
  Result result;
  result.model = "m";
  result.summary = rows;
  result.converged = true;
  return result;
}

ReferenceRow compared(const VariableSummary& of, const Reference& reference) {
  return compare_with(run_of({{"x", of}}), {reference}).rows.at(0);
}

TEST(Reference, RulesOfAgreement) {
  // Standard errors 3 and 4 make 5: a difference of 24 is 4.8 of them, one of 26 5.2.
  EXPECT_NEAR(compared(row_of(124, 1000, 3, 1), {"x", 100, 1000, 4, 1}).z, 4.8, 1e-12);
  EXPECT_TRUE(compared(row_of(124, 1000, 3, 1), {"x", 100, 1000, 4, 1}).agrees());
  EXPECT_FALSE(compared(row_of(126, 1000, 3, 1), {"x", 100, 1000, 4, 1}).mean_agrees);
  EXPECT_FALSE(compared(row_of(74, 1000, 3, 1), {"x", 100, 1000, 4, 1}).mean_agrees);
  // 5 %, unless five standard errors are more: those of 0.003 and 0.004 are 2.5 %, of 0.03 and 0.04 25 %.
  EXPECT_TRUE(compared(row_of(0, 1.049, 1, 0.003), {"x", 0, 1, 1, 0.004}).sd_agrees);
  EXPECT_FALSE(compared(row_of(0, 1.051, 1, 0.003), {"x", 0, 1, 1, 0.004}).sd_agrees);
  EXPECT_FALSE(compared(row_of(0, 0.949, 1, 0.003), {"x", 0, 1, 1, 0.004}).sd_agrees);
  EXPECT_TRUE(compared(row_of(0, 1.24, 1, 0.03), {"x", 0, 1, 1, 0.04}).sd_agrees);
  EXPECT_FALSE(compared(row_of(0, 1.26, 1, 0.03), {"x", 0, 1, 1, 0.04}).sd_agrees);
  // NaN never agrees; constants agree with themselves.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(compared(row_of(nan, nan, nan, nan), {"x", 0, 1, 1, 0}).agrees());
  EXPECT_FALSE(compared(row_of(0, 1, nan, nan), {"x", 0, 1, 1, 0}).agrees());
  EXPECT_TRUE(compared(row_of(2, 0, nan, nan), {"x", 2, 0, 0, 0}).agrees());
  EXPECT_FALSE(compared(row_of(2, 0, nan, nan), {"x", 3, 0, 0, 0}).agrees());
}

TEST(Reference, NamesOfOneSide) {
  const VariableSummary one = row_of(0, 1, 0.01, 0.01);
  Result result = run_of({{"mu", one}, {"theta[1]", one}});
  const ReferenceComparison comparison = compare_with(result, {{"lp__", 0, 1, 0, 0}, {"mu", 0, 1, 0, 0}});
  EXPECT_TRUE(comparison.passed);
  EXPECT_EQ(comparison.only_here, std::vector<std::string>{"theta[1]"});
  EXPECT_EQ(comparison.only_there, std::vector<std::string>{"lp__"});
  EXPECT_SAYS(comparison.table(), "Agrees: 1 quantity, means within 5 standard errors, sds within 5 %");
  EXPECT_THROW(compare_with(result, {{"alpha", 0, 1, 0, 0}}), BadInput);
  EXPECT_THROW(compare_with(result, {{"mu", 0, 1, 0, 0}, {"mu", 0, 1, 0, 0}}), BadInput);
  result.converged = false;
  EXPECT_FALSE(compare_with(result, {{"mu", 0, 1, 0, 0}}).passed);
  EXPECT_SAYS(compare_with(result, {{"mu", 0, 1, 0, 0}}).table(), "Cannot tell: the run has not converged");
}

// Both are 1 but for rounding, here in single precision.
// Seconds since 1970: a spread of a millionth is no rounding in double precision.
TEST(ReferenceComparison, SmallSpreadsAreNoConstantsInDoublePrecision) {
  Result result = run_of({{"when", row_of(1.7e9 + 15000, 1600, 10, 10)}});
  result.settings.precision = Precision::double_precision;
  const ReferenceComparison wrong = compare_with(result, {{"when", 1.7e9, 1000, 10, 10}});
  EXPECT_FALSE(wrong.rows[0].mean_agrees);
  EXPECT_FALSE(wrong.rows[0].sd_agrees);
  EXPECT_TRUE(compare_with(result, {{"when", 1.7e9 + 15010, 1590, 10, 10}}).passed);
}

TEST(ReferenceComparison, ConstantsHaveNoStandardErrors) {
  const Result result = run_of({{"Omega[1,1]", row_of(1.0000001, 1e-8, 0, 0)}});
  EXPECT_TRUE(compare_with(result, {{"Omega[1,1]", 1, 1e-17, 0, 0}}).passed);
  EXPECT_FALSE(compare_with(result, {{"Omega[1,1]", 1.1, 1e-17, 0, 0}}).passed);
  EXPECT_FALSE(compare_with(result, {{"Omega[1,1]", 1, 0.1, 0, 0}}).passed);
}

class ReferenceFile : public ::testing::Test {
 protected:
  std::string path_ = testing::TempDir() + "reference.json";
  std::vector<Reference> read(const std::string& text) {
    std::ofstream(path_) << text;
    problems_.clear();
    return io::read_reference({path_}, 0, &problems_);
  }
  std::vector<std::string> problems_;
  std::string refused(const std::string& text) {
    try {
      read(text);
    } catch (const BadInput& error) {
      return error.what();
    }
    return "nothing was thrown";
  }
};

TEST_F(ReferenceFile, ErrorsOfMeansAndSds) {
  const std::vector<Reference> all = read(
      R"({"exact": {"mean": 1, "sd": 2}, "errors": {"mean": 1, "sd": 2, "mcse_mean": 0.1, "mcse_sd": 0.3},
          "draws": {"mean": 1, "sd": 2, "draws": 400}, "mean_alone": {"mean": 1, "sd": 2, "mcse_mean": 0.1}})");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].mcse_mean, 0);
  EXPECT_EQ(all[0].mcse_sd, 0);
  EXPECT_EQ(all[1].mcse_mean, 0.1);
  EXPECT_EQ(all[1].mcse_sd, 0.3);
  EXPECT_NEAR(all[2].mcse_mean, 0.1, 1e-15);                // 2 / sqrt(400)
  EXPECT_NEAR(all[2].mcse_sd, 2 / std::sqrt(800.), 1e-15);  // of normal draws
  EXPECT_NEAR(all[3].mcse_sd, 2 / std::sqrt(800.), 1e-15);  // 400 draws have that standard error
}

TEST_F(ReferenceFile, OfARun) {
  // "draws" beside "chains" is that of each chain, of whatever autocorrelation: it is not taken.
  const std::vector<Reference> all = read(
      R"({"chains": 4, "draws": 100, "parameters": {"a": {"mean": 1, "sd": 2, "mcse_mean": null, "ess_bulk": 400}}})");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NEAR(all[0].mcse_mean, 0.1, 1e-15);
  EXPECT_NEAR(read(R"({"draws": 400, "parameters": {"a": {"mean": 1, "sd": 2}}})").at(0).mcse_mean, 0.1, 1e-15);
}

TEST_F(ReferenceFile, TellsWhetherItHasConverged) {
  read(R"({"converged": true, "parameters": {"a": {"mean": 1, "sd": 2}}})");
  EXPECT_TRUE(problems_.empty());
  read(R"({"converged": false, "parameters": {"a": {"mean": 1, "sd": 2}}})");
  EXPECT_EQ(problems_.size(), 1u);
}

TEST_F(ReferenceFile, SaysWhatIsWrong) {
  EXPECT_SAYS(refused("[1]"), "it is no JSON object with mean and sd of each quantity");
  EXPECT_SAYS(refused("{"), "it is no JSON object");
  EXPECT_SAYS(refused("{}"), "it has no quantity");
  EXPECT_SAYS(refused(R"({"a": 1})"), "a: it is no object with mean and sd");
  EXPECT_SAYS(refused(R"({"a": {"mean": 1}})"), "a: it has no sd");
  EXPECT_SAYS(refused(R"({"a": {"mean": "x", "sd": 1}})"), "a: mean is no number");
  EXPECT_SAYS(refused(R"({"a": {"mean": 1, "sd": -1}})"), "a: its sd is below zero");
  EXPECT_SAYS(refused(R"({"a": {"mean": 1, "sd": 1, "draws": 0}})"), "draws is not above zero");
}

}  // namespace
}  // namespace manychain
