// Shorter steps where transitions of windows diverge. A step size that few chains have refined in some tens of
// transitions meets places in thousands that they did not see. If windows show that there are some, and the acceptance
// rate is the default, sampling aims for a higher one.
#pragma once

#include <algorithm>
#include <vector>

#include "warmup/estimator.hpp"

namespace manychain {

class CarefulSteps final : public Estimator {
 public:
  explicit CarefulSteps(TunedGroups& groups) : Estimator(groups), diverged_(groups.size()) {}

  void prepare(Stage& stage, Transitions&) override {
    careful_ = stage.refine && settings.warmup.end == WarmupEnd::arrived && aims_higher();
    if (!careful_) return;
    stage.plan.target_acceptance = *settings.warmup.target_acceptance;
    stage.transitions *= longer_refining;
  }
  void begin(const Stage&) override { before_.clear(); }
  void observe(std::size_t look, std::size_t looks) override {
    if (look == looks / 4) before_ = engine.statistics().divergences;
  }
  void update(const Stage& stage, std::size_t group) override {
    if (stage.update_metric) diverged_[group] = share_diverged(group, stage.transitions);
    if (careful_) groups_[group].tuning.step_size *= shorter;
  }

 private:
  // The acceptance rate to aim for, how many times as many transitions refine the step size for it, and the factor of
  // what they find. That is still too long in 1e-3 of the transitions, which the rate cannot tell from none; the share
  // falls with the sixth to tenth power of the step.
  static constexpr double higher_target = 0.98, shorter = 0.65;
  static constexpr std::size_t longer_refining = 4;
  // Windows aim for a mean acceptance rate of 0.8. Of posteriors near normal ones none of their transitions diverge, of
  // the non-centred eight schools 0.002, of Gaussian processes whose amplitude is a parameter 0.01 and more.
  static constexpr double many_divergences = 0.004;

  /// A run that is resumed has the higher rate as its setting.
  bool aims_higher() {
    if (std::none_of(diverged_.begin(), diverged_.end(), [](double share) { return share > many_divergences; }))
      return false;
    if (*settings.warmup.target_acceptance == groups_.default_target())
      settings.warmup.target_acceptance = higher_target;
    return *settings.warmup.target_acceptance == higher_target;
  }

  /// Share of divergent transitions of a group after the first quarter of a window, which begins with a step that may
  /// be ten times as long as the last.
  double share_diverged(std::size_t group, std::size_t transitions) const {
    if (before_.empty()) return 0;
    const std::vector<double> now = engine.statistics().divergences;
    const std::size_t of_group = now.size() / groups_.size();
    double count = 0;
    for (std::size_t c = group * of_group; c < (group + 1) * of_group; ++c) count += now[c] - before_[c];
    return count / (0.75 * static_cast<double>(of_group * transitions));
  }

  std::vector<double> before_;    ///< [chain] divergences after a quarter of the window
  std::vector<double> diverged_;  ///< [group] share_diverged() of the last window
  bool careful_ = false;          ///< in the present stage
};

}  // namespace manychain
