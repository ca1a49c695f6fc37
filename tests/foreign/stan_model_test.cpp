// Stan models through the interface of BridgeStan, by a library with a model whose posterior is known
// (fake_bridgestan.c).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "manychain/chain/program.hpp"
#include "manychain/io/diagnosis.hpp"
#include "manychain/manychain.h"
#include "manychain/manychain.hpp"

namespace manychain {
namespace {

const std::string folder = MANYCHAIN_FOREIGN;
const std::string library = folder + "/fake_model.so";
constexpr std::size_t outputs = 15, chains = 256;

Model fake(const std::string& data = R"({"location": 3})") { return load_stan(library, data, 1); }

Settings small() {
  Settings settings;
  settings.chains = chains;
  settings.warmup.transitions = 200;
  settings.sampling.draws = 100;
  settings.seed = 1;
  return settings;
}

std::size_t row(const Result& result, const std::string& name) {
  for (std::size_t i = 0; i < result.summary.size(); ++i)
    if (result.summary[i].name == name) return i;
  ADD_FAILURE() << "there is no " << name;
  return 0;
}
double value(const Result& result, std::size_t draw, const std::string& name, std::size_t chain) {
  return result.draws.float64[(draw * outputs + row(result, name)) * result.settings.chains + chain];
}
std::string refusal(const std::string& path, const std::string& data) {
  try {
    load_stan(path, data);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(StanModel, HasNamesShapesAndKinds) {
  const Model model = fake();
  EXPECT_EQ(model.name(), "fake");
  const Layout& layout = model.layout();
  EXPECT_EQ(layout.dimension, 8u);
  EXPECT_EQ(layout.outputs, outputs);
  EXPECT_EQ(layout.output_names(),
            (std::vector<std::string>{"mu", "sigma", "A[1,1]", "A[1,2]", "A[1,3]", "A[2,1]", "A[2,2]", "A[2,3]",
                                      "L[1,1]", "L[1,2]", "L[2,1]", "L[2,2]", "noise", "t:1", "t:2"}));
  EXPECT_EQ(layout.unconstrained_names[3], "A[2,1]");  // in Stan's order
  for (const Quantity& quantity : layout.quantities)
    EXPECT_EQ(quantity.derived, quantity.name != "mu" && quantity.name != "sigma" && quantity.name != "A");
  for (std::size_t i = 0; i < outputs; ++i) EXPECT_EQ(layout.constant[i], i == 8 || i == 9) << i;
}

// 12 means at |z| < 5: false alarms below 1e-5. A transposed array is off by 9, a hundred standard errors and more.
TEST(StanModel, HasTheMomentsOfItsPosterior) {
  const Result result = sample(fake(), small());
  const auto check = [&](const std::string& name, double mean, double sd) {
    const VariableSummary& s = result.summary[row(result, name)].statistics;
    EXPECT_LT(std::fabs(s.mean - mean), 5 * s.mcse_mean) << name;
    EXPECT_NEAR(s.sd, sd, 0.05 * sd) << name;
  };
  check("mu", 3, 1);
  const double v = 0.25;  // of log sigma
  check("sigma", std::exp(v / 2), std::sqrt(std::expm1(v) * std::exp(v)));
  for (int i = 1; i <= 2; ++i)
    for (int j = 1; j <= 3; ++j) check("A[" + std::to_string(i) + "," + std::to_string(j) + "]", 10 * i + j, 0.1);
  check("t:2", 9, 3);
  check("noise", 0.5, std::sqrt(1 / 12.0));
  EXPECT_EQ(result.settings.precision, Precision::double_precision);
  EXPECT_EQ(result.sampling.rejected.evaluations, 0u);
  EXPECT_TRUE(result.one_thread.empty());
  EXPECT_TRUE(result.converged) << result.table();
}

TEST(StanModel, DerivesOutputsOfEachDraw) {
  const Result result = sample(fake(), small());
  for (std::size_t draw : {0u, 50u, 99u})
    for (std::size_t chain : {0u, 17u, 255u}) {
      EXPECT_EQ(value(result, draw, "L[1,1]", chain), 1);
      EXPECT_EQ(value(result, draw, "L[1,2]", chain), 0);
      EXPECT_EQ(value(result, draw, "L[2,1]", chain), value(result, draw, "mu", chain));
      EXPECT_EQ(value(result, draw, "L[2,2]", chain), value(result, draw, "sigma", chain));
      EXPECT_EQ(value(result, draw, "t:1", chain), 2 * value(result, draw, "mu", chain));
    }
}

// The random part of generated quantities is a function of seed, chain and transition.
TEST(StanModel, DrawsGeneratedQuantitiesReproducibly) {
  Settings settings = small();
  settings.chains = 64;
  settings.threads = 1;
  const Result one = sample(fake(), settings);
  settings.threads = 3;
  EXPECT_EQ(sample(fake(), settings).draws.float64, one.draws.float64);
  settings.blocks_per_second = 1000;
  EXPECT_EQ(sample(fake(), settings).draws.float64, one.draws.float64);

  // Every second transition is every second draw.
  settings.sampling.thin = 2;
  settings.sampling.draws = 50;
  const Result thinned = sample(fake(), settings);
  for (std::size_t draw = 0; draw < 50; ++draw)
    for (const char* name : {"mu", "noise"})
      EXPECT_EQ(value(thinned, draw, name, 5), value(one, 2 * draw + 1, name, 5)) << name << draw;

  // No two draws, chains or seeds have the same; of 6400 numbers of 32 random bits, chance makes a pair in 0.5 % of
  // seeds.
  const std::size_t noise = row(one, "noise");
  std::vector<double> all;
  for (std::size_t draw = 0; draw < 100; ++draw)
    for (std::size_t chain = 0; chain < 64; ++chain)
      all.push_back(one.draws.float64[(draw * outputs + noise) * 64 + chain]);
  settings = small();
  settings.chains = 64;
  settings.seed = 2;
  const Result other = sample(fake(), settings);
  EXPECT_NE(value(other, 0, "noise", 0), value(one, 0, "noise", 0));
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

// mu < location + 1 alone is allowed. The mean of a standard normal below 1 is -phi(1) / Phi(1). One z of 5: false
// alarms below 1e-6; without the truncation it is off by 0.29, some fifteen standard errors.
TEST(StanModel, RejectsWhereItsDensityFails) {
  Settings settings = small();
  settings.chains = 1024;
  const Result result = sample(fake(R"({"location": 3, "above": 4})"), settings);
  const VariableSummary& s = result.summary[row(result, "mu")].statistics;
  const double below = 0.5 * std::erfc(-1 / std::sqrt(2.0)), density = std::exp(-0.5) / std::sqrt(2 * M_PI);
  EXPECT_LT(std::fabs(s.mean - (3 - density / below)), 5 * s.mcse_mean);
  EXPECT_LT(s.mcse_mean, 0.02);
  EXPECT_GT(result.sampling.rejected.evaluations, 0u);
  EXPECT_GT(result.warmup.rejected.evaluations, 0u);
  EXPECT_EQ(result.sampling.rejected.message, "fake: mu is too large");
  // A rejected trajectory is a divergence, and no trajectory is rejected twice.
  EXPECT_EQ(result.sampling.rejected.evaluations, result.sampling.divergences);
  for (std::size_t i = row(result, "mu"); i < result.draws.float64.size(); i += outputs * settings.chains)
    ASSERT_LE(result.draws.float64[i], 4);
  const std::vector<std::string> notes = result.verdict().texts(diagnostics::Severity::note);
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("Rejected by the model: ") == 0 && note.find("for example: fake: mu is too large") != note.npos;
  }));
}

TEST(StanModel, CountsRejectionsReproducibly) {
  Settings settings = small();
  settings.chains = 64;
  const Model model = fake(R"({"location": 3, "above": 4})");
  settings.threads = 1;
  const Result one = sample(model, settings);
  settings.threads = 2;
  const Result two = sample(model, settings);
  EXPECT_EQ(one.sampling.rejected.evaluations, two.sampling.rejected.evaluations);
  EXPECT_EQ(one.warmup.rejected.evaluations, two.warmup.rejected.evaluations);
}

TEST(StanModel, SaysWhereNoChainCanStart) {
  Settings settings = small();
  settings.warmup.initial_radius = 0.5;
  try {
    sample(fake(R"({"location": 3, "above": -4})"), settings);
    FAIL();
  } catch (const SamplingFailed& error) {
    EXPECT_NE(std::string(error.what()).find("because fake: mu is too large"), std::string::npos) << error.what();
  }
}

// Failing generated quantities leave NaN, and no verdict passes it; those that stand before them are kept.
TEST(StanModel, TellsWhereGeneratedQuantitiesFail) {
  Settings settings = small();
  settings.chains = 64;
  const Result result = sample(fake(R"({"location": 3, "fail": 1})"), settings);
  std::uint64_t failed = 0;
  for (std::size_t draw = 0; draw < 100; ++draw)
    for (std::size_t chain = 0; chain < 64; ++chain) {
      const bool below = value(result, draw, "mu", chain) < 3;
      failed += below;
      ASSERT_EQ(std::isnan(value(result, draw, "noise", chain)), below);
      ASSERT_EQ(std::isnan(value(result, draw, "t:2", chain)), below);
      ASSERT_EQ(value(result, draw, "L[2,1]", chain), value(result, draw, "mu", chain));
    }
  EXPECT_EQ(result.sampling.rejected.outputs, failed);
  EXPECT_FALSE(result.converged);
  const std::vector<std::string> warnings = result.verdict().texts(diagnostics::Severity::warning);
  EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
    return warning.find("Outputs: ") == 0 && warning.find("fake: generated quantities failed") != warning.npos;
  }));
}

// Constants of the model end neither the wait for convergence nor the trust in it; a file of the draws knows them.
TEST(StanModel, KnowsItsConstants) {
  Settings settings = small();
  settings.warmup.transitions.reset();
  settings.sampling.draws.reset();
  const Result result = sample(fake(), settings);
  EXPECT_TRUE(result.sampling.reached_target);
  EXPECT_TRUE(result.converged) << result.table();
  const std::string path = ::testing::TempDir() + "stan_constants.nc";
  write_netcdf(path, result);
  const diagnostics::Verdict verdict = diagnose(read_draws({path})).verdict;
  EXPECT_TRUE(verdict.converged) << verdict.text();
  EXPECT_NE(verdict.text().find("Constants of the model: 2 of 15 quantities (L[1,1], L[1,2])."), std::string::npos);
  std::filesystem::remove(path);
}

// A quantity that is nearly always the larger one of two values has no tail ESS, however many draws there are.
TEST(StanModel, EndsWhereATailHasNoEss) {
  Settings settings = small();
  settings.warmup.transitions.reset();
  settings.sampling.draws.reset();
  const Result result = sample(fake(R"({"location": 3, "few": 1})"), settings);
  const VariableSummary& s = result.summary[row(result, "t:2")].statistics;
  EXPECT_TRUE(std::isnan(s.ess_tail));
  EXPECT_GT(s.ess_bulk, 400);
  EXPECT_NEAR(s.mean, 0.97725, 5 * s.mcse_mean);
  EXPECT_TRUE(result.sampling.reached_target);
  EXPECT_LT(result.kept, 100u);
  EXPECT_TRUE(result.converged) << result.table();
  EXPECT_NE(result.verdict().text().find("Tail ESS: not defined for 1 of 15 quantities (t:2)."), std::string::npos)
      << result.verdict().text();
}

TEST(StanModel, StreamsItsDiagnostics) {
  Settings settings = small();
  settings.output.keep_draws = false;
  const Result result = sample(fake(), settings);
  EXPECT_TRUE(result.converged) << result.table();
  EXPECT_NEAR(result.summary[row(result, "A[1,2]")].statistics.mean, 12, 0.01);
}

TEST(StanModel, StartsAtValuesByName) {
  const Model model = fake();
  Data all, some;
  all.set("mu", 1.5);
  all.set("sigma", 2.0);
  all.set("A", {1, 2, 3, 4, 5, 6}, {2, 3});
  Settings settings = small();
  settings.chains = 2;
  set_initial_points(model, {all}, settings);
  const std::vector<double>& q = settings.warmup.initial_points;  // [dimension][chain], in Stan's order
  const double stan[] = {1.5, std::log(2.0), 1, 4, 2, 5, 3, 6};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_DOUBLE_EQ(q[2 * i], stan[i]) << i;

  some.set("sigma", 3.0);
  set_initial_points(model, {some}, settings);
  EXPECT_DOUBLE_EQ(settings.warmup.initial_points[2], std::log(3.0));
  EXPECT_NE(settings.warmup.initial_points[0], settings.warmup.initial_points[1]) << "mu is uniform";
  EXPECT_LE(std::fabs(settings.warmup.initial_points[0]), 2);

  const auto refused = [&](const char* name, std::vector<double> values) {
    Data data;
    data.set(name, std::move(values));
    EXPECT_THROW(set_initial_points(model, {data}, settings), BadInput) << name;
  };
  refused("sigma", {-1});   // by the model
  refused("sigma", {0});    // on the edge
  refused("sigma", {101});  // becomes another value
  refused("A", {1, 2, 3});
  refused("noise", {1});  // no parameter
  refused("nu", {1});
}

TEST(StanModel, TakesJsonOrAFile) {
  const std::string path = ::testing::TempDir() + "stan_data.json";
  std::ofstream(path) << R"({"location": 3})";
  const Model from_file = load_stan(library, path), from_text = fake();
  const double q[8] = {0.5, 0.5};
  EXPECT_EQ(from_file.bound().density(q, nullptr), from_text.bound().density(q, nullptr));
  std::filesystem::remove(path);
}

TEST(StanModel, IsRefusedInOneSentence) {
  const std::string json = R"({"location": 3})";
  const auto says = [](const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  };
  says(refusal(folder + "/none.so", json), "/none.so: cannot be read: No such file");
  says(refusal("", json), "give its file");
  says(refusal(folder + "/densities.so", json), "it is no library of BridgeStan");
  says(refusal(folder + "/later_model.so", json), "compiled by BridgeStan 3");
  says(refusal(folder + "/incomplete_model.so", json), "there is no function bs_param_constrain");
  says(refusal(library, "none.json"), "none.json: cannot be read");
  says(refusal(library, ""), "name=location (no data were given)");
  // Without "construct() failed with exception: Exception: ".
  says(refusal(library, R"({"place": 3})"),
       "fake_model.so: variable does not exist; processing stage=data initialization; variable name=location");
  // All of a process share one tape: fake_model.so has STAN_THREADS, and may go on.
  fake();
  says(refusal(folder + "/one_thread_model.so", json), "it was built without STAN_THREADS, but ");
  EXPECT_NO_THROW(fake());
}

TEST(StanModel, IsRefusedWhatItCannotDo) {
  Settings settings = small();
  settings.precision = Precision::single_precision;
  EXPECT_THROW(sample(fake(), settings), BadInput);
  settings = small();
  settings.backend = Backend::cuda;
  EXPECT_THROW(sample(fake(), settings), BadInput);
  settings = small();
  settings.sampler = "gibbs";
  EXPECT_THROW(sample(fake(), settings), BadInput);
}

TEST(StanModel, RunsWithEverySamplerThatFits) {
  for (const char* sampler : {"hmc", "mala", "metropolis", "single_component", "ula"}) {
    Settings settings = small();
    settings.sampler = sampler;
    settings.sampling.draws = 20;
    EXPECT_EQ(sample(fake(), settings).draws.float64.size(), 20 * outputs * chains) << sampler;
  }
}

TEST(StanModel, PassesTheGradientCheck) { EXPECT_TRUE(check_gradient(fake()).passed); }

TEST(StanModel, IsSampledFromC) {
  manychain_settings settings = manychain_settings_default();
  settings.chains = 64;
  settings.warmup = 100;
  settings.draws = 50;
  manychain_result* result = nullptr;
  ASSERT_EQ(manychain_sample_stan(library.c_str(), "{\"location\": 3, \"above\": 4}", &settings, &result), MANYCHAIN_OK)
      << manychain_last_error();
  EXPECT_EQ(manychain_dimension(result), 8u);
  EXPECT_EQ(manychain_outputs(result), outputs);
  manychain_summary summary;
  ASSERT_EQ(manychain_get_summary(result, outputs - 1, &summary), MANYCHAIN_OK);
  EXPECT_STREQ(summary.name, "t:2");
  EXPECT_EQ(manychain_get_summary(result, outputs, &summary), MANYCHAIN_BAD_INPUT);
  std::vector<double> draws(50 * outputs * 64);
  EXPECT_EQ(manychain_get_draws(result, draws.data(), draws.size()), MANYCHAIN_OK);
  EXPECT_EQ(manychain_get_draws(result, draws.data(), draws.size() - 1), MANYCHAIN_BAD_INPUT);
  EXPECT_GT(manychain_get_counts(result).rejected, 0u);
  manychain_free(result);
  EXPECT_EQ(manychain_sample_stan(library.c_str(), nullptr, &settings, &result), MANYCHAIN_BAD_INPUT);
  EXPECT_EQ(result, nullptr);
  EXPECT_EQ(manychain_sample_stan(nullptr, nullptr, &settings, &result), MANYCHAIN_BAD_INPUT);
}

}  // namespace
}  // namespace manychain
