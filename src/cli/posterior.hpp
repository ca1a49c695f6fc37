// Draws from files, summarised and judged: what `summary` and `diagnose` share.
#pragma once

#include <string>
#include <vector>

#include "io/draws_file.hpp"
#include "manychain/diagnostics/convergence.hpp"

namespace manychain::cli {

/// Something worth saying about draws, and what to do about it.
struct Finding {
  std::string what;
  std::string advice;
  bool fails = true;  ///< false: a matter of speed alone
};

struct Posterior {
  std::vector<std::string> paths;
  io::DrawsFile file;
  std::vector<diagnostics::QuantitySummary> summaries;  ///< one a quantity
  std::vector<Finding> findings;                        ///< worst first

  bool converged() const;
};

/// Reads, summarises and judges. Throws BadInput for files that cannot be read or that have no quantity to `show`.
Posterior read_posterior(const std::vector<std::string>& paths, int threads, const std::vector<std::string>& show);

/// Everything there is to say, worst first. A statistic that is not a number is a finding, never a pass.
std::vector<Finding> judge(const io::DrawsFile& file, const std::vector<diagnostics::QuantitySummary>& summaries);

/// "Converged: ..." or "NOT converged:", then a line a finding; `full`: with what to do.
std::string verdict(const Posterior& posterior, bool full);

/// The quantities to `show`; without any all, worst first, or if they are more than `rows` (0: no limit) scalars and
/// the worst of the others.
std::string table(const Posterior& posterior, std::size_t rows, const std::vector<std::string>& show);

}  // namespace manychain::cli
