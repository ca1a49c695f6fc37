// The verdict and the table of draws from files.
#include "cli/posterior.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/options.hpp"
#include "text/table_rows.hpp"
#include "text/text_table.hpp"

namespace manychain::cli {
namespace {

using diagnostics::QuantitySummary;

/// An undefined R-hat is the worst.
bool worse(const QuantitySummary& a, const QuantitySummary& b) {
  if (std::isnan(a.rhat) != std::isnan(b.rhat)) return std::isnan(a.rhat);
  if (a.rhat != b.rhat && !std::isnan(a.rhat)) return a.rhat > b.rhat;
  if (std::isnan(a.ess_bulk) != std::isnan(b.ess_bulk)) return std::isnan(a.ess_bulk);
  return a.ess_bulk < b.ess_bulk;
}

/// The sign of a NaN is nobody's business.
std::string fixed(double value, int decimals) {
  return std::isnan(value) ? "nan" : fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

bool Posterior::converged() const {
  return std::none_of(findings.begin(), findings.end(), [](const Finding& f) { return f.fails; });
}

Posterior read_posterior(const std::vector<std::string>& paths, int threads, const std::vector<std::string>& show) {
  Posterior posterior;
  posterior.paths = paths;
  posterior.file = io::read_draws(paths);
  require_rows("--show", show, posterior.file.names);
  posterior.summaries = diagnostics::summarise_quantities(posterior.file.view(), threads);
  posterior.findings = judge(posterior.file, posterior.summaries);
  return posterior;
}

std::string verdict(const Posterior& posterior, bool full) {
  std::string text;
  if (posterior.converged()) {
    double rhat = 0, bulk = INFINITY, tail = INFINITY;
    for (const QuantitySummary& s : posterior.summaries) {
      rhat = std::max(rhat, s.rhat);
      bulk = std::min(bulk, s.ess_bulk);
      tail = std::min(tail, s.ess_tail);
    }
    text = fmt::format("Converged: largest R-hat {:.4f}, smallest bulk ESS {:.0f}, smallest tail ESS {:.0f}.\n", rhat,
                       bulk, tail);
  } else {
    text = "NOT converged:\n";
  }
  for (const Finding& finding : posterior.findings) {
    text += fmt::format("  {} {}\n", finding.fails ? "-" : "note:", finding.what);
    if (full) text += fmt::format("    {}\n", finding.advice);
  }
  return text;
}

std::string table(const Posterior& posterior, std::size_t rows, const std::vector<std::string>& show) {
  const auto by_summary = [&](std::size_t a, std::size_t b) {
    return worse(posterior.summaries[a], posterior.summaries[b]);
  };
  std::vector<std::size_t> order;
  for (const std::string& name : show)
    for (const std::size_t i : rows_called(name, posterior.file.names)) order.push_back(i);
  if (show.empty()) order = rows_to_show(posterior.file.names, rows, by_summary);
  const bool all = order.size() == posterior.summaries.size();
  if (show.empty() && all) std::stable_sort(order.begin(), order.end(), by_summary);

  std::vector<std::vector<std::string>> cells = {
      {"", "mean", "mcse", "sd", "5%", "50%", "95%", "R_hat", "ESS_bulk", "ESS_tail"}};
  for (const std::size_t i : order) {
    const QuantitySummary& s = posterior.summaries[i];
    cells.push_back(
        {posterior.file.names[i], number_with_error(s.mean, s.mcse_mean), number_with_error(s.mcse_mean, s.mcse_mean),
         number_with_error(s.sd, s.mcse_sd), number_with_error(s.q5, s.mcse_q5), number_with_error(s.q50, s.mcse_q50),
         number_with_error(s.q95, s.mcse_q95), fixed(s.rhat, 3), fixed(s.ess_bulk, 0), fixed(s.ess_tail, 0)});
  }
  std::string text = text_table(cells);
  if (show.empty() && !all) {
    text += fmt::format("... and {} more; scalars come first, then those with the largest R-hat. --rows 0 shows all.\n",
                        posterior.summaries.size() - order.size());
  }
  return text;
}

}  // namespace manychain::cli
