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
  std::vector<double> log_weights, logs_of_sds;
  for (const NormalComponent& c : components) {
    log_weights.push_back(std::log(c.weight));
    logs_of_sds.push_back(static_cast<double>(density.dimension) * std::log(c.sd));
  }
  density.value_and_gradient = [=](const double* q, double* gradient) {
    const std::size_t d = components[0].mean.size();
    std::vector<double> terms(components.size());
    for (std::size_t k = 0; k < components.size(); ++k) {
      const NormalComponent& c = components[k];
      double squares = 0;
      for (std::size_t i = 0; i < d; ++i) squares += (q[i] - c.mean[i]) * (q[i] - c.mean[i]);
      terms[k] = log_weights[k] - 0.5 * squares / (c.sd * c.sd) - logs_of_sds[k];
    }
    const double largest = *std::max_element(terms.begin(), terms.end());
    double sum = 0;
    for (double& term : terms) sum += term = std::exp(term - largest);
    std::fill(gradient, gradient + d, 0.0);
    for (std::size_t k = 0; k < components.size(); ++k) {
      const double share = terms[k] / sum, variance = components[k].sd * components[k].sd;
      if (share == 0) continue;
      for (std::size_t i = 0; i < d; ++i) gradient[i] -= share * (q[i] - components[k].mean[i]) / variance;
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
