#include "check/checked_density.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "manychain/chain/program.hpp"

namespace manychain {

CheckedDensity::CheckedDensity(const Model& model) : model_(model), terms_(model.bound().terms()) {
  auto* const solving = dynamic_cast<SolverTerms*>(terms_.get());
  if (!solving) return;
  const std::vector<double> origin(model.layout().dimension, 0.0);
  for (const AdaptiveSolver& solver : solving->solvers(origin.data()))
    if (std::find(solvers_.begin(), solvers_.end(), solver) == solvers_.end()) solvers_.push_back(solver);
  if (solvers_.empty()) return;
  solving_ = solving;
  solving_->tighten(stricter);
}

double CheckedDensity::value(const double* q) const {
  long double sum = 0;
  for (const long double term : terms_->values(q)) sum += term;
  return static_cast<double>(sum + terms_->log_jacobian());
}

std::vector<double> CheckedDensity::densities(const std::vector<double>& points, std::size_t count) const {
  if (!solving_) return model_.bound().densities(points, count);
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = value(points.data() + k * model_.layout().dimension);
  return values;
}

CheckPoint CheckedDensity::solved(const std::vector<double>& q, double factor) const {
  solving_->tighten(factor);
  CheckPoint point{q, std::vector<double>(q.size()), value(q.data())};
  terms_->gradient(q.data(), 0, static_cast<std::size_t>(-1), point.gradient.data());
  solving_->tighten(stricter);
  return point;
}

std::string described(const std::vector<AdaptiveSolver>& solvers) {
  std::string text;
  for (const AdaptiveSolver& solver : solvers)
    text += fmt::format("{}{} (tolerances {:g} and {:g})", text.empty() ? "" : ", ", solver.name, solver.relative,
                        solver.absolute);
  return text;
}

}  // namespace manychain
