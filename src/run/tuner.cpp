#include "run/tuner.hpp"

#include <algorithm>
#include <cmath>

#include "manychain/adaptation/dual_averaging.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"

namespace manychain {
namespace {

// As many points as make correlations good to some 2 %, from all chains of a group or from what they are later.
constexpr std::size_t points_wanted = 2048, most_observations = 16;

// Of the logarithm of a variance, in any direction: 16 % of a standard deviation.
constexpr double settled_within = 0.3;

void check_step(double step) {
  if (!(step < 1e7))
    throw SamplingFailed("Posterior is improper: the step size ran away. Check the priors of the model");
  if (!(step > 1e-30))  // still a number in single precision
    throw SamplingFailed("No acceptably small step size could be found: check the model's density and its gradient");
}

}  // namespace

Tuner::Tuner(const Model& model, const Settings& settings, const SamplerInfo& sampler, bool given_trajectory,
             Engine& engine)
    : layout_(model.layout()),
      settings_(settings),
      sampler_(sampler),
      engine_(engine),
      given_trajectory_(given_trajectory),
      direction_cost_(direction_cost(model.layout().dimension, model.bound().data_values)),
      metrics_(settings.groups),
      widest_(settings.groups, 1),
      moved_by_(settings.groups, HUGE_VAL),
      noise_(settings.groups),
      points_(settings.groups) {
  GroupTuning tuning;
  tuning.trajectory = *settings.trajectory;
  tuning.leapfrog_limit = static_cast<std::uint32_t>(settings.max_leapfrogs);
  tuning.integrator = settings.integrator;
  tuning.schedule = settings.schedule.value_or(StepSchedule{});
  tuning.minibatch = static_cast<int>(settings.minibatch);
  tunings_.assign(settings.groups, tuning);
  for (std::size_t g = 0; g < groups(); ++g) set_metric(g, {std::vector<double>(layout_.dimension, 1.0), {}, {}});
}

void Tuner::start() {
  const double dimension = static_cast<double>(layout_.dimension);
  const double first = sampler_.tuned && sampler_.first_step ? sampler_.first_step(dimension) : 1;
  for (std::size_t g = 0; g < groups(); ++g) {
    tunings_[g].step_size = settings_.step_size.value_or(first);
    send(g);
  }
}

void Tuner::begin(const WarmupPhase& phase, const AdaptationPlan& plan) {
  for (std::size_t g = 0; g < groups(); ++g) {
    engine_.adapter()->begin(phase, plan, static_cast<int>(g), tunings_[g]);
    send(g);
    points_[g].clear();
  }
  engine_.send_adaptation();
  engine_.reset_window();
}

std::size_t Tuner::observations(const WarmupPhase& phase) const {
  if (!phase.update_metric || !sampler_.directions || metric_kind() == MetricKind::diagonal) return 0;
  const std::size_t chains = settings_.chains / groups();
  return std::clamp<std::size_t>((points_wanted + chains - 1) / chains, 1,
                                 std::min(most_observations, phase.transitions));
}

void Tuner::observe_points() {
  const ChainPoints points = engine_.points(settings_.chains);
  const std::vector<double> since_move = engine_.statistics().since_move;
  const std::size_t d = layout_.dimension, whole = (settings_.chains + 63) / 64 * 64 / groups();
  for (std::size_t c = 0; c < settings_.chains; ++c) {
    if (since_move[c] >= lost_after) continue;  // where it stands says nothing of the posterior
    const double* const q = points.positions.data() + c * d;
    std::vector<double>& of_group = points_[c / whole];
    of_group.insert(of_group.end(), q, q + d);
  }
}

void Tuner::end(const WarmupPhase& phase) {
  engine_.collect_adaptation();
  for (std::size_t g = 0; g < groups(); ++g) {
    engine_.adapter()->end(phase, static_cast<int>(g), tunings_[g]);
    check_step(tunings_[g].step_size);
    if (phase.update_metric) update_metric(g, phase.transitions);
  }
}

void Tuner::finish() {
  for (std::size_t g = 0; g < groups(); ++g) {
    // As a next phase would begin: dual averaging works with the logarithm.
    tunings_[g].step_size = std::exp(std::log(tunings_[g].step_size));
    tunings_[g].leapfrog_limit = static_cast<std::uint32_t>(settings_.max_leapfrogs);
    send(g);
  }
}

MetricKind Tuner::metric_kind() const { return sampler_.directions ? settings_.metric : MetricKind::diagonal; }

GroupTuning Tuner::tuning(std::size_t group) const {
  GroupTuning tuning = tunings_[group];
  const std::uint32_t stages = stages_of(tuning.integrator);
  tuning.leapfrog_limit = (tuning.leapfrog_limit + stages - 1) / stages;
  return tuning;
}

void Tuner::update_metric(std::size_t group, std::size_t transitions) {
  std::vector<double> scale = metrics_[group].scale;
  const std::vector<MomentSum> moments = engine_.window_moments(static_cast<int>(group), transitions);
  for (std::size_t i = 0; i < moments.size(); ++i) {
    if (moments[i].count < 2) continue;  // no chain moved
    const double variance = shrunk_variance(moments[i].m2 / (moments[i].count - 1), moments[i].count);
    if (std::isfinite(variance) && variance > 0) scale[i] = std::sqrt(variance);
  }
  // Two windows of so many points differ by noise in the directions that it makes look widest and narrowest.
  const double points = static_cast<double>(points_[group].size()) / static_cast<double>(layout_.dimension);
  noise_[group] = points > 0 ? std::sqrt(2 * static_cast<double>(layout_.dimension) / points) : 0;
  MetricEstimate estimate{{std::move(scale), {}, {}}, 1};
  if (!points_[group].empty())
    estimate = estimate_metric(metric_kind(), estimate.metric.scale, points_[group], direction_cost_);
  moved_by_[group] = metric_distance(metrics_[group], estimate.metric);
  take(group, std::move(estimate));
}

bool Tuner::settled() const {
  if (engine_.adapter()->info().trajectory) return false;
  const ChainPoints points = engine_.points(settings_.chains);
  const std::size_t of_group = settings_.chains / groups() * layout_.dimension;
  for (std::size_t g = 0; g < groups(); ++g) {
    const auto first = points.positions.begin() + static_cast<std::ptrdiff_t>(g * of_group);
    if (moved_by_[g] > settled_within + 3 * noise_[g] ||
        !starts_forgotten({first, first + static_cast<std::ptrdiff_t>(of_group)}, layout_.dimension,
                          *settings_.superchains))
      return false;
  }
  return true;
}

void Tuner::expect(std::size_t group, const std::vector<double>& spread) {
  if (!engine_.adapter()) return;
  const std::size_t d = layout_.dimension, n = spread.size() / d;
  std::vector<double> scale(d, 0.0);
  for (std::size_t k = 0; k < n * d; ++k) scale[k % d] += spread[k] * spread[k] / static_cast<double>(n);
  for (double& x : scale) x = std::sqrt(x);
  if (!std::all_of(scale.begin(), scale.end(), [](double x) { return std::isfinite(x) && x > 0; })) return;
  take(group, estimate_metric(metric_kind(), scale, spread, direction_cost_));
}

void Tuner::take(std::size_t group, MetricEstimate estimate) {
  if (engine_.adapter()->info().trajectory)  // what was learnt stays, in units of the widest direction
    tunings_[group].trajectory *= std::sqrt(estimate.widest / widest_[group]);
  else if (sampler_.trajectory && !given_trajectory_)
    tunings_[group].trajectory = *settings_.trajectory * std::sqrt(estimate.widest);
  widest_[group] = estimate.widest;
  // What was too long a step for the narrowest direction no longer is.
  if (estimate.metric.rank() > metrics_[group].rank() && sampler_.first_step)
    tunings_[group].step_size =
        std::max(tunings_[group].step_size, sampler_.first_step(static_cast<double>(layout_.dimension)));
  set_metric(group, std::move(estimate.metric));
}

void Tuner::set_metric(std::size_t group, Metric metric) {
  for (std::size_t i = 0; i < layout_.conditional.size() && sampler_.leaves_conditionals; ++i)
    if (layout_.conditional[i]) metric.scale[i] = 0;
  metrics_[group] = std::move(metric);
  engine_.set_metric(static_cast<int>(group), metrics_[group]);
}

}  // namespace manychain
