// The C interface by handles: models, settings by name, what a result tells; NULLs and wrong values are statuses.
// tests/python uses it from Python.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "manychain/manychain.h"
#include "manychain/run/settings.hpp"
#include "run/setting_table.hpp"
#include "run/setting_text.hpp"
#include "unit/run/c_refused.hpp"

namespace {

using namespace manychain;

struct Freed {
  manychain_model* model = nullptr;
  manychain_named_settings* settings = manychain_named_settings_new();
  manychain_data* data = manychain_data_new();
  manychain_result* result = nullptr;
  Freed() {
    for (const auto& [name, value] :
         {std::pair("chains", "64"), std::pair("warmup", "100"), std::pair("draws", "50"), std::pair("seed", "3")})
      EXPECT_EQ(manychain_set(settings, name, value), MANYCHAIN_OK) << manychain_last_error();
  }
  Freed(const Freed&) = delete;
  Freed& operator=(const Freed&) = delete;
  ~Freed() {
    manychain_free(result);
    manychain_model_free(model);
    manychain_data_free(data);
    manychain_named_settings_free(settings);
  }
};

int slopes(size_t points, size_t dimension, const double* positions, double* log_densities, double* gradients,
           void* user) {
  for (size_t k = 0; k < points; ++k) {
    log_densities[k] = 0;
    for (size_t i = 0; i < dimension; ++i) {
      const double x = positions[k * dimension + i];
      log_densities[k] -= 0.5 * x * x;
      gradients[k * dimension + i] = -x;
    }
  }
  return user ? 7 : 0;
}

TEST(CHandles, BuiltinModelWithItsData) {
  Freed all;
  ASSERT_EQ(manychain_builtin_model("eight_schools", nullptr, &all.model), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_STREQ(manychain_model_name(all.model), "eight_schools");
  EXPECT_EQ(manychain_model_dimension(all.model), 10u);
  EXPECT_EQ(manychain_model_outputs(all.model), 18u);
  ASSERT_EQ(manychain_model_quantities(all.model), 4u);
  manychain_quantity theta;
  ASSERT_EQ(manychain_model_quantity(all.model, 3, &theta), MANYCHAIN_OK);
  EXPECT_STREQ(theta.name, "theta");
  ASSERT_EQ(theta.rank, 1u);
  EXPECT_EQ(theta.shape[0], 8u);
  EXPECT_EQ(theta.offset, 10u);
  EXPECT_EQ(theta.size, 8u);
  EXPECT_EQ(theta.kind, MANYCHAIN_DERIVED);
  ASSERT_EQ(manychain_sample_model(all.model, all.settings, &all.result), MANYCHAIN_OK) << manychain_last_error();

  manychain_view draws, stats;
  ASSERT_EQ(manychain_get_view(all.result, MANYCHAIN_DRAWS, &draws), MANYCHAIN_OK);
  EXPECT_EQ(draws.bytes, sizeof(float));
  EXPECT_EQ(draws.draws * draws.rows * draws.chains, 50u * 18u * 64u);
  double sum = 0;
  for (size_t d = 0; d < draws.draws; ++d)
    for (size_t c = 0; c < draws.chains; ++c)
      sum += static_cast<const float*>(draws.data)[(d * draws.rows + theta.offset) * draws.chains + c];
  std::vector<double> summary(18 * manychain_summary_columns());
  ASSERT_EQ(manychain_get_summary_matrix(all.result, summary.data(), summary.size()), MANYCHAIN_OK);
  EXPECT_STREQ(manychain_summary_column(0), "mean");
  EXPECT_STREQ(manychain_output_name(all.result, theta.offset), "theta[1]");
  EXPECT_NEAR(sum / (50 * 64), summary[theta.offset * manychain_summary_columns()], 1e-5);
  ASSERT_EQ(manychain_get_view(all.result, MANYCHAIN_STATS, &stats), MANYCHAIN_OK);
  EXPECT_EQ(stats.rows, 4u);
  EXPECT_STREQ(manychain_stat_name(3), "diverging");
  EXPECT_STREQ(manychain_stat_name(4), "");
  EXPECT_NE(std::strstr(manychain_json(all.result), "\"model\": \"eight_schools\""), nullptr);
  EXPECT_EQ(std::string(manychain_table(all.result)).find(manychain_headline(all.result)), 0u);
  refused(manychain_get_summary_matrix(all.result, summary.data(), 3),
          "values: room for 3 numbers, there are 216 = outputs x columns");
}

TEST(CHandles, TakesDataAsArraysAndAsJson) {
  Freed all;
  const double y[] = {28, 8, -3, 7}, sigma[] = {15, 10, 16, 11}, J = 4;
  const size_t four = 4;
  EXPECT_EQ(manychain_data_set(all.data, "y", y, 1, &four), MANYCHAIN_OK);
  EXPECT_EQ(manychain_data_set(all.data, "sigma", sigma, 1, &four), MANYCHAIN_OK);
  refused(manychain_builtin_model("eight_schools", all.data, &all.model),
          "variable does not exist: J; the data have sigma, y");
  EXPECT_EQ(all.model, nullptr);
  EXPECT_EQ(manychain_data_set(all.data, "J", &J, 0, nullptr), MANYCHAIN_OK);
  ASSERT_EQ(manychain_builtin_model("eight_schools", all.data, &all.model), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(manychain_model_dimension(all.model), 6u);
  EXPECT_EQ(manychain_data_add_json(all.data, "{\"J\": 3}"), MANYCHAIN_BAD_INPUT);
  EXPECT_EQ(manychain_data_add_json(all.data, "{\"J\": "), MANYCHAIN_BAD_INPUT);
  EXPECT_EQ(manychain_data_add_file(all.data, "/no/such/file.json"), MANYCHAIN_BAD_INPUT);
  const size_t beyond[] = {size_t{1} << 40, size_t{1} << 40};
  refused(manychain_data_set(all.data, "y", y, 2, beyond), "shape: more elements than memory can hold");
  manychain_model* none = all.model;  // its own would be lost
  EXPECT_EQ(manychain_builtin_model("eight_school", nullptr, &none), MANYCHAIN_BAD_INPUT);
  EXPECT_EQ(none, nullptr);
}

TEST(CHandles, ListsTheTableOfSettings) {
  size_t count = 0;
  for_each_setting([&](const auto& row) {
    manychain_setting setting;
    ASSERT_EQ(manychain_get_setting(count++, &setting), MANYCHAIN_OK);
    EXPECT_STREQ(setting.name, row.name);
    EXPECT_EQ(setting.default_value, row.text(default_settings()));
    EXPECT_STREQ(setting.help, row.help);
  });
  EXPECT_EQ(manychain_setting_count(), count);
  EXPECT_EQ(manychain_get_setting(count, nullptr), MANYCHAIN_BAD_INPUT);
}

/// Every setting takes the text that it gives.
TEST(CHandles, SettingsGoThroughTheirTexts) {
  Settings settings;
  settings.sampling.schedule = StepSchedule{1e-5, 2, 0.55};
  settings.sampling.step_size = 0.1;
  settings.sampling.integrator = Integrator::two_stage;
  settings.output.keep_draws = false;
  settings.output.keep_sample_stats = false;
  settings.seed = std::numeric_limits<std::uint64_t>::max();
  settings.warmup.initial_radius = 0.1 + 0.2;
  Settings again;
  for_each_setting([&](const auto& row) {
    if (const std::string text = row.text(settings); !text.empty()) set_from_text(again, row.name, text);
  });
  for_each_setting([&](const auto& row) { EXPECT_EQ(row.text(again), row.text(settings)) << row.name; });
  set_from_text(again, "step_size", "auto");
  EXPECT_FALSE(again.sampling.step_size);
}

TEST(CHandles, RefusesWhatIsNoSetting) {
  Freed all;
  refused(manychain_set(all.settings, "chain", "3"), "there is no setting chain; did you mean chains?");
  refused(manychain_set(all.settings, "chains", "3.5"), "chains: \"3.5\" is not a whole number from 0 to 2^64 - 1");
  refused(manychain_set(all.settings, "chains", "auto"), "chains: \"auto\" is not a whole number from 0 to 2^64 - 1");
  refused(manychain_set(all.settings, "threads", "many"), "threads: \"many\" is not a whole number that an int holds");
  refused(manychain_set(all.settings, "step_size", "1e-1x"), "step_size: \"1e-1x\" is not a number");
  refused(manychain_set(all.settings, "scalar", "yes"), "scalar: \"yes\" is neither true nor false");
  refused(manychain_set(all.settings, "schedule", "1,2"),
          "schedule: \"1,2\" is not three numbers a,b,gamma, for example 1e-5,1,0.55");
  EXPECT_EQ(manychain_set(all.settings, "metric", "dens"), MANYCHAIN_BAD_INPUT);
  EXPECT_NE(std::strstr(manychain_last_error(), "did you mean dense?"), nullptr);
}

TEST(CHandles, BatchesAreThePointsOfAllChains) {
  Freed all;
  ASSERT_EQ(manychain_batch_model(2, nullptr, slopes, nullptr, 0, &all.model), MANYCHAIN_OK);
  ASSERT_EQ(manychain_sample_model(all.model, all.settings, &all.result), MANYCHAIN_OK) << manychain_last_error();
  manychain_view draws;
  ASSERT_EQ(manychain_get_view(all.result, MANYCHAIN_DRAWS, &draws), MANYCHAIN_OK);
  EXPECT_EQ(draws.bytes, sizeof(double));
  EXPECT_EQ(manychain_check_model_gradient(all.model), MANYCHAIN_OK) << manychain_last_error();
  manychain_model_free(all.model);
  ASSERT_EQ(manychain_batch_model(2, nullptr, slopes, &all, 0, &all.model), MANYCHAIN_OK);
  manychain_free(all.result);
  EXPECT_EQ(manychain_sample_model(all.model, all.settings, &all.result), MANYCHAIN_SAMPLING_FAILED);
  EXPECT_STREQ(manychain_last_error(), "the density ended the run: it returned 7");
  EXPECT_EQ(all.result, nullptr);
}

TEST(CHandles, ThePageNeedsNothingButItself) {
  Freed all;
  ASSERT_EQ(manychain_builtin_model("normal", nullptr, &all.model), MANYCHAIN_OK) << manychain_last_error();
  ASSERT_EQ(manychain_sample_model(all.model, all.settings, &all.result), MANYCHAIN_OK) << manychain_last_error();
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "manychain_page";
  std::filesystem::create_directory(folder);
  ASSERT_EQ(manychain_write_report(all.result, (folder / "page.html").c_str()), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(manychain_write_report(all.result, "/no/such/folder/page.html"), MANYCHAIN_BAD_INPUT);
}

TEST(CHandles, RefuseNull) {
  Freed all;
  const char* const no_model = "model: give one that a function of this interface has made, not NULL";
  const char* const no_settings = "settings: give what manychain_named_settings_new() has made, not NULL";
  const char* const no_data = "data: give what manychain_data_new() has made, not NULL";
  const char* const no_result = "result: give one that manychain_sample() has made, not NULL";
  const double x = 0;
  refused(manychain_data_set(nullptr, "x", &x, 0, nullptr), no_data);
  refused(manychain_data_set(all.data, nullptr, &x, 0, nullptr), "name: give that of a variable, not NULL");
  refused(manychain_data_set(all.data, "x", nullptr, 0, nullptr),
          "values: give as many numbers as the shape has, not NULL");
  refused(manychain_data_set(all.data, "x", &x, 1, nullptr), "shape: give as many extents as the rank says, not NULL");
  refused(manychain_data_add_json(all.data, nullptr), "json: give a text, not NULL");
  refused(manychain_data_add_file(nullptr, "x"), no_data);
  refused(manychain_builtin_model(nullptr, nullptr, &all.model), "name: give that of a built-in model, not NULL");
  refused(manychain_builtin_model("normal", nullptr, nullptr), "model: give the address of a pointer, not NULL");
  refused(manychain_get_builtin(0, nullptr), "builtin: give the address of one, not NULL");
  refused(manychain_batch_model(1, nullptr, nullptr, nullptr, 0, &all.model), "batch: give a function, not NULL");
  refused(manychain_batch_model_of_precisions(1, nullptr, slopes, nullptr, nullptr, 0, &all.model),
          "single: give a function, not NULL");
  refused(manychain_density_model(1, nullptr, nullptr, nullptr, 0, &all.model), "density: give a function, not NULL");
  refused(manychain_logp_model(1, nullptr, nullptr, nullptr, 0, &all.model), "logp: give a function, not NULL");
  refused(manychain_stan_model(nullptr, nullptr, 0, &all.model), "library: give the name of a file, not NULL");
  refused(manychain_check_model_gradient(nullptr), no_model);
  EXPECT_STREQ(manychain_model_name(nullptr), "");
  EXPECT_STREQ(manychain_last_error(), no_model);
  EXPECT_EQ(manychain_model_dimension(nullptr) + manychain_model_outputs(nullptr) + manychain_model_quantities(nullptr),
            0u);
  manychain_quantity quantity;
  refused(manychain_model_quantity(nullptr, 0, &quantity), no_model);
  refused(manychain_set(nullptr, "chains", "3"), no_settings);
  refused(manychain_set(all.settings, nullptr, "3"), "name: give that of a setting, not NULL");
  refused(manychain_set(all.settings, "chains", nullptr), "value: give a text, not NULL");
  refused(manychain_set_initial_points(all.settings, nullptr, 3),
          "points: give the address of the first number, not NULL");
  refused(manychain_add_initial_values(all.settings, nullptr), "json: give a text, not NULL");
  refused(manychain_set_watch(nullptr, nullptr, nullptr), no_settings);
  refused(manychain_sample_model(nullptr, all.settings, &all.result), no_model);
  refused(manychain_sample_model(nullptr, all.settings, nullptr), "result: give the address of a pointer, not NULL");
  EXPECT_STREQ(manychain_headline(nullptr), "");
  EXPECT_STREQ(manychain_json(nullptr), "");
  EXPECT_STREQ(manychain_output_name(nullptr, 0), "");
  EXPECT_EQ(manychain_findings(nullptr) + manychain_quantities(nullptr), 0u);
  EXPECT_STREQ(manychain_last_error(), no_result);
  manychain_finding finding;
  manychain_view view;
  refused(manychain_get_finding(nullptr, 0, &finding), no_result);
  refused(manychain_get_quantity(nullptr, 0, &quantity), no_result);
  refused(manychain_get_view(nullptr, MANYCHAIN_DRAWS, &view), no_result);
  double value = 0;
  refused(manychain_get_summary_matrix(nullptr, &value, 1), no_result);
  refused(manychain_write_report(nullptr, "page.html"), no_result);
  EXPECT_STREQ(manychain_summary_column(1000), "");
  manychain_data_free(nullptr);
  manychain_model_free(nullptr);
  manychain_named_settings_free(nullptr);
}

/// The numbers of draws that a watch saw.
struct Seen {
  std::vector<size_t> draws;
  std::vector<float> last;
};
int look(const manychain_progress* progress, void* user) {
  Seen& seen = *static_cast<Seen*>(user);
  manychain_result* so_far = nullptr;
  EXPECT_EQ(manychain_draws_so_far(progress, &so_far), MANYCHAIN_OK) << manychain_last_error();
  manychain_view view{};
  EXPECT_EQ(manychain_get_view(so_far, MANYCHAIN_DRAWS, &view), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(view.draws, manychain_draws(so_far));
  EXPECT_STREQ(manychain_output_name(so_far, 10), "theta[1]");
  seen.draws.push_back(view.draws);
  const float* const values = static_cast<const float*>(view.data);
  seen.last.assign(values, values + view.draws * view.rows * view.chains);
  manychain_free(so_far);
  return 0;
}

TEST(CHandles, AWatchSeesTheDrawsSoFar) {
  Freed all;
  Seen seen;
  ASSERT_EQ(manychain_builtin_model("eight_schools", nullptr, &all.model), MANYCHAIN_OK);
  EXPECT_EQ(manychain_set_watch(all.settings, look, &seen), MANYCHAIN_OK);
  ASSERT_EQ(manychain_sample_model(all.model, all.settings, &all.result), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(seen.draws.front(), 0u);
  EXPECT_EQ(seen.draws.back(), 50u);
  manychain_view view;
  ASSERT_EQ(manychain_get_view(all.result, MANYCHAIN_DRAWS, &view), MANYCHAIN_OK);
  EXPECT_EQ(std::memcmp(view.data, seen.last.data(), seen.last.size() * sizeof(float)), 0);
  const manychain_progress nothing{};
  manychain_result* none = nullptr;
  refused(manychain_draws_so_far(nullptr, &none), "progress: give what a watch got, not NULL");
  refused(manychain_draws_so_far(&nothing, &none), "draws: there is no run whose draws are known yet");
}

using Told = std::vector<std::pair<std::string, double>>;
int note(const manychain_progress* progress, void* user) {
  static_cast<Told*>(user)->emplace_back(progress->phase, progress->seconds);
  return 0;
}

TEST(CHandles, AWatchIsCalledSeldom) {
  Freed all;
  Told told;
  ASSERT_EQ(manychain_builtin_model("eight_schools", nullptr, &all.model), MANYCHAIN_OK);
  EXPECT_EQ(manychain_set(all.settings, "blocks_per_second", "1"), MANYCHAIN_OK);
  EXPECT_EQ(manychain_set_watch(all.settings, note, &told), MANYCHAIN_OK);
  ASSERT_EQ(manychain_sample_model(all.model, all.settings, &all.result), MANYCHAIN_OK) << manychain_last_error();
  std::set<std::string> phases;
  for (const auto& [phase, seconds] : told) phases.insert(phase);
  EXPECT_EQ(phases, (std::set<std::string>{"diagnostics", "sampling", "warmup"}));
  for (std::size_t k = 1; k < told.size(); ++k)
    if (told[k].first == told[k - 1].first) {
      EXPECT_GE(told[k].second - told[k - 1].second, 0.0999) << k;
    }
}

// Studies of a model: the evidence, calibration, parts of a run. tests/python holds them against the command line.

void fails(manychain_status status, manychain_status expected, const char* part) {
  EXPECT_EQ(status, expected) << part;
  EXPECT_NE(std::strstr(manychain_last_error(), part), nullptr) << manychain_last_error() << ", expected: " << part;
}
int normals(size_t dimension, const double* position, double* gradient, double* logp, void*) {
  *logp = 0;
  for (size_t i = 0; i < dimension; ++i) {
    *logp -= 0.5 * position[i] * position[i];
    gradient[i] = -position[i];
  }
  return 0;
}

int count_calls(const manychain_progress* progress, void* user) {
  EXPECT_NE(std::strlen(progress->phase), 0u);
  ++*static_cast<int*>(user);
  return 0;
}
int end(const manychain_progress*, void*) { return 1; }

struct Study : testing::Test {
  manychain_model* model = nullptr;
  manychain_named_settings* settings = manychain_named_settings_new();
  void SetUp() override {
    EXPECT_EQ(manychain_set(settings, "chains", "128"), MANYCHAIN_OK);
    EXPECT_EQ(manychain_set(settings, "seed", "3"), MANYCHAIN_OK);
    ASSERT_EQ(manychain_logp_model(3, nullptr, normals, nullptr, 3, &model), MANYCHAIN_OK);
  }
  void TearDown() override {
    manychain_model_free(model);
    manychain_named_settings_free(settings);
  }
};

TEST_F(Study, EvidenceIsKnown) {
  int trusted = -1, calls = 0;
  const char *table = nullptr, *json = nullptr;
  ASSERT_EQ(manychain_evidence(model, settings, &trusted, &table, &json), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(trusted, 1);
  double log_z = 0, error = 0;
  ASSERT_EQ(std::sscanf(table, "log Z = %lf +- %lf", &log_z, &error), 2) << table;
  EXPECT_NEAR(log_z, 1.5 * std::log(2 * 3.14159265358979), 4 * error);
  EXPECT_NE(std::strstr(json, "\"seed\": 3"), nullptr);
  // A watch changes nothing.
  const std::string before(table);
  EXPECT_EQ(manychain_set_watch(settings, count_calls, &calls), MANYCHAIN_OK);
  ASSERT_EQ(manychain_evidence(model, settings, nullptr, &table, nullptr), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(before, table);
  EXPECT_GT(calls, 0);
}

TEST_F(Study, AWatchEndsIt) {
  EXPECT_EQ(manychain_set(settings, "draws", "1000000"), MANYCHAIN_OK);
  EXPECT_EQ(manychain_set_watch(settings, end, nullptr), MANYCHAIN_OK);
  fails(manychain_evidence(model, settings, nullptr, nullptr, nullptr), MANYCHAIN_SAMPLING_FAILED, "cancelled");
}

TEST_F(Study, WhatCannotBeIsRefused) {
  fails(manychain_evidence(nullptr, settings, nullptr, nullptr, nullptr), MANYCHAIN_BAD_INPUT, "model: give one");
  fails(manychain_calibrate(nullptr, 0, nullptr, nullptr, nullptr, nullptr), MANYCHAIN_BAD_INPUT, "model: give one");
  fails(manychain_calibrate(model, 0, nullptr, nullptr, nullptr, nullptr), MANYCHAIN_BAD_INPUT, "its prior");
  EXPECT_EQ(manychain_set(settings, "thin", "0"), MANYCHAIN_OK);
  fails(manychain_evidence(model, settings, nullptr, nullptr, nullptr), MANYCHAIN_BAD_INPUT, "thin");
  manychain_result* result = nullptr;
  const char* parts[] = {"nowhere.zarr", nullptr};
  fails(manychain_merge_model(model, "all.zarr", parts, 0, nullptr, &result), MANYCHAIN_BAD_INPUT,
        "parts: there are none");
  fails(manychain_merge_model(model, "all.zarr", parts, 2, nullptr, &result), MANYCHAIN_BAD_INPUT,
        "parts: give a name for each");
  fails(manychain_merge_model(model, "all.nc", parts, 1, nullptr, &result), MANYCHAIN_BAD_INPUT, "ends in .zarr");
  fails(manychain_merge_model(model, "all.zarr", parts, 1, nullptr, &result), MANYCHAIN_BAD_INPUT, "nowhere.zarr");
  fails(manychain_merge_model(model, "all.zarr", nullptr, 1, nullptr, &result), MANYCHAIN_BAD_INPUT,
        "parts: give their names");
  EXPECT_EQ(result, nullptr);
}

TEST(CHandles, DrawsOnADeviceOfARunWithoutOne) {
  Freed all;
  ASSERT_EQ(manychain_builtin_model("eight_schools", nullptr, &all.model), MANYCHAIN_OK);
  ASSERT_EQ(manychain_set(all.settings, "backend", "cpu"), MANYCHAIN_OK);
  ASSERT_EQ(manychain_sample_model(all.model, all.settings, &all.result), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(manychain_has_device_draws(all.result), 0);
  manychain_device_array array{};
  void* tensor = &array;
  refused(manychain_get_device_array(all.result, 0, &array), "draws on a device: none were kept; set keep_on_device");
  refused(manychain_device_dlpack(all.result, 0, &tensor), "draws on a device: none were kept; set keep_on_device");
  EXPECT_EQ(tensor, nullptr);
  ASSERT_EQ(manychain_set(all.settings, "keep_on_device", "true"), MANYCHAIN_OK) << manychain_last_error();
  manychain_result* none = nullptr;
  refused(manychain_sample_model(all.model, all.settings, &none),
          "keep_on_device: a run on the CPU has no draws on a device: leave it out, or take backend cuda (backend)");
}

}  // namespace
