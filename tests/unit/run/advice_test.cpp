// Each sentence of advice about settings, in a run that provokes it: what it says is read out of the sentence and done,
// and the run is better by the measure that stands beside it. Runs are so bad at first that no seed is lucky.
#include <limits>

#include "unit/run/advice.hpp"

#include "manychain/core/error.hpp"

namespace {

using namespace manychain;
using namespace manychain::test;

// Shares of transitions that diverge. Masses that follow tau would not let them.
TEST(Advice, against_divergences) {
  Settings s = few("hmc", 128, 300, 100);
  s.sampling.metric = MetricKind::low_rank;
  s.warmup.target_acceptance = 0.6;
  const Model centred = builtin_model("eight_schools_centered");
  expect_that_advice_helps(
      {"Divergences:", "Raise Settings::warmup.target_acceptance (now 0.6) to 0.87.", centred, s, divergent_share, {}});
  expect_that_advice_helps(
      {"Divergences:", "If that does not help, reparametrise the model: groups with few data non-centred", centred, s,
       divergent_share, [] { return builtin_model("eight_schools"); }});
  s.warmup.target_acceptance.reset();
  s.sampling.step_size = 0.5;
  expect_that_advice_helps({"Divergences:", "Leave out Settings::sampling.step_size", centred, s, divergent_share, {}});
}

// The smallest step that is advised leaves the model alone to change.
TEST(Advice, against_divergences_ends_with_the_model) {
  diagnostics::Facts facts;
  facts.run = diagnostics::RunFacts{};
  facts.run->divergences = 1;
  facts.run->warmup = 300;
  facts.run->target_acceptance = 0.983;
  const diagnostics::Verdict verdict = diagnostics::judge(facts);
  EXPECT_NE(find(verdict, "Divergences:")->advice.find("Reparametrise the model: groups"), std::string::npos);
}

// Shares of chains that are stuck.
TEST(Advice, against_stuck_chains) {
  const Model scales = builtin_model("ill_conditioned_normal");
  Settings s = few("hmc", 64, 0, 100);
  s.warmup.initial_radius = 20;
  expect_that_advice_helps({"Stuck:", "Raise Settings::warmup.transitions (now 0) to 300.", scales, s, stuck, {}});
  s = few("hmc", 64, 300, 100);
  s.sampling.step_size = 5;
  expect_that_advice_helps({"Stuck:", "Leave out Settings::sampling.step_size", scales, s, stuck, {}});
  s = few("hmc", 256, 300, 200);
  s.warmup.target_acceptance = 0.6;
  s.sampling.metric = MetricKind::low_rank;
  expect_that_advice_helps(
      {"Stuck:", "Raise Settings::warmup.target_acceptance", builtin_model("funnel"), s, stuck, {}});
}

// One chain that starts at 1000 among others that start at 0.
TEST(Advice, against_outlying_chains) {
  Settings s = few("metropolis", 64, 10, 50);
  s.warmup.initial_points.assign(64 * 10, 0.0);
  for (std::size_t i = 0; i < 10; ++i) s.warmup.initial_points[i * 64 + 7] = 1000;
  expect_that_advice_helps({"Outlying:",
                            "Raise Settings::warmup.transitions (now 10) to 300.",
                            builtin_model("normal"),
                            s,
                            [](const Result& r) { return double(r.sampling.outlying_chains.size()); },
                            {}});
}

// The largest R-hat; nested R-hat where there are superchains.
TEST(Advice, against_chains_that_do_not_agree) {
  const Model normal = builtin_model("normal"), schools = builtin_model("eight_schools");
  expect_that_advice_helps({"R-hat:",
                            "Raise Settings::warmup.transitions (now 10) to 300.",
                            normal,
                            few("metropolis", 16, 10, 100),
                            worst_rhat,
                            {}});
  expect_that_advice_helps({"R-hat:",
                            "Raise Settings::sampling.draws (now 300) to ",
                            normal,
                            few("metropolis", 16, 300, 300),
                            worst_rhat,
                            {}});
  Settings s = few("metropolis", 256, 10, 100);
  s.warmup.initial_radius = 50;
  expect_that_advice_helps(
      {"Nested R-hat:", "Raise Settings::warmup.transitions (now 10) to 300.", normal, s, worst_rhat, {}});
  expect_that_advice_helps(
      {"Nested R-hat:", "Raise Settings::sampling.draws", schools, few("hmc", 64, 200, 2), worst_rhat, {}});
  s = few("metropolis", 256, 300, 100);
  s.sampling.step_size = 0.02;
  expect_that_advice_helps({"Nested R-hat:", "Leave out Settings::sampling.step_size", normal, s, worst_rhat, {}});
}

// Few draws, whose R-hat is that of chance: HMC is antithetic in x and not in abs(x), so that both ESS are larger than
// what R-hat of the folded draws sees. Followed, each quantity fails once in a thousand times or less, and 28 are
// looked at in 10 runs of either alternative: 0.3 false alarms among seeds that are fixed.
TEST(Advice, against_chance) {
  for (const char* const model : {"normal", "eight_schools"})
    for (const std::size_t draws : {20, 40})
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        Settings s = few("hmc", 64, 300, draws);
        s.seed = seed;
        expect_that_advice_cures({"Nested R-hat:",
                                  "by chance, of so few draws. Raise Settings::sampling.draws",
                                  builtin_model(model),
                                  s,
                                  worst_rhat,
                                  {}});
      }
}

// A dense metric takes two points of each parameter, from windows that a short warm-up does not have, or from chains.
// The measure is the number of directions that are missing.
TEST(Advice, for_a_dense_metric) {
  const auto missing = [](const Result& r) { return -double(r.warmup.tuning[0].metric_rank); };
  const Model normal = builtin_model("normal", Data::from_json(R"({"D": 400})"));
  Settings s = few("hmc", 4, 10, 50);
  s.sampling.metric = MetricKind::dense;
  s.warmup.starts = Starts::uniform;
  expect_that_advice_cures({"Metric: it has no correlations",
                            "Raise Settings::warmup.transitions (now 10) to 300.",
                            builtin_model("normal"),
                            s,
                            missing,
                            {}});
  s.warmup.transitions = 300;
  expect_that_advice_cures(
      {"Metric: it has no correlations", "Raise Settings::chains (now 4) to 800.", normal, s, missing, {}});
  s.warmup.transitions = 10;
  s.sampling.step_size = 0.1;
  const diagnostics::Verdict verdict = sample(builtin_model("normal"), s).verdict();
  ASSERT_TRUE(find(verdict, "Metric:"));
  EXPECT_EQ(find(verdict, "Metric:")->advice,
            "Leave out Settings::sampling.step_size, so that warm-up adapts the metric.");
  s.sampling.metric = MetricKind::automatic;
  EXPECT_FALSE(find(sample(builtin_model("normal"), s).verdict(), "Metric:"));
}

// A warm-up too short for starts at such distances, which a random walk forgets slowly: superchains differ more than
// the chains within.
TEST(Advice, against_starts_that_are_not_forgotten) {
  const Model normal = builtin_model("normal");
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Settings s = few("metropolis", 256, 100, 100);
    s.seed = seed;
    s.warmup.starts = Starts::uniform;
    s.warmup.initial_radius = 50;
    expect_that_advice_helps(
        {"Nested R-hat:",
         "Chains that started apart do not agree yet. Raise Settings::warmup.transitions (now 100) to 300.",
         normal,
         s,
         worst_rhat,
         {}});
  }
}

/// Minus the smallest ESS of a mean.
double least_ess_of_means(const Result& r) {
  double least = HUGE_VAL;
  for (const SummaryRow& row : r.summary)
    least = std::min(least, std::pow(row.statistics.sd / row.statistics.mcse_mean, 2));
  return -least;
}

// Two superchains, whose errors of means have one degree of freedom: the bulk ESS of antithetic chains is at its limit,
// and the ESS of the mean is judged in its place.
TEST(Advice, for_means_that_so_few_superchains_do_not_show) {
  Settings s = few("hmc", 32, 300, 20);
  s.superchains = 2;
  s.seed = 7;
  expect_that_advice_cures(
      {"Bulk ESS:", "Take Settings::superchains 8.", builtin_model("normal"), s, least_ess_of_means, {}});
}

// Sixteen of 256 chains start far out, and few draws see them come back: R-hat of ranks agrees, the sd is wrong.
TEST(Advice, against_chains_that_stay_far_out) {
  const Model normal = builtin_model("normal");
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    Settings s = few("metropolis", 256, 10, 4000);
    s.seed = seed;
    s.superchains = 16;
    s.warmup.initial_points.assign(256 * 10, 0.0);
    for (std::size_t c = 3; c < 256; c += 16) s.warmup.initial_points[c] = 30;
    expect_that_advice_cures({"Sd: not precise for 1 of 10 quantities (x[1])",
                              "Raise Settings::warmup.transitions (now 10) to 300.",
                              normal,
                              s,
                              worst_sd_error,
                              {}});
  }
}

// No run, and one whose warm-up has found a step.
// Chains of constant masses stop above the neck of the centred eight schools.
TEST(Advice, against_a_neck_that_is_missed) {
  const auto missed = [](const Result& r) { return double(r.posterior.missed_necks.size()); };
  Settings s = few("hmc", 256, 300, 1000);
  s.sampling.metric = MetricKind::low_rank;
  expect_that_advice_cures(
      {"Neck: the draws of tau end", "auto", builtin_model("eight_schools_centered"), s, missed, {}});
  s.sampling.metric = MetricKind::automatic;
  s.sampling.step_size = 0.2;  // without adaptation masses are constant, too
  s.sampling.trajectory = 6;
  expect_that_advice_cures({"Neck: the draws of tau end", "location + scale * z",
                            builtin_model("eight_schools_centered"), s, missed,
                            [] { return builtin_model("eight_schools"); }});
}

TEST(Advice, against_steps_that_run_away) {
  Settings s = few("hmc", 256, 300, 20);
  s.warmup.target_acceptance = 0.3;
  s.sampling.metric = MetricKind::low_rank;
  std::string said;
  try {
    sample(builtin_model("funnel"), s);
  } catch (const SamplingFailed& error) {
    said = error.what();
  }
  const std::vector<Change> changes = changes_of(said);
  ASSERT_EQ(changes.size(), 1u) << said;
  EXPECT_EQ(changes[0].first, "warmup.target_acceptance 0.5");
  changes[0].second(s);
  EXPECT_NO_THROW(sample(builtin_model("funnel"), s));
}

// The smallest ESS, which is then above its limit.
TEST(Advice, for_more_effective_draws) {
  const Model normal = builtin_model("normal");
  const Settings s = few("metropolis", 16, 300, 600);
  expect_that_advice_cures({"Bulk ESS:", "Raise Settings::sampling.draws (now 600) to ", normal, s, least_ess, {}});
  expect_that_advice_cures({"Tail ESS:", "Raise Settings::sampling.draws (now 600) to ", normal, s, least_ess, {}});
}

// The smallest ESS. A random walk of 1024 chains has an ESS above 400 while each chain has hardly moved.
TEST(Advice, against_chains_that_count_for_draws) {
  expect_that_advice_cures({"Effective draws:",
                            "Raise Settings::sampling.draws (now 60) to ",
                            builtin_model("normal"),
                            few("metropolis", 1024, 300, 60),
                            least_ess,
                            {}});
}

// The ESS of chains that do not move is below 3 each; that of chains that do is not, nor is it known of few draws.
TEST(Advice, on_chains_that_count_for_draws_is_of_those_alone) {
  const auto warned = [](double bulk, double tail, std::size_t draws) {
    diagnostics::Facts facts;
    facts.chains = 256, facts.draws = facts.draws_planned = draws;
    facts.run = diagnostics::RunFacts{};
    facts.run->draws = draws;
    facts.run->superchains = 16;
    VariableSummary s;
    s.mean = 0, s.sd = 1, s.moved = 256 * draws, s.ess_bulk = bulk, s.ess_tail = tail, s.rhat = s.rhat_nested = 1.001;
    facts.summary = {{"tau", s}};
    const diagnostics::Verdict verdict = diagnostics::judge(facts);
    EXPECT_TRUE(verdict.converged) << verdict.text();
    const diagnostics::Finding* const found = find(verdict, "Effective draws:");
    EXPECT_TRUE(!found || found->severity == diagnostics::Severity::warning);
    return found != nullptr;
  };
  EXPECT_TRUE(warned(760, 2000, 40));
  EXPECT_TRUE(warned(2000, 760, 40));
  EXPECT_TRUE(warned(760, 2000, 20));
  EXPECT_FALSE(warned(760, 2000, 19));
  EXPECT_FALSE(warned(780, 780, 40));
  EXPECT_FALSE(warned(780, std::numeric_limits<double>::quiet_NaN(), 40));
}

// Halves of four draws, whose R-hat is far from 1 however many chains there are: with superchains the same chains are
// enough.
TEST(Advice, for_superchains) {
  Settings s = few("hmc", 1024, 300, 8);
  s.superchains = 0;
  expect_that_advice_cures(
      {"Effective draws:", "Take Settings::superchains 16.", builtin_model("normal"), s, not_converged, {}});
}

// The note is of 41 chains or more: fewer have 10 effective draws each where all have 400.
TEST(Advice, for_superchains_names_enough_of_them) {
  for (const std::size_t chains : {41, 48, 64, 1000}) {
    diagnostics::Facts facts;
    facts.chains = chains, facts.draws = 1000;
    facts.run = diagnostics::RunFacts{};
    facts.run->draws = 1000;
    VariableSummary x;
    x.mean = 0, x.sd = 1, x.rhat = 1, x.ess_bulk = x.ess_tail = 401;
    facts.summary = {{"x", x}};
    const std::vector<Change> changes = changes_of(find(diagnostics::judge(facts), "Effective draws:")->advice);
    ASSERT_EQ(changes.size(), 1u);
    Settings s;
    changes[0].second(s);
    EXPECT_GE(*s.superchains, 8u);
    EXPECT_LE(4 * *s.superchains, chains);
    facts.chains = 40;
    EXPECT_FALSE(find(diagnostics::judge(facts), "Effective draws:"));
  }
}

}  // namespace
