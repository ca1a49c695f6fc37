// The C interface from C++: statuses and messages. tests/consumer/c uses it from C.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "manychain/manychain.h"

namespace {

double normal(const double* q, double* gradient, void*) {
  gradient[0] = -q[0];
  return -0.5 * q[0] * q[0];
}
double half_wrong(const double* q, double* gradient, void*) {
  gradient[0] = -0.5 * q[0];
  return -0.5 * q[0] * q[0];
}
double nowhere(const double*, double* gradient, void*) {
  gradient[0] = 0;
  return -INFINITY;
}
double throws(const double*, double*, void*) { throw std::runtime_error("from C++ behind C"); }

manychain_settings small() {
  manychain_settings settings = manychain_settings_default();
  settings.chains = 64;
  settings.warmup = 100;
  settings.draws = 50;
  settings.seed = 3;
  return settings;
}

TEST(CInterface, SamplesAndCopiesOut) {
  const manychain_settings settings = small();
  const char* names[] = {"x"};
  manychain_result* result = nullptr;
  ASSERT_EQ(manychain_sample(1, names, normal, nullptr, &settings, &result), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(manychain_dimension(result), 1u);
  EXPECT_EQ(manychain_chains(result), 64u);
  EXPECT_EQ(manychain_draws(result), 50u);
  manychain_summary summary;
  ASSERT_EQ(manychain_get_summary(result, 0, &summary), MANYCHAIN_OK);
  EXPECT_STREQ(summary.name, "x");
  EXPECT_NE(std::strstr(manychain_table(result), "ESS_bulk"), nullptr);
  EXPECT_GT(manychain_get_counts(result).gradients, 64u * 150u);

  std::vector<double> draws(50 * 64);
  ASSERT_EQ(manychain_get_draws(result, draws.data(), draws.size()), MANYCHAIN_OK);
  double sum = 0;
  for (double x : draws) sum += x;
  EXPECT_NEAR(sum / static_cast<double>(draws.size()), summary.mean, 1e-12);

  EXPECT_EQ(manychain_get_draws(result, draws.data(), 7), MANYCHAIN_BAD_INPUT);
  EXPECT_STREQ(manychain_last_error(), "draws: room for 7 numbers, there are 3200 = draws x outputs x chains");
  EXPECT_EQ(manychain_get_summary(result, 1, &summary), MANYCHAIN_BAD_INPUT);
  EXPECT_EQ(manychain_write_netcdf(result, "/no/such/folder/draws.nc"), MANYCHAIN_BAD_INPUT);
  manychain_free(result);
  manychain_free(nullptr);
}

TEST(CInterface, SaysWhatIsWrong) {
  manychain_result* result = nullptr;
  manychain_settings settings = small();
  EXPECT_EQ(manychain_sample(1, nullptr, normal, nullptr, &settings, nullptr), MANYCHAIN_BAD_INPUT);
  EXPECT_EQ(manychain_sample(1, nullptr, nullptr, nullptr, &settings, &result), MANYCHAIN_BAD_INPUT);
  EXPECT_STREQ(manychain_last_error(), "density: give a function, not NULL");
  EXPECT_EQ(manychain_sample(0, nullptr, normal, nullptr, &settings, &result), MANYCHAIN_BAD_INPUT);
  settings.sampler = "nuts";
  EXPECT_EQ(manychain_sample(1, nullptr, normal, nullptr, &settings, &result), MANYCHAIN_BAD_INPUT);
  settings = small();
  const double start = 0;
  settings.chains = 0;
  settings.initial_points = &start;
  EXPECT_EQ(manychain_sample(1, nullptr, normal, nullptr, &settings, &result), MANYCHAIN_BAD_INPUT);
  EXPECT_STREQ(manychain_last_error(),
               "chains: say how many starting points initial_points has; 0 leaves their number to the run");
  settings = small();
  EXPECT_EQ(manychain_sample(1, nullptr, nowhere, nullptr, &settings, &result), MANYCHAIN_SAMPLING_FAILED);
  EXPECT_EQ(manychain_sample(1, nullptr, throws, nullptr, &settings, &result), MANYCHAIN_SAMPLING_FAILED);
  EXPECT_STREQ(manychain_last_error(), "the compiled density threw: from C++ behind C");
  EXPECT_EQ(result, nullptr);
}

// Each of these was a segmentation fault.
TEST(CInterface, RefusesNull) {
  const manychain_settings settings = small();
  manychain_result* result = nullptr;
  ASSERT_EQ(manychain_sample(1, nullptr, normal, nullptr, &settings, &result), MANYCHAIN_OK);
  manychain_summary summary;
  double draw = 0;
  const auto refused = [](manychain_status status, const char* message) {
    EXPECT_EQ(status, MANYCHAIN_BAD_INPUT) << message;
    EXPECT_STREQ(manychain_last_error(), message);
  };
  refused(manychain_get_summary(result, 0, nullptr), "summary: give the address of one, not NULL");
  refused(manychain_get_draws(result, nullptr, 3200), "draws: give the address of room for them, not NULL");
  refused(manychain_write_netcdf(result, nullptr), "path: give the name of a file, not NULL");
  manychain_free(result);
  const char* const no_result = "result: give one that manychain_sample() has made, not NULL";
  refused(manychain_get_summary(nullptr, 0, &summary), no_result);
  refused(manychain_get_draws(nullptr, &draw, 1), no_result);
  refused(manychain_write_netcdf(nullptr, "draws.nc"), no_result);
  EXPECT_EQ(manychain_check_gradient(1, nullptr, nullptr, nullptr), MANYCHAIN_BAD_INPUT);
  for (size_t (*const size)(const manychain_result*) :
       {manychain_dimension, manychain_outputs, manychain_chains, manychain_draws}) {
    EXPECT_EQ(size(nullptr), 0u);
    EXPECT_STREQ(manychain_last_error(), no_result);
    manychain_check_gradient(1, nullptr, nullptr, nullptr);  // says something else
  }
  EXPECT_EQ(manychain_converged(nullptr), 0);
  EXPECT_EQ(manychain_get_counts(nullptr).gradients, 0u);
  EXPECT_STREQ(manychain_table(nullptr), "");
  EXPECT_STREQ(manychain_last_error(), no_result);
}

// Before any of them is given a name, or read: there are none behind the first.
TEST(CInterface, RefusesMoreParametersThanThereMayBe) {
  const size_t dimension = size_t{1} << 40;
  const char* const message = "dimension: 1099511627776 is not allowed: there may be 2^24 parameters";
  const char* names[] = {"x"};
  manychain_result* result = nullptr;
  for (const char** const parameters : {static_cast<const char**>(nullptr), names}) {
    EXPECT_EQ(manychain_sample(dimension, parameters, normal, nullptr, nullptr, &result), MANYCHAIN_BAD_INPUT);
    EXPECT_STREQ(manychain_last_error(), message);
    EXPECT_EQ(manychain_check_gradient(dimension, parameters, normal, nullptr), MANYCHAIN_BAD_INPUT);
    EXPECT_STREQ(manychain_last_error(), message);
  }
}

TEST(CInterface, HasSuperchains) {
  manychain_settings settings = small();
  EXPECT_LT(settings.superchains, 0);
  manychain_result* result = nullptr;
  manychain_summary summary;
  for (const int superchains : {-1, 8, 0}) {
    settings.superchains = superchains;
    ASSERT_EQ(manychain_sample(1, nullptr, normal, nullptr, &settings, &result), MANYCHAIN_OK) << superchains;
    ASSERT_EQ(manychain_get_summary(result, 0, &summary), MANYCHAIN_OK);
    EXPECT_EQ(std::isnan(summary.rhat_nested), superchains == 0);
    EXPECT_EQ(std::strstr(manychain_table(result), "R_nested") == nullptr, superchains == 0);
    manychain_free(result);
  }
  settings.superchains = 33;
  EXPECT_EQ(manychain_sample(1, nullptr, normal, nullptr, &settings, &result), MANYCHAIN_BAD_INPUT);
  EXPECT_STREQ(manychain_last_error(),
               "superchains: 33 is not allowed; it must be at most half the number of chains, so that each has two; or "
               "0 for none");
}

TEST(CInterface, LeavesTheNumberOfChainsToTheRun) {
  manychain_settings settings = manychain_settings_default();
  EXPECT_EQ(settings.chains, 0u);
  manychain_result* result = nullptr;
  ASSERT_EQ(manychain_sample(1, nullptr, normal, nullptr, &settings, &result), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_EQ(manychain_chains(result), 32u);
  manychain_free(result);
}

TEST(CInterface, KeepsTheErrorsOfThreadsApart) {
  manychain_settings settings = small();
  manychain_result* result = nullptr;
  manychain_sample(1, nullptr, nullptr, nullptr, &settings, &result);
  std::string other = "not asked";
  std::thread([&] { other = manychain_last_error(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_STREQ(manychain_last_error(), "density: give a function, not NULL");
}

TEST(CInterface, ChecksGradients) {
  EXPECT_EQ(manychain_check_gradient(1, nullptr, normal, nullptr), MANYCHAIN_OK);
  EXPECT_EQ(manychain_check_gradient(1, nullptr, half_wrong, nullptr), MANYCHAIN_SAMPLING_FAILED);
  EXPECT_NE(std::strstr(manychain_last_error(), "q[1]"), nullptr);
}

TEST(CInterface, StartsWhereItIsTold) {
  manychain_settings settings = small();
  settings.warmup = 0;
  settings.draws = 1;
  settings.step_size = 1e-6;
  settings.trajectory = 1e-6;
  std::vector<double> start(settings.chains);
  for (std::size_t c = 0; c < start.size(); ++c) start[c] = 0.01 * static_cast<double>(c);
  settings.initial_points = start.data();
  manychain_result* result = nullptr;
  ASSERT_EQ(manychain_sample(1, nullptr, normal, nullptr, &settings, &result), MANYCHAIN_OK) << manychain_last_error();
  std::vector<double> draws(settings.chains);
  ASSERT_EQ(manychain_get_draws(result, draws.data(), draws.size()), MANYCHAIN_OK);
  for (std::size_t c = 0; c < start.size(); ++c) EXPECT_NEAR(draws[c], start[c], 1e-4);
  manychain_free(result);
}

TEST(CInterface, TheCallbackEndsARun) {
  manychain_settings settings = small();
  settings.draws = 100000;
  settings.keep_draws = 0;
  settings.progress = [](const manychain_progress* progress, void* user) {
    ++*static_cast<int*>(user);
    return int(std::strcmp(progress->phase, "sampling") == 0);
  };
  int calls = 0;
  settings.progress_user = &calls;
  manychain_result* result = nullptr;
  ASSERT_EQ(manychain_sample(1, nullptr, normal, nullptr, &settings, &result), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_GT(calls, 0);
  EXPECT_TRUE(manychain_get_counts(result).cancelled);
  EXPECT_EQ(manychain_draws(result), 0u);
  double room = 0;
  EXPECT_EQ(manychain_get_draws(result, &room, 1), MANYCHAIN_BAD_INPUT);
  manychain_free(result);
}

TEST(CInterface, TheCallbackEndsTheDiagnostics) {
  manychain_settings settings = small();
  settings.progress = [](const manychain_progress* progress, void*) {
    return int(std::strcmp(progress->phase, "diagnostics") == 0);
  };
  manychain_result* result = nullptr;
  ASSERT_EQ(manychain_sample(1, nullptr, normal, nullptr, &settings, &result), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_TRUE(manychain_get_counts(result).cancelled);
  EXPECT_FALSE(manychain_converged(result));
  EXPECT_EQ(manychain_draws(result), settings.draws);
  manychain_summary summary;
  ASSERT_EQ(manychain_get_summary(result, 0, &summary), MANYCHAIN_OK);
  EXPECT_TRUE(std::isnan(summary.mean));
  manychain_free(result);
}

// Its settings have no "Settings::" before them, and no dashes.
TEST(CInterface, AdviceNamesItsFields) {
  manychain_settings settings = small();
  settings.warmup = 0;
  settings.draws = 8;
  settings.step_size = 1e-3;
  manychain_result* result = nullptr;
  ASSERT_EQ(manychain_sample(1, nullptr, normal, nullptr, &settings, &result), MANYCHAIN_OK) << manychain_last_error();
  EXPECT_NE(std::strstr(manychain_table(result), "Leave out step_size, so that"), nullptr) << manychain_table(result);
  EXPECT_EQ(std::strstr(manychain_table(result), "Settings::"), nullptr) << manychain_table(result);
  manychain_free(result);
}

}  // namespace
