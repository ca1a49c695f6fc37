#include "warmup/tuned_groups.hpp"

#include <algorithm>
#include <utility>

#include "manychain/chain/adapter.hpp"
#include "manychain/chain/program.hpp"
#include "run/defaults.hpp"

namespace manychain {

TunedGroups::TunedGroups(const WarmedRun& run, bool given_trajectory)
    : WarmedRun(run),
      given_trajectory_(given_trajectory),
      // Beside a gradient of unknown cost directions are cheap; the cost of a foreign one is what it says.
      direction_cost_(manychain::direction_cost(
          layout.dimension, model.bound().foreign.empty() ? model.bound().data_values
                                                          : gradient_values(model).value_or(most_cheap_values))),
      groups_(settings.groups) {
  GroupTuning tuning;
  tuning.trajectory = *settings.sampling.trajectory;
  tuning.leapfrog_limit = whole_limit();
  tuning.integrator = settings.sampling.integrator.value_or(Integrator::leapfrog);
  tuning.schedule = settings.sampling.schedule.value_or(StepSchedule{});
  tuning.minibatch = static_cast<int>(settings.sampling.minibatch);
  for (std::size_t g = 0; g < size(); ++g) {
    groups_[g].tuning = tuning;
    set_metric(g, {std::vector<double>(layout.dimension, 1.0), {}, {}});
  }
}

double TunedGroups::first_step() const {
  return sampler.first_step ? sampler.first_step(static_cast<double>(layout.dimension)) : 1;
}

double TunedGroups::default_target() const {
  const double of_adaptation = engine.adapter()->info().target_acceptance;
  const bool in_1d = layout.dimension == 1 && sampler.target_acceptance_1d > 0;
  return of_adaptation > 0 ? of_adaptation : in_1d ? sampler.target_acceptance_1d : sampler.target_acceptance;
}

void TunedGroups::start() {
  for (std::size_t g = 0; g < size(); ++g) {
    groups_[g].tuning.step_size = settings.sampling.step_size.value_or(sampler.tuned ? first_step() : 1);
    send(g);
  }
}

void TunedGroups::finish() {
  for (std::size_t g = 0; g < size(); ++g) {
    // As a next stage would begin: dual averaging works with the logarithm.
    groups_[g].tuning.step_size = std::exp(std::log(groups_[g].tuning.step_size));
    groups_[g].tuning.leapfrog_limit = whole_limit();
    groups_[g].window = {};
    send(g);
  }
}

void TunedGroups::restore(std::size_t group, const FrozenTuning& tuned) {
  static_cast<FrozenTuning&>(groups_[group]) = tuned;
  engine.set_metric(static_cast<int>(group), tuned.metric);
  send(group);
}

GroupTuning TunedGroups::tuning(std::size_t group) const {
  GroupTuning tuning = groups_[group].tuning;
  const std::uint32_t stages = stages_of(tuning.integrator);
  tuning.leapfrog_limit = (tuning.leapfrog_limit + stages - 1) / stages;
  return tuning;
}

void TunedGroups::set_first_metric(std::size_t group, const std::vector<double>& spread) {
  if (!engine.adapter() || settings.sampling.step_size) return;  // with a given step size nothing is adapted
  const std::size_t d = layout.dimension, n = spread.size() / d;
  std::vector<double> scale(d, 0.0);
  for (std::size_t k = 0; k < n * d; ++k) scale[k % d] += spread[k] * spread[k] / static_cast<double>(n);
  for (double& x : scale) x = std::sqrt(x);
  if (!std::all_of(scale.begin(), scale.end(), [](double x) { return std::isfinite(x) && x > 0; })) return;
  leave_conditionals(scale);
  take(group, estimate_metric(metric_kind(), scale, spread, direction_cost_));
}

bool TunedGroups::length_is_open() const {
  return sampler.trajectory && !given_trajectory_ && !engine.adapter()->info().trajectory;
}

void TunedGroups::take(std::size_t group, MetricEstimate estimate) {
  GroupInWarmup& of = groups_[group];
  if (engine.adapter()->info().trajectory)  // what was learnt stays, in units of the widest direction
    of.tuning.trajectory *= std::sqrt(estimate.widest / of.widest);
  else if (length_is_open())
    of.tuning.trajectory = *settings.sampling.trajectory * std::sqrt(estimate.widest);
  of.tuning.leaves = estimate.metric.leaves.count() > 0;
  of.widest = estimate.widest;
  // A step that was too long for the narrowest direction no longer is.
  if (estimate.metric.rank() > of.metric.rank() && sampler.first_step)
    of.tuning.step_size = std::max(of.tuning.step_size, first_step());
  set_metric(group, std::move(estimate.metric));
}

void TunedGroups::take_next() {
  for (std::size_t g = 0; g < size(); ++g) {
    GroupInWarmup& group = groups_[g];
    if (!group.next) continue;
    group.moved_by = metric_distance(group.metric, group.next->metric);
    take(g, *std::exchange(group.next, std::nullopt));
    if (engine.adapter()->info().trajectory) group.learnt_trajectory = group.tuning.trajectory;
  }
}

void TunedGroups::leave_conditionals(std::vector<double>& scale) const {
  for (std::size_t i = 0; i < layout.conditional.size() && sampler.leaves_conditionals; ++i)
    if (layout.conditional[i]) scale[i] = 0;
}

void TunedGroups::set_metric(std::size_t group, Metric metric) {
  leave_conditionals(metric.scale);
  groups_[group].metric = std::move(metric);
  engine.set_metric(static_cast<int>(group), groups_[group].metric);
}

}  // namespace manychain
