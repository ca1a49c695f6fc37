// Mixtures of normals that lie apart.
#pragma once

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain::test {

struct NormalComponent {
  double weight, sd;
  std::vector<double> mean;
};

/// The density is cheap: runs have their usual number of chains.
inline CompiledDensity density_of_mixture(const std::vector<NormalComponent>& components) {
  constexpr std::size_t most = 32;
  if (components.size() > most) throw std::invalid_argument("more components than density_of_mixture() has places for");
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
    double terms[most];
    for (std::size_t k = 0; k < components.size(); ++k) {
      const NormalComponent& c = components[k];
      double squares = 0;
      for (std::size_t i = 0; i < d; ++i) squares += (q[i] - c.mean[i]) * (q[i] - c.mean[i]);
      terms[k] = log_weights[k] - 0.5 * squares / (c.sd * c.sd) - logs_of_sds[k];
    }
    const double largest = *std::max_element(terms, terms + components.size());
    double sum = 0;
    for (std::size_t k = 0; k < components.size(); ++k) {
      const double below = terms[k] - largest;
      // These two values are exact. A call would take the slow way of an underflow for the other modes.
      terms[k] = below == 0 ? 1 : below < -746 ? 0 : std::exp(below);
      sum += terms[k];
    }
    std::fill(gradient, gradient + d, 0.0);
    for (std::size_t k = 0; k < components.size(); ++k) {
      const double share = terms[k] / sum, variance = components[k].sd * components[k].sd;
      if (share == 0) continue;
      for (std::size_t i = 0; i < d; ++i) gradient[i] -= share * (q[i] - components[k].mean[i]) / variance;
    }
    return sum == 1 ? largest : largest + std::log(sum);
  };
  return density;
}
inline Model mixture_of(const std::vector<NormalComponent>& components) {
  return Model(density_of_mixture(components));
}

/// (even, odd, even, ...)
inline std::vector<double> alternating(std::size_t dimension, double even, double odd) {
  std::vector<double> x(dimension);
  for (std::size_t i = 0; i < dimension; ++i) x[i] = i % 2 == 0 ? even : odd;
  return x;
}

}  // namespace manychain::test
