#include "manychain/chain/counters.hpp"

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"

namespace manychain {

std::vector<FieldInfo> counter_fields() { return fields_of<Counters<Scalar<float>>>(0); }

DensityEvaluator ModelBinding::evaluator() const {
  return [made = std::shared_ptr<PointOperations>(operations())](const double* points, std::size_t count,
                                                                 double* log_densities, double* gradients) {
    made->evaluate(points, count, log_densities, gradients);
  };
}

double ModelBinding::density(const double* q, double* gradient) const {
  double log_density = 0;
  operations()->evaluate(q, 1, &log_density, gradient);
  return log_density;
}

std::vector<double> ModelBinding::densities(const std::vector<double>& points, std::size_t count) const {
  std::vector<double> log_densities(count);
  operations()->evaluate(points.data(), count, log_densities.data(), nullptr);
  return log_densities;
}

std::vector<bool> ModelBinding::unconstrain(const Data&, std::vector<double>&) const {
  throw BadInput("model " + name + " takes no initial values by name");
}

}  // namespace manychain
