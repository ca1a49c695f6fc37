// The two-dimensional Ising model by Gibbs sampling, beside what is known exactly.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gallery/chain_means.hpp"
#include "gallery/entries.hpp"
#include "gallery/models/ising.hpp"
#include "manychain/manychain.hpp"

namespace manychain::gallery {
namespace {

/// log Z of the L x L torus (Kaufman 1949), k = 1 / T.
double log_partition(int length, double k) {
  const double sites = double(length) * length, pi = std::acos(-1.0);
  const auto gamma = [&](int r) {
    // The sign at r = 0 matters: it changes at the critical temperature.
    if (r == 0) return 2 * k + std::log(std::tanh(k));
    return std::acosh(std::cosh(2 * k) / std::tanh(2 * k) - std::cos(pi * r / length));
  };
  // Sums over r of log 2 cosh and log 2 sinh of L gamma_r / 2, for odd r and for even.
  std::array<double, 4> terms{};
  double sign = 1;
  for (int r = 0; r < 2 * length; ++r) {
    const double x = 0.5 * length * gamma(r), size = std::fabs(x);
    const std::size_t at = r % 2 == 1 ? 0 : 2;
    terms[at] += size + std::log1p(std::exp(-2 * size));
    terms[at + 1] += size + std::log1p(-std::exp(-2 * size));
    if (x < 0) sign = -sign;
  }
  const double largest = *std::max_element(terms.begin(), terms.end());
  const double sum = std::exp(terms[0] - largest) + std::exp(terms[1] - largest) + std::exp(terms[2] - largest) +
                     sign * std::exp(terms[3] - largest);
  return 0.5 * sites * std::log(2 * std::sinh(2 * k)) - std::log(2.0) + largest + std::log(sum);
}

/// - d log Z / dk / sites, by a difference of fourth order.
double energy_per_site(int length, double temperature) {
  const double k = 1 / temperature, h = 1e-3;
  const auto f = [&](double step) { return log_partition(length, k + step); };
  return -(8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h) / (double(length) * length);
}

struct Moments {
  double energy = 0, magnetisation = 0, square = 0;
};
/// The 4 x 4 torus by all its 65536 states.
Moments by_enumeration(double temperature) {
  Moments m;
  double total = 0;
  for (unsigned state = 0; state < 65536; ++state) {
    const auto spin = [&](int row, int column) { return state >> (4 * (row % 4) + column % 4) & 1 ? 1 : -1; };
    int energy = 0, sum = 0;
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 4; ++column) {
        energy -= spin(row, column) * (spin(row + 1, column) + spin(row, column + 1));
        sum += spin(row, column);
      }
    const double weight = std::exp(-(energy + 32) / temperature), magnetisation = std::abs(sum) / 16.0;
    total += weight;
    m.energy += weight * energy / 16;
    m.magnetisation += weight * magnetisation;
    m.square += weight * magnetisation * magnetisation;
  }
  return {m.energy / total, m.magnetisation / total, m.square / total};
}

/// Draws of energy and magnetisation, ten sweeps apart.
Result run(const GalleryOptions& options, int length, double temperature, std::size_t chains, bool cold) {
  Data data;
  data.set("L", length);
  data.set("T", temperature);
  Settings settings = settings_for(options);
  settings.sampler = "gibbs";
  settings.chains = chains;
  settings.warmup.transitions = 300;
  settings.sampling.draws = options.quick ? 10 : 100;
  settings.sampling.thin = 10;
  settings.output.keep_sample_stats = false;
  if (cold) settings.warmup.initial_points.assign(std::size_t(length) * std::size_t(length) * chains, 1.0);
  return sample(model<models::Ising>(data), settings);
}

ChainMean mean_of(const Result& result, std::size_t variable, int power = 1) {
  return expectation_of(result.draws,
                        [&](std::size_t d, std::size_t c) { return std::pow(result.draws(d, variable, c), power); });
}

}  // namespace

Report ising(const GalleryOptions& options) {
  constexpr int length = 64;
  constexpr std::size_t chains = 128, small_chains = 1024;
  constexpr double cold = 2.0, hot = 2.6;
  const Result below = run(options, length, cold, chains, true), above = run(options, length, hot, chains, false);
  const Result tiny = run(options, 4, hot, small_chains, false);
  const Moments known = by_enumeration(hot);
  const double spontaneous = std::pow(1 - std::pow(std::sinh(2 / cold), -4), 0.125);

  Report report;
  report.lines = {
      "Spins on a 64 x 64 torus, one colour of the checkerboard given the other: Gibbs sampling, a lattice a chain.",
      fmt::format("The critical temperature is 2 / log(1 + sqrt 2) = {:.6f}. {} lattices, a draw every 10 sweeps, on",
                  2 / std::log(1 + std::sqrt(2.0)), chains),
      fmt::format("{}, {}. The energies known are those of the finite torus.", below.backend, below.device)};
  Table table{{"T", "energy per spin", "Kaufman, 64 x 64", "|m|", "Yang, infinite"}, {}};
  const auto row = [&](double temperature, const Result& result, const std::string& yang) {
    table.rows.push_back({fmt::format("{}", temperature), fmt::format("{:.6f}", mean_of(result, 0).value),
                          fmt::format("{:.6f}", energy_per_site(length, temperature)),
                          fmt::format("{:.5f}", mean_of(result, 1).value), yang});
  };
  row(cold, below, fmt::format("{:.5f}", spontaneous));
  row(hot, above, "0");
  report.tables.push_back(table);
  report.checks = {
      exact("energy, 4 x 4, T = 2.6: Kaufman beside 65536 states", known.energy, energy_per_site(4, hot), 1e-9),
      check_of("energy, T = 2", energy_per_site(length, cold), mean_of(below, 0)),
      check_of("|m|, T = 2", spontaneous, mean_of(below, 1)),
      check_of("energy, T = 2.6", energy_per_site(length, hot), mean_of(above, 0)),
      check_of("energy, 4 x 4, T = 2.6", known.energy, mean_of(tiny, 0)),
      check_of("|m|, 4 x 4, T = 2.6", known.magnetisation, mean_of(tiny, 1)),
      check_of("m^2, 4 x 4, T = 2.6", known.square, mean_of(tiny, 1, 2)),
      less("|m| of 64 x 64, of 4 x 4, T = 2.6", mean_of(above, 1).value, known.magnetisation)};
  return report;
}

}  // namespace manychain::gallery
