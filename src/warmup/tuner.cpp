#include "warmup/tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "manychain/adaptation/dual_averaging.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "run/defaults.hpp"
#include "warmup/travelling.hpp"

namespace manychain {
namespace {

// As many points as make correlations good to some 2 %, from all chains of a group, or from few chains again and again.
constexpr std::size_t points_wanted = 2048;
// Points of a chain that count as independent ones at most: neighbours are alike.
constexpr std::size_t most_independent = 16;

// The tolerance of the logarithm of a variance, in any direction: 16 % of a standard deviation.
constexpr double settled_within = 0.3;
// The tolerance of the logarithm of a length that is learnt: criteria are flat at their optimum.
constexpr double learnt_within = 0.1;

// Split R-hats of a window of 125 transitions of 16 chains were 1.02 to 1.04 of the log density and up to 1.09 of
// components where chains had arrived, and 1.4 to 6 where some had not (accel_gp of examples/posteriors).
constexpr double arrived_below = 1.1, components_arrived_below = 1.2;
constexpr std::size_t fewest_observations = 32;
// Windows aim for a mean acceptance rate of 0.8. Of posteriors near normal ones none of their transitions diverge, of
// the non-centred eight schools 0.002, of Gaussian processes whose amplitude is a parameter 0.01 and more.
constexpr double many_divergences = 0.004;

// Below, trajectories of two stages have a step or two, and their lengths are too coarse. A step of two stages costs
// two gradients; at 2.5 times the leapfrog's length it paid, or cost nothing, on every posterior that was looked at, at
// 2.1 to 2.4 times it lost up to 15 % (bench/results/defaults-methods-*.txt).
constexpr std::size_t two_stages_from = 20;
constexpr double length_that_pays = 2.5;
// From a step that is accepted at a rate of 0.8, which windows aim for, to one at 0.88, which sampling aims for.
constexpr double to_sampling_rate = 0.85;
// Below, the wide part of a posterior may accept steps of any length as often as that.
constexpr double least_rate = 0.5;

/// `rate`: that warm-up aims for.
void check_step(double step, double rate) {
  if (!(step < 1e7) && rate < least_rate)
    throw SamplingFailed(
        fmt::format("The step size ran away: raise Settings::target_acceptance (now {:.3g}) to {:.3g}, and measure "
                    "parameters that vary by more than 1e7 in larger units",
                    rate, least_rate));
  if (!(step < 1e7))
    throw SamplingFailed(
        "The step size ran away: the posterior is improper, or parameters vary by more than 1e7. Check the priors "
        "of the model (manychain check names parameters that no term depends on), and measure such parameters in "
        "larger units");
  if (!(step > 1e-30))  // still a number in single precision
    throw SamplingFailed(
        "No acceptably small step size could be found: data of very large or small size may be the cause, or a mistake "
        "in the model's density or its gradient; centre and scale such data, and manychain check looks for mistakes");
}

}  // namespace

Tuner::Tuner(const Model& model, const Settings& settings, const SamplerInfo& sampler, bool given_trajectory,
             Engine& engine)
    : layout_(model.layout()),
      settings_(settings),
      sampler_(sampler),
      engine_(engine),
      given_trajectory_(given_trajectory),
      // Beside a gradient of unknown cost directions are cheap; the cost of a foreign one is what it says.
      direction_cost_(
          direction_cost(model.layout().dimension, model.bound().foreign.empty()
                                                       ? model.bound().data_values
                                                       : gradient_values(model).value_or(most_cheap_values))),
      metrics_(settings.groups),
      widest_(settings.groups, 1),
      moved_by_(settings.groups, HUGE_VAL),
      noise_(settings.groups),
      learnt_(settings.groups, 0),
      learnt_by_(settings.groups, 0),
      constant_(settings.groups),
      leaves_pay_(settings.groups, true),
      diverged_(settings.groups),
      log_densities_(settings.groups),
      points_(settings.groups),
      gradients_(settings.groups) {
  GroupTuning tuning;
  tuning.trajectory = *settings.trajectory;
  tuning.leapfrog_limit = static_cast<std::uint32_t>(settings.max_leapfrogs);
  tuning.integrator = settings.integrator.value_or(Integrator::leapfrog);
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
    if (!phase.update_metric) reach_across(g);
    engine_.adapter()->begin(phase, plan, static_cast<int>(g), tunings_[g]);
    send(g);
    log_densities_[g].clear();
    points_[g].clear();
    gradients_[g].clear();
  }
  looks_ = observations(phase);
  looked_ = 0;
  diverged_before_.clear();
  engine_.send_adaptation();
  engine_.reset_window();
}

std::size_t Tuner::observations(const WarmupPhase& phase) const {
  if (!phase.update_metric || !sampler_.directions) return 0;
  const std::size_t chains = settings_.chains / groups();
  return std::clamp<std::size_t>((points_wanted + chains - 1) / chains, 1, phase.transitions);
}

void Tuner::observe_points() {
  if (++looked_ == looks_ / 4) diverged_before_ = engine_.statistics().divergences;
  const ChainPoints points = engine_.points(settings_.chains);
  bool wants_gradients = metric_kind() == MetricKind::fisher;
  for (std::size_t g = 0; g < groups(); ++g) wants_gradients = wants_gradients || takes_leaves(g);
  const std::vector<double> gradients = wants_gradients ? engine_.gradients(settings_.chains) : std::vector<double>();
  const std::vector<double> since_move = engine_.statistics().since_move;
  const std::size_t d = layout_.dimension, whole = (settings_.chains + 63) / 64 * 64 / groups();
  // A diagonal is for what is too large for more: of it the widest direction alone is asked.
  const std::size_t every = metric_kind() == MetricKind::diagonal ? std::max<std::size_t>(whole / points_wanted, 1) : 1;
  for (std::size_t c = 0; c < settings_.chains; ++c) log_densities_[c / whole].push_back(points.log_densities[c]);
  for (std::size_t c = 0; c < settings_.chains; c += every) {
    if (since_move[c] >= lost_after) continue;  // where it stands says nothing of the posterior
    const double* const q = points.positions.data() + c * d;
    std::vector<double>& of_group = points_[c / whole];
    of_group.insert(of_group.end(), q, q + d);
    if (!wants_gradients) continue;
    const double* const gradient = gradients.data() + c * d;
    gradients_[c / whole].insert(gradients_[c / whole].end(), gradient, gradient + d);
  }
}

void Tuner::end(const WarmupPhase& phase) {
  engine_.collect_adaptation();
  for (std::size_t g = 0; g < groups(); ++g) {
    const double before = tunings_[g].trajectory;
    engine_.adapter()->end(phase, static_cast<int>(g), tunings_[g]);
    const double limit = static_cast<double>(tuning(g).leapfrog_limit);  // steps, not gradients
    const bool cut = tunings_[g].leapfrog_limit < settings_.max_leapfrogs &&
                     tunings_[g].trajectory > 0.9 * limit * tunings_[g].step_size;
    learnt_by_[g] = cut ? HUGE_VAL : std::abs(std::log(tunings_[g].trajectory / before));
    check_step(tunings_[g].step_size, settings_.target_acceptance.value_or(1));
    if (!phase.update_metric) continue;
    diverged_[g] = share_diverged(g, phase.transitions);
    update_metric(g, phase.transitions);
    if (engine_.adapter()->info().trajectory) learnt_[g] = tunings_[g].trajectory;
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

void Tuner::restore(std::size_t group, const Tuned& tuned) {
  tunings_[group] = tuned.tuning;
  metrics_[group] = tuned.metric;
  learnt_[group] = tuned.learnt_trajectory;
  engine_.set_metric(static_cast<int>(group), tuned.metric);
  send(group);
}

bool Tuner::chooses_integrator(const WarmupPhase& phase) const {
  return phase.refine && phase.transitions >= 6 * integrator_trial && !settings_.integrator && sampler_.directions &&
         layout_.dimension >= two_stages_from && !engine_.adapter()->info().trajectory;
}

bool Tuner::choose_integrator(const std::function<bool(std::size_t)>& advance) {
  for (GroupTuning& tuning : tunings_) tuning.step_size *= to_sampling_rate;
  const std::vector<GroupTuning> leapfrog = tunings_;
  // The sum of acceptance rates of each group.
  const auto accepted = [&](std::vector<double>& sums) {
    for (std::size_t g = 0; g < groups(); ++g) {
      tunings_[g].leapfrog_limit = static_cast<std::uint32_t>(settings_.max_leapfrogs);
      send(g);
    }
    const std::vector<double> before = engine_.statistics().acceptance_sum;
    if (!advance(integrator_trial)) return false;
    const std::vector<double> after = engine_.statistics().acceptance_sum;
    sums.assign(groups(), 0);
    for (std::size_t c = 0; c < after.size(); ++c) sums[c / (after.size() / groups())] += after[c] - before[c];
    return true;
  };
  std::vector<double> of_leapfrog, of_two_stages;
  if (!accepted(of_leapfrog)) return false;
  for (GroupTuning& tuning : tunings_) {
    tuning.integrator = Integrator::two_stage;
    tuning.step_size *= length_that_pays;
  }
  if (!accepted(of_two_stages)) return false;
  for (std::size_t g = 0; g < groups(); ++g)
    if (of_two_stages[g] < of_leapfrog[g]) tunings_[g] = leapfrog[g];
  return true;
}

std::vector<std::size_t> Tuner::stuck() const {
  const std::vector<double> since_move = engine_.statistics().since_move;
  const std::size_t of_group = since_move.size() / groups();
  std::vector<std::size_t> counts(groups());
  for (std::size_t c = 0; c < since_move.size(); ++c) counts[c / of_group] += since_move[c] >= lost_after;
  for (std::size_t& count : counts)
    if (2 * count > of_group) count = 0;
  return counts;
}

std::size_t Tuner::all_stuck() const {
  const std::vector<std::size_t> counts = stuck();
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}
bool Tuner::some_are_stuck() const { return all_stuck() > 0; }

bool Tuner::may_free_chains() const {
  const std::size_t found = all_stuck();
  return found > 0 && found != not_freed_;
}

bool Tuner::free_stuck_chains(const std::function<bool(std::size_t)>& advance) {
  const std::vector<std::size_t> counts = stuck();
  const std::size_t before = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const std::vector<GroupTuning> others = tunings_;
  bool whole = true;
  for (const double shorter : {8, 64}) {
    for (std::size_t g = 0; g < groups(); ++g) {
      if (counts[g] == 0) continue;
      tunings_[g].step_size = others[g].step_size / shorter;
      tunings_[g].leapfrog_limit = static_cast<std::uint32_t>(settings_.max_leapfrogs);
      send(g);
    }
    whole = whole && advance(short_transitions / 2);
  }
  tunings_ = others;
  for (std::size_t g = 0; g < groups(); ++g) send(g);
  const std::size_t left = all_stuck();
  not_freed_ = left < before ? 0 : left;
  return whole;
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
  if (metric_kind() == MetricKind::fisher) scale = fisher_scale(std::move(scale), points_[group], gradients_[group]);
  leave_conditionals(scale);
  // Two windows of so many points differ by noise in the directions that it makes look widest and narrowest.
  const std::size_t chains = settings_.chains / groups();
  const double points =
      static_cast<double>(std::min(points_[group].size() / layout_.dimension, most_independent * chains));
  noise_[group] = points > 0 ? std::sqrt(2 * static_cast<double>(layout_.dimension) / points) : 0;
  MetricEstimate estimate{{std::move(scale), {}, {}}, 1};
  if (!points_[group].empty()) {
    const std::vector<double> all = estimate.metric.scale;
    estimate = estimate_metric(metric_kind(), all, points_[group], direction_cost_);
    if (takes_leaves(group)) {
      constant_[group] = estimate;
      estimate = with_leaves(group, all);
    }
  }
  moved_by_[group] = metric_distance(metrics_[group], estimate.metric);
  take(group, std::move(estimate));
}

bool Tuner::settled() const {
  const ChainPoints points = engine_.points(settings_.chains);
  const std::size_t of_group = settings_.chains / groups() * layout_.dimension;
  for (std::size_t g = 0; g < groups(); ++g) {
    const auto first = points.positions.begin() + static_cast<std::ptrdiff_t>(g * of_group);
    if (moved_by_[g] > settled_within + 3 * noise_[g] || learnt_by_[g] > learnt_within ||
        !starts_forgotten({first, first + static_cast<std::ptrdiff_t>(of_group)}, layout_.dimension,
                          *settings_.superchains))
      return false;
  }
  return true;
}

bool Tuner::chains_travel() const {
  const std::size_t chains = settings_.chains / groups(), d = layout_.dimension;
  for (std::size_t g = 0; g < groups(); ++g) {
    const std::size_t observations = log_densities_[g].size() / chains;
    if (observations < fewest_observations) continue;
    if (largest_split_rhat(log_densities_[g], chains, 1) > arrived_below) return true;
    // Points of chains that are lost are missing.
    if (points_[g].size() == observations * chains * d &&
        largest_split_rhat(points_[g], chains, d) > components_arrived_below)
      return true;
  }
  return false;
}

double Tuner::share_diverged(std::size_t group, std::size_t transitions) const {
  if (diverged_before_.empty()) return 0;
  const std::vector<double> now = engine_.statistics().divergences;
  const std::size_t of_group = now.size() / groups();
  double count = 0;
  for (std::size_t c = group * of_group; c < (group + 1) * of_group; ++c) count += now[c] - diverged_before_[c];
  return count / (0.75 * static_cast<double>(of_group * transitions));
}

bool Tuner::many_diverged() const {
  return std::any_of(diverged_.begin(), diverged_.end(), [](double share) { return share > many_divergences; });
}

void Tuner::reach_across(std::size_t group) {
  if (!(learnt_[group] > 0)) return;
  const double quarter_turn = std::numbers::pi / 2 * std::sqrt(widest_[group]);
  tunings_[group].trajectory = std::max(tunings_[group].trajectory, quarter_turn);
}

void Tuner::set_first_metric(std::size_t group, const std::vector<double>& spread) {
  if (!engine_.adapter() || settings_.step_size) return;  // with a given step size nothing is adapted
  const std::size_t d = layout_.dimension, n = spread.size() / d;
  std::vector<double> scale(d, 0.0);
  for (std::size_t k = 0; k < n * d; ++k) scale[k % d] += spread[k] * spread[k] / static_cast<double>(n);
  for (double& x : scale) x = std::sqrt(x);
  if (!std::all_of(scale.begin(), scale.end(), [](double x) { return std::isfinite(x) && x > 0; })) return;
  leave_conditionals(scale);
  take(group, estimate_metric(metric_kind(), scale, spread, direction_cost_));
}

void Tuner::take(std::size_t group, MetricEstimate estimate) {
  if (engine_.adapter()->info().trajectory)  // what was learnt stays, in units of the widest direction
    tunings_[group].trajectory *= std::sqrt(estimate.widest / widest_[group]);
  else if (sampler_.trajectory && !given_trajectory_)
    tunings_[group].trajectory = *settings_.trajectory * std::sqrt(estimate.widest);
  tunings_[group].leaves = estimate.metric.leaves.count() > 0;
  widest_[group] = estimate.widest;
  // A step that was too long for the narrowest direction no longer is.
  if (estimate.metric.rank() > metrics_[group].rank() && sampler_.first_step)
    tunings_[group].step_size =
        std::max(tunings_[group].step_size, sampler_.first_step(static_cast<double>(layout_.dimension)));
  set_metric(group, std::move(estimate.metric));
}

void Tuner::leave_conditionals(std::vector<double>& scale) const {
  for (std::size_t i = 0; i < layout_.conditional.size() && sampler_.leaves_conditionals; ++i)
    if (layout_.conditional[i]) scale[i] = 0;
}

void Tuner::set_metric(std::size_t group, Metric metric) {
  leave_conditionals(metric.scale);
  metrics_[group] = std::move(metric);
  engine_.set_metric(static_cast<int>(group), metrics_[group]);
}

}  // namespace manychain
