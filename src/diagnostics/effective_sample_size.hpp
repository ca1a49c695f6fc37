// R-hat and the effective sample size of an array of chains, finished from pooled moments and autocovariances.
// Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021), equations (1) to (4), (10) and (11); Geyer (1992) for the
// truncation. Step for step what the R package posterior computes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace manychain::diagnostics {

/// Moments of an array of chains of equal length.
struct ArrayMoments {
  double chains = 0;
  std::size_t draws = 0;
  double variance_of_means = 0;  ///< of the chains' means, divisor chains - 1
  double autocovariance_0 = 0;   ///< mean over chains of their variance with divisor `draws`
};

/// sqrt((B / W + n - 1) / n). Infinite when no chain moves and yet they differ; NaN when nothing differs.
inline double potential_scale_reduction(const ArrayMoments& m) {
  const auto n = static_cast<double>(m.draws);
  const double within = m.autocovariance_0 * n / (n - 1);
  return std::sqrt((n * m.variance_of_means / within + n - 1) / n);
}

/// `mean_autocovariance(t)` gives the autocovariance at lag t (divisor n), averaged over the chains; lags are asked for
/// in increasing order, and only as far as Geyer's initial positive sequence goes.
template <class Autocovariance>
double effective_sample_size(const ArrayMoments& m, Autocovariance&& mean_autocovariance) {
  const std::size_t n = m.draws;
  if (n < 3) return std::numeric_limits<double>::quiet_NaN();
  const double mean_var = m.autocovariance_0 * static_cast<double>(n) / static_cast<double>(n - 1);
  const double var_plus = m.autocovariance_0 + m.variance_of_means;
  if (!(var_plus > 0)) return std::numeric_limits<double>::quiet_NaN();
  const auto rho_at = [&](std::size_t t) { return 1 - (mean_var - mean_autocovariance(t)) / var_plus; };

  std::vector<double> rho = {1, rho_at(1)};
  double even = rho[0];
  double odd = rho[1];
  std::size_t t = 0;
  while (t + 5 < n && even + odd > 0) {
    t += 2;
    even = rho_at(t);
    odd = rho_at(t + 1);
    const bool keep = even + odd >= 0;
    rho.push_back(keep ? even : 0);
    rho.push_back(keep ? odd : 0);
  }
  const std::size_t last = t;
  if (even > 0) rho[last] = even;  // lowers the variance of the estimate for antithetic chains

  for (std::size_t k = 2; k + 2 <= last; k += 2) {  // Geyer's initial monotone sequence
    const double previous = rho[k - 2] + rho[k - 1];
    if (rho[k] + rho[k + 1] > previous) rho[k] = rho[k + 1] = previous / 2;
  }
  // Halves of three to five draws leave no pair to look at. posterior then counts rho_0 twice (tau = 2), on the safe
  // side of the formula, whose empty sum would claim S log10(S).
  double sum = last == 0 ? 1 : 0;
  for (std::size_t k = 0; k < last; ++k) sum += rho[k];
  const double S = m.chains * static_cast<double>(n);
  const double tau = std::max(-1 + 2 * sum + rho[last], 1 / std::log10(S));
  return S / tau;
}

}  // namespace manychain::diagnostics
