// Advice is followed, word by word, and the run is better.
#pragma once

#include <gtest/gtest.h>

#include <charconv>
#include <functional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "run/setting_table.hpp"

namespace manychain::test {

/// Changes of settings that a sentence asks for, and their names for a message.
using Change = std::pair<std::string, std::function<void(Settings&)>>;

/// Sets the setting of that path to what a sentence says, as the command line would.
inline void set(Settings& settings, const std::string& name, const std::string& word) {
  bool found = false;
  for_each_setting([&]<class Row>(const Row& row) {
    using Value = typename Row::Value;
    if (name != row.path) return;
    found = true;
    if constexpr (Row::in_words) {
      for (const auto& [spelt, meant] : row.range.words())
        if (spelt == word) row.in(settings) = meant;
    } else if constexpr (std::is_arithmetic_v<Value>) {
      Value value{};
      EXPECT_EQ(std::from_chars(word.data(), word.data() + word.size(), value).ec, std::errc()) << name << " " << word;
      row.in(settings) = value;
    }
  });
  EXPECT_TRUE(found) << name;
}

/// "Raise Settings::sampling.draws (now 40) to 80 or Settings::sampling.thin (now 1) to 2", "Take Settings::precision
/// double", "Leave out Settings::sampling.step_size": one change for each setting, since "or" stands between them.
inline std::vector<Change> changes_of(const std::string& advice) {
  std::vector<Change> changes;
  if (advice.find("Leave out Settings::sampling.step_size") != std::string::npos)
    changes.emplace_back("step_size", [](Settings& s) { s.sampling.step_size.reset(); });
  if (advice.find("Halve the first number of Settings::sampling.schedule") != std::string::npos)
    changes.emplace_back("schedule", [](Settings& s) { s.sampling.schedule->a /= 2; });
  const std::regex value(
      R"(Settings::([\w.]+) (?:\(now [^)]*\) to )?(\d+\.?\d*(?:e-?\d+)?|double|auto|pathfinder|annealed))");
  for (auto at = std::sregex_iterator(advice.begin(), advice.end(), value); at != std::sregex_iterator(); ++at)
    changes.emplace_back((*at)[1].str() + " " + (*at)[2].str(),
                         [name = (*at)[1].str(), word = (*at)[2].str()](Settings& s) { set(s, name, word); });
  return changes;
}

struct Case {
  std::string finding;  ///< how it begins: "Divergences:"
  std::string advice;   ///< what it says, in part
  Model model;
  Settings settings;
  std::function<double(const Result&)> badness;  ///< less is better
  std::function<Model()> mended;                 ///< what the model is once the advice is followed; empty: settings are
};

inline const diagnostics::Finding* find(const diagnostics::Verdict& verdict, const std::string& begin) {
  for (const diagnostics::Finding& finding : verdict.findings)
    if (finding.what.rfind(begin, 0) == 0) return &finding;
  return nullptr;
}

/// The run must provoke the finding. Following its advice, each alternative by itself, must make `badness` less.
/// Verdicts of the runs that followed.
inline std::vector<diagnostics::Verdict> expect_that_advice_helps(const Case& c) {
  std::vector<diagnostics::Verdict> verdicts;
  const Result before = sample(c.model, c.settings);
  const diagnostics::Verdict verdict = before.verdict();
  const diagnostics::Finding* const finding = find(verdict, c.finding);
  EXPECT_TRUE(finding) << c.finding << " was not provoked:\n" << verdict.text();
  if (!finding) return verdicts;
  EXPECT_NE(finding->advice.find(c.advice), std::string::npos) << finding->text();
  std::vector<Change> changes;
  if (c.mended)
    changes.emplace_back("the model", [](Settings&) {});
  else
    changes = changes_of(finding->advice);
  EXPECT_FALSE(changes.empty()) << finding->advice << " says nothing to do";
  for (const auto& [words, change] : changes) {
    Settings settings = c.settings;
    change(settings);
    const Result after = sample(c.mended ? c.mended() : c.model, settings);
    EXPECT_LT(c.badness(after), c.badness(before)) << words << ", after\n" << finding->text();
    verdicts.push_back(after.verdict());
  }
  return verdicts;
}

/// Like expect_that_advice_helps(), and the finding must not recur.
inline void expect_that_advice_cures(const Case& c) {
  for (const diagnostics::Verdict& verdict : expect_that_advice_helps(c))
    EXPECT_FALSE(find(verdict, c.finding)) << verdict.text();
}

// Measures.
inline double divergent_share(const Result& r) {
  return double(r.sampling.divergences) / double(r.kept * r.settings.sampling.thin * r.settings.chains);
}
inline double stuck(const Result& r) { return double(r.sampling.stuck_chains.size()) / double(r.settings.chains); }
inline double worst_rhat(const Result& r) {
  double worst = 0;
  for (const SummaryRow& row : r.summary)
    worst = std::max(worst, r.settings.superchains.value_or(0) > 1 ? row.statistics.rhat_nested : row.statistics.rhat);
  return worst;
}
inline double least_ess(const Result& r) {  // less is better: with a minus
  double least = HUGE_VAL;
  for (const SummaryRow& row : r.summary) least = std::min({least, row.statistics.ess_bulk, row.statistics.ess_tail});
  return -least;
}
inline double worst_sd_error(const Result& r) {
  double worst = 0;
  for (const SummaryRow& row : r.summary) worst = std::max(worst, row.statistics.mcse_sd / row.statistics.sd);
  return worst;
}
inline double not_converged(const Result& r) { return r.converged ? 0 : 1; }

inline Settings few(const std::string& sampler, std::size_t chains, std::size_t warmup, std::size_t draws) {
  Settings s;
  s.backend = Backend::cpu;
  s.sampler = sampler;
  s.chains = chains;
  s.warmup.transitions = warmup;
  s.sampling.draws = draws;
  s.seed = 1;
  return s;
}

}  // namespace manychain::test
