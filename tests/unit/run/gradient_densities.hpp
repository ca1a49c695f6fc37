// Densities with gradients by hand, for the check of gradients: what finite differences find hard.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain::test {

/// `lp(q, g)` as a model of `dimension` parameters; g may not be null.
template <class F>
Model compiled(std::size_t dimension, F lp) {
  CompiledDensity density;
  density.dimension = dimension;
  density.value_and_gradient = lp;
  return Model(density);
}

/// A time of 1 from a Weibull distribution of shape 2, its scale exp(q_1 + 150 q_2), as of an age in years: far out the
/// density is finite, and derivatives by the chain rule overflow.
inline double survival(const double* q, double* g) {
  const double scale = std::exp(q[0] + 150 * q[1]), z = std::pow(1 / scale, 2);
  double lp = std::log(2.0) - 2 * (q[0] + 150 * q[1]) - z;
  const double by_scale = (2 * z - 2) / scale;
  g[0] = by_scale * scale;
  g[1] = by_scale * (150 * scale);
  for (int i = 0; i < 4; ++i) lp -= 0.5 * q[i] * q[i], g[i] = (i < 2 ? g[i] : 0) - q[i];
  return lp;
}

/// GARCH(1, 1): y_t is normal with variance v_t = w + a y_{t-1}^2 + b v_{t-1}; q = (mu, log w, logit a, logit b). The
/// derivatives of v follow the same recurrence.
inline double garch(const double* q, double* g) {
  constexpr int length = 300;
  static const std::vector<double> y = [] {
    std::vector<double> made(length);
    for (int t = 0; t < length; ++t) made[static_cast<std::size_t>(t)] = std::sin(1.3 * t) * (1 + std::cos(0.05 * t));
    return made;
  }();
  const double mu = q[0], w = std::exp(q[1]), a = 1 / (1 + std::exp(-q[2])), b = 1 / (1 + std::exp(-q[3]));
  std::array<double, 4> dv{};
  double v = 1, lp = 0;
  for (int i = 0; i < 4; ++i) g[i] = -q[i], lp -= 0.5 * q[i] * q[i];
  double before = 0;
  for (const double observed : y) {
    const double old = v;
    dv = {-2 * a * before + b * dv[0], w + b * dv[1], a * (1 - a) * before * before + b * dv[2],
          b * (1 - b) * old + b * dv[3]};
    v = w + a * before * before + b * old;
    const double z = observed - mu;
    lp -= 0.5 * (std::log(v) + z * z / v);
    g[0] += z / v;
    for (std::size_t i = 0; i < 4; ++i) g[i] -= 0.5 * dv[i] * (1 / v - z * z / (v * v));
    before = z;
  }
  return lp;
}

/// A state carried through 100 steps, x_{t+1} = x_t + 0.1 tanh(a x_t + b) + c: its derivatives grow. q = (a, b, c,
/// x_0).
inline double recurrence(const double* q, double* g) {
  double x = q[3], lp = 0;
  std::array<double, 4> dx{0, 0, 0, 1};
  for (int i = 0; i < 4; ++i) g[i] = -q[i], lp -= 0.5 * q[i] * q[i];
  for (int t = 0; t < 100; ++t) {
    const double h = std::tanh(q[0] * x + q[1]), slope = 0.1 * (1 - h * h);
    const std::array<double, 4> own{x, 1, 0, 0};
    for (std::size_t i = 0; i < 4; ++i) dx[i] += slope * (q[0] * dx[i] + own[i]) + (i == 2 ? 1 : 0);
    x += 0.1 * h + q[2];
    const double z = x - std::sin(0.2 * t);
    lp -= 0.5 * z * z;
    for (std::size_t i = 0; i < 4; ++i) g[i] -= z * dx[i];
  }
  return lp;
}

/// Prey and predators (Lotka and Volterra) by the classical Runge-Kutta method with steps of 0.05, and lognormal
/// observations at 1, 2, ... 20; q = log of the four rates. Sensitivities are integrated with the state.
inline double predators(const double* q, double* g) {
  using State = std::array<double, 10>;  // u, v, du/dq, dv/dq
  std::array<double, 4> rate;
  for (std::size_t i = 0; i < 4; ++i) rate[i] = std::exp(q[i]) * (i % 2 == 0 ? 0.55 : 0.05);
  const auto slope = [&rate](const State& s) {
    const double u = s[0], v = s[1];
    State d;
    d[0] = u * (rate[0] - rate[1] * v);
    d[1] = v * (rate[3] * u - rate[2]);
    for (std::size_t i = 0; i < 4; ++i) {
      d[2 + i] = s[2 + i] * (rate[0] - rate[1] * v) - u * rate[1] * s[6 + i];
      d[6 + i] = s[6 + i] * (rate[3] * u - rate[2]) + v * rate[3] * s[2 + i];
    }
    d[2] += u * rate[0];
    d[3] -= u * v * rate[1];
    d[8] -= v * rate[2];
    d[9] += v * u * rate[3];
    return d;
  };
  const auto moved = [](const State& s, const State& d, double h) {
    State result;
    for (std::size_t i = 0; i < s.size(); ++i) result[i] = s[i] + h * d[i];
    return result;
  };
  State s{10, 5};
  double lp = 0;
  for (int i = 0; i < 4; ++i) g[i] = -q[i], lp -= 0.5 * q[i] * q[i];
  for (int t = 1; t <= 20; ++t) {
    for (int k = 0; k < 20; ++k) {
      const State k1 = slope(s), k2 = slope(moved(s, k1, 0.025)), k3 = slope(moved(s, k2, 0.025)),
                  k4 = slope(moved(s, k3, 0.05));
      for (std::size_t i = 0; i < s.size(); ++i) s[i] += 0.05 / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    const std::array<double, 2> seen{2.5 + std::sin(0.9 * t), 1.8 + std::sin(0.9 * t - 1.5)};
    for (std::size_t species = 0; species < 2; ++species) {
      const double z = (std::log(s[species]) - seen[species]) / 0.25;
      lp -= 0.5 * z * z;
      for (std::size_t i = 0; i < 4; ++i) g[i] -= z / 0.25 * s[2 + 4 * species + i] / s[species];
    }
  }
  return lp;
}

/// A chain of n parameters, each with a neighbour, that is not normal: log cosh of the differences.
inline double chain_of(std::size_t n, const double* q, double* g) {
  double lp = 0;
  for (std::size_t i = 0; i < n; ++i) g[i] = 0;
  for (std::size_t i = 0; i < n; ++i) {
    lp -= 0.5 * q[i] * q[i];
    g[i] -= q[i];
    if (i == 0) continue;
    const double z = 2 * (q[i] - q[i - 1]);
    lp -= std::log(std::cosh(z));
    g[i] -= 2 * std::tanh(z);
    g[i - 1] += 2 * std::tanh(z);
  }
  return lp;
}

/// Independent normals of precision first, first * ratio, ...
inline double normals_of_precision(std::size_t n, double first, double ratio, const double* q, double* g) {
  double lp = 0, precision = first;
  for (std::size_t i = 0; i < n; ++i, precision *= ratio) {
    lp += 0.5 * (std::log(precision) - precision * q[i] * q[i]);
    g[i] = -precision * q[i];
  }
  return lp;
}

}  // namespace manychain::test
