// Densities that are hard to start in, with what a starting point in the bulk of each looks like.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace manychain::test {

using Density = std::function<double(const double* q, double* gradient)>;
using Numbers = std::vector<double>;

struct HardStart {
  std::string name;
  std::size_t dimension;
  Density density;
  /// Is this point, with this log density, in the bulk of the distribution?
  std::function<bool(const double* q, double log_density)> typical;
  Numbers mean, sd;  ///< where they are known
};

/// Uniform on (0, 1) and standard normal, the same on every machine.
class PlainRandom {
 public:
  explicit PlainRandom(std::uint64_t seed) : state_(seed * 2862933555777941757u + 3037000493u) {}
  double uniform() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
  }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); }

 private:
  std::uint64_t state_;
};

/// -2 log p + 2 log p(mode) of a normal is chi-squared: below its quantile at 1 - 1e-6 or so.
inline bool in_bulk(double log_density, double at_mode, std::size_t dimension) {
  const double d = static_cast<double>(dimension);
  return 2 * (at_mode - log_density) < d + 5 * std::sqrt(2 * d) + 15;
}

/// Normal with independent components.
inline HardStart scaled_normal(const std::string& name, const Numbers& mean, const Numbers& sd) {
  const std::size_t d = mean.size();
  const Density density = [=](const double* q, double* g) {
    double sum = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const double z = (q[i] - mean[i]) / sd[i];
      g[i] = -z / sd[i];
      sum -= 0.5 * z * z;
    }
    return sum;
  };
  return {name, d, density, [=](const double*, double lp) { return in_bulk(lp, 0, d); }, mean, sd};
}
/// A random walk of 40 steps of sd 40 from 900, seen with errors of sd 100, all in units of their own: (log sd of the
/// errors, log sd of a step, the walk). The density has no bound where the errors, or the steps, are small.
inline HardStart walk_with_errors() {
  const std::size_t n = 40;
  PlainRandom random(3);
  Numbers y(n);
  double level = 900;
  for (double& x : y) {
    x = level + 100 * random.normal();
    level += 40 * random.normal();
  }
  const Density density = [=](const double* q, double* g) {
    const double s = std::exp(q[0]), t = std::exp(q[1]);
    const double* const x = q + 2;
    double lp = q[0] + q[1] - std::log1p(s * s / 1e4) - std::log1p(t * t / 1e4);
    g[0] = 1 - 2 * s * s / (1e4 + s * s);
    g[1] = 1 - 2 * t * t / (1e4 + t * t);
    std::fill_n(g + 2, n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      const double e = (y[i] - x[i]) / s, z = i > 0 ? (x[i] - x[i - 1]) / t : x[0] / 1e4;
      lp -= 0.5 * (e * e + z * z) + q[0] + (i > 0 ? q[1] : 0);
      g[0] += e * e - 1;
      g[2 + i] += e / s - (i > 0 ? z / t : z / 1e4);
      if (i == 0) continue;
      g[1] += z * z - 1;
      g[1 + i] += z / t;
    }
    return lp;
  };
  const auto between = [](double x, double low, double high) { return x > std::log(low) && x < std::log(high); };
  const auto typical = [=](const double* q, double) { return between(q[0], 50, 200) && between(q[1], 20, 200); };
  return {"walk", n + 2, density, typical, {}, {}};
}
/// Standard deviations from `least` to `most`, evenly on the logarithmic scale.
inline Numbers log_spaced(double least, double most, std::size_t d) {
  Numbers sd(d);
  for (std::size_t i = 0; i < d; ++i)
    sd[i] = least * std::pow(most / least, static_cast<double>(i) / static_cast<double>(d - 1));
  return sd;
}

/// `inside`, turned by `turns` reflections in random planes. `shear`: unit lengths of the coordinates afterwards.
inline HardStart rotated(const std::string& name, const HardStart& inside, const Numbers& shear) {
  const std::size_t d = inside.dimension, turns = 3;
  std::vector<Numbers> normals(turns, Numbers(d));
  PlainRandom random(7);
  for (Numbers& v : normals) {
    double square = 0;
    for (double& x : v) square += (x = random.normal(), x * x);
    for (double& x : v) x /= std::sqrt(square);
  }
  const auto reflect = [=](Numbers& x, std::size_t k) {
    double dot = 0;
    for (std::size_t i = 0; i < d; ++i) dot += x[i] * normals[k][i];
    for (std::size_t i = 0; i < d; ++i) x[i] -= 2 * dot * normals[k][i];
  };
  const Density density = [=](const double* q, double* g) {
    Numbers x(d), gradient(d);
    for (std::size_t i = 0; i < d; ++i) x[i] = q[i] / shear[i];
    for (std::size_t k = 0; k < turns; ++k) reflect(x, k);
    const double lp = inside.density(x.data(), gradient.data());
    for (std::size_t k = turns; k-- > 0;) reflect(gradient, k);
    for (std::size_t i = 0; i < d; ++i) g[i] = gradient[i] / shear[i];
    return lp;
  };
  HardStart turned{name, d, density, inside.typical, Numbers(d, 0), Numbers(d, 0)};
  for (std::size_t j = 0; j < d; ++j) {  // column j of the factor: where the unit vector j comes from
    Numbers axis(d, 0), centre = inside.mean;
    axis[j] = inside.sd[j];
    for (std::size_t k = turns; k-- > 0;) reflect(axis, k), reflect(centre, k);
    for (std::size_t i = 0; i < d; ++i) turned.sd[i] += axis[i] * axis[i] * shear[i] * shear[i];
    turned.mean[j] = centre[j] * shear[j];
  }
  for (double& s : turned.sd) s = std::sqrt(s);
  return turned;
}

/// y = a + b x + noise of standard deviation sigma, for (a, b, log sigma), flat but for the Jacobian of sigma. Mean and
/// sd are those of the exact posterior.
inline HardStart unscaled_regression(const std::string& name, double a, double b, double centre, double width,
                                     std::size_t n) {
  Numbers x(n), y(n);
  PlainRandom random(11);
  double mean_x = 0, mean_y = 0, sxx = 0, sxy = 0, rss = 0;
  const double count = static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = centre + width * random.normal();
    y[i] = a + b * x[i] + random.normal();
    mean_x += x[i] / count, mean_y += y[i] / count;
  }
  for (std::size_t i = 0; i < n; ++i)
    sxx += (x[i] - mean_x) * (x[i] - mean_x), sxy += (x[i] - mean_x) * (y[i] - mean_y);
  const double slope = sxy / sxx, intercept = mean_y - slope * mean_x;
  for (std::size_t i = 0; i < n; ++i) {
    const double r = y[i] - mean_y - slope * (x[i] - mean_x);
    rss += r * r;
  }
  const Density density = [=](const double* q, double* g) {
    const double precision = std::exp(-2 * q[2]);
    double lp = (1 - count) * q[2];
    g[0] = g[1] = 0;
    g[2] = 1 - count;
    for (std::size_t i = 0; i < n; ++i) {
      const double r = y[i] - q[0] - q[1] * x[i];
      lp -= 0.5 * r * r * precision;
      g[0] += r * precision;
      g[1] += r * x[i] * precision;
      g[2] += r * r * precision;
    }
    return lp;
  };
  // sigma^-2 ~ Gamma((n - 3)/2, rss/2), so that a and b have variance rss/(n - 5) (X^T X)^-1.
  const double variance = rss / (count - 5), log_sigma = 0.5 * std::log(rss / (count - 1));
  Numbers mode{intercept, slope, log_sigma}, gradient(3);
  const double top = density(mode.data(), gradient.data());
  return {
      name,
      3,
      density,
      [=](const double*, double lp) { return in_bulk(lp, top, 3); },
      mode,
      {std::sqrt(variance * (1 / count + mean_x * mean_x / sxx)), std::sqrt(variance / sxx), std::sqrt(0.5 / count)}};
}

/// An intercept and predictors around 50, 2000 and 0.003, each with a normal prior of ten times what it is worth.
/// Prices of five years, intercept and slope correlated by 1 - 1e-5: y ~ normal(a + b year, sigma), with sigma unknown
/// and a flat. All scales follow sigma, which is 1 where paths begin and 19 000 at the mode.
inline HardStart five_prices() {
  const Density density = [](const double* q, double* g) {
    constexpr double year[] = {2023, 2007, 2011, 2011, 2016}, price[] = {241371, 194582, 189285, 164572, 185628};
    const double sigma = std::exp(q[2]), z_slope = q[1] / 1e4, z_sigma = sigma / 5e4;
    double sum = q[2] - 0.5 * z_slope * z_slope - 0.5 * z_sigma * z_sigma;
    g[0] = 0, g[1] = -z_slope / 1e4, g[2] = 1 - z_sigma * z_sigma;
    for (int i = 0; i < 5; ++i) {
      const double z = (price[i] - q[0] - q[1] * year[i]) / sigma;
      sum -= 0.5 * z * z + q[2];
      g[0] += z / sigma, g[1] += z / sigma * year[i], g[2] += z * z - 1;
    }
    return sum;
  };
  return {"five prices", 3, density, [](const double*, double lp) { return in_bulk(lp, -41.58, 3); }, {}, {}};
}

inline HardStart unscaled_logistic() {
  constexpr std::size_t n = 400;
  std::vector<Numbers> x(n, Numbers(4));
  Numbers y(n);
  const Numbers prior{100, 10, 0.1, 1e4};
  PlainRandom random(13);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = {1, 50 + 10 * random.normal(), 2000 + 300 * random.normal(), 0.003 + 0.001 * random.normal()};
    const double eta = -1 + 0.1 * (x[i][1] - 50) - 0.002 * (x[i][2] - 2000) + 500 * (x[i][3] - 0.003);
    y[i] = random.uniform() < 1 / (1 + std::exp(-eta)) ? 1 : 0;
  }
  const Density density = [=](const double* q, double* g) {
    double lp = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      lp -= 0.5 * q[j] * q[j] / (prior[j] * prior[j]);
      g[j] = -q[j] / (prior[j] * prior[j]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      double eta = 0;
      for (std::size_t j = 0; j < 4; ++j) eta += q[j] * x[i][j];
      lp += y[i] * eta - (eta > 0 ? eta + std::log1p(std::exp(-eta)) : std::log1p(std::exp(eta)));
      const double residual = y[i] - 1 / (1 + std::exp(-eta));
      for (std::size_t j = 0; j < 4; ++j) g[j] += residual * x[i][j];
    }
    return lp;
  };
  return {"logistic regression, unscaled", 4, density, {}, {}, {}};
}

/// (theta_1..8, mu, log tau), centred. The quantiles of log tau are by quadrature, theta and mu integrated out.
inline HardStart eight_schools_centred() {
  const Density density = [](const double* q, double* g) {
    constexpr double y[8] = {28, 8, -3, 7, -1, 1, 18, 12}, sigma[8] = {15, 10, 16, 11, 9, 11, 10, 18};
    const double mu = q[8], tau2 = std::exp(2 * q[9]);
    double lp = -0.5 * mu * mu / 25 - 7 * q[9] - std::log1p(tau2 / 25);
    g[8] = -mu / 25;
    g[9] = -7 - 2 * (tau2 / 25) / (1 + tau2 / 25);
    for (std::size_t j = 0; j < 8; ++j) {
      const double z = q[j] - mu, r = (y[j] - q[j]) / sigma[j];
      lp -= 0.5 * z * z / tau2 + 0.5 * r * r;
      g[j] = -z / tau2 + r / sigma[j];
      g[8] += z / tau2;
      g[9] += z * z / tau2;
    }
    return lp;
  };
  const auto typical = [](const double* q, double) { return q[9] > -3.01 && q[9] < 2.69; };
  return {"eight schools, centred", 10, density, typical, {}, {}};
}

/// v ~ N(0, 3), x_i ~ N(0, exp(v / 2)) (Neal 2003). Typical: v within its quantiles 0.01 and 0.99.
inline HardStart neals_funnel(std::size_t d) {
  const Density density = [d](const double* q, double* g) {
    double lp = -q[0] * q[0] / 18;
    g[0] = -q[0] / 9;
    for (std::size_t i = 1; i < d; ++i) {
      const double z2 = q[i] * q[i] * std::exp(-q[0]);
      lp -= 0.5 * q[0] + 0.5 * z2;
      g[0] += -0.5 + 0.5 * z2;
      g[i] = -q[i] * std::exp(-q[0]);
    }
    return lp;
  };
  return {"funnel", d, density, [](const double* q, double) { return std::fabs(q[0]) < 3 * 2.326; }, {}, {}};
}

/// Independent Student t with three degrees of freedom and scale `scale`. Typical: all within the quantiles 1e-4.
inline HardStart student_t(std::size_t d, double scale, double centre) {
  const Density density = [=](const double* q, double* g) {
    double lp = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const double z = (q[i] - centre) / scale;
      lp -= 2 * std::log1p(z * z / 3);
      g[i] = -4 * z / (3 + z * z) / scale;
    }
    return lp;
  };
  const auto typical = [=](const double* q, double) {
    for (std::size_t i = 0; i < d; ++i)
      if (std::fabs(q[i] - centre) > 22.2 * scale) return false;
    return true;
  };
  return {"Student t, 3 degrees", d, density, typical, {}, {}};
}

/// x ~ N(0, 10), y ~ N(0.03 (x^2 - 100), 1) (Haario and others 1999).
inline HardStart banana() {
  const Density density = [](const double* q, double* g) {
    const double r = q[1] - 0.03 * (q[0] * q[0] - 100);
    g[0] = -q[0] / 100 + 0.06 * q[0] * r;
    g[1] = -r;
    return -q[0] * q[0] / 200 - 0.5 * r * r;
  };
  return {"banana", 2, density, [](const double*, double lp) { return in_bulk(lp, 0, 2); }, {}, {}};
}

/// N(2, 1) in four dimensions, cut off where the first component is above one.
inline HardStart half_space() {
  const HardStart whole = scaled_normal("", Numbers(4, 2), Numbers(4, 1));
  const Density density = [whole](const double* q, double* g) {
    const double lp = whole.density(q, g);
    return q[0] < 1 ? lp : -HUGE_VAL;
  };
  return {"half space", 4, density, [](const double*, double lp) { return in_bulk(lp, -0.5, 4); }, {}, {}};
}
/// N(30, 0.5) in four dimensions; NaN with a NaN gradient far out, and in a slab on the way.
inline HardStart not_a_number() {
  const HardStart whole = scaled_normal("", Numbers(4, 30), Numbers(4, 0.5));
  const Density density = [whole](const double* q, double* g) {
    const double lp = whole.density(q, g);
    if (q[0] < 33 && !(q[0] > 10 && q[0] < 14)) return lp;
    for (std::size_t i = 0; i < 4; ++i) g[i] = std::numeric_limits<double>::quiet_NaN();
    return std::numeric_limits<double>::quiet_NaN();
  };
  return {"NaN in a shell", 4, density, [](const double*, double lp) { return in_bulk(lp, 0, 4); }, {}, {}};
}

}  // namespace manychain::test
