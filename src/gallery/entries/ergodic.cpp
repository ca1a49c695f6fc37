// Thousands of simulated chains on five states: the average over time and the average over chains.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "gallery/chain_means.hpp"
#include "gallery/entries.hpp"
#include "gallery/models/finite_chain.hpp"
#include "manychain/manychain.hpp"
#include "manychain/markov/stationary.hpp"

namespace manychain::gallery {
namespace {

constexpr std::size_t states = models::FiniteChain<float>::states;

/// The variance of sqrt(T) times the average over time of being in state j, for large T:
/// pi_j (2 z_jj - 1 - pi_j), z the fundamental matrix (Kemeny and Snell 1960, theorem 4.6.3).
double asymptotic_variance(const markov::TransitionMatrix& p, const std::vector<double>& pi, std::size_t j) {
  std::vector<double> x(states, 0);
  x[j] = 1;
  double z = 1;
  for (int k = 0; k < 500; ++k) {  // the second eigenvalue is far below 0.9
    x = p.evolve(x);
    z += x[j] - pi[j];
  }
  return pi[j] * (2 * z - 1 - pi[j]);
}

}  // namespace

Report ergodic(const GalleryOptions& options) {
  const std::vector<std::vector<double>> rows = {{0.5, 0.3, 0.1, 0.1, 0},
                                                 {0.2, 0.4, 0.3, 0.1, 0},
                                                 {0.1, 0.2, 0.4, 0.2, 0.1},
                                                 {0, 0.1, 0.3, 0.4, 0.2},
                                                 {0.2, 0, 0.1, 0.3, 0.4}};
  const markov::TransitionMatrix p(rows);
  const std::vector<double> pi = markov::stationary_distributions(p)[0];
  Data data;
  data.set("P", p.matrix().values(), {states, states});
  const Model chain = model<models::FiniteChain>(data);

  Settings settings = settings_for(options);
  settings.sampler = "direct";
  settings.warmup.transitions = 0;
  settings.chains = options.quick ? 2048 : 16384;
  settings.sampling.draws = 50;
  settings.warmup.initial_points.assign(settings.chains, 0);  // all in the first state
  const Result wide = sample(chain, settings);
  settings.chains = 64;
  settings.sampling.draws = options.quick ? 2000 : 20000;
  settings.warmup.initial_points.clear();
  settings.warmup.transitions = 50;
  const Result tall = sample(chain, settings);

  Report report;
  report.lines = {
      "A chain on five states, simulated: the next state is drawn from a row of the transition matrix P. After n",
      "steps the chains are distributed as the row of P^n that they started in, and one chain's time in each",
      "state, in the long run, is the stationary distribution.", "Over chains: " + ran(wide),
      "Over time: one of " + ran(tall)};
  Table table{{"state", "stationary", "over chains, after 50 steps", "over time, one chain"}, {}};
  const Draws &across = wide.draws, &along = tall.draws;
  for (std::size_t n : {1, 2, 3, 50}) {
    const std::vector<double> known = n == 50 ? pi : p.evolve({1, 0, 0, 0, 0}, n);
    for (std::size_t j = 0; j < states; ++j) {
      double share = 0;
      for (std::size_t c = 0; c < across.chains; ++c) share += double(across(n - 1, 0, c) == double(j));
      share /= double(across.chains);
      const std::string what = fmt::format("share of chains in state {} after {}", j + 1, n);
      const double error = std::sqrt(known[j] * (1 - known[j]) / double(across.chains));
      report.checks.push_back(known[j] > 0 ? monte_carlo(what, known[j], share, error) : exact(what, 0, share, 0));
      if (n == 50)
        table.rows.push_back({fmt::format("{}", j + 1), fmt::format("{:.4f}", pi[j]), fmt::format("{:.4f}", share)});
    }
  }
  for (std::size_t j = 0; j < states; ++j) {
    const std::vector<double> shares =
        chain_means(0, along.draws, along.chains, [&](auto d, auto c) { return double(along(d, 0, c) == double(j)); });
    const double error = std::sqrt(asymptotic_variance(p, pi, j) / double(along.draws));
    report.checks.push_back(monte_carlo(fmt::format("time of one chain in state {}", j + 1), pi[j], shares[0], error));
    table.rows[j].push_back(fmt::format("{:.4f}", shares[0]));
    // That error from the spread of the other chains.
    double squares = 0;
    for (double share : shares) squares += (share - pi[j]) * (share - pi[j]) / double(along.chains);
    report.checks.push_back(
        variance_ratio(fmt::format("variance of that over chains, to its known limit, state {}", j + 1),
                       squares / (error * error), double(along.chains)));
  }
  report.tables.push_back(table);
  return report;
}

}  // namespace manychain::gallery
