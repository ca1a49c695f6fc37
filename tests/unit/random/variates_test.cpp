// Uniform and normal variates: the right distribution to the tails, and the same numbers for every way of asking.
//
// Seeds are fixed, so a test that passes once passes always; the thresholds say how often a right generator would fail
// on a new seed. Each statistic is compared with 6 standard errors (false alarm 2e-9, all of them below 1e-6), from
// n = 4 million variates: a mean off by 0.4 % of a standard deviation, a variance off by 0.6 %, or a distribution
// function off by 0.3 % anywhere is caught with a probability above 0.97; so is a lost tail beyond |z| = 4, where 253
// are expected, and beyond 5 (2.3 expected) a tail that is 12 times too heavy.
#include "unit/core/reals.hpp"

#include <algorithm>
#include <cstdint>

#include "manychain/random/philox_pack.hpp"
#include "manychain/random/stream.hpp"
#include "unit/random/distribution_functions.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

constexpr int sample_size = 4'000'000;

/// Normals of many chains: 20 per transition and chain, as a proposal in 20 dimensions takes them.
template <class R>
std::vector<double> normals(std::uint64_t seed) {
  std::vector<double> z;
  z.reserve(sample_size);
  for (std::uint64_t chain = 0; z.size() < sample_size; chain += R::lanes)
    normals_and_uniform(Stream<R>(seed, Purpose::transition, chain, chain % 97), Size<20>{}, [&](int, R x) {
      for (int i = 0; i < R::lanes && z.size() < sample_size; ++i) z.push_back(double(lane(x, i)));
    });
  return z;
}

double upper_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

TYPED_TEST(RealTest, NormalsHaveTheRightMoments) {
  const std::vector<double> z = normals<TypeParam>(20240607);
  double power[5] = {}, neighbours = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    double p = 1;
    for (double& sum : power) sum += p, p *= z[i];
    if (i) neighbours += z[i] * z[i - 1];
  }
  const double n = sample_size;
  EXPECT_LT(std::fabs(power[1] / n), 6 * std::sqrt(1 / n));
  EXPECT_LT(std::fabs(power[2] / n - 1), 6 * std::sqrt(2 / n));
  EXPECT_LT(std::fabs(power[3] / n), 6 * std::sqrt(15 / n));
  EXPECT_LT(std::fabs(power[4] / n - 3), 6 * std::sqrt(96 / n));
  EXPECT_LT(std::fabs(neighbours / n), 6 * std::sqrt(1 / n));
}

TYPED_TEST(RealTest, NormalsHaveTheRightDistributionAndTails) {
  const std::vector<double> z = normals<TypeParam>(7);
  EXPECT_LT(kolmogorov_smirnov(z, [](double x) { return upper_tail(-x); }), 2.81);
  for (double limit : {1.0, 2.0, 3.0, 4.0}) {
    const double expected = sample_size * upper_tail(limit);
    const double above = double(std::count_if(z.begin(), z.end(), [&](double x) { return x > limit; }));
    const double below = double(std::count_if(z.begin(), z.end(), [&](double x) { return x < -limit; }));
    EXPECT_LT(std::fabs(above - expected), 6 * std::sqrt(expected)) << limit;
    EXPECT_LT(std::fabs(below - expected), 6 * std::sqrt(expected)) << limit;
  }
  // Poisson with mean 2.29: more than 14 has a probability of 3e-8.
  EXPECT_LE(std::count_if(z.begin(), z.end(), [](double x) { return std::fabs(x) > 5; }), 14);
}

// The far tail itself, without waiting for it: the transform of the smallest uniforms, against -2 log in long double.
TYPED_TEST(RealTest, TheFarTailComesFromTheSmallestUniforms) {
  using R = TypeParam;
  using T = number_of<R>;
  const double smallest = sizeof(T) == 4 ? 0x1p-33 : 0x1p-54;
  R z1, z2;
  box_muller(R(T(smallest)), R(1), z1, z2);
  EXPECT_NEAR(double(lane(z1, 0)), std::sqrt(-2 * std::log(smallest)), 1e-5);
  EXPECT_GT(double(lane(z1, 0)), sizeof(T) == 4 ? 6.7 : 8.6);
  for (T u : logarithmic_grid<T>(smallest, 1, 200)) {
    box_muller(R(u), R(T(0.125)), z1, z2);
    const double radius = std::sqrt(-2 * std::log(double(u)));
    for (int i = 0; i < R::lanes; ++i) {
      EXPECT_NEAR(double(lane(z1, i)), radius * std::sqrt(0.5), 4e-7 * (1 + radius));
      EXPECT_NEAR(double(lane(z2, i)), radius * std::sqrt(0.5), 4e-7 * (1 + radius));
    }
  }
  // u = 1 gives 0, not the square root of something negative.
  box_muller(R(1), R(T(0.3)), z1, z2);
  EXPECT_EQ(lane(z1, 0), 0);
}

TYPED_TEST(RealTest, UniformsHaveTheRightDistribution) {
  using R = TypeParam;
  std::vector<double> u, last;
  for (std::uint64_t chain = 0; u.size() < 1'000'000; chain += R::lanes) {
    const Stream<R> stream(99, Purpose::initial_point, chain, 0);
    uniforms(stream, Size<dynamic>(7), [&](int, R x) {
      for (int i = 0; i < R::lanes; ++i) u.push_back(double(lane(x, i)));
    });
  }
  for (std::uint64_t chain = 0; last.size() < 1'000'000; chain += R::lanes) {
    const R x = normals_and_uniform(Stream<R>(98, Purpose::transition, chain, 3), Size<1>{}, [](int, R) {});
    for (int i = 0; i < R::lanes; ++i) last.push_back(double(lane(x, i)));
  }
  EXPECT_LT(kolmogorov_smirnov(u, [](double x) { return x; }), 2.81);
  EXPECT_LT(kolmogorov_smirnov(last, [](double x) { return x; }), 2.81);
}

template <class R, class N>
std::vector<double> numbers(N n) {
  std::vector<double> all(static_cast<std::size_t>(n.value() * R::lanes), std::nan(""));
  const Stream<R> stream(3, Purpose::transition, 40, 5);
  const R u = normals_and_uniform(stream, n, [&](int i, R x) {
    EXPECT_GE(i, 0);
    EXPECT_LT(i, n.value());
    for (int l = 0; l < R::lanes; ++l) {
      double& slot = all[static_cast<std::size_t>(i * R::lanes + l)];
      EXPECT_TRUE(std::isnan(slot)) << "element " << i << " twice";
      slot = double(lane(x, l));
    }
  });
  for (int l = 0; l < R::lanes; ++l) all.push_back(double(lane(u, l)));
  return all;
}

/// The uniforms of the words of the stream, written plainly: variate k of a transition is uniform k.
template <class R>
double plain(int variate, int l) {
  using S = Scalar<number_of<R>>;
  constexpr int words = sizeof(number_of<R>) / 4, per_block = 4 / words;
  Bits<S> w[4];
  Stream<S>(3, Purpose::transition, 40 + static_cast<std::uint64_t>(l), 5)
      .words(static_cast<std::uint32_t>(variate / per_block), w);
  const int k = variate % per_block * words;
  if constexpr (words == 1)
    return double(uniform_of(w[k]).v);
  else
    return uniform_of(w[k], w[k + 1]).v;
}

template <class R, int N>
void check_sizes() {
  const std::vector<double> fixed = numbers<R>(Size<N>{}), by_run_time = numbers<R>(Size<dynamic>(N));
  ASSERT_EQ(fixed.size(), by_run_time.size());
  for (std::size_t i = 0; i < fixed.size(); ++i) ASSERT_EQ(fixed[i], by_run_time[i]) << N << ", " << i;
  const double tolerance = sizeof(number_of<R>) == 4 ? 2e-6 : 1e-14;
  for (int l = 0; l < R::lanes; ++l) {
    for (int i = 0; i < N; ++i) {
      const double radius = std::sqrt(-2 * std::log(plain<R>(i / 2 * 2, l)));
      const double angle = 2 * std::acos(-1.0) * plain<R>(i / 2 * 2 + 1, l);
      ASSERT_NEAR(fixed[static_cast<std::size_t>(i * R::lanes + l)],
                  radius * (i % 2 ? std::sin(angle) : std::cos(angle)), tolerance)
          << N << ", " << i;
    }
    // The uniform is the next one after those that the normals took, and no normal's.
    ASSERT_EQ(fixed[static_cast<std::size_t>(N * R::lanes + l)], plain<R>((N + 1) / 2 * 2, l)) << N;
  }
}

TYPED_TEST(RealTest, EverySizeTakesTheWordsThatItShould) {
  using R = TypeParam;
  check_sizes<R, 1>();
  check_sizes<R, 2>();
  check_sizes<R, 3>();
  check_sizes<R, 4>();
  check_sizes<R, 5>();
  check_sizes<R, 6>();
  check_sizes<R, 7>();
  check_sizes<R, 8>();
  check_sizes<R, 9>();
  check_sizes<R, 32>();
  check_sizes<R, 33>();
}

}  // namespace
}  // namespace manychain::test
