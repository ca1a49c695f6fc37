// Simulated chains of a transition matrix: many at once, and what they are in the mean over chains and over time.
// Norris, Markov Chains (1997), sections 1.1 and 1.10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "manychain/markov/higher_order.hpp"
#include "manychain/markov/inhomogeneous.hpp"
#include "manychain/montecarlo/discrete.hpp"

namespace manychain::markov {

/// Independent chains of a transition matrix, each started by a draw from one distribution. What chain c does until
/// time t depends on the seed, c and t alone: not on how many chains there are, nor on how many steps.
class Simulator {
 public:
  /// Throws BadInput unless `initial` has S finite, non-negative entries with the sum one.
  Simulator(const TransitionMatrix& p, const std::vector<double>& initial, std::uint64_t seed);
  Simulator(const InhomogeneousChain& chain, const std::vector<double>& initial, std::uint64_t seed);

  std::size_t states() const { return states_; }
  /// The state of chain `chain` at time 0, and at `time` > 0 if it was `from` just before.
  std::size_t start(std::uint64_t chain) const { return drawn(initial_, chain, 0); }
  std::size_t next(std::size_t from, std::uint64_t chain, std::uint64_t time) const {
    return drawn(rows_[row(from, time)], chain, time);
  }
  /// The states of one chain at the times 0 .. steps.
  Sequence path(std::uint64_t chain, std::uint64_t steps) const;

 private:
  using InverseCdf = montecarlo::DiscreteInverseCdf;
  Simulator(std::span<const TransitionMatrix> matrices, std::size_t repeat, const std::vector<double>& initial,
            std::uint64_t seed);
  std::size_t drawn(const InverseCdf& from, std::uint64_t chain, std::uint64_t time) const;
  std::size_t row(std::size_t from, std::uint64_t time) const {
    return place_of(time, rows_.size() / states_, repeat_) * states_ + from;
  }
  std::size_t states_, repeat_;
  InverseCdf initial_;
  std::vector<InverseCdf> rows_;  // of one matrix after another
  std::uint64_t seed_;
};

/// Shares of states among simulated chains.
struct ErgodicAverages {
  std::vector<double> over_chains;  ///< after the last step: the share of the chains in each state
  Matrix over_time;                 ///< [chain][state]: the share of its steps 1 .. n after which a chain was there
  /// The mean over chains of f(state) after the last step; f has S values.
  double mean_over_chains(const std::vector<double>& f) const;
  /// The mean of f(state) along one chain.
  double mean_over_time(const std::vector<double>& f, std::size_t chain) const;
};

/// Simulates `chains` chains for `steps` steps. If the chain is irreducible, both means tend to that of the stationary
/// distribution, over time for any period (the ergodic theorem; Norris, theorem 1.10.2), over chains if it is
/// aperiodic. Throws BadInput as Simulator does, for no chain, for more than 2^31 chains x states, and unless there are
/// 1 .. 2^40 - 1 steps.
ErgodicAverages ergodic_averages(const TransitionMatrix& p, const std::vector<double>& initial, std::size_t chains,
                                 std::uint64_t steps, std::uint64_t seed);
/// Like ergodic_averages() above, for a chain that changes with time. If it forgets its start, its mean over time tends
/// to the mean of its limits.
ErgodicAverages ergodic_averages(const InhomogeneousChain& chain, const std::vector<double>& initial,
                                 std::size_t chains, std::uint64_t steps, std::uint64_t seed);

}  // namespace manychain::markov
