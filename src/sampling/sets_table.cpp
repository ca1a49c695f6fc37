// Many data sets as a table for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "manychain/run/sets.hpp"
#include "text/table_rows.hpp"
#include "text/text_table.hpp"

namespace manychain {
namespace {

constexpr std::size_t most_columns = 3;  // parameters whose means are shown

/// The groups in which sets are listed.
int rank_of(const SetSummary& set) {
  switch (set.state) {
    case SetState::failed:
      return 0;
    case SetState::refused:
      return 1;
    case SetState::sampled:
      return set.converged ? 3 : 2;
    case SetState::left_out:
      break;
  }
  return 4;
}

std::string cell(double x) { return std::isnan(x) ? "-" : fmt::format("{:.4g}", x); }

/// The columns of means: what is asked for, of any set that has it, or the first parameters.
std::vector<std::string> shown_quantities(const SetsResult& result, const std::vector<std::string>& asked) {
  std::vector<std::string> names;
  for (const std::string& name : asked) {
    bool found = false;
    for (const SetSummary& set : result.sets) {
      if (!set.of || found) continue;
      for (const std::size_t i : rows_called(name, set.of->names)) names.push_back(set.of->names[i]), found = true;
    }
    if (!found) names.push_back(name);
  }
  for (const SetSummary& set : result.sets) {
    if (!set.of || !asked.empty()) continue;
    for (const Quantity& quantity : set.of->quantities)
      for (std::size_t i = 0; !quantity.derived && i < quantity.size() && names.size() < most_columns; ++i)
        names.push_back(set.of->names[quantity.offset + i]);
    break;
  }
  return names;
}

std::string verdict_of(const SetSummary& set) {
  if (set.state != SetState::sampled) return in_words(set.state);
  return set.converged ? "converged" : "NOT converged";
}

std::vector<std::string> row_of(const SetSummary& set, const std::vector<std::string>& parameters) {
  std::vector<std::string> row = {set.name, verdict_of(set)};
  if (!set.of) {
    row.resize(row.size() + 4 + parameters.size(), "-");
    return row;
  }
  row.push_back(fmt::format("{:.4f}", set.largest_rhat));
  row.push_back(fmt::format("{:.0f}", set.smallest_ess));
  row.push_back(fmt::format("{}", set.draws));
  row.push_back(fmt::format("{}", set.divergences));
  for (const std::string& name : parameters) {
    const auto found = std::find(set.of->names.begin(), set.of->names.end(), name);
    if (found == set.of->names.end()) {
      row.push_back("-");
      continue;
    }
    const VariableSummary& s = set.summary[static_cast<std::size_t>(found - set.of->names.begin())];
    row.push_back(cell(s.mean) + " +- " + cell(s.sd));
  }
  return row;
}

std::string verdict(const SetsResult& result) {
  const std::size_t all = result.sets.size();
  std::string text;
  if (all > 0 && result.converged == all)
    text = fmt::format("Converged: all {} data sets.\n", all);
  else
    text = fmt::format("{} of {} data sets have converged; {} have not.\n", result.converged, all,
                       result.sampled - result.converged);
  if (result.failed > 0) text += fmt::format("{} could not be sampled.\n", result.failed);
  if (result.refused > 0) text += fmt::format("{} do not fit the model.\n", result.refused);
  if (result.left_out > 0) text += fmt::format("{} have no answer: the run ended before them.\n", result.left_out);
  return text;
}

/// The sentences on sets without an answer and of those that have not converged, the worst first.
std::string sayings(const SetsResult& result, const std::vector<std::size_t>& order) {
  constexpr std::size_t most = 3;
  std::string text;
  std::size_t said = 0;
  for (const std::size_t k : order) {
    const SetSummary& set = result.sets[k];
    if (set.said.empty() || said++ >= most) continue;
    text += fmt::format("{} ({}): {}\n", set.name, verdict_of(set), set.said);
  }
  if (said > most) text += fmt::format("The reasons of {} more are in the JSON.\n", said - most);
  return text;
}

}  // namespace

std::vector<std::size_t> SetsResult::worst_first() const {
  std::vector<std::size_t> order(sets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int first = rank_of(sets[a]), second = rank_of(sets[b]);
    if (first != second) return first < second;
    const double x = sets[a].largest_rhat, y = sets[b].largest_rhat;
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && !std::isnan(y);
    return x > y;
  });
  return order;
}

std::string SetsResult::table(const TableOptions& options) const {
  const std::vector<std::size_t> order = worst_first();
  const std::vector<std::string> parameters = shown_quantities(*this, options.show);
  const bool nested = settings.superchains.value_or(0) > 1;
  std::vector<std::vector<std::string>> cells = {
      {"set", "verdict", nested ? "R_nested" : "R_hat", "ESS_bulk", "draws", "divergences"}};
  for (const std::string& name : parameters) cells[0].push_back(name);
  const std::size_t shown = options.rows == 0 ? order.size() : std::min(options.rows, order.size());
  for (std::size_t i = 0; i < shown; ++i) cells.push_back(row_of(sets[order[i]], parameters));
  std::string text = verdict(*this) + sayings(*this, order) + '\n' + text_table(cells);
  if (shown < order.size()) text += fmt::format("... {} more sets, none of them worse\n", order.size() - shown);
  return text;
}

}  // namespace manychain
