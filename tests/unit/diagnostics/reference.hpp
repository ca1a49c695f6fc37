// A plain reference for the diagnostics: Eigen arrays of doubles, written from the definitions and independently of the
// library. Slow, and meant to be read.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace reference {

using Chain = std::vector<double>;
using Chains = Eigen::ArrayXXd;  // [draw][chain]

inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

inline Chain flatten(const Chains& x) { return {x.data(), x.data() + x.size()}; }
inline double mean(const Chain& x) { return Eigen::Map<const Eigen::ArrayXd>(x.data(), Eigen::Index(x.size())).mean(); }
inline double variance(const Eigen::ArrayXd& x) { return (x - x.mean()).square().sum() / double(x.size() - 1); }
inline double variance(const Chain& x) {
  return variance(Eigen::ArrayXd(Eigen::Map<const Eigen::ArrayXd>(x.data(), Eigen::Index(x.size()))));
}

/// Halves of all chains beside each other, the middle one of an odd number of draws left out.
inline Chains split(const Chains& x) {
  const Eigen::Index half = x.rows() / 2, M = x.cols();
  Chains halves(half, 2 * M);
  halves << x.topRows(half), x.bottomRows(half);
  return halves;
}

/// Type 7.
inline double quantile(Chain x, double p) {
  std::sort(x.begin(), x.end());
  const double h = p * double(x.size() - 1);
  const auto low = std::size_t(std::floor(h));
  const std::size_t high = std::min(low + 1, x.size() - 1);
  return x[low] + (h - std::floor(h)) * (x[high] - x[low]);
}
inline double quantile(const Chains& x, double p) { return quantile(flatten(x), p); }
inline Chains fold(const Chains& x) { return (x - quantile(x, 0.5)).abs(); }
inline double mad(const Chains& x) { return 1.4826 * quantile(fold(x), 0.5); }

/// InversePhi by bisection of erfc, for p < 1/2 by symmetry.
inline double inverse_phi(long double p) {
  if (p > 0.5L) return -inverse_phi(1 - p);
  long double low = -40, high = 0;
  for (int i = 0; i < 80; ++i) {
    const long double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0L)) / 2 < p ? low : high) = middle;
  }
  return static_cast<double>((low + high) / 2);
}

inline Chains rank_normalise(const Chains& x) {
  Chain sorted = flatten(x);
  std::sort(sorted.begin(), sorted.end());
  const auto S = static_cast<long double>(sorted.size());
  return x.unaryExpr([&](double v) {
    const auto [begin, end] = std::equal_range(sorted.begin(), sorted.end(), v);
    const auto first = static_cast<long double>(begin - sorted.begin() + 1);
    const auto last = static_cast<long double>(end - sorted.begin());
    return inverse_phi(((first + last) / 2 - 0.375L) / (S + 0.25L));
  });
}

inline Eigen::ArrayXd means(const Chains& x) { return x.colwise().mean().transpose(); }
inline Eigen::ArrayXd variances(const Chains& x) {
  return (x.rowwise() - x.colwise().mean()).square().colwise().sum().transpose() / double(x.rows() - 1);
}

inline double rhat_of(const Chains& x) {
  const auto n = double(x.rows());
  return std::sqrt((n * variance(means(x)) / variances(x).mean() + n - 1) / n);
}
inline double rhat_bulk(const Chains& x) { return rhat_of(rank_normalise(split(x))); }
inline double rhat_folded(const Chains& x) { return rhat_of(rank_normalise(split(fold(x)))); }
inline double rhat(const Chains& x) { return std::max(rhat_bulk(x), rhat_folded(x)); }

/// `label`: of each chain, 0 to K - 1.
inline double rhat_nested_of(const Chains& x, const std::vector<std::size_t>& label, std::size_t K) {
  const Eigen::ArrayXd chain_mean = means(x);
  const Eigen::ArrayXd chain_variance = x.rows() > 1 ? variances(x) : Eigen::ArrayXd(Eigen::ArrayXd::Zero(x.cols()));
  Eigen::ArrayXd B(K), W(K);
  for (std::size_t k = 0; k < K; ++k) {
    Chain of_mean, of_variance;
    for (std::size_t c = 0; c < label.size(); ++c) {
      if (label[c] != k) continue;
      of_mean.push_back(chain_mean(Eigen::Index(c)));
      of_variance.push_back(chain_variance(Eigen::Index(c)));
    }
    B(Eigen::Index(k)) = mean(of_mean);
    W(Eigen::Index(k)) = (of_mean.size() > 1 ? variance(of_mean) : 0) + mean(of_variance);
  }
  return std::sqrt(1 + variance(B) / W.mean());
}
/// That of a run's summary: of ranks, chain c in superchain c mod K, whose halves are two.
inline double rhat_nested(const Chains& x, std::size_t K) {
  std::vector<std::size_t> label;
  for (std::size_t half = 0; half < 2; ++half)
    for (std::size_t c = 0; c < std::size_t(x.cols()); ++c) label.push_back(half * K + c % K);
  return std::max(rhat_nested_of(rank_normalise(split(x)), label, 2 * K),
                  rhat_nested_of(rank_normalise(split(fold(x))), label, 2 * K));
}

/// At the lag `t`, divisor n, averaged over the chains.
inline double autocovariance(const Chains& x, Eigen::Index t) {
  const Chains centred = x.rowwise() - x.colwise().mean();
  return (centred.topRows(x.rows() - t) * centred.bottomRows(x.rows() - t)).sum() / double(x.size());
}

inline double ess_of(const Chains& x) {
  const Eigen::Index n = x.rows();
  const Chains centred = x.rowwise() - x.colwise().mean();
  const auto covariance = [&](Eigen::Index t) {
    return (centred.topRows(n - t) * centred.bottomRows(n - t)).sum() / double(x.size());
  };
  const double mean_var = covariance(0) * double(n) / double(n - 1);
  const double var_plus = covariance(0) + (x.cols() > 1 ? variance(means(x)) : 0);
  const auto rho_at = [&](Eigen::Index t) { return 1 - (mean_var - covariance(t)) / var_plus; };

  Eigen::ArrayXd rho = Eigen::ArrayXd::Zero(n + 2);
  double even = rho(0) = 1;
  double odd = rho(1) = rho_at(1);
  Eigen::Index t = 0;
  while (t + 5 < n && even + odd > 0) {
    t += 2;
    even = rho_at(t);
    odd = rho_at(t + 1);
    if (even + odd >= 0) {
      rho(t) = even;
      rho(t + 1) = odd;
    }
  }
  if (even > 0) rho(t) = even;
  for (Eigen::Index k = 2; k + 2 <= t; k += 2) {
    if (rho(k) + rho(k + 1) > rho(k - 2) + rho(k - 1)) rho(k) = rho(k + 1) = (rho(k - 2) + rho(k - 1)) / 2;
  }
  double tau = -1 + 2 * rho.head(t).sum() + rho(t) + (t == 0 ? 2 : 0);  // R's sum(rho[1:0]) is rho[1]
  const auto S = double(x.size());
  return S / std::max(tau, 1 / std::log10(S));
}

inline double ess_bulk(const Chains& x) { return ess_of(rank_normalise(split(x))); }
inline double ess_mean(const Chains& x) { return ess_of(split(x)); }
inline double ess_sd(const Chains& x) { return ess_of(split((x - x.mean()).square())); }
inline double ess_quantile(const Chains& x, double p) {
  if (p == 1) p = (double(x.size()) - 0.5) / double(x.size());  // as posterior
  const double q = quantile(x, p);
  const Chains indicator = split((x <= q).cast<double>());
  return indicator.maxCoeff() > indicator.minCoeff() ? ess_of(indicator) : nan;
}
inline double ess_tail(const Chains& x) {
  const double low = ess_quantile(x, 0.05), high = ess_quantile(x, 0.95);
  return std::isnan(low + high) ? nan : std::min(low, high);
}

inline double sd(const Chains& x) { return std::sqrt(variance(flatten(x))); }
inline double mcse_mean(const Chains& x) { return sd(x) / std::sqrt(ess_mean(x)); }
inline double mcse_sd(const Chains& x) {
  const Chains d = x - x.mean();
  const double m2 = d.square().mean(), m4 = d.square().square().mean();
  return std::sqrt((m4 - m2 * m2) / ess_sd(x) / m2 / 4);
}

/// The x below which Beta(a, b), a and b at least 1, has `probability`: Simpson's rule about the mean, and bisection.
inline double beta_quantile(double probability, double a, double b) {
  const double centre = a / (a + b), sd = std::sqrt(a * b / (a + b + 1)) / (a + b);
  const double from = std::max(0.0, centre - 40 * sd), to = std::min(1.0, centre + 40 * sd);
  const double mode = a + b > 2 ? (a - 1) / (a + b - 2) : 0.5;
  const auto density = [&](double x) {  // over that at the mode
    const double left = a > 1 ? (a - 1) * std::log(x / mode) : 0;
    const double right = b > 1 ? (b - 1) * std::log((1 - x) / (1 - mode)) : 0;
    return std::exp(left + right);
  };
  const auto integral = [&](double end) {
    constexpr int steps = 4000;
    const double h = (end - from) / steps;
    double sum = density(from) + density(end);
    for (int k = 1; k < steps; ++k) sum += (k % 2 == 0 ? 2 : 4) * density(from + k * h);
    return sum * h / 3;
  };
  const double whole = integral(to);
  double low = from, high = to;
  for (int k = 0; k < 50; ++k) {
    const double middle = (low + high) / 2;
    (integral(middle) < probability * whole ? low : high) = middle;
  }
  return (low + high) / 2;
}
inline double mcse_quantile(const Chains& x, double p) {
  const double e = ess_quantile(x, p), S = double(x.size());
  if (std::isnan(e)) return nan;
  Chain sorted = flatten(x);
  std::sort(sorted.begin(), sorted.end());
  const double low = std::max(std::floor(beta_quantile(0.1586553, e * p + 1, e * (1 - p) + 1) * S), 1.0);
  const double high = std::min(std::ceil(beta_quantile(0.8413447, e * p + 1, e * (1 - p) + 1) * S), S);
  return (sorted[std::size_t(high) - 1] - sorted[std::size_t(low) - 1]) / 2;
}

}  // namespace reference
