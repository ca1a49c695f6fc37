// The verdict on a run, from statistics made by hand.
#include "sampling/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace {

using namespace manychain;

/// A run of 64 chains and two quantities with nothing against it.
struct Judged {
  Result result;
  ChainStatistics chains;

  explicit Judged(std::size_t superchains) {
    result.settings.chains = 64;
    result.settings.superchains = superchains;
    result.layout.dimension = 2;
    result.settings.warmup.transitions = 300;
    result.settings.sampling.draws = 400;
    const std::vector<double> zeros(64, 0.0);
    chains = {zeros, zeros, zeros, zeros, std::vector<double>(64, -1.0)};
    VariableSummary s;
    s.rhat = superchains > 0 ? 1.2 : 1.0099;
    s.rhat_nested = superchains > 0 ? 1.0099 : NAN;
    s.ess_bulk = 401;
    result.summary = {{"a", s}, {"b", s}};
  }
  VariableSummary& second() { return result.summary[1].statistics; }
  bool converged() const {
    Result judged = result;
    judge(judged, chains);
    EXPECT_EQ(judged.converged, judged.problems().empty());
    return judged.converged;
  }
};

template <class Change>
bool converged(std::size_t superchains, Change change) {
  Judged run(superchains);
  change(run);
  return run.converged();
}

// The largest log density begins with the lowest number, and keeps it where no other was found.
TEST(Judge, log_densities_that_are_nowhere_finite) {
  for (const double lowest : {double{std::numeric_limits<float>::lowest()}, std::numeric_limits<double>::lowest()}) {
    EXPECT_FALSE(converged(16, [&](Judged& r) { r.chains.largest_log_density[3] = lowest; }));
    EXPECT_FALSE(converged(16, [&](Judged& r) {
      r.chains.largest_log_density[3] = lowest;
      r.result.sampler.chain = false;  // exact draws
    }));
    EXPECT_TRUE(converged(16, [&](Judged& r) {
      r.chains.largest_log_density[3] = lowest;
      r.result.sampler.chain = r.result.sampler.exact = false;  // weights, which may be zero
    }));
    EXPECT_FALSE(converged(16, [&](Judged& r) {
      std::fill(r.chains.largest_log_density.begin(), r.chains.largest_log_density.end(), lowest);
      r.result.sampler.chain = r.result.sampler.exact = false;  // but not all of all chains: no mean would have a value
    }));
  }
}

TEST(Judge, without_superchains_by_rhat) {
  EXPECT_TRUE(converged(0, [](Judged&) {}));
  EXPECT_FALSE(converged(0, [](Judged& r) { r.second().rhat = 1.01; }));
  EXPECT_FALSE(converged(0, [](Judged& r) { r.second().rhat = NAN; }));
  EXPECT_FALSE(converged(0, [](Judged& r) { r.second().ess_bulk = 400; }));
  EXPECT_FALSE(converged(0, [](Judged& r) { r.second().ess_bulk = NAN; }));
  EXPECT_TRUE(converged(0, [](Judged& r) { r.second().rhat_nested = 1.5; }));
  EXPECT_FALSE(converged(0, [](Judged& r) { r.second().ess_bulk = NAN, r.result.settings.sampling.draws = 5; }));
}

TEST(Judge, with_superchains_by_nested_rhat) {
  EXPECT_TRUE(converged(16, [](Judged&) {}));
  EXPECT_TRUE(converged(16, [](Judged& r) { r.second().rhat = NAN; }));
  EXPECT_FALSE(converged(16, [](Judged& r) { r.second().rhat_nested = 1.01; }));
  EXPECT_FALSE(converged(16, [](Judged& r) { r.second().rhat_nested = NAN; }));
  EXPECT_FALSE(converged(16, [](Judged& r) { r.second().rhat_nested = INFINITY; }));
  EXPECT_FALSE(converged(16, [](Judged& r) { r.second().ess_bulk = 400; }));
  EXPECT_FALSE(converged(16, [](Judged& r) { r.second().ess_bulk = NAN; }));
}

// A constant of the layout is no failure; one that the layout does not know is, and so is one of it that moves.
TEST(Judge, constants_of_the_layout) {
  const auto constant = [](Judged& r, double sd, std::vector<bool> known) {
    r.result.layout.constant = std::move(known);
    VariableSummary& s = r.second();
    s.mean = 1, s.sd = sd;
    s.rhat = s.rhat_nested = s.ess_bulk = s.ess_tail = NAN;
  };
  for (const std::size_t superchains : {std::size_t{0}, std::size_t{16}}) {
    EXPECT_TRUE(converged(superchains, [&](Judged& r) { constant(r, 0, {false, true}); }));
    EXPECT_FALSE(converged(superchains, [&](Judged& r) { constant(r, 0, {true, false}); }));
    EXPECT_FALSE(converged(superchains, [&](Judged& r) { constant(r, 0, {}); }));
    EXPECT_FALSE(converged(superchains, [&](Judged& r) { constant(r, 1e-9, {false, true}); }));
  }
}

// Among quantities that do not move, or in a handful of draws, only those that are computed from the parameters are
// excused, and not if nothing else is there.
TEST(Judge, what_hardly_moves) {
  const auto still = [](double sd, double moved, bool derived) {
    return [=](Judged& r) {
      r.result.settings.sampling.target_ess = 400;
      r.result.kept = 20;
      r.result.layout.quantities = {{"a", {}, 0, false, false}, {"b", {}, 1, derived, false}};
      VariableSummary& s = r.second();
      s.mean = 1, s.sd = sd, s.moved = moved;
      s.rhat = s.rhat_nested = s.ess_bulk = s.ess_tail = NAN;
    };
  };
  for (const std::size_t superchains : {std::size_t{0}, std::size_t{16}}) {
    EXPECT_TRUE(converged(superchains, still(0, 0, true)));
    EXPECT_FALSE(converged(superchains, still(0, 0, false)));
    EXPECT_TRUE(converged(superchains, still(0.1, 12, true)));  // of 1280
    EXPECT_FALSE(converged(superchains, still(0.1, 13, true)));
    EXPECT_FALSE(converged(superchains, still(0.1, 12, false)));
    EXPECT_FALSE(converged(superchains, still(0.1, NAN, true)));
    EXPECT_FALSE(converged(superchains, [&](Judged& r) {
      still(0, 0, true)(r);
      r.result.layout.quantities[0].derived = true;
      r.result.summary[0].statistics = r.second();
    }));
  }
  const auto goes_on = [&](double sd, double moved, bool derived) {
    Judged run(16);
    still(sd, moved, derived)(run);
    run.result.summary[0].statistics.ess_tail = 400;
    return !reached({run.result.summary[0].statistics, run.second()}, run.result.layout, run.result.settings, 1280);
  };
  EXPECT_FALSE(goes_on(0, 0, true));
  EXPECT_FALSE(goes_on(0.1, 12, true));
  EXPECT_TRUE(goes_on(0, 0, false));
  EXPECT_TRUE(goes_on(0.1, 13, true));
  EXPECT_TRUE(goes_on(0.1, 12, false));
}

// 64 chains of 20 draws: 1280 log10(1280) = 3977 is the upper limit of the published ESS, and says nothing. A mean
// whose error is a fiftieth of the sd is worth 2500 draws.
TEST(Judge, an_ess_at_its_upper_limit_is_not_shown) {
  Judged run(16);
  run.second().sd = 5, run.second().mcse_mean = 0.1;
  run.second().ess_bulk = 1280 * std::log10(1280.0);
  EXPECT_NEAR(deciding(run.result.settings).shown_ess(run.second(), 64, 20), 2500, 1e-6);
  EXPECT_NEAR(deciding(run.result.settings).shown_ess(run.second(), 64, 21), 2500, 1e-6);
  run.second().ess_bulk = 3900;
  EXPECT_EQ(deciding(run.result.settings).shown_ess(run.second(), 64, 20), 3900);
  run.result.settings.superchains = 0;
  run.second().ess_bulk = 1280 * std::log10(1280.0);
  EXPECT_EQ(deciding(run.result.settings).shown_ess(run.second(), 64, 20), run.second().ess_bulk);
}

// The number that is shown is the number that is judged: an error of the mean of a twentieth of the sd or more fails,
// unless the tails deny an sd.
TEST(Judge, the_mean_where_the_bulk_ess_is_at_its_limit) {
  const auto judged = [](double error, double khat, double ess = 1280 * std::log10(1280.0)) {
    return converged(16, [=](Judged& r) {
      r.result.kept = 20;
      r.second().mean = 0, r.second().sd = 5, r.second().mcse_mean = error, r.second().khat = khat;
      r.second().ess_bulk = ess;
    });
  };
  EXPECT_TRUE(judged(0.2499, 0.1));
  EXPECT_FALSE(judged(0.2501, 0.1));
  EXPECT_TRUE(judged(0.2501, 1.5));
  EXPECT_TRUE(judged(0.2501, 0.1, 3900));
  Judged run(16);
  run.result.kept = 20;
  for (SummaryRow& row : run.result.summary) {
    row.statistics.mean = 0, row.statistics.sd = 5, row.statistics.mcse_mean = 0.26;
    row.statistics.ess_bulk = 1280 * std::log10(1280.0);
  }
  judge(run.result, run.chains);
  ASSERT_EQ(run.result.problems().size(), 1u);
  EXPECT_NE(run.result.problems()[0].find("the smallest is 370"), std::string::npos) << run.result.problems()[0];
}

// An error of 5 % of an sd is passed over, or what a mean has of a smaller ESS that is asked for. Tails that deny an sd
// are not waited for, nor are quantities that hardly move.
TEST(Judge, a_run_goes_on_while_an_sd_is_not_precise) {
  const auto imprecision = [](double error, double khat = 0.1, double target = 400, double share = 1) {
    Judged run(16);
    run.result.settings.sampling.target_ess = target;
    VariableSummary& s = run.second();
    s.sd = 2, s.mcse_sd = error * s.sd, s.khat = khat, s.ess_tail = 400;
    return imprecision_of_sds({s}, run.result.layout, run.result.settings, 5120, share);
  };
  EXPECT_EQ(imprecision(0.0499), 0);
  EXPECT_GT(imprecision(0.0501), 1);
  EXPECT_DOUBLE_EQ(imprecision(0.06), 1.2);
  EXPECT_EQ(imprecision(NAN), 0);
  EXPECT_EQ(imprecision(0.0501, 0.9), 0);
  EXPECT_EQ(imprecision(0.0999, 0.1, 100), 0);
  EXPECT_GT(imprecision(0.1001, 0.1, 100), 1);
  EXPECT_DOUBLE_EQ(imprecision(0.12, 0.1, 100), 1.2);
  EXPECT_GT(imprecision(0.0501, 0.1, 4000), 1);
  EXPECT_GT(imprecision(0.0301, 0.1, 400, 0.6), 0.6);
  EXPECT_DOUBLE_EQ(imprecision(0.04, 0.1, 400, 0.6), 0.8);
  EXPECT_EQ(imprecision(0.0299, 0.1, 400, 0.6), 0);
}

// A run goes on until superchains show a mean that the verdict believes: K (2 K - 2) / (2 K - 1) / (R^2 - 1) is 371 of
// 8 superchains at 1.00999, and 418 at 1.0089. Of 16 it is 771, whatever the R-hat below 1.01.
TEST(Judge, a_run_goes_on_while_superchains_do_not_show_the_mean) {
  const auto goes_on = [](std::size_t superchains, double rhat, double ess) {
    Judged run(superchains);
    run.result.settings.sampling.target_ess = 400;
    VariableSummary& s = run.second();
    s.rhat_nested = rhat, s.ess_bulk = ess, s.ess_tail = 400;
    return !reached({s}, run.result.layout, run.result.settings, 1280);
  };
  const double limit = 1280 * std::log10(1280.0);
  EXPECT_TRUE(goes_on(8, 1.00999, limit));
  EXPECT_FALSE(goes_on(8, 1.0089, limit));
  EXPECT_FALSE(goes_on(8, 1.00999, 3900));
  EXPECT_FALSE(goes_on(16, 1.00999, limit));
}

// Five draws of a chain have no ESS. The means of the superchains' halves have a variance of R^2 - 1 = 0.01990 times
// that of the draws, so that the 8 halves of 4 are worth 8 / 0.01990 = 402 draws, and the 6 of 3 301.
TEST(Judge, chains_too_short_for_an_ess_by_the_means_of_superchains) {
  const auto short_chains = [](Judged& r) {
    r.result.settings.sampling.draws = 5;
    for (SummaryRow& row : r.result.summary) row.statistics.ess_bulk = row.statistics.rhat = NAN;
  };
  EXPECT_TRUE(converged(4, short_chains));
  EXPECT_FALSE(converged(3, short_chains));
  EXPECT_NEAR(deciding(Judged(16).result.settings).ess(Judged(16).second()), 401, 0);
  Judged run(16);
  short_chains(run);
  EXPECT_NEAR(deciding(run.result.settings).ess(run.second()), 32 / (1.0099 * 1.0099 - 1), 1e-9);
}

// The positions of chains that have not converged say nothing of the posterior. An alarm stays one.
TEST(Judge, a_precision_check_passes_only_a_run_that_has_converged) {
  for (const bool agree : {true, false}) {
    for (const double error : {0.001, 0.3, double(NAN)}) {
      Judged run(16);
      if (!agree) run.second().rhat_nested = 1.5;
      run.result.precision.error = error;
      judge(run.result, run.chains);
      EXPECT_EQ(run.result.precision.unknown, !agree && error == 0.001);
      EXPECT_EQ(std::isnan(run.result.precision.error), std::isnan(error) || run.result.precision.unknown);
    }
  }
}

TEST(Judge, no_chain_may_fail) {
  for (const std::size_t superchains : {std::size_t{0}, std::size_t{16}}) {
    EXPECT_FALSE(converged(superchains, [](Judged& r) { r.chains.since_move[3] = 100; }));
    EXPECT_TRUE(converged(superchains, [](Judged& r) { r.chains.since_move[3] = 99; }));
    EXPECT_FALSE(converged(superchains, [](Judged& r) { r.chains.nonfinite[3] = 1; }));
    EXPECT_FALSE(converged(superchains, [](Judged& r) { r.chains.largest_log_density[3] = -INFINITY; }));
    EXPECT_FALSE(
        converged(superchains, [](Judged& r) { r.chains.largest_log_density[3] = -1 - 10 * std::sqrt(2.0) - 1e-9; }));
    EXPECT_TRUE(
        converged(superchains, [](Judged& r) { r.chains.largest_log_density[3] = -1 - 10 * std::sqrt(2.0) + 1e-9; }));
    EXPECT_TRUE(converged(superchains, [](Judged& r) { r.chains.divergences[3] = 1; }));
  }
}

}  // namespace
