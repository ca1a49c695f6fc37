// What the chains of a group share while a block runs. A sampler names its own record; these are the ones there are.
#pragma once

#include <cstdint>

#include "manychain/core/macros.hpp"
#include "manychain/samplers/step_schedule.hpp"

namespace manychain {

/// What the record of any sampler is made from on the host, in double.
struct GroupTuning {
  double step_size = 1;
  double trajectory = 0;             ///< longest integration time, in units of the whitened scale
  std::uint32_t leapfrog_limit = 1;  ///< of one trajectory
  StepSchedule schedule = {};
  int minibatch = 0;  ///< data terms of a stochastic gradient; 0: all
};

// of() makes a record for the host to send, with the steps where the chains are; to() reads one.

/// Of a sampler that has nothing to tune.
template <class Number>
struct NoTuning {
  static NoTuning of(const GroupTuning&, const Number*) { return {}; }
  void to(GroupTuning&) const {}
};

/// A step size for each component: step[i] = step_size * scale[i].
template <class Number>
struct StepTuning {
  Number step_size = 1;
  const Number* step = nullptr;  ///< one per dimension
  static StepTuning of(const GroupTuning& group, const Number* step) {
    return {static_cast<Number>(group.step_size), step};
  }
  void to(GroupTuning& group) const { group.step_size = static_cast<double>(step_size); }
};

template <class Number>
struct TrajectoryTuning {
  Number step_size = 1;
  const Number* step = nullptr;  ///< one per dimension
  Number trajectory = 0;
  std::uint32_t leapfrog_limit = 1;
  static TrajectoryTuning of(const GroupTuning& group, const Number* step) {
    return {static_cast<Number>(group.step_size), step, static_cast<Number>(group.trajectory), group.leapfrog_limit};
  }
  void to(GroupTuning& group) const {
    group.step_size = static_cast<double>(step_size);
    group.trajectory = static_cast<double>(trajectory);
    group.leapfrog_limit = leapfrog_limit;
  }
};

/// Of stochastic gradients.
template <class Number>
struct ScheduleTuning {
  StepSchedule schedule;
  int minibatch = 0;
  static ScheduleTuning of(const GroupTuning& group, const Number*) { return {group.schedule, group.minibatch}; }
  void to(GroupTuning& group) const {
    group.schedule = schedule;
    group.minibatch = minibatch;
  }
};

/// Of two samplers that are both tuned.
template <class First, class Second>
struct PairTuning {
  First first;
  Second second;
  template <class Number>
  static PairTuning of(const GroupTuning& group, const Number* step) {
    return {First::of(group, step), Second::of(group, step)};
  }
  void to(GroupTuning& group) const {
    first.to(group);
    second.to(group);
  }
};

}  // namespace manychain
