// Is a model right? What can be held against something else is: its gradient, the Jacobians of its constraints, one
// precision and one backend against another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

/// The contribution of the constraints to the log density, against log |det| of their transforms by differences, in
/// extended precision.
struct JacobianCheck {
  std::size_t compared = 0;     ///< constrained parameters
  std::size_t left_out = 0;     ///< the others: no square matrix of derivatives, or more than 200 rows
  std::string worst_parameter;  ///< empty if none was compared
  double added = 0, numerical = 0;
  double error = 0;      ///< |added - numerical| there
  double tolerance = 0;  ///< that `error` was held to
  bool passed = true;
};

/// Log densities and gradients of one program against those of another, at the same points.
struct ProgramComparison {
  bool made = false;
  std::string why_not;           ///< it was not made
  double log_density_error = 0;  ///< the largest |difference|, against the sum of the magnitudes of all terms
  double gradient_error = 0;     ///< likewise of components, against the largest of the gradient there
  std::string worst_parameter;   ///< of the gradient
  double tolerance = 0;          ///< that log_density_error was held to
  bool passed = true;
};

/// Points where the log density is no number that a chain can stand at.
struct NonfinitePoints {
  std::size_t points = 0;                      ///< that were looked at
  std::size_t not_a_number = 0, infinite = 0;  ///< NaN; +inf
  std::size_t outside = 0;                     ///< -inf: outside of the support, which is no mistake
  std::string term;  ///< at the first point that is not finite, NaN and +inf before -inf; empty: not known
  double value = std::numeric_limits<double>::quiet_NaN();  ///< of that term
  std::string outside_statement;  ///< whose terms are the first -inf at most points outside of the support; empty: none
  std::size_t outside_times = 0;  ///< at how many points
};

/// Differential equations that a model solves with adaptive steps. An adaptive solution has the tolerances' error, and
/// jumps by it where the number of steps changes, so that differences do not tell whether its gradient is right. The
/// model's formulas are therefore differentiated with tolerances 1e-6 times its own, and what its own do is told apart.
struct SolverCheck {
  std::string equations;     ///< "ode_rk45 (tolerances 1e-06 and 1e-06)"; empty: there are none
  std::size_t unsolved = 0;  ///< points where it finds no solution, or one with a NaN log density; with strict
                             ///< tolerances it does. Chains reject them.
  /// Change of the gradient by the model's tolerances: |difference| / |gradient|, the median of the points.
  double gradient_moved = 0;
};

/// The result of check_model().
struct ModelCheck {
  std::string model;
  std::size_t dimension = 0;
  NonfinitePoints nonfinite;
  /// Parameters, or single elements of them, that no term depends on: their density is flat, up to their constraint. No
  /// mistake in itself; the posterior is improper unless they are bounded on both sides.
  std::vector<std::string> unused;
  bool has_gradient = false;  ///< there is one, and a finite point: `gradient` was looked at
  GradientCheck gradient;
  SolverCheck solver;
  JacobianCheck jacobians;
  /// For a model with value() beside value_and_gradient(): the largest difference of the two, against 1 + |value|.
  double value_error = 0;
  /// Single precision against double, both on the CPU: at draws near the posterior, where a path finds it
  /// (`single_at_posterior`), else at the random points, where rounding may be far larger than chains ever see.
  ProgramComparison single;
  bool single_at_posterior = false;
  ProgramComparison cuda;    ///< CUDA against the CPU, both in double
  PrecisionCheck precision;  ///< where the posterior is; what it finds is no mistake of the model
  /// Whose scale depends on which parameters, as far as the densities of the model say: "the scale of theta depends on
  /// tau". HMC may take masses that follow (docs/hierarchies.md).
  std::vector<std::string> hierarchy;
  /// Sentences about what is no mistake and may be one: an observe() whose name no variable of the data has, or whose
  /// length is another.
  std::vector<std::string> notes;
  bool passed = false;  ///< nothing is wrong, and the gradient, if there is one, was found to be right

  /// For a terminal: a verdict, and a line for each thing that was looked at.
  std::string table() const;
};

/// Looks at all of it, at `points` random points, uniform(-2, 2) on the unconstrained scale. A function of the model,
/// its data and the seed. Throws BadInput if the model has no density or no parameters.
ModelCheck check_model(const Model& model, std::size_t points = 20, std::uint64_t seed = 0);

}  // namespace manychain
