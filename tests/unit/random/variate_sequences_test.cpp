// Variates one after another: their distributions, and that a chain's numbers depend on no neighbour.
//
// Seeds are fixed. A distribution function is compared at Kolmogorov's distance 3.33 (false alarm 4.7e-10) over 200000
// variates: one that is off by 1.1 % anywhere is caught with a probability above 0.95. Counts and means are compared at
// 6.22 standard errors (5.0e-10).
#include <cstdint>
#include <set>

#include "manychain/model/data/view.hpp"
#include "manychain/random/lane_index.hpp"
#include "manychain/random/philox_pack.hpp"
#include "manychain/random/variates.hpp"
#include "unit/core/reals.hpp"
#include "unit/random/distribution_functions.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

constexpr std::size_t sample_size = 200'000;
constexpr double farthest = 3.33, threshold = 6.22;

/// draw(variates), four in each transition of each chain.
template <class R, class Draw>
std::vector<double> sample_of(Draw draw) {
  std::vector<double> x;
  for (std::uint64_t chain = 0; x.size() < sample_size; chain += R::lanes) {
    const Stream<R> stream(20261121, Purpose::transition, chain, chain % 31);
    Variates<R> variates(stream);
    for (int k = 0; k < 4; ++k) {
      const R y = draw(variates);
      for (int l = 0; l < R::lanes; ++l) x.push_back(double(lane(y, l)));
    }
  }
  return x;
}

TYPED_TEST(RealTest, VariatesHaveTheirDistributions) {
  using R = TypeParam;
  using V = Variates<R>;
  const auto uniform = sample_of<R>([](V& v) { return v.uniform(); });
  EXPECT_LT(kolmogorov_smirnov(uniform, [](double x) { return x; }), farthest);
  const auto normal = sample_of<R>([](V& v) { return v.normal(); });
  EXPECT_LT(kolmogorov_smirnov(normal, normal_cdf), farthest);
  const auto exponential = sample_of<R>([](V& v) { return v.exponential(); });
  EXPECT_LT(kolmogorov_smirnov(exponential, [](double x) { return -std::expm1(-x); }), farthest);
}

TYPED_TEST(RealTest, GammaVariatesHaveTheirDistribution) {
  using R = TypeParam;
  for (const double a : {0.1, 0.5, 1.0, 2.5, 50.0}) {
    const auto x = sample_of<R>([=](Variates<R>& v) { return v.gamma(R(a)); });
    EXPECT_LT(kolmogorov_smirnov(x, [=](double y) { return gamma_cdf(a, y); }), farthest) << "shape " << a;
    // Mean a, variance a, fourth central moment 3 a^2 + 6 a.
    double mean = 0, square = 0;
    for (double y : x) mean += y, square += (y - a) * (y - a);
    const double n = static_cast<double>(x.size());
    EXPECT_LT(std::fabs(mean / n - a), threshold * std::sqrt(a / n)) << "shape " << a;
    EXPECT_LT(std::fabs(square / n - a), threshold * std::sqrt((2 * a * a + 6 * a) / n)) << "shape " << a;
  }
}

// In single precision a gamma variate of shape 0.01 is zero more often than not; its logarithm is not lost.
TYPED_TEST(RealTest, LogarithmsOfGammaVariates) {
  using R = TypeParam;
  for (const double a : {0.01, 0.1, 1.0, 7.0}) {
    const auto x = sample_of<R>([=](Variates<R>& v) { return v.log_gamma(R(a)); });
    const auto cdf = [=](double l) {  // below exp(-30) the series is its first term
      return l < -30 ? std::exp(a * l - std::lgamma(a + 1)) : gamma_cdf(a, std::exp(l));
    };
    EXPECT_LT(kolmogorov_smirnov(x, cdf), farthest) << "shape " << a;
  }
}

TYPED_TEST(RealTest, BetaVariatesHaveTheirDistribution) {
  using R = TypeParam;
  for (const auto& [a, b] : {std::pair{0.5, 0.5}, {2.5, 1.0}, {50.0, 3.0}, {0.1, 4.0}}) {
    const auto x = sample_of<R>([a = a, b = b](Variates<R>& v) { return v.beta(R(a), R(b)); });
    EXPECT_LT(kolmogorov_smirnov(x, [a = a, b = b](double y) { return beta_cdf(a, b, y); }), farthest)
        << a << ", " << b;
  }
  // Both gamma variates underflow, the ratio does not.
  double above = 0;
  const auto x = sample_of<R>([](Variates<R>& v) { return v.beta(R(0.01), R(0.01)); });
  for (double y : x) {
    ASSERT_TRUE(y >= 0 && y <= 1) << y;
    above += y > 0.5;
  }
  const double n = static_cast<double>(x.size());
  EXPECT_LT(std::fabs(above / n - 0.5), threshold * std::sqrt(0.25 / n));
}

/// The variates that chain `chain` draws one after another, when lane l has shapes of its own.
template <class R>
struct Sequence {
  std::vector<std::vector<double>> x;         // [variate][lane]
  std::vector<std::vector<std::uint32_t>> w;  // [word][lane]
  explicit Sequence(std::uint64_t chain, int first_lane = 0) {
    const Stream<R> stream(5, Purpose::transition, chain, 9);
    Variates<R> v(stream);
    const auto shape = [&](double low) { return lanes_of<R>([=](int l) { return low + 0.3 * (first_lane + l); }); };
    const auto put = [&](R y) {
      x.emplace_back();
      for (int l = 0; l < R::lanes; ++l) x.back().push_back(double(lane(y, l)));
    };
    const auto put_word = [&] {
      const Bits<R> bits = v.word();
      w.emplace_back();
      for (int l = 0; l < R::lanes; ++l) w.back().push_back(bits.lane(l));
    };
    put(v.uniform());
    put(v.gamma(shape(0.2)));
    put_word();
    put(v.normal());
    put(v.gamma(R(1)));
    put_word();
    put(v.beta(shape(0.5), R(2)));
    put_word();
    put(v.exponential());
  }
};

// The shapes of the lanes differ, and so does how often they reject.
TYPED_TEST(RealTest, EveryLaneIsTheScalarOfItsChain) {
  using R = TypeParam;
  const double tolerance = sizeof(number_of<R>) == 4 ? 1e-4 : 1e-12;
  for (std::uint64_t first = 0; first < 4000; first += R::lanes) {
    const Sequence<R> pack(first);
    for (int l = 0; l < R::lanes; ++l) {
      const std::size_t k = static_cast<std::size_t>(l);
      const Sequence<Scalar<number_of<R>>> alone(first + k, l);
      for (std::size_t i = 0; i < pack.x.size(); ++i)
        ASSERT_NEAR(pack.x[i][k], alone.x[i][0], tolerance * (1e-3 + std::fabs(alone.x[i][0])))
            << "variate " << i << " of chain " << first + k;
      for (std::size_t i = 0; i < pack.w.size(); ++i) ASSERT_EQ(pack.w[i][k], alone.w[i][0]) << "word " << i;
    }
  }
}

// A gamma variate owns the words of 32 trials, a block each in single precision and two in double, from a block of its
// own on.
TYPED_TEST(RealTest, WhatFollowsAGammaVariateIsAtAKnownPlace) {
  using R = TypeParam;
  const std::uint32_t budget = sizeof(number_of<R>) == 4 ? 32 : 64;
  for (const double a : {0.05, 0.9, 1.0, 3.0, 1e4}) {
    const Stream<R> stream(17, Purpose::transition, 64, 3);
    Variates<R> v(stream, 5);
    v.gamma(R(a));  // the first uniform opens block 5
    const Bits<R> next = v.word();
    Bits<R> expected[4];
    stream.words(6 + budget, expected);
    for (int l = 0; l < R::lanes; ++l) EXPECT_EQ(next.lane(l), expected[0].lane(l)) << a;
  }
}

template <class R>
std::uint64_t first_words(const Stream<R>& stream) {
  Bits<R> words[4];
  stream.words(0, words);
  return words[0].lane(0) | std::uint64_t{words[1].lane(0)} << 32;
}

// 64 bits of some 200 streams: two are equal by chance with probability 1e-15.
TYPED_TEST(RealTest, EveryPurposeAndPartHasNumbersOfItsOwn) {
  using R = TypeParam;
  const Stream<R> whole(11, Purpose::transition, 32, 8), elsewhere(11, Purpose::transition, 96, 8);
  const Stream<R> later(11, Purpose::transition, 32, 9);
  std::set<std::uint64_t> seen;
  std::size_t streams = 0;
  const auto purposes = {Purpose::transition, Purpose::initial_point, Purpose::gradient_check, Purpose::language_model,
                         Purpose::scan,       Purpose::minibatch,     Purpose::pathfinder,     Purpose::annealing};
  const auto look = [&](const Stream<R>& stream) {
    for (const Purpose purpose : purposes) {
      seen.insert(first_words(stream.of(purpose)));
      seen.insert(first_words(stream.shared(purpose)));
      streams += 2;
    }
  };
  look(whole);
  look(later);
  for (int a = 0; a < 2; ++a) {
    look(whole.part(a));
    for (int b = 0; b < 2; ++b) {
      look(whole.part(a).part(b));
      for (int c = 0; c < 2; ++c) look(whole.part(a).part(b).part(c));
    }
  }
  EXPECT_EQ(seen.size(), streams);
  // Shared by all chains, and of() goes back and forth.
  EXPECT_EQ(first_words(whole.part(1).shared(Purpose::scan)), first_words(elsewhere.part(1).shared(Purpose::scan)));
  EXPECT_EQ(first_words(whole.part(1).of(Purpose::scan).of(Purpose::transition)), first_words(whole.part(1)));
  EXPECT_EQ(first_words(whole.of(Purpose::transition)), first_words(whole));
  // The numbers of two chains differ in every part.
  EXPECT_NE(first_words(whole.part(0)), first_words(elsewhere.part(0)));
}

TYPED_TEST(RealTest, IndicesOfLanesAreUniform) {
  using R = TypeParam;
  for (const int n : {1, 2, 7, 100}) {
    std::vector<double> count(static_cast<std::size_t>(n));
    double total = 0;
    for (std::uint64_t chain = 0; total < 100'000; chain += R::lanes) {
      Bits<R> words[4];
      Stream<R>(2, Purpose::minibatch, chain, 0).words(0, words);
      for (const Bits<R>& w : words) {
        const LaneIndex<R> index = lane_index<R>(w, n);
        for (int l = 0; l < R::lanes; ++l) {
          ASSERT_GE(index.j[l], 0);
          ASSERT_LT(index.j[l], n);
          ASSERT_EQ(index.j[l], static_cast<int>(std::floor(std::ldexp(double(w.lane(l)), -32) * n)));
          count[static_cast<std::size_t>(index.j[l])] += 1;
          total += 1;
        }
      }
    }
    double chi_square = 0;
    for (double c : count) chi_square += (c - total / n) * (c - total / n) / (total / n);
    if (n == 1) continue;
    // Wilson and Hilferty's normal score of a chi square.
    const double freedom = n - 1, v = 2 / (9 * freedom);
    EXPECT_LT((std::cbrt(chi_square / freedom) - (1 - v)) / std::sqrt(v), threshold) << n;
  }
  Bits<R> words[4];
  Stream<R>(2, Purpose::minibatch, 0, 0).words(0, words);
  const int most = std::numeric_limits<int>::max();
  for (int l = 0; l < R::lanes; ++l) EXPECT_GE(lane_index<R>(words[0], most).j[l], 0);
}

TYPED_TEST(RealTest, GathersTheElementOfEachLane) {
  using R = TypeParam;
  using T = number_of<R>;
  std::vector<T> base(300);
  for (std::size_t i = 0; i < base.size(); ++i) base[i] = static_cast<T>(1000.0 - 3.0 * static_cast<double>(i));
  for (int seed = 0; seed < 20; ++seed) {
    LaneIndex<R> index;
    for (int l = 0; l < R::lanes; ++l) index.j[l] = (37 * l + 11 * seed) % 100;
    const R x = gathered(base.data(), index), y = LaneRow<T, dynamic, R>(base.data(), index, 2)[2];
    for (int l = 0; l < R::lanes; ++l) {
      EXPECT_EQ(lane(x, l), base[static_cast<std::size_t>(index.j[l])]);
      EXPECT_EQ(lane(y, l), base[static_cast<std::size_t>(2 + 2 * index.j[l])]);
    }
  }
}

}  // namespace
}  // namespace manychain::test
