// A finite chain and an estimate from independent draws: what manychain::markov has. Exits with 1 if they are wrong.
#include <cmath>
#include <manychain/markov/markov.hpp>
#include <manychain/montecarlo/estimate.hpp>
#include <vector>

int main() {
  const manychain::markov::TransitionMatrix weather({{0.4, 0.6}, {0.5, 0.5}}, {"rain", "sun"});
  const std::vector<double> pi = manychain::markov::stationary_distributions(weather)[0];
  const double mean = manychain::montecarlo::mean_estimate(std::vector<double>{1, 2, 6}).value;
  return std::abs(pi[0] - 5.0 / 11) < 1e-12 && std::abs(mean - 3) < 1e-12 ? 0 : 1;
}
