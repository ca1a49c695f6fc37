#include "check/wrong_gradient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace manychain {
namespace {

using Numbers = std::vector<double>;

constexpr std::size_t lines_of_point = 2, fewest_lines = 3;
constexpr double step = 1e-4, shorter_step = 0.25 * step;  // in units of the scales
// Differences of a density that rounds may be one unit and four, in the ratio of a smooth one. They are
// off by a quarter of the derivative at most, which `off` passes: the terms of a right gradient are as large again.
constexpr double same = 0.01, off = 0.15;

/// Lines see each component: sizes are 0.5 to 1, and signs change from line to line.
double direction(std::size_t line, std::size_t i) {
  constexpr double golden_angle = 2.399963229728653;
  const double x = 0.5 * std::cos(golden_angle * static_cast<double>((line + 1) * (i + 1)));
  return x + std::copysign(0.5, x);
}

}  // namespace

std::string wrong_gradient(const DensityEvaluator& density, const Numbers& points, const Numbers& scales) {
  const std::size_t d = scales.size(), count = d > 0 ? points.size() / d : 0;
  if (count == 0) return "";
  Numbers values(count), gradients(points.size()), ends;
  density(points.data(), count, values.data(), gradients.data());
  const double steps[] = {step, -step, shorter_step, -shorter_step};
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t line = 0; line < lines_of_point; ++line)
      for (const double distance : steps)
        for (std::size_t i = 0; i < d; ++i)
          ends.push_back(points[k * d + i] + distance * scales[i] * direction(line, i));
  Numbers at_ends(ends.size() / d);
  density(ends.data(), at_ends.size(), at_ends.data(), nullptr);

  std::size_t compared = 0, wrong = 0;
  double largest = -1, by_gradient = 0, by_differences = 0;
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t line = 0; line < lines_of_point; ++line) {
      const double* const at = at_ends.data() + (k * lines_of_point + line) * std::size(steps);
      const double longer = (at[0] - at[1]) / (2 * step), shorter = (at[2] - at[3]) / (2 * shorter_step);
      if (longer == 0 || !(std::fabs(longer - shorter) <= same * std::fabs(longer))) continue;
      double sum = 0, terms = std::fabs(shorter);
      for (std::size_t i = 0; i < d; ++i) {
        const double term = gradients[k * d + i] * scales[i] * direction(line, i);
        sum += term, terms += std::fabs(term);
      }
      ++compared;
      if (std::fabs(sum - shorter) <= off * terms) continue;
      ++wrong;
      const double fault = std::isfinite(sum) ? std::fabs(sum - shorter) : HUGE_VAL;
      if (fault > largest) largest = fault, by_gradient = sum, by_differences = shorter;
    }
  if (compared < fewest_lines || 2 * wrong <= compared) return "";
  return fmt::format("{:.3g} by the gradient and {:.3g} by differences of the density ({} of {} lines)", by_gradient,
                     by_differences, wrong, compared);
}

}  // namespace manychain
