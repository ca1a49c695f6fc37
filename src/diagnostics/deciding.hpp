// Says which statistics decide whether chains have converged, and where their limits are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "diagnostics/limits.hpp"
#include "diagnostics/tails.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

struct Deciding {
  std::size_t superchains = 0;    ///< fewer than two: none
  std::size_t draws_planned = 0;  ///< of each chain

  /// Tells whether nested R-hat decides in place of R-hat.
  bool nested() const { return superchains > 1; }
  /// Tells whether chains are too short for the bulk ESS, but have superchains.
  bool too_short_for_ess() const { return draws_planned < 6 && nested(); }

  double rhat(const VariableSummary& s) const { return nested() ? s.rhat_nested : s.rhat; }
  /// Gives the bulk ESS or, where chains are too short for it, the ESS that the means of the superchains' halves show.
  /// Their variance B is R^2 - 1 times that of the draws, and the mean of all 2 K of them has the variance B / (2 K).
  double ess(const VariableSummary& s) const {
    if (!too_short_for_ess()) return s.ess_bulk;
    return 2 * static_cast<double>(superchains) / (s.rhat_nested * s.rhat_nested - 1);
  }

  /// Tells whether the bulk ESS is the upper limit of the published estimate, S log10(S): that of strongly antithetic
  /// chains, whatever their draws.
  bool limited(const VariableSummary& s, std::size_t chains, std::size_t draws) const {
    const double split = static_cast<double>(chains) * static_cast<double>(draws / 2 * 2);
    return nested() && s.ess_bulk > 0.999 * split * std::log10(split);
  }

  /// Gives the ESS that is judged and shown. A bulk ESS at its limit says nothing: that of the mean takes its place,
  /// (sd / MCSE)^2, which has no limit and sees starts. Where the tails deny an sd it says nothing either.
  double shown_ess(const VariableSummary& s, std::size_t chains, std::size_t draws) const {
    const bool replaced = limited(s, chains, draws) && s.mcse_mean > 0 && doubt_of(s, chains * draws) == Doubt::nothing;
    return replaced ? s.sd * s.sd / (s.mcse_mean * s.mcse_mean) : ess(s);
  }

  /// Bounds shown_ess() from below in the place of a limited bulk ESS, as far as ranks tell: while a run goes on it
  /// knows no MCSE of superchains. The K means of superchains vary by at most (2 K - 1) / (2 K - 2) of the variance of
  /// their 2 K halves, which is R^2 - 1.
  double least_ess(const VariableSummary& s) const {
    const auto K = static_cast<double>(superchains);
    return K * (2 * K - 2) / (2 * K - 1) / (s.rhat_nested * s.rhat_nested - 1);
  }

  const char* rhat_name() const { return nested() ? "nested R-hat" : "R-hat"; }
  const char* rhat_title() const { return nested() ? "Nested R-hat" : "R-hat"; }
  const char* rhat_column() const { return nested() ? "R_nested" : "R_hat"; }
  const char* ess_name() const { return too_short_for_ess() ? "ESS" : "bulk ESS"; }
  const char* ess_title() const { return too_short_for_ess() ? "ESS" : "Bulk ESS"; }

  bool defined(const VariableSummary& s) const { return !std::isnan(rhat(s)) && !std::isnan(ess(s)); }

  /// Tells whether a quantity is further from convergence than another; what is not defined is the worst.
  bool worse(const VariableSummary& a, const VariableSummary& b) const {
    const double ra = rhat(a), rb = rhat(b), ea = ess(a), eb = ess(b);
    if (std::isnan(ra) != std::isnan(rb)) return std::isnan(ra);
    if (ra != rb && !std::isnan(ra)) return ra > rb;
    if (std::isnan(ea) != std::isnan(eb)) return std::isnan(ea);
    return ea < eb;
  }
};

/// True if a quantity that is computed from the parameters has one value in all of `all` draws, or in all but a
/// handful: one in a hundred, and no more than a hundred.
inline bool hardly_moves(const VariableSummary& s, std::size_t all) {
  return std::isfinite(s.mean) && (s.sd == 0 || s.moved <= std::min(100.0, static_cast<double>(all) / 100));
}

}  // namespace manychain::diagnostics
