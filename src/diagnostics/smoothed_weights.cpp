#include "diagnostics/smoothed_weights.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/nan.hpp"
#include "diagnostics/tails.hpp"

namespace manychain::diagnostics {

double smooth_weights(std::vector<double>& log_weights) {
  const std::size_t all = log_weights.size();
  const auto n = static_cast<double>(all);
  const auto tail = static_cast<std::size_t>(std::ceil(std::min(0.2 * n, 3 * std::sqrt(n))));
  if (all == 0) return nan;
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  if (!std::isfinite(largest)) return nan;
  for (double& x : log_weights) x -= largest;
  if (tail < 5) return nan;
  std::vector<std::size_t> order(all);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto first = order.end() - static_cast<std::ptrdiff_t>(tail);
  const auto less = [&](std::size_t a, std::size_t b) { return log_weights[a] < log_weights[b]; };
  std::nth_element(order.begin(), first - 1, order.end(), less);
  std::sort(first, order.end(), less);
  const double cutoff = std::exp(log_weights[*(first - 1)]);
  std::vector<double> excesses;
  for (auto k = first; k != order.end(); ++k) excesses.push_back(std::exp(log_weights[*k]) - cutoff);
  const auto quartile = static_cast<std::size_t>(static_cast<double>(tail) / 4 + 0.5) - 1;
  const ParetoFit fit = pareto_fit(excesses.data(), tail, excesses[quartile], excesses.back());
  if (!std::isfinite(fit.shape)) return nan;
  for (std::size_t k = 0; k < tail; ++k) {
    const double p = (static_cast<double>(k) + 0.5) / static_cast<double>(tail);
    const double rest = -std::log1p(-p);
    const double excess =
        std::fabs(fit.shape) < 1e-12 ? fit.scale * rest : fit.scale * std::expm1(fit.shape * rest) / fit.shape;
    log_weights[order[all - tail + k]] = std::min(std::log(cutoff + excess), 0.0);
  }
  return fit.shape;
}

}  // namespace manychain::diagnostics
