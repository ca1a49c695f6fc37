// A mixture of normal distributions with labels, weights, means and their variance, by Gibbs sampling.
#include "gallery/models/gaussian_mixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "gallery/chain_means.hpp"
#include "gallery/direct_draws.hpp"
#include "gallery/entries.hpp"
#include "manychain/manychain.hpp"

namespace manychain::gallery {
namespace {

constexpr std::array<double, 3> true_theta = {-4, 0, 5}, true_alpha = {0.3, 0.5, 0.2};
constexpr double a = 5, b = 40;  // of the prior of tau2

double density(double x, double mean) {
  return std::exp(-0.5 * (x - mean) * (x - mean)) / std::sqrt(2 * std::numbers::pi);
}

/// The components of a draw in the order of their means: labels have no meaning of their own.
struct Sorted {
  std::array<double, 3> theta, alpha;
};
Sorted sorted(const Draws& draws, std::size_t d, std::size_t c) {
  std::array<std::size_t, 3> order = {0, 1, 2};
  std::sort(order.begin(), order.end(), [&](auto i, auto j) { return draws(d, i, c) < draws(d, j, c); });
  Sorted s;
  for (std::size_t k = 0; k < 3; ++k) {
    s.theta[k] = draws(d, models::GaussianMixture<double>::theta + order[k], c);
    s.alpha[k] = draws(d, models::GaussianMixture<double>::alpha + order[k], c);
  }
  return s;
}

/// Posterior means of tau2 and of the sorted means and weights.
struct Moments {
  double tau2 = 0;
  std::array<double, 3> theta{}, alpha{};
};

/// All labellings of the data, each with its integrals over tau2 (by the trapezoidal rule in log tau2) and over the
/// smallest and the largest mean. Given labels and tau2 the means are independent and normal.
Moments by_enumeration(const std::vector<double>& y) {
  struct Point {
    double log_weight, tau2;
    std::array<double, 3> mean, sd, alpha;
  };
  std::vector<Point> points;
  const int n = static_cast<int>(y.size());
  std::vector<int> z(y.size(), 0);
  for (int code = 0; code < static_cast<int>(std::pow(3, n) + 0.5); ++code) {
    int used = 0;  // new labels in order alone; the others are permutations of these
    bool canonical = true;
    for (int i = 0, rest = code; i < n; ++i, rest /= 3) {
      z[std::size_t(i)] = rest % 3;
      canonical = canonical && rest % 3 <= used;
      used = std::max(used, rest % 3 + 1);
    }
    if (!canonical) continue;
    for (double t = std::log(b / a) - 4; t < std::log(b / a) + 6; t += 0.1) {
      Point p{used == 1 ? std::log(3.0) : std::log(6.0), std::exp(t), {}, {}, {}};
      p.log_weight += -a * t - b / p.tau2;  // the prior's density times the derivative of tau2 by t
      for (std::size_t k = 0; k < 3; ++k) {
        double count = 0, sum = 0;
        for (std::size_t i = 0; i < y.size(); ++i)
          if (z[i] == int(k)) count += 1, sum += y[i];
        const double variance = 1 / (count + 1 / p.tau2);
        p.mean[k] = variance * sum;
        p.sd[k] = std::sqrt(variance);
        p.alpha[k] = (1 + count) / (3 + n);
        p.log_weight += std::lgamma(1 + count) + 0.5 * std::log(variance / p.tau2) + 0.5 * variance * sum * sum;
      }
      points.push_back(p);
    }
  }
  const double largest = std::max_element(points.begin(), points.end(), [](const Point& p, const Point& q) {
                           return p.log_weight < q.log_weight;
                         })->log_weight;
  Moments m;
  double total = 0;
  for (const Point& p : points) {
    const double weight = std::exp(p.log_weight - largest);
    if (weight < 1e-9) continue;
    double low = p.mean[0], high = p.mean[0], step = 0.25;
    for (std::size_t k = 0; k < 3; ++k) {
      low = std::min(low, p.mean[k] - 8 * p.sd[k]);
      high = std::max(high, p.mean[k] + 8 * p.sd[k]);
      step = std::min(step, 0.5 * p.sd[k]);
    }
    std::array<double, 3> smallest{}, greatest{};  // the probabilities that component k is
    double minimum = 0, maximum = 0;
    for (double x = low; x < high; x += step) {
      std::array<double, 3> f, below, above;
      for (std::size_t k = 0; k < 3; ++k) {
        const double u = (x - p.mean[k]) / p.sd[k];
        f[k] = step * density(u, 0) / p.sd[k];
        below[k] = 0.5 * std::erfc(-u / std::numbers::sqrt2);
        above[k] = 1 - below[k];
      }
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        smallest[k] += f[k] * above[i] * above[j];
        greatest[k] += f[k] * below[i] * below[j];
        minimum += x * f[k] * above[i] * above[j];
        maximum += x * f[k] * below[i] * below[j];
      }
    }
    total += weight;
    m.tau2 += weight * p.tau2;
    const double sum = p.mean[0] + p.mean[1] + p.mean[2];
    m.theta[0] += weight * minimum;
    m.theta[1] += weight * (sum - minimum - maximum);
    m.theta[2] += weight * maximum;
    for (std::size_t k = 0; k < 3; ++k) {
      m.alpha[0] += weight * p.alpha[k] * smallest[k];
      m.alpha[1] += weight * p.alpha[k] * (1 - smallest[k] - greatest[k]);
      m.alpha[2] += weight * p.alpha[k] * greatest[k];
    }
  }
  m.tau2 /= total;
  for (std::size_t k = 0; k < 3; ++k) m.theta[k] /= total, m.alpha[k] /= total;
  return m;
}

/// Chains start at `theta`, with equal weights; the labels are drawn first.
Result run(const GalleryOptions& options, const std::vector<double>& y, const std::array<double, 3>& theta,
           std::size_t chains, std::size_t draws, std::size_t thin) {
  Data data;
  data.set("N", static_cast<int>(y.size()));
  data.set("y", y);
  data.set("a", a);
  data.set("b", b);
  Settings settings = settings_for(options);
  settings.sampler = "gibbs";
  settings.chains = chains;
  settings.warmup.transitions = 300;
  settings.sampling.draws = draws;
  settings.sampling.thin = thin;
  settings.output.keep_sample_stats = false;
  const auto put = [&](double value, std::size_t components = 1) {
    settings.warmup.initial_points.insert(settings.warmup.initial_points.end(), components * chains, value);
  };
  for (double value : theta) put(value);
  put(b / a);
  put(1.0 / 3, 3);
  put(0, y.size());
  return sample(model<models::GaussianMixture>(data), settings);
}

}  // namespace

Report gaussian_mixture(const GalleryOptions& options) {
  constexpr std::size_t size = 240;
  std::vector<double> y(size);
  draw_normals(20'000'051, 0, 0, int(size), [&](int i, double z) { y[std::size_t(i)] = z; });
  draw_uniforms(20'000'051, 1, 0, int(size), [&](int i, double u) {
    y[std::size_t(i)] += true_theta[u <= true_alpha[0] ? 0 : u <= true_alpha[0] + true_alpha[1] ? 1 : 2];
  });
  std::vector<double> ordered = y;
  std::sort(ordered.begin(), ordered.end());
  const std::size_t draws = options.quick ? 20 : 200;
  const Result result =
      run(options, y, {ordered[size / 8], ordered[size / 2], ordered[size * 7 / 8]}, 256, options.quick ? 20 : 100, 2);
  const std::vector<double> few = {-2.2, -1.7, 0.1, 0.6, 1.8, 2.5};
  const Result tiny = run(options, few, {-2, 0, 2}, 4096, draws, 2);

  Report report;
  report.lines = {
      "Three normal distributions of variance 1, mixed: labels z, weights alpha, means theta and their variance",
      "tau2, by their full conditionals. Draws are sorted by their means, chains start in order.",
      fmt::format("240 data, {} chains, and 6 data, {} chains, on {}, {}.", result.settings.chains,
                  tiny.settings.chains, result.backend, result.device)};
  Table table{{"240 data", "truth", "posterior mean", "posterior sd"}, {}};
  const auto recovered = [&](const std::string& name, double truth, auto f) {
    const ChainMean mean = expectation_of(result.draws, f);
    const double square = expectation_of(result.draws, [&](std::size_t d, std::size_t c) {
                            return (f(d, c) - mean.value) * (f(d, c) - mean.value);
                          }).value;
    table.rows.push_back(
        {name, fmt::format("{}", truth), fmt::format("{:.4f}", mean.value), fmt::format("{:.4f}", std::sqrt(square))});
    report.checks.push_back(
        monte_carlo(name + ", 240 data (error: posterior sd)", truth, mean.value, std::sqrt(square)));
  };
  for (std::size_t k = 0; k < 3; ++k)
    recovered(fmt::format("theta[{}]", k + 1), true_theta[k],
              [&](std::size_t d, std::size_t c) { return sorted(result.draws, d, c).theta[k]; });
  for (std::size_t k = 0; k < 3; ++k)
    recovered(fmt::format("alpha[{}]", k + 1), true_alpha[k],
              [&](std::size_t d, std::size_t c) { return sorted(result.draws, d, c).alpha[k]; });
  report.tables.push_back(table);

  // The density of the next datum, beside the one that the data were drawn from.
  double distance = 0;
  constexpr double step = 0.1;
  for (double x = -10; x <= 11; x += step) {
    double predictive = 0, truth = 0;
    const Draws& all = result.draws;
    for (std::size_t c = 0; c < all.chains; ++c)
      for (std::size_t d = 0; d < all.draws; d += 5)
        for (std::size_t k = 0; k < 3; ++k)
          predictive += all(d, models::GaussianMixture<double>::alpha + k, c) * density(x, all(d, k, c));
    predictive /= double(all.chains * ((all.draws + 4) / 5));
    for (std::size_t k = 0; k < 3; ++k) truth += true_alpha[k] * density(x, true_theta[k]);
    distance += step * std::fabs(predictive - truth);
  }
  report.checks.push_back(less("integral of |predictive - true density|, 0.15", distance, 0.15));

  const Moments known = by_enumeration(few);
  for (std::size_t k = 0; k < 3; ++k) {
    report.checks.push_back(
        check_of(fmt::format("theta[{}], 6 data", k + 1), known.theta[k],
                 expectation_of(tiny.draws, [&](auto d, auto c) { return sorted(tiny.draws, d, c).theta[k]; })));
    report.checks.push_back(
        check_of(fmt::format("alpha[{}], 6 data", k + 1), known.alpha[k],
                 expectation_of(tiny.draws, [&](auto d, auto c) { return sorted(tiny.draws, d, c).alpha[k]; })));
  }
  report.checks.push_back(check_of("tau2, 6 data", known.tau2, expectation_of(tiny.draws, [&](auto d, auto c) {
                                     return tiny.draws(d, models::GaussianMixture<double>::tau2, c);
                                   })));
  return report;
}

}  // namespace manychain::gallery
