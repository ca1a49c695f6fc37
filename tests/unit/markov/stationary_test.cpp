// Stationary distributions, absorption and detailed balance, against closed forms.
#include "manychain/markov/stationary.hpp"

#include <Eigen/Dense>

#include "unit/markov/expect.hpp"

namespace manychain::markov::test {
namespace {

TEST(Stationary, TwoStates) {
  const auto all = stationary_distributions(two_states(0.6, 0.5));
  ASSERT_EQ(all.size(), 1u);
  expect_near(all[0], {5 / 11., 6 / 11.}, 1e-15);
}

TEST(Stationary, OneForEachClosedClass) {
  const auto all = stationary_distributions(two_ends());
  ASSERT_EQ(all.size(), 2u);
  expect_near(all[0], {0, 0, 1, 0, 0}, 0);
  expect_near(all[1], {0, 0, 0, 2 / 3., 1 / 3.}, 1e-15);
  for (const auto& pi : all) EXPECT_LT(invariance_error(two_ends(), pi), 1e-15);
}

TEST(Stationary, OfAPeriodicChain) {
  expect_near(stationary_distributions(ring(5, 1, 0))[0], {0.2, 0.2, 0.2, 0.2, 0.2}, 1e-15);
}

// Round a ring the flow is the same across each edge: pi is proportional to 1 / rate.
TEST(Stationary, NearlyReducible) {
  const double a = 1e-18, b = 0.3, c = 1e-9;
  const TransitionMatrix p(Rows{{1 - a, a, 0}, {0, 1 - b, b}, {c, 0, 1 - c}});
  const double sum = 1 / a + 1 / b + 1 / c;
  EXPECT_LT(relative_error(stationary_distributions(p)[0], {1 / a / sum, 1 / b / sum, 1 / c / sum}), 1e-15);
}

/// A walk on symmetric weights w has pi_i proportional to their sum at i. Two blocks of four, coupled by one weight.
Eigen::MatrixXd coupled_blocks(double coupling) {
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(8, 8);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (i / 4 == j / 4) w(i, j) = (1 + std::min(i, j) % 3 + std::max(i, j) % 4) * (i < 4 ? 1 : 1e-5);
    }
  }
  w(1, 6) = w(6, 1) = coupling;
  return w;
}

TEST(Stationary, KeepsRelativeAccuracyWhereASolverLosesIt) {
  const Eigen::MatrixXd w = coupled_blocks(1e-19);
  Matrix p(8, 8, 0);
  std::vector<double> expected(8);
  for (int i = 0; i < 8; ++i) {
    expected[std::size_t(i)] = w.row(i).sum() / w.sum();
    for (int j = 0; j < 8; ++j) p(std::size_t(i), std::size_t(j)) = w(i, j) / w.row(i).sum();
  }
  EXPECT_LT(relative_error(stationary_distributions(TransitionMatrix(p))[0], expected), 1e-14);

  // By LU of P' - I, with one equation replaced by the sum, errors are large.
  Eigen::MatrixXd a(8, 8);
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) a(i, j) = p(std::size_t(j), std::size_t(i)) - (i == j ? 1 : 0);
  }
  a.row(7).setOnes();
  const Eigen::VectorXd x = a.partialPivLu().solve(Eigen::VectorXd::Unit(8, 7));
  EXPECT_GT(relative_error({x.data(), x.data() + 8}, expected), 1e-4) << "this test is easier than it claims";
}

TEST(Stationary, SpansHundredsOfOrdersOfMagnitude) {
  // Up 1/2, down 1e-3 / 2: pi_k grows by a factor of 1000 with k, beyond the range of double from the first state.
  const std::size_t n = 121;
  Rows rows(n, std::vector<double>(n, 0));
  for (std::size_t k = 0; k < n; ++k) {
    if (k + 1 < n) rows[k][k + 1] = 0.5;
    if (k > 0) rows[k][k - 1] = 0.0005;
    rows[k][k] = 1 - (k + 1 < n ? 0.5 : 0) - (k > 0 ? 0.0005 : 0);
  }
  const std::vector<double> pi = stationary_distributions(TransitionMatrix(rows))[0];
  for (std::size_t k = 0; k < 100; ++k) {
    EXPECT_NEAR(pi[n - 1 - k] / (0.999 * std::pow(1000, -double(k))), 1, 1e-12) << k;
  }
}

TEST(Stationary, RefusesWhatUnderflows) {
  const double tiny = 1e-200;
  const TransitionMatrix p(Rows{{1 - tiny, tiny, 0, 0}, {tiny, 1 - tiny, 0, 0}, {0, 0.5, 0.5, 0}, {0.5, 0, 0, 0.5}});
  EXPECT_EQ(stationary_distributions(p).size(), 1u);
  const TransitionMatrix q(Rows{{1, tiny, 0, 0}, {0, 1, tiny, 0}, {0, 0.5, 0, 0.5}, {tiny, 1 - tiny, 0, 0}});
  EXPECT_NE(error_of([&] { stationary_distributions(q); }).find("too improbable for double precision"),
            std::string::npos);
}

TEST(Absorption, ByHand) {
  // h_1 = 0.2 h_1 + 0.3 h_2 + 0.1 and h_2 = 0.5 h_1 + 0.25 for the end in state 3.
  expect_near(absorption_probabilities(two_ends()), {{7 / 26., 19 / 26.}, {5 / 13., 8 / 13.}, {1, 0}, {0, 1}, {0, 1}},
              1e-15);
}

TEST(Absorption, OfAnIrreducibleChainIsCertain) {
  expect_near(absorption_probabilities(two_states(0.6, 0.5)), {{1}, {1}}, 0);
}

// The gambler's ruin: from k of n the probability of ruin is (r^k - r^n) / (1 - r^n), r = down / up (Norris, 1.3.3).
TEST(Absorption, GamblersRuin) {
  const std::size_t n = 40;
  const double up = 0.6, r = 0.4 / 0.6;
  Rows rows(n + 1, std::vector<double>(n + 1, 0));
  rows[0][0] = rows[n][n] = 1;
  for (std::size_t k = 1; k < n; ++k) {
    rows[k][k + 1] = up;
    rows[k][k - 1] = 1 - up;
  }
  const Matrix h = absorption_probabilities(TransitionMatrix(rows));
  for (std::size_t k = 1; k < n; ++k) {
    // In the form (r^k (1 - r^(n-k))) / (1 - r^n), which does not cancel.
    const double ruin = std::pow(r, double(k)) * (1 - std::pow(r, double(n - k))) / (1 - std::pow(r, double(n)));
    EXPECT_NEAR(h(k, 0) / ruin, 1, 1e-12);
    EXPECT_NEAR(h(k, 0) + h(k, 1), 1, 1e-14);
  }
}

TEST(DetailedBalance, OfTwoStatesAlways) {
  const DetailedBalance d = detailed_balance(two_states(0.6, 0.5));
  EXPECT_TRUE(d.reversible);
  EXPECT_LT(d.worst, 1e-16);
}

TEST(DetailedBalance, RoundARing) {
  const DetailedBalance d = detailed_balance(ring(3, 0.9, 0.1));
  EXPECT_FALSE(d.reversible);
  EXPECT_NEAR(d.worst, 0.8 / 3, 1e-15);
  EXPECT_NEAR(d.worst_relative, 8 / 9., 1e-14);
  EXPECT_TRUE(detailed_balance(ring(3, 0.4, 0.4)).reversible);
}

TEST(DetailedBalance, NamesTheWorstPair) {
  // Only states 2 and 3 are out of balance with the given weights: 1 x 0.25 against 2 x 0.25.
  const TransitionMatrix p(Rows{{0.5, 0.5, 0}, {0.5, 0.25, 0.25}, {0, 0.25, 0.75}});
  const DetailedBalance d = detailed_balance(p, {1, 1, 2});
  EXPECT_EQ(d.worst, 0.25);
  EXPECT_EQ(d.from, 1u);
  EXPECT_EQ(d.to, 2u);
  EXPECT_FALSE(d.reversible);
  EXPECT_TRUE(detailed_balance(p, {1, 1, 1}).reversible);
  EXPECT_NE(error_of([&] { detailed_balance(p, {1, -1, 1}); }).find("pi: entry 2 is -1"), std::string::npos);
}

TEST(DetailedBalance, SeesASmallFlowThatRunsOneWay) {
  const double e = 1e-17;
  const DetailedBalance d = detailed_balance(TransitionMatrix(Rows{{1, e, 0}, {0, 1, e}, {e, 0, 1}}));
  EXPECT_LT(d.worst, 1e-16);
  EXPECT_FALSE(d.reversible);
}

TEST(DetailedBalance, OfEachClosedClass) {
  EXPECT_TRUE(detailed_balance(two_ends()).reversible);
  const TransitionMatrix p(Rows{{1, 0, 0, 0}, {0, 0, 0.9, 0.1}, {0, 0.1, 0, 0.9}, {0, 0.9, 0.1, 0}});
  EXPECT_NEAR(detailed_balance(p).worst, 0.8 / 3, 1e-15);
}

}  // namespace
}  // namespace manychain::markov::test
