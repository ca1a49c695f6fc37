// Chains whose matrix changes with time: products, what is forgotten, limits. Two states have closed forms: the second
// eigenvalue of a product is the product of the second eigenvalues 1 - a - b.
#include "manychain/markov/inhomogeneous.hpp"

#include "manychain/markov/mixing.hpp"
#include "manychain/markov/simulate.hpp"
#include "manychain/markov/stationary.hpp"
#include "unit/markov/expect.hpp"

namespace manychain::markov::test {
namespace {

const TransitionMatrix flip = two_states(1, 1), slow = two_states(0.1, 0.2), fast = two_states(0.6, 0.5);

TEST(Dobrushin, OfTwoStatesIsTheSecondEigenvalue) {
  EXPECT_NEAR(dobrushin_coefficient(slow), 0.7, 1e-15);
  EXPECT_NEAR(dobrushin_coefficient(fast), 0.1, 1e-15) << "1 - 0.6 - 0.5 = -0.1";
  EXPECT_EQ(dobrushin_coefficient(flip), 1);
  EXPECT_EQ(dobrushin_coefficient(TransitionMatrix(Rows{{1}})), 0);
}

// Rows 1 and 3 do not meet, (0.5, 0.5, 0) and (0, 0, 1): one. Without the third state: |0.5 - 0.25| = 0.25.
TEST(Dobrushin, IsTheLargestDistanceOfTwoRows) {
  EXPECT_EQ(dobrushin_coefficient(TransitionMatrix(Rows{{0.5, 0.5, 0}, {0.25, 0.75, 0}, {0, 0, 1}})), 1);
  EXPECT_EQ(dobrushin_coefficient(TransitionMatrix(Rows{{0.5, 0.5, 0}, {0.25, 0.75, 0}, {0.5, 0.5, 0}})), 0.25);
}

TEST(InhomogeneousChain, TakesTheMatricesInTheirOrder) {
  const InhomogeneousChain chain({flip, slow, fast}, 2);
  const std::size_t expected[] = {0, 1, 2, 1, 2, 1};
  for (std::uint64_t t = 1; t <= 6; ++t) EXPECT_EQ(chain.place(t), expected[t - 1]) << t;
  EXPECT_EQ(InhomogeneousChain({flip, slow}).place(1000), 1u) << "the last one stays";
  EXPECT_EQ(InhomogeneousChain({flip, slow}, 2).place(1000), 1u);
  EXPECT_EQ(InhomogeneousChain({flip, slow}, 2).place(1001), 0u);
}

// By rounds and one after another: from any time, to any time.
TEST(InhomogeneousChain, ProductsAreThoseOfTheSteps) {
  const InhomogeneousChain chain({ring(3, 0.9, 0.1), ring(3, 0.2, 0.3), ring(3, 0.5, 0.25), ring(3, 0, 1)}, 3);
  for (std::uint64_t from : {0, 1, 2, 5}) {
    for (std::uint64_t to = from; to < from + 12; ++to) {
      const TransitionMatrix product = chain.product(from, to);
      for (std::size_t i = 0; i < 3; ++i) {
        std::vector<double> x(3, 0);
        x[i] = 1;
        for (std::uint64_t t = from + 1; t <= to; ++t) x = chain.matrices()[chain.place(t)].evolve(x);
        expect_near({product.matrix().row(i), product.matrix().row(i) + 3}, x, 1e-15);
        if (from == 0) {
          std::vector<double> start(3, 0);
          start[i] = 1;
          expect_near(chain.evolve(start, to), x, 1e-15);
        }
      }
    }
  }
}

TEST(InhomogeneousChain, OneMatrixIsAnOrdinaryChain) {
  const InhomogeneousChain chain({slow});
  for (std::uint64_t n : {0, 1, 7, 1'000'000'000}) {
    EXPECT_EQ(chain.product(0, n).matrix(), slow.power(n).matrix()) << n;
    EXPECT_EQ(chain.evolve({1, 0}, n), slow.evolve({1, 0}, n)) << n;
  }
  const LongRun run = long_run(chain);
  EXPECT_TRUE(run.settles);
  expect_near(run.limits[0], stationary_distributions(slow)[0], 0);
}

// Steps that shrink: lambda_t = 1 - 1/t^2 from t = 2 on. The product (n + 1) / (2 n) does not vanish, though no single
// matrix keeps anything for ever; with 1 - 1/t it does, as 1/n.
TEST(InhomogeneousChain, ForgetsIfTheProductOfTheCoefficientsVanishes) {
  std::vector<TransitionMatrix> squares, inverses;
  for (int t = 2; t <= 400; ++t) {
    squares.push_back(two_states(0.5 / t / t, 0.5 / t / t));
    inverses.push_back(two_states(0.5 / t, 0.5 / t));
  }
  EXPECT_NEAR(dobrushin_coefficient(InhomogeneousChain(squares).product(0, 399)), 401 / 800.0, 1e-13);
  EXPECT_NEAR(dobrushin_coefficient(InhomogeneousChain(inverses).product(0, 399)), 1 / 400.0, 1e-13);
}

// Two matrices in turn. The round has the eigenvalue 0.7 * -0.1; pi solves pi = pi slow fast: with x the share of state
// 1, slow takes x to 0.2 + 0.7 x, fast x to 0.5 - 0.1 x, so that x = 0.48 - 0.07 x.
TEST(LongRun, OfAPeriodicChainGoesRoundItsLimits) {
  const InhomogeneousChain chain({slow, fast}, 2);
  const LongRun run = long_run(chain);
  EXPECT_TRUE(run.forgets_start);
  EXPECT_FALSE(run.settles);
  const double x = 0.48 / 1.07, y = 0.2 + 0.7 * x;
  ASSERT_EQ(run.limits.size(), 2u);
  expect_near(run.limits[0], {y, 1 - y}, 1e-15);
  expect_near(run.limits[1], {x, 1 - x}, 1e-15);
  expect_near(chain.evolve({1, 0}, 1001), run.limits[0], 1e-14);
  expect_near(chain.evolve({0, 1}, 1'000'000'000'000), run.limits[1], 1e-14);
}

TEST(LongRun, SettlesWhereTheMatricesShareAStationaryDistribution) {
  const LongRun run = long_run(InhomogeneousChain({flip, slow, slow.power(2), slow.power(5)}, 3));
  EXPECT_TRUE(run.settles) << "and what comes before does not matter";
  EXPECT_EQ(run.limits.size(), 3u);
  for (const auto& limit : run.limits) expect_near(limit, {2 / 3., 1 / 3.}, 1e-14);
  EXPECT_TRUE(long_run(InhomogeneousChain({slow, fast})).settles) << "the last one stays";
}

// Neither matrix is irreducible, but one after the other they mix all; two swaps are the identity.
TEST(LongRun, IsThatOfTheRound) {
  const TransitionMatrix left(Rows{{0.5, 0.5, 0}, {0.5, 0.5, 0}, {0, 0, 1}}),
      right(Rows{{1, 0, 0}, {0, 0.5, 0.5}, {0, 0.5, 0.5}});
  EXPECT_FALSE(long_run(InhomogeneousChain({left})).forgets_start);
  const LongRun run = long_run(InhomogeneousChain({left, right}, 2));
  EXPECT_TRUE(run.settles);
  expect_near(run.limits[0], {1 / 3., 1 / 3., 1 / 3.}, 1e-14);
  const LongRun swaps = long_run(InhomogeneousChain({slow, flip, flip}, 2));
  EXPECT_FALSE(swaps.forgets_start);
  EXPECT_TRUE(swaps.limits.empty());
}

// Shares over chains are those of the product, within 6.22 standard errors (5e-10 each); a chain of one matrix draws
// the same path as ever.
TEST(Simulator, FollowsTheMatrices) {
  const InhomogeneousChain chain({flip, slow, fast}, 2);
  const std::size_t chains = 20'000;
  for (std::uint64_t steps : {1, 2, 3, 6}) {
    const ErgodicAverages averages = ergodic_averages(chain, {1, 0}, chains, steps, 2);
    const double p = chain.evolve({1, 0}, steps)[0];
    EXPECT_LE(std::fabs(averages.over_chains[0] - p), 6.22 * std::sqrt(p * (1 - p) / double(chains))) << steps;
  }
  EXPECT_EQ(Simulator(InhomogeneousChain({fast}), {0.5, 0.5}, 7).path(3, 100),
            Simulator(fast, {0.5, 0.5}, 7).path(3, 100));
  EXPECT_EQ(Simulator(InhomogeneousChain({flip, flip}, 2), {1, 0}, 7).path(0, 4), (Sequence{0, 1, 0, 1, 0}));
}

// 1, 0.7, 0.49, 0.343, 0.2401 after 1 .. 5 steps; powers of 0.99 pass 1e-4 with the 917th.
TEST(ForgettingTime, IsTheFirstTimeThatIsCloseEnough) {
  EXPECT_EQ(forgetting_time(InhomogeneousChain({flip, slow})), 5u);
  EXPECT_EQ(forgetting_time(InhomogeneousChain({slow, fast}, 2), 0.07), 2u) << "equality counts";
  EXPECT_EQ(forgetting_time(InhomogeneousChain({two_states(0.005, 0.005)}), 1e-4), 917u);
  EXPECT_EQ(forgetting_time(InhomogeneousChain({TransitionMatrix(Rows{{1}})})), 0u);
  EXPECT_EQ(forgetting_time(InhomogeneousChain({slow, flip})), std::nullopt) << "0.7 is kept for ever";
  EXPECT_EQ(forgetting_time(InhomogeneousChain({slow, flip}), 0.7), 1u);
  EXPECT_EQ(error_of([] { forgetting_time(InhomogeneousChain({flip}), 1); }).find("epsilon: 1 is not allowed"), 0u);
}

TEST(InhomogeneousChain, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { InhomogeneousChain({}); }), "transition matrices: there is none; give at least one");
  EXPECT_EQ(error_of([] {
              InhomogeneousChain({flip, ring(3, 0.5, 0.5)});
            }),
            "transition matrices: matrix 2 has 3 states, matrix 1 has 2");
  EXPECT_EQ(error_of([] {
              InhomogeneousChain({flip, TransitionMatrix(Rows{{1, 0}, {0, 1}}, {"1", "b"})});
            }),
            "transition matrices: state 2 is b in matrix 2 and 2 in matrix 1");
  for (std::size_t repeat : {0, 3}) {
    EXPECT_EQ(error_of([&] {
                InhomogeneousChain({flip, slow}, repeat);
              }).find("repeat: " + std::to_string(repeat)),
              0u);
  }
  EXPECT_EQ(error_of([] { InhomogeneousChain({flip}).product(2, 1); }).find("product: from time 2 to 1"), 0u);
  EXPECT_EQ(error_of([] { InhomogeneousChain({flip}).evolve({1}, 0); }).find("distribution: 1 entries"), 0u);
}

}  // namespace
}  // namespace manychain::markov::test
