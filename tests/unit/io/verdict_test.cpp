// A run and the file of its draws come to the same verdict.
#include "manychain/diagnostics/verdict.hpp"

#include <gtest/gtest.h>
#include <netcdf.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "hand_made_result.hpp"
#include "io/run_record.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/diagnosis.hpp"
#include "manychain/io/output.hpp"
#include "manychain/run/model.hpp"

namespace {

using namespace manychain;
using diagnostics::Finding;
using diagnostics::Severity;
using diagnostics::Verdict;

Diagnosis diagnosis_of(const Result& result) {
  const std::string path = testing::TempDir() + "manychain_verdict_" + std::to_string(getpid()) + ".nc";
  write_netcdf(path, result);
  Diagnosis diagnosis = diagnose(read_draws({path}));
  std::remove(path.c_str());
  return diagnosis;
}

std::string words(const Verdict& verdict) { return verdict.text(); }

void expect_same(const Result& result, const char* what) {
  const Verdict run = result.verdict();
  const Diagnosis diagnosis = diagnosis_of(result);
  EXPECT_EQ(words(run), words(diagnosis.verdict)) << what;
  EXPECT_EQ(run.converged, result.converged) << what;
  EXPECT_EQ(run.converged, diagnosis.verdict.converged) << what;
  EXPECT_EQ(run.sound(), diagnosis.verdict.sound()) << what;
  EXPECT_EQ(result.table().rfind(words(run), 0), 0u) << what;
  const auto json = nlohmann::json::parse(to_json(result)), file = nlohmann::json::parse(to_json(diagnosis));
  for (const char* key : {"converged", "problems", "warnings", "notes"}) EXPECT_EQ(json[key], file[key]) << what;
}

bool says(const Verdict& verdict, Severity severity, const std::string& what) {
  for (const Finding& finding : verdict.findings)
    if (finding.severity == severity && finding.text().find(what) != std::string::npos) return true;
  return false;
}

Settings settings() {
  Settings s;
  s.backend = Backend::cpu;
  s.chains = 64;
  s.warmup.transitions = 200;
  s.sampling.draws = 100;
  s.seed = 1;
  return s;
}

CompiledDensity standard_normal() {
  CompiledDensity density;
  density.dimension = 2;
  density.value_and_gradient = [](const double* q, double* gradient) {
    gradient[0] = -q[0];
    gradient[1] = -q[1];
    return -0.5 * (q[0] * q[0] + q[1] * q[1]);
  };
  return density;
}

// Random walks: R-hat is far above 1.01, as it must be of chains of 100 draws, and nested R-hat is below it.
TEST(RunAndFile, converged) {
  const Result hmc = sample(builtin_model("normal"), settings());
  EXPECT_TRUE(hmc.converged) << hmc.table();
  expect_same(hmc, "hmc");
  Settings s = settings();
  s.sampler = "metropolis";
  s.chains = 1024;
  s.sampling.thin = 3;
  const Result walk = sample(builtin_model("normal"), s);
  EXPECT_TRUE(walk.converged) << walk.table();
  EXPECT_GT(walk.summary[0].statistics.rhat, 1.01);
  expect_same(walk, "metropolis");
}

TEST(RunAndFile, converged_by_draws_too_few_for_an_ess) {
  Settings s = settings();
  s.chains = 4096;
  s.sampling.draws = 3;
  const Result result = sample(builtin_model("normal"), s);
  EXPECT_TRUE(result.converged) << result.table();
  expect_same(result, "three draws");
}

TEST(RunAndFile, not_converged) {
  Settings s = settings();
  s.warmup.transitions = 5;
  s.sampling.draws = 8;
  for (const std::size_t superchains : {0, 16}) {
    s.superchains = superchains;
    const Result result = sample(builtin_model("funnel"), s);
    EXPECT_FALSE(result.converged) << result.table();
    EXPECT_TRUE(says(result.verdict(), Severity::failure, "Raise Settings::warmup.transitions (now 5)"))
        << result.table();
    expect_same(result, superchains > 0 ? "superchains" : "chains");
  }
}

// Stands on a needle, and is far off.
TEST(RunAndFile, a_stuck_chain) {
  CompiledDensity density = standard_normal();
  density.value_and_gradient = [normal = density.value_and_gradient](const double* q, double* gradient) {
    const double value = normal(q, gradient);
    return q[0] == -50 ? -600.0 : q[0] < -30 ? -1e6 : value;
  };
  Settings s = settings();
  s.sampler = "metropolis";
  s.sampling.step_size = 1;
  s.sampling.draws = 60;
  s.sampling.thin = 2;
  s.warmup.initial_points.assign(2 * s.chains, 0.0);
  s.warmup.initial_points[17] = -50;
  const Result result = sample(Model(density), s);
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(says(result.verdict(), Severity::failure, "transitions of 1 of 64 chains (17)")) << result.table();
  EXPECT_TRUE(says(result.verdict(), Severity::failure, "Outlying: 1 of 64 chains (17)")) << result.table();
  expect_same(result, "stuck");
}

// A gradient that is wrong beyond 2.5: energies that jump there. Counted at each transition, kept at every other.
TEST(RunAndFile, divergent) {
  CompiledDensity density = standard_normal();
  density.value_and_gradient = [normal = density.value_and_gradient](const double* q, double* gradient) {
    const double value = normal(q, gradient);
    return q[0] > 2.5 ? value - 1e5 : value;
  };
  Settings s = settings();
  s.chains = 256;
  s.sampling.thin = 2;
  const Result result = sample(Model(density), s);
  ASSERT_GT(result.sampling.divergences, 0u);
  EXPECT_TRUE(result.converged) << result.table();
  EXPECT_FALSE(result.verdict().sound());
  EXPECT_TRUE(says(result.verdict(), Severity::warning, "Divergences: ")) << result.table();
  EXPECT_TRUE(result.problems().empty());
  expect_same(result, "divergent");
}

TEST(RunAndFile, too_few_draws) {
  Settings s = settings();
  s.sampling.draws = 4;
  s.superchains = 0;
  const Result result = sample(builtin_model("normal"), s);
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(says(result.verdict(), Severity::failure, "Too few draws: 4 of each chain")) << result.table();
  expect_same(result, "too few");
}

TEST(RunAndFile, cancelled) {
  for (const std::size_t after : {8, 60}) {
    std::atomic<bool> cancel{false};
    Settings s = settings();
    s.chains = 256;
    s.sampling.draws = 5000;
    s.sampling.thin = 2;
    s.blocks_per_second = 1000000000;
    s.cancel = &cancel;
    s.progress = [&](const Progress& p) {
      if (p.transitions > *s.warmup.transitions + s.sampling.thin * after) cancel = true;
    };
    const Result result = sample(builtin_model("normal"), s);
    ASSERT_TRUE(result.cancelled);
    EXPECT_TRUE(says(result.verdict(), Severity::warning,
                     "The run was cancelled: " + std::to_string(result.kept) + " of 5000 draws of each chain"))
        << result.table();
    EXPECT_FALSE(result.verdict().sound());
    expect_same(result, "cancelled");
  }
}

// Without draws there is no file. The verdict is that of the same run with them, but for the tail ESS.
TEST(RunAndFile, streaming) {
  for (const std::size_t warmup : {5, 300}) {
    Settings s = settings();
    s.chains = 1024;
    s.warmup.transitions = warmup;
    const char* const model = warmup == 5 ? "funnel" : "normal";
    const Result kept = sample(builtin_model(model), s);
    s.output.keep_draws = false;
    const Result streamed = sample(builtin_model(model), s);
    EXPECT_EQ(streamed.converged, warmup > 5) << streamed.table();
    EXPECT_EQ(streamed.converged, diagnosis_of(kept).verdict.converged);
    EXPECT_EQ(streamed.verdict().sound(), kept.verdict().sound()) << streamed.table() << kept.table();
    EXPECT_FALSE(says(streamed.verdict(), Severity::warning, "Tail ESS")) << streamed.table();
  }
}

TEST(RunAndFile, a_quantity_that_is_not_finite) {
  Result result = testing_io::hand_made_result(64, 200, Precision::double_precision);
  result.settings.superchains = 16;
  result.draws.float64[5 * 64 + 3] = std::numeric_limits<double>::infinity();
  result.sampling.nonfinite_chains = {3};
  result.sample_stats = {};
  const std::vector<VariableSummary> summary =
      summarise(DrawsView<double>{result.draws.float64.data(), 200, 9, 64, 9 * 64, 64, 1}, 1, 16);
  for (std::size_t i = 0; i < summary.size(); ++i) result.summary[i].statistics = summary[i];
  result.converged = result.verdict().converged;
  EXPECT_FALSE(result.converged);
  EXPECT_TRUE(
      says(result.verdict(), Severity::failure, "among the draws of 1 of 9 quantities (m[1,2]), in 1 of 64 chains (3)"))
      << result.table();
  expect_same(result, "not finite");
}

TEST(Diagnosis, of_files_in_two_lines) {
  const std::string data = MANYCHAIN_TEST_DATA "/diagnostics/", path = data + "blocker.1.csv";
  testing::internal::CaptureStdout();
  const Diagnosis diagnosis = diagnose(read_draws({path}));
  if (!diagnosis.verdict.sound()) std::cout << diagnosis.verdict.text() << diagnosis.table();
  const std::string out = testing::internal::GetCapturedStdout();
  EXPECT_EQ(out.rfind("NOT converged:\n  - R-hat: not below 1.01 for ", 0), 0u) << out;
  EXPECT_NE(out.find("40 of 49 rows are shown"), std::string::npos) << out;
  EXPECT_NE(out.find("lengthen warm-up"), std::string::npos) << out;
  EXPECT_EQ(out.find("Settings::"), std::string::npos) << out;
  EXPECT_NE(out.find("note: Not looked at, because the files do not have it: divergences and the energy"),
            std::string::npos)
      << out;
  EXPECT_FALSE(diagnosis.file.run);
  EXPECT_THROW(diagnosis.table({.show = {"nu"}}), BadInput);
  EXPECT_LT(diagnosis.table({.rows = 2}).size(), diagnosis.table().size());
}

// Many failed chains; a file of other chains or draws than the run's; a file of another version.
TEST(RunRecord, comes_back_as_it_was) {
  diagnostics::RunFacts facts;
  facts.sampler = "mala\n\"";
  facts.superchains = 16;
  facts.missed_modes = {"5 % of the posterior near mu = 3"};
  facts.drifts = {"x[3], by 6.2 standard errors"};
  facts.tail.where = "1 % of the posterior";
  facts.tail.visits = 7.5;
  facts.tail.draws = 12345;
  facts.annealed = true;
  facts.weighed_modes = {"95 +- 1 % of the posterior near mu = 0", "5 +- 1 % of the posterior near mu = 3"};
  facts.divergences = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t c = 0; c < 50'000; ++c) facts.stuck_chains.push_back(c);
  const auto back = io::read_run_record(io::run_record(facts, 50'000, 7), 50'000, 7);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->sampler, facts.sampler);
  EXPECT_EQ(back->divergences, facts.divergences);
  EXPECT_EQ(back->stuck_chains, facts.stuck_chains);
  EXPECT_TRUE(std::isnan(back->precision_error));
  EXPECT_EQ(back->missed_modes, facts.missed_modes);
  EXPECT_EQ(back->drifts, facts.drifts);
  EXPECT_EQ(back->tail.where, facts.tail.where);
  EXPECT_EQ(back->tail.visits, facts.tail.visits);
  EXPECT_EQ(back->tail.draws, facts.tail.draws);
  EXPECT_FALSE(back->tail.refused);
  EXPECT_TRUE(back->annealed);
  EXPECT_EQ(back->weighed_modes, facts.weighed_modes);
  EXPECT_FALSE(io::read_run_record(io::run_record(facts, 50'000, 7), 50'000, 6));
  EXPECT_TRUE(io::read_run_record(R"({"chains": 3, "kept": 4, "something": [1, 2]})", 3, 4));
  for (const char* damaged :
       {"", "{", "[]", R"({"chains": 3})", R"({"chains": 3, "kept": 4, "sampler": 7})",
        R"({"chains": 3, "kept": 4, "stuck_chains": [3]})", R"({"chains": 3, "kept": 4, "superchains": 4})",
        R"({"chains": 3, "kept": 4, "superchains": -1})"})
    EXPECT_THROW(io::read_run_record(damaged, 3, 4), BadInput) << damaged;
}

/// The file of `result` after `change(file, posterior)`.
template <class Change>
Diagnosis changed(const Result& result, const Change& change) {
  const std::string path = testing::TempDir() + "manychain_changed.nc";
  write_netcdf(path, result);
  int file = 0, posterior = 0;
  EXPECT_EQ(nc_open(path.c_str(), NC_WRITE, &file), NC_NOERR);
  EXPECT_EQ(nc_inq_grp_ncid(file, "posterior", &posterior), NC_NOERR);
  change(file, posterior);
  EXPECT_EQ(nc_close(file), NC_NOERR);
  Diagnosis diagnosis = diagnose(read_draws({path}));
  std::remove(path.c_str());
  return diagnosis;
}

TEST(RunRecord, of_an_older_version_or_damaged) {
  const Result result = sample(builtin_model("normal"), settings());
  // As older versions wrote them: R-hat decides, and the energies are there.
  const Diagnosis old = changed(
      result, [](int, int posterior) { EXPECT_EQ(nc_del_att(posterior, NC_GLOBAL, io::run_record_name), NC_NOERR); });
  EXPECT_FALSE(old.file.run);
  EXPECT_TRUE(old.file.faults.empty());
  EXPECT_TRUE(old.file.stat("energy"));
  EXPECT_TRUE(std::isnan(old.summary[0].rhat_nested));
  EXPECT_EQ(old.verdict.text().find("ested"), std::string::npos) << old.verdict.text();
  const auto with_record = [&](const std::string& record) {
    return changed(result, [&](int, int posterior) {
      EXPECT_EQ(nc_put_att_text(posterior, NC_GLOBAL, io::run_record_name, record.size(), record.c_str()), NC_NOERR);
    });
  };
  const Diagnosis damaged = with_record("{\"chains\": 64");
  EXPECT_FALSE(damaged.file.run);
  EXPECT_TRUE(says(damaged.verdict, Severity::failure, "what its run wrote about itself makes no sense"))
      << damaged.verdict.text();
  const Diagnosis other = with_record(R"({"chains": 64, "kept": 99, "superchains": 16})");
  EXPECT_FALSE(other.file.run) << "the record of a run of fewer draws";
  EXPECT_TRUE(other.file.faults.empty());
}

TEST(RunRecord, of_many_chains_fits_into_a_file) {
  Result result = testing_io::hand_made_result(60'000, 1, Precision::single_precision);
  for (std::size_t c = 0; c < 60'000; ++c) result.sampling.stuck_chains.push_back(c);
  result.converged = false;
  const Diagnosis diagnosis = diagnosis_of(result);
  ASSERT_TRUE(diagnosis.file.run);
  EXPECT_EQ(diagnosis.file.run->stuck_chains, result.sampling.stuck_chains);
}

}  // namespace
