// The C interface: what a result tells.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "c_api/handles.hpp"
#include "diagnostics/summary_columns.hpp"
#include "io/partial_file.hpp"
#include "io/predictions.hpp"
#include "io/zarr_store.hpp"
#include "manychain/core/sample_stats.hpp"
#include "manychain/io/zarr.hpp"
#include "report/report.hpp"
#include "run/setting_names.hpp"

namespace manychain::c_api {
namespace {

manychain_counts counts_of(const Result& run) {
  manychain_counts counts{};
  counts.gradients = run.gradients;
  counts.divergences = run.sampling.divergences;
  counts.divergent_chains = run.sampling.divergent_chains.size();
  counts.stuck_chains = run.sampling.stuck_chains.size();
  counts.nonfinite_chains = run.sampling.nonfinite_chains.size();
  counts.outlying_chains = run.sampling.outlying_chains.size();
  counts.acceptance_rate = run.sampling.acceptance_rate;
  counts.step_size = run.warmup.tuning[0].step_size;
  counts.seconds = run.seconds.total;
  counts.cancelled = run.cancelled;
  counts.rejected = run.sampling.rejected.evaluations + run.warmup.rejected.evaluations;
  return counts;
}

manychain_severity severity_of(diagnostics::Severity severity) {
  switch (severity) {
    case diagnostics::Severity::failure:
      return MANYCHAIN_FAILURE;
    case diagnostics::Severity::warning:
      return MANYCHAIN_WARNING;
    case diagnostics::Severity::note:
      break;
  }
  return MANYCHAIN_NOTE;
}

/// The report reads a file of draws: one that lies beside the page until that is written.
std::string page_of(const Result& run, const std::string& path) {
  struct Removed {
    std::string name;
    ~Removed() {
      std::error_code ignored;
      std::filesystem::remove(name, ignored);
    }
  };
  io::PartialFile draws(path);
  const Removed file{draws.begin() + ".nc"};
  write_netcdf(file.name, run);
  Diagnosis diagnosis = diagnose(read_draws({file.name}), run.settings.threads);
  const io::Predictions predictions = io::read_predictions(diagnosis.file);
  diagnosis.file.paths = {run.model};
  return report::page(diagnosis, predictions, TableOptions{}, run.settings.threads);
}

void write_page(const std::string& path, const std::string& page) {
  io::PartialFile partial(path);
  std::ofstream file(partial.begin(), std::ios::binary);
  file << page << '\n';
  file.close();
  if (!file) throw Error(path + ": cannot be written");
  partial.keep();
}

}  // namespace
}  // namespace manychain::c_api

using namespace manychain;
using namespace manychain::c_api;

extern "C" {

void manychain_free(manychain_result* result) { delete result; }

size_t manychain_dimension(const manychain_result* result) {
  return found_in(result, a_result, size_t{0}, [](const manychain_result& r) { return r.run.layout.dimension; });
}
size_t manychain_outputs(const manychain_result* result) {
  return found_in(result, a_result, size_t{0}, [](const manychain_result& r) { return r.run.layout.outputs; });
}
size_t manychain_chains(const manychain_result* result) {
  return found_in(result, a_result, size_t{0}, [](const manychain_result& r) { return r.run.settings.chains; });
}
size_t manychain_draws(const manychain_result* result) {
  return found_in(result, a_result, size_t{0},
                  [](const manychain_result& r) { return r.run.settings.output.keep_draws ? r.run.kept : 0; });
}
int manychain_converged(const manychain_result* result) {
  return found_in(result, a_result, 0, [](const manychain_result& r) { return int(r.run.converged); });
}

manychain_counts manychain_get_counts(const manychain_result* result) {
  return found_in(result, a_result, manychain_counts{}, [](const manychain_result& r) { return counts_of(r.run); });
}

manychain_status manychain_get_summary(const manychain_result* result, size_t output, manychain_summary* summary) {
  return guarded([&] {
    require_not_null(result, a_result);
    require_not_null(summary, "summary: give the address of one");
    const std::vector<SummaryRow>& rows = result->run.summary;
    require_index("output", output, rows.size());
    const VariableSummary& s = rows[output].statistics;
    *summary = {rows[output].name.c_str(),
                s.mean,
                s.sd,
                s.q5,
                s.q50,
                s.q95,
                s.rhat,
                s.ess_bulk,
                s.mcse_mean,
                s.ess_tail,
                s.mcse_sd,
                s.rhat_nested};
  });
}

manychain_status manychain_get_draws(const manychain_result* result, double* draws, size_t size) {
  return guarded([&] {
    require_not_null(result, a_result);
    require_not_null(draws, "draws: give the address of room for them");
    const DrawValues<double>& values = whole(*result).draws.float64;
    if (values.empty()) throw BadInput("draws: none were kept; set keep_draws");
    if (size < values.size())
      throw BadInput("draws: room for " + std::to_string(size) + " numbers, there are " +
                     std::to_string(values.size()) + " = draws x outputs x chains");
    std::copy(values.begin(), values.end(), draws);
  });
}

const char* manychain_table(const manychain_result* result) {
  return found_in<const char*>(result, a_result, "", [](const manychain_result& r) { return r.table.c_str(); });
}

manychain_status manychain_write_netcdf(const manychain_result* result, const char* path) {
  return guarded([&] {
    require_not_null(result, a_result);
    require_not_null(path, "path: give the name of a file");
    io::names_store(path) ? write_zarr(path, whole(*result)) : write_netcdf(path, whole(*result));
  });
}

const char* manychain_headline(const manychain_result* result) {
  return found_in<const char*>(result, a_result, "",
                               [](const manychain_result& r) { return r.verdict.headline.c_str(); });
}
size_t manychain_findings(const manychain_result* result) {
  return found_in(result, a_result, size_t{0}, [](const manychain_result& r) { return r.verdict.findings.size(); });
}
manychain_status manychain_get_finding(const manychain_result* result, size_t index, manychain_finding* finding) {
  return guarded([&] {
    require_not_null(result, a_result);
    require_not_null(finding, "finding: give the address of one");
    require_index("index", index, result->verdict.findings.size());
    const diagnostics::Finding& f = result->verdict.findings[index];
    *finding = {severity_of(f.severity), f.what.c_str(), f.advice.c_str()};
  });
}

size_t manychain_quantities(const manychain_result* result) {
  return found_in(result, a_result, size_t{0},
                  [](const manychain_result& r) { return r.run.layout.quantities.size(); });
}
manychain_status manychain_get_quantity(const manychain_result* result, size_t index, manychain_quantity* quantity) {
  return guarded([&] {
    require_not_null(result, a_result);
    require_not_null(quantity, "quantity: give the address of one");
    require_index("index", index, result->run.layout.quantities.size());
    *quantity = quantity_of(result->run.layout.quantities[index]);
  });
}
const char* manychain_output_name(const manychain_result* result, size_t output) {
  return found_in<const char*>(result, a_result, "", [&](const manychain_result& r) {
    require_index("output", output, r.run.summary.size());
    return r.run.summary[output].name.c_str();
  });
}

size_t manychain_summary_columns(void) { return diagnostics::summary_columns.size(); }
const char* manychain_summary_column(size_t column) {
  return column < diagnostics::summary_columns.size() ? diagnostics::summary_columns[column].first : "";
}
manychain_status manychain_get_summary_matrix(const manychain_result* result, double* values, size_t size) {
  return guarded([&] {
    require_not_null(result, a_result);
    require_not_null(values, "values: give the address of room for them");
    const std::vector<SummaryRow>& rows = result->run.summary;
    if (size < rows.size() * diagnostics::summary_columns.size())
      throw BadInput("values: room for " + std::to_string(size) + " numbers, there are " +
                     std::to_string(rows.size() * diagnostics::summary_columns.size()) + " = outputs x columns");
    for (const SummaryRow& row : rows)
      for (const auto& [name, member] : diagnostics::summary_columns) *values++ = row.statistics.*member;
  });
}

manychain_status manychain_get_view(const manychain_result* result, manychain_array array, manychain_view* view) {
  return guarded([&] {
    require_not_null(result, a_result);
    require_not_null(view, "view: give the address of one");
    if (array != MANYCHAIN_DRAWS && array != MANYCHAIN_STATS)
      throw BadInput("array: take MANYCHAIN_DRAWS or MANYCHAIN_STATS");
    const bool stats = array == MANYCHAIN_STATS;
    const Draws& draws = stats ? whole(*result).sample_stats : whole(*result).draws;
    if (draws.empty() && (draws.draws > 0 || draws.chains == 0))  // a run in warm-up has none yet
      throw BadInput(stats ? "statistics of draws: none were kept; set keep_sample_stats and keep_draws"
                           : "draws: none were kept; set keep_draws");
    const bool single =
        draws.empty() ? result->run.settings.precision == Precision::single_precision : !draws.float32.empty();
    *view = {single ? static_cast<const void*>(draws.float32.data()) : draws.float64.data(),
             single ? sizeof(float) : sizeof(double), draws.draws, draws.variables, draws.chains};
  });
}
const char* manychain_stat_name(size_t row) { return row < sample_stat_count ? sample_stat_names[row] : ""; }

const char* manychain_json(const manychain_result* result) {
  return found_in<const char*>(result, a_result, "", [](const manychain_result& r) {
    std::call_once(r.json_made, [&] { r.json = with_c_fields(to_json(r.run)); });
    return r.json.c_str();
  });
}
manychain_status manychain_write_report(const manychain_result* result, const char* path) {
  return guarded([&] {
    require_not_null(result, a_result);
    require_not_null(path, "path: give the name of a file");
    if (whole(*result).draws.empty()) throw BadInput(std::string(path) + ": the report needs draws; the run kept none");
    write_page(path, page_of(result->run, path));
  });
}

}  // extern "C"
