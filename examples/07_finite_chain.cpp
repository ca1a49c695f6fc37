// Finite Markov chains: what there is to know of one, the exact kernel of a sampler, and a fit to sequences. No random
// number is drawn.
#include <iostream>

#include "manychain/markov/markov.hpp"

int main() {
  using namespace manychain::markov;

  // Row i: the distribution of tomorrow's weather, given today's.
  const TransitionMatrix weather({{0.4, 0.6}, {0.5, 0.5}}, {"rain", "sun"});
  const std::vector<double> pi = stationary_distributions(weather)[0];
  std::cout << "stationary: " << pi[0] << " " << pi[1] << "\n";  // 5 : 6
  std::cout << "rain in a week: " << weather.evolve({1, 0}, 7)[0] << "\n";
  std::cout << "spectral gap: " << spectrum(weather).gap << ", mixing time: " << *mixing_time(weather) << "\n";

  // Metropolis' rule on two states, always proposing the other one.
  const TransitionMatrix metropolis = metropolis_hastings_matrix({0.2, 0.8}, TransitionMatrix({{0, 1}, {1, 0}}));
  std::cout << "metropolis: " << metropolis(1, 0) << " " << metropolis(1, 1) << "\n";  // 1/4 and 3/4
  std::cout << "in detailed balance: " << detailed_balance(metropolis, {0.2, 0.8}).reversible << "\n";

  // Maximum likelihood from two sequences of the symbols 0 and 1.
  const Fit fitted = fit({{0, 1, 1, 0, 1}, {1, 1}});
  std::cout << "P(1 | 1) = " << fitted.chain.probability(1, 1) << "\n";  // two of three
}
