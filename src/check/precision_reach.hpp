// Tells if a precision holds the posterior as far as it reaches: exp(u) of a parameter above zero is 0 in single
// precision below u = -103, and 1 - x of one in (0, 1) from u = 17 on.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

/// Findings on lines along single components of the unconstrained scale, the others held where a draw has them.
struct PrecisionReach {
  /// The largest share of such a line's mass that lies where the log density is not finite, or lower by more than 1
  /// than it is: the posterior is cut off there. Mean of the lines of one component, but for those that are lost as a
  /// whole.
  double lost = 0;
  std::size_t lost_along = 0;  ///< component
  /// By how much the log density is too high where it is within 20 of the largest of its line: chains are drawn to such
  /// places, where steps vanish.
  double raised = 0;
  std::size_t raised_along = 0;
};

constexpr double lost_limit = 0.01, raised_limit = 1;  // beyond them single precision is not taken
constexpr double cut_off_limit = 0.05;                 // beyond it no run has converged

/// `points`: draws, or points where chains stand, [point][dimension]. `precision`: single or double. The log density is
/// held against that in double; where double has no finite one, against that in extended precision, if the model is
/// written in terms and solves no differential equation. Of a run that is cancelled meanwhile: nothing found. Throws
/// BadInput where the model was not compiled for single.
PrecisionReach reach_of(const Model& model, const Settings& settings, Precision precision,
                        const std::vector<double>& points);

}  // namespace manychain
