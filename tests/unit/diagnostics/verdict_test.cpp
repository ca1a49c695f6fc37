// The verdict from facts made by hand: of a file of any program, and of a run.
#include "manychain/diagnostics/verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "unit/diagnostics/sound_facts.hpp"

namespace {

using namespace manychain;
using namespace manychain::diagnostics;

template <class Change>
std::vector<Finding> findings(const Change& change) {
  Facts facts = sound_facts();
  change(facts, facts.summary[1].statistics);
  const Verdict verdict = judge(facts);
  bool failed = false, warned = false;
  for (const Finding& finding : verdict.findings) {
    failed = failed || finding.severity == Severity::failure;
    warned = warned || finding.severity == Severity::warning;
  }
  EXPECT_EQ(verdict.converged, !failed);
  EXPECT_EQ(verdict.sound(), !failed && !warned);
  EXPECT_EQ(verdict.headline.rfind(failed   ? "NOT converged:"
                                   : warned ? "Converged, with warnings: every R-hat < 1.01 "
                                            : "Converged: every R-hat < 1.01 (largest 1.0099), every bulk ESS > 400",
                                   0),
            0u)
      << verdict.headline;
  return verdict.findings;
}

template <class Change>
void expect_one(Severity severity, const std::string& begin, const Change& change) {
  const auto found = findings(change);
  ASSERT_EQ(found.size(), 1u) << begin;
  EXPECT_EQ(found[0].severity, severity) << begin;
  EXPECT_EQ(found[0].what.rfind(begin, 0), 0u) << found[0].what;
  EXPECT_FALSE(found[0].advice.empty()) << begin;
  EXPECT_EQ(found[0].advice.find("Settings::"), std::string::npos) << "of a program that is not ours";
}

TEST(Verdict, nothing_to_say) {
  EXPECT_TRUE(findings([](Facts&, VariableSummary&) {}).empty());
}

TEST(Verdict, failures) {
  const auto failure = [](const std::string& begin, const auto& change) {
    expect_one(Severity::failure, begin, change);
  };
  failure("R-hat: not below 1.01 for 1 of 2 quantities (b); the largest is 1.01.",
          [](Facts&, VariableSummary& s) { s.rhat = 1.01; });
  failure("R-hat: not below 1.01", [](Facts&, VariableSummary& s) { s.rhat = INFINITY; });
  failure("R-hat or ESS: not defined for 1 of 2 quantities (b).", [](Facts&, VariableSummary& s) { s.rhat = NAN; });
  failure("R-hat or ESS: not defined", [](Facts&, VariableSummary& s) { s.ess_bulk = NAN; });
  failure("Constant: one value in all draws of 1 of 2 quantities (b).",
          [](Facts&, VariableSummary& s) { s.sd = 0, s.rhat = s.ess_bulk = NAN; });
  failure("Too few draws: 5 of each chain, for 1 of 2 quantities (b).",
          [](Facts& f, VariableSummary& s) { f.draws = 5, s.rhat = s.ess_bulk = NAN; });
  failure("Bulk ESS: not above 400 for 1 of 2 quantities (b); the smallest is 400,",
          [](Facts&, VariableSummary& s) { s.ess_bulk = 400; });
  failure("Not finite: a NaN or an infinity among the draws of 1 of 2 quantities (b), in 1 of 4 chains (2).",
          [](Facts& f, VariableSummary& s) { s = {}, f.file.nonfinite_chains = {2}; });
  failure("Stuck: no move in the last 17 draws of 1 of 4 chains (c.csv).", [](Facts& f, VariableSummary&) {
    f.chain_names = {"a.csv", "b.csv", "c.csv", "d.csv"};
    f.file.stuck_chains = {2};
    f.file.stuck_draws = 17;
  });
  failure("Identical: the same draws as in another chain, in 2 of 4 chains (1, 2).", [](Facts& f, VariableSummary&) {
    f.file.identical_chains = {1, 2};
  });
  failure("Not computed: the summary of 1 of 2 quantities (from b on).",
          [](Facts& f, VariableSummary& s) { s = {}, f.not_summarised = 1; });
  failure("x.csv: is cut.", [](Facts& f, VariableSummary&) { f.file.faults = {"x.csv: is cut."}; });
  failure("There are no draws to judge.", [](Facts& f, VariableSummary&) { f.summary.clear(); });
}

TEST(Verdict, warnings) {
  const auto warning = [](const std::string& begin, const auto& change) {
    expect_one(Severity::warning, begin, change);
  };
  warning("Tail ESS: not above 400 for 1 of 2 quantities (b); the smallest is 400,",
          [](Facts&, VariableSummary& s) { s.ess_tail = 400; });
  warning("Tails: the sd may not exist for 1 of 2 quantities (b); the largest k-hat is 0.55.",
          [](Facts& f, VariableSummary& s) { f.draws = 5000, s.ess_tail = 20000, s.khat = 0.55; });
  warning("Tails: the mean, and so the sd, may not exist for 1 of 2 quantities (b); the largest k-hat is 0.95.",
          [](Facts& f, VariableSummary& s) { f.draws = 5000, s.ess_tail = 20000, s.khat = 0.95, s.mcse_sd = 1; });
  warning("Sd: not precise for 1 of 2 quantities (b); the largest standard error is 5.1 % of the sd.",
          [](Facts&, VariableSummary& s) { s.mcse_sd = 0.051; });
  warning("E-BFMI: below 0.3 in 1 of 4 chains (3); the smallest is 0.29.",
          [](Facts& f, VariableSummary&) { f.ebfmi[3] = 0.29; });
  warning("E-BFMI: not defined in 1 of 4 chains (3);", [](Facts& f, VariableSummary&) { f.ebfmi[3] = NAN; });
  warning("Divergences: 2 of 4000 transitions (0.05 %), in 1 of 4 chains (3).",
          [](Facts& f, VariableSummary&) { f.file.divergences = 2, f.file.divergent_chains = {3}; });
}

TEST(Verdict, notes) {
  const auto note = [](const std::string& begin, const auto& change) { expect_one(Severity::note, begin, change); };
  note("Tree depth: 7 of 4000 trajectories",
       [](Facts& f, VariableSummary&) { f.file.deep_trajectories = 7, f.file.deep_chains = {0}; });
  note("Tail ESS: not defined for 1 of 2 quantities (b).", [](Facts&, VariableSummary& s) { s.ess_tail = NAN; });
  note("Effective draws: below 10 per chain for 2 of 2 quantities (a, b); the smallest is 9.8 per chain.",
       [](Facts& f, VariableSummary&) { f.chains = 41, f.ebfmi.clear(); });
}

// No finding on faults that are not there, or that cannot be told from a few draws.
TEST(Verdict, silence) {
  const auto nothing = [](const auto& change) { EXPECT_TRUE(findings(change).empty()); };
  nothing([](Facts& f, VariableSummary&) { f.draws = 49, f.ebfmi[3] = NAN; });
  nothing([](Facts&, VariableSummary& s) { s.khat = 0.55; });  // of 400 effective draws that may be chance
  nothing([](Facts& f, VariableSummary& s) { f.draws = 5000, s.ess_tail = 20000, s.khat = 0.39; });
  nothing([](Facts&, VariableSummary& s) { s.mcse_sd = 0.05; });
  nothing([](Facts& f, VariableSummary& s) { f.tail_ess = false, s.ess_tail = NAN; });
  nothing([](Facts& f, VariableSummary&) { f.draws_planned = 2000; });
  nothing([](Facts& f, VariableSummary&) { f.cancelled = true, f.draws_planned = 1000; });
}

// A run says what of it was not looked at, and nothing more.
TEST(Verdict, what_was_not_looked_at) {
  const auto of_run = [](const auto& change) {
    return findings([&](Facts& f, VariableSummary&) {
      f.run = RunFacts{};
      f.run->momenta = true;
      change(f);
    });
  };
  const auto expect_note = [&](const std::string& text, const auto& change) {
    const std::vector<Finding> found = of_run(change);
    ASSERT_EQ(found.size(), 1u) << text;
    EXPECT_EQ(found[0].severity, Severity::note);
    EXPECT_EQ(found[0].text(), text);
  };
  expect_note(
      "Not looked at, because energies are not kept: E-BFMI. A run that writes a file of draws, or sets "
      "keep_sample_stats, keeps them.",
      [](Facts& f) { f.ebfmi.clear(); });
  expect_note("Not looked at, because draws are thinned: E-BFMI, which would look better than it is.",
              [](Facts& f) { f.run->thin = 2; });
  EXPECT_TRUE(of_run([](Facts&) {}).empty());
  EXPECT_TRUE(of_run([](Facts& f) { f.ebfmi.clear(), f.run->momenta = false; }).empty());
  EXPECT_TRUE(of_run([](Facts& f) { f.run->thin = 2, f.draws = 49; }).empty());
  EXPECT_TRUE(of_run([](Facts& f) { f.ebfmi.clear(), f.draws = 49; }).empty());
  const std::vector<Finding> low = of_run([](Facts& f) { f.run->thin = 2, f.ebfmi[3] = 0.29; });
  ASSERT_EQ(low.size(), 1u);  // low though thinned
  EXPECT_EQ(low[0].severity, Severity::warning);
}

// Tails of chains that are too short for an ESS.
TEST(Verdict, tails_of_short_chains) {
  Facts facts = sound_facts();
  facts.run = RunFacts{};
  facts.run->superchains = 2;
  for (SummaryRow& row : facts.summary) row.statistics.rhat_nested = 1.001, row.statistics.ess_tail = NAN;
  for (const std::size_t draws : {5, 6}) {
    facts.draws = facts.run->draws = draws;
    const std::vector<std::string> notes = judge(facts).texts(Severity::note);
    EXPECT_EQ(std::count(notes.begin(), notes.end(), "Not looked at, because chains have fewer than 6 draws: tails."),
              draws < 6 ? 1 : 0);
  }
}

// The effect of its advice is tested where such kernels run, cuda_on_host.sample_with_leaves, and on the CPU
// (run/leaf_masses_test.cpp).
TEST(Verdict, of_a_model_without_kernels_for_its_hierarchy) {
  Facts facts = sound_facts();
  facts.run = RunFacts{};
  facts.run->draws = 1000;
  EXPECT_TRUE(judge(facts).findings.empty()) << judge(facts).text();
  facts.run->without_leaves = true;
  ASSERT_EQ(judge(facts).findings.size(), 1u) << judge(facts).text();
  EXPECT_EQ(judge(facts).findings[0].severity, Severity::note);
  EXPECT_NE(judge(facts).text().find("HIERARCHY"), std::string::npos);
}

TEST(Verdict, of_a_neck_that_is_missed) {
  Facts facts = sound_facts();
  facts.run = RunFacts{};
  facts.run->missed_necks = {"tau", "lambda[3]"};
  facts.run->constant_metric = true;
  const Verdict constant = judge(facts);
  EXPECT_TRUE(constant.converged);
  ASSERT_EQ(constant.findings.size(), 1u) << constant.text();
  EXPECT_EQ(constant.findings[0].severity, Severity::warning);
  EXPECT_NE(constant.text().find("Neck: the draws of tau, lambda[3] end"), std::string::npos) << constant.text();
  EXPECT_NE(constant.text().find("Settings::sampling.metric auto"), std::string::npos);
  facts.run->constant_metric = false;
  EXPECT_EQ(judge(facts).text().find("Settings::sampling.metric auto"), std::string::npos);
  EXPECT_NE(judge(facts).text().find("z ~ normal(0, 1)"), std::string::npos);
  EXPECT_EQ(judge(facts).text().find("u ~ normal(0, 1)"), std::string::npos);
  facts.run->necks_of_data = {"tau"};
  const std::string both = judge(facts).text();
  EXPECT_NE(both.find("whose scale depends on lambda[3] as location"), std::string::npos) << both;
  EXPECT_NE(both.find("to which tau ties data as data + scale * u, u ~ normal(0, 1)"), std::string::npos) << both;
  facts.run->necks_of_data = {"tau", "lambda[3]"};
  EXPECT_EQ(judge(facts).text().find("z ~ normal(0, 1)"), std::string::npos);
}

TEST(Verdict, of_chains_that_drift_together) {
  Facts facts = sound_facts();
  facts.run = RunFacts{};
  facts.run->warmup = 300;
  facts.run->drifts = {"a, by 9 standard errors", "b, by 8 standard errors", "c, by 7 standard errors",
                       "d, by 6 standard errors"};
  const Verdict verdict = judge(facts);
  EXPECT_FALSE(verdict.converged);
  ASSERT_EQ(verdict.findings.size(), 1u) << verdict.text();
  EXPECT_EQ(verdict.findings[0].severity, Severity::failure);
  EXPECT_NE(verdict.findings[0].what.find("a, by 9 standard errors; b, by 8 standard errors; c, by 7 standard errors; "
                                          "and 1 more."),
            std::string::npos)
      << verdict.text();
  EXPECT_NE(verdict.findings[0].advice.find("Settings::warmup.transitions (now 300) to 600"), std::string::npos);
}

// Its superchains, chains and transitions decide, and advice names its settings.
TEST(Verdict, of_a_run) {
  Facts facts = sound_facts();
  facts.run = RunFacts{};
  facts.run->superchains = 2;
  facts.run->draws = 1000;
  facts.run->warmup = 7;
  for (SummaryRow& row : facts.summary) row.statistics.rhat_nested = 1.0034, row.statistics.rhat = 1.5;
  EXPECT_TRUE(judge(facts).sound());
  EXPECT_NE(judge(facts).headline.find("no chain stuck, outlying or non-finite"), std::string::npos);
  facts.summary[0].statistics.rhat_nested = 1.5;
  EXPECT_NE(judge(facts).text().find("Raise Settings::warmup.transitions (now 7)"), std::string::npos)
      << judge(facts).text();
  facts.summary[0].statistics.rhat_nested = 1;
  facts.run->outlying_chains = {1};
  EXPECT_FALSE(judge(facts).converged);
  facts.run->outlying_chains.clear();
  facts.run->thin = 5;
  facts.run->divergences = 20;
  facts.run->divergent_chains = {3};
  facts.cancelled = true;
  facts.draws_planned = 1001;
  const Verdict verdict = judge(facts);
  EXPECT_TRUE(verdict.converged);
  ASSERT_EQ(verdict.findings.size(), 2u);
  EXPECT_EQ(verdict.findings[0].what,
            "The run was cancelled: 1000 of 1001 draws of each chain are kept, and this is what they say.");
  EXPECT_EQ(verdict.findings[1].what.rfind("Divergences: 20 of 20000 transitions (0.1 %), in 1 of 4 chains (3).", 0),
            0u);
}

// Quantiles are vouched for where the energy's tails are visited; of chains in several modes tails say nothing.
TEST(Verdict, heavy_tails_beside_other_findings) {
  const std::string vouched = "quantiles, which stand", denied = "quantiles in the tails are doubtful, too: see E-BFMI";
  for (const double khat : {0.55, 0.95}) {
    Facts facts = sound_facts();
    facts.draws = 5000;
    facts.summary[1].statistics.ess_tail = 20000;
    facts.summary[1].statistics.khat = khat;
    EXPECT_NE(judge(facts).text().find(vouched), std::string::npos) << judge(facts).text();
    facts.ebfmi[2] = 0.1;
    EXPECT_EQ(judge(facts).text().find(vouched), std::string::npos) << judge(facts).text();
    EXPECT_NE(judge(facts).text().find(denied), std::string::npos) << judge(facts).text();
    facts.run = RunFacts{};
    facts.run->draws = facts.draws;
    facts.run->places = "chains stay in 2 places";
    EXPECT_EQ(judge(facts).text().find("Tails:"), std::string::npos) << judge(facts).text();
  }
}

// In a run, an sd that differs by start asks for a longer warm-up, any other for more draws.
TEST(Verdict, an_sd_that_is_not_precise) {
  Facts facts = sound_facts();
  facts.run = RunFacts{};
  facts.run->draws = facts.draws;
  facts.run->warmup = 300;
  facts.run->superchains = 16;
  for (SummaryRow& row : facts.summary) row.statistics.rhat_nested = 1.005;
  VariableSummary& s = facts.summary[1].statistics;
  s.mcse_sd = 0.1;
  s.sd_between_starts = 2.6;
  EXPECT_NE(judge(facts).text().find(
                "far out for long, which ranks hardly show. Raise Settings::warmup.transitions (now 300) to 600."),
            std::string::npos)
      << judge(facts).text();
  s.sd_between_starts = 2.4;
  EXPECT_NE(judge(facts).text().find("Raise Settings::sampling.draws (now 1000) to 6000"), std::string::npos)
      << judge(facts).text();
  facts.run->places = "chains stay in 2 places";
  EXPECT_EQ(judge(facts).text().find("Sd:"), std::string::npos) << judge(facts).text();
}

/// A run of 64 chains in 16 superchains with nothing against it.
Facts sound_run() {
  Facts facts = sound_facts();
  facts.chains = 64;
  facts.draws = facts.draws_planned = 1000;
  facts.ebfmi.assign(64, 1.0);
  for (SummaryRow& row : facts.summary) {
    row.statistics.rhat_nested = 1.001;
    row.statistics.ess_bulk = row.statistics.ess_tail = 2000;
    row.statistics.mcse_mean = 1 / std::sqrt(2000.0);
  }
  facts.run = RunFacts{};
  facts.run->superchains = 16;
  facts.run->draws = 1000;
  facts.run->warmup = 300;
  facts.run->target_acceptance = 0.8;
  return facts;
}

// Advice on settings is no cure where the run has seen another cause.
TEST(Verdict, a_cause_takes_the_place_of_advice_on_stuck_and_outlying_chains) {
  Facts facts = sound_run();
  ASSERT_TRUE(judge(facts).sound()) << judge(facts).text();
  facts.run->stuck_chains = {2};
  facts.run->outlying_chains = {3};
  EXPECT_NE(judge(facts).text().find("Settings::"), std::string::npos);
  facts.run->edges = {"tau"};
  const std::string edge = judge(facts).text();
  EXPECT_EQ(edge.find("Settings::"), std::string::npos) << edge;
  EXPECT_NE(edge.find("Every proposal was rejected: see Edge."), std::string::npos) << edge;
  EXPECT_NE(edge.find("A longer warm-up does not bring them there: see Edge."), std::string::npos) << edge;
  facts.run->places = "chains stay in 2 places";
  EXPECT_NE(judge(facts).text().find("They stay in another mode: see Several modes."), std::string::npos);
}

// If chains agree, an edge is no cause of a low ESS.
TEST(Verdict, an_edge_and_a_low_ess_of_chains_that_agree) {
  Facts facts = sound_run();
  facts.run->edges = {"tau"};
  for (SummaryRow& row : facts.summary) {
    row.statistics.ess_bulk = row.statistics.ess_tail = 300;
    row.statistics.mcse_mean = 1 / std::sqrt(300.0);
  }
  EXPECT_NE(judge(facts).text().find("Raise Settings::sampling.draws (now 1000) to 2000"), std::string::npos)
      << judge(facts).text();
  facts.summary[0].statistics.rhat_nested = 1.2;
  EXPECT_EQ(judge(facts).text().find("Raise Settings::sampling.draws"), std::string::npos) << judge(facts).text();
}

// The draws that are kept are multiplied, not those that were planned.
TEST(Verdict, of_a_cancelled_run_with_a_low_ess) {
  Facts facts = sound_run();
  facts.cancelled = true;
  facts.draws = 40;
  for (SummaryRow& row : facts.summary) {
    row.statistics.ess_bulk = row.statistics.ess_tail = 150;
    row.statistics.mcse_mean = 1 / std::sqrt(150.0);
  }
  EXPECT_NE(judge(facts).text().find("Let it run on: 160 of the 1000 draws of each chain are enough."),
            std::string::npos)
      << judge(facts).text();
  facts.draws_planned = facts.run->draws = 100;
  EXPECT_NE(judge(facts).text().find("Raise Settings::sampling.draws (now 100) to 160."), std::string::npos)
      << judge(facts).text();
}

// A run with a starting point for each chain takes neither more chains nor superchains.
TEST(Verdict, of_a_run_whose_starts_are_given) {
  Facts facts = sound_run();
  facts.run->superchains = 0;
  facts.run->given_starts = true;
  for (SummaryRow& row : facts.summary) {
    row.statistics.rhat = 1.001;
    row.statistics.ess_bulk = row.statistics.ess_tail = 450;
  }
  EXPECT_EQ(judge(facts).text().find("Settings::superchains"), std::string::npos) << judge(facts).text();
  for (SummaryRow& row : facts.summary) row.statistics.ess_bulk = 300;
  EXPECT_NE(judge(facts).text().find("Raise Settings::sampling.draws"), std::string::npos) << judge(facts).text();
  EXPECT_EQ(judge(facts).text().find("Settings::chains"), std::string::npos) << judge(facts).text();
}

// A given step is left out where chains do not agree, not where draws are few; one that biases draws is never.
TEST(Verdict, of_a_run_whose_step_is_given) {
  const std::string leave = "Leave out Settings::sampling.step_size";
  Facts facts = sound_run();
  facts.run->fixed_step = true;
  facts.run->target_acceptance = NAN;
  facts.draws = facts.run->draws = 20;
  for (SummaryRow& row : facts.summary) row.statistics.rhat_nested = 1.015, row.statistics.rhat = 1.02;
  EXPECT_EQ(judge(facts).text().find(leave), std::string::npos) << judge(facts).text();
  EXPECT_NE(judge(facts).text().find("Raise Settings::sampling.draws (now 20)"), std::string::npos)
      << judge(facts).text();
  for (SummaryRow& row : facts.summary) row.statistics.rhat_nested = 3, row.statistics.rhat = 3.2;
  EXPECT_NE(judge(facts).text().find(leave), std::string::npos) << judge(facts).text();
  facts.run->biased = true;
  facts.run->step_size = 0.6;
  EXPECT_EQ(judge(facts).text().find(leave), std::string::npos) << judge(facts).text();
  EXPECT_NE(judge(facts).text().find("Lower Settings::sampling.step_size (now 0.6) to 0.3"), std::string::npos);
}

// Two draws of a chain do not tell chance from starts; an R-hat of 20 after five transitions of warm-up does.
TEST(Verdict, of_fewer_draws_than_tell) {
  Facts facts = sound_run();
  facts.draws = facts.run->draws = 4;
  facts.run->warmup = 5;
  for (SummaryRow& row : facts.summary) row.statistics.rhat_nested = 20;
  EXPECT_NE(judge(facts).text().find("Raise Settings::warmup.transitions (now 5) to 300."), std::string::npos)
      << judge(facts).text();
  facts.run->warmup = 300;
  for (SummaryRow& row : facts.summary) row.statistics.rhat_nested = 1.05;
  EXPECT_NE(judge(facts).text().find("So few draws cannot tell whether starts are forgotten."), std::string::npos)
      << judge(facts).text();
  EXPECT_EQ(judge(facts).text().find("by chance"), std::string::npos) << judge(facts).text();
}

// Far from convergence after all draws the model itself may be wrong. A file of another program has none to look at.
TEST(Verdict, far_from_convergence_names_the_check_of_the_model) {
  const std::string advice = "manychain check looks for mistakes in the model.";
  const auto times = [&](const Facts& facts) {
    const std::string text = judge(facts).text();
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find(advice, at)) != std::string::npos; ++at) ++count;
    return count;
  };
  for (const std::size_t superchains : {std::size_t{0}, std::size_t{2}}) {
    Facts facts = sound_facts();
    for (SummaryRow& row : facts.summary) row.statistics.rhat_nested = 1;
    VariableSummary& s = facts.summary[1].statistics;
    double& rhat = superchains > 0 ? s.rhat_nested : s.rhat;
    rhat = 1.11;
    EXPECT_EQ(times(facts), 0u);
    facts.run = RunFacts{};
    facts.run->superchains = superchains;
    facts.run->draws = facts.draws_planned = 1000;
    EXPECT_EQ(times(facts), 1u);
    facts.run->stuck_chains = {2};
    EXPECT_EQ(times(facts), 1u);  // once
    rhat = 1.009;
    EXPECT_EQ(times(facts), 1u);
    facts.run->stuck_chains.clear();
    rhat = 1.09;
    EXPECT_EQ(times(facts), 0u);
    rhat = 1.11;
    facts.cancelled = true;
    facts.draws_planned = 2000;
    EXPECT_EQ(times(facts), 0u);
  }
}

}  // namespace
