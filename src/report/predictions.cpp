// Posterior predictive checks (Gabry and others 2019, "Visualization in Bayesian workflow").
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnostics/sorted_draws.hpp"
#include "report/sections.hpp"
#include "report/svg.hpp"

namespace manychain::report {
namespace {

using io::Prediction;

constexpr std::size_t most_elements = 100;  // that have room beside each other

/// Quantiles of what is predicted of one element; of no finite prediction all are NaN.
struct Interval {
  double lowest = NAN, low = NAN, median = NAN, high = NAN, highest = NAN;  // 1, 5, 50, 95 and 99 %
};

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
  return {quantile(0.01), quantile(0.05), quantile(0.5), quantile(0.95), quantile(0.99)};
}

/// How many elements of a predicted data set lie in each bin: the 5, 50 and 95 % quantile over all draws.
struct CountBand {
  std::vector<double> low, median, high;
};

CountBand count_band(const Prediction& one, const Bins& bins) {
  const std::size_t elements = one.elements.size();
  // How often each count occurs, bin by bin: no data set is kept.
  std::vector<std::vector<std::size_t>> frequency(bins.count, std::vector<std::size_t>(elements + 1, 0));
  std::vector<std::uint32_t> counts;
  for (std::size_t c = 0; c < one.chains; ++c) {
    counts.assign(one.draws * bins.count, 0);
    for (std::size_t e = 0; e < elements; ++e) {
      const double* x = one.values.get() + (e * one.chains + c) * one.draws;
      for (std::size_t d = 0; d < one.draws; ++d)
        if (x[d] >= bins.low && x[d] <= bins.high()) ++counts[d * bins.count + bins.place(x[d])];
    }
    for (std::size_t d = 0; d < one.draws; ++d)
      for (std::size_t b = 0; b < bins.count; ++b) ++frequency[b][counts[d * bins.count + b]];
  }
  const double sets = double(one.chains) * double(one.draws);
  CountBand band;
  for (const auto& of_bin : frequency) {
    const auto quantile = [&](double p) {
      double sum = 0;
      for (std::size_t n = 0; n < of_bin.size(); ++n)
        if ((sum += double(of_bin[n])) >= p * sets) return double(n);
      return double(elements);
    };
    band.low.push_back(quantile(0.05));
    band.median.push_back(quantile(0.5));
    band.high.push_back(quantile(0.95));
  }
  return band;
}

bool all_whole(const Prediction& one) {
  const auto whole = [](double x) { return !std::isfinite(x) || (x == std::floor(x) && std::abs(x) < 0x1p53); };
  const double* const end = one.values.get() + one.elements.size() * one.chains * one.draws;
  return std::all_of(one.observed.begin(), one.observed.end(), whole) && std::all_of(one.values.get(), end, whole);
}

/// A histogram of the observed, and what predicted data sets have in the same bins.
std::string distribution(const Prediction& one, const std::vector<Interval>& intervals) {
  double low = INFINITY, high = -INFINITY;
  for (const Interval& i : intervals) {
    if (i.lowest < low) low = i.lowest;
    if (i.highest > high) high = i.highest;
  }
  for (const double x : one.observed) {
    if (!std::isfinite(x)) continue;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  if (!(low < high) || !std::isfinite(high - low)) return "";
  const double wanted = std::clamp(2 * std::sqrt(double(one.elements.size())), 6.0, 30.0);
  const Bins bins = bins_between(low, high, static_cast<std::size_t>(wanted), all_whole(one));
  const CountBand band = count_band(one, bins);
  std::vector<double> observed(bins.count, 0);
  for (const double x : one.observed)
    if (std::isfinite(x)) ++observed[bins.place(x)];
  const double most = std::max({1.0, *std::max_element(observed.begin(), observed.end()),
                                *std::max_element(band.high.begin(), band.high.end())});
  Picture picture(
      fmt::format("Histogram of the observed {}, and how many predictions {} fall into its bars", one.of, one.name));
  picture.set_scales({bins.low, bins.high()}, {0, 1.05 * most});
  picture.bars("observed", bins.low, bins.width, observed);
  for (std::size_t b = 0; b < bins.count; ++b) {
    const double at = bins.low + bins.width * (double(b) + 0.5);
    picture.segment("interval", at, band.low[b], at, band.high[b]);
    picture.dot("mean", at, band.median[b], 2.5);
  }
  picture.y_axis(true);
  picture.x_axis("", bins.whole);
  return picture.svg();
}

std::string element_by_element(const Prediction& one, const std::vector<Interval>& intervals) {
  const std::size_t count = std::min(intervals.size(), most_elements);
  double low = INFINITY, high = -INFINITY;
  for (std::size_t e = 0; e < count; ++e) {
    for (const double x : {intervals[e].low, intervals[e].high, one.observed[e]}) {
      if (!std::isfinite(x)) continue;
      low = std::min(low, x);
      high = std::max(high, x);
    }
  }
  if (!(low <= high) || !std::isfinite(high - low)) return "";
  const double air = high > low ? 0.05 * (high - low) : 1;
  Picture picture(fmt::format("5 to 95 % of the predictions {} of each element, and the observed {}", one.name, one.of),
                  660, 220);
  picture.set_frame({52, 8, 10, 24});
  picture.set_scales({0.5, double(count) + 0.5}, {low - air, high + air});
  for (std::size_t e = 0; e < count; ++e) {
    const Interval& i = intervals[e];
    const double at = double(e + 1), y = one.observed[e];
    if (std::isfinite(i.low)) {
      picture.segment("interval", at, i.low, at, i.high);
      picture.dot("mean", at, i.median, 2.5);
    }
    if (std::isfinite(y)) picture.dot(y >= i.low && y <= i.high ? "seen" : "seen outside", at, y);
  }
  picture.y_axis();
  picture.x_axis("element", true);
  return picture.svg();
}

std::string section_of(const Prediction& one) {
  const std::size_t draws = one.chains * one.draws;
  std::vector<Interval> intervals;
  std::size_t lost = 0, inside = 0, known = 0;
  for (std::size_t e = 0; e < one.elements.size(); ++e) {
    intervals.push_back(interval_of(one.values.get() + e * draws, draws, lost));
    known += std::isfinite(one.observed[e]);  // the others are missing values
    if (one.observed[e] >= intervals[e].low && one.observed[e] <= intervals[e].high) ++inside;
  }
  std::string html = fmt::format("<h3>{} and the observed {}</h3>\n", escaped(one.name), escaped(one.of));
  html += paragraph(fmt::format(
      "{} of {} observed values lie between the 5 and the 95 % quantile of their predictions.", inside, known));
  const std::string histogram = one.elements.size() > 1 ? distribution(one, intervals) : "";
  const std::string each = element_by_element(one, intervals);
  if (!(histogram + each).empty()) html += "<div class=\"pictures\">\n" + histogram + each + "</div>\n";
  if (!histogram.empty())
    html += paragraph(
        "The histogram is that of what was observed; a line reaches over 90 % of the predicted data sets, its dot "
        "is the median. Predictions beyond the ends of the axis are not counted.",
        "note");
  if (intervals.size() > most_elements)
    html += paragraph(fmt::format("The first {} of {} elements are shown one by one.", most_elements, intervals.size()),
                      "note");
  if (lost > 0)
    html += paragraph(fmt::format("{} of {} predictions are not finite. The pictures leave them out.", lost,
                                  draws * one.elements.size()),
                      "warn");
  return html;
}

}  // namespace

std::string predictions_section(const io::Predictions& predictions) {
  if (predictions.all.empty()) return "";
  std::string html = "<section id=\"predictions\">\n<h2>Predictions and data</h2>\n";
  for (const Prediction& one : predictions.all) html += section_of(one);
  return html + "</section>\n";
}

}  // namespace manychain::report
