// The CPU's Philox, scalar and in packs, yields the integers of cuRAND. cuRAND's device header is compiled for the
// host.
#if MANYCHAIN_HAS_CUDA
#include <cuda_runtime.h>
#define QUALIFIERS static inline __host__ __device__
#include <curand_kernel.h>
#endif
#include <gtest/gtest.h>

#include <random>

#include "manychain/random/philox_pack.hpp"
#include "manychain/random/stream.hpp"

namespace {

using namespace manychain;

#if MANYCHAIN_HAS_CUDA

/// The four words at an offset that is a multiple of four, as a kernel gets them that makes a state of its own.
void from_curand(std::uint32_t (&word)[4], std::uint64_t seed, std::uint64_t subsequence, std::uint64_t offset) {
  curandStatePhilox4_32_10_t state;
  curand_init(seed, subsequence, offset, &state);
  const uint4 w = curand4(&state);
  word[0] = w.x, word[1] = w.y, word[2] = w.z, word[3] = w.w;
}

struct Place {
  std::uint64_t seed, chain, transition;
  std::uint32_t block;
  Purpose purpose;
};

/// Random places, and the corners of what is allowed.
std::vector<Place> places() {
  std::vector<Place> p;
  const std::uint64_t last_seed = ~std::uint64_t{0};
  const std::uint64_t carry = (std::uint64_t{1} << 32) - 8;  // lanes on both sides of a carry of the chain number
  for (const Purpose purpose : {Purpose::transition, Purpose::initial_point, Purpose::gradient_check})
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 32, last_seed})
      for (const std::uint64_t chain : {std::uint64_t{0}, std::uint64_t{1}, carry, max_chains - 64})
        for (const std::uint64_t transition : {std::uint64_t{0}, std::uint64_t{1}, max_transitions - 1})
          for (const std::uint32_t block : {0u, 1u, static_cast<std::uint32_t>(max_words / 4 - 1)})
            p.push_back({seed, chain, transition, block, purpose});
  std::mt19937_64 random(20260101);
  for (int i = 0; i < 2000; ++i)
    p.push_back({random(), random() % (max_chains - 64), random() % max_transitions,
                 static_cast<std::uint32_t>(random() % (max_words / 4)),
                 i % 2 ? Purpose::transition : Purpose::initial_point});
  return p;
}

template <class R>
void expect_curands_integers() {
  for (const Place& at : places()) {
    Bits<R> words[4];
    Stream<R>(at.seed, at.purpose, at.chain, at.transition).words(at.block, words);
    for (int lane = 0; lane < R::lanes; ++lane) {
      const std::uint64_t subsequence =
          (at.chain + static_cast<std::uint64_t>(lane)) | std::uint64_t{static_cast<std::uint16_t>(at.purpose)} << 48;
      const std::uint64_t offset = (at.transition << 24) + 4 * std::uint64_t{at.block};
      std::uint32_t expected[4];
      from_curand(expected, at.seed, subsequence, offset);
      for (int k = 0; k < 4; ++k)
        ASSERT_EQ(words[k].lane(lane), expected[k])
            << "seed " << at.seed << " chain " << at.chain << " lane " << lane << " transition " << at.transition
            << " block " << at.block << " word " << k;
    }
  }
}

TEST(CurandTwin, scalar_single) { expect_curands_integers<Scalar<float>>(); }
TEST(CurandTwin, scalar_double) { expect_curands_integers<Scalar<double>>(); }
TEST(CurandTwin, pack_single) { expect_curands_integers<Pack<float>>(); }
TEST(CurandTwin, pack_double) { expect_curands_integers<Pack<double>>(); }

// A position that is no multiple of four: word k of a block is the single number at offset 4 block + k.
TEST(CurandTwin, single_words) {
  for (unsigned k = 0; k < 64; ++k) {
    curandStatePhilox4_32_10_t state;
    curand_init(7, 3, (std::uint64_t{5} << 24) + k, &state);
    Bits<Scalar<float>> words[4];
    Stream<Scalar<float>>(7, Purpose::transition, 3, 5).words(k / 4, words);
    EXPECT_EQ(curand(&state), words[k % 4].v) << k;
  }
}

// cuRAND's own block function, which the kernels call on the device, against Random123's known answer.
TEST(CurandTwin, block_function) {
  const uint4 counter = make_uint4(0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u);
  const uint4 block = curand_Philox4x32_10(counter, make_uint2(0xa4093822u, 0x299f31d0u));
  EXPECT_EQ(block.x, 0xd16cfe09u);
  EXPECT_EQ(block.y, 0x94fdccebu);
  EXPECT_EQ(block.z, 0x5001e420u);
  EXPECT_EQ(block.w, 0x24126ea1u);
}

#else

TEST(CurandTwin, integers) { GTEST_SKIP() << "this build has no CUDA, so no cuRAND to compare with"; }

#endif

}  // namespace
