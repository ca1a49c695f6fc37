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
  picture.set_scales({bins.low, bins.high()}, {0, 1.05 * double(most)});
  std::vector<double> heights(histogram.counts.begin(), histogram.counts.end());
  if (bins.whole && bins.width == 1) {
    for (std::size_t i = 0; i < heights.size(); ++i) picture.bars("bar", bins.low + double(i) + 0.1, 0.8, {heights[i]});
  } else {
    picture.bars("bar", bins.low, bins.width, heights);
  }
  picture.x_axis("value", bins.whole);
  // Above all bars, where none is in the way.
  picture.set_frame({12, 3, 12, 187});
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
  // The mean of draws whose distribution has none can be anywhere.
  const double room = 0.5 * (high - low);
  low = std::min(low, std::max(least, low - room));
  high = std::max(high, std::min(most, high + room));
  Picture picture(
      fmt::format("{} along the draws: mean over all chains from {} at the first to {} at the last, the "
                  "means of each {}, and 90 % of all draws",
                  name, short_number(along.mean.front()), short_number(along.mean.back()), kind));
  picture.set_scales({1, double(std::max<std::size_t>(draws, 2))}, with_air(low, high, 0.08));
  picture.y_axis("value");
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

/// Number of draws of each group by rank, over how many would if all were alike: a line for each group, for
/// pictures of their own would be too small to read. That of the group whose line is farthest from 1 stands out, and
/// the caption names it.
std::string ranks(const std::string& name, const SortedDraws& sorted, const ChainGroups& groups) {
  const std::size_t count = groups.names.size(), per_group = sorted.draws.size() / count;
  const std::size_t bins = std::clamp<std::size_t>(per_group / 40, 4, 20);
  const auto ratios = rank_ratios(sorted, bins);
  double most = 1, least = 1, distance = -1;
  std::size_t farthest = 0;
  for (std::size_t g = 0; g < count; ++g) {
    double sum = 0;
    for (const double ratio : ratios[g]) {
      if (ratio > most) most = ratio;
      if (ratio < least) least = ratio;
      sum += (ratio - 1) * (ratio - 1);
    }
    if (!(sum > distance)) continue;  // NaN of a group without finite draws
    distance = sum;
    farthest = g;
  }
  Picture picture(
      fmt::format("Ranks of {} by {}: in each of {} intervals between {:.2f} and {:.2f} times as many draws as if all "
                  "were alike, farthest from 1 in {}",
                  name, groups.kind, bins, least, most, groups.names[farthest]));
  picture.set_scales({0, 100}, {0, std::max(1.05 * most, 2.0)});
  picture.y_axis("draws, over those if all were alike");
  picture.segment("level", 0, 1, 100, 1);
  const auto line = [&](const char* css, std::size_t g) {
    Picture::Points points = {{0, ratios[g].front()}};
    for (std::size_t b = 0; b < bins; ++b) points.emplace_back(100 * (double(b) + 0.5) / double(bins), ratios[g][b]);
    points.emplace_back(100, ratios[g].back());
    picture.line(css, points);
  };
  for (std::size_t g = 0; g < count; ++g)
    if (g != farthest) line("group", g);
  line("farthest", farthest);
  picture.x_axis("rank among all draws, %");
  return figure(fmt::format("Ranks; bold: {} {}", groups.kind, groups.names[farthest]), picture.svg());
}

/// Says what the pictures leave out.
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
  const std::shared_ptr<const double[]> draws = file.quantities(quantity, 1);
  const diagnostics::QuantityView x = diagnostics::quantity(file.view_of(draws.get(), 1), 0);
  const SortedDraws sorted = sort_draws(x, groups);
  const Histogram histogram = histogram_of(sorted);
  std::string html = fmt::format("<section class=\"quantity\" id=\"q{}\">\n<h3>{}</h3>\n", quantity, breakable(name));
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
    html += "<div class=\"pictures\">\n" +
            figure("Distribution", distribution(name, diagnosis.summary[quantity], histogram, sorted)) +
            figure("Along the draws", along_draws(name, running(x, groups), file.draws, groups.kind));
    if (groups.names.size() > 1) html += ranks(name, sorted, groups);
    html += "</div>\n";
  }
  return html + left_out(file, sorted, histogram) + "</section>\n";
}

}  // namespace manychain::report
