// The log density whose differences check a gradient.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "check/check_points.hpp"
#include "manychain/chain/model_terms.hpp"
#include "manychain/chain/solver_terms.hpp"
#include "manychain/run/model.hpp"

namespace manychain {

/// The log density of the model in double, as samplers have it. For a model that solves differential equations with
/// adaptive steps, the sum of its terms in extended precision, with tolerances so strict that differences see no steps.
class CheckedDensity {
 public:
  explicit CheckedDensity(const Model& model);

  /// The distinct adaptive methods of the model; empty: none, or the model is not written in terms.
  const std::vector<AdaptiveSolver>& solvers() const { return solvers_; }
  /// Its terms, with strict tolerances where it solves; null where it has none.
  ModelTerms* terms() const { return terms_.get(); }
  /// Log densities at `count` points, [point][dimension].
  std::vector<double> densities(const std::vector<double>& points, std::size_t count) const;
  /// Log density and gradient at q of a model that solves, its tolerances multiplied by `factor`. 1: its own.
  CheckPoint solved(const std::vector<double>& q, double factor) const;
  /// The sum of the terms and Jacobians at q. There must be terms.
  double value(const double* q) const;

  static constexpr double strict = 1e-5, stricter = 1e-6;  ///< factors of tolerances; differences use the second
  /// Factor for nearly the model's own tolerances, with twenty times as many steps.
  static constexpr double patient = 0.99;

 private:
  const Model& model_;
  std::unique_ptr<ModelTerms> terms_;
  SolverTerms* solving_ = nullptr;  ///< of terms_; null: no solver
  std::vector<AdaptiveSolver> solvers_;
};

/// "ode_rk45 (tolerances 1e-05 and 0.001)", one after the other.
std::string described(const std::vector<AdaptiveSolver>& solvers);

}  // namespace manychain
