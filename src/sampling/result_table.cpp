// The summary of a run for a terminal: the verdict, then the table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnostics/tails.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/result.hpp"
#include "sampling/judge.hpp"
#include "text/table_rows.hpp"
#include "text/text_table.hpp"
#include "text/unsigned_nan.hpp"

namespace manychain {
namespace {

/// Rows that the run came to compute; they stand first.
std::size_t summarised(const Result& r) { return r.summary.size() - std::min(r.not_summarised, r.summary.size()); }

/// The rows asked for, or those worth showing. What was not computed is left out unless it is asked for.
ShownRows choose_rows(const Result& r, const TableOptions& options) {
  const diagnostics::Deciding decides = deciding(r.settings);
  std::vector<std::string> names;
  for (const SummaryRow& row : r.summary) names.push_back(row.name);
  if (options.show.empty()) {
    names.resize(summarised(r));
    std::vector<std::string> predictions;
    for (const Quantity& quantity : r.layout.quantities)
      if (quantity.predicted) predictions.push_back(quantity.name);
    std::vector<VariableSummary> all;
    for (std::size_t i = 0; i < names.size(); ++i) all.push_back(r.summary[i].statistics);
    const std::vector<bool> still = still_outputs(all, r.layout, r.kept * r.settings.chains);
    const auto worse = [&](std::size_t a, std::size_t b) {
      if (still[a] != still[b]) return static_cast<bool>(still[b]);
      return decides.worse(r.summary[a].statistics, r.summary[b].statistics);
    };
    return rows_to_show(names, options.rows, worse, predictions);
  }
  ShownRows shown;
  for (const std::string& name : options.show) {
    const std::vector<std::size_t> called = rows_called(name, names);
    if (called.empty()) throw BadInput("table: model " + r.model + " has no " + name + " to show");
    shown.rows.insert(shown.rows.end(), called.begin(), called.end());
  }
  return shown;
}

/// The error by which a quantile is rounded: that of the mean, or, where the distribution is so skewed that a quantile
/// would be shown as zero, its own as of a normal with that distance `apart` of the median and the 5 % or 95 %
/// quantile.
double error_to_show(double of_mean, double apart, double ess) {
  const double own = apart / std::sqrt(ess);
  return own > 0 && own < of_mean / 10 ? own : of_mean;
}

std::string rows(const Result& r, const TableOptions& options) {
  const diagnostics::Deciding decides = deciding(r.settings);
  const ShownRows shown = choose_rows(r, options);
  std::vector<std::vector<std::string>> cells = {
      {"", "mean", "sd", "5%", "50%", "95%", decides.rhat_column(), "ESS_bulk", "ESS_tail", "MCSE"}};
  std::vector<const VariableSummary*> quantities;
  for (const std::size_t i : shown.rows) {
    const SummaryRow& row = r.summary[i];
    quantities.push_back(&row.statistics);
    const VariableSummary& s = row.statistics;
    const double e = s.mcse_mean, below = error_to_show(e, s.q50 - s.q5, s.ess_tail),
                 above = error_to_show(e, s.q95 - s.q50, s.ess_tail);
    cells.push_back({row.name, number_with_error(s.mean, e), number_with_error(s.sd, e), number_with_error(s.q5, below),
                     number_with_error(s.q50, std::min(below, above)), number_with_error(s.q95, above),
                     fmt::format("{:.3f}", unsigned_nan(decides.rhat(s))),
                     fmt::format("{:.0f}", unsigned_nan(decides.too_short_for_ess()
                                                            ? s.ess_bulk
                                                            : decides.shown_ess(s, r.settings.chains, r.kept))),
                     fmt::format("{:.0f}", unsigned_nan(s.ess_tail)), number_with_error(e, e)});
  }
  diagnostics::add_tail_column(cells, quantities, r.settings.chains * r.kept);
  std::string text = with_hidden(text_table(cells), shown, decides.rhat_name());
  if (shown.left_out() > 0) text += fmt::format("{} of {} rows are shown.\n", shown.rows.size(), summarised(r));
  return text;
}

}  // namespace

std::string Result::table(const TableOptions& options) const {
  const std::string text = verdict().text();
  if (summary.empty() || (summarised(*this) == 0 && options.show.empty())) return text;
  return text + '\n' + rows(*this, options);
}

}  // namespace manychain
