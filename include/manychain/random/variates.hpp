// Random variates one after another, of any distribution, from the stream of a transition.
#pragma once

#include "manychain/random/stream.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Reads a stream from a given block on. All lanes read the same positions, so that a variate that rejects (gamma)
/// takes the same numbers whoever a chain's neighbours are: it owns the words of 32 trials, used or not. A
/// transition has words for some 10^5 of those, and for 10^7 uniforms: chain/random_words.hpp checks it before a run.
template <Real R, class First = std::uint64_t>
class Variates {
 public:
  MANYCHAIN_HD explicit Variates(const Stream<R, First>& stream, std::uint32_t first_block = 0)
      : stream_(stream), block_(first_block) {}
  Variates(const Variates&) = delete;
  Variates& operator=(const Variates&) = delete;

  /// On (0, 1].
  MANYCHAIN_HD R uniform() {
    const Bits<R> a = word();
    if constexpr (detail::words_per_uniform<R> == 1)
      return uniform_of(a);
    else
      return uniform_of(a, word());
  }
  MANYCHAIN_HD R normal() {
    const R u = uniform(), v = uniform();
    R z, unused;
    box_muller(u, v, z, unused);
    return z;
  }
  /// Rate one.
  MANYCHAIN_HD R exponential() { return -log(uniform()); }
  /// Shape a > 0, rate one (Marsaglia and Tsang 2000; below one, of shape a + 1 times u^(1/a)); NaN for any other
  /// shape. A trial is accepted with probability above 0.95; a - 1/3 stands if none of 32 is.
  MANYCHAIN_HD R gamma(R a) {
    const R boost = select(a < R(1), exp(log(uniform()) / a), R(1));
    return gamma_from_one(a) * boost;
  }
  /// Its logarithm, which a small shape cannot underflow: in single precision most gamma variates of shape 0.01 are
  /// zero.
  MANYCHAIN_HD R log_gamma(R a) {
    const R boost = select(a < R(1), log(uniform()) / a, R(0));
    return log(gamma_from_one(a)) + boost;
  }
  MANYCHAIN_HD R beta(R a, R b) {
    const R x = log_gamma(a), y = log_gamma(b);
    return inv_logit(x - y);
  }
  /// For what rejects: calls body() until it says that all lanes are done, and at most 32 times. Each call has the
  /// words of `uniforms` uniform variates; those of all calls are used up, however many there were.
  template <class Body>
  MANYCHAIN_HD void trials(int uniforms, Body body) {
    const int blocks = (uniforms * detail::words_per_uniform<R> + 3) / 4;
    const std::uint32_t begin = block_;  // what is left of the last block is given up
    bool done = false;
    for (int k = 0; k < most_trials && !done; ++k) {
      block_ = begin + static_cast<std::uint32_t>(k * blocks);
      next_ = 0;
      done = body();
    }
    block_ = begin + static_cast<std::uint32_t>(most_trials * blocks);
    next_ = 0;
  }
  /// Blocks of the stream up to the one that is being read: the same in all lanes, and whatever was drawn.
  MANYCHAIN_HD std::uint32_t blocks() const { return block_; }
  /// 32 random bits a lane.
  MANYCHAIN_HD Bits<R> word() {
    if (next_ == 0) stream_.words(block_++, words_);
    const int k = next_;
    next_ = (next_ + 1) % 4;
    // No index: an array that is indexed at run time lies in memory.
    return k == 0 ? words_[0] : k == 1 ? words_[1] : k == 2 ? words_[2] : words_[3];
  }

 private:
  /// A gamma variate of shape a, or a + 1 where a is below one.
  MANYCHAIN_HD R gamma_from_one(R a) {
    const R shape = select(a > R(0), a, R(std::numeric_limits<number_of<R>>::quiet_NaN()));
    const R d = select(a < R(1), shape + R(1), shape) - R(1.0 / 3), c = R(1) / sqrt(R(9) * d);
    mask_of<R> done = R(0) == R(1);
    R result = d;
    trials(3, [&] {
      const R z = normal(), u = uniform();
      const R w = fma(c, z, R(1)), v = w * w * w;
      const auto accept = w > R(0) && log(u) < R(0.5) * z * z + d - d * v + d * log(select(w > R(0), v, R(1)));
      result = select(!done && accept, d * v, result);
      done = done || accept;
      return all(done);
    });
    return result;
  }

  static constexpr int most_trials = 32;
  const Stream<R, First>& stream_;
  std::uint32_t block_;
  int next_ = 0;
  Bits<R> words_[4];
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
