// A plain reference for the diagnostics: simple loops in double (long double where a mean is taken), written from the
// definitions and independently of the library. Slow, and meant to be read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace reference {

using Chain = std::vector<double>;
using Chains = std::vector<Chain>;

inline double mean(const Chain& x) {
  long double sum = 0;
  for (double v : x) sum += v;
  return static_cast<double>(sum / static_cast<long double>(x.size()));
}

inline double variance(const Chain& x) {
  const double m = mean(x);
  long double sum = 0;
  for (double v : x) sum += (v - m) * (v - m);
  return static_cast<double>(sum / static_cast<long double>(x.size() - 1));
}

inline Chain flatten(const Chains& chains) {
  Chain all;
  for (const Chain& c : chains) all.insert(all.end(), c.begin(), c.end());
  return all;
}

inline Chains split(const Chains& chains) {
  Chains halves;
  for (const Chain& c : chains) {
    const auto half = static_cast<std::ptrdiff_t>(c.size() / 2);
    halves.emplace_back(c.begin(), c.begin() + half);
    halves.emplace_back(c.end() - half, c.end());
  }
  return halves;
}

/// Type 7.
inline double quantile(Chain x, double p) {
  std::sort(x.begin(), x.end());
  const double h = p * static_cast<double>(x.size() - 1);
  const auto low = static_cast<std::size_t>(std::floor(h));
  const std::size_t high = std::min(low + 1, x.size() - 1);
  return x[low] + (h - std::floor(h)) * (x[high] - x[low]);
}

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

inline Chains rank_normalise(const Chains& chains) {
  Chain sorted = flatten(chains);
  std::sort(sorted.begin(), sorted.end());
  const auto S = static_cast<long double>(sorted.size());
  Chains scores = chains;
  for (Chain& chain : scores) {
    for (double& x : chain) {
      const auto [begin, end] = std::equal_range(sorted.begin(), sorted.end(), x);
      const auto first = static_cast<long double>(begin - sorted.begin() + 1);
      const auto last = static_cast<long double>(end - sorted.begin());
      x = inverse_phi(((first + last) / 2 - 0.375L) / (S + 0.25L));
    }
  }
  return scores;
}

inline Chains fold(const Chains& chains) {
  const double median = quantile(flatten(chains), 0.5);
  Chains folded = chains;
  for (Chain& chain : folded) {
    for (double& x : chain) x = std::abs(x - median);
  }
  return folded;
}

inline double rhat_of(const Chains& chains) {
  const auto n = static_cast<double>(chains[0].size());
  Chain means, variances;
  for (const Chain& c : chains) {
    means.push_back(mean(c));
    variances.push_back(variance(c));
  }
  return std::sqrt((n * variance(means) / mean(variances) + n - 1) / n);
}

inline double rhat_bulk(const Chains& chains) { return rhat_of(rank_normalise(split(chains))); }
inline double rhat_folded(const Chains& chains) { return rhat_of(rank_normalise(split(fold(chains)))); }
inline double rhat(const Chains& chains) { return std::max(rhat_bulk(chains), rhat_folded(chains)); }

inline double ess_of(const Chains& chains) {
  const std::size_t n = chains[0].size();
  Chain means;
  for (const Chain& c : chains) means.push_back(mean(c));
  const auto autocovariance = [&](std::size_t lag) {
    long double sum = 0;
    for (std::size_t c = 0; c < chains.size(); ++c) {
      for (std::size_t t = 0; t + lag < n; ++t) sum += (chains[c][t] - means[c]) * (chains[c][t + lag] - means[c]);
    }
    return static_cast<double>(sum / static_cast<long double>(n * chains.size()));
  };
  const double mean_var = autocovariance(0) * static_cast<double>(n) / static_cast<double>(n - 1);
  const double var_plus = autocovariance(0) + (chains.size() > 1 ? variance(means) : 0);
  const auto rho_at = [&](std::size_t t) { return 1 - (mean_var - autocovariance(t)) / var_plus; };

  std::vector<double> rho(n + 2, 0.0);
  double even = rho[0] = 1;
  double odd = rho[1] = rho_at(1);
  std::size_t t = 0;
  while (t + 5 < n && even + odd > 0) {
    t += 2;
    even = rho_at(t);
    odd = rho_at(t + 1);
    if (even + odd >= 0) {
      rho[t] = even;
      rho[t + 1] = odd;
    }
  }
  if (even > 0) rho[t] = even;
  for (std::size_t k = 2; k + 2 <= t; k += 2) {
    if (rho[k] + rho[k + 1] > rho[k - 2] + rho[k - 1]) rho[k] = rho[k + 1] = (rho[k - 2] + rho[k - 1]) / 2;
  }
  double tau = -1 + rho[t] + (t == 0 ? 2 : 0);  // R's sum(rho[1:0]) is rho[1]
  for (std::size_t k = 0; k < t; ++k) tau += 2 * rho[k];
  const auto S = static_cast<double>(n * chains.size());
  return S / std::max(tau, 1 / std::log10(S));
}

inline double ess_bulk(const Chains& chains) { return ess_of(rank_normalise(split(chains))); }
inline double ess_mean(const Chains& chains) { return ess_of(split(chains)); }
inline double mcse_mean(const Chains& chains) { return std::sqrt(variance(flatten(chains)) / ess_mean(chains)); }

}  // namespace reference
