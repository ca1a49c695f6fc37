// A chain whose transition matrix changes with time: products of matrices, what is forgotten of the start, limits.
// Seneta, Non-negative Matrices and Markov Chains (1981), chapter 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manychain/markov/transition_matrix.hpp"

namespace manychain::markov {

/// Dobrushin's coefficient of ergodicity (1956), max_ij TV(P(i, .), P(j, .)), between 0 and 1. One step brings any two
/// distributions at least so much closer, TV(x P, y P) <= delta(P) TV(x, y), and delta(P Q) <= delta(P) delta(Q)
/// (Seneta, section 4.3). O(S^3).
double dobrushin_coefficient(const TransitionMatrix& p);

/// The place, from 0, of the matrix of step `time` >= 1 in a list of which the last `repeat` follow again and again.
inline std::size_t place_of(std::uint64_t time, std::size_t matrices, std::size_t repeat) {
  const std::uint64_t before = matrices - repeat, k = time - 1;
  return static_cast<std::size_t>(k < before ? k : before + (k - before) % repeat);
}

/// Step t = 1, 2, .. is taken by matrix t of a list. After the last one the last `repeat` matrices follow again and
/// again: 1 leaves the last one for good, the length of the list makes a chain of that period.
class InhomogeneousChain {
 public:
  /// Throws BadInput if there is no matrix, the matrices (counted from 1) have not the same states, or `repeat` is not
  /// 1 .. their number.
  explicit InhomogeneousChain(std::vector<TransitionMatrix> matrices, std::size_t repeat = 1);

  std::size_t states() const { return matrices_[0].states(); }
  std::string name(std::size_t state) const { return matrices_[0].name(state); }
  const std::vector<TransitionMatrix>& matrices() const { return matrices_; }
  std::size_t repeat() const { return repeat_; }
  /// The index in matrices() of the matrix of step `time` >= 1, the one from time - 1 to time.
  std::size_t place(std::uint64_t time) const { return place_of(time, matrices_.size(), repeat_); }

  /// P_(from + 1) .. P_to: row i is the distribution at time `to` of a chain that is in state i at time `from`; the
  /// identity where the two are equal. Throws BadInput if from > to. Rounds are taken by repeated squaring.
  TransitionMatrix product(std::uint64_t from, std::uint64_t to) const;
  /// x P_1 .. P_n of a distribution x. Throws BadInput unless x has S finite, non-negative entries with the sum one.
  std::vector<double> evolve(std::vector<double> distribution, std::uint64_t n) const;
  /// The product of the matrices that repeat, one round of them.
  const TransitionMatrix& round() const { return round_; }

 private:
  /// take(p, n) for what leads from one time to another, in its order: n steps by p, single matrices and whole rounds.
  template <class Take>
  void go(std::uint64_t from, std::uint64_t to, Take take) const;

  std::vector<TransitionMatrix> matrices_;
  std::size_t repeat_;
  TransitionMatrix round_;
};

/// The behaviour of the chain after many steps.
struct LongRun {
  /// Weakly ergodic: from whatever time on, the rows of the product become equal. Just if the round has one closed
  /// class, and that aperiodic; what comes before the rounds does not matter.
  bool forgets_start = false;
  /// If the chain forgets: the distribution after each of the matrices that repeat, in the limit of many rounds.
  std::vector<std::vector<double>> limits;
  /// Strongly ergodic: the limits are one distribution but for rounding (a total variation of 1e-12), which then is
  /// invariant under each of the matrices that repeat.
  bool settles = false;
};
LongRun long_run(const InhomogeneousChain& chain);

/// The smallest n after which no two starts are farther apart than epsilon: Dobrushin's coefficient of P_1 .. P_n,
/// which never rises. Equality counts within a relative 1e-10. None if there is no such n up to 2^62. Throws BadInput
/// unless 1e-10 <= epsilon < 1.
std::optional<std::uint64_t> forgetting_time(const InhomogeneousChain& chain, double epsilon = 0.25);

}  // namespace manychain::markov
