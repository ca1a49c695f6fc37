// A model's log density term by term, and the Jacobians of its constraints, for the search for mistakes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace manychain {

/// The contribution of a constraint to the log density, compared with log |det| of its transform by differences.
struct ConstraintJacobian {
  std::string parameter;
  double added = 0;      ///< by the target
  double numerical = 0;  ///< NaN if there are more constrained values than unconstrained ones, or too many
};

/// A parameter that is declared with offset_multiplier().
struct ScaledParameter {
  std::string name;
  double log_multiplier = 0;
};

/// A model bound to its data, in extended precision on the host. A term is what one `+=` adds to the target: a
/// statement, an element of a vector statement, a row of observe() or sum_over(). Terms are numbered from 0 in the
/// order in which they are added. For calls of one thread.
class ModelTerms {
 public:
  virtual ~ModelTerms() = default;
  /// The value of each term at q (dimension, unconstrained).
  virtual const std::vector<long double>& values(const double* q) = 0;
  /// The Jacobian of each constrained parameter at q, in the order of their declaration.
  virtual std::vector<ConstraintJacobian> jacobians(const double* q) = 0;
  /// The log Jacobian of all constraints at the point of the last call of values().
  virtual long double log_jacobian() const = 0;
  /// The gradient of terms `first` to `last` - 1 and of all Jacobians at q, into `gradient` (dimension).
  virtual void gradient(const double* q, std::size_t first, std::size_t last, double* gradient) = 0;
  /// The place of a term in the model, after values(): see TermPlaces.
  virtual std::string name(std::size_t term) const = 0;
  /// The parameters with offset_multiplier() at q, in the order of their declaration.
  virtual std::vector<ScaledParameter> scaled(const double* q) = 0;
  /// The gradient of the log multiplier of scaled parameter k at q, into `slope` (dimension).
  virtual void multiplier_slope(const double* q, std::size_t k, double* slope) = 0;
  /// From now on rounds the elements of scaled parameter k to double; `none`: of no parameter.
  virtual void round_scaled(std::size_t k) = 0;
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
};

}  // namespace manychain
