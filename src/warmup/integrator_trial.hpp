// The choice of the integrator, where the settings leave it open: acceptance rates in two trials, of the leapfrog, and
// of two stages with 2.5 times the step size, at which they pay if they are accepted as often.
#pragma once

#include <vector>

#include "manychain/chain/adapter.hpp"
#include "warmup/estimator.hpp"

namespace manychain {

class IntegratorTrial final : public Estimator {
 public:
  using Estimator::Estimator;

  void prepare(Stage& stage, Transitions& transitions) override {
    if (!chooses(stage)) return;
    for (GroupInWarmup& group : groups_) group.tuning.step_size *= to_sampling_rate;
    std::vector<GroupTuning> leapfrog;
    for (const GroupInWarmup& group : groups_) leapfrog.push_back(group.tuning);
    const std::vector<double> of_leapfrog = accepted(transitions);
    for (GroupInWarmup& group : groups_) {
      group.tuning.integrator = Integrator::two_stage;
      group.tuning.step_size *= length_that_pays;
    }
    const std::vector<double> of_two_stages = accepted(transitions);
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (of_two_stages[g] < of_leapfrog[g]) groups_[g].tuning = leapfrog[g];
    stage.transitions -= 2 * trial;
  }

 private:
  static constexpr std::size_t trial = 4;  // transitions
  // Below, trajectories of two stages have a step or two, and their lengths are too coarse. A step of two stages costs
  // two gradients; at 2.5 times the leapfrog's length it paid, or cost nothing, on every posterior that was looked at,
  // at 2.1 to 2.4 times it lost up to 15 % (bench/results/defaults-methods-*.txt).
  static constexpr std::size_t two_stages_from = 20;  // dimensions
  static constexpr double length_that_pays = 2.5;
  // From a step that is accepted at a rate of 0.8, which windows aim for, to one at 0.88, which sampling aims for.
  static constexpr double to_sampling_rate = 0.85;

  bool chooses(const Stage& stage) const {
    return stage.refine && stage.transitions >= 6 * trial && !settings.sampling.integrator && sampler.directions &&
           layout.dimension >= two_stages_from && !engine.adapter()->info().trajectory;
  }

  /// [group] sums of acceptance rates with the present tuning.
  std::vector<double> accepted(Transitions& transitions) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      groups_[g].tuning.leapfrog_limit = groups_.whole_limit();
      groups_.send(g);
    }
    const std::vector<double> before = engine.statistics().acceptance_sum;
    transitions(trial);
    const std::vector<double> after = engine.statistics().acceptance_sum;
    std::vector<double> sums(groups_.size());
    for (std::size_t c = 0; c < after.size(); ++c) sums[c / (after.size() / sums.size())] += after[c] - before[c];
    return sums;
  }
};

}  // namespace manychain
