// Intervals of what is predicted of each element of a vector, beside what was observed: one picture for all of them.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "io/predictions.hpp"

namespace manychain::report {

/// Quantiles of what is predicted of one element; of no finite prediction all are NaN.
struct Interval {
  double lowest = NAN, low = NAN, lower = NAN;  // 1, 5 and 25 %
  double median = NAN;
  double upper = NAN, high = NAN, highest = NAN;  // 75, 95 and 99 %

  bool contains(double x) const { return x >= low && x <= high; }
};

/// One per element; adds to `lost` how many predictions are not finite.
std::vector<Interval> intervals_of(const io::Prediction& one, std::size_t& lost);

/// Numbers from `low` to `high`; without any of them `low` is the larger.
struct Range {
  double low = INFINITY, high = -INFINITY;

  void add(double x);
  bool usable() const { return low <= high && std::isfinite(high - low); }
};

/// All that was observed, and all intervals between those two quantiles but for a tenth of them at most: such as would
/// leave the others no room are cut.
Range range_of(const io::Prediction& one, const std::vector<Interval>& intervals, double Interval::*low,
               double Interval::*high);

/// Vectors above this length have bands instead of a line for each element, and their order is that of the medians.
constexpr std::size_t most_lines = 120;

/// The picture, as HTML; of a vector that a narrow window has no room for a second one, of which the style sheet shows
/// one. Empty where no number is finite.
std::string interval_figures(const io::Prediction& one, const std::vector<Interval>& intervals);

/// "y[3], [17] and 4 more": what was observed outside the 5 to 95 % interval, the farthest first; empty if nothing
/// was.
std::string observed_outside(const io::Prediction& one, const std::vector<Interval>& intervals);

}  // namespace manychain::report
