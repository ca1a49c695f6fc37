// Three pictures of a quantity: its distribution, how it runs along the draws, and the ranks of groups of chains.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/sections.hpp"
#include "report/svg.hpp"
#include "text/text_table.hpp"

namespace manychain::report {
namespace {

/// As many digits as a reader of a picture needs.
std::string short_number(double x) { return fmt::format("{:.4g}", x); }

/// A scale with some air; of one number one around it.
Scale with_air(double low, double high, double share) {
  double air = share * (high - low);
  if (!(air > 0)) air = low == 0 ? 1 : 0.05 * std::abs(low);
  return {low - air, high + air};
}

std::string distribution(const std::string& name, const diagnostics::QuantitySummary& s, const Histogram& histogram,
                         const SortedDraws& sorted) {
  const Bins& bins = histogram.bins;
  Picture picture(fmt::format("Distribution of {}: median {}, 5 to 95 % from {} to {}", name,
                              short_number(sorted.quantile(0.5)), short_number(sorted.quantile(0.05)),
                              short_number(sorted.quantile(0.95))));
  const std::size_t most = *std::max_element(histogram.counts.begin(), histogram.counts.end());
  picture.set_frame({12, 8, 12, 34});
  picture.set_scales({bins.low, bins.high()}, {0, 1.05 * double(most)});
  std::vector<double> heights(histogram.counts.begin(), histogram.counts.end());
  if (bins.whole && bins.width == 1) {
    for (std::size_t i = 0; i < heights.size(); ++i) picture.bars("bar", bins.low + double(i) + 0.1, 0.8, {heights[i]});
  } else {
    picture.bars("bar", bins.low, bins.width, heights);
  }
  picture.x_axis("", bins.whole);
  // Below the axis, where no bar is in the way.
  picture.set_frame({12, 180, 12, 4});
  picture.set_scales({bins.low, bins.high()}, {0, 1});
  picture.segment("interval", sorted.quantile(0.05), 0.5, sorted.quantile(0.95), 0.5);
  picture.segment("median", sorted.quantile(0.5), 0, sorted.quantile(0.5), 1);
  if (std::isfinite(s.mean)) picture.dot("mean", s.mean, 0.5, 3);
  return picture.svg();
}

Picture::Points points(const std::vector<double>& x, const std::vector<double>& y) {
  Picture::Points all;
  for (std::size_t i = 0; i < x.size(); ++i) all.emplace_back(x[i], y[i]);
  return all;
}

std::string along_draws(const std::string& name, const Running& along, std::size_t draws, const std::string& kind) {
  double low = INFINITY, high = -INFINITY, least = INFINITY, most = -INFINITY;
  for (std::size_t w = 0; w < along.at.size(); ++w) {
    if (along.low[w] < low) low = along.low[w];
    if (along.high[w] > high) high = along.high[w];
    if (along.mean[w] < least) least = along.mean[w];
    if (along.mean[w] > most) most = along.mean[w];
  }
  if (!(low <= high) || !std::isfinite(high - low)) return "";
  // Of a distribution without a mean it can be anywhere.
  const double room = 0.5 * (high - low);
  low = std::min(low, std::max(least, low - room));
  high = std::max(high, std::min(most, high + room));
  Picture picture(
      fmt::format("{} along the draws: mean over all chains from {} at the first to {} at the last, the "
                  "means of each {}, and 90 % of all draws",
                  name, short_number(along.mean.front()), short_number(along.mean.back()), kind));
  picture.set_frame({52, 8, 14, 24});
  picture.set_scales({1, double(std::max<std::size_t>(draws, 2))}, with_air(low, high, 0.08));
  picture.y_axis();
  if (along.at.size() == 1) {
    picture.segment("interval", along.at[0], along.low[0], along.at[0], along.high[0]);
    picture.dot("mean", along.at[0], along.mean[0]);
  } else {
    picture.band("band", points(along.at, along.low), points(along.at, along.high));
    for (const auto& means : along.of_group) picture.line("group", points(along.at, means));
    picture.line("overall", points(along.at, along.mean));
  }
  picture.x_axis("draw");
  return picture.svg();
}

std::string ranks(const std::string& name, const SortedDraws& sorted, const ChainGroups& groups) {
  const std::size_t count = groups.names.size(), per_group = sorted.draws.size() / count;
  const std::size_t bins = std::clamp<std::size_t>(per_group / 40, 4, 20);
  const auto ratios = rank_ratios(sorted, bins);
  double most = 1, least = 1;
  for (const auto& one : ratios) {
    for (const double ratio : one) {
      if (ratio > most) most = ratio;
      if (ratio < least) least = ratio;
    }
  }
  Picture picture(
      fmt::format("Ranks of {} by {}: in each bar between {:.2f} and {:.2f} times as many draws as if all "
                  "were alike",
                  name, groups.kind, least, most));
  most = std::max(most, 2.0);
  const std::size_t columns = static_cast<std::size_t>(std::ceil(std::sqrt(double(count))));
  const std::size_t rows = (count + columns - 1) / columns;
  const double width = 312.0 / double(columns), height = 186.0 / double(rows);
  for (std::size_t g = 0; g < count; ++g) {
    const double left = 4 + width * double(g % columns), top = 2 + height * double(g / columns);
    picture.set_frame({left + 3, top + 13, 320 - left - width + 3, 190 - top - height + 3});
    picture.set_scales({0, double(bins)}, {0, most});
    picture.bars("bar", 0, 1, ratios[g]);
    picture.segment("level", 0, 1, double(bins), 1);
    picture.segment("axis", 0, 0, double(bins), 0);
    std::string label = groups.names[g];
    const auto room = static_cast<std::size_t>(width / 5.5);
    if (label.size() > room) label = label.substr(0, room - 1) + "…";
    picture.text("cell", left + width / 2, top + 10, label);
  }
  return picture.svg();
}

/// What the pictures leave out.
std::string left_out(const DrawsFile& file, const SortedDraws& sorted, const Histogram& histogram) {
  std::string text;
  if (const std::size_t lost = sorted.nans + sorted.infinities; lost > 0 && !sorted.draws.empty())
    text += paragraph(
        fmt::format("{} of {} draws are not finite ({} NaN, {} infinite), in {}. The pictures leave them out.", lost,
                    lost + sorted.draws.size(), sorted.nans, sorted.infinities,
                    chains_in_words(file, sorted.nonfinite_chains)),
        "warn");
  if (histogram.below + histogram.above > 0) {
    std::string outside;
    if (histogram.below > 0)
      outside = fmt::format("{} draws lie below it, down to {}", histogram.below, short_number(sorted.smallest()));
    if (histogram.above > 0)
      outside += fmt::format("{}{}{} above it, up to {}", outside.empty() ? "" : ", and ", histogram.above,
                             outside.empty() ? " draws lie" : "", short_number(sorted.largest()));
    text += paragraph(fmt::format("The histogram reaches from the {:g} to the {:g} % quantile: {}.",
                                  100 * histogram.cut, 100 * (1 - histogram.cut), outside),
                      "note");
  }
  if (histogram.bins.whole && histogram.bins.width > 1)
    text += paragraph(fmt::format("Whole numbers; a bar holds {:g} of them.", histogram.bins.width), "note");
  return text;
}

}  // namespace

std::string quantity_pictures(const Diagnosis& diagnosis, const ChainGroups& groups, std::size_t quantity) {
  const DrawsFile& file = diagnosis.file;
  const std::string& name = file.names[quantity];
  const diagnostics::QuantityView x = diagnostics::quantity(file.view(), quantity);
  const SortedDraws sorted = sort_draws(x, groups);
  const Histogram histogram = histogram_of(sorted);
  std::string html = fmt::format("<section class=\"quantity\" id=\"q{}\">\n<h3>{}</h3>\n", quantity, escaped(name));
  if (sorted.draws.empty()) {
    html +=
        paragraph(fmt::format("No draw is finite: {} are NaN, {} infinite.", sorted.nans, sorted.infinities), "warn");
  } else if (sorted.constant()) {
    html += paragraph(fmt::format("Constant: all {}draws are {}.", sorted.nans + sorted.infinities > 0 ? "finite " : "",
                                  fmt::format("{:.10g}", sorted.smallest())),
                      "note");
  } else if (histogram.counts.empty()) {
    html += paragraph(fmt::format("From {} to {}: too far apart for a picture.", short_number(sorted.smallest()),
                                  short_number(sorted.largest())),
                      "warn");
  } else {
    html += "<div class=\"pictures\">\n" + distribution(name, diagnosis.summary[quantity], histogram, sorted) +
            along_draws(name, running(x, groups), file.draws, groups.kind);
    if (groups.names.size() > 1) html += ranks(name, sorted, groups);
    html += "</div>\n";
  }
  return html + left_out(file, sorted, histogram) + "</section>\n";
}

}  // namespace manychain::report
