// The JSON object, the table and the names of a result; the settings' own checks.
#include "manychain/io/output.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "hand_made_result.hpp"
#include "manychain/core/error.hpp"

namespace {

using namespace manychain;
using namespace manychain::testing_io;

Result result() { return hand_made_result(4, 3, Precision::single_precision); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Layout, NamesItsOutputsAsStanDoes) {
  EXPECT_EQ(hand_made_layout().output_names(),
            (std::vector<std::string>{"mu", "theta[1]", "theta[2]", "theta[3]", "m[1,1]", "m[1,2]", "m[2,1]", "m[2,2]",
                                      "total"}));
}

TEST(Json, HasEveryKey) {
  const auto json = nlohmann::json::parse(to_json(result()));
  for (const char* key : {"manychain",        "model",           "sampler",       "backend",
                          "device",           "precision",       "seed",          "chains",
                          "warmup",           "draws",           "thin",          "seconds",
                          "gradients",        "acceptance_rate", "divergences",   "stuck_chains",
                          "nonfinite_chains", "converged",       "parameters",    "superchains",
                          "precision_error",  "diagnostics",     "draws_planned", "precision_unknown",
                          "not_summarised",   "no_gpu",          "warnings",      "notes"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  for (const char* key : {"total", "warmup", "sampling", "diagnostics"}) {
    EXPECT_TRUE(json["seconds"].contains(key)) << key;
  }
  EXPECT_EQ(json["precision"], "single");
  EXPECT_EQ(json["seed"], 18446744073709551615u);
  EXPECT_EQ(json["stuck_chains"], 0);
  EXPECT_EQ(json["converged"], true);
  EXPECT_EQ(json["parameters"].size(), 9u);
  const auto& theta = json["parameters"]["theta[2]"];
  EXPECT_EQ(theta["mean"], 1.234567);
  EXPECT_EQ(theta["q95"], 2.75);
  EXPECT_EQ(theta["rhat"], 1.0012);
  EXPECT_EQ(theta["ess_bulk"], 54321.0);
  EXPECT_EQ(theta["mcse_mean"], 0.0043);
  EXPECT_EQ(theta["ess_tail"], 43210.0);
  EXPECT_EQ(theta["mcse_sd"], 0.0031);
  EXPECT_TRUE(theta["rhat_nested"].is_null()) << "without superchains";
  EXPECT_EQ(json["superchains"], 0);
  EXPECT_TRUE(json["precision_error"].is_null());
  EXPECT_EQ(json["diagnostics"], "stored");
  EXPECT_TRUE(contains(to_json(result()), "\"manychain\"")) << "the version comes first";
}

TEST(Json, WritesWhatIsNotANumberAsNull) {
  Result r = result();
  r.summary[0].statistics.rhat = NAN;
  r.summary[0].statistics.sd = INFINITY;
  r.sampling.stuck_chains = {1, 2};
  r.converged = false;
  const auto json = nlohmann::json::parse(to_json(r));
  EXPECT_TRUE(json["parameters"]["mu"]["rhat"].is_null());
  EXPECT_TRUE(json["parameters"]["mu"]["sd"].is_null());
  EXPECT_EQ(json["stuck_chains"], 2);
  EXPECT_FALSE(json["problems"].empty());
}

TEST(Table, BeginsWithTheVerdict) {
  EXPECT_EQ(result().table().rfind("Converged: ", 0), 0u);
  EXPECT_TRUE(result().problems().empty());
  Result r = result();
  r.converged = false;
  r.summary[3].statistics.rhat = 1.2;
  EXPECT_EQ(r.table().rfind("NOT converged:", 0), 0u);
  ASSERT_EQ(r.problems().size(), 1u);
  EXPECT_TRUE(contains(r.problems()[0], "R-hat: not below 1.01 for 1 of 9 quantities (theta[3]); the largest is 1.2"))
      << r.problems()[0];
}

TEST(Table, AFalseVerdictAlwaysHasAReason) {
  Result r = result();
  r.converged = false;
  EXPECT_FALSE(r.problems().empty());
  r.summary.clear();
  EXPECT_FALSE(r.problems().empty());
}

TEST(Table, NamesTheChainsThatFailed) {
  Result r = result();
  r.settings.chains = 1024;
  r.converged = false;
  r.sampling.stuck_chains = {4, 17, 98, 99, 100, 101};
  r.sampling.nonfinite_chains = {3};
  r.sampling.divergent_chains = {1};
  r.sampling.divergences = 2;
  const auto problems = r.problems();
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_TRUE(contains(problems[0], "1 of 1024 chains (3)")) << problems[0];
  EXPECT_TRUE(contains(problems[1], "6 of 1024 chains (4, 17, 98, 99, 100, ...)")) << problems[1];
  const auto warnings = r.verdict().texts(diagnostics::Severity::warning);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(contains(warnings[0], "Divergences: 2 of 3072 transitions")) << warnings[0];
  EXPECT_TRUE(contains(warnings[0], "1 of 1024 chains (1)")) << warnings[0];
}

TEST(Table, AnUndefinedDiagnosticIsAProblem) {
  Result r = result();
  r.converged = false;
  r.summary[1].statistics.rhat = NAN;
  ASSERT_EQ(r.problems().size(), 1u);
  EXPECT_TRUE(contains(r.problems()[0], "theta[1]")) << r.problems()[0];
}

TEST(Table, NamesTheRhatThatDecides) {
  Result r = result();
  r.settings.superchains = 16;
  r.settings.sampling.draws = 400;
  for (SummaryRow& row : r.summary) row.statistics.rhat = 1.3;
  for (SummaryRow& row : r.summary) row.statistics.rhat_nested = 1.0034;
  EXPECT_TRUE(contains(r.table(), "Converged: every nested R-hat < 1.01 (largest 1.0034), every bulk ESS > 400"))
      << r.table();
  EXPECT_TRUE(contains(r.table(), "R_nested")) << r.table();
  EXPECT_FALSE(contains(r.table(), "1.3")) << r.table();
  r.converged = false;
  r.settings.chains = 64;
  r.kept = 20;
  r.summary[4].statistics.rhat_nested = 1.04;
  r.summary[4].statistics.rhat = 1.005;  // 1.04^2 - 1 = 0.082, and chains vary by 0.036: chance leaves 0.009 to four
  ASSERT_EQ(r.problems().size(), 1u);
  EXPECT_TRUE(
      contains(r.problems()[0], "Nested R-hat: not below 1.01 for 1 of 9 quantities (m[1,1]); the largest is 1.04"))
      << r.problems()[0];
  EXPECT_TRUE(contains(r.problems()[0], "Raise Settings::warmup.transitions")) << r.problems()[0];
  EXPECT_FALSE(contains(r.problems()[0], "chance")) << r.problems()[0];
  r.summary[4].statistics.rhat = 1.1;  // now they vary by 0.28, and chance leaves 0.07
  EXPECT_TRUE(contains(r.problems()[0], "by chance, of so few draws. Raise Settings::sampling.draws"))
      << r.problems()[0];
}

TEST(Table, ANoteOnThePrecision) {
  Result r = result();
  r.precision.error = 0.009;
  EXPECT_FALSE(contains(r.table(), "double precision"));
  r.precision.error = 0.034;
  EXPECT_TRUE(contains(r.table(), "warning: Single precision")) << r.table();
  EXPECT_TRUE(contains(r.table(), "3.4 % of accept decisions")) << r.table();
  EXPECT_TRUE(contains(r.table(), "take Settings::precision double")) << r.table();
  EXPECT_TRUE(r.problems().empty());
  r.precision.error = NAN;
  r.precision.unknown = true;
  EXPECT_TRUE(contains(r.table(), "note: Single precision: whether it suffices cannot be told")) << r.table();
}

TEST(Table, TakesItsDigitsFromTheStandardError) {
  const std::string table = result().table();
  EXPECT_TRUE(contains(table, "1.2346")) << table;
  EXPECT_TRUE(contains(table, "0.0043")) << table;
  Result r = result();
  r.summary.resize(1);
  r.summary[0].statistics.mcse_mean = 12.0;
  r.summary[0].statistics.mean = 4567.89;
  EXPECT_TRUE(contains(r.table(), " 4568 ")) << r.table();
  r.summary[0].statistics.mcse_mean = 3e-12;
  r.summary[0].statistics.mean = 4.5678e-10;
  EXPECT_TRUE(contains(r.table(), "4.568e-10")) << r.table();
  r.summary[0].statistics.mean = 4.5e300;
  r.summary[0].statistics.mcse_mean = 2e298;
  EXPECT_TRUE(contains(r.table(), "4.500e+300")) << r.table();
}

TEST(Table, ShowsTheWorstOfManyRows) {
  Result r = result();
  r.summary.clear();
  for (int i = 1; i <= 500; ++i) {
    r.summary.push_back({"x[" + std::to_string(i) + "]", {0, 1, -1, 0, 1, 1.0 + 1e-6 * i, 5000, 0.01, 4000}});
  }
  const std::string table = r.table();
  EXPECT_LT(std::count(table.begin(), table.end(), '\n'), 46);
  EXPECT_TRUE(contains(table, "x[500]")) << table;
  EXPECT_FALSE(contains(table, "x[1] ")) << table;
  EXPECT_TRUE(contains(table, "... 460 more of x, none with a larger R-hat")) << table;
}

// As of a hierarchical model: the scalars have the best R-hat of all.
TEST(Table, ShowsScalarsBeforeTheWorst) {
  Result r = result();
  r.summary.clear();
  for (const char* name : {"mu", "tau"}) r.summary.push_back({name, {0, 1, -1, 0, 1, 1.0, 5000, 0.01, 4000}});
  for (int i = 1; i <= 2000; ++i)
    r.summary.push_back({"theta[" + std::to_string(i) + "]", {0, 1, -1, 0, 1, 1.0 + 1e-6 * i, 5000, 0.01, 4000}});
  r.summary.push_back({"sigma", {0, 1, -1, 0, 1, 1.0, 5000, 0.01, 4000}});
  const std::string table = r.table();
  const std::size_t mu = table.find("\nmu "), tau = table.find("\ntau "), sigma = table.find("\nsigma ");
  ASSERT_NE(sigma, std::string::npos) << table;
  EXPECT_LT(mu, tau);
  EXPECT_LT(tau, sigma);
  EXPECT_LT(sigma, table.find("\ntheta[2000] "));
  EXPECT_TRUE(contains(table, "theta[1964]")) << table;
  EXPECT_FALSE(contains(table, "theta[1963]")) << table;
  EXPECT_TRUE(contains(table, "1963 more")) << table;
  EXPECT_TRUE(contains(r.table({.rows = 4}), "1999 more"));
  EXPECT_TRUE(contains(r.table({.rows = 0}), "theta[1] "));
}

TEST(Table, ShowsWhatIsAskedFor) {
  const Result r = result();
  const std::string table = r.table({.show = {"theta", "m[2,1]"}});
  EXPECT_LT(table.find("\ntheta[1] "), table.find("\ntheta[3] "));
  EXPECT_LT(table.find("\ntheta[3] "), table.find("\nm[2,1] "));
  for (const char* name : {"\nmu ", "m[1,1]", "total", " more"}) EXPECT_FALSE(contains(table, name)) << table;
  EXPECT_THROW(r.table({.show = {"mu", "nu"}}), BadInput);
  EXPECT_THROW(r.table({.show = {"theta[4]"}}), BadInput);
}

TEST(Table, WhatWasNotComputedIsNoPassAndNoRow) {
  Result r = result();
  r.cancelled = true;
  r.converged = false;
  r.not_summarised = 2;
  for (std::size_t i = 7; i < 9; ++i) r.summary[i].statistics = {};
  const auto problems = r.problems();
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(contains(problems[0], "Not computed: the summary of 2 of 9 quantities (from m[2,2] on)")) << problems[0];
  EXPECT_TRUE(contains(r.table(), "m[2,1]"));
  EXPECT_FALSE(contains(r.table(), "nan")) << r.table();
  EXPECT_TRUE(contains(r.table({.show = {"total"}}), "nan"));
  const auto json = nlohmann::json::parse(to_json(r));
  EXPECT_EQ(json["not_summarised"], 2);
  EXPECT_EQ(json["cancelled"], true);
  EXPECT_TRUE(json["parameters"]["total"]["mean"].is_null());
  r.not_summarised = 9;
  EXPECT_TRUE(contains(r.table(), "NOT converged")) << r.table();
}

TEST(Table, ACancelledRunSaysHowFarItCame) {
  Result r = result();
  r.cancelled = true;
  r.kept = 2;
  EXPECT_TRUE(contains(r.table(), "warning: The run was cancelled: 2 of 3 draws of each chain are kept")) << r.table();
  EXPECT_EQ(nlohmann::json::parse(to_json(r))["draws_planned"], 3);
}

template <class Change>
std::string refusal(Change change) {
  Settings settings;
  change(settings);
  try {
    settings.validate();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(Settings, TheDefaultsAreAllowed) {
  EXPECT_EQ(refusal([](Settings&) {}), "");
  EXPECT_EQ(refusal([](Settings& s) { s.warmup.transitions = 0; }), "");
  EXPECT_EQ(refusal([](Settings& s) { s.seed = ~0ull; }), "");
  EXPECT_EQ(refusal([](Settings& s) { s.chains = 0; }), "");  // by the cost of a gradient
  EXPECT_EQ(refusal([](Settings& s) {
              s.chains = 256;
              s.superchains = 128;
            }),
            "");
  const auto none = [](std::size_t k) {
    return [k](Settings& s) {
      s.chains = 1;
      s.superchains = k;
      s.warmup.initial_points = {1};
    };
  };
  EXPECT_EQ(refusal(none(0)), "");
  EXPECT_EQ(refusal(none(1)), "");
}

TEST(Settings, EveryRefusalNamesTheSetting) {
  const auto expect = [](const char* name, auto change) {
    const std::string text = refusal(change);
    EXPECT_EQ(text.rfind(std::string("Settings::") + name, 0), 0u) << name << ": " << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  };
  expect("sampling.schedule gamma: ", [](Settings& s) { s.sampling.schedule = {1, 1, 0.5}; });
  expect("sampling.schedule a: ", [](Settings& s) { s.sampling.schedule = {0, 1, 1}; });
  expect("sampling.minibatch: ", [](Settings& s) { s.sampling.minibatch = std::size_t(1) << 21; });
  expect("chains: ", [](Settings& s) { s.chains = std::size_t(1) << 48; });
  expect("sampling.draws: ", [](Settings& s) { s.sampling.draws = 0; });
  expect("sampling.thin: ", [](Settings& s) { s.sampling.thin = 0; });
  expect("warmup.transitions: ", [](Settings& s) { s.warmup.transitions = std::size_t(1) << 40; });
  const char* const all = "warmup.transitions + Settings::sampling.draws * Settings::sampling.thin: ";
  expect(all, [](Settings& s) { s.sampling.draws = s.sampling.thin = std::size_t(1) << 20; });
  expect(all, [](Settings& s) { s.sampling.draws = s.sampling.thin = std::size_t(1) << 39; });
  expect("threads: ", [](Settings& s) { s.threads = -1; });
  expect("sampling.step_size: ", [](Settings& s) { s.sampling.step_size = 0; });
  expect("sampling.step_size: ", [](Settings& s) { s.sampling.step_size = NAN; });
  expect("sampling.trajectory: ", [](Settings& s) { s.sampling.trajectory = INFINITY; });
  expect("warmup.target_acceptance: ", [](Settings& s) { s.warmup.target_acceptance = 1; });
  expect("warmup.adaptation_interval: ", [](Settings& s) { s.warmup.adaptation_interval = 0; });
  expect("sampling.max_leapfrogs: ", [](Settings& s) { s.sampling.max_leapfrogs = 0; });
  expect("superchains: ", [](Settings& s) {
    s.chains = 256;
    s.superchains = 129;
  });
  expect("superchains: ", [](Settings& s) {
    s.chains = 4;
    s.superchains = 2;
    s.warmup.initial_points = {1, 2, 3, 4};
  });
  expect("warmup.initial_points: ", [](Settings& s) {
    s.chains = 2;
    s.warmup.initial_points = {1, 2, 3};
  });
  expect("warmup.initial_points: ", [](Settings& s) {
    s.chains = 2;
    s.warmup.initial_points = {1, 2, 3, NAN};
  });
}

}  // namespace
