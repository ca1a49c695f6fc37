// The C interface: diagnostics of draws of any program, the check of a model, runs that are stored.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "manychain/diagnostics/convergence.hpp"
#include "manychain/manychain.h"
#include "unit/run/c_refused.hpp"

namespace {

using manychain::refused;
using manychain::diagnostics::QuantityView;

class CDiagnostics : public testing::Test {
 protected:
  static constexpr size_t chains = 6, draws = 40, variables = 3;
  CDiagnostics() {
    std::mt19937 generator(1);
    std::normal_distribution<double> normal;
    for (double& value : values) value = normal(generator);
  }
  QuantityView variable(size_t v) const { return {values.data() + v, draws, chains, variables, draws * variables}; }

  std::vector<double> values = std::vector<double>(chains * draws * variables);
  manychain_sequences of{values.data(), chains, draws, variables};
  double results[variables]{};
};

TEST_F(CDiagnostics, AreThoseOfTheLibrary) {
  ASSERT_EQ(manychain_diagnose("ess_bulk", 0, &of, 2, results), MANYCHAIN_OK) << manychain_last_error();
  for (size_t v = 0; v < variables; ++v) EXPECT_EQ(results[v], manychain::diagnostics::ess_bulk(variable(v)));
  ASSERT_EQ(manychain_diagnose("mcse_quantile", 0.3, &of, 0, results), MANYCHAIN_OK);
  for (size_t v = 0; v < variables; ++v) EXPECT_EQ(results[v], manychain::diagnostics::mcse_quantile(variable(v), 0.3));
  const size_t labels[chains] = {7, 7, 9, 9, 8, 8};
  for (const int ranked : {0, 1}) {
    ASSERT_EQ(manychain_rhat_nested(&of, labels, ranked, 1, results), MANYCHAIN_OK);
    const std::vector<std::size_t> superchain(labels, labels + chains);
    for (size_t v = 0; v < variables; ++v)
      EXPECT_EQ(results[v], ranked ? manychain::diagnostics::rhat_nested_ranked(variable(v), superchain)
                                   : manychain::diagnostics::rhat_nested(variable(v), superchain));
  }
}

TEST_F(CDiagnostics, NestedRhatOfRanksIsThatOfASummary) {
  const manychain::DrawsView<double> view{values.data(), draws, variables, chains, variables, 1, draws * variables};
  const std::vector<manychain::VariableSummary> summaries = manychain::summarise(view, 1, 3);
  const size_t labels[chains] = {0, 1, 2, 0, 1, 2};
  ASSERT_EQ(manychain_rhat_nested(&of, labels, 1, 1, results), MANYCHAIN_OK);
  for (size_t v = 0; v < variables; ++v) EXPECT_EQ(results[v], summaries[v].rhat_nested);
}

TEST_F(CDiagnostics, AllHaveNames) {
  for (size_t k = 0; k < manychain_diagnostic_count(); ++k) {
    manychain_diagnostic one;
    ASSERT_EQ(manychain_get_diagnostic(k, &one), MANYCHAIN_OK);
    EXPECT_EQ(one.of_probability, std::strstr(one.name, "quantile") != nullptr) << one.name;
    EXPECT_EQ(manychain_diagnose(one.name, 0.5, &of, 0, results), MANYCHAIN_OK) << one.name;
    EXPECT_TRUE(std::isfinite(results[0])) << one.name;
  }
  manychain_diagnostic none;
  EXPECT_EQ(manychain_get_diagnostic(manychain_diagnostic_count(), &none), MANYCHAIN_BAD_INPUT);
}

TEST_F(CDiagnostics, Refuses) {
  refused(manychain_diagnose("ess_bluk", 0, &of, 0, results),
          "name: there is no diagnostic ess_bluk; did you mean ess_bulk?");
  refused(manychain_diagnose(nullptr, 0, &of, 0, results), "name: give that of a diagnostic, not NULL");
  refused(manychain_diagnose("rhat", 0, nullptr, 0, results), "of: give the draws, not NULL");
  refused(manychain_diagnose("rhat", 0, &of, 0, nullptr), "results: give the address of room for them, not NULL");
  refused(manychain_diagnose("rhat", 0, &of, -1, results), "threads: -1 is not allowed; 0 takes all there are");
  refused(manychain_diagnose("quantile", 1.5, &of, 0, results),
          "quantile: 1.500000 is not a probability; give one from 0 to 1");
  of.chains = size_t{1} << 62;
  refused(manychain_diagnose("rhat", 0, &of, 0, results), "of: more numbers than memory can hold");
  of = {nullptr, chains, draws, variables};
  refused(manychain_diagnose("rhat", 0, &of, 0, results), "of: give the address of the values, not NULL");
  of = {values.data(), chains, draws, 1};
  refused(manychain_rhat_nested(&of, nullptr, 1, 0, results), "superchains: give a label for each chain, not NULL");
  refused(manychain_autocorrelation(&of, draws, results), "max_lag: 40 is not below the number of draws, 40");
  of.variables = 2;
  refused(manychain_ebfmi(&of, results), "of: energies are one variable, not 2");
  of = {nullptr, 0, 0, variables};  // nothing is no fault
  EXPECT_EQ(manychain_diagnose("rhat", 0, &of, 0, results), MANYCHAIN_OK);
  EXPECT_TRUE(std::isnan(results[2]));
}

TEST_F(CDiagnostics, VectorsOfAVariable) {
  std::vector<double> lags(variables * 4);
  ASSERT_EQ(manychain_autocorrelation(&of, 3, lags.data()), MANYCHAIN_OK);
  EXPECT_EQ(lags[4], 1);
  EXPECT_EQ(lags[7], manychain::diagnostics::autocorrelation(variable(1), 3)[3]);
  of.variables = 1;
  std::vector<double> fractions(chains);
  ASSERT_EQ(manychain_ebfmi(&of, fractions.data()), MANYCHAIN_OK);
  EXPECT_TRUE(std::isfinite(fractions[chains - 1]));
}

TEST(CCheck, SaysWhatWasFound) {
  manychain_model* model = nullptr;
  ASSERT_EQ(manychain_builtin_model("eight_schools", nullptr, &model), MANYCHAIN_OK);
  int passed = 0;
  const char *table = nullptr, *json = nullptr;
  ASSERT_EQ(manychain_check_model(model, &passed, &table, &json), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(passed, 1);
  EXPECT_EQ(std::string(table).find("Right: model eight_schools"), 0u) << table;
  EXPECT_NE(std::strstr(json, "\"passed\": true"), nullptr) << json;
  EXPECT_EQ(manychain_check_model(model, nullptr, nullptr, nullptr), MANYCHAIN_OK);
  EXPECT_EQ(manychain_check_model(nullptr, &passed, nullptr, nullptr), MANYCHAIN_BAD_INPUT);
  manychain_model_free(model);
}

class CStores : public testing::Test {
 protected:
  CStores() {
    std::string name = testing::TempDir() + "c_stores.XXXXXX";
    folder = ::mkdtemp(name.data());
    store = (folder / "run.zarr").string();
    EXPECT_EQ(manychain_builtin_model("eight_schools", nullptr, &model), MANYCHAIN_OK);
    for (const auto& [setting, value] :
         {std::pair("chains", "64"), std::pair("warmup", "50"), std::pair("draws", "30"), std::pair("seed", "3")})
      EXPECT_EQ(manychain_set(settings, setting, value), MANYCHAIN_OK);
  }
  ~CStores() override {
    manychain_model_free(model);
    manychain_named_settings_free(settings);
    std::filesystem::remove_all(folder);
  }
  std::vector<float> draws_of(manychain_result* result) const {
    manychain_view view{};
    EXPECT_EQ(manychain_get_view(result, MANYCHAIN_DRAWS, &view), MANYCHAIN_OK) << manychain_last_error();
    const auto* const data = static_cast<const float*>(view.data);
    std::vector<float> copy(data, data + view.draws * view.rows * view.chains);
    manychain_free(result);
    return copy;
  }

  std::filesystem::path folder;
  std::string store;
  manychain_model* model = nullptr;
  manychain_named_settings* settings = manychain_named_settings_new();
};

TEST_F(CStores, GoOn) {
  ASSERT_EQ(manychain_set_store(settings, store.c_str(), 10), MANYCHAIN_OK) << manychain_last_error();
  ASSERT_EQ(manychain_add_store_fact(settings, "colour", "\"blue\""), MANYCHAIN_OK);
  manychain_result* result = nullptr;
  ASSERT_EQ(manychain_sample_model(model, settings, &result), MANYCHAIN_OK) << manychain_last_error();
  manychain_free(result);
  const char* json = nullptr;
  ASSERT_EQ(manychain_store_facts(store.c_str(), &json), MANYCHAIN_OK);
  EXPECT_STREQ(json, R"({"colour":"\"blue\""})");

  EXPECT_EQ(manychain_resume_model(model, store.c_str(), nullptr, 20, &result), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(manychain_draws(result), 50u);
  const std::vector<float> resumed = draws_of(result);
  manychain_named_settings* const whole = manychain_named_settings_new();
  for (const auto& [setting, value] :
       {std::pair("chains", "64"), std::pair("warmup", "50"), std::pair("draws", "50"), std::pair("seed", "3")})
    EXPECT_EQ(manychain_set(whole, setting, value), MANYCHAIN_OK);
  EXPECT_EQ(manychain_sample_model(model, whole, &result), MANYCHAIN_OK);
  EXPECT_EQ(resumed, draws_of(result));

  EXPECT_EQ(manychain_set_store(settings, (folder / "other.zarr").c_str(), 10), MANYCHAIN_OK);
  EXPECT_EQ(manychain_resume_model(model, store.c_str(), settings, 0, &result), MANYCHAIN_BAD_INPUT);
  EXPECT_EQ(result, nullptr);
  EXPECT_NE(std::strstr(manychain_last_error(), "a run goes on where it was stored"), nullptr);
  manychain_named_settings_free(whole);
}

// The draws are read back when they are first asked for.
TEST_F(CStores, HaveDrawsThatAreNotInMemory) {
  manychain_result* result = nullptr;
  ASSERT_EQ(manychain_sample_model(model, settings, &result), MANYCHAIN_OK) << manychain_last_error();
  const std::vector<float> whole = draws_of(result);
  ASSERT_EQ(manychain_set_store(settings, store.c_str(), 10), MANYCHAIN_OK);
  ASSERT_EQ(manychain_set_store_memory(settings, 3000), MANYCHAIN_OK);
  ASSERT_EQ(manychain_sample_model(model, settings, &result), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(manychain_draws(result), 30u);
  manychain_view stats;
  ASSERT_EQ(manychain_get_view(result, MANYCHAIN_STATS, &stats), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(stats.draws, 30u);
  EXPECT_EQ(draws_of(result), whole);

  ASSERT_EQ(manychain_set(settings, "draws", "50"), MANYCHAIN_OK);
  ASSERT_EQ(manychain_resume_model(model, store.c_str(), settings, 0, &result), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(manychain_draws(result), 50u);
  std::filesystem::remove_all(store);
  EXPECT_EQ(manychain_get_view(result, MANYCHAIN_DRAWS, &stats), MANYCHAIN_BAD_INPUT);
  EXPECT_NE(std::strstr(manychain_last_error(), store.c_str()), nullptr) << manychain_last_error();
  manychain_free(result);
}

TEST_F(CStores, Refuse) {
  refused(manychain_set_store(settings, "draws.nc", 10), "draws.nc: the name of a store ends in .zarr");
  refused(manychain_set_store(settings, "a.zarr", 0), "seconds: 0.000000 is not allowed; give some above 0");
  refused(manychain_set_store_memory(settings, 0), "bytes: 0.000000 is not allowed; give some above 0");
  refused(manychain_set_store(settings, nullptr, 1), "path: give the name of a folder, NAME.zarr, not NULL");
  EXPECT_EQ(manychain_set_store(nullptr, "a.zarr", 1), MANYCHAIN_BAD_INPUT);
  refused(manychain_add_store_fact(settings, "a", nullptr), "text: give one, not NULL");
  const char* json = nullptr;
  EXPECT_EQ(manychain_store_facts(store.c_str(), &json), MANYCHAIN_BAD_INPUT);
  manychain_result* result = nullptr;
  EXPECT_EQ(manychain_resume_model(model, store.c_str(), nullptr, 0, &result), MANYCHAIN_BAD_INPUT);
  EXPECT_EQ(manychain_resume_model(nullptr, store.c_str(), nullptr, 0, &result), MANYCHAIN_BAD_INPUT);
}

}  // namespace
