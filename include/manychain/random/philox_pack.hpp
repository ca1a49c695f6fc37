// The vectorised twin of Philox: the same integers as cuRAND's, one chain per lane.
//
// Words are kept in the low halves of 64-bit lanes, because the 32 x 32 -> 64 multiply that every instruction set has
// reads just those. A pack of floats is two such registers, of its even and of its odd lanes.
#pragma once

#include <immintrin.h>

#include "manychain/core/pack.hpp"
#include "manychain/random/lane_index.hpp"
#include "manychain/random/philox.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

inline constexpr int register_bytes = sizeof(xsimd::batch<float>);
inline constexpr int word_lanes = register_bytes / 8;
typedef std::uint64_t Words __attribute__((vector_size(register_bytes)));

MANYCHAIN_HD Words multiply_low_halves(Words a, Words b) {
#if defined(__AVX512F__)
  return reinterpret_cast<Words>(_mm512_mul_epu32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Words>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  return reinterpret_cast<Words>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#endif
}

MANYCHAIN_HD Words broadcast_word(std::uint64_t x) { return x - Words{}; }

/// Ten rounds. The upper halves of the lanes hold rubbish throughout: nothing reads them.
MANYCHAIN_HD void philox4x32_10(Words (&word)[4], std::uint32_t key0, std::uint32_t key1) {
  const Words m0 = broadcast_word(philox_multiplier[0]), m1 = broadcast_word(philox_multiplier[1]);
  MANYCHAIN_UNROLL
  for (int round = 0; round < 10; ++round) {
    const Words a = multiply_low_halves(m0, word[0]);
    const Words b = multiply_low_halves(m1, word[2]);
    word[0] = (b >> 32) ^ word[1] ^ broadcast_word(key0);
    word[1] = b;
    word[2] = (a >> 32) ^ word[3] ^ broadcast_word(key1);
    word[3] = a;
    key0 += philox_weyl[0];
    key1 += philox_weyl[1];
  }
}

/// The subsequences of chains subsequence + first, + first + step, ...
MANYCHAIN_HD Words consecutive(std::uint64_t first, int step) {
  Words x;
  for (int i = 0; i < word_lanes; ++i) x[i] = first + static_cast<std::uint64_t>(i * step);
  return x;
}

}  // namespace detail

template <>
struct LaneBlocks<Pack<double>> {
  detail::Words v;

  template <class F>
  MANYCHAIN_HD explicit LaneBlocks(F block_of_lane) {
    for (int i = 0; i < detail::word_lanes; ++i) v[i] = block_of_lane(i);
  }
  MANYCHAIN_HD LaneBlocks& operator+=(std::uint32_t blocks) { return v += blocks, *this; }
};
template <>
struct LaneBlocks<Pack<float>> {
  detail::Words even, odd;

  template <class F>
  MANYCHAIN_HD explicit LaneBlocks(F block_of_lane) {
    for (int i = 0; i < detail::word_lanes; ++i) {
      even[i] = block_of_lane(2 * i);
      odd[i] = block_of_lane(2 * i + 1);
    }
  }
  MANYCHAIN_HD LaneBlocks& operator+=(std::uint32_t blocks) { return even += blocks, odd += blocks, *this; }
};

template <>
struct Bits<Pack<double>> {
  detail::Words v;  // low halves

  MANYCHAIN_HD static void generate(Bits (&out)[4], std::uint64_t seed, std::uint64_t subsequence,
                                    std::uint64_t block) {
    const detail::Words s = detail::consecutive(subsequence, 1);
    detail::Words w[4] = {detail::broadcast_word(block), detail::broadcast_word(block >> 32), s, s >> 32};
    detail::philox4x32_10(w, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    for (int i = 0; i < 4; ++i) out[i].v = w[i];
  }
  MANYCHAIN_HD static void generate(Bits (&out)[4], std::uint64_t seed, std::uint64_t subsequence,
                                    const LaneBlocks<Pack<double>>& block) {
    const detail::Words s = detail::consecutive(subsequence, 1);
    detail::Words w[4] = {block.v, block.v >> 32, s, s >> 32};
    detail::philox4x32_10(w, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    for (int i = 0; i < 4; ++i) out[i].v = w[i];
  }

  std::uint32_t lane(int i) const { return static_cast<std::uint32_t>(v[i]); }
};

template <>
struct Bits<Pack<float>> {
  detail::Words even, odd;  // low halves

  MANYCHAIN_HD static void generate(Bits (&out)[4], std::uint64_t seed, std::uint64_t subsequence,
                                    std::uint64_t block) {
    const detail::Words s0 = detail::consecutive(subsequence, 2), s1 = detail::consecutive(subsequence + 1, 2);
    const detail::Words lo = detail::broadcast_word(block), hi = detail::broadcast_word(block >> 32);
    detail::Words w0[4] = {lo, hi, s0, s0 >> 32}, w1[4] = {lo, hi, s1, s1 >> 32};
    detail::philox4x32_10(w0, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    detail::philox4x32_10(w1, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    for (int i = 0; i < 4; ++i) out[i] = {w0[i], w1[i]};
  }
  MANYCHAIN_HD static void generate(Bits (&out)[4], std::uint64_t seed, std::uint64_t subsequence,
                                    const LaneBlocks<Pack<float>>& block) {
    const detail::Words s0 = detail::consecutive(subsequence, 2), s1 = detail::consecutive(subsequence + 1, 2);
    detail::Words w0[4] = {block.even, block.even >> 32, s0, s0 >> 32};
    detail::Words w1[4] = {block.odd, block.odd >> 32, s1, s1 >> 32};
    detail::philox4x32_10(w0, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    detail::philox4x32_10(w1, static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    for (int i = 0; i < 4; ++i) out[i] = {w0[i], w1[i]};
  }

  std::uint32_t lane(int i) const { return static_cast<std::uint32_t>(i % 2 ? odd[i / 2] : even[i / 2]); }
};

MANYCHAIN_HD LaneIndex<Pack<float>> lane_index(const Bits<Pack<float>>& bits, int n) {
  const detail::Words count = detail::broadcast_word(static_cast<std::uint32_t>(n));
  const detail::Words even = detail::multiply_low_halves(bits.even, count);
  const detail::Words odd = detail::multiply_low_halves(bits.odd, count);
  const detail::Words both = (even >> 32) | (odd & detail::broadcast_word(0xFFFFFFFF00000000u));
  LaneIndex<Pack<float>> index;
  __builtin_memcpy(index.j, &both, sizeof index.j);
  return index;
}

MANYCHAIN_HD Pack<float> uniform_of(Bits<Pack<float>> a) {
  const detail::Words low = detail::broadcast_word(0xFFFFFFFFu);
  const detail::Words w = (a.even & low) | (a.odd << 32);
#if defined(__AVX512F__)
  const Pack<float> x(xsimd::batch<float>(_mm512_cvtepu32_ps(reinterpret_cast<__m512i>(w))));
#else
  // No unsigned conversion: both halves convert exactly, and their sum is rounded once, as the conversion would be.
  typedef std::int32_t Ints __attribute__((vector_size(detail::register_bytes)));
  typedef std::uint32_t Halves __attribute__((vector_size(detail::register_bytes)));
  typedef float Floats __attribute__((vector_size(detail::register_bytes)));
  const Halves h = reinterpret_cast<Halves>(w);
  const Floats upper = __builtin_convertvector(reinterpret_cast<Ints>(h >> 16), Floats);
  const Floats lower = __builtin_convertvector(reinterpret_cast<Ints>(h & 0xFFFFu), Floats);
  const Pack<float> x(
      xsimd::batch<float>(reinterpret_cast<typename xsimd::batch<float>::register_type>(upper * 65536.0f + lower)));
#endif
  return fma(x, Pack<float>(0x1p-32f), Pack<float>(0x1p-33f));
}

MANYCHAIN_HD Pack<double> uniform_of(Bits<Pack<double>> a, Bits<Pack<double>> b) {
  // 2^52 + x has x in its low bits, for x < 2^52: an exact conversion that every instruction set has.
  typedef double Doubles __attribute__((vector_size(detail::register_bytes)));
  const detail::Words exponent = detail::broadcast_word(0x4330000000000000u), low = detail::broadcast_word(0xFFFFFFFFu);
  const Doubles upper = reinterpret_cast<Doubles>((a.v & low) | exponent) - 0x1p52;
  const Doubles lower = reinterpret_cast<Doubles>(((b.v & low) >> 11) | exponent) - 0x1p52;
  const Doubles k = upper * 0x1p21 + lower;  // exact: 53 bits
  return fma(Pack<double>(xsimd::batch<double>(reinterpret_cast<typename xsimd::batch<double>::register_type>(k))),
             Pack<double>(0x1p-53), Pack<double>(0x1p-54));
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
