#include "run/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "diagnostics/limits.hpp"
#include "manychain/run/samplers.hpp"
#include "run/precision_check.hpp"

namespace manychain {
namespace {

/// A chain is outlying if the best log density it saw lies further below the median chain's best than ten times the
/// distance from the median to the lower quartile: it never came near where the others are.
std::vector<std::size_t> find_outlying(const std::vector<double>& best, std::size_t dimension) {
  std::vector<std::size_t> outlying;
  if (best.size() < 4) return outlying;
  std::vector<double> sorted = best;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[sorted.size() / 2], quartile = sorted[sorted.size() / 4];
  const double limit = median - 10 * std::max(median - quartile, std::sqrt(static_cast<double>(dimension)));
  for (std::size_t c = 0; c < best.size(); ++c)
    if (best[c] < limit) outlying.push_back(c);
  return outlying;
}

}  // namespace

void judge(Result& result, const ChainStatistics& statistics) {
  for (std::size_t c = 0; c < statistics.best.size(); ++c) {
    if (statistics.divergences[c] > 0) result.divergent_chains.push_back(c);
    if (statistics.still[c] >= stuck_after) result.stuck_chains.push_back(c);
    if (statistics.nonfinite[c] > 0 || !std::isfinite(statistics.best[c])) result.nonfinite_chains.push_back(c);
  }
  // Independent draws are nowhere twice: what is rare is not outlying.
  const SamplerInfo* const sampler = find_sampler(result.settings.sampler);
  if (sampler == nullptr || sampler->chain)
    result.outlying_chains = find_outlying(statistics.best, result.layout.dimension);
  result.converged = result.stuck_chains.empty() && result.nonfinite_chains.empty() && result.outlying_chains.empty() &&
                     std::all_of(result.summary.begin(), result.summary.end(), [&](const SummaryRow& row) {
                       return deciding_rhat(result.settings, row.statistics) < diagnostics::rhat_limit &&
                              deciding_ess(result.settings, row.statistics) > diagnostics::ess_limit;
                     });
  // Chains that stand apart, or still, may agree with double precision wherever they are.
  if (!result.converged && result.precision_error <= precision_error_limit) {
    result.precision_error = std::numeric_limits<double>::quiet_NaN();
    result.precision_unknown = true;
  }
}

}  // namespace manychain
