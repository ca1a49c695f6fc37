// The tuning of the chains of each group, on the host: step sizes, metrics and trajectories between the phases of
// warm-up. The phases are those of adaptation/schedule.hpp; within one the step size is updated where the chains are
// (adaptation/windowed.hpp). Chains that have not moved for `lost_after` transitions do not count for the step size
// (adaptation/dual_averaging.hpp), chains that did not move in a window not for the scales (adaptation/pooled.hpp), so
// that they do not decide for all others.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "adaptation/estimate_metric.hpp"
#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

class Tuner {
 public:
  /// Sends each group a metric of ones and the tuning of the settings, whose defaults are filled in.
  Tuner(const Model& model, const Settings& settings, const SamplerInfo& sampler, bool given_trajectory,
        Engine& engine);

  /// A first metric of one group, from points with the posterior's shape: [point][dimension].
  void expect(std::size_t group, const std::vector<double>& spread);
  /// With the step size of the settings, or the sampler's first one.
  void start();
  void begin(const WarmupPhase& phase, const AdaptationPlan& plan);
  /// Observes the positions of the chains, for the metric at the end of the phase.
  void observe_points();
  /// After observe_points(), if the phase updates the metric. Throws SamplingFailed for a step size that ran away.
  void end(const WarmupPhase& phase);
  /// After the end of a phase that updated the metric: whether that of every group, and the length of trajectories that
  /// an adaptation tunes, is what it was before, and chains have forgotten where they started.
  bool settled() const;
  /// As sampling begins.
  void finish();

  /// True if the phase chooses between integrators, which the settings leave open: it only refines the step size, and
  /// the model has 20 dimensions or more.
  bool chooses_integrator(const WarmupPhase& phase) const;
  static constexpr std::size_t integrator_trial = 4;  ///< transitions
  /// Two trials, by `advance(integrator_trial)`: of the leapfrog, and of two stages with steps that pay if they are
  /// accepted as often, 2.5 times as long. False if `advance` says so.
  bool choose_integrator(const std::function<bool(std::size_t transitions)>& advance);

  /// True if the metric may depend on position, but need not, and it has not been decided: before a phase with long
  /// trajectories.
  bool chooses_metric(const WarmupPhase& phase) const;
  /// Transitions of that trial: more of few chains, whose moves are noisy, as far as the phase has them.
  std::size_t metric_trial(const WarmupPhase& phase) const;
  /// A trial of the constant metric, whose step size is found first, and of masses that depend on position. Each group
  /// takes what moves its slowest component further for its cost, counted in operations. Advances by `advance`, with an
  /// adaptation or without. False if `advance` says so.
  bool choose_metric(std::size_t trial, const AdaptationPlan& plan,
                     const std::function<bool(std::size_t transitions, bool adapts)>& advance);

  /// True if some chains, and at most half of a group, have not moved for `lost_after` transitions: the step that suits
  /// the others is too long for where they stand.
  bool some_are_stuck() const;
  /// The same, but for as many as the last free_stuck_chains() has left where it freed none: it costs the gradients of
  /// several hundred transitions.
  bool may_free_chains() const;
  static constexpr std::size_t short_transitions = 10;
  /// Lets stuck chains go on: transitions of all chains, half of them with an eighth of the step in the groups of such
  /// chains, half with a 64th. They leave the posterior as it is; to put chains elsewhere would not. Makes them by
  /// `advance(short_transitions / 2)`, twice. False if `advance` says so.
  bool free_stuck_chains(const std::function<bool(std::size_t transitions)>& advance);

  /// Number of calls of observe_points() that are wanted in a phase.
  std::size_t observations(const WarmupPhase& phase) const;
  std::size_t groups() const { return tunings_.size(); }
  /// As the chains of the group have it.
  GroupTuning tuning(std::size_t group) const;
  const Metric& metric(std::size_t group) const { return metrics_[group]; }
  /// By an adaptation that tunes trajectories, before reach_across(); 0: there is none.
  double learnt_trajectory(std::size_t group) const { return learnt_[group]; }

 private:
  /// [group] chains that have not moved for `lost_after` transitions; 0 where they are more than half.
  std::vector<std::size_t> stuck() const;
  std::size_t all_stuck() const;
  void send(std::size_t group) { engine_.set_tuning(static_cast<int>(group), tuning(group)); }
  MetricKind metric_kind() const;
  bool takes_leaves(std::size_t group) const;
  /// Cost of a mean trajectory with so many leaves, in leapfrogs of a constant metric.
  double mean_cost(const GroupTuning& tuning, std::size_t leaves) const;
  /// Components that Gibbs moves have a scale of zero.
  void set_metric(std::size_t group, Metric metric);
  void update_metric(std::size_t group, std::size_t transitions);
  MetricEstimate with_leaves(std::size_t group, std::vector<double> scale) const;
  /// [group] effective draws of the component that is slowest, of one transition of each chain. False if `advance` says
  /// so.
  bool moves(std::size_t transitions, const std::function<bool(std::size_t, bool)>& advance,
             std::vector<double>& slowest) const;
  void take(std::size_t group, MetricEstimate estimate);
  /// Trajectories that an adaptation tuned reach at least a quarter turn along the widest direction: as they are used,
  /// not as they are learnt.
  void reach_across(std::size_t group);

  const Layout& layout_;
  const Settings& settings_;
  const SamplerInfo& sampler_;
  Engine& engine_;
  bool given_trajectory_;
  double direction_cost_;
  std::vector<GroupTuning> tunings_;  ///< [group] limits count gradients, of which a step may take several
  std::vector<Metric> metrics_;       ///< [group]
  std::vector<double> widest_;        ///< [group] direction that the metric leaves, as a standard deviation squared
  std::vector<double> moved_by_;      ///< [group] metric_distance() of the last update
  std::vector<double> noise_;         ///< [group] of it: the square root of 2 dimension / points
  std::vector<double> learnt_;        ///< [group] trajectory, before reach_across()
  std::vector<double> learnt_by_;     ///< [group] |log| of the ratio of trajectories after the last phase and before it
  std::vector<MetricEstimate> constant_;  ///< [group] beside a metric with leaves: what it would be without
  std::vector<bool> leaves_pay_;          ///< [group] masses may depend on position
  bool metric_chosen_ = false;
  std::size_t not_freed_ = 0;                   ///< stuck chains, after the last free_stuck_chains(), if it freed none
  std::vector<std::vector<double>> points_;     ///< [group] of the phase: [point][dimension]
  std::vector<std::vector<double>> gradients_;  ///< [group] where a metric asks for them: [point][dimension]
};

}  // namespace manychain
