// The quantities of a summary that a verdict is about, and how it lists them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "manychain/diagnostics/verdict.hpp"

namespace manychain::diagnostics {

/// "3 of 48 quantities (mu[1], mu[2], tau)". Five are named.
inline std::string counted(const std::vector<std::string>& names, std::size_t all, const char* of) {
  constexpr std::size_t named = 5;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), named));
  return fmt::format("{} of {} {} ({}{})", names.size(), all, of, fmt::join(names.begin(), end, ", "),
                     names.size() > named ? ", ..." : "");
}

/// The computed rows of a summary, but for those that hardly move and need not.
class ListedQuantities {
 public:
  explicit ListedQuantities(const Facts& facts)
      : facts_(facts), computed_(facts.summary.size() - std::min(facts.not_summarised, facts.summary.size())) {
    std::vector<std::string> still = facts.run ? facts.run->still : std::vector<std::string>();
    std::sort(still.begin(), still.end());
    for (std::size_t i = 0; i < computed_; ++i)
      if (!std::binary_search(still.begin(), still.end(), facts.summary[i].name)) rows_.push_back(&facts.summary[i]);
  }
  ListedQuantities(const ListedQuantities&) = delete;
  ListedQuantities& operator=(const ListedQuantities&) = delete;

  std::size_t computed() const { return computed_; }  ///< rows, which stand first in the summary
  const std::vector<const SummaryRow*>& rows() const { return rows_; }
  std::string count(const std::vector<std::string>& names) const { return counted(names, computed_, "quantities"); }

  /// Names those for which `holds`.
  template <class Holds>
  std::vector<std::string> names(const Holds& holds) const {
    std::vector<std::string> names;
    for (const SummaryRow* row : rows_)
      if (holds(row->statistics)) names.push_back(row->name);
    return names;
  }

  /// Names the same, the largest of `sign` times the value first. Values that are not defined are left out.
  template <class Of, class Holds>
  std::vector<std::string> worst_first(const Of& of, const Holds& holds, double sign, double& worst) const {
    std::vector<std::pair<double, const SummaryRow*>> found;
    for (const SummaryRow* row : rows_) {
      const double value = of(row->statistics);
      if (!std::isnan(value) && holds(value)) found.emplace_back(sign * value, row);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string> names;
    for (const auto& [value, row] : found) names.push_back(row->name);
    if (!found.empty()) worst = sign * found[0].first;
    return names;
  }

  const VariableSummary& statistics_of(const std::string& name) const {
    return (*std::find_if(rows_.begin(), rows_.end(), [&](const SummaryRow* row) { return row->name == name; }))
        ->statistics;
  }

 private:
  const Facts& facts_;
  std::size_t computed_;
  std::vector<const SummaryRow*> rows_;
};

}  // namespace manychain::diagnostics
