// Indicators of the draws of sequences, a bit a draw: what the effective sample size of a quantile is computed from.
// Their products at a lag are counted and not added up, which is exact and costs next to nothing.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "diagnostics/sequence_layout.hpp"

namespace manychain::diagnostics {
inline namespace MANYCHAIN_ISA {  // units of either instruction set include it

using BitWord = unsigned long long;  // what atomicOr takes
inline constexpr std::size_t word_bits = 64;

MANYCHAIN_HD int count_bits(BitWord word) {
#if defined(__CUDA_ARCH__)
  return __popcll(word);
#else
  return std::popcount(word);
#endif
}

/// The bits of all sequences: those of one lie together (a CPU's cache), or its words beside those of its neighbours (a
/// device's coalesced access). Bits behind the last draw are zero.
struct IndicatorBits {
  BitWord* words;
  std::size_t length;  ///< draws of a sequence
  std::size_t sequence_stride;
  std::size_t word_stride;

  static std::size_t words_of(std::size_t length) { return (length + word_bits - 1) / word_bits; }

  MANYCHAIN_HD std::size_t word_count() const { return (length + word_bits - 1) / word_bits; }
  MANYCHAIN_HD BitWord& word(std::size_t sequence, std::size_t w) const {
    return words[sequence * sequence_stride + w * word_stride];
  }
  MANYCHAIN_HD bool bit(std::size_t sequence, std::size_t t) const {
    return word(sequence, t / word_bits) >> t % word_bits & 1;
  }

  /// The number of ones among the draws before `end`.
  MANYCHAIN_HD std::size_t ones_before(std::size_t sequence, std::size_t end) const {
    std::size_t ones = 0;
    for (std::size_t w = 0; w < end / word_bits; ++w) ones += count_bits(word(sequence, w));
    const std::size_t rest = end % word_bits;
    if (rest > 0) ones += count_bits(word(sequence, end / word_bits) << (word_bits - rest));
    return ones;
  }

  /// Draws that are one, and so is the draw `lag` later.
  MANYCHAIN_HD std::size_t pairs(std::size_t sequence, std::size_t lag) const {
    const std::size_t whole = lag / word_bits;
    const std::size_t rest = lag % word_bits;
    std::size_t count = 0;
    for (std::size_t w = whole; w < word_count(); ++w) {
      BitWord later = word(sequence, w) >> rest;
      if (rest > 0 && w + 1 < word_count()) later |= word(sequence, w + 1) << (word_bits - rest);
      count += count_bits(word(sequence, w - whole) & later);
    }
    return count;
  }
};

/// Sets the bit of the i-th draw in sorted order. Calls at the same time are a device's alone.
template <class Index>
struct MarkIndicator {
  const Index* place;
  IndicatorBits bits;
  SequenceLayout layout;

  MANYCHAIN_HD void operator()(std::size_t i) const {
    const SequenceLayout::Position at = layout.position(place[i]);
    BitWord& word = bits.word(at.sequence, at.draw / word_bits);
    const BitWord bit = BitWord{1} << at.draw % word_bits;
#if defined(__CUDA_ARCH__)
    atomicOr(&word, bit);
#else
    word |= bit;
#endif
  }
};

/// Mean of each sequence of indicators, and sum of squares about it.
struct IndicatorMoments {
  IndicatorBits bits;
  double* mean;
  double* squares;

  MANYCHAIN_HD void operator()(std::size_t sequence) const {
    const auto ones = static_cast<double>(bits.ones_before(sequence, bits.length));
    const auto n = static_cast<double>(bits.length);
    mean[sequence] = ones / n;
    squares[sequence] = ones * (n - ones) / n;
  }
};

/// The products of LagProducts, of centred indicators.
template <int Lags>
struct IndicatorProducts {
  IndicatorBits bits;
  const double* mean;
  double* products;
  std::size_t first_lag;
  std::size_t padded;

  MANYCHAIN_HD void operator()(std::size_t sequence) const {
    const std::size_t n = bits.length;
    const double m = mean[sequence];
    std::size_t first = 0, last = 0;  // ones among the draws that have one `lag` later, or `lag` earlier
    if (first_lag < n) {
      first = bits.ones_before(sequence, n - first_lag);
      last = bits.ones_before(sequence, n) - bits.ones_before(sequence, first_lag);
    }
    for (int k = 0; k < Lags; ++k) {
      const std::size_t lag = first_lag + k;
      double sum = 0;
      if (lag < n) {
        sum = static_cast<double>(bits.pairs(sequence, lag)) - m * static_cast<double>(first + last) +
              static_cast<double>(n - lag) * (m * m);
        first -= bits.bit(sequence, n - 1 - lag);
        last -= bits.bit(sequence, lag);
      }
      products[k * padded + sequence] = sum;
    }
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain::diagnostics
