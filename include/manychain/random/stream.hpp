// The random stream of a chain, and the variates that transitions need.
//
// Numbers are those of Philox4x32-10, laid out as cuRAND lays them out (random/philox.hpp): the seed is the key, chain
// and purpose are the subsequence, transition and position are the offset. No generator has a state.
#pragma once

#include "manychain/core/math.hpp"
#include "manychain/core/size.hpp"
#include "manychain/random/philox.hpp"
#include "manychain/random/purpose.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The numbers of one transition of a Real's chains. Words are addressed, not consumed: a chain starts every transition
/// at a known place, nothing is stored between transitions, and a masked lane costs nothing.
///
/// First: the block that they begin with, one number for all lanes, or LaneBlocks<R> where each lane has its own.
template <Real R, class First = std::uint64_t>
class Stream {
 public:
  /// `chain`: global number of the first lane's chain.
  MANYCHAIN_HD Stream(std::uint64_t seed, Purpose purpose, std::uint64_t chain, std::uint64_t transition)
      : seed_(seed),
        subsequence_(chain | std::uint64_t{static_cast<std::uint16_t>(purpose)} << 48),
        first_block_(transition << log2_blocks) {}
  /// Numbers that begin in each lane with the block that first_block() gives for its transition.
  MANYCHAIN_HD Stream(std::uint64_t seed, Purpose purpose, std::uint64_t chain,
                      const First& first_block) requires(!std::is_same_v<First, std::uint64_t>)
      : seed_(seed),
        subsequence_(chain | std::uint64_t{static_cast<std::uint16_t>(purpose)} << 48),
        first_block_(first_block) {}

  static constexpr int log2_blocks = 22;  ///< of the blocks of a transition
  /// The block of a transition, counted from the beginning of the run.
  MANYCHAIN_HD static constexpr std::uint64_t first_block(std::uint64_t transition, std::uint64_t block) {
    return (transition << log2_blocks) + block;
  }

  /// The stream of these chains and this transition for another purpose.
  MANYCHAIN_HD Stream of(Purpose purpose) const {
    return with(subsequence_ & (max_chains - 1), subsequence_ >> 56, purpose);
  }
  /// Numbers that all chains of the run share in this transition.
  MANYCHAIN_HD Stream<Scalar<number_of<R>>> shared(Purpose purpose) const {
    return Stream<Scalar<number_of<R>>>(*this).with(0, subsequence_ >> 56, purpose);
  }
  /// The numbers of the first (k = 0) or second (k = 1) of two samplers that are put together; of() and shared() keep
  /// to them. A part may have parts: they are the nodes of a binary tree, numbered 2 node + 1 + k, 7 levels at most.
  MANYCHAIN_HD Stream part(int k) const {
    Stream other = *this;
    const std::uint64_t node = 2 * (subsequence_ >> 56) + 1 + static_cast<std::uint64_t>(k);
    other.subsequence_ = (subsequence_ & ((std::uint64_t{1} << 56) - 1)) | node << 56;
    return other;
  }

  /// Words 4 block, ..., 4 block + 3 of this transition.
  MANYCHAIN_HD void words(std::uint32_t block, Bits<R> (&out)[4]) const {
    First at = first_block_;
    at += block;
    Bits<R>::generate(out, seed_, subsequence_, at);
  }

 private:
  template <Real, class>
  friend class Stream;
  template <Real Other>
  MANYCHAIN_HD explicit Stream(const Stream<Other>& other)
      : seed_(other.seed_), subsequence_(other.subsequence_), first_block_(other.first_block_) {}
  MANYCHAIN_HD Stream with(std::uint64_t chain, std::uint64_t part, Purpose purpose) const {
    Stream other = *this;
    other.subsequence_ = chain | std::uint64_t{static_cast<std::uint16_t>(purpose)} << 48 | part << 56;
    return other;
  }
  std::uint64_t seed_, subsequence_;
  First first_block_;
};

/// The numbers of chains that are at different transitions.
template <Real R>
using LaneStream = Stream<R, LaneBlocks<R>>;

/// Two independent standard normal variates from two uniform ones (Box and Muller 1958). With 32-bit uniforms the
/// largest possible |z| is 6.8, with 53-bit ones 8.6.
template <Real R>
MANYCHAIN_HD void box_muller(R u1, R u2, R& z1, R& z2) {
  const R r = sqrt(R(-2) * log(u1));
  R s, c;
  sincos_two_pi(u2, s, c);
  z1 = r * c;
  z2 = r * s;
}

namespace detail {
/// Words of a uniform variate: one in single precision, two in double.
template <Real R>
inline constexpr int words_per_uniform = sizeof(number_of<R>) / 4;

template <Real R, int K>
MANYCHAIN_HD R uniform_at(Bits<R> (&w)[4]) {
  if constexpr (words_per_uniform<R> == 1)
    return uniform_of(w[K]);
  else
    return uniform_of(w[2 * K], w[2 * K + 1]);
}
}  // namespace detail

/// Calls sink(i, z) with n independent standard normal z, i = 0 .. n - 1, and returns a uniform on (0, 1] besides.
/// In single precision normals 2j, 2j + 1 come from words 2j, 2j + 1, the uniform from the first word after them; so a
/// transition in ten dimensions takes three blocks. In double a variate takes two words instead of one.
template <Real R, class First, class N, class Sink>
MANYCHAIN_HD R normals_and_uniform(const Stream<R, First>& stream, N n, Sink sink) {
  constexpr int per_block = 4 / detail::words_per_uniform<R>;
  const int normals = 2 * ((n.value() + 1) / 2);  // words come in pairs
  R uniform = R(0);
  const auto block = [&](int b) {
    Bits<R> w[4];
    stream.words(static_cast<std::uint32_t>(b), w);
    const R u0 = detail::uniform_at<R, 0>(w), u1 = detail::uniform_at<R, 1>(w);
    const int i = b * per_block;
    if (i < normals) {
      R z0, z1;
      box_muller(u0, u1, z0, z1);
      sink(i, z0);
      if (i + 1 < n.value()) sink(i + 1, z1);
    } else {
      uniform = u0;
    }
    if constexpr (per_block == 4) {
      const R u2 = detail::uniform_at<R, 2>(w), u3 = detail::uniform_at<R, 3>(w);
      if (i + 2 < normals) {
        R z2, z3;
        box_muller(u2, u3, z2, z3);
        sink(i + 2, z2);
        if (i + 3 < n.value()) sink(i + 3, z3);
      } else if (i + 2 == normals) {
        uniform = u2;
      }
    }
  };
  if constexpr (is_unrolled<N>) {
    constexpr int blocks = 2 * ((N::compile_time + 1) / 2) / per_block + 1;
    MANYCHAIN_UNROLL
    for (int b = 0; b < blocks; ++b) block(b);
  } else {
    for (int b = 0; b <= normals / per_block; ++b) block(b);
  }
  return uniform;
}

/// Calls sink(i, u) with n independent uniforms on (0, 1].
template <Real R, class First, class N, class Sink>
MANYCHAIN_HD void uniforms(const Stream<R, First>& stream, N n, Sink sink) {
  for (int i = 0; i < n.value(); i += 2) {
    Bits<R> w[4];
    stream.words(static_cast<std::uint32_t>(i / 2), w);
    sink(i, detail::uniform_at<R, 0>(w));
    if (i + 1 < n.value()) sink(i + 1, detail::uniform_at<R, 1>(w));
  }
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
