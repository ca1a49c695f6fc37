#include "diagnostics/moment_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "diagnostics/advice.hpp"
#include "diagnostics/chance.hpp"
#include "diagnostics/energy.hpp"
#include "diagnostics/tails.hpp"

namespace manychain::diagnostics {
namespace {

/// Names moments that do not exist by the shape of the tails: their estimates do not converge, however well chains
/// agree on ranks.
void heavy_tails(const Facts& facts, const ListedQuantities& listed, std::vector<Finding>& findings) {
  if (facts.run && !facts.run->jumps.empty()) return;  // chains that hardly move have the tails of their starts
  const auto doubted = [&](const char* moment, Doubt doubt, const std::string& advice) {
    double largest = 0;
    std::vector<std::pair<double, const SummaryRow*>> found;
    for (const SummaryRow* row : listed.rows()) {
      const double k = row->statistics.khat;
      if (doubt_of(row->statistics, facts.chains * facts.draws) != doubt) continue;
      found.emplace_back(std::isnan(k) ? -HUGE_VAL : -k, row);  // finite draws with an infinite mean or sd
      if (k > largest) largest = k;
    }
    if (found.empty()) return;
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> names;
    for (const auto& [k, row] : found) names.push_back(row->name);
    const std::string shape = largest > 0 ? fmt::format("; the largest k-hat is {:.2f}", largest) : "";
    findings.push_back({Severity::warning,
                        fmt::format("Tails: the {} may not exist for {}{}.", moment, listed.count(names), shape),
                        advice});
  };
  // If momentum is refreshed too slowly for the tails, outer quantiles are as doubtful as moments.
  const bool visited = low_ebfmi_chains(facts.ebfmi, facts.draws).empty();
  const std::string lighter = " More draws do not help, a prior with lighter tails does.";
  doubted("mean, and so the sd,", Doubt::mean,
          (visited ? "Report the median and quantiles, which stand if all priors are proper."
                   : "Report the median; quantiles in the tails are doubtful, too: see E-BFMI.") +
              lighter);
  doubted("sd", Doubt::sd,
          (visited ? "Report quantiles, which stand, in place of the sd and the error of the mean."
                   : "Report the median in place of the mean; quantiles in the tails are doubtful, too: see E-BFMI.") +
              lighter);
}

/// Gives advice on how to reduce the error of an sd.
std::string more_precise(const Facts& facts, const VariableSummary& worst) {
  if (!facts.run) return "Take more draws, or report quantiles.";
  if (worst.sd_between_starts > largest_by_chance(facts.run->superchains))
    return "Chains of one start have stayed far out for long, which ranks hardly show. " + longer_warmup(*facts.run);
  constexpr double enough = 1.3;
  return more_draws(facts, enough * std::pow(worst.mcse_sd / worst.sd / largest_sd_error, 2), worst.ess_bulk);
}

/// Names sds with a large error. Every bulk ESS may be above its limit: by rank, a draw far out is only the largest.
void imprecise_sds(const Facts& facts, const ListedQuantities& listed, std::vector<Finding>& findings) {
  double largest = 0;
  const auto found = listed.worst_first(
      [&](const VariableSummary& s) { return imprecise_sd(s, facts.chains * facts.draws) ? s.mcse_sd / s.sd : NAN; },
      [](double error) { return error > largest_sd_error; }, 1, largest);
  if (found.empty()) return;
  findings.push_back({Severity::warning,
                      fmt::format("Sd: not precise for {}; the largest standard error is {:.2g} % of the sd.",
                                  listed.count(found), 100 * largest),
                      more_precise(facts, listed.statistics_of(found[0]))});
}

}  // namespace

bool imprecise_sd(const VariableSummary& s, std::size_t all, double limit) {
  return s.mcse_sd / s.sd > limit && doubt_of(s, all) == Doubt::nothing;
}

void add_moment_findings(const Facts& facts, const ListedQuantities& listed, bool agree,
                         std::vector<Finding>& findings) {
  if (facts.run && !facts.run->places.empty()) return;    // modes far apart look like a tail
  if (facts.run && !facts.run->improper.empty()) return;  // it has no quantiles to report either
  heavy_tails(facts, listed, findings);
  if (agree) imprecise_sds(facts, listed, findings);
}

}  // namespace manychain::diagnostics
