#include "diagnostics/weights.hpp"

#include <algorithm>
#include <cmath>

#include "diagnostics/tails.hpp"

namespace manychain::diagnostics {

WeightQuality weight_quality(std::vector<double>& log_weights) {
  WeightQuality found;
  const std::size_t count = log_weights.size();
  if (count == 0) return found;
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  double sum = 0, squares = 0;
  for (double& w : log_weights) {
    w = std::exp(w - largest);  // NaN if one is, or if all are zero
    sum += w;
    squares += w * w;
  }
  if (!std::isfinite(sum)) return found;
  found.ess = sum * sum / squares;
  const double all = static_cast<double>(count);
  const auto length = static_cast<std::size_t>(std::ceil(std::min(all / 5, 3 * std::sqrt(all))));
  if (length < 5 || length >= count) return found;
  const auto first = log_weights.end() - static_cast<std::ptrdiff_t>(length);
  std::nth_element(log_weights.begin(), first - 1, log_weights.end());
  const double threshold = *(first - 1);
  if (!(threshold > 0)) return found;
  std::sort(first, log_weights.end());
  for (auto w = first; w != log_weights.end(); ++w) *w -= threshold;
  const auto quartile = static_cast<std::ptrdiff_t>(static_cast<double>(length) / 4 + 0.5) - 1;
  found.khat = pareto_shape(&*first, length, *(first + quartile), log_weights.back());
  return found;
}

double most_khat_of_weights(std::size_t count) {
  return std::min(1 - 1 / std::log10(std::max<double>(static_cast<double>(count), 2)), 0.7);
}

}  // namespace manychain::diagnostics
