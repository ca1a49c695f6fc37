// A model's log density term by term, and the Jacobians of its constraints: for whoever looks for a mistake in it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace manychain {

/// What a constraint adds to the log density, against log |det| of its transform by differences.
struct ConstraintJacobian {
  std::string parameter;
  double added = 0;      ///< by the target
  double numerical = 0;  ///< NaN where the constrained values are more than the unconstrained ones, or too many
};

/// A model bound to its data, in extended precision on the host. What is added to the target by one `+=` is a term: a
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
  /// Where the model says it, after values(): see TermPlaces.
  virtual std::string name(std::size_t term) const = 0;
};

/// Where terms stand in the model: statements, as runs of rows. Every evaluation writes the same list.
class TermPlaces {
 public:
  void clear() { statements_.clear(); }
  /// The next statement, whose first term has the number `first`. `what`: a function of the target; null: `+=`.
  void begin(const char* what, const char* name, bool rows, std::size_t first);
  /// "statement 3, observe("y"), row 3"; "statement 2 (target +=), element 4". All are counted from 1.
  std::string name(std::size_t term) const;

 private:
  struct Statement {
    std::string called;
    const char* row;  ///< what one of its terms is called
    bool rows;        ///< it may have several
    std::size_t first;
  };
  std::vector<Statement> statements_;
};

/// log |det| of the derivatives of u -> x, both of one size, by central differences in extended precision.
/// `transform` fills x.
long double numerical_log_jacobian(
    const std::vector<long double>& u,
    const std::function<void(const std::vector<long double>& u, std::vector<long double>& x)>& transform);

}  // namespace manychain
