#include "starts/line_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace manychain {
namespace {

constexpr double decrease = 1e-4;    ///< of the value, relative to what the slope at the start promises
constexpr double flatter = 0.9;      ///< the slope that is left, relative to that at the start
constexpr double rounding = 1e-13;   ///< of the value, relative
constexpr double most_growth = 100;  ///< of the step from one trial to the next
constexpr double least_growth = 2;
constexpr double nearest = 1e-3;  ///< a trial within a bracket keeps this fraction of its width from the lower end
constexpr double farthest = 0.9;
constexpr double near_edge = 0.1;       ///< of the support: what is left of the step, relative, when the search ends
constexpr double out_of_support = 0.1;  ///< of the way to a step that left the support

bool finite(const LinePoint& p) { return std::isfinite(p.value) && std::isfinite(p.slope); }

/// The minimiser of the cubic through two points with a < b and a falling at a; NaN where there is none.
double cubic_minimiser(const LinePoint& a, const LinePoint& b) {
  const double width = b.step - a.step;
  const double d1 = a.slope + b.slope - 3 * (b.value - a.value) / width;
  const double d2 = std::sqrt(d1 * d1 - a.slope * b.slope);
  return b.step - width * (b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2);
}
/// The zero of the slope under linear interpolation: exact for a quadratic, and reliable where values are rounded.
double secant(const LinePoint& a, const LinePoint& b) {
  return a.step - a.slope * (b.step - a.step) / (b.slope - a.slope);
}

/// The next trial where no upper end is known.
double beyond(const LinePoint& before, const LinePoint& low) {
  const double guess = low.slope > before.slope ? secant(before, low) : most_growth * low.step;
  return std::isfinite(guess) ? std::clamp(guess, least_growth * low.step, most_growth * low.step)
                              : most_growth * low.step;
}
double between(const LinePoint& low, const LinePoint& high, double noise, bool halve) {
  const double width = high.step - low.step;
  if (!finite(high)) return low.step + out_of_support * width;
  if (halve) return low.step + 0.5 * width;
  const bool rounded = std::fabs(high.value - low.value) <= 10 * noise;
  double guess = rounded && high.slope > 0 ? secant(low, high) : cubic_minimiser(low, high);
  if (!std::isfinite(guess)) guess = high.slope > 0 ? secant(low, high) : low.step + 0.5 * width;
  if (!std::isfinite(guess)) guess = low.step + 0.5 * width;
  return std::clamp(guess, low.step + nearest * width, low.step + farthest * width);
}

}  // namespace

LineResult search_line(const std::function<LinePoint(double)>& evaluate, LinePoint start, double first,
                       std::size_t max_evaluations) {
  const double noise = rounding * std::fabs(start.value);
  LinePoint before = start, low = start, high;
  bool bracketed = false;
  double trial = first, width = HUGE_VAL;
  std::size_t slow = 0;
  for (std::size_t k = 0; k < max_evaluations; ++k) {
    const LinePoint p = evaluate(trial);
    if (finite(p)) {
      const bool lower = p.value <= start.value + decrease * trial * start.slope;
      const bool hidden = p.value <= start.value + noise && p.slope <= (2 * decrease - 1) * start.slope;
      if (lower && std::fabs(p.slope) <= -flatter * start.slope) return {p, true, false};
      if (hidden && p.slope >= flatter * start.slope) return {p, true, false};
      const bool too_high = !lower && p.value > start.value + noise;
      if (too_high || p.value > low.value + noise || p.slope >= 0) {
        high = p;
        bracketed = true;
      } else {
        before = low;
        low = p;
      }
    } else {
      high = p;
      high.step = trial;
      bracketed = true;
    }
    if (bracketed) {
      const double now = high.step - low.step;
      if (now <= 4 * std::numeric_limits<double>::epsilon() * high.step) break;
      if (!finite(high) && now <= near_edge * low.step) break;
      slow = now > 0.5 * width ? slow + 1 : 0;
      width = now;
      trial = between(low, high, noise, slow >= 2);
      if (slow >= 2) slow = 0;
    } else {
      trial = beyond(before, low);
      if (!std::isfinite(trial)) break;
    }
  }
  // The upper end of the bracket may be the lower point: its slope is positive.
  const bool upper = bracketed && finite(high) && high.value < low.value;
  const LinePoint& best = upper ? high : low;
  return {best, false, !bracketed};
}

DensityPoint step_along(const std::function<DensityPoint(const Eigen::VectorXd&)>& function, const DensityPoint& start,
                        const Eigen::VectorXd& direction, LineResult& result) {
  DensityPoint best = start, last;
  result = search_line(
      [&](double t) {
        last = function(start.x + t * direction);
        if (last.finite() && last.value <= best.value) best = last;
        return LinePoint{t, last.value, last.gradient.dot(direction)};
      },
      {0, start.value, start.gradient.dot(direction)}, 1);
  return result.wolfe ? last : best;  // an accepted point is the last one that was looked at
}

}  // namespace manychain
