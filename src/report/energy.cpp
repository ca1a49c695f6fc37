// Energy (Betancourt 2016, "Diagnosing suboptimal cotangent disintegrations in Hamiltonian Monte Carlo") and
// divergences.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "diagnostics/energy.hpp"
#include "diagnostics/limits.hpp"
#include "manychain/diagnostics/convergence.hpp"
#include "report/sections.hpp"
#include "report/svg.hpp"

namespace manychain::report {
namespace {

using diagnostics::QuantityView;

/// The share of some numbers in each bin, over its width.
std::vector<double> densities(const Bins& bins, const std::vector<double>& values) {
  std::vector<double> all(bins.count, 0);
  for (const double x : values) all[bins.place(x)] += 1 / (double(values.size()) * bins.width);
  return all;
}

/// The outline of a histogram.
Picture::Points outline(const Bins& bins, const std::vector<double>& heights) {
  Picture::Points points = {{bins.low, 0}};
  for (std::size_t i = 0; i < heights.size(); ++i) {
    points.emplace_back(bins.low + bins.width * double(i), heights[i]);
    points.emplace_back(bins.low + bins.width * double(i + 1), heights[i]);
  }
  points.emplace_back(bins.high(), 0);
  return points;
}

/// Energies about the mean of their chain, and their steps from draw to draw.
std::string energy_picture(const QuantityView& energy) {
  std::vector<double> centred, steps;
  for (std::size_t c = 0; c < energy.chains; ++c) {
    double sum = 0;
    for (std::size_t d = 0; d < energy.draws; ++d) sum += energy(d, c);
    const double mean = sum / double(energy.draws);
    if (!std::isfinite(mean)) continue;
    for (std::size_t d = 0; d < energy.draws; ++d) {
      centred.push_back(energy(d, c) - mean);
      if (d > 0) steps.push_back(energy(d, c) - energy(d - 1, c));
    }
  }
  if (steps.empty()) return "";
  const auto edge = [](std::vector<double> values, double p) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(p * double(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
  };
  const double low = std::min(edge(centred, 0.001), edge(steps, 0.001));
  const double high = std::max(edge(centred, 0.999), edge(steps, 0.999));
  if (!(low < high) || !std::isfinite(high - low)) return "";
  const Bins bins = bins_between(low, high, 50, false);
  const std::vector<double> of_energy = densities(bins, centred), of_steps = densities(bins, steps);
  Picture picture("Energies about the mean of their chain, and their steps from one draw to the next");
  const double most = std::max(*std::max_element(of_energy.begin(), of_energy.end()),
                               *std::max_element(of_steps.begin(), of_steps.end()));
  picture.set_scales({bins.low, bins.high()}, {0, 1.05 * most});
  picture.y_axis("density");
  picture.bars("bar", bins.low, bins.width, of_energy);
  picture.line("second", outline(bins, of_steps));
  picture.x_axis("energy - mean of chain; energy change");
  return picture.svg();
}

std::string ebfmi_picture(const std::vector<double>& ebfmi) {
  std::vector<double> finite;
  for (const double x : ebfmi)
    if (std::isfinite(x)) finite.push_back(x);
  if (finite.size() < 2) return "";
  const double high = std::max(1.2, *std::max_element(finite.begin(), finite.end()));
  const Bins bins = bins_between(0, high, 40, false);
  std::vector<double> counts(bins.count, 0);
  for (const double x : finite) ++counts[bins.place(x)];
  Picture picture(fmt::format("E-BFMI of {} chains, the smallest {:.2f}, the limit {}", finite.size(),
                              *std::min_element(finite.begin(), finite.end()), diagnostics::ebfmi_limit));
  const double most = *std::max_element(counts.begin(), counts.end());
  picture.set_scales({0, bins.high()}, {0, 1.05 * most});
  picture.y_axis("chains", true);
  picture.bars("bar", 0, bins.width, counts);
  picture.segment("limit", diagnostics::ebfmi_limit, 0, diagnostics::ebfmi_limit, 1.05 * most);
  picture.words_at(diagnostics::ebfmi_limit, fmt::format("limit {}", diagnostics::ebfmi_limit));
  picture.x_axis("E-BFMI of a chain");
  return picture.svg();
}

std::string divergences(const DrawsFile& file) {
  std::uint64_t count = 0;
  std::vector<std::size_t> chains;
  double all = double(file.chains) * double(file.draws);
  if (file.run) {
    if (!file.run->trajectory) return "";  // no trajectory can diverge
    count = file.run->divergences;
    chains = file.run->divergent_chains;
    all *= double(file.run->thin);
  } else if (const auto diverging = file.stat("diverging")) {
    for (std::size_t c = 0; c < file.chains; ++c) {
      std::uint64_t here = 0;
      for (std::size_t d = 0; d < file.draws; ++d) here += (*diverging)(d, c) != 0 ? 1u : 0u;
      count += here;
      if (here > 0) chains.push_back(c);
    }
  } else {
    return "";
  }
  if (count == 0) return paragraph("Divergences: none.");
  return paragraph(fmt::format("Divergences: {} of {:.0f} transitions ({:.3g} %), in {}.", count, all,
                               100 * double(count) / all, chains_in_words(file, chains)),
                   "warn");
}

}  // namespace

std::string energy_section(const DrawsFile& file) {
  std::string html = divergences(file);
  if (const auto energy = file.stat("energy")) {
    const std::vector<double> ebfmi = diagnostics::ebfmi(*energy);
    const std::vector<std::size_t> low = diagnostics::low_ebfmi_chains(ebfmi, file.draws);
    double smallest = INFINITY;
    for (const double x : ebfmi) smallest = x < smallest ? x : smallest;
    std::string text = std::isfinite(smallest) ? fmt::format("E-BFMI: the smallest of a chain is {:.2f}", smallest)
                                               : std::string("E-BFMI: not defined");
    text += file.draws < diagnostics::ebfmi_draws
                ? fmt::format("; fewer than {} draws of a chain cannot tell whether it is too small.",
                              diagnostics::ebfmi_draws)
            : low.empty() && smallest < diagnostics::ebfmi_limit
                ? fmt::format("; below {} would be too small, but so few of many chains are there by chance.",
                              diagnostics::ebfmi_limit)
            : low.empty()
                ? fmt::format("; below {} would be too small for the tails of the energy.", diagnostics::ebfmi_limit)
                : fmt::format("; below {} or not defined in {}.", diagnostics::ebfmi_limit, chains_in_words(file, low));
    html += paragraph(text, low.empty() ? "" : "warn");
    const std::string pictures = figure("Energy (area) and its change (line)", energy_picture(*energy)) +
                                 figure("E-BFMI of the chains", ebfmi_picture(ebfmi));
    if (!pictures.empty())
      html += "<div class=\"pictures\">\n" + pictures + "</div>\n" +
              paragraph(
                  "Energy: the area is the density of energy minus the mean energy of its chain; the line is the "
                  "density of the change of energy from one draw of a chain to the next. Where the line is much the "
                  "narrower, momenta are too small for the tails, and E-BFMI, the mean square of the changes over the "
                  "variance of the energies, is small. The axis is cut at the 0.1 and the 99.9 % quantile.",
                  "note");
  }
  return html.empty() ? "" : "<section id=\"energy\">\n<h2>Energy and divergences</h2>\n" + html + "</section>\n";
}

}  // namespace manychain::report
