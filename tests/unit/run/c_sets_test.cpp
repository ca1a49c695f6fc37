// The C interface: many data sets of one model, cross-validation, parts of a run. tests/python holds them against the
// command line.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "manychain/data_sets.h"
#include "manychain/manychain.h"
#include "unit/run/c_refused.hpp"

namespace {

using namespace manychain;

constexpr const char* three_sets =
    R"({"a": {"J": 2, "y": [1, 2], "sigma": [1, 1]}, "bad": {"J": 2, "y": [1], "sigma": [1, 1]},
        "b": {"J": 3, "y": [1, 2, 4], "sigma": [1, 1, 1]}})";

struct CSets : testing::Test {
  manychain_data_sets* sets = manychain_data_sets_new();
  manychain_named_settings* settings = manychain_named_settings_new();
  manychain_model* model = nullptr;
  manychain_sets_result* result = nullptr;
  manychain_result* one = nullptr;
  void SetUp() override {
    for (const auto& [name, value] :
         {std::pair("chains", "64"), std::pair("warmup", "100"), std::pair("draws", "20"), std::pair("seed", "3")})
      EXPECT_EQ(manychain_set(settings, name, value), MANYCHAIN_OK) << manychain_last_error();
    ASSERT_EQ(manychain_data_sets_add_json(sets, three_sets), MANYCHAIN_OK) << manychain_last_error();
    ASSERT_EQ(manychain_builtin_model_of_sets("eight_schools", sets, &model), MANYCHAIN_OK) << manychain_last_error();
  }
  void TearDown() override {
    manychain_free(one);
    manychain_sets_free(result);
    manychain_data_sets_free(sets);
    manychain_model_free(model);
    manychain_named_settings_free(settings);
  }
};

TEST_F(CSets, EachHasItsAnswer) {
  ASSERT_EQ(manychain_sample_sets(model, sets, settings, 1e6, &result), MANYCHAIN_OK) << manychain_last_error();
  const manychain_sets_counts counts = manychain_get_sets_counts(result);
  EXPECT_EQ(counts.sets, 3u);
  EXPECT_EQ(counts.sampled, 2u);
  EXPECT_EQ(counts.refused, 1u);
  EXPECT_EQ(counts.cancelled + counts.draws_left_out, 0);
  EXPECT_NE(std::strstr(manychain_sets_table(result), "bad (refused): "), nullptr) << manychain_sets_table(result);
  EXPECT_NE(std::strstr(manychain_sets_json(result), "\"refused\": 1"), nullptr);
  manychain_set_facts facts{};
  ASSERT_EQ(manychain_get_set(result, 1, &facts), MANYCHAIN_OK);
  EXPECT_STREQ(facts.name, "bad");
  EXPECT_STREQ(facts.state, "refused");
  EXPECT_EQ(facts.place, 0u);
  EXPECT_EQ(facts.seed, 4u);
  EXPECT_TRUE(std::isnan(facts.largest_rhat));
  refused(manychain_set_result(result, 1, &one), "set bad: there are no draws and no summary: it was refused");
  ASSERT_EQ(manychain_get_set(result, 2, &facts), MANYCHAIN_OK);
  EXPECT_STREQ(facts.state, "sampled");
  EXPECT_EQ(facts.draws, 20u);
  ASSERT_EQ(manychain_set_result(result, 2, &one), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(manychain_outputs(one), 8u);
  EXPECT_EQ(manychain_chains(one), 64u);
  EXPECT_EQ(manychain_draws(one), 20u);
  EXPECT_EQ(manychain_converged(one), facts.converged);
  EXPECT_STREQ(manychain_output_name(one, 5), "theta[1]");
  manychain_view view{};
  ASSERT_EQ(manychain_get_view(one, MANYCHAIN_DRAWS, &view), MANYCHAIN_OK);
  double sum = 0;
  for (size_t draw = 0; draw < view.draws; ++draw)
    for (size_t chain = 0; chain < view.chains; ++chain)
      sum += static_cast<const double*>(view.data)[draw * view.rows * view.chains + chain];
  manychain_summary summary{};
  ASSERT_EQ(manychain_get_summary(one, 0, &summary), MANYCHAIN_OK);
  EXPECT_NEAR(sum / (20 * 64), summary.mean, 1e-12);
}

int end_sets(const manychain_progress* progress, void* user) {
  EXPECT_STREQ(progress->phase, "data sets");
  EXPECT_EQ(progress->total, 3u);
  ++*static_cast<int*>(user);
  return 1;
}
TEST_F(CSets, AWatchEndsThem) {
  int calls = 0;
  EXPECT_EQ(manychain_set(settings, "draws", "1000000"), MANYCHAIN_OK);
  EXPECT_EQ(manychain_set_watch(settings, end_sets, &calls), MANYCHAIN_OK);
  ASSERT_EQ(manychain_sample_sets(model, sets, settings, 0, &result), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(manychain_get_sets_counts(result).cancelled, 1);
  EXPECT_EQ(manychain_get_sets_counts(result).left_out, 2u);
  EXPECT_GT(calls, 0);
}

int look_at_sets(const manychain_progress* at, void* seen) {
  manychain_sets_result* so_far = nullptr;
  EXPECT_EQ(manychain_sets_so_far(at, &so_far), MANYCHAIN_OK) << manychain_last_error();
  *static_cast<manychain_sets_counts*>(seen) = manychain_get_sets_counts(so_far);
  manychain_sets_free(so_far);
  return 0;
}
TEST_F(CSets, AWatchSeesThoseThatAreDone) {
  manychain_sets_counts seen{};
  EXPECT_EQ(manychain_set_watch(settings, look_at_sets, &seen), MANYCHAIN_OK);
  ASSERT_EQ(manychain_sample_sets(model, sets, settings, 0, &result), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(seen.sets, 3u) << "the last look is behind the run";
  EXPECT_EQ(seen.sampled, manychain_get_sets_counts(result).sampled);
  EXPECT_EQ(seen.converged, manychain_get_sets_counts(result).converged);
  EXPECT_EQ(seen.left_out + seen.cancelled, 0u);
  manychain_sets_result* none = nullptr;
  const manychain_progress nothing{};
  refused(manychain_sets_so_far(&nothing, &none), "sets: this is no run of data sets");
  refused(manychain_sets_so_far(nullptr, &none), "progress: give what a watch got, not NULL");
  EXPECT_EQ(none, nullptr);
}

TEST_F(CSets, RefuseWhatCannotBe) {
  refused(manychain_data_sets_add_json(sets, R"({"new": {"J": 1}, "b": {"J": 1}})"), "set b: it stands twice");
  EXPECT_EQ(manychain_data_sets_add_json(sets, R"({"new": {"J": 1}})"), MANYCHAIN_OK)
      << "nothing of the last was added";
  refused(manychain_data_sets_add(sets, "x", nullptr), "data: give what manychain_data_new() has made, not NULL");
  refused(manychain_data_sets_common(nullptr, nullptr), "sets: give what manychain_data_sets_new() has made, not NULL");
  refused(manychain_sample_sets(nullptr, sets, settings, 0, &result),
          "model: give one that a function of this interface has made, not NULL");
  refused(manychain_sample_sets(model, nullptr, settings, 0, &result),
          "sets: give what manychain_data_sets_new() has made, not NULL");
  refused(manychain_sample_sets(model, sets, settings, 0, nullptr), "result: give the address of a pointer, not NULL");
  refused(manychain_sample_sets(model, sets, settings, NAN, &result), "draw_bytes: nan is not allowed; give 0 or more");
  EXPECT_EQ(manychain_add_initial_values(settings, R"({"nu": 1})"), MANYCHAIN_OK);
  refused(manychain_sample_sets(model, sets, settings, 0, &result), "initial values: the model has no parameter nu");
  EXPECT_EQ(manychain_set_store(settings, "sets.zarr", 30), MANYCHAIN_OK);
  refused(manychain_sample_sets(model, sets, settings, 0, &result),
          "sets.zarr: data sets are written when all are done, and not stored");
  EXPECT_EQ(result, nullptr);
  EXPECT_EQ(manychain_get_sets_counts(nullptr).sets, 0u);
  EXPECT_STREQ(manychain_sets_table(nullptr), "");
  EXPECT_STREQ(manychain_last_error(), "result: give one that manychain_sample_sets() has made, not NULL");
  refused(manychain_write_sets(nullptr, "sets.nc"), manychain_last_error());
  manychain_model* none = nullptr;
  manychain_data_sets* empty = manychain_data_sets_new();
  refused(manychain_builtin_model_of_sets("eight_schools", empty, &none), "there are no data sets");
  manychain_data_sets_free(empty);
  refused(manychain_set_part(settings, 3, 2), "part: 3 of 2 is none: 3 of 16 is the third");
  refused(manychain_set_warmup_only(nullptr, 1),
          "settings: give what manychain_named_settings_new() has made, not NULL");
}

TEST_F(CSets, FoldsOfParametersAreRefused) {
  int converged = -1;
  EXPECT_EQ(manychain_cross_validate(model, 2, settings, &converged, nullptr, nullptr), MANYCHAIN_BAD_INPUT);
  EXPECT_NE(std::strstr(manychain_last_error(), "a row whose parameter is its own"), nullptr) << manychain_last_error();
  manychain_model* line = nullptr;
  ASSERT_EQ(manychain_builtin_model("linear_regression", nullptr, &line), MANYCHAIN_OK);
  const char *table = nullptr, *json = nullptr;
  EXPECT_EQ(manychain_cross_validate(line, 2, settings, &converged, &table, &json), MANYCHAIN_OK)
      << manychain_last_error();
  EXPECT_TRUE(converged == 0 || converged == 1);
  EXPECT_NE(std::strstr(table, "2 folds of "), nullptr);
  EXPECT_NE(std::strstr(json, "\"psis_loo\": {"), nullptr);
  manychain_model_free(line);
}

double about(const double* position, double* gradient, void* user) {
  const double from = position[0] - *static_cast<const double*>(user);
  gradient[0] = -from;
  return -0.5 * from * from;
}

/// Models of densities, one for each set: `ends` is returned in place of MANYCHAIN_OK for the set with that number.
struct Makes {
  std::vector<double> centres = {1, 2, 3};
  std::vector<manychain_model*> models = std::vector<manychain_model*>(3, nullptr);
  std::size_t ends_at = 99;
  int ends = MANYCHAIN_OK;
  bool says = true;
  ~Makes() {
    for (manychain_model* model : models) manychain_model_free(model);
  }
  static int of_set(size_t set, const manychain_data*, uint64_t seed, void* user, char* said, size_t size,
                    manychain_model** model) {
    auto* const self = static_cast<Makes*>(user);
    if (set == self->ends_at) {
      if (self->says) std::snprintf(said, size, "not set %d with seed %d", int(set), int(seed));
      return self->ends;
    }
    if (!self->models[set]) manychain_density_model(1, nullptr, about, &self->centres[set], 0, &self->models[set]);
    *model = self->models[set];
    return MANYCHAIN_OK;
  }
};

TEST_F(CSets, ModelsThatAFunctionMakes) {
  Makes makes;
  manychain_model* made = nullptr;
  const auto run = [&] {
    manychain_sets_free(result);
    result = nullptr;
    return manychain_sample_sets(made, sets, settings, 1e6, &result);
  };
  ASSERT_EQ(manychain_models_of_sets(Makes::of_set, &makes, sets, &made), MANYCHAIN_OK) << manychain_last_error();
  ASSERT_EQ(run(), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(manychain_get_sets_counts(result).sampled, 3u);
  manychain_summary summary{};
  for (std::size_t k = 0; k < 3; ++k) {
    ASSERT_EQ(manychain_set_result(result, k, &one), MANYCHAIN_OK);
    ASSERT_EQ(manychain_get_summary(one, 0, &summary), MANYCHAIN_OK);
    EXPECT_NEAR(summary.mean, makes.centres[k], 0.2);
    manychain_free(one);
    one = nullptr;
  }
  manychain_set_facts facts{};
  makes.ends_at = 1;
  makes.ends = MANYCHAIN_BAD_INPUT;
  ASSERT_EQ(run(), MANYCHAIN_OK) << manychain_last_error();
  ASSERT_EQ(manychain_get_set(result, 1, &facts), MANYCHAIN_OK);
  EXPECT_STREQ(facts.state, "refused");
  EXPECT_STREQ(facts.said, "not set 1 with seed 4");
  makes.says = false;
  ASSERT_EQ(run(), MANYCHAIN_OK) << manychain_last_error();
  ASSERT_EQ(manychain_get_set(result, 1, &facts), MANYCHAIN_OK);
  EXPECT_STREQ(facts.said, "the function that makes its model refused it");
  makes.ends = 7;
  EXPECT_EQ(run(), MANYCHAIN_SAMPLING_FAILED);
  EXPECT_NE(std::strstr(manychain_last_error(), "ended the run: it returned 7"), nullptr) << manychain_last_error();
  EXPECT_EQ(result, nullptr);
  manychain_model_free(made);
  made = nullptr;
  refused(manychain_models_of_sets(nullptr, nullptr, sets, &made), "make: give a function, not NULL");
  refused(manychain_stan_model_of_sets(nullptr, nullptr, sets, &made), "library: give the name of a file, not NULL");
  refused(
      manychain_stan_model_of_sets("./none.so", nullptr, sets, &made),
      "the model takes none of 3 data sets; the first, set a: ./none.so: cannot be read: No such file or directory");
}

}  // namespace
