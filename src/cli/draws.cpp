#include "cli/draws.hpp"

#include <fmt/format.h>

#include <utility>

#include "cli/files.hpp"
#include "cli/options.hpp"
#include "core/version.hpp"
#include "manychain/core/error.hpp"
#include "run/setting_table.hpp"

namespace manychain::cli {

void add_draws_options(CLI::App& app, DrawsOptions& options) {
  add_option(app, "FILE", options.files, "Draws: Stan CSV, one file per chain; or one NetCDF file or Zarr store");
  add_option(app, "--threads", options.threads, "CPU threads; 0: all there are");
  add_option(app, "--memory", options.memory,
             "Megabytes of draws that are held; of a Zarr store with more, some quantities at a time are read");
}

void add_table_options(CLI::App& app, DrawsOptions& options) {
  add_option(app, "--rows", options.rows, "Rows of the table; 0: all");
  add_option(app, "--show", options.show,
             "These rows alone: mu, theta[3], theta for all of its elements, or th* for all names so", "NAME,...");
}

TableOptions table_options(const DrawsOptions& options) {
  TableOptions table;
  table.rows = options.rows;
  table.show = listed(options.show);
  return table;
}

Diagnosis read_diagnosis(const DrawsOptions& options, std::FILE* to) {
  if (!thread_count.allows(options.threads))
    throw BadInput(fmt::format("--threads: {} is not allowed; {}", options.threads, thread_count.rule));
  DrawsFile file = open_draws(options.files, memory_bytes(options.memory));
  require_rows("--show", listed(options.show), file.names);
  Diagnosis diagnosis = diagnose(std::move(file), options.threads);
  say(to, "manychain {}: {} quantities, {} {} of {} draws\n", version, diagnosis.summary.size(), diagnosis.file.chains,
      diagnosis.file.chains == 1 ? "chain" : "chains", diagnosis.file.draws);
  return diagnosis;
}

}  // namespace manychain::cli
