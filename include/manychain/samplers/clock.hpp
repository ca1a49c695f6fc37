// Chains on clocks of their own. A sampler whose transitions take different numbers of evaluations from chain to chain
// may list the field Clock and have
//   step(model, chain, tuning, stream) -> StepInfo
// in the place of transition(). A step evaluates the model once. The loop (chain/chain_program.hpp) calls it until all
// chains of a Real have made the transitions of a block, which each makes at its own pace: one of them may begin its
// fifth transition while its neighbour is in the middle of its second.
//
// A step reads chain.clock.step, the number of steps that the chain has made of its transition, and draws nothing but
// from `stream`, which begins at words of its own for each transition and step: info.words_per_step of them. What a
// chain must remember from step to step is in fields of its state that visit() does not name: they live as long as a
// block, at whose ends every chain is between two transitions. take() sets them to what the first step expects. Between
// transitions position and log density (and gradient) belong together; within one they may be anything.
//
// A chain that has made the transitions of a block has been stored, and goes on to no effect until its neighbours have
// made theirs. No draw depends on them, nor on where blocks end.
#pragma once

#include "manychain/samplers/sampler.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The time of a chain within a block, in whole numbers below 2^24. Only the loop changes it.
struct Clock {
  template <class R, class N>
  struct In {
    struct {
      R transition;  ///< transitions of the block that the chain has made
      R step;        ///< steps of the next one that it has made
    } clock;
    MANYCHAIN_HD void take(Arena<R>&, N) { clock.transition = clock.step = R(0); }
    template <class F>
    MANYCHAIN_HD void visit(F&) {}  // both are zero between blocks
  };
  static constexpr int vectors = 0;
};

/// True if chains of the sampler are on clocks of their own.
template <class S>
inline constexpr bool has_clock = S::Fields::template has<Clock>;

/// The report of a step. `evaluations` are those of this step; all other members are those of the transition, and are
/// read where it is done.
template <class R>
struct StepInfo : TransitionInfo<R> {
  mask_of<R> done;  ///< the transition ends with this step
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
