// The tuning by the adaptation of the settings, which runs where the chains are: the step size and, of some, the length
// of trajectories. Chains that have not moved for `lost_after` transitions do not count for it
// (adaptation/dual_averaging.hpp).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "manychain/chain/adapter.hpp"
#include "manychain/core/error.hpp"
#include "warmup/estimator.hpp"

namespace manychain {

class Adapted final : public Estimator {
 public:
  explicit Adapted(TunedGroups& groups) : Estimator(groups), learnt_by_(groups.size(), 0) {}

  void begin(const Stage& stage) override {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (!stage.update_metric) reach_across(groups_[g]);
      engine.adapter()->begin(stage, stage.plan, static_cast<int>(g), groups_[g].tuning);
      groups_.send(g);
    }
    engine.send_adaptation();
    engine.reset_window();
  }

  /// Throws SamplingFailed if the step size ran away or vanished.
  void update(const Stage& stage, std::size_t group) override {
    GroupTuning& tuning = groups_[group].tuning;
    const double before = tuning.trajectory;
    engine.adapter()->end(stage, static_cast<int>(group), tuning);
    const double limit = static_cast<double>(groups_.tuning(group).leapfrog_limit);  // steps, not gradients
    const bool cut =
        tuning.leapfrog_limit < settings.sampling.max_leapfrogs && tuning.trajectory > 0.9 * limit * tuning.step_size;
    learnt_by_[group] = cut ? HUGE_VAL : std::abs(std::log(tuning.trajectory / before));
    check_step(tuning.step_size, settings.warmup.target_acceptance.value_or(1));
  }

  /// True if no length that is learnt has changed by more than its tolerance: criteria are flat at their optimum.
  bool settled() override {
    constexpr double learnt_within = 0.1;
    return std::none_of(learnt_by_.begin(), learnt_by_.end(), [](double by) { return by > learnt_within; });
  }

  void finish(Transitions&) override { groups_.finish(); }

 private:
  /// Extends trajectories, if an adaptation tunes them, to at least a quarter turn along the widest direction. Only
  /// those in use: what the adaptation has learnt stays.
  static void reach_across(GroupInWarmup& group) {
    if (!(group.learnt_trajectory > 0)) return;
    const double quarter_turn = std::numbers::pi / 2 * std::sqrt(group.widest);
    group.tuning.trajectory = std::max(group.tuning.trajectory, quarter_turn);
  }

  /// `rate`: that warm-up aims for.
  static void check_step(double step, double rate) {
    // Below, the wide part of a posterior may accept steps of any length as often as that.
    constexpr double least_rate = 0.5;
    if (!(step < 1e7) && rate < least_rate)
      throw SamplingFailed(fmt::format(
          "The step size ran away: raise Settings::warmup.target_acceptance (now {:.3g}) to {:.3g}, and measure "
          "parameters that vary by more than 1e7 in larger units",
          rate, least_rate));
    if (!(step < 1e7))
      throw SamplingFailed(
          "The step size ran away: the posterior is improper, or parameters vary by more than 1e7. Check the priors "
          "of the model (manychain check names parameters that no term depends on), and measure such parameters in "
          "larger units");
    if (!(step > 1e-30))  // still a number in single precision
      throw SamplingFailed(
          "No acceptably small step size could be found: data of very large or small size may be the cause, or a "
          "mistake in the model's density or its gradient; centre and scale such data, and manychain check looks for "
          "mistakes");
  }

  std::vector<double> learnt_by_;  ///< [group] |log| of the ratio of trajectories after and before the last stage
};

}  // namespace manychain
