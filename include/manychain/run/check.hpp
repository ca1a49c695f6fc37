// Checks of a model against what can be computed otherwise: its gradient, the Jacobians of its constraints, one
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

/// The contribution of the constraints to the log density, compared with log |det| of their transforms by differences,
/// in extended precision.
struct JacobianCheck {
  std::size_t compared = 0;     ///< constrained parameters
  std::size_t left_out = 0;     ///< the others: no square matrix of derivatives, or more than 200 rows
  std::string worst_parameter;  ///< empty if none was compared
  double added = 0, numerical = 0;
  double error = 0;      ///< |added - numerical| there
  double tolerance = 0;  ///< largest `error` that passes
  bool passed = true;
};

/// Log densities and gradients of one program compared with those of another, at the same points.
struct ProgramComparison {
  bool made = false;
  std::string why_not;           ///< reason why it was not made
  double log_density_error = 0;  ///< the largest |difference|, relative to the sum of the magnitudes of all terms
  /// Likewise of components, relative to the largest component there; of one that is wrong, root mean squares over the
  /// points, relative to the component.
  double gradient_error = 0;
  bool gradient_passed = true;  ///< no component has an error beyond what rounding makes of it
  std::string worst_parameter;  ///< of the gradient
  double tolerance = 0;         ///< largest log_density_error that passes
  bool passed = true;
};

/// Points at which no chain can be, as the log density is not finite.
struct NonfinitePoints {
  std::size_t points = 0;                      ///< that were examined
  std::size_t not_a_number = 0, infinite = 0;  ///< NaN; +inf
  std::size_t outside = 0;                     ///< -inf: outside of the support, which is no mistake
  std::string term;  ///< at the first point that is not finite, NaN and +inf before -inf; empty: not known
  double value = std::numeric_limits<double>::quiet_NaN();  ///< of that term
  std::string outside_statement;  ///< with the first term of -inf at most points outside of the support; empty: none
  std::size_t outside_times = 0;  ///< number of such points
};

/// Check of a model that solves differential equations with adaptive steps. An adaptive solution has the error of its
/// tolerances, and jumps by it where the number of steps changes, so that differences cannot check its gradient. The
/// model's formulas are therefore differentiated with tolerances 1e-6 times its own, and the effect of its own
/// tolerances is reported apart.
struct SolverCheck {
  std::string equations;     ///< "ode_rk45 (tolerances 1e-06 and 1e-06)"; empty: there are none
  std::size_t unsolved = 0;  ///< points where it finds no solution, or one with a NaN log density; with strict
                             ///< tolerances it does. Chains reject them.
  /// Change of the gradient by the model's own tolerances: |difference| / |gradient|, the median over points.
  double gradient_moved = 0;
};

/// The result of check_model().
struct ModelCheck {
  std::string model;
  std::size_t dimension = 0;
  NonfinitePoints nonfinite;
  /// Parameters, or single elements of them, that no term depends on: their density is flat, up to their constraint.
  /// This is no mistake in itself, but the posterior is improper unless they are bounded on both sides.
  std::vector<std::string> unused;
  bool has_gradient = false;  ///< there is one, and a finite point: `gradient` was checked
  GradientCheck gradient;
  SolverCheck solver;
  JacobianCheck jacobians;
  /// For a model with value() beside value_and_gradient(): the largest difference of the two, relative to 1 + |value|.
  double value_error = 0;
  /// Single precision against double, both on the CPU: at draws near the posterior, where a path finds it
  /// (`single_at_posterior`), else at the random points, where rounding may be far larger than chains ever see.
  ProgramComparison single;
  bool single_at_posterior = false;
  ProgramComparison cuda;    ///< CUDA against the CPU, both in double
  PrecisionCheck precision;  ///< at the posterior; its findings are no mistakes of the model
  /// Scales that depend on parameters, as far as the densities of the model show: "the scale of theta depends on tau".
  /// HMC may use masses that follow (docs/hierarchies.md).
  std::vector<std::string> hierarchy;
  /// Notes on possible mistakes: an observe() whose name is no variable of the data, or whose length differs.
  std::vector<std::string> notes;
  bool passed = false;  ///< nothing is wrong, and the gradient, if there is one, was found to be right

  /// For a terminal: a verdict, and a line for each check.
  std::string table() const;
};

/// Makes all of these checks, at `points` random points, uniform(-2, 2) on the unconstrained scale. A function of the
/// model, its data and the seed. Throws BadInput if the model has no density or no parameters.
ModelCheck check_model(const Model& model, std::size_t points = 20, std::uint64_t seed = 0);

}  // namespace manychain
