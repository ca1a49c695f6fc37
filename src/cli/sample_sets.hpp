// `manychain sample --data-sets`: many data sets in one run. `--folds`: the data without some of their rows.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/model_source.hpp"
#include "cli/run_printed.hpp"
#include "manychain/run/settings.hpp"

namespace manychain::cli {

/// The options of the line that are for data sets.
struct SetsOptions {
  std::string file, column, part;
  std::size_t folds = 0;
  bool seed_given = false;
};
void add_sets_options(CLI::App& app, SetsOptions& options);

/// The use that a run makes of the answers that a file keeps.
enum class SetsKept { begins, goes_on, merges };

/// The rest of the line.
struct SetsCall {
  const ModelSource& source;
  const SetsOptions& sets;
  const RunShownAs& shown;
  std::string output;  ///< empty: not given; "none": no file
  std::size_t memory;  ///< megabytes of draws, beyond which the file has summaries alone
  Settings settings;
  std::string init;  ///< a file of initial values; empty: none
  SetsKept how = SetsKept::begins;
  std::vector<std::string> kept = {};  ///< the file that keeps the answers, or those of all parts
  std::size_t every = 30;
};
/// Returns the exit status.
int sample_data_sets(SetsCall call);
/// The call that began `kept` goes on, or that of its parts is put together. Of `settings` the threads and the limit of
/// time count; `output` may be empty: as the run was begun.
int resume_data_sets(std::vector<std::string> kept, SetsKept how, const std::string& output, const RunShownAs& shown,
                     const Settings& settings, std::size_t every);
/// Likewise, for cross-validation.
int cross_validate_model(SetsCall call);

}  // namespace manychain::cli
