// Densities whose integrals are known.
#pragma once

#include <cmath>
#include <functional>
#include <numbers>
#include <ostream>
#include <string>
#include <vector>

#include "manychain/run/model.hpp"
#include "unit/run/mixtures_of_normals.hpp"

namespace manychain::test {

inline const double log_two_pi = std::log(2 * std::numbers::pi);

struct KnownIntegral {
  std::string name;
  Model model;
  double log_z;
};
inline void PrintTo(const KnownIntegral& known, std::ostream* to) { *to << known.name; }

inline Model density_of(std::size_t dimension, std::function<double(const double*, double*)> value_and_gradient) {
  CompiledDensity density;
  density.dimension = dimension;
  density.gradient_values = 10 * dimension;
  density.value_and_gradient = std::move(value_and_gradient);
  return Model(density);
}

/// Normals with neighbours that are correlated, x[i] = a x[i - 1] + noise, around 3, with sds from 0.01 to 100.
inline KnownIntegral chain_of_normals(std::size_t d) {
  const auto scale = [d](std::size_t i) {
    return std::pow(10.0, 4.0 * static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(d - 1, 1)) - 2);
  };
  double log_z = 2;
  for (std::size_t i = 0; i < d; ++i) log_z += std::log(scale(i)) + 0.5 * log_two_pi;
  std::vector<double> scales(d);
  for (std::size_t i = 0; i < d; ++i) scales[i] = scale(i);
  const auto density = [d, scales](const double* x, double* gradient) {
    double sum = 2;
    for (std::size_t i = 0; i < d; ++i) gradient[i] = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const double before = i > 0 ? (x[i - 1] - 3) / scales[i - 1] : 0;
      const double z = (x[i] - 3) / scales[i] - 0.7 * before;
      sum -= 0.5 * z * z;
      gradient[i] -= z / scales[i];
      if (i > 0) gradient[i - 1] += 0.7 * z / scales[i - 1];
    }
    return sum;
  };
  return {"normals, " + std::to_string(d), density_of(d, density), log_z};
}

/// Half normals: the density is zero where a component is negative.
inline KnownIntegral half_normals(std::size_t d) {
  const auto density = [=](const double* x, double* gradient) {
    double sum = 0;
    for (std::size_t i = 0; i < d; ++i) {
      if (x[i] < 0) return -HUGE_VAL;
      sum -= 0.5 * x[i] * x[i];
      gradient[i] = -x[i];
    }
    return sum;
  };
  return {"half normals, " + std::to_string(d), density_of(d, density),
          static_cast<double>(d) * (0.5 * log_two_pi - std::log(2.0))};
}

/// Neal's, of a scale 1.5, normalised.
inline KnownIntegral funnel(std::size_t d) {
  const auto density = [=](const double* x, double* gradient) {
    const double v = x[0], n = static_cast<double>(d - 1), precision = std::exp(-v);
    double squares = 0;
    for (std::size_t i = 1; i < d; ++i) {
      squares += x[i] * x[i];
      gradient[i] = -x[i] * precision;
    }
    gradient[0] = -v / 2.25 - 0.5 * n + 0.5 * squares * precision;
    return -0.5 * v * v / 2.25 - std::log(1.5) - 0.5 * n * v - 0.5 * squares * precision - 0.5 * (n + 1) * log_two_pi;
  };
  return {"funnel, " + std::to_string(d), density_of(d, density), 0};
}

/// Weights are those of mixture_of(), which has no powers of 2 pi.
inline KnownIntegral normals_apart(const std::string& name, const std::vector<NormalComponent>& components) {
  double sum = 0;
  for (const NormalComponent& c : components) sum += c.weight;
  return {name, mixture_of(components),
          std::log(sum) + 0.5 * static_cast<double>(components[0].mean.size()) * log_two_pi};
}
inline KnownIntegral wide_and_narrow() {
  return normals_apart("wide and narrow", {{0.5, 1, {-5, -5}}, {0.5, 0.1, {5, 5}}});
}
inline KnownIntegral small_in_50_dimensions() {
  return normals_apart("small in 50", {{0.95, 1, alternating(50, 0, 0)}, {0.05, 1, alternating(50, -1.4, 0.8)}});
}
inline KnownIntegral three_modes() {
  return normals_apart("three", {{0.5, 1, {0, 0, 0}}, {0.3, 1, {12, 0, -3}}, {0.2, 0.5, {-4, 14, 6}}});
}

}  // namespace manychain::test
