#include "calibration/reference.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "manychain/core/error.hpp"
#include "text/suggest.hpp"
#include "text/table_rows.hpp"
#include "text/text_table.hpp"
#include "text/unsigned_nan.hpp"

namespace manychain {
namespace {

/// `rounding`: the relative spread that a constant may have in the run.
ReferenceRow compared(const Reference& reference, const VariableSummary& of, double rounding) {
  ReferenceRow row;
  row.reference = reference;
  row.mean = of.mean;
  row.sd = of.sd;
  // Constants, but for rounding, have no standard errors: the diagonal of a correlation matrix.
  const auto constant = [](double mean, double sd, double within) { return sd <= within * std::fabs(mean); };
  if ((reference.sd == 0 && of.sd == 0) ||
      (constant(reference.mean, reference.sd, 1e-6) && constant(of.mean, of.sd, rounding))) {
    row.z = row.sd_error = 0;
    row.mean_agrees = std::fabs(of.mean - reference.mean) <= 1e-5 * std::max(1.0, std::fabs(reference.mean));
    row.sd_agrees = true;
    return row;
  }
  row.z = (of.mean - reference.mean) / std::hypot(of.mcse_mean, reference.mcse_mean);
  row.sd_error = of.sd / reference.sd - 1;
  row.sd_mcse = std::hypot(of.mcse_sd, reference.mcse_sd) / reference.sd;
  row.mean_agrees = std::fabs(row.z) < allowed_mean;
  row.sd_agrees = std::fabs(row.sd_error) < std::max(allowed_sd, allowed_mean * row.sd_mcse);
  return row;
}

/// "theta[1], theta[2] and 6 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + most, ", "), names.size() - most);
}

/// Distance of a row from agreement: more than 1 disagrees. NaN is worst.
double distance(const ReferenceRow& row) {
  const double worst = std::max(std::fabs(row.z) / allowed_mean,
                                std::fabs(row.sd_error) / std::max(allowed_sd, allowed_mean * row.sd_mcse));
  return std::isnan(row.z) || std::isnan(worst) ? HUGE_VAL : worst;
}

}  // namespace

ReferenceComparison compare_with(const Result& result, const std::vector<Reference>& references) {
  std::map<std::string, const Reference*> by_name;
  for (const Reference& reference : references)
    if (!by_name.emplace(reference.name, &reference).second)
      throw BadInput("the reference has " + reference.name + " twice");
  ReferenceComparison comparison;
  comparison.converged = result.converged;
  comparison.problems = result.problems();
  const double rounding = result.settings.precision == Precision::double_precision ? 1e-12 : 1e-6;
  std::vector<std::string> names;
  for (const SummaryRow& row : result.summary) {
    names.push_back(row.name);
    const auto found = by_name.find(row.name);
    if (found == by_name.end()) {
      comparison.only_here.push_back(row.name);
      continue;
    }
    comparison.rows.push_back(compared(*found->second, row.statistics, rounding));
    by_name.erase(found);
  }
  for (const Reference& reference : references)
    if (by_name.count(reference.name)) comparison.only_there.push_back(reference.name);
  if (comparison.rows.empty())
    throw BadInput(fmt::format("the reference has no quantity of model {}: it has {}, the model {}", result.model,
                               references.empty() ? "none" : some_of(comparison.only_there), some_of(names)));
  comparison.passed = comparison.converged && std::all_of(comparison.rows.begin(), comparison.rows.end(),
                                                          [](const ReferenceRow& row) { return row.agrees(); });
  return comparison;
}

std::string ReferenceComparison::table(std::size_t most) const {
  const auto wrong = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const ReferenceRow& row) { return !row.agrees(); }));
  std::string text;
  if (!converged)
    text += fmt::format("Cannot tell: the run has not converged. {}\n", fmt::join(problems, " "));
  else if (wrong > 0)
    text += fmt::format("WRONG: {} of {} quantities differ from the reference.\n", wrong, rows.size());
  else
    text += fmt::format("Agrees: {} {}, means within {} standard errors, sds within {:.0f} %.\n", rows.size(),
                        rows.size() == 1 ? "quantity" : "quantities", allowed_mean, 100 * allowed_sd);
  if (!reference_problems.empty())
    text += fmt::format("warning: the reference has not converged itself. {}\n", fmt::join(reference_problems, " "));
  std::vector<std::string> names;
  for (const ReferenceRow& row : rows) names.push_back(row.reference.name);
  const ShownRows shown =
      rows_to_show(names, most, [&](std::size_t a, std::size_t b) { return distance(rows[a]) > distance(rows[b]); });
  std::vector<std::vector<std::string>> cells = {
      {"", "reference mean", "mean", "z", "reference sd", "sd", "off by", ""}};
  for (const std::size_t i : shown.rows) {
    const ReferenceRow& row = rows[i];
    const double digits = row.reference.sd > 0 ? row.reference.sd / 1e3 : 0;
    std::string verdict = row.agrees() ? "agrees" : !row.mean_agrees && !row.sd_agrees ? "WRONG" : "";
    if (verdict.empty()) verdict = row.mean_agrees ? "WRONG sd" : "WRONG mean";
    cells.push_back({row.reference.name, number_with_error(row.reference.mean, digits),
                     number_with_error(row.mean, digits), fmt::format("{:.1f}", unsigned_nan(row.z)),
                     number_with_error(row.reference.sd, digits), number_with_error(row.sd, digits),
                     fmt::format("{:+.1f} %", 100 * unsigned_nan(row.sd_error)), verdict});
  }
  text += '\n' + with_hidden(text_table(cells), shown, "difference");
  if (shown.left_out() > 0) text += fmt::format("{} of {} rows are shown.\n", shown.rows.size(), rows.size());
  double vaguest = 0;
  std::string of;
  for (const ReferenceRow& row : rows)
    if (row.sd_mcse > vaguest) {
      vaguest = row.sd_mcse;
      of = row.reference.name;
    }
  if (allowed_mean * vaguest > allowed_sd)
    text += fmt::format(
        "note: the draws tell sds to {:.1f} % ({}), so that only one that is off by {:.0f} % would be found; more "
        "draws "
        "of the reference, or a larger Settings::sampling.target_ess, tell more.\n",
        100 * vaguest, of, 100 * allowed_mean * vaguest);
  if (!only_there.empty()) text += fmt::format("Only in the reference, not compared: {}.\n", some_of(only_there));
  if (!only_here.empty()) text += fmt::format("Only in the model, not compared: {}.\n", some_of(only_here));
  return text;
}

}  // namespace manychain
