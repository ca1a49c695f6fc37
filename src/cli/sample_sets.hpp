// `manychain sample --data-sets`: many data sets in one run. `--folds`: the data without some of their rows.
#pragma once

#include <string>

#include "cli/commands.hpp"
#include "cli/model_source.hpp"
#include "cli/run_printed.hpp"
#include "manychain/run/settings.hpp"

namespace manychain::cli {

/// The options of the line that are for data sets.
struct SetsOptions {
  std::string file, column;
  std::size_t folds = 0;
};
void add_sets_options(CLI::App& app, SetsOptions& options);

/// The rest of the line.
struct SetsCall {
  const ModelSource& source;
  const SetsOptions& sets;
  const RunShownAs& shown;
  std::string output;  ///< empty: not given; "none": no file
  std::size_t memory;  ///< megabytes of draws, beyond which the file has summaries alone
  Settings settings;
  std::string init;  ///< a file of initial values; empty: none
};
/// Returns the exit status.
int sample_data_sets(SetsCall call);
/// Likewise, for cross-validation.
int cross_validate_model(SetsCall call);

}  // namespace manychain::cli
