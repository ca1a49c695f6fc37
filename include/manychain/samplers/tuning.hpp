// The tuning that the chains of a group share while a block runs. A sampler names its own record; these are the ones
// there are.
#pragma once

#include <cstdint>

#include "manychain/core/macros.hpp"
#include "manychain/samplers/metric.hpp"
#include "manychain/samplers/step_schedule.hpp"

namespace manychain {

/// Integrator of Hamilton's equations (samplers/integrator.hpp).
enum class Integrator : std::uint32_t { leapfrog, two_stage };
/// Gradients of one step.
MANYCHAIN_HD constexpr std::uint32_t stages_of(Integrator integrator) {
  return integrator == Integrator::two_stage ? 2 : 1;
}

/// The values that the record of any sampler is made from on the host, in double.
struct GroupTuning {
  double step_size = 1;
  double trajectory = 0;             ///< longest integration time, in units of the whitened scale
  std::uint32_t leapfrog_limit = 1;  ///< steps of one trajectory
  bool leaves = false;               ///< some masses depend on position
  Integrator integrator = Integrator::leapfrog;
  StepSchedule schedule = {};
  int minibatch = 0;  ///< data terms of a stochastic gradient; 0: all
};

/// The arrays that lie beside a record where the chains are.
template <class Number>
struct TuningArrays {
  const Number* step = nullptr;  ///< one per dimension
  LowRank<Number> metric = {};
  LeafArrays<Number> leaves = {};
};

// of() makes a record for the host to send; to() reads one.

/// The record of a sampler that has nothing to tune.
template <class Number>
struct NoTuning {
  static NoTuning of(const GroupTuning&, const TuningArrays<Number>&) { return {}; }
  void to(GroupTuning&) const {}
};

/// A step size for each component: step[i] = step_size * scale[i].
template <class Number>
struct StepTuning {
  Number step_size = 1;
  const Number* step = nullptr;  ///< one per dimension
  static StepTuning of(const GroupTuning& group, const TuningArrays<Number>& arrays) {
    return {static_cast<Number>(group.step_size), arrays.step};
  }
  void to(GroupTuning& group) const { group.step_size = static_cast<double>(step_size); }
};

template <class Number>
struct TrajectoryTuning {
  Number step_size = 1;
  const Number* step = nullptr;  ///< one per dimension
  Number trajectory = 0;
  std::uint32_t leapfrog_limit = 1;
  Integrator integrator = Integrator::leapfrog;
  LowRank<Number> metric = {};
  LeafArrays<Number> leaves = {};
  static TrajectoryTuning of(const GroupTuning& group, const TuningArrays<Number>& arrays) {
    return {static_cast<Number>(group.step_size),
            arrays.step,
            static_cast<Number>(group.trajectory),
            group.leapfrog_limit,
            group.integrator,
            arrays.metric,
            arrays.leaves};
  }
  void to(GroupTuning& group) const {
    group.step_size = static_cast<double>(step_size);
    group.trajectory = static_cast<double>(trajectory);
    group.leapfrog_limit = leapfrog_limit;
  }
};

/// The record of samplers with stochastic gradients.
template <class Number>
struct ScheduleTuning {
  StepSchedule schedule;
  int minibatch = 0;
  static ScheduleTuning of(const GroupTuning& group, const TuningArrays<Number>&) {
    return {group.schedule, group.minibatch};
  }
  void to(GroupTuning& group) const {
    group.schedule = schedule;
    group.minibatch = minibatch;
  }
};

/// The record of two samplers that are both tuned.
template <class First, class Second>
struct PairTuning {
  First first;
  Second second;
  template <class Number>
  static PairTuning of(const GroupTuning& group, const TuningArrays<Number>& arrays) {
    return {First::of(group, arrays), Second::of(group, arrays)};
  }
  void to(GroupTuning& group) const {
    first.to(group);
    second.to(group);
  }
};

}  // namespace manychain
