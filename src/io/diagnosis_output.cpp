// Shows draws from files: the table and the JSON object.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/version.hpp"
#include "diagnostics/deciding.hpp"
#include "diagnostics/tails.hpp"
#include "io/diagnosis_table.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/diagnosis.hpp"
#include "text/text_table.hpp"

namespace manychain {
namespace {

using diagnostics::QuantitySummary;
using diagnostics::Severity;

/// The sign of a NaN is nobody's business.
std::string fixed(double value, int decimals) {
  return std::isnan(value) ? "nan" : fmt::format("{:.{}f}", value, decimals);
}

diagnostics::Deciding deciding(const Diagnosis& diagnosis) {
  const auto& run = diagnosis.file.run;
  return run ? diagnostics::Deciding{run->superchains, run->draws} : diagnostics::Deciding{};
}

/// Marks quantities that need not converge, as the run wrote.
std::vector<bool> still_of(const Diagnosis& diagnosis) {
  const std::vector<std::string>& names = diagnosis.file.names;
  std::vector<bool> still(names.size(), false);
  if (!diagnosis.file.run) return still;
  std::vector<std::string> known = diagnosis.file.run->still;
  known.insert(known.end(), diagnosis.file.run->constants.begin(), diagnosis.file.run->constants.end());
  std::sort(known.begin(), known.end());
  for (std::size_t i = 0; i < names.size(); ++i) still[i] = std::binary_search(known.begin(), known.end(), names[i]);
  return still;
}

}  // namespace

namespace io {

ShownRows rows_of(const Diagnosis& diagnosis, const TableOptions& options) {
  const diagnostics::Deciding decides = deciding(diagnosis);
  const std::vector<std::string>& names = diagnosis.file.names;
  const std::vector<bool> still = still_of(diagnosis);
  const auto worse = [&](std::size_t a, std::size_t b) {
    if (still[a] != still[b]) return static_cast<bool>(still[b]);
    return decides.worse(diagnosis.summary[a], diagnosis.summary[b]);
  };
  ShownRows shown;
  for (const std::string& name : options.show) {
    const std::vector<std::size_t> called = rows_called(name, names);
    if (called.empty()) throw BadInput("table: the draws have no " + name + " to show");
    shown.rows.insert(shown.rows.end(), called.begin(), called.end());
  }
  if (!options.show.empty()) return shown;
  shown = rows_to_show(names, options.rows, worse);
  if (shown.left_out() == 0) std::stable_sort(shown.rows.begin(), shown.rows.end(), worse);
  return shown;
}

DiagnosisTable table_of(const Diagnosis& diagnosis, ShownRows shown) {
  const diagnostics::Deciding decides = deciding(diagnosis);
  DiagnosisTable table{std::move(shown), {}, decides.rhat_name()};
  table.cells = {{"", "mean", "mcse", "sd", "5%", "50%", "95%", decides.rhat_column(), "ESS_bulk", "ESS_tail"}};
  std::vector<const VariableSummary*> quantities;
  const std::size_t chains = diagnosis.file.chains, draws = diagnosis.file.draws;
  for (const std::size_t i : table.shown.rows) {
    const QuantitySummary& s = diagnosis.summary[i];
    quantities.push_back(&s);
    const double ess = decides.too_short_for_ess() ? s.ess_bulk : decides.shown_ess(s, chains, draws);
    table.cells.push_back(
        {diagnosis.file.names[i], number_with_error(s.mean, s.mcse_mean), number_with_error(s.mcse_mean, s.mcse_mean),
         number_with_error(s.sd, s.mcse_sd), number_with_error(s.q5, s.mcse_q5), number_with_error(s.q50, s.mcse_q50),
         number_with_error(s.q95, s.mcse_q95), fixed(decides.rhat(s), 3), fixed(ess, 0), fixed(s.ess_tail, 0)});
  }
  diagnostics::add_tail_column(table.cells, quantities, chains * draws);
  return table;
}

}  // namespace io

std::string Diagnosis::table(const TableOptions& options) const {
  const io::DiagnosisTable table = io::table_of(*this, io::rows_of(*this, options));
  std::string text = with_hidden(text_table(table.cells), table.shown, table.rhat_name);
  if (table.shown.left_out() > 0)
    text += fmt::format("{} of {} rows are shown.\n", table.shown.rows.size(), summary.size());
  return text;
}

std::string to_json(const Diagnosis& diagnosis) {
  nlohmann::ordered_json json;
  json["manychain"] = version;
  json["files"] = diagnosis.file.paths;
  json["chains"] = diagnosis.file.chains;
  json["draws"] = diagnosis.file.draws;
  json["superchains"] = diagnosis.file.run ? diagnosis.file.run->superchains : 0;
  json["converged"] = diagnosis.verdict.converged;
  json["problems"] = diagnosis.verdict.texts(Severity::failure);
  json["warnings"] = diagnosis.verdict.texts(Severity::warning);
  json["notes"] = diagnosis.verdict.texts(Severity::note);
  // Straight to the vector below: a look-up of every new key would make this quadratic in the number of quantities.
  nlohmann::ordered_json::object_t parameters;
  auto& entries = static_cast<nlohmann::ordered_json::object_t::Container&>(parameters);
  for (std::size_t i = 0; i < diagnosis.summary.size(); ++i) {
    const QuantitySummary& s = diagnosis.summary[i];
    entries.emplace_back(diagnosis.file.names[i], nlohmann::ordered_json{{"mean", s.mean},
                                                                         {"sd", s.sd},
                                                                         {"mad", s.mad},
                                                                         {"q5", s.q5},
                                                                         {"q50", s.q50},
                                                                         {"q95", s.q95},
                                                                         {"rhat", s.rhat},
                                                                         {"rhat_nested", s.rhat_nested},
                                                                         {"ess_bulk", s.ess_bulk},
                                                                         {"ess_tail", s.ess_tail},
                                                                         {"khat", s.khat},
                                                                         {"mcse_mean", s.mcse_mean},
                                                                         {"mcse_sd", s.mcse_sd},
                                                                         {"mcse_q5", s.mcse_q5},
                                                                         {"mcse_q50", s.mcse_q50},
                                                                         {"mcse_q95", s.mcse_q95}});
  }
  json["parameters"] = std::move(parameters);
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace manychain
