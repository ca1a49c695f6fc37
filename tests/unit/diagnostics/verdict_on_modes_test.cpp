// The verdict on modes of a posterior: that are missed, that annealing has weighed, and that differ by their labels.
#include <gtest/gtest.h>

#include <string>

#include "unit/diagnostics/sound_facts.hpp"

namespace manychain::diagnostics {
namespace {

TEST(Verdict, of_modes_that_are_missed) {
  Facts facts = sound_facts();
  facts.run = RunFacts{};
  facts.run->missed_modes = {"30 % of the posterior near a = 5", "less than 0.01 % of it near b = -7"};
  const Verdict verdict = judge(facts);
  EXPECT_FALSE(verdict.converged);
  ASSERT_EQ(verdict.findings.size(), 1u) << verdict.text();
  EXPECT_EQ(verdict.findings[0].severity, Severity::failure);
  EXPECT_EQ(verdict.findings[0].what,
            "Missed modes: 2 beside that of the draws: about 30 % of the posterior near a = 5; less than 0.01 % of it "
            "near b = -7.");
  EXPECT_NE(verdict.findings[0].advice.find("declare bounds"), std::string::npos);
}

TEST(Verdict, of_modes_that_annealing_has_weighed) {
  Facts facts = sound_facts();
  facts.run = RunFacts{};
  facts.run->annealed = true;
  facts.run->weighed_modes = {"95 +- 1 % of the posterior near a = 0", "5 +- 1 % of the posterior near a = 5"};
  const Verdict verdict = judge(facts);
  ASSERT_EQ(verdict.findings.size(), 1u) << verdict.text();
  EXPECT_EQ(verdict.findings[0].severity, Severity::note);
  EXPECT_EQ(verdict.findings[0].what,
            "Weighed modes: chains started in 2 modes by their shares: 95 +- 1 % of the posterior near a = 0; 5 +- 1 % "
            "of the posterior near a = 5.");
  facts.chains = 41;  // with few effective draws each: a few shared starts, which others are told to take, cannot weigh
  facts.ebfmi.clear();
  EXPECT_EQ(judge(facts).text().find("Effective draws"), std::string::npos) << judge(facts).text();
  facts.run->weighed_modes.clear();
  EXPECT_NE(judge(facts).text().find("Effective draws"), std::string::npos) << judge(facts).text();
  EXPECT_EQ(judge(facts).text().find("Settings::superchains"), std::string::npos) << judge(facts).text();
  facts.run->annealed = false;
  EXPECT_NE(judge(facts).text().find("Settings::superchains"), std::string::npos) << judge(facts).text();
  facts = sound_facts();
  facts.run = RunFacts{};
  facts.run->annealed = true;
  facts.run->weighed_modes = {"95 +- 1 % of the posterior near a = 0", "5 +- 1 % of the posterior near a = 5"};
  facts.run->places = "a: 243 of 256 chains stay near 0, 13 near 5";
  facts.run->missed_modes = {"2 % of the posterior near b = -7"};
  std::string all = judge(facts).text();
  EXPECT_NE(all.find("Annealing has put chains there by their shares"), std::string::npos) << all;
  EXPECT_EQ(all.find("take Settings::warmup.starts annealed"), std::string::npos) << all;
  facts.run->annealed = false;
  all = judge(facts).text();
  EXPECT_NE(all.find("take Settings::warmup.starts annealed"), std::string::npos) << all;
}

TEST(Verdict, of_labels_that_may_be_exchanged) {
  Facts facts = sound_facts();
  facts.run = RunFacts{};
  facts.run->exchangeable = {"w, mu, sigma", "phi"};
  facts.run->orderable = {"mu as ordered() or sigma as positive_ordered()", ""};
  const Verdict verdict = judge(facts);
  ASSERT_EQ(verdict.findings.size(), 1u) << verdict.text();
  EXPECT_EQ(
      verdict.findings[0].advice,
      "Declare mu as ordered() or sigma as positive_ordered(), of which the elements differ between the modes. "
      "Write an element of phi that differs between the labels by a parameter that is declared ordered(), such as "
      "the logits of one probability: the orders are then one mode.");
}

TEST(Verdict, of_a_tail_along_a_curve) {
  Facts facts = sound_facts();
  facts.run = RunFacts{};
  facts.run->draws = 1600;
  facts.run->tail.where = "about 1 % of the posterior";
  facts.run->tail.shorter = 0.25;
  facts.run->tail.visits = 123.4;
  EXPECT_EQ(judge(facts).findings[0].severity, Severity::note);
  EXPECT_NE(judge(facts).findings[0].what.find("come there about 123 times"), std::string::npos);
  facts.run->tail.draws = 4000;
  EXPECT_EQ(judge(facts).findings[0].severity, Severity::warning);
  EXPECT_EQ(judge(facts).findings[0].advice, "Raise Settings::sampling.draws (now 1600) to 4000.");
  facts.run->tail.refused = true;
  EXPECT_FALSE(judge(facts).converged);
  EXPECT_EQ(judge(facts).findings.size(), 1u);
}

}  // namespace
}  // namespace manychain::diagnostics
