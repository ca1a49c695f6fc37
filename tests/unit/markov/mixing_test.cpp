// Spectral gaps and mixing times, against closed forms.
#include "manychain/markov/mixing.hpp"

#include <numbers>

#include "unit/markov/expect.hpp"

namespace manychain::markov::test {
namespace {

constexpr double pi = std::numbers::pi;

TEST(TotalVariation, HalfTheSumOfDifferences) {
  EXPECT_DOUBLE_EQ(total_variation({0.5, 0.5, 0}, {0.2, 0.3, 0.5}), 0.5);
  EXPECT_EQ(total_variation({1, 0}, {0, 1}), 1);
  EXPECT_EQ(error_of([] { total_variation({1}, {0, 1}); }), "total variation: 1 and 2 entries");
}

TEST(Spectrum, TwoStates) {
  const Spectrum s = spectrum(two_states(0.6, 0.5));
  EXPECT_NEAR(s.second_modulus, 0.1, 1e-15);
  EXPECT_NEAR(s.gap, 0.9, 1e-15);
  EXPECT_NEAR(s.relaxation_time, 1 / 0.9, 1e-14);
}

TEST(Spectrum, OneState) { EXPECT_EQ(spectrum(TransitionMatrix(Rows{{1}})).gap, 1); }

// Eigenvalues 1 - p + p cos(2 pi k / n) (Levin, Peres and Wilmer, section 12.3.1).
TEST(Spectrum, WalksOnARing) {
  for (std::size_t n : {5, 9, 32}) {
    EXPECT_NEAR(spectrum(ring(n, 0.25, 0.25)).gap, (1 - std::cos(2 * pi / double(n))) / 2, 1e-14) << "lazy, " << n;
  }
  EXPECT_NEAR(spectrum(ring(9, 0.5, 0.5)).gap, 1 - std::cos(pi / 9), 1e-14) << "the one near -1 counts";
  EXPECT_NEAR(spectrum(ring(8, 0.4, 0.4)).second_modulus, 0.2 + 0.8 * std::cos(2 * pi / 8), 1e-14);
}

// Eigenvalues p w^k + q w^-k with w = exp(2 pi i / n), here complex.
TEST(Spectrum, OfAnIrreversibleChain) {
  EXPECT_NEAR(spectrum(ring(3, 0.9, 0.1)).second_modulus, std::sqrt(0.73), 1e-14);
}

TEST(Spectrum, IsZeroWhereTheChainDoesNotConverge) {
  for (const TransitionMatrix& p : {ring(6, 0.5, 0.5), ring(5, 1, 0), two_ends()}) {
    EXPECT_EQ(spectrum(p).gap, 0);
    EXPECT_EQ(spectrum(p).relaxation_time, INFINITY);
    EXPECT_EQ(mixing_time(p), std::nullopt);
  }
  EXPECT_EQ(error_of([] { distance_from_stationarity(two_ends(), 3); }),
            "distance from stationarity: the chain does not converge to one distribution");
}

TEST(Spectrum, CountsTransientStates) {
  // Triangular: the eigenvalues are on the diagonal.
  const TransitionMatrix p(Rows{{0.7, 0.2, 0.1}, {0, 0.4, 0.6}, {0, 0, 1}});
  EXPECT_NEAR(spectrum(p).second_modulus, 0.7, 1e-15);
  // From the first state the last is missed after n steps with probability P^n(1,1) + P^n(1,2) <= 1/4:
  // 0.7^n + 0.2 (0.7^n - 0.4^n) / 0.3.
  std::uint64_t n = 0;
  while (std::pow(0.7, n) + 0.2 * (std::pow(0.7, n) - std::pow(0.4, n)) / 0.3 > 0.25) ++n;
  EXPECT_EQ(mixing_time(p), n);
}

TEST(MixingTime, TwoStates) {
  // d(n) = |1 - a - b|^n max(a, b) / (a + b).
  const auto expected = [](double a, double b, double epsilon) {
    std::uint64_t n = 0;
    const double scale = std::max(a, b) / (a + b);
    if (scale > epsilon) n = std::uint64_t(std::ceil(std::log(epsilon / scale) / std::log(std::fabs(1 - a - b))));
    return n;
  };
  EXPECT_EQ(mixing_time(two_states(0.6, 0.5)), 1u);
  for (const auto& [a, b] : {std::pair{0.6, 0.5}, {0.01, 0.03}, {0.95, 0.99}, {1e-5, 3e-6}, {1e-3, 0.5}}) {
    for (double epsilon : {0.25, 0.1, 0.9, 1e-6}) {
      EXPECT_EQ(mixing_time(two_states(a, b), epsilon), expected(a, b, epsilon)) << a << " " << b << " " << epsilon;
    }
    EXPECT_NEAR(distance_from_stationarity(two_states(a, b), 7),
                std::pow(std::fabs(1 - a - b), 7) * std::max(a, b) / (a + b), 1e-15);
  }
  // 1e12 steps are found as quickly, if not to the step.
  const double slow = double(*mixing_time(two_states(1e-12, 1e-12)));
  EXPECT_NEAR(slow / (std::log(2) / 2e-12), 1, 1e-6);
}

TEST(MixingTime, EqualityCounts) {
  EXPECT_EQ(mixing_time(two_states(0.25, 0.25), 0.25), 1u) << "d(1) = 1/4";
  EXPECT_EQ(mixing_time(two_states(0.25, 0.25), 0.125), 2u);
  EXPECT_EQ(mixing_time(two_states(0.25, 0.25), 0.5), 0u);
  EXPECT_EQ(mixing_time(TransitionMatrix(Rows{{1}})), 0u);
}

/// Coefficient of z^k in (1 - z)^j (1 + z)^(d - j): Krawtchouk's polynomial.
double krawtchouk(int d, int k, int j) {
  double sum = 0;
  for (int i = 0; i <= k; ++i) {
    const auto choose = [](int n, int m) {
      double c = m > n ? 0 : 1;
      for (int l = 0; l < m && m <= n; ++l) c = c * (n - l) / (l + 1);
      return c;
    };
    sum += (i % 2 ? -1 : 1) * choose(j, i) * choose(d - j, k - i);
  }
  return sum;
}

// The lazy walk on the hypercube: eigenvalues 1 - k/d, P^n(0, x) = 2^-d sum_k (1 - k/d)^n K_k(|x|)
// (Levin, Peres and Wilmer, section 12.4).
TEST(MixingTime, LazyHypercube) {
  const int d = 6;
  const std::size_t size = std::size_t{1} << d;
  Rows rows(size, std::vector<double>(size, 0));
  for (std::size_t x = 0; x < size; ++x) {
    rows[x][x] = 0.5;
    for (int b = 0; b < d; ++b) rows[x][x ^ (std::size_t{1} << b)] = 0.5 / d;
  }
  const TransitionMatrix p(rows);
  EXPECT_NEAR(spectrum(p).gap, 1.0 / d, 1e-14);
  const auto distance = [&](int n) {
    double sum = 0;
    for (int j = 0; j <= d; ++j) {
      double difference = 0;
      for (int k = 1; k <= d; ++k) difference += std::pow(1 - double(k) / d, n) * krawtchouk(d, k, j);
      sum += std::fabs(krawtchouk(d, j, 0) * difference) / double(size);
    }
    return sum / 2;
  };
  for (double epsilon : {0.25, 0.01}) {
    int n = 0;
    while (distance(n) > epsilon) ++n;
    EXPECT_EQ(mixing_time(p, epsilon), std::uint64_t(n));
    EXPECT_NEAR(distance_from_stationarity(p, std::uint64_t(n)), distance(n), 1e-14);
  }
}

TEST(MixingTime, RefusesABadEpsilon) {
  for (double epsilon : {0.0, -1.0, 1.0, 1e-12, double(NAN)}) {
    EXPECT_NE(error_of([&] { mixing_time(two_states(0.5, 0.5), epsilon); }).find("epsilon: "), std::string::npos);
  }
}

}  // namespace
}  // namespace manychain::markov::test
