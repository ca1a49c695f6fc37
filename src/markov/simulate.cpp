#include "manychain/markov/simulate.hpp"

#include <fmt/format.h>

#include "manychain/core/error.hpp"
#include "manychain/random/stream.hpp"

namespace manychain::markov {
namespace {

const std::vector<double>& checked(const std::vector<double>& initial, std::size_t states) {
  check_distribution(initial, states, "initial");
  return initial;
}

double mean(const double* shares, std::size_t states, const std::vector<double>& f) {
  if (f.size() != states) throw BadInput(fmt::format("f: {} values for {} states", f.size(), states));
  double sum = 0;
  for (std::size_t j = 0; j < states; ++j) sum += shares[j] * f[j];
  return sum;
}

void check_counts(std::size_t states, std::size_t chains, std::uint64_t steps) {
  if (chains == 0) throw BadInput("chains: 0 is not allowed; it must be at least 1");
  if (steps == 0 || steps >= max_transitions) {
    throw BadInput(fmt::format("steps: {} is not allowed; it must be at least 1 and less than 2^40", steps));
  }
  if (constexpr std::size_t most = std::size_t{1} << 31; chains > most / states) {
    throw BadInput(
        fmt::format("chains: {} of {} states are too many; chains x states must be at most 2^31", chains, states));
  }
}

ErgodicAverages averages_of(const Simulator& simulator, std::size_t chains, std::uint64_t steps) {
  const std::size_t states = simulator.states();
  ErgodicAverages averages{std::vector<double>(states, 0), Matrix(chains, states, 0)};
  for (std::size_t c = 0; c < chains; ++c) {
    std::size_t state = simulator.start(c);
    for (std::uint64_t t = 1; t <= steps; ++t) {
      state = simulator.next(state, c, t);
      averages.over_time(c, state) += 1;
    }
    averages.over_chains[state] += 1;
    for (std::size_t j = 0; j < states; ++j) averages.over_time(c, j) /= static_cast<double>(steps);
  }
  for (double& share : averages.over_chains) share /= static_cast<double>(chains);
  return averages;
}

}  // namespace

Simulator::Simulator(const TransitionMatrix& p, const std::vector<double>& initial, std::uint64_t seed)
    : Simulator(std::span(&p, 1), 1, initial, seed) {}

Simulator::Simulator(const InhomogeneousChain& chain, const std::vector<double>& initial, std::uint64_t seed)
    : Simulator(chain.matrices(), chain.repeat(), initial, seed) {}

Simulator::Simulator(std::span<const TransitionMatrix> matrices, std::size_t repeat, const std::vector<double>& initial,
                     std::uint64_t seed)
    : states_(matrices[0].states()), repeat_(repeat), initial_(checked(initial, states_)), seed_(seed) {
  for (const TransitionMatrix& p : matrices) {
    for (std::size_t i = 0; i < states_; ++i) rows_.emplace_back(std::span(p.matrix().row(i), states_));
  }
}

std::size_t Simulator::drawn(const InverseCdf& from, std::uint64_t chain, std::uint64_t time) const {
  double u = 0;
  uniforms(Stream<Scalar<double>>(seed_, Purpose::transition, chain, time), Size<1>{},
           [&](int, Scalar<double> x) { u = x.v; });
  return from.index(u);
}

Sequence Simulator::path(std::uint64_t chain, std::uint64_t steps) const {
  Sequence states = {start(chain)};
  for (std::uint64_t t = 1; t <= steps; ++t) states.push_back(next(states.back(), chain, t));
  return states;
}

double ErgodicAverages::mean_over_chains(const std::vector<double>& f) const {
  return mean(over_chains.data(), over_chains.size(), f);
}

double ErgodicAverages::mean_over_time(const std::vector<double>& f, std::size_t chain) const {
  if (chain >= over_time.rows()) {
    throw BadInput(fmt::format("chain {}: there are {}, counted from 0", chain, over_time.rows()));
  }
  return mean(over_time.row(chain), over_time.columns(), f);
}

ErgodicAverages ergodic_averages(const TransitionMatrix& p, const std::vector<double>& initial, std::size_t chains,
                                 std::uint64_t steps, std::uint64_t seed) {
  check_counts(p.states(), chains, steps);
  return averages_of(Simulator(p, initial, seed), chains, steps);
}

ErgodicAverages ergodic_averages(const InhomogeneousChain& chain, const std::vector<double>& initial,
                                 std::size_t chains, std::uint64_t steps, std::uint64_t seed) {
  check_counts(chain.states(), chains, steps);
  return averages_of(Simulator(chain, initial, seed), chains, steps);
}

}  // namespace manychain::markov
