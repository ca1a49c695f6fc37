// Philox: known answers, and the pack's integers equal to the scalar's for every address.
#include "unit/core/reals.hpp"

#include <cstdint>
#include <random>
#include <set>
#include <tuple>

#include "manychain/random/philox_pack.hpp"
#include "manychain/random/stream.hpp"

namespace manychain::test {
namespace {

using Words4 = std::array<std::uint32_t, 4>;

Words4 philox(Words4 counter, std::uint32_t key0, std::uint32_t key1) {
  std::uint32_t word[4] = {counter[0], counter[1], counter[2], counter[3]};
  philox4x32_10(word, key0, key1);
  return {word[0], word[1], word[2], word[3]};
}

// Random123's own known answers.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, 0, 0), (Words4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, ones, ones), (Words4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (Words4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The counter is (4-word block of the transition, chain and purpose), the key is the seed: written out by hand here.
TEST(Philox, AStreamReadsTheBlockThatItsAddressSays) {
  const std::uint64_t seed = 0x0123456789abcdef, chain = 0x8765'4321'0fed, transition = 0x98'7654'3210;
  const std::uint32_t block = 0x3abcde;
  Bits<Scalar<float>> bits[4];
  Stream<Scalar<float>>(seed, Purpose::gradient_check, chain, transition).words(block, bits);
  const std::uint64_t low = (transition << 22) + block, high = chain + (std::uint64_t{2} << 48);
  const Words4 expected =
      philox({std::uint32_t(low), std::uint32_t(low >> 32), std::uint32_t(high), std::uint32_t(high >> 32)}, 0x89abcdef,
             0x01234567);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(bits[i].v, expected[static_cast<std::size_t>(i)]);
}

// Chains that are at different transitions and blocks read what each would read alone.
template <class R>
void expect_lanes_alone() {
  const std::uint64_t seed = 0x0123456789abcdef, chain = 0xffff'fff8;
  const auto transition = [](int lane) {
    return (std::uint64_t{1} << 40) - 1 - 977 * static_cast<std::uint64_t>(lane);
  };
  const auto block = [](int lane) { return 100 + 5 * static_cast<std::uint64_t>(lane % 3); };
  const LaneBlocks<R> first([&](int lane) { return Stream<R>::first_block(transition(lane), block(lane)); });
  const LaneStream<R> stream(seed, Purpose::transition, chain, first);
  for (const std::uint32_t k : {0u, 7u}) {
    Bits<R> bits[4];
    stream.words(k, bits);
    for (int lane = 0; lane < R::lanes; ++lane) {
      Bits<Scalar<float>> alone[4];
      Stream<Scalar<float>>(seed, Purpose::transition, chain + static_cast<std::uint64_t>(lane), transition(lane))
          .words(static_cast<std::uint32_t>(block(lane)) + k, alone);
      for (int i = 0; i < 4; ++i) EXPECT_EQ(bits[i].lane(lane), alone[i].v) << lane;
    }
  }
}
TEST(Philox, LanesMayBeAtDifferentTransitions) {
  expect_lanes_alone<Scalar<float>>();
  expect_lanes_alone<Scalar<double>>();
  expect_lanes_alone<Pack<float>>();
  expect_lanes_alone<Pack<double>>();
}

// No two of (purpose, chain, transition, block) share a counter, up to the ends of their ranges: a bijection of the
// counter gives different words, so equal words would mean an equal address.
TEST(Philox, AddressesDoNotOverlap) {
  std::set<Words4> seen;
  int addresses = 0;
  for (Purpose purpose : {Purpose::transition, Purpose::initial_point, Purpose::gradient_check})
    for (std::uint64_t chain : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32,
                                (std::uint64_t{1} << 32) + 1, max_chains / 2, max_chains - 1})
      for (std::uint64_t transition :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 10, std::uint64_t{1} << 32, max_transitions - 1})
        for (std::uint32_t block : {0u, 1u, static_cast<std::uint32_t>(max_words / 4 - 1)}) {
          Bits<Scalar<float>> bits[4];
          Stream<Scalar<float>>(5, purpose, chain, transition).words(block, bits);
          seen.insert({bits[0].v, bits[1].v, bits[2].v, bits[3].v});
          ++addresses;
        }
  EXPECT_EQ(static_cast<int>(seen.size()), addresses);
}

TEST(Philox, NeighbouringSeedsShareNothing) {
  std::set<std::uint32_t> words;
  for (std::uint64_t seed = 0; seed < 16; ++seed)
    for (std::uint64_t chain = 0; chain < 16; ++chain) {
      Bits<Scalar<float>> bits[4];
      Stream<Scalar<float>>(seed, Purpose::transition, chain, 0).words(0, bits);
      words.insert(bits[0].v);
    }
  EXPECT_EQ(words.size(), 256u);
}

template <class R>
void compare_packs(std::uint64_t seed, std::uint64_t chain, Purpose purpose, std::uint64_t transition,
                   std::uint32_t block) {
  Bits<R> pack[4];
  Stream<R>(seed, purpose, chain, transition).words(block, pack);
  for (int lane = 0; lane < R::lanes; ++lane) {
    using S = Scalar<number_of<R>>;
    Bits<S> one[4];
    Stream<S>(seed, purpose, chain + static_cast<std::uint64_t>(lane), transition).words(block, one);
    for (int i = 0; i < 4; ++i) ASSERT_EQ(pack[i].lane(lane), one[i].v) << "chain " << chain << " + " << lane;
  }
}

TEST(Philox, PacksGiveTheSameIntegersInEveryLane) {
  std::mt19937_64 random(1);
  for (int k = 0; k < 2000; ++k) {
    const Purpose purpose = static_cast<Purpose>(random() % 3);
    // Chains beyond 2^32, also packs that straddle a multiple of 2^32.
    std::uint64_t chain = random() >> (16 + random() % 48);
    if (k % 5 == 0) chain = (std::uint64_t{1 + random() % 1000} << 32) - random() % 16;
    chain = std::min(chain, max_chains - 64);
    const std::uint64_t transition = random() >> (24 + random() % 40);
    const std::uint32_t block = static_cast<std::uint32_t>(random() % (max_words / 4));
    compare_packs<Pack<float>>(random(), chain, purpose, transition, block);
    compare_packs<Pack<double>>(random(), chain, purpose, transition, block);
  }
}

/// One word per lane.
template <class R>
Bits<R> bits_of(const std::vector<std::uint32_t>& lanes);
constexpr std::uint64_t rubbish = 0xdeadbeef'00000000;  // what the rounds leave in the upper halves
template <>
Bits<Pack<float>> bits_of(const std::vector<std::uint32_t>& lanes) {
  Bits<Pack<float>> bits;
  for (std::size_t i = 0; i < lanes.size(); ++i) (i % 2 ? bits.odd : bits.even)[i / 2] = rubbish | lanes[i];
  return bits;
}
template <>
Bits<Pack<double>> bits_of(const std::vector<std::uint32_t>& lanes) {
  Bits<Pack<double>> bits;
  for (std::size_t i = 0; i < lanes.size(); ++i) bits.v[i] = rubbish | lanes[i];
  return bits;
}

std::vector<std::uint32_t> interesting_words() {
  std::vector<std::uint32_t> words = {0,          1,          2,          0xffff,     0x10000,
                                      0x7fffffff, 0x80000000, 0x80000001, 0xfffffeff, 0xffffff00,
                                      0xffffff7f, 0xffffff80, 0xffffff81, 0xfffffffe, 0xffffffff};
  std::mt19937 random(2);
  while (words.size() < 5000) words.push_back(random());
  return words;
}

TEST(Uniform, SinglePrecisionIsInTheHalfOpenIntervalAndTheSameInPacks) {
  using R = Pack<float>;
  const auto words = interesting_words();
  EXPECT_EQ(uniform_of(Bits<Scalar<float>>{0}).v, 0x1p-33f);
  EXPECT_EQ(uniform_of(Bits<Scalar<float>>{0xffffffff}).v, 1.0f);
  for (std::size_t first = 0; first < words.size(); ++first) {
    std::vector<std::uint32_t> lanes;
    for (int i = 0; i < R::lanes; ++i) lanes.push_back(words[(first + static_cast<std::size_t>(i)) % words.size()]);
    const R u = uniform_of(bits_of<R>(lanes));
    for (int i = 0; i < R::lanes; ++i) {
      const float scalar = uniform_of(Bits<Scalar<float>>{lanes[static_cast<std::size_t>(i)]}).v;
      ASSERT_EQ(lane(u, i), scalar) << lanes[static_cast<std::size_t>(i)];
      ASSERT_TRUE(scalar > 0 && scalar <= 1);
      // cuRAND's: the conversion is rounded, then the fused multiply-add.
      ASSERT_EQ(scalar, std::fma(static_cast<float>(lanes[static_cast<std::size_t>(i)]), 0x1p-32f, 0x1p-33f));
    }
  }
}

TEST(Uniform, DoublePrecisionIsInTheHalfOpenIntervalAndTheSameInPacks) {
  using R = Pack<double>;
  const auto words = interesting_words();
  EXPECT_EQ(uniform_of(Bits<Scalar<double>>{0}, Bits<Scalar<double>>{0}).v, 0x1p-54);
  EXPECT_EQ(uniform_of(Bits<Scalar<double>>{0xffffffff}, Bits<Scalar<double>>{0xffffffff}).v, 1.0);
  for (std::size_t first = 0; first < words.size(); ++first) {
    std::vector<std::uint32_t> a, b;
    for (int i = 0; i < R::lanes; ++i) {
      a.push_back(words[(first + static_cast<std::size_t>(i)) % words.size()]);
      b.push_back(words[(7 * first + static_cast<std::size_t>(i)) % words.size()]);
    }
    const R u = uniform_of(bits_of<R>(a), bits_of<R>(b));
    for (int i = 0; i < R::lanes; ++i) {
      const std::size_t k = static_cast<std::size_t>(i);
      const double scalar = uniform_of(Bits<Scalar<double>>{a[k]}, Bits<Scalar<double>>{b[k]}).v;
      ASSERT_EQ(lane(u, i), scalar);
      ASSERT_TRUE(scalar > 0 && scalar <= 1);
      const long double exact = std::ldexp(static_cast<long double>((std::uint64_t{a[k]} << 21) + (b[k] >> 11)), -53);
      ASSERT_LE(std::fabs(scalar - exact), 0x1p-53L);
    }
  }
}

}  // namespace
}  // namespace manychain::test
