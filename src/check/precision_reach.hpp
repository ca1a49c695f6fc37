// Checks that a precision covers the range of the posterior: exp(u) of a parameter above zero is 0 in single precision
// below u = -103, and 1 - x of one in (0, 1) from u = 17 on.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

/// Findings along lines, each of one component of the unconstrained scale; the others are those of a draw.
struct PrecisionReach {
  /// The largest share, among components, of the mass of a line where the log density is not finite, or more than 1
  /// below its true value: the posterior is cut off there. The mean over lines of a component, without lines that are
  /// lost as a whole.
  double lost = 0;
  std::size_t lost_along = 0;  ///< component
  /// The largest excess of the log density where it is within 20 of the maximum of its line: chains are drawn to such
  /// places, where step sizes vanish.
  double raised = 0;
  std::size_t raised_along = 0;
};

constexpr double lost_limit = 0.01, raised_limit = 1;  // above them single precision is not chosen
constexpr double cut_off_limit = 0.05;                 // above it no run has converged

/// `points`: draws, or positions of chains, [point][dimension]. `precision`: single or double. The log density is
/// compared with that in double or, where this is not finite, in extended precision, if the model is written in terms
/// and has no adaptive solver. Finds nothing if the run is cancelled meanwhile. Throws BadInput if the model was not
/// compiled for single.
PrecisionReach reach_of(const Model& model, const Settings& settings, Precision precision,
                        const std::vector<double>& points);

}  // namespace manychain
