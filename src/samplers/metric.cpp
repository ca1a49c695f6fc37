#include "manychain/samplers/metric.hpp"

namespace manychain {

std::vector<double> Metric::variances() const {
  std::vector<double> variances(scale.size());
  for (std::size_t i = 0; i < scale.size(); ++i) {
    double stretched = 1;
    for (std::size_t j = 0; j < rank(); ++j) {
      const double u = directions[j * scale.size() + i];
      stretched += (eigenvalues[j] - 1) * u * u;
    }
    variances[i] = scale[i] * scale[i] * stretched;
  }
  return variances;
}

}  // namespace manychain
