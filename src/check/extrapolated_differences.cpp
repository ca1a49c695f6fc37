#include "check/extrapolated_differences.hpp"

#include <algorithm>
#include <limits>

namespace manychain::differences {

Residual extrapolated(const Differences& differences, double value_scale) {
  // No structured binding: clang 14 does not let lambdas capture one.
  const std::array<double, steps>&residuals = differences.residuals, &bends = differences.bends;
  // Rounding: what the log density carries at least, or what the last differences scatter by, which at steps so small
  // have hardly any truncation left.
  const auto step = [](std::size_t j) { return widest * std::pow(shrink, -static_cast<double>(j)); };
  std::array<double, 3> scatter{};
  for (std::size_t k = 0; k < scatter.size(); ++k) {
    const std::size_t j = steps - scatter.size() + k;
    scatter[k] = std::fabs(residuals[j] - residuals[j - 1]) * step(j);
  }
  std::sort(scatter.begin(), scatter.end());
  const double least = 4 * std::numeric_limits<double>::epsilon() * value_scale;
  const double rounding = std::isfinite(scatter[1]) ? std::max(least, scatter[1]) : least;

  // A kink nearer than the step, which no extrapolation takes away: what is left of the bends when their terms in h and
  // h^3 are eliminated, beyond rounding.
  const auto kink = [&](std::size_t j) {
    if (j < 2) return HUGE_VAL;
    const auto without_h = [&](std::size_t k) { return (shrink * bends[k] - bends[k - 1]) / (shrink - 1); };
    constexpr double cube = shrink * shrink * shrink;
    const double left = (cube * without_h(j) - without_h(j - 1)) / (cube - 1);
    return std::isfinite(left) ? std::max(0.0, std::fabs(left) - 10 * least / step(j)) : HUGE_VAL;
  };

  Residual best;
  std::array<double, steps> before{}, row{};  // of Neville's scheme: [order]
  for (std::size_t j = 0; j < steps; ++j) {
    row[0] = residuals[j];
    double factor = 1;
    for (std::size_t order = 1; order <= j; ++order) {
      factor *= shrink * shrink;
      row[order] = row[order - 1] + (row[order - 1] - before[order - 1]) / (factor - 1);
      const double error = std::max(std::fabs(row[order] - row[order - 1]), std::fabs(row[order] - before[order - 1])) +
                           rounding / step(j) + kink(j);
      if (error < best.error) best = {row[order], error};  // false where a point left the support
    }
    before = row;
  }
  return best;
}

}  // namespace manychain::differences
