// The birth-death chain on 0, 1, 2, ..., and its truncations.
#include "manychain/markov/birth_death.hpp"

#include "manychain/markov/mixing.hpp"
#include "manychain/markov/stationary.hpp"
#include "unit/markov/expect.hpp"

namespace manychain::markov::test {
namespace {

TEST(BirthDeath, IsPositiveRecurrentForPAboveQAndNotOtherwise) {
  EXPECT_EQ(BirthDeath(0.6).recurrence(), Recurrence::positive_recurrent);
  EXPECT_EQ(BirthDeath(0.5).recurrence(), Recurrence::null_recurrent);
  EXPECT_EQ(BirthDeath(0.4).recurrence(), Recurrence::transient);
  EXPECT_EQ(BirthDeath(0.2, 0.1).recurrence(), Recurrence::positive_recurrent);
  EXPECT_EQ(BirthDeath(0.2, 0.2).recurrence(), Recurrence::null_recurrent);
  EXPECT_TRUE(BirthDeath(0.6).has_stationary_distribution());
  EXPECT_FALSE(BirthDeath(0.5).has_stationary_distribution());
  EXPECT_FALSE(BirthDeath(0.4).has_stationary_distribution());
}

TEST(BirthDeath, StationaryDistribution) {
  for (const BirthDeath& chain : {BirthDeath(0.6), BirthDeath(0.3, 0.2)}) {
    const double p = chain.p(), q = chain.q();
    // One step keeps it: at 0 from 0 and 1, at k from k - 1, k and k + 1.
    EXPECT_NEAR(chain.stationary(0), (1 - q) * chain.stationary(0) + p * chain.stationary(1), 1e-15);
    double sum = chain.stationary(0), mean = 0;
    for (std::size_t k = 1; k < 400; ++k) {
      EXPECT_NEAR(chain.stationary(k),
                  q * chain.stationary(k - 1) + (1 - p - q) * chain.stationary(k) + p * chain.stationary(k + 1), 1e-15);
      sum += chain.stationary(k);
      mean += double(k) * chain.stationary(k);
    }
    EXPECT_NEAR(sum, 1, 1e-13);
    EXPECT_NEAR(chain.stationary_mean(), mean, 1e-12);
  }
  EXPECT_NEAR(BirthDeath(0.75).stationary(0), 2 / 3., 1e-15);
  EXPECT_NE(error_of([] { BirthDeath(0.5).stationary(0); }).find("only for p > q"), std::string::npos);
}

TEST(BirthDeath, Hitting) {
  EXPECT_EQ(BirthDeath(0.6).hitting_probability(5), 1);
  EXPECT_EQ(BirthDeath(0.5).hitting_probability(5), 1);
  EXPECT_NEAR(BirthDeath(0.4).hitting_probability(2), 4 / 9., 1e-15);
  EXPECT_NEAR(BirthDeath(0.6).expected_hitting_time(3), 15, 1e-13);
  EXPECT_EQ(BirthDeath(0.5).expected_hitting_time(1), INFINITY);
  EXPECT_EQ(BirthDeath(0.5).expected_hitting_time(0), 0);
}

TEST(BirthDeath, Truncated) {
  const TransitionMatrix p = BirthDeath(0.6).truncate(3);
  expect_near(p.matrix(), {{0.6, 0.4, 0}, {0.6, 0, 0.4}, {0, 0.6, 0.4}}, 1e-15);
  EXPECT_EQ(p.name(0), "0");
  expect_near(BirthDeath(0.3, 0.2).truncate(1).matrix(), {{1}}, 0);
  for (double down : {0.75, 0.5, 0.3}) {
    const TransitionMatrix whole = BirthDeath(down).truncate(30);
    EXPECT_TRUE(structure(whole).regular());
    EXPECT_TRUE(detailed_balance(whole).reversible);
    const std::vector<double> pi = stationary_distributions(whole)[0];
    for (std::size_t k = 1; k < 30; ++k) EXPECT_NEAR(pi[k] / pi[k - 1], (1 - down) / down, 1e-12);
  }
  // With many states it is the whole chain's.
  const std::vector<double> pi = stationary_distributions(BirthDeath(0.75).truncate(60))[0];
  for (std::size_t k = 0; k < 30; ++k) EXPECT_NEAR(pi[k], BirthDeath(0.75).stationary(k), 1e-15);
}

// With reflection at both ends the eigenvalues are 1 and 2 sqrt(pq) cos(pi k / n), k = 1 .. n - 1 (Feller, An
// Introduction to Probability Theory, volume 1, section XVI.3).
TEST(BirthDeath, SpectrumOfATruncation) {
  EXPECT_NEAR(spectrum(BirthDeath(0.7).truncate(12)).second_modulus, 2 * std::sqrt(0.21) * std::cos(M_PI / 12), 1e-14);
}

TEST(BirthDeath, RefusesWhatIsNoProbability) {
  for (const auto& [p, q] : {std::pair{0.0, 0.5}, {0.5, 0.0}, {0.7, 0.4}, {-0.1, 0.5}, {double(NAN), 0.5}}) {
    EXPECT_NE(error_of([&, a = p, b = q] { BirthDeath(a, b); }).find("both must be positive and their sum at most 1"),
              std::string::npos);
  }
  EXPECT_NE(error_of([] { BirthDeath(0.6).truncate(0); }).find("0 states are not allowed"), std::string::npos);
}

}  // namespace
}  // namespace manychain::markov::test
