// Philox4x32-10 (Salmon, Moraes, Dror and Shaw 2011), laid out as cuRAND lays it out:
// key = seed, counter words 0 and 1 = offset / 4, counter words 2 and 3 = subsequence.
#pragma once

#include <cstdint>

#include "manychain/core/real.hpp"

#if defined(__CUDACC__)
#include <curand_philox4x32_x.h>
#endif

namespace manychain {
inline namespace MANYCHAIN_ISA {

inline constexpr std::uint32_t philox_multiplier[2] = {0xD2511F53u, 0xCD9E8D57u};
inline constexpr std::uint32_t philox_weyl[2] = {0x9E3779B9u, 0xBB67AE85u};

/// One block: four random words from four counter words. On the device this is cuRAND's own function, called directly:
/// a curandState computes a block ahead.
MANYCHAIN_HD void philox4x32_10(std::uint32_t (&word)[4], std::uint32_t key0, std::uint32_t key1) {
#if defined(__CUDA_ARCH__)
  const uint4 block = curand_Philox4x32_10(make_uint4(word[0], word[1], word[2], word[3]), make_uint2(key0, key1));
  word[0] = block.x;
  word[1] = block.y;
  word[2] = block.z;
  word[3] = block.w;
#else
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{philox_multiplier[0]} * word[0];
    const std::uint64_t b = std::uint64_t{philox_multiplier[1]} * word[2];
    const std::uint32_t next[4] = {static_cast<std::uint32_t>(b >> 32) ^ word[1] ^ key0, static_cast<std::uint32_t>(b),
                                   static_cast<std::uint32_t>(a >> 32) ^ word[3] ^ key1, static_cast<std::uint32_t>(a)};
    for (int i = 0; i < 4; ++i) word[i] = next[i];
    key0 += philox_weyl[0];
    key1 += philox_weyl[1];
  }
#endif
}

/// The random words of one Real: 32 bits a lane. Specialised for packs in philox_pack.hpp.
template <class R>
struct Bits;

/// A block of words for each chain of a Real, of chains that are at different transitions. Specialised for packs, too.
template <class R>
struct LaneBlocks;
template <class T>
struct LaneBlocks<Scalar<T>> {
  std::uint64_t v;

  template <class F>
  MANYCHAIN_HD explicit LaneBlocks(F block_of_lane) : v(block_of_lane(0)) {}
  MANYCHAIN_HD LaneBlocks& operator+=(std::uint32_t blocks) { return v += blocks, *this; }
};

template <class T>
struct Bits<Scalar<T>> {
  std::uint32_t v;

  /// Block `block` of the stream (seed, subsequence).
  MANYCHAIN_HD static void generate(Bits (&out)[4], std::uint64_t seed, std::uint64_t subsequence,
                                    std::uint64_t block) {
    std::uint32_t word[4] = {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                             static_cast<std::uint32_t>(subsequence), static_cast<std::uint32_t>(subsequence >> 32)};
    philox4x32_10(word, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    for (int i = 0; i < 4; ++i) out[i].v = word[i];
  }
  MANYCHAIN_HD static void generate(Bits (&out)[4], std::uint64_t seed, std::uint64_t subsequence,
                                    LaneBlocks<Scalar<T>> block) {
    generate(out, seed, subsequence, block.v);
  }

  MANYCHAIN_HD std::uint32_t lane(int) const { return v; }
};

/// Uniform on (0, 1], 32 bits: cuRAND's x 2^-32 + 2^-33, rounded once. The smallest value is 2^-33.
MANYCHAIN_HD Scalar<float> uniform_of(Bits<Scalar<float>> a) {
  return fma(Scalar<float>(a.v), Scalar<float>(0x1p-32f), Scalar<float>(0x1p-33f));
}
/// Uniform on (0, 1], 53 bits, from two words.
MANYCHAIN_HD Scalar<double> uniform_of(Bits<Scalar<double>> a, Bits<Scalar<double>> b) {
  const std::uint64_t k = (std::uint64_t{a.v} << 21) | (b.v >> 11);
  return fma(Scalar<double>(k), Scalar<double>(0x1p-53), Scalar<double>(0x1p-54));
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
