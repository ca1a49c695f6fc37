#include "report/prediction_intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "diagnostics/sorted_draws.hpp"
#include "report/sections.hpp"
#include "report/svg.hpp"

namespace manychain::report {
namespace {

using io::Prediction;

constexpr std::size_t small_vector = 20;    // has room in a picture of ordinary width
constexpr std::size_t most_in_a_row = 40;   // of a picture of that width
constexpr std::size_t most_in_bands = 400;  // more would lie upon each other
constexpr double broad = 660;

Interval interval_of(const double* draws, std::size_t count, std::size_t& lost) {
  std::vector<double> values;
  values.reserve(count);
  std::copy_if(draws, draws + count, std::back_inserter(values), [](double x) { return std::isfinite(x); });
  lost += count - values.size();
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto quantile = [&](double p) {
    return diagnostics::quantile_of(values.size(), p, [&](std::size_t k) { return values[k]; });
  };
  return {quantile(0.01), quantile(0.05), quantile(0.25), quantile(0.5),
          quantile(0.75), quantile(0.95), quantile(0.99)};
}

Scale scale_of(const Range& range) {
  const double air = range.high > range.low ? 0.05 * (range.high - range.low) : 1;
  return {range.low - air, range.high + air};
}

/// Elements [first, last), each as lines.
std::string lines(const Prediction& one, const std::vector<Interval>& intervals, std::size_t first, std::size_t last,
                  const Scale& scale, double width) {
  Picture picture(fmt::format("The 50 and 90 % intervals of predictions {} of elements {} to {}, and the observed {}",
                              one.name, first + 1, last, one.of),
                  width);
  picture.set_scales({double(first) + 0.5, double(last) + 0.5}, scale);
  picture.y_axis("value");
  std::vector<Picture::Upright> ninety, fifty;
  for (std::size_t e = first; e < last; ++e) {
    ninety.push_back({double(e + 1), intervals[e].low, intervals[e].high});
    fifty.push_back({double(e + 1), intervals[e].lower, intervals[e].upper});
  }
  picture.uprights("ninety", ninety);
  picture.uprights("fifty", fifty);
  const double radius = std::clamp(0.35 * (width - 60) / double(last - first), 1.8, 3.5);
  for (std::size_t e = first; e < last; ++e)
    if (std::isfinite(one.observed[e]))
      picture.dot(intervals[e].contains(one.observed[e]) ? "seen" : "seen outside", double(e + 1), one.observed[e],
                  radius);
  picture.x_axis("element", true);
  return picture.svg();
}

/// Every `step`-th of the elements in `order`, as bands.
std::string bands(const Prediction& one, const std::vector<Interval>& intervals, const std::vector<std::size_t>& order,
                  std::size_t step, const Scale& scale, double width) {
  Picture picture(fmt::format("The 50 and 90 % intervals of predictions {} of {} elements, by their medians, and the "
                              "observed {}",
                              one.name, order.size(), one.of),
                  width);
  picture.set_scales({1, double(order.size())}, scale);
  picture.y_axis("value");
  Picture::Points low, lower, upper, high, inside, outside;
  for (std::size_t i = 0; i < order.size(); i += step) {
    const Interval& interval = intervals[order[i]];
    const double at = double(i + 1), y = one.observed[order[i]];
    low.emplace_back(at, interval.low);
    lower.emplace_back(at, interval.lower);
    upper.emplace_back(at, interval.upper);
    high.emplace_back(at, interval.high);
    (interval.contains(y) ? inside : outside).emplace_back(at, y);
  }
  picture.band("band", low, high);
  picture.band("bar", lower, upper);
  picture.dots("data", inside);
  picture.dots("data far", outside);
  picture.x_axis("elements, by predicted median", true);
  return picture.svg();
}

/// Elements of which something is predicted.
std::vector<std::size_t> by_median(const std::vector<Interval>& intervals) {
  std::vector<std::size_t> order;
  for (std::size_t e = 0; e < intervals.size(); ++e)
    if (std::isfinite(intervals[e].median)) order.push_back(e);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return intervals[a].median < intervals[b].median; });
  return order;
}

}  // namespace

void Range::add(double x) {
  if (!std::isfinite(x)) return;
  low = std::min(low, x);
  high = std::max(high, x);
}

Range range_of(const Prediction& one, const std::vector<Interval>& intervals, double Interval::*low,
               double Interval::*high) {
  Range all, most;
  std::vector<double> lows, highs;
  for (std::size_t e = 0; e < intervals.size(); ++e) {
    for (const double x : {intervals[e].*low, intervals[e].*high, one.observed[e]}) all.add(x);
    most.add(one.observed[e]);
    if (!std::isfinite(intervals[e].low)) continue;
    lows.push_back(intervals[e].*low);
    highs.push_back(intervals[e].*high);
  }
  if (lows.size() < many_elements) return all;
  std::sort(lows.begin(), lows.end());
  std::sort(highs.begin(), highs.end());
  const std::size_t tenth = std::max<std::size_t>(1, lows.size() / 10);
  most.add(lows[tenth]);
  most.add(highs[highs.size() - 1 - tenth]);
  const double room = 0.5 * (most.high - most.low);
  return {std::max(all.low, most.low - room), std::min(all.high, most.high + room)};
}

std::vector<Interval> intervals_of(const Prediction& one, std::size_t& lost) {
  const std::size_t draws = one.chains * one.draws;
  std::vector<Interval> intervals;
  for (std::size_t e = 0; e < one.elements.size(); ++e)
    intervals.push_back(interval_of(one.values.get() + e * draws, draws, lost));
  return intervals;
}

std::string interval_figures(const Prediction& one, const std::vector<Interval>& intervals) {
  const std::size_t count = intervals.size();
  const Range range = range_of(one, intervals, &Interval::low, &Interval::high);
  if (!range.usable()) return "";
  const Scale scale = scale_of(range);
  std::string caption = "Intervals of predictions, and data";
  if (std::any_of(intervals.begin(), intervals.end(),
                  [&](const Interval& i) { return i.low < range.low || i.high > range.high; }))
    caption += "; some intervals leave the picture";
  if (count > most_lines) {
    const std::vector<std::size_t> order = by_median(intervals);
    if (order.size() < 2) return "";
    const std::size_t step = (order.size() + most_in_bands - 1) / most_in_bands;
    if (step > 1) caption += fmt::format("; one in {} elements is shown", step);
    return figure(caption, bands(one, intervals, order, step, scale, broad), "broad") +
           figure(caption, bands(one, intervals, order, step, scale, 320), "narrow");
  }
  if (count <= small_vector) return figure(caption, lines(one, intervals, 0, count, scale, 320));
  const std::size_t rows = (count + most_in_a_row - 1) / most_in_a_row;
  std::string narrow;
  for (std::size_t row = 0; row < rows; ++row)
    narrow += lines(one, intervals, row * count / rows, (row + 1) * count / rows, scale, 320);
  return figure(caption, lines(one, intervals, 0, count, scale, broad), "broad") + figure(caption, narrow, "narrow");
}

std::string observed_outside(const Prediction& one, const std::vector<Interval>& intervals) {
  constexpr std::size_t most_named = 5;
  std::vector<std::pair<double, std::size_t>> outside;
  for (std::size_t e = 0; e < intervals.size(); ++e) {
    const Interval& i = intervals[e];
    const double y = one.observed[e];
    if (!std::isfinite(y) || !std::isfinite(i.low) || i.contains(y)) continue;
    const double distance = std::max(y - i.high, i.low - y);
    outside.emplace_back(i.high > i.low ? -distance / (i.high - i.low) : -INFINITY, e);
  }
  std::sort(outside.begin(), outside.end());
  std::string names;
  for (std::size_t k = 0; k < std::min(outside.size(), most_named); ++k)
    names += (k > 0 ? ", " : one.of) + one.elements[outside[k].second].substr(one.name.size());
  if (outside.size() > most_named) names += fmt::format(" and {} more", outside.size() - most_named);
  return names;
}

}  // namespace manychain::report
