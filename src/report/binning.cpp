#include "report/binning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/nan.hpp"
#include "diagnostics/sorted_draws.hpp"

namespace manychain::report {
namespace {

using diagnostics::QuantityView;

constexpr std::size_t most_groups = 16, most_bins = 60, most_windows = 60;
constexpr double widest = 12;  // interquartile ranges; a normal distribution has 7 for a million draws
constexpr double largest_whole = 0x1p53;

double quantile_of_values(std::vector<double>& values, double p) {
  if (values.empty()) return nan;
  return diagnostics::quantile_of(values.size(), p, [&](std::size_t k) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(k);
    std::nth_element(values.begin(), place, values.end());
    return *place;
  });
}

bool all_whole(const std::vector<SortedDraws::Draw>& draws) {
  return std::abs(draws.front().value) < largest_whole && std::abs(draws.back().value) < largest_whole &&
         std::all_of(draws.begin(), draws.end(), [](const auto& d) { return d.value == std::floor(d.value); });
}

}  // namespace

ChainGroups groups_of(const DrawsFile& file) {
  ChainGroups groups;
  const std::size_t superchains = file.run ? file.run->superchains : 0;
  const bool by_superchain = superchains > 1;
  const std::size_t units = by_superchain ? superchains : file.chains;  // what is put together
  const std::size_t count = std::min(units, most_groups);
  const std::string unit = by_superchain ? "superchain" : "chain";
  groups.kind = units > count ? "group of " + unit + "s" : unit;
  const auto first_of = [&](std::size_t g) { return (g * units + count - 1) / count; };
  for (std::size_t c = 0; c < file.chains; ++c)
    groups.of.push_back(static_cast<std::uint32_t>((by_superchain ? c % superchains : c) * count / units));
  for (std::size_t g = 0; g < count; ++g) {
    const std::size_t first = first_of(g), last = first_of(g + 1) - 1;
    groups.names.push_back(first < last                      ? fmt::format("{} to {}", first, last)
                           : by_superchain                   ? std::to_string(first)
                           : first < file.chain_names.size() ? file.chain_names[first]
                                                             : std::to_string(first));
  }
  return groups;
}

std::size_t Bins::place(double x) const {
  const double place = std::floor((x - low) / width);
  return place <= 0 ? 0 : std::min(count - 1, static_cast<std::size_t>(std::min(place, 1e9)));
}

Bins bins_between(double low, double high, std::size_t wanted, bool whole) {
  Bins bins;
  if (!std::isfinite(high - low)) return bins;
  wanted = std::clamp<std::size_t>(wanted, 1, most_bins);
  if (whole) {
    low = std::floor(low);
    const double numbers = std::floor(high) - low + 1;
    bins.whole = true;
    bins.width = numbers <= double(most_bins) ? 1 : std::ceil(numbers / double(wanted));
    bins.count = static_cast<std::size_t>(std::ceil(numbers / bins.width));
    bins.low = low - 0.5;
    return bins;
  }
  bins.low = low;
  bins.count = wanted;
  bins.width = (high - low) / double(wanted);
  // Neighbouring numbers, or one: there is nothing between them to cut.
  if (!(bins.low + bins.width > bins.low)) {
    bins.count = 1;
    bins.width = high > low ? high - low : std::max(std::abs(low), 1.0);
  }
  return bins;
}

double SortedDraws::quantile(double p) const {
  return diagnostics::quantile_of(draws.size(), p, [&](std::size_t k) { return draws[k].value; });
}

SortedDraws sort_draws(const QuantityView& x, const ChainGroups& groups) {
  SortedDraws sorted;
  sorted.groups = groups.names.size();
  sorted.draws.reserve(x.draws * x.chains);
  for (std::size_t c = 0; c < x.chains; ++c) {
    const std::size_t before = sorted.nans + sorted.infinities;
    for (std::size_t d = 0; d < x.draws; ++d) {
      const double value = x(d, c);
      if (std::isfinite(value))
        sorted.draws.push_back({value, groups.of[c]});
      else
        ++(std::isnan(value) ? sorted.nans : sorted.infinities);
    }
    if (sorted.nans + sorted.infinities > before) sorted.nonfinite_chains.push_back(c);
  }
  std::sort(sorted.draws.begin(), sorted.draws.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
  return sorted;
}

Histogram histogram_of(const SortedDraws& sorted) {
  Histogram histogram;
  if (sorted.draws.empty() || sorted.constant()) return histogram;
  const double quartiles = sorted.quantile(0.75) - sorted.quantile(0.25);
  double low = sorted.smallest(), high = sorted.largest();
  for (const double cut : {0.001, 0.005, 0.01, 0.025, 0.05}) {
    // No range is a multiple of an interquartile range of 0: all is shown.
    if (!(quartiles > 0) || high - low <= widest * quartiles) break;
    low = sorted.quantile(cut);
    high = sorted.quantile(1 - cut);
    histogram.cut = cut;
  }
  if (!std::isfinite(high - low)) return histogram;
  const double size = double(sorted.draws.size());
  const double by_rule = quartiles > 0 ? (high - low) * std::cbrt(size) / (2 * quartiles) : 40;
  histogram.bins = bins_between(low, high, static_cast<std::size_t>(std::clamp(by_rule, 5.0, double(most_bins))),
                                all_whole(sorted.draws));
  histogram.counts.assign(histogram.bins.count, 0);
  if (histogram.bins.count == 0) return histogram;
  for (const auto& draw : sorted.draws) {
    if (histogram.cut > 0 && draw.value < low)
      ++histogram.below;
    else if (histogram.cut > 0 && draw.value > high)
      ++histogram.above;
    else
      ++histogram.counts[histogram.bins.place(draw.value)];
  }
  return histogram;
}

std::vector<std::vector<double>> rank_ratios(const SortedDraws& sorted, std::size_t bins) {
  const std::vector<SortedDraws::Draw>& draws = sorted.draws;
  std::vector<std::vector<double>> ratios(sorted.groups, std::vector<double>(bins, 0));
  std::vector<double> sizes(sorted.groups, 0);
  for (const auto& draw : draws) ++sizes[draw.group];
  const double per_bin = double(draws.size()) / double(bins);
  for (std::size_t begin = 0, end; begin < draws.size(); begin = end) {
    end = begin + 1;
    while (end < draws.size() && draws[end].value == draws[begin].value) ++end;
    // Ranks [begin, end), of which each bin has a share.
    const auto first = std::min(bins - 1, static_cast<std::size_t>(double(begin) / per_bin));
    for (std::size_t b = first; b < bins && double(b) * per_bin < double(end); ++b) {
      const double from = std::max(double(begin), double(b) * per_bin);
      const double to = b + 1 == bins ? double(end) : std::min(double(end), double(b + 1) * per_bin);
      const double share = (to - from) / double(end - begin);
      if (share <= 0) continue;
      for (std::size_t i = begin; i < end; ++i) ratios[draws[i].group][b] += share;
    }
  }
  for (std::size_t g = 0; g < sorted.groups; ++g)
    for (double& ratio : ratios[g]) ratio *= double(bins) / sizes[g];  // NaN of a group without finite draws
  return ratios;
}

Running running(const QuantityView& x, const ChainGroups& groups) {
  // 40 draws a window at least: less has no 5 % quantile.
  const std::size_t windows = std::clamp<std::size_t>(x.draws * x.chains / 40, 1, std::min(x.draws, most_windows));
  Running along;
  along.of_group.assign(groups.names.size(), {});
  std::vector<double> values, sums, counts;
  for (std::size_t w = 0; w < windows; ++w) {
    const std::size_t begin = w * x.draws / windows, end = (w + 1) * x.draws / windows;
    values.clear();
    sums.assign(groups.names.size(), 0);
    counts.assign(groups.names.size(), 0);
    for (std::size_t c = 0; c < x.chains; ++c) {
      for (std::size_t d = begin; d < end; ++d) {
        if (!std::isfinite(x(d, c))) continue;
        values.push_back(x(d, c));
        sums[groups.of[c]] += x(d, c);
        ++counts[groups.of[c]];
      }
    }
    double sum = 0;
    for (std::size_t g = 0; g < sums.size(); ++g) {
      sum += sums[g];
      along.of_group[g].push_back(sums[g] / counts[g]);
    }
    along.at.push_back(0.5 * double(begin + 1 + end));
    along.mean.push_back(sum / double(values.size()));
    along.low.push_back(quantile_of_values(values, 0.05));
    along.high.push_back(quantile_of_values(values, 0.95));
  }
  return along;
}

}  // namespace manychain::report
