// The ladder of a chain that tempers: replicas of its state at several temperatures, and what is counted of them
// (samplers/tempering.hpp). Its rows lie in the memory of the engine; the host reads and writes them as those of any
// other field.
#pragma once

#include <cstdint>

#include "manychain/core/macros.hpp"
#include "manychain/samplers/state.hpp"

namespace manychain {

/// The rows of a ladder for a model of that dimension. Temperatures are counted from 0, that of the reference, to
/// levels() - 1, that of the target, whose replica is the chain itself.
struct LadderRows {
  static constexpr int most = 32;        ///< temperatures
  static constexpr int most_parts = 16;  ///< normals of the reference
  int dimension;

  // Set by the host, the same for all chains of a group.
  MANYCHAIN_HD constexpr int levels() const { return 0; }
  MANYCHAIN_HD constexpr int beta(int k) const { return 1 + k; }                   ///< inverse temperature, from 0 to 1
  MANYCHAIN_HD constexpr int step(int k) const { return beta(most) + k; }          ///< of HMC, in units of the scales
  MANYCHAIN_HD constexpr int centre(int pair) const { return step(most) + pair; }  ///< subtracted from log ratios
  MANYCHAIN_HD constexpr int parts() const { return centre(most); }  ///< of the reference, a mixture of normals
  MANYCHAIN_HD constexpr int cumulated(int j) const { return parts() + 1 + j; }  ///< share of parts up to this one
  /// Logarithm of the share over the product of the sds, less log_constant().
  MANYCHAIN_HD constexpr int log_weight(int j) const { return cumulated(most_parts) + j; }
  MANYCHAIN_HD constexpr int log_constant() const { return log_weight(most_parts); }
  MANYCHAIN_HD constexpr int mean(int j) const { return log_constant() + 1 + j * dimension; }  ///< [dimension]
  MANYCHAIN_HD constexpr int sd(int j) const { return mean(most_parts) + j * dimension; }
  MANYCHAIN_HD constexpr int inverse_sd(int j) const { return sd(most_parts) + j * dimension; }
  /// [dimension] step times scale.
  MANYCHAIN_HD constexpr int steps(int k) const { return inverse_sd(most_parts) + k * dimension; }

  // The replicas below the target.
  MANYCHAIN_HD constexpr int position(int k) const { return steps(most) + 2 * k * dimension; }
  MANYCHAIN_HD constexpr int gradient(int k) const { return position(k) + dimension; }
  MANYCHAIN_HD constexpr int log_density(int k) const { return position(most - 1) + 2 * k; }  ///< a sum, its error
  /// 1: it was at the reference last, 2: at the target since; 0: not yet at the reference. With that of the target.
  MANYCHAIN_HD constexpr int label(int k) const { return log_density(most - 1) + k; }

  // Sums over transitions, since the host has set them to zero. Pair k is of temperatures k and k + 1.
  MANYCHAIN_HD constexpr int sums() const { return label(most); }
  MANYCHAIN_HD constexpr int transitions() const { return sums(); }
  MANYCHAIN_HD constexpr int restarts() const { return sums() + 1; }     ///< of the target from the reference
  MANYCHAIN_HD constexpr int round_trips() const { return sums() + 2; }  ///< reference, target, reference
  MANYCHAIN_HD constexpr int rejected(int pair) const { return sums() + 3 + pair; }
  MANYCHAIN_HD constexpr int accepted(int k) const { return rejected(most) + k; }  ///< by HMC
  /// exp(+- (difference of beta) (log ratio - centre)), up from the lower replica, down from the upper one.
  MANYCHAIN_HD constexpr int up(int pair) const { return accepted(most) + pair; }
  MANYCHAIN_HD constexpr int down(int pair) const { return up(most) + pair; }
  /// 1 / (1 + exp(-x)) of the same two.
  MANYCHAIN_HD constexpr int bridge_up(int pair) const { return down(most) + pair; }
  MANYCHAIN_HD constexpr int bridge_down(int pair) const { return bridge_up(most) + pair; }
  MANYCHAIN_HD constexpr int all() const { return bridge_down(most); }
};

inline namespace MANYCHAIN_ISA {

/// Rows of a field that stay in the memory of the engine, where transitions read and write them.
template <class R>
struct RowsInMemory {
  number_of<R>* begin = nullptr;  ///< of the first lane's chain
  std::int64_t stride = 0;

  MANYCHAIN_HD R get(int row) const {
    R x;
    load(x, begin + row * stride);
    return x;
  }
  MANYCHAIN_HD void put(int row, R x) const { store(x, begin + row * stride); }
  MANYCHAIN_HD void add(int row, R x) const { put(row, get(row) + x); }
  /// A number of a row that is the same for all chains.
  MANYCHAIN_HD number_of<R> shared(int row) const { return begin[row * stride]; }
};

/// The field of a state that tempers.
struct Ladder {
  template <class R, class N>
  struct In {
    RowsInMemory<R> ladder;
    MANYCHAIN_HD void take(Arena<R>&, N) {}
    MANYCHAIN_HD void visit(detail::LoadFields<R, N>& f) {
      ladder.begin = f.rows[f.k++] + f.chain;
      ladder.stride = f.stride;
    }
    MANYCHAIN_HD void visit(detail::StoreFields<R, N>& f) { ++f.k; }
    MANYCHAIN_HD void visit(detail::ListFields& f) { f.add("ladder", LadderRows{static_cast<int>(f.dimension)}.all()); }
  };
  static constexpr int vectors = 0;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
