// A chain whose transition matrix changes with time: what it forgets, and where it goes.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "gallery/entries.hpp"
#include "manychain/markov/markov.hpp"

namespace manychain::gallery {
namespace {

using markov::InhomogeneousChain;
using markov::TransitionMatrix;

constexpr double rounding = 1e-13;

/// Both ways with probability x: the second eigenvalue is 1 - 2 x.
TransitionMatrix symmetric(double x) { return TransitionMatrix({{1 - x, x}, {x, 1 - x}}); }

}  // namespace

Report changing_chain(const GalleryOptions& options) {
  Report report;
  report.lines = {
      "A list of transition matrices, one per step. Dobrushin's coefficient of a product bounds what is left of the",
      "distance of two starts; on two states it is the product of the moduli of the second eigenvalues."};

  // Two matrices in turn: with x the share of state 1, the first takes it to 0.2 + 0.7 x, the second to 0.5 - 0.1 x.
  const TransitionMatrix winter({{0.9, 0.1}, {0.2, 0.8}}), summer({{0.4, 0.6}, {0.5, 0.5}});
  const InhomogeneousChain seasons({winter, summer}, 2);
  const markov::LongRun run = long_run(seasons);
  const double after_summer = 0.48 / 1.07, after_winter = 0.2 + 0.7 * after_summer;
  report.checks = {
      same("two in turn: forgets its start", "yes", run.forgets_start ? "yes" : "no"),
      same("two in turn: settles", "no", run.settles ? "yes" : "no"),
      exact("two in turn: limit after the first", after_winter, run.limits[0][0], rounding),
      exact("two in turn: limit after the second", after_summer, run.limits[1][0], rounding),
      exact("two in turn: after 10^12 + 1 steps from state 2", after_winter,
            seasons.evolve({0, 1}, 1'000'000'000'001)[0], rounding),
      exact("two in turn: coefficient of a round", 0.07, dobrushin_coefficient(seasons.round()), rounding)};

  // Matrices that tend to one, P_t = P + (Q - P) / t: the limit is the stationary distribution of P alone.
  const std::size_t steps = 2000;
  std::vector<TransitionMatrix> converging, squares, inverses;
  for (std::size_t t = 1; t <= steps; ++t) {
    markov::Matrix m(2, 2, 0);
    for (std::size_t i : {0, 1})
      for (std::size_t j : {0, 1}) m(i, j) = summer(i, j) + (winter(i, j) - summer(i, j)) / double(t);
    converging.emplace_back(m);
    const double s = double(t + 1);
    squares.push_back(symmetric(0.5 / (s * s)));
    inverses.push_back(symmetric(0.5 / s));
  }
  converging.push_back(summer);
  const InhomogeneousChain tending(converging), slowing(squares), slow(inverses);
  // The exact value by the recursion of two states, x -> b_t + lambda_t x.
  double x = 1;
  for (std::size_t t = 1; t <= steps; ++t) {
    const double f = 1 / double(t);
    x = 0.5 - 0.3 * f + (-0.1 + 0.8 * f) * x;
  }
  report.checks.push_back(exact("P + (Q - P) / t: after 2000 steps", x, tending.evolve({1, 0}, steps)[0], rounding));
  report.checks.push_back(exact("P + (Q - P) / t, then P: limit", 5.0 / 11, long_run(tending).limits[0][0], rounding));

  // Coefficients 1 - 1/t^2 and 1 - 1/t, t = 2, 3, ..: their products are (n + 2) / (2 n + 2) and 1 / (n + 1).
  Table table{{"steps", "two in turn", "P + (Q - P) / t", "P, by 1 - 1/t", "P, by 1 - 1/t^2"}, {}};
  for (std::uint64_t n : {1, 2, 4, 10, 100, 2000}) {
    const double left = dobrushin_coefficient(slowing.product(0, n)), lost = dobrushin_coefficient(slow.product(0, n));
    table.rows.push_back({fmt::format("{}", n), fmt::format("{:.6f}", seasons.evolve({1, 0}, n)[0]),
                          fmt::format("{:.6f}", tending.evolve({1, 0}, n)[0]),
                          fmt::format("{:.6f}", slow.evolve({1, 0}, n)[0]),
                          fmt::format("{:.6f}", slowing.evolve({1, 0}, n)[0])});
    if (n != 100 && n != 2000) continue;
    report.checks.push_back(
        exact(fmt::format("coefficients 1 - 1/t: of {} steps", n), 1 / double(n + 1), lost, rounding));
    report.checks.push_back(exact(fmt::format("coefficients 1 - 1/t^2: of {} steps", n),
                                  double(n + 2) / double(2 * n + 2), left, rounding));
  }
  report.tables.push_back(table);
  report.lines.insert(
      report.lines.end(),
      {"The probability of state 1, from state 1. With steps 1/t the start is forgotten, as 1 / (n + 1); with",
       "1/t^2 half of it stays for ever, though no matrix alone would keep anything."});

  const std::size_t chains = options.quick ? 2'000 : 20'000;
  for (std::uint64_t n : {1, 2, 3, 20}) {
    const double share = markov::ergodic_averages(seasons, {1, 0}, chains, n, options.seed).over_chains[0];
    const double known = seasons.evolve({1, 0}, n)[0];
    report.checks.push_back(monte_carlo(fmt::format("two in turn, simulated: state 1 after {}", n), known, share,
                                        std::sqrt(known * (1 - known) / double(chains))));
  }
  return report;
}

}  // namespace manychain::gallery
