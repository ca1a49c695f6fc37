// Simulated chains: their shares are those of the powers of the matrix, their paths reproducible, and the mean over
// time is the mean over chains. Standard errors: 6.22 of them, false alarm 5e-10 each.
#include "manychain/markov/simulate.hpp"

#include <algorithm>

#include "unit/markov/expect.hpp"

namespace manychain::markov::test {
namespace {

constexpr double threshold = 6.22;
const TransitionMatrix weather = two_states(0.6, 0.5), walk = ring(4, 0.5, 0.5);

TEST(Simulator, PathsDependOnSeedChainAndTimeAlone) {
  const Simulator simulator(weather, {0.5, 0.5}, 7);
  const Sequence path = simulator.path(3, 200);
  ASSERT_EQ(path.size(), 201u);
  Sequence begin = simulator.path(3, 50);
  EXPECT_TRUE(std::equal(begin.begin(), begin.end(), path.begin()));
  EXPECT_NE(simulator.path(4, 200), path);
  EXPECT_NE(Simulator(weather, {0.5, 0.5}, 8).path(3, 200), path);
  for (std::size_t chains : {4, 9}) {  // that of ergodic_averages() is the same
    double ones = 0;
    for (std::size_t t = 1; t <= 200; ++t) ones += path[t] == 1;
    EXPECT_DOUBLE_EQ(ergodic_averages(weather, {0.5, 0.5}, chains, 200, 7).over_time(3, 1), ones / 200);
  }
}

TEST(Simulator, ImpossibleStepsAreNeverTaken) {
  const Sequence path = Simulator(walk, {0, 1, 0, 0}, 1).path(0, 1000);
  EXPECT_EQ(path[0], 1u);
  for (std::size_t t = 0; t + 1 < path.size(); ++t) EXPECT_GT(walk(path[t], path[t + 1]), 0);
}

TEST(ErgodicAverages, OverChainsAreThePowersOfTheMatrix) {
  const std::size_t chains = 20'000;
  for (std::uint64_t steps : {1, 2, 3}) {
    const ErgodicAverages averages = ergodic_averages(weather, {1, 0}, chains, steps, 2);
    const double p = weather.evolve({1, 0}, steps)[0];
    EXPECT_LT(std::fabs(averages.over_chains[0] - p), threshold * std::sqrt(p * (1 - p) / double(chains)));
    EXPECT_NEAR(averages.over_chains[0] + averages.over_chains[1], 1, 1e-12);
  }
}

// Over time, the variance of a share is pi_0 pi_1 (1 + l) / (1 - l) / n, l = -0.1 the second eigenvalue.
TEST(ErgodicAverages, TimeAverageIsSpaceAverage) {
  const std::uint64_t steps = 20'000;
  const ErgodicAverages averages = ergodic_averages(weather, {1, 0}, 50, steps, 3);
  const std::vector<double> f = {-1, 2};
  const double pi = 5.0 / 11, known = 2 - 3 * pi;
  const double error = 3 * std::sqrt(pi * (1 - pi) * 0.9 / 1.1 / double(steps));
  double all = 0;
  for (std::size_t c = 0; c < 50; ++c) {
    EXPECT_LT(std::fabs(averages.mean_over_time(f, c) - known), threshold * error) << c;
    all += averages.mean_over_time(f, c) / 50;
  }
  EXPECT_LT(std::fabs(all - known), threshold * error / std::sqrt(50.0));
  EXPECT_NEAR(averages.mean_over_chains(f), -averages.over_chains[0] + 2 * averages.over_chains[1], 1e-12);
}

// A periodic chain has the time average, and no limit over chains.
TEST(ErgodicAverages, OfAPeriodicChain) {
  const ErgodicAverages averages = ergodic_averages(walk, {1, 0, 0, 0}, 1000, 1000, 4);
  EXPECT_EQ(averages.over_chains[1] + averages.over_chains[3], 0);  // after an even number of steps
  for (std::size_t c = 0; c < 1000; ++c) EXPECT_DOUBLE_EQ(averages.over_time(c, 0) + averages.over_time(c, 2), 0.5);
}

TEST(ErgodicAverages, BadInputIsRefused) {
  EXPECT_EQ(error_of([] { Simulator(weather, {1, 0, 0}, 1); }).find("initial: 3 entries for 2 states"), 0u);
  EXPECT_EQ(error_of([] { Simulator(weather, {0.5, 0.6}, 1); }).find("initial: the sum is 1.1"), 0u);
  EXPECT_EQ(error_of([] { ergodic_averages(weather, {1, 0}, 0, 1, 1); }).find("chains: 0 is not allowed"), 0u);
  EXPECT_EQ(error_of([] { ergodic_averages(weather, {1, 0}, 1, 0, 1); }).find("steps: 0 is not allowed"), 0u);
  EXPECT_EQ(error_of([] {
              ergodic_averages(weather, {1, 0}, std::size_t{1} << 40, 1, 1);
            }).find("chains: 1099511627776"),
            0u);
  const ErgodicAverages averages = ergodic_averages(weather, {1, 0}, 2, 1, 1);
  EXPECT_EQ(error_of([&] { averages.mean_over_time({1, 2}, 2); }).find("chain 2: there are 2"), 0u);
  EXPECT_EQ(error_of([&] { averages.mean_over_chains({1}); }).find("f: 1 values for 2 states"), 0u);
}

}  // namespace
}  // namespace manychain::markov::test
