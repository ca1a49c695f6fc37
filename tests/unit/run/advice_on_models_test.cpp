// Sentences of advice about models, and about samplers that few models have: each is followed, and the run is better.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "unit/run/advice.hpp"
#include "unit/run/advised.hpp"
#include "unit/run/latent_classes.hpp"
#include "unit/run/mixtures_of_normals.hpp"
#include "unit/run/regressions.hpp"

namespace manychain::test {
namespace {

// Chains that stay in two modes; longer runs are not spoken of before that.
TEST(Advice, against_several_modes) {
  const Case c{"Several modes: mu[",      "ordered()",   model_of<Exchangeable, "hmc">(two_groups()),
               few("hmc", 256, 300, 100), not_converged, [] { return model_of<Ordered, "hmc">(two_groups()); }};
  expect_that_advice_cures(c);
  const diagnostics::Verdict verdict = sample(c.model, c.settings).verdict();
  EXPECT_EQ(verdict.findings[0].what.rfind("Several modes: mu[", 0), 0u) << verdict.text();
  EXPECT_EQ(verdict.text().find("Settings::warmup.transitions"), std::string::npos) << verdict.text();
  EXPECT_TRUE(find(verdict, "Exchangeable labels: the density stays the same if the elements of mu are put in another"))
      << verdict.text();
  EXPECT_FALSE(find(sample(c.mended(), c.settings).verdict(), "Exchangeable labels"));
}

// Simplexes and matrices cannot be put in order: an element of theirs is written by a vector that can.
TEST(Advice, against_labels_of_which_no_vector_can_be_ordered) {
  const Case c{"Exchangeable labels: the density stays the same if the elements of w, theta are",
               "Write an element of w, theta that differs between the labels by a parameter that is declared ordered()",
               model_of<LatentClasses, "hmc">(answers()),
               few("hmc", 64, 300, 100),
               not_converged,
               [] { return model_of<LatentClassesInOrder, "hmc">(answers()); }};
  expect_that_advice_cures(c);
  EXPECT_FALSE(find(sample(c.mended(), c.settings).verdict(), "Exchangeable labels"));
}

// Two modes 8.4 sd apart, between which chains go over, but seldom: they stay in none, and a warm-up of 600 transitions
// is too short, too.
TEST(Advice, for_modes_that_chains_seldom_leave) {
  const Model modes = mixture_of({{0.6, 1, {-4.2, 0}}, {0.4, 1, {4.2, 0}}});
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Settings s;
    s.seed = seed;
    const Result before = sample(modes, s);
    const diagnostics::Verdict verdict = before.verdict();
    const diagnostics::Finding* const apart = find(verdict, "Nested R-hat:");
    ASSERT_TRUE(apart) << verdict.text();
    EXPECT_NE(apart->advice.find("Raise Settings::warmup.transitions (now 300) to 600. If the difference stays, chains "
                                 "may seldom go over from one mode to another: take Settings::sampler tempering."),
              std::string::npos)
        << apart->text();
    s.sampler = "tempering";
    const Result tempered = sample(modes, s);
    EXPECT_TRUE(tempered.converged) << tempered.verdict().text();
    EXPECT_LT(worst_rhat(tempered), worst_rhat(before));
  }
}

void expect_that_tempering_reaches_all(const Model& model, Settings s, const char* what, double mean) {
  const Result before = sample(model, s);
  const diagnostics::Verdict verdict = before.verdict();
  EXPECT_FALSE(before.converged);
  const diagnostics::Finding* const modes = find(verdict, what);
  ASSERT_TRUE(modes) << verdict.text();
  EXPECT_NE(modes->advice.find("Settings::sampler tempering, whose chains go from one to another."), std::string::npos)
      << modes->text();
  s.sampler = "tempering";
  const Result tempered = sample(model, s);
  EXPECT_TRUE(tempered.converged) << tempered.verdict().text();
  EXPECT_NEAR(tempered.summary[0].statistics.mean, mean, 4.5 * tempered.summary[0].statistics.mcse_mean);
}
TEST(Advice, where_all_of_several_modes_are_meant) {
  const Model corners = mixture_of({{0.4, 1, {-6, -6}}, {0.3, 1, {6, 6}}, {0.2, 1, {-6, 6}}, {0.1, 1, {6, -6}}});
  const Model narrow = mixture_of({{0.5, 1, {-5, -5}}, {0.5, 0.1, {5, 5}}});
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Settings s;
    s.seed = seed;
    expect_that_tempering_reaches_all(corners, s, "Several modes:", -1.2);
    expect_that_tempering_reaches_all(narrow, s, "Missed modes:", 0);
  }
}

// Without draws nobody knows how long chains stay, nor which component has a constraint.
TEST(Advice, without_draws_sees_no_modes_and_names_no_place_of_an_edge) {
  Settings s = few("hmc", 256, 300, 100);
  s.output.keep_draws = false;
  const Result modes = sample(model_of<Exchangeable, "hmc">(two_groups()), s);
  EXPECT_FALSE(modes.converged);
  EXPECT_EQ(modes.posterior.places, "");
  EXPECT_EQ(sample(model_of<Unbounded, "hmc">(up_to_1_2()), s).posterior.edges,
            std::vector<std::string>{"theta (on one side)"});
}

// An indicator of the mode has the largest R-hat, since it is constant within chains, and shows no place.
TEST(Advice, sees_modes_behind_an_indicator_of_them) {
  const Case c{"Several modes: mu[",      "ordered()",   model_of<ExchangeableWithIndicator, "hmc">(two_groups()),
               few("hmc", 256, 300, 100), not_converged, [] { return model_of<Ordered, "hmc">(two_groups()); }};
  expect_that_advice_cures(c);
  const Result result = sample(c.model, c.settings);
  const auto largest = std::max_element(result.summary.begin(), result.summary.end(), [](const auto& a, const auto& b) {
    return a.statistics.rhat_nested < b.statistics.rhat_nested;
  });
  EXPECT_EQ(largest->name, "first_is_larger") << result.table();
  EXPECT_EQ(result.verdict().text().find("Settings::warmup.transitions"), std::string::npos) << result.verdict().text();
}

// Chains whose steps are too small for one that is wide stay where they start, and show no modes.
TEST(Advice, sees_no_modes_where_chains_hardly_move) {
  for (const double step : {1e-3, 1e-2, 0.05, 0.1}) {
    Settings s = few("metropolis", 256, 0, 100);
    s.sampling.step_size = step;
    s.warmup.starts = Starts::uniform;
    const Result result = sample(builtin_model("normal"), s);
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.posterior.places, "") << step;
  }
}

// Groups that have many data are narrow in mu, tau and all theta at once where they are non-centred.
TEST(Advice, against_divergences_of_a_hierarchy) {
  Settings s = few("hmc", 256, 300, 100);
  s.warmup.target_acceptance = 0.6;
  const Model non_centred = model_of<PreciseGroupsNonCentred, "hmc">(precise_groups());
  expect_that_advice_cures({"Divergences:", "groups with many centred", non_centred, s, divergent_share,
                            [] { return model_of<PreciseGroupsCentred, "hmc">(precise_groups()); }});
}

// A density that ends next to the draws: more chains and draws are not spoken of.
TEST(Advice, against_a_missing_bound) {
  const Case c{"Edge:",
               "Declare a bound there in the model, where the parameter is declared: lower(), ",
               model_of<Unbounded, "hmc">(up_to_1_2()),
               few("hmc", 256, 300, 100),
               not_converged,
               [] { return model_of<Bounded, "hmc">(up_to_1_2()); }};
  expect_that_advice_cures(c);
  const Result result = sample(c.model, c.settings);
  const diagnostics::Verdict verdict = result.verdict();
  EXPECT_EQ(verdict.findings[0].what, "Edge: the log density is not finite next to draws of theta (below 1.2).");
  EXPECT_EQ(verdict.text().find("Settings::"), std::string::npos) << verdict.text();
  EXPECT_TRUE(sample(builtin_model("eight_schools_centered"), c.settings).posterior.edges.empty());
}

// A bound that is declared, and numbers that end before it: of gamma(0.001, 0.001) 0.49 lies below the smallest double,
// and lognormal(0, 500) reaches beyond the smallest and the largest.
TEST(Advice, against_a_posterior_that_no_precision_holds) {
  for (const bool log_normal : {false, true}) {
    const Result result = sample(at_zero(log_normal ? 500 : 0.001, log_normal), few("hmc", 64, 300, 100));
    const diagnostics::Verdict verdict = result.verdict();
    EXPECT_TRUE(result.posterior.edges.empty()) << verdict.text();
    ASSERT_FALSE(verdict.findings.empty());
    EXPECT_EQ(verdict.findings[0].what.rfind("Cut off:", 0), 0u) << verdict.text();
    EXPECT_NE(verdict.findings[0].advice.find("Make its logarithm the parameter"), std::string::npos);
    EXPECT_EQ(verdict.text().find("Edge"), std::string::npos) << verdict.text();
    EXPECT_EQ(verdict.text().find("Settings::"), std::string::npos) << verdict.text();
    if (const diagnostics::Finding* const rhat = find(verdict, "Nested R-hat:")) {
      EXPECT_EQ(rhat->advice.rfind("No more draws mend that: see Cut off.", 0), 0u) << rhat->advice;
    }
  }
}

// Without a warm-up, after which the precision is checked, there is no edge either: by the model's terms the density
// goes on, and without terms the constraint of the component has reached its end. Chains start from one end to the
// other.
TEST(Advice, takes_the_range_of_numbers_for_no_missing_bound) {
  Settings s = few("hmc", 64, 0, 100);
  s.sampling.step_size = 1;
  for (int c = 0; c < 64; ++c) s.warmup.initial_points.push_back(-700 + 1400 * c / 63.0);
  Data data;
  data.set("a", 500);
  data.set("D", 1);
  data.set("log_normal", 1);
  for (const Model& model : {at_zero(500, true), model_of<AtZero, "hmc">(data)}) {
    const Result result = sample(model, s);
    EXPECT_EQ(result.precision.beyond, "");
    EXPECT_FALSE(result.converged) << "no edge is looked for";
    EXPECT_TRUE(result.posterior.edges.empty()) << result.verdict().text();
  }
}

// With more steps the equation is solved there, and a bound would cut the posterior off.
TEST(Advice, takes_an_equation_that_is_not_solved_for_no_missing_bound) {
  const Result result = sample(model_with_terms<FewSteps, "hmc">(at_time_one()), few("hmc", 64, 300, 100));
  EXPECT_GT(result.sampling.divergences, 0u);
  EXPECT_TRUE(result.posterior.edges.empty()) << result.verdict().text();
}

// Who cancels does not wait for causes.
TEST(Advice, looks_for_no_edge_once_the_run_is_cancelled) {
  Settings s = few("hmc", 64, 300, 100000);
  std::atomic<bool> cancel{false};
  s.cancel = &cancel;
  s.progress = [&](const Progress& p) {
    if (std::string(p.phase) == "sampling") cancel = true;
  };
  const Result result = sample(model_of<Unbounded, "hmc">(up_to_1_2()), s);
  EXPECT_TRUE(result.cancelled);
  EXPECT_TRUE(result.posterior.edges.empty()) << result.posterior.edges[0];
}

// Without draws an unbounded parameter may have a constraint, whose numbers might have come to their end at 100.
TEST(Advice, sees_an_edge_far_from_zero_without_draws) {
  Settings s = few("hmc", 64, 300, 100);
  for (int c = 0; c < 64; ++c) s.warmup.initial_points.push_back(100.2 + 0.04 * c);
  const Model model = model_with_terms<AboveHundred, "hmc">();
  EXPECT_EQ(sample(model, s).posterior.edges, std::vector<std::string>{"x (below 100)"});
  s.output.keep_draws = false;
  EXPECT_EQ(sample(model, s).posterior.edges, std::vector<std::string>{"x (on one side)"});
}

// A bound that is missing beside one that is declared, and two of one component. A run in five has draws next to both
// (packs of AVX2): none of 40 once in 7000 times.
TEST(Advice, names_each_component_once) {
  Settings s = few("hmc", 64, 300, 100);
  EXPECT_EQ(sample(model_of<Positive, "hmc">(up_to_1_2()), s).posterior.edges,
            std::vector<std::string>{"theta (on one side)"});
  int both = 0;
  for (s.seed = 1; s.seed <= 40; ++s.seed) {
    const Result result = sample(model_of<Between, "hmc">(), s);
    ASSERT_LE(result.posterior.edges.size(), 1u);
    if (result.posterior.edges.empty()) continue;
    both += std::regex_match(result.posterior.edges[0], std::regex(R"(x \(below (-?\d\S*e-\d+|0), above 1\))"));
  }
  EXPECT_GE(both, 1);
}

// Error of the share of draws below the smallest normal number of single precision; 0.40 is right.
TEST(Advice, against_a_posterior_that_single_precision_cuts_off) {
  constexpr double a = 0.01, smallest = 0x1p-126;
  const double below = std::exp(a * std::log(a * smallest) - std::lgamma(a + 1));
  const auto off = [=](const Result& r) {
    double share = 0;
    for (std::size_t d = 0; d < r.draws.draws; ++d)
      for (std::size_t c = 0; c < r.draws.chains; ++c)
        share += r.draws(d, 0, c) < smallest ? 1.0 / double(r.draws.draws * r.draws.chains) : 0;
    return std::fabs(share - below);
  };
  Settings s = few("hmc", 64, 300, 100);
  s.precision = Precision::single_precision;
  expect_that_advice_cures({"Cut off:", "Take Settings::precision double.", at_zero(a, false), s, off, {}});
}

// Outputs that are not finite, of so many chains; in double precision the model itself is to blame.
TEST(Advice, against_what_is_not_finite) {
  const auto bad = [](const Result& r) { return double(r.sampling.nonfinite_chains.size()); };
  Settings s = few("hmc", 64, 200, 50);
  s.precision = Precision::single_precision;
  expect_that_advice_cures(
      {"Not finite:", "Take Settings::precision double", model_of<Exponential, "hmc">(with(95)), s, bad, {}});
  s.precision = Precision::double_precision;
  expect_that_advice_cures(
      {"Not finite:", "Look at where density and outputs of the model are defined, and at its priors and scales.",
       model_of<Exponential, "hmc">(with(800)), s, bad, [] { return model_of<Exponential, "hmc">(with(0.8)); }});
}

// Shares of transitions at which a sampler without trajectories found no finite density.
TEST(Advice, against_densities_that_are_not_finite) {
  Settings s = few("mala", 64, 200, 100);
  s.precision = Precision::single_precision;
  expect_that_advice_cures(
      {"Divergences:", "Take Settings::precision double", model_of<Overflowing>(), s, divergent_share, {}});
}

// Error of the sd; 1 is right.
TEST(Advice, against_bias) {
  const auto off = [](const Result& r) { return std::fabs(r.summary[0].statistics.sd - 1); };
  Settings s = few("ula", 1024, 200, 100);
  expect_that_advice_helps(
      {"Biased:", "Raise Settings::warmup.target_acceptance", model_of<SixteenNormals>(), s, off, {}});
  s.sampling.step_size = 0.6;
  expect_that_advice_helps(
      {"Biased:", "Lower Settings::sampling.step_size (now 0.6) to 0.3", model_of<SixteenNormals>(), s, off, {}});
}

// Likewise for a sampler with a schedule of steps, whose posterior has an sd of 1/3.
TEST(Advice, against_bias_of_a_schedule) {
  const auto off = [](const Result& r) { return std::fabs(r.summary[0].statistics.sd - 1.0 / 3); };
  Settings s = few("sgld", 1024, 200, 100);
  s.sampling.schedule = StepSchedule{0.15, 1, 0};
  expect_that_advice_helps(
      {"Biased:", "Halve the first number of Settings::sampling.schedule", model_of<Averaged>(), s, off, {}});
}

// Minus the smallest E-BFMI of a chain.
TEST(Advice, against_a_low_ebfmi) {
  const auto low = [](const Result& r) { return -*std::min_element(r.sampling.ebfmi.begin(), r.sampling.ebfmi.end()); };
  expect_that_advice_cures({"E-BFMI:", "reparametrise the model", model_of<HeavyTails, "hmc">(),
                            few("hmc", 64, 300, 200), low, [] { return model_of<Quotients, "hmc">(); }});
}

// Chains agree on ranks, and a few draws far out are much of the sd. Its error has heavy tails itself: 37 of 46 runs
// that followed were better (23 of 60 seeds, packs of AVX2), so that of 30 half are not once in 3000 times.
TEST(Advice, for_an_sd_that_is_not_precise) {
  const Model model = model_of<NoFourthMoment, "hmc">();
  int provoked = 0, followed = 0, better = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Settings s = few("hmc", 256, 100, 20);
    s.seed = seed;
    const Result before = sample(model, s);
    const diagnostics::Verdict verdict = before.verdict();
    const diagnostics::Finding* const finding = find(verdict, "Sd: not precise");
    if (!finding) continue;
    ++provoked;
    EXPECT_NE(finding->advice.find("Raise Settings::sampling.draws (now 20) to "), std::string::npos)
        << finding->text();
    for (const auto& [words, change] : changes_of(finding->advice)) {
      Settings changed = s;
      change(changed);
      ++followed;
      better += worst_sd_error(sample(model, changed)) < worst_sd_error(before);
    }
  }
  EXPECT_GE(provoked, 4);
  EXPECT_GT(2 * better, followed) << followed;
}

// Error of the sd, of draws of the proposal and weighted as the note says; 1 is right.
TEST(Advice, for_weighted_draws) {
  const Result r = sample(model_of<Proposed>(with(2)), few("importance", 256, 0, 200));
  ASSERT_TRUE(find(r.verdict(), "Weighted:"));
  EXPECT_NE(find(r.verdict(), "Weighted:")->advice.find("Weight each by exp(lp)"), std::string::npos);
  double sum = 0, squares = 0;
  for (std::size_t d = 0; d < r.draws.draws; ++d)
    for (std::size_t c = 0; c < r.draws.chains; ++c) {
      const double weight = std::exp(r.sample_stats(d, 0, c)), x = r.draws(d, 0, c);
      sum += weight;
      squares += weight * x * x;
    }
  EXPECT_LT(std::fabs(std::sqrt(squares / sum) - 1), 0.05);
  EXPECT_GT(std::fabs(r.summary[0].statistics.sd - 1), 0.5);
}

// A proposal of half the width or less misses tails; the weights of 1.5 sd in thousands of draws are good.
TEST(Advice, for_weights_that_are_not_to_be_trusted) {
  const auto khat = [](const Result& r) { return std::isnan(r.sampling.weights_khat) ? 10 : r.sampling.weights_khat; };
  expect_that_advice_helps({"Weights: k-hat", "Take a proposal nearer to the target", model_of<Proposed>(with(0.3)),
                            few("importance", 256, 0, 200), khat, [] { return model_of<Proposed>(with(1.5)); }});
  EXPECT_FALSE(sample(model_of<Proposed>(with(0.3)), few("importance", 256, 0, 200)).converged);
  const Result good = sample(model_of<Proposed>(with(1.5)), few("importance", 256, 0, 200));
  EXPECT_TRUE(good.converged) << good.table();
  EXPECT_GT(good.sampling.weights_ess, 0.5 * 256 * 200);
  EXPECT_LT(good.sampling.weights_khat, 0.5);
}

// Proposals 100 times as wide: one draw in a hundred counts.
TEST(Advice, for_weights_that_are_worth_few_draws) {
  const auto lack = [](const Result& r) { return -r.sampling.weights_ess; };
  expect_that_advice_helps({"Weights: they are worth",
                            "Raise Settings::sampling.draws (now 50) to ",
                            model_of<Proposed>(with(100)),
                            few("importance", 256, 0, 50),
                            lack,
                            {}});
}

// Shares of chains that are stuck, of proposals that the model makes.
TEST(Advice, against_proposals_that_are_all_rejected) {
  expect_that_advice_helps({"Stuck:", "Take smaller proposals", model_of<Proposed>(with(1e5)),
                            few("metropolis_hastings", 64, 300, 200), stuck,
                            [] { return model_of<Proposed>(with(2)); }});
}

/// A regression on data whose mean is 50 000 of their standard deviations, or standardised.
Model far_regression(bool standardised) {
  Data data;
  std::vector<double> x, y;
  for (int j = 0; j < 50; ++j) {
    x.push_back(5e4 + std::sin(7.0 * j));
    y.push_back(2 + 0.5 * std::sin(7.0 * j) + 0.3 * std::cos(11.0 * j));
  }
  data.set("N", 50);
  data.set("standardise", standardised ? 1 : 0);
  data.set("x", x);
  data.set("y", y);
  return model_of<FlatRegression, "hmc">(data);
}

// Bound of the share of accept decisions that rounding changes, before warm-up.
TEST(Advice, against_single_precision) {
  Settings s = few("hmc", 64, 150, 40);
  s.precision = Precision::single_precision;
  const auto changed = [](const Result& r) {
    return r.settings.precision == Precision::double_precision
               ? 0.0
               : std::max(r.precision.check.decisions_changed, r.precision.check.positions_changed);
  };
  const Case c{"Single precision:", "", far_regression(false), s, changed, {}};
  expect_that_advice_cures({c.finding, "Take Settings::precision double", c.model, c.settings, changed, {}});
  expect_that_advice_cures(
      {c.finding, "centre and scale x", c.model, c.settings, changed, [] { return far_regression(true); }});
}

}  // namespace
}  // namespace manychain::test
