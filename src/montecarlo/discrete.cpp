#include "manychain/montecarlo/discrete.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "manychain/core/error.hpp"

namespace manychain::montecarlo {

DiscreteInverseCdf::DiscreteInverseCdf(std::span<const double> probabilities) {
  if (probabilities.empty()) throw BadInput("probabilities: there are none");
  double sum = 0, lost = 0;  // Kahan (1965)
  std::size_t last = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double p = probabilities[i];
    if (!std::isfinite(p) || p < 0) {
      throw BadInput(fmt::format("probabilities[{}] is {}; it must be finite and not negative", i, p));
    }
    if (p > 0) last = i;
    const double term = p - lost, next = sum + term;
    lost = next - sum - term;
    sum = next;
    cdf_.push_back(sum);
  }
  if (!(std::fabs(sum - 1) <= tolerance)) throw BadInput(fmt::format("probabilities: the sum is {}, not 1", sum));
  for (double& c : cdf_) c = std::min(c / sum, 1.0);
  // Compensated sums may fall back by a rounding error, or end just below one.
  for (std::size_t i = 1; i < cdf_.size(); ++i) cdf_[i] = i >= last ? 1 : std::max(cdf_[i], cdf_[i - 1]);
  if (last == 0) cdf_[0] = 1;
}

std::size_t DiscreteInverseCdf::index(double u) const {
  if (!(u >= 0 && u <= 1)) throw BadInput(fmt::format("index: {} is not allowed; it must be inside [0, 1]", u));
  // The table does not rise at an entry of zero, so that its index is never the first. At u = 0 the first entry that
  // rises counts.
  const auto at = u > 0 ? std::lower_bound(cdf_.begin(), cdf_.end(), u) : std::upper_bound(cdf_.begin(), cdf_.end(), u);
  return static_cast<std::size_t>(at - cdf_.begin());
}

}  // namespace manychain::montecarlo
