// The part of the tuner that decides on masses that depend on position: their fit, and the trial of both metrics.
#include <algorithm>
#include <cmath>

#include "adaptation/fit_leaf_masses.hpp"
#include "adaptation/score_tests.hpp"
#include "manychain/chain/adapter.hpp"
#include "manychain/samplers/trajectory.hpp"
#include "warmup/tuner.hpp"

namespace manychain {
namespace {

// Transitions of a trial that find the step size of the constant metric.
constexpr std::size_t finding = 12;
// Transitions that are compared of each metric. Six of many chains say enough.
constexpr std::size_t fewest_moves = 6, most_moves = 24, many_chains = 64;
// Transitions that a trial leaves to the phase.
constexpr std::size_t refining = 6;
constexpr std::size_t shortest_trial = finding + 2 * fewest_moves;

}  // namespace

bool Tuner::takes_leaves(std::size_t group) const {
  if (!layout_.may_have_leaves() || !leaves_pay_[group] || !engine_.has_leaves()) return false;
  if (metric_kind() == MetricKind::hierarchical) return true;
  // Lengths that are learnt for one metric say nothing of the other: there is no trial.
  return metric_kind() == MetricKind::automatic && !engine_.adapter()->info().trajectory;
}

MetricEstimate Tuner::with_leaves(std::size_t group, std::vector<double> scale) const {
  Metric metric{scale, {}, {}};
  if (layout_.scales_unknown) {
    std::vector<bool> moved;
    for (const double s : scale) moved.push_back(s > 0);
    const ScoredScales found = scales_from_scores(points_[group], gradients_[group], moved);
    fit_leaf_masses(found.leaves, points_[group], gradients_[group], metric, found.slopes);
  } else {
    fit_leaf_masses(layout_.dependent_scales, points_[group], gradients_[group], metric);
  }
  if (metric.leaves.count() == 0) return constant_[group];
  // Directions are those of the rest.
  for (const std::vector<std::int32_t>& components : {metric.leaves.component, metric.leaves.hyper})
    for (const std::int32_t i : components) scale[static_cast<std::size_t>(i)] = 0;
  MetricEstimate estimate = estimate_metric(metric_kind(), scale, points_[group], direction_cost_);
  estimate.metric.scale = std::move(metric.scale);
  estimate.metric.leaves = std::move(metric.leaves);
  estimate.widest = std::max(estimate.widest, widest_of_hypers(estimate.metric, points_[group]));
  return estimate;
}

bool Tuner::chooses_metric(const WarmupPhase& phase) const {
  if (metric_chosen_ || metric_kind() != MetricKind::automatic || phase.transitions < shortest_trial + refining ||
      phase.leapfrog_limit < settings_.max_leapfrogs)
    return false;
  return std::any_of(metrics_.begin(), metrics_.end(), [](const Metric& m) { return m.leaves.count() > 0; });
}

std::size_t Tuner::metric_trial(const WarmupPhase& phase) const {
  const std::size_t chains = settings_.chains / groups();
  const std::size_t compared = std::clamp(fewest_moves * many_chains / chains, fewest_moves, most_moves);
  return std::min(finding + 2 * compared, phase.transitions - refining);
}

std::size_t Tuner::metric_rounds() const {
  return std::max<std::size_t>(1, fewest_moves * many_chains / (most_moves * settings_.chains / groups()));
}

double Tuner::mean_cost(const GroupTuning& tuning, std::size_t leaves) const {
  const double mean = (1 + shortest_jitter(tuning.leaves)) / 2 * tuning.trajectory / tuning.step_size;
  // A leaf takes an exponential, a quotient and some twenty operations a step (samplers/leaf_masses.hpp), a gradient
  // what direction_cost() counts.
  constexpr double of_leaf = 45;
  const double d = static_cast<double>(layout_.dimension), gradient = 4 * d / direction_cost_;
  return std::max(mean, 1.0) * (1 + of_leaf * static_cast<double>(leaves) / gradient);
}

bool Tuner::choose_metric(std::size_t trial, std::size_t rounds, const AdaptationPlan& plan,
                          const std::function<bool(std::size_t, bool)>& advance) {
  constexpr std::size_t limit = 16;
  const std::size_t moving = (trial - finding) / 2;
  metric_chosen_ = true;
  const std::vector<GroupTuning> tunings = tunings_;
  const std::vector<Metric> metrics = metrics_;
  const std::vector<double> widest = widest_;
  const auto of_leaves = [&](std::size_t g) { return metrics[g].leaves.count() > 0; };
  for (std::size_t g = 0; g < groups(); ++g) {
    if (!of_leaves(g)) continue;
    take(g, constant_[g]);
    tunings_[g].step_size = sampler_.first_step ? sampler_.first_step(static_cast<double>(layout_.dimension)) : 1;
  }
  // The step size, at short trajectories. It may be a hundredth of the other one.
  const WarmupPhase phase{finding, true, false, false, std::min(limit, settings_.max_leapfrogs)};
  begin(phase, plan);
  if (!advance(finding, true)) return false;
  end(phase);
  std::vector<GroupTuning> constant = tunings_;
  for (std::size_t g = 0; g < groups(); ++g)
    constant[g].leapfrog_limit = static_cast<std::uint32_t>(settings_.max_leapfrogs);

  const auto as_before = [&](std::size_t g) {
    tunings_[g] = tunings[g];
    tunings_[g].leapfrog_limit = static_cast<std::uint32_t>(settings_.max_leapfrogs);
    widest_[g] = widest[g];
    set_metric(g, metrics[g]);
    send(g);
  };
  // A choice of many times the cost needs no trial.
  constexpr double clear = 4;
  // A trial sees where chains are. What a constant metric does not enter, the neck of a funnel, is not missed by it.
  constexpr double unseen = 0.8;
  // Cost of the constant metric over that of the other. In groups without leaves nothing is open.
  std::vector<double> dearer(groups(), HUGE_VAL);
  for (std::size_t g = 0; g < groups(); ++g) {
    if (of_leaves(g)) dearer[g] = mean_cost(constant[g], 0) / mean_cost(tunings[g], metrics[g].leaves.count());
    if (dearer[g] > clear) {
      as_before(g);
    } else {
      tunings_[g] = constant[g];
      send(g);
    }
  }
  if (*std::min_element(dearer.begin(), dearer.end()) > clear) return true;
  const auto as_constant = [&](std::size_t g) {
    leaves_pay_[g] = false;
    take(g, constant_[g]);
    tunings_[g] = constant[g];
    send(g);
  };
  Moves of_constant, of_leaves_too;
  std::vector<double> gain(groups(), HUGE_VAL);
  for (std::size_t round = 1; round <= rounds; ++round) {
    if (!watch(moving, advance, of_constant)) return false;
    for (std::size_t g = 0; g < groups(); ++g) as_before(g);
    if (!watch(moving, advance, of_leaves_too)) return false;
    const std::vector<double> moved_constant = slowest(of_constant), moved_leaves = slowest(of_leaves_too);
    bool open = false;
    for (std::size_t g = 0; g < groups(); ++g) {
      if (dearer[g] > clear) continue;
      if (moved_constant[g] > 0) gain[g] = moved_leaves[g] * dearer[g] / moved_constant[g];
      open = open || (gain[g] < unseen && gain[g] > 1 / clear);
    }
    if (!open || round == rounds) break;
    for (std::size_t g = 0; g < groups(); ++g)
      if (dearer[g] <= clear) as_constant(g);
  }
  for (std::size_t g = 0; g < groups(); ++g) {
    leaves_pay_[g] = gain[g] >= unseen;
    if (!leaves_pay_[g]) as_constant(g);
  }
  return true;
}

bool Tuner::watch(std::size_t transitions, const std::function<bool(std::size_t, bool)>& advance, Moves& moves) const {
  const std::size_t d = layout_.dimension, of_group = settings_.chains / groups();
  std::vector<double> before = engine_.points(settings_.chains).positions;
  if (moves.origin.empty()) {
    moves.origin.assign(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(d));
    for (std::vector<double>* const sums : {&moves.jumps, &moves.sums, &moves.squares}) sums->assign(groups() * d, 0);
  }
  for (std::size_t k = 0; k < transitions; ++k) {
    if (!advance(1, false)) return false;
    std::vector<double> after = engine_.points(settings_.chains).positions;
    for (std::size_t c = 0; c < settings_.chains; ++c)
      for (std::size_t i = 0; i < d; ++i) {
        const std::size_t at = c / of_group * d + i;
        const double x = after[c * d + i] - moves.origin[i], jump = after[c * d + i] - before[c * d + i];
        moves.jumps[at] += jump * jump, moves.sums[at] += x, moves.squares[at] += x * x;
      }
    before = std::move(after);
  }
  moves.transitions += transitions;
  return true;
}

std::vector<double> Tuner::slowest(const Moves& moves) const {
  const std::size_t d = layout_.dimension;
  const double n = static_cast<double>(moves.transitions * (settings_.chains / groups()));
  std::vector<double> least(groups(), 1);
  for (std::size_t at = 0; at < groups() * d; ++at) {
    const double mean = moves.sums[at] / n, variance = moves.squares[at] / n - mean * mean;
    const double jump = moves.jumps[at] / n / (2 * variance);
    // Autocorrelations that fall as rho^t, rho = 1 - jump: of so many draws one is effective.
    if (variance > 0) least[at / d] = std::min(least[at / d], jump / (2 - std::min(jump, 1.0)));
  }
  return least;
}

}  // namespace manychain
