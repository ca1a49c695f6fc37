// The counters of every chain beside its state: a list of fields, as the state is.
#pragma once

#include "manychain/samplers/state.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The names of the fields are those of ChainStatistics.
template <class R>
struct Counters {
  R since_move;  ///< transitions since the chain last moved
  /// Sum of acceptance probabilities since the counters were reset. A plain sum of millions in single precision would
  /// be off by some per cent. Added at each transition, so that it does not depend on where blocks end.
  Compensated<R> acceptance_sum;
  R divergences;          ///< since the counters were reset
  R largest_log_density;  ///< likewise
  R evaluations;          ///< of the model, since they were last collected
  R acceptance;           ///< mean acceptance probability of the block; 1 for a chain that is lost
  R nonfinite;            ///< 1: no finite start, or an output was not finite

  template <class F>
  MANYCHAIN_HD void visit(F&& f) {
    f("since_move", since_move);
    f("acceptance_sum", acceptance_sum);
    f("divergences", divergences);
    f("largest_log_density", largest_log_density);
    f("evaluations", evaluations);
    f("acceptance", acceptance);
    f("nonfinite", nonfinite);
  }
};
inline constexpr int nonfinite_counter = 6;  // its place among the fields

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
