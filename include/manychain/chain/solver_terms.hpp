// Terms of a model that solves differential equations, with other tolerances than those that it names.
#pragma once

#include <string>
#include <vector>

namespace manychain {

/// A method with adaptive steps, as a model asks for it.
struct AdaptiveSolver {
  std::string name;  ///< "ode_rk45"
  double relative = 0, absolute = 0;
  int max_steps = 0;
  bool operator==(const AdaptiveSolver&) const = default;
};

/// Terms whose tolerances can be changed. An adaptive solution is smooth in the parameters only up to its tolerance,
/// which limits what differences show of its gradient. ModelTerms may implement this, too.
class SolverTerms {
 public:
  virtual ~SolverTerms() = default;
  /// From now on every relative tolerance is multiplied by `factor`, to 1e-13 at the least, every absolute one by its
  /// square, and for a factor below 1 twenty times as many steps are allowed. 1: as the model says.
  virtual void tighten(double factor) = 0;
  /// Adaptive methods of one evaluation at q, in the order of the model.
  virtual std::vector<AdaptiveSolver> solvers(const double* q) = 0;
};

}  // namespace manychain
