// The tuning of each group of chains, as warm-up finds it and sampling takes it. Estimators (warmup/estimator.hpp)
// change it on the host; here it is sent to the chains.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "adaptation/estimate_metric.hpp"
#include "manychain/run/engine.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

/// All that sampling takes from the warm-up of a group.
struct FrozenTuning {
  GroupTuning tuning;  ///< its limit counts gradients, of which a step may take several
  Metric metric;
  /// Trajectory length that an adaptation has learnt, before it reaches across; 0: none has.
  double learnt_trajectory = 0;
};

/// The chains of a group at the looks of a stage. A chain that did not move says nothing of the posterior: of it there
/// are log densities alone.
struct WindowOfGroup {
  std::vector<double> log_densities;      ///< [look][chain]
  std::vector<double> points, gradients;  ///< [point][dimension]; gradients if an estimator asks for them
};

struct GroupInWarmup : FrozenTuning {
  double widest = 1;                   ///< variance along the widest direction that the metric leaves
  double moved_by = HUGE_VAL;          ///< metric_distance() of the last update
  std::optional<MetricEstimate> next;  ///< a metric that estimators have come to, until it is taken
  WindowOfGroup window;                ///< of the present stage
};

/// The run that is warmed up.
struct WarmedRun {
  const Model& model;
  const Layout& layout;
  Settings& settings;  ///< defaults are filled in
  const SamplerInfo& sampler;
  Engine& engine;
};

class TunedGroups : public WarmedRun {
 public:
  /// Sends each group a unit metric. Takes the tuning of the settings; start() sends it.
  TunedGroups(const WarmedRun& run, bool given_trajectory);

  /// Sets a first metric of one group, from deviations with the shape of the posterior: [point][dimension].
  void set_first_metric(std::size_t group, const std::vector<double>& spread);
  /// Sends the tuning, with the step size of the settings or the sampler's first one.
  void start();
  /// Sends the tuning with which sampling begins.
  void finish();
  /// Sends the tuning of a warm-up that has ended before.
  void restore(std::size_t group, const FrozenTuning& tuned);

  /// Sets a metric, and changes the tuning to fit.
  void take(std::size_t group, MetricEstimate estimate);
  /// Takes those of GroupInWarmup::next that there are.
  void take_next();
  /// Sets a metric, with a scale of zero for components that Gibbs steps move.
  void set_metric(std::size_t group, Metric metric);
  void send(std::size_t group) { engine.set_tuning(static_cast<int>(group), tuning(group)); }

  std::size_t size() const { return groups_.size(); }
  GroupInWarmup& operator[](std::size_t group) { return groups_[group]; }
  const GroupInWarmup& operator[](std::size_t group) const { return groups_[group]; }
  auto begin() { return groups_.begin(); }
  auto end() { return groups_.end(); }
  /// The tuning as the chains of the group have it.
  GroupTuning tuning(std::size_t group) const;
  std::size_t chains_of_group() const { return settings.chains / size(); }
  /// Makes the scales zero of components that another sampler of the sequence moves.
  void leave_conditionals(std::vector<double>& scale) const;

  MetricKind metric_kind() const { return sampler.directions ? settings.sampling.metric : MetricKind::diagonal; }
  double direction_cost() const { return direction_cost_; }
  /// True if the length of trajectories is neither given nor learnt by an adaptation.
  bool length_is_open() const;
  double first_step() const;
  std::uint32_t whole_limit() const { return static_cast<std::uint32_t>(settings.sampling.max_leapfrogs); }
  /// The acceptance rate to aim for where the settings leave it open.
  double default_target() const;

 private:
  bool given_trajectory_;
  double direction_cost_;
  std::vector<GroupInWarmup> groups_;
};

}  // namespace manychain
