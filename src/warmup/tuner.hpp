// Tunes each group of chains, on the host: step sizes, metrics and trajectories, between the phases of warm-up. The
// phases are those of adaptation/schedule.hpp; within one the step size is updated where the chains are
// (adaptation/windowed.hpp). Chains that have not moved for `lost_after` transitions do not count for the step size
// (adaptation/dual_averaging.hpp), and chains that did not move in a window do not count for the scales
// (adaptation/pooled.hpp): they do not decide for all others.
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
  /// Sends each group a unit metric. Takes the tuning of the settings, whose defaults are filled in; start() sends it.
  Tuner(const Model& model, const Settings& settings, const SamplerInfo& sampler, bool given_trajectory,
        Engine& engine);

  /// Sets a first metric of one group, from deviations with the shape of the posterior: [point][dimension].
  void set_first_metric(std::size_t group, const std::vector<double>& spread);
  /// Sends the tuning, with the step size of the settings or the sampler's first one.
  void start();
  void begin(const WarmupPhase& phase, const AdaptationPlan& plan);
  /// Observes the positions of the chains, for the metric at the end of the phase.
  void observe_points();
  /// Call after observe_points() if the phase updates the metric. Throws SamplingFailed if the step size ran away or
  /// vanished.
  void end(const WarmupPhase& phase);
  /// Call after the end of a phase that updated the metric. True if no group's metric, and no trajectory length that an
  /// adaptation tunes, has changed by more than its tolerance, and chains have forgotten where they started.
  bool settled() const;
  /// True if chains of some group drifted in the last window, or stayed apart. False of many chains, whose points are
  /// too few of each to tell.
  bool chains_travel() const;
  /// True if many transitions of the last window diverged in some group: few chains, that go on for long, then meet
  /// places in sampling that they did not see while the step size was refined.
  bool many_diverged() const;
  void shorten_steps(double factor) {
    for (GroupTuning& tuning : tunings_) tuning.step_size *= factor;
  }
  /// Sends the tuning with which sampling begins.
  void finish();

  /// True if the phase chooses the integrator, which the settings leave open: it only refines the step size, and the
  /// model has 20 dimensions or more.
  bool chooses_integrator(const WarmupPhase& phase) const;
  static constexpr std::size_t integrator_trial = 4;  ///< transitions
  /// Compares acceptance rates in two trials, by `advance(integrator_trial)`: of the leapfrog, and of two stages with
  /// 2.5 times the step size, at which they pay if they are accepted as often. False if `advance` returns false.
  bool choose_integrator(const std::function<bool(std::size_t transitions)>& advance);

  /// True if the phase, with long trajectories, decides whether the metric depends on position: the settings allow it
  /// but do not require it, and no phase before has decided.
  bool chooses_metric(const WarmupPhase& phase) const;
  /// Largest number of transitions of that trial, within those of the phase: more for few chains, whose moves are
  /// noisy.
  std::size_t metric_trial(const WarmupPhase& phase) const;
  /// Comparisons that as few chains need to say as much as many do in one.
  std::size_t metric_rounds() const;
  /// Compares the constant metric, whose step size is found first, with masses that depend on position. Each group
  /// takes the one that moves its slowest component further per cost, counted in operations. Advances by `advance`,
  /// with an adaptation or without, and less far where the costs decide. Masses that depend on position are refused by
  /// `rounds` comparisons together, unless the first ones are clear. False if `advance` returns false.
  bool choose_metric(std::size_t trial, std::size_t rounds, const AdaptationPlan& plan,
                     const std::function<bool(std::size_t transitions, bool adapts)>& advance);

  /// True if some chains, and at most half of a group, have not moved for `lost_after` transitions: the step size that
  /// suits the others is too long at their positions.
  bool some_are_stuck() const;
  /// Like some_are_stuck(), but false if as many are stuck as the last free_stuck_chains() left when it freed none:
  /// freeing takes the gradients of several hundred transitions.
  bool may_free_chains() const;
  static constexpr std::size_t short_transitions = 10;
  /// Frees stuck chains by transitions of all chains: `advance(short_transitions / 2)` with an eighth of the step size
  /// in the groups of such chains, then with a 64th. These leave the posterior invariant; moving chains elsewhere would
  /// not. False if `advance` returns false.
  bool free_stuck_chains(const std::function<bool(std::size_t transitions)>& advance);

  /// Number of calls of observe_points() that a phase needs.
  std::size_t observations(const WarmupPhase& phase) const;
  std::size_t groups() const { return tunings_.size(); }
  /// The tuning as the chains of the group have it.
  GroupTuning tuning(std::size_t group) const;
  const Metric& metric(std::size_t group) const { return metrics_[group]; }
  /// Trajectory length that an adaptation has learnt, before reach_across(); 0: none has.
  double learnt_trajectory(std::size_t group) const { return learnt_[group]; }

  /// All that sampling takes from the warm-up of a group.
  struct Tuned {
    GroupTuning tuning;  ///< its limit counts gradients
    Metric metric;
    double learnt_trajectory = 0;
  };
  Tuned tuned(std::size_t group) const { return {tunings_[group], metrics_[group], learnt_[group]}; }
  /// Sends the tuning of a warm-up that has ended before.
  void restore(std::size_t group, const Tuned& tuned);

 private:
  /// [group] number of chains that have not moved for `lost_after` transitions; 0 if they are more than half.
  std::vector<std::size_t> stuck() const;
  std::size_t all_stuck() const;
  void send(std::size_t group) { engine_.set_tuning(static_cast<int>(group), tuning(group)); }
  MetricKind metric_kind() const;
  bool takes_leaves(std::size_t group) const;
  /// Cost of a mean trajectory with `leaves` leaves, in leapfrogs of a constant metric.
  double mean_cost(const GroupTuning& tuning, std::size_t leaves) const;
  /// Sets a metric, with a scale of zero for components that Gibbs steps move.
  void set_metric(std::size_t group, Metric metric);
  /// Makes the scales zero of components that another sampler of the sequence moves.
  void leave_conditionals(std::vector<double>& scale) const;
  /// Share of divergent transitions of a group after the first quarter of a window, which begins with a step that may
  /// be ten times as long as the last.
  double share_diverged(std::size_t group, std::size_t transitions) const;
  void update_metric(std::size_t group, std::size_t transitions);
  MetricEstimate with_leaves(std::size_t group, std::vector<double> scale) const;
  /// Moves of chains in transitions with one tuning.
  struct Moves {
    std::vector<double> origin;                ///< [component]
    std::vector<double> jumps, sums, squares;  ///< [group][component] of squares, and of places from the origin
    std::size_t transitions = 0;
  };
  /// Adds some. False if `advance` returns false.
  bool watch(std::size_t transitions, const std::function<bool(std::size_t, bool)>& advance, Moves& moves) const;
  /// [group] effective draws of the slowest component, per transition of a chain.
  std::vector<double> slowest(const Moves& moves) const;
  void take(std::size_t group, MetricEstimate estimate);
  /// Extends trajectories, if an adaptation tunes them, to at least a quarter turn along the widest direction. Only
  /// those in use: what the adaptation has learnt stays.
  void reach_across(std::size_t group);

  const Layout& layout_;
  const Settings& settings_;
  const SamplerInfo& sampler_;
  Engine& engine_;
  bool given_trajectory_;
  double direction_cost_;
  std::vector<GroupTuning> tunings_;  ///< [group] limits count gradients, of which a step may take several
  std::vector<Metric> metrics_;       ///< [group]
  std::vector<double> widest_;        ///< [group] variance along the widest direction that the metric leaves
  std::vector<double> moved_by_;      ///< [group] metric_distance() of the last update
  std::vector<double> noise_;         ///< [group] noise of moved_by_: the square root of 2 dimension / points
  std::vector<double> learnt_;        ///< [group] trajectory, before reach_across()
  std::vector<double> learnt_by_;     ///< [group] |log| of the ratio of trajectories after and before the last phase
  std::vector<MetricEstimate> constant_;  ///< [group] beside a metric with leaves: the estimate without
  std::vector<bool> leaves_pay_;          ///< [group] masses may depend on position
  bool metric_chosen_ = false;
  std::size_t not_freed_ = 0;            ///< stuck chains, after the last free_stuck_chains(), if it freed none
  std::size_t looks_ = 0, looked_ = 0;   ///< observe_points() of the phase: all, and those that are done
  std::vector<double> diverged_before_;  ///< [chain] after a quarter of the window
  std::vector<double> diverged_;         ///< [group] share_diverged() of the last window
  std::vector<std::vector<double>> log_densities_;  ///< [group] of the phase: [observation][chain]
  std::vector<std::vector<double>> points_;         ///< [group] of the phase: [point][dimension]
  std::vector<std::vector<double>> gradients_;      ///< [group] where a metric asks for them: [point][dimension]
};

}  // namespace manychain
