// Posterior predictive checks (Gabry and others 2019, "Visualization in Bayesian workflow").
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/prediction_intervals.hpp"
#include "report/sections.hpp"
#include "report/svg.hpp"

namespace manychain::report {
namespace {

using io::Prediction;

/// Number of elements of a predicted data set in each bin: the 5, 50 and 95 % quantile over all draws.
struct CountBand {
  std::vector<double> low, median, high;
};

CountBand count_band(const Prediction& one, const Bins& bins) {
  const std::size_t elements = one.elements.size();
  // Frequency of each count, bin by bin: no data set is kept.
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

bool all_values_whole(const Prediction& one) {
  const auto whole = [](double x) { return !std::isfinite(x) || (x == std::floor(x) && std::abs(x) < 0x1p53); };
  const double* const end = one.values.get() + one.elements.size() * one.chains * one.draws;
  return std::all_of(one.observed.begin(), one.observed.end(), whole) && std::all_of(one.values.get(), end, whole);
}

/// A histogram of the observed, and what predicted data sets have in the same bins.
std::string distribution(const Prediction& one, const std::vector<Interval>& intervals) {
  const Range range = range_of(one, intervals, &Interval::lowest, &Interval::highest);
  if (!range.usable() || range.low == range.high) return "";
  const double wanted = std::clamp(2 * std::sqrt(double(one.elements.size())), 6.0, 30.0);
  const Bins bins = bins_between(range.low, range.high, static_cast<std::size_t>(wanted), all_values_whole(one));
  const CountBand band = count_band(one, bins);
  std::vector<double> observed(bins.count, 0);
  for (const double x : one.observed)
    if (std::isfinite(x)) ++observed[bins.place(x)];
  const double most = std::max({1.0, *std::max_element(observed.begin(), observed.end()),
                                *std::max_element(band.high.begin(), band.high.end())});
  Picture picture(
      fmt::format("Histogram of the observed {}, and how many predictions {} fall into its bars", one.of, one.name));
  picture.set_scales({bins.low, bins.high()}, {0, 1.05 * most});
  picture.y_axis("elements", true);
  picture.bars("observed", bins.low, bins.width, observed);
  for (std::size_t b = 0; b < bins.count; ++b) {
    const double at = bins.low + bins.width * (double(b) + 0.5);
    picture.segment("interval", at, band.low[b], at, band.high[b]);
    picture.dot("mean", at, band.median[b], 2.5);
  }
  picture.x_axis("value", bins.whole);
  return picture.svg();
}

std::string section_of(const Prediction& one, std::size_t place) {
  std::size_t lost = 0, inside = 0, within = 0, known = 0;
  const std::vector<Interval> intervals = intervals_of(one, lost);
  for (std::size_t e = 0; e < intervals.size(); ++e) {
    known += std::isfinite(one.observed[e]);  // the others are missing values
    inside += intervals[e].contains(one.observed[e]);
    within += one.observed[e] >= intervals[e].lower && one.observed[e] <= intervals[e].upper;
  }
  const std::string title = one.name == one.of ? one.of + ", predicted and observed"
                                               : fmt::format("{} and the observed {}", one.name, one.of);
  std::string html = fmt::format("<h3 id=\"p{}\">{}</h3>\n", place, breakable(title));
  std::string text = fmt::format(
      "{} of {} observed values lie between the 5 and the 95 % quantile of their predictions. Between the 25 and the "
      "75 % quantile lie {}.",
      inside, known, within);
  if (const std::string names = observed_outside(one, intervals); !names.empty())
    text += fmt::format(" Outside, the farthest first: {}.", names);
  if (one.thin > 1)
    text += fmt::format(" Of each {} draws the last one is shown here: all would take too much memory.", one.thin);
  html += paragraph(text);
  const std::string pictures =
      (intervals.size() > 1 ? figure("Histogram of the data", distribution(one, intervals)) : "") +
      interval_figures(one, intervals);
  if (!pictures.empty()) html += "<div class=\"pictures\">\n" + pictures + "</div>\n";
  if (lost > 0)
    html += paragraph(fmt::format("{} of {} predictions are not finite. The pictures leave them out.", lost,
                                  one.chains * one.draws * one.elements.size()),
                      "warn");
  return html;
}

std::string how_to_read_predictions(const std::vector<Prediction>& all) {
  const auto any = [&](auto is) { return std::any_of(all.begin(), all.end(), is); };
  std::string text;
  if (any([](const Prediction& one) { return one.elements.size() > 1; }))
    text += paragraph(
        "Histogram of the data: a line reaches over the counts that 90 % of the predicted data sets have in that bar, "
        "its dot is their median. Predictions beyond the ends of the axis are not counted.",
        "note");
  text += paragraph(
      "Intervals: for each element the thin line reaches from the 5 to the 95 % quantile of its predictions, the thick "
      "one from the 25 to the 75 % quantile; the dot is what was observed, filled where it lies outside the thin line. "
      "Of a model that fits, about 90 and 50 % of the data lie within them.",
      "note");
  if (any([](const Prediction& one) { return one.elements.size() > most_lines; }))
    text += paragraph(
        fmt::format(
            "Vectors of more than {} elements have bands in place of lines, in the order of the medians of what is "
            "predicted; dots outside the wide band are larger.",
            most_lines),
        "note");
  return text;
}

}  // namespace

std::string predictions_section(const io::Predictions& predictions) {
  if (predictions.all.empty()) return "";
  std::string html =
      "<section id=\"predictions\">\n<h2>Predictions and data</h2>\n" + how_to_read_predictions(predictions.all);
  for (std::size_t p = 0; p < predictions.all.size(); ++p) html += section_of(predictions.all[p], p);
  return html + "</section>\n";
}

}  // namespace manychain::report
