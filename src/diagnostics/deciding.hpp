// Which statistics decide whether chains have converged, and where their limits are.
#pragma once

#include <cmath>
#include <cstddef>

#include "diagnostics/limits.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

struct Deciding {
  std::size_t superchains = 0;    ///< fewer than two: none
  std::size_t draws_planned = 0;  ///< of each chain

  /// Whether nested R-hat decides in place of R-hat.
  bool nested() const { return superchains > 1; }
  /// Whether chains are too short for the bulk ESS, but have superchains.
  bool too_short_for_ess() const { return draws_planned < 6 && nested(); }

  double rhat(const VariableSummary& s) const { return nested() ? s.rhat_nested : s.rhat; }
  /// Bulk ESS or, where chains are too short for it, that which the means of the superchains' halves show. Their
  /// variance B is R^2 - 1 times that of the draws, and that of the mean of all 2 K of them is B / (2 K).
  double ess(const VariableSummary& s) const {
    if (!too_short_for_ess()) return s.ess_bulk;
    return 2 * static_cast<double>(superchains) / (s.rhat_nested * s.rhat_nested - 1);
  }

  const char* rhat_name() const { return nested() ? "nested R-hat" : "R-hat"; }
  const char* rhat_title() const { return nested() ? "Nested R-hat" : "R-hat"; }
  const char* rhat_column() const { return nested() ? "R_nested" : "R_hat"; }
  const char* ess_name() const { return too_short_for_ess() ? "ESS" : "bulk ESS"; }
  const char* ess_title() const { return too_short_for_ess() ? "ESS" : "Bulk ESS"; }

  bool defined(const VariableSummary& s) const { return !std::isnan(rhat(s)) && !std::isnan(ess(s)); }

  /// Whether a quantity is further from convergence than another; what is not defined is the worst.
  bool worse(const VariableSummary& a, const VariableSummary& b) const {
    const double ra = rhat(a), rb = rhat(b), ea = ess(a), eb = ess(b);
    if (std::isnan(ra) != std::isnan(rb)) return std::isnan(ra);
    if (ra != rb && !std::isnan(ra)) return ra > rb;
    if (std::isnan(ea) != std::isnan(eb)) return std::isnan(ea);
    return ea < eb;
  }
};

}  // namespace manychain::diagnostics
