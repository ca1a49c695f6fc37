#include "manychain/montecarlo/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/inverse_normal_cdf.hpp"
#include "manychain/core/error.hpp"

namespace manychain::montecarlo {

double normal_quantile(double p) {
  if (!(p >= 0 && p <= 1)) throw BadInput(fmt::format("normal quantile: {} is not a probability", p));
  if (p == 0 || p == 1) return p == 0 ? -HUGE_VAL : HUGE_VAL;
  return inverse_normal_cdf(p - 0.5, std::min(p, 1 - p));
}

Estimate mean_estimate(std::span<const double> values, double level) {
  if (!(level > 0 && level < 1)) {
    throw BadInput(fmt::format("mean estimate: level {} is not allowed; it must be inside (0, 1)", level));
  }
  if (values.empty()) throw BadInput("mean estimate: there is no value");
  double mean = 0, squares = 0;  // Welford (1962)
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw BadInput(fmt::format("mean estimate: values[{}] is {}; its mean would be none", i, values[i]));
    }
    const double delta = values[i] - mean;
    mean += delta / static_cast<double>(i + 1);
    squares += delta * (values[i] - mean);
  }
  const auto n = static_cast<double>(values.size());
  Estimate estimate;
  estimate.draws = values.size();
  estimate.value = mean;
  estimate.sd = n > 1 ? std::sqrt(squares / (n - 1)) : std::numeric_limits<double>::quiet_NaN();
  estimate.standard_error = estimate.sd / std::sqrt(n);
  estimate.level = level;
  // By the lower tail: near a level of one, (1 + level) / 2 would be rounded to one.
  const double half = -normal_quantile((1 - level) / 2) * estimate.standard_error;
  estimate.lower = mean - half;
  estimate.upper = mean + half;
  return estimate;
}

Estimate mean_estimate(std::span<const double> draws, const std::function<double(double)>& integrand, double level) {
  std::vector<double> values(draws.size());
  std::transform(draws.begin(), draws.end(), values.begin(), integrand);
  return mean_estimate(values, level);
}

}  // namespace manychain::montecarlo
