// Mixtures of normals that lie apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain::test {

struct NormalComponent {
  double weight, sd;
  std::vector<double> mean;
};

/// The density is cheap: runs have their usual number of chains.
inline Model mixture_of(const std::vector<NormalComponent>& components) {
  CompiledDensity density;
  density.dimension = components[0].mean.size();
  density.gradient_values = 10 * density.dimension;
  density.value_and_gradient = [components](const double* q, double* gradient) {
    const std::size_t d = components[0].mean.size();
    std::vector<double> terms;
    for (const NormalComponent& c : components) {
      double squares = 0;
      for (std::size_t i = 0; i < d; ++i) squares += (q[i] - c.mean[i]) * (q[i] - c.mean[i]);
      terms.push_back(std::log(c.weight) - 0.5 * squares / (c.sd * c.sd) - static_cast<double>(d) * std::log(c.sd));
    }
    const double largest = *std::max_element(terms.begin(), terms.end());
    double sum = 0;
    for (double& term : terms) sum += term = std::exp(term - largest);
    for (std::size_t i = 0; i < d; ++i) {
      gradient[i] = 0;
      for (std::size_t k = 0; k < components.size(); ++k)
        gradient[i] -= terms[k] / sum * (q[i] - components[k].mean[i]) / (components[k].sd * components[k].sd);
    }
    return largest + std::log(sum);
  };
  return Model(density);
}

/// (even, odd, even, ...)
inline std::vector<double> alternating(std::size_t dimension, double even, double odd) {
  std::vector<double> x(dimension);
  for (std::size_t i = 0; i < dimension; ++i) x[i] = i % 2 == 0 ? even : odd;
  return x;
}

}  // namespace manychain::test
