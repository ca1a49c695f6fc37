// Draws from files, summarised and judged, as `manychain summary` and `manychain diagnose` do it.
#pragma once

#include <string>
#include <vector>

#include "manychain/diagnostics/convergence.hpp"
#include "manychain/diagnostics/verdict.hpp"
#include "manychain/io/draws_file.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

struct Diagnosis {
  DrawsFile file;
  std::vector<diagnostics::QuantitySummary> summary;  ///< one per quantity
  diagnostics::Verdict verdict;

  /// The quantities as a table for a terminal, the worst first; of more than `options.rows` the scalars and the worst
  /// of the others. Throws BadInput for a name to show that there is not.
  std::string table(const TableOptions& options = {}) const;
};

/// Summarises and judges, with at most `threads` threads (0: all there are), on whose number nothing depends. What a
/// run of this library wrote is judged as the run was.
Diagnosis diagnose(DrawsFile file, int threads = 0);

/// As one JSON object; docs/output.md lists its keys.
std::string to_json(const Diagnosis& diagnosis);

}  // namespace manychain
