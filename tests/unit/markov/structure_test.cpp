// Classes, periods and recurrence of chains whose structure is known by construction.
#include "manychain/markov/structure.hpp"

#include <algorithm>
#include <numeric>

#include "unit/markov/expect.hpp"

namespace manychain::markov::test {
namespace {

using States = std::vector<std::size_t>;

TEST(Structure, TwoStates) {
  const Structure s = structure(two_states(0.6, 0.5));
  EXPECT_TRUE(s.irreducible());
  EXPECT_TRUE(s.regular());
  EXPECT_TRUE(s.converges());
  EXPECT_TRUE(s.recurrent(0));
  EXPECT_EQ(s.period(1), 1u);
}

TEST(Structure, OneState) {
  const Structure s = structure(TransitionMatrix(Rows{{1}}));
  EXPECT_TRUE(s.regular());
  EXPECT_EQ(s.classes.size(), 1u);
}

TEST(Structure, ACycleHasItsLengthAsPeriod) {
  for (std::size_t n : {2, 3, 7, 12}) {
    const Structure s = structure(ring(n, 1, 0));
    EXPECT_TRUE(s.irreducible());
    EXPECT_FALSE(s.regular());
    EXPECT_FALSE(s.converges());
    EXPECT_EQ(s.period(0), n);
  }
  EXPECT_EQ(structure(ring(6, 0.5, 0.5)).period(0), 2u);
  EXPECT_EQ(structure(ring(7, 0.5, 0.5)).period(0), 1u) << "an odd ring closes in 7 steps as in 2";
  EXPECT_EQ(structure(ring(6, 0.5, 0.25)).period(0), 1u) << "it may stay";
}

TEST(Structure, APeriodIsAGreatestCommonDivisor) {
  // Ways back to state 0 of length 4 and 6, through 1 2 3 and 4 5 6 7 8.
  Rows rows(9, std::vector<double>(9, 0));
  rows[0][1] = rows[0][4] = 0.5;
  rows[1][2] = rows[2][3] = rows[3][0] = 1;
  rows[4][5] = rows[5][6] = rows[6][7] = rows[7][8] = rows[8][0] = 1;
  EXPECT_EQ(structure(TransitionMatrix(rows)).period(5), 2u);
  rows[8] = std::vector<double>(9, 0);
  rows[8][1] = 1;  // 4 and 9
  const Structure s = structure(TransitionMatrix(rows));
  EXPECT_EQ(s.period(0), 1u);
  EXPECT_TRUE(s.regular());
}

TEST(Structure, ClassesInOrder) {
  const Structure s = structure(two_ends());
  ASSERT_EQ(s.classes.size(), 3u);
  EXPECT_EQ(s.classes[0].states, (States{0, 1}));
  EXPECT_EQ(s.classes[1].states, (States{2}));
  EXPECT_EQ(s.classes[2].states, (States{3, 4}));
  EXPECT_FALSE(s.classes[0].closed);
  EXPECT_TRUE(s.classes[1].closed);
  EXPECT_TRUE(s.classes[2].closed);
  EXPECT_EQ(s.class_of, (States{0, 0, 1, 2, 2}));
  EXPECT_EQ(s.closed_classes(), 2u);
  EXPECT_FALSE(s.recurrent(1));
  EXPECT_TRUE(s.recurrent(4));
  EXPECT_FALSE(s.irreducible());
  EXPECT_FALSE(s.converges());
}

TEST(Structure, AStateThatIsNeverEnteredAgainHasNoPeriod) {
  const Structure s = structure(TransitionMatrix(Rows{{0, 1}, {0, 1}}));
  EXPECT_EQ(s.period(0), 0u);
  EXPECT_FALSE(s.recurrent(0));
  EXPECT_FALSE(s.regular());
  EXPECT_TRUE(s.converges()) << "to the second state, wherever it starts";
}

// Against powers of the pattern: i and j communicate if some power up to S leads there and back, and the period is the
// gcd of the powers up to S^2 - 2S + 2 + S that return (Wielandt's bound for the first of them that is positive).
TEST(Structure, AgreesWithPowersOfThePattern) {
  std::uint64_t state = 12345;
  const auto random = [&] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t n = 1 + random() % 6;
    Rows rows(n, std::vector<double>(n, 0));
    for (std::vector<double>& row : rows) {
      const std::size_t edges = 1 + random() % 2;
      for (std::size_t e = 0; e < edges; ++e) row[random() % n] = 1;
      const double sum = std::accumulate(row.begin(), row.end(), 0.0);
      for (double& x : row) x /= sum;
    }
    const Structure s = structure(TransitionMatrix(rows));
    std::vector<std::vector<bool>> power(n, std::vector<bool>(n)), reach(n, std::vector<bool>(n));
    States period(n, 0);
    for (std::size_t i = 0; i < n; ++i) power[i][i] = reach[i][i] = true;
    for (std::size_t k = 1; k <= n * n + n; ++k) {
      std::vector<std::vector<bool>> next(n, std::vector<bool>(n));
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t m = 0; m < n; ++m) {
          for (std::size_t j = 0; j < n; ++j) next[i][j] = next[i][j] || (power[i][m] && rows[m][j] > 0);
        }
      }
      power = next;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) reach[i][j] = reach[i][j] || power[i][j];
        if (power[i][i]) period[i] = std::gcd(period[i], k);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      bool closed = true;
      for (std::size_t j = 0; j < n; ++j) {
        EXPECT_EQ(s.class_of[i] == s.class_of[j], reach[i][j] && reach[j][i]);
        closed = closed && (!reach[i][j] || reach[j][i]);
      }
      EXPECT_EQ(s.recurrent(i), closed);
      EXPECT_EQ(s.period(i), period[i]);
    }
  }
}

}  // namespace
}  // namespace manychain::markov::test
