// Masses that depend on position, for models in which some scales depend on parameters: their fit at the end of a
// window, and the trial that compares them with the constant metric. Each group takes what moves its slowest component
// further per cost, counted in operations.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "adaptation/fit_leaf_masses.hpp"
#include "adaptation/score_tests.hpp"
#include "manychain/chain/adapter.hpp"
#include "manychain/samplers/trajectory.hpp"
#include "warmup/recipe.hpp"

namespace manychain {

class MetricWithLeaves final : public Estimator {
 public:
  /// `step_size`: that finds the one of the constant metric.
  MetricWithLeaves(TunedGroups& groups, std::shared_ptr<Estimator> step_size)
      : Estimator(groups), step_size_(std::move(step_size)), rivals_(groups.size()) {}

  bool wants_gradients() const override {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (takes_leaves(g)) return true;
    return false;
  }

  /// The trial, if the settings allow masses that depend on position but do not require them, and no stage before has
  /// decided.
  void prepare(Stage& stage, Transitions& transitions) override {
    if (!is_open(stage)) return;
    chosen_ = true;
    const std::uint64_t began = transitions.done();
    const std::size_t trial = trial_length(stage);
    find_step(stage.plan, transitions);
    if (std::any_of(rivals_.begin(), rivals_.end(), is_undecided)) compare((trial - finding) / 2, transitions);
    // A trial may end early, or go on.
    if (!stage.settled) stage.transitions -= std::min<std::size_t>(trial, transitions.done() - began);
  }

  /// Changes the constant metric that was proposed.
  void update(const Stage& stage, std::size_t group) override {
    std::optional<MetricEstimate>& next = groups_[group].next;
    if (!stage.update_metric || groups_[group].window.points.empty() || !takes_leaves(group)) return;
    rivals_[group].constant = *next;
    next = with_leaves(group, next->metric.scale);
  }

 private:
  // Transitions of a trial that find the step size of the constant metric.
  static constexpr std::size_t finding = 12;
  // Transitions that are compared of each metric. Six of many chains say enough.
  static constexpr std::size_t fewest_moves = 6, most_moves = 24, many_chains = 64;
  // The next ones follow where the first refuse leaves. They did for a factor model of 12 items from 6 of 20 seeds, and
  // 5 of these runs were warned of; five rounds refuse leaves from one.
  static constexpr std::size_t most_rounds = 5;
  // Transitions that a trial leaves to the stage.
  static constexpr std::size_t refining = 6;
  static constexpr std::size_t shortest_trial = finding + 2 * fewest_moves;
  // A choice of many times the cost needs no trial.
  static constexpr double clear = 4;
  // A trial sees where chains are. What a constant metric does not enter, the neck of a funnel, is not missed by it.
  // Leaves stay where draws show such a neck unless they are clearly worse: the other metric may cut it off, and few
  // transitions say little. Of 30 groups of 3, where leaves have 3 times the ESS a gradient, the gain was 0.7 to 4; of
  // 30 schools whose effects and errors vary alike, where they have 9 times, 0.43 to 5. Where draws show a neck that
  // leaves do not follow, it was 0.002 and less.
  static constexpr double unseen = 0.8, unseen_in_neck = 0.3;
  // narrowing() of draws was 5 to 20 where groups have few data, and 2 of groups of 20.
  static constexpr double neck = 3;

  /// The two metrics of a group.
  struct Rivals {
    MetricEstimate constant;  ///< the last estimate without leaves
    bool leaves_pay = true;
    // In a trial:
    GroupTuning with_leaves, with_constant;
    MetricEstimate leaves;
    /// The cost of the constant metric over theirs; in groups without leaves nothing is open.
    double dearer = HUGE_VAL;
    double gain = HUGE_VAL;  ///< what they move per cost over what it does
    double refused_below = unseen;
  };
  /// Moves of chains in transitions with one tuning.
  struct Moves {
    std::vector<double> origin;                ///< [component]
    std::vector<double> jumps, sums, squares;  ///< [group][component] of squares, and of places from the origin
    std::size_t transitions = 0;
  };

  bool takes_leaves(std::size_t group) const {
    if (!layout.may_have_leaves() || !rivals_[group].leaves_pay || !engine.has_leaves()) return false;
    if (groups_.metric_kind() == MetricKind::hierarchical) return true;
    // Lengths that are learnt for one metric say nothing of the other: there is no trial.
    return groups_.metric_kind() == MetricKind::automatic && !engine.adapter()->info().trajectory;
  }

  MetricEstimate with_leaves(std::size_t group, std::vector<double> scale) const {
    const auto& [log_densities, points, gradients] = groups_[group].window;
    Metric metric{scale, {}, {}};
    if (layout.scales_unknown) {
      std::vector<bool> moved;
      for (const double s : scale) moved.push_back(s > 0);
      const ScoredScales found = scales_from_scores(points, gradients, moved);
      fit_leaf_masses(found.leaves, points, gradients, metric, found.slopes);
    } else {
      fit_leaf_masses(layout.dependent_scales, points, gradients, metric);
    }
    if (metric.leaves.count() == 0) return rivals_[group].constant;
    // Directions are those of the rest.
    for (const std::vector<std::int32_t>& components : {metric.leaves.component, metric.leaves.hyper})
      for (const std::int32_t i : components) scale[static_cast<std::size_t>(i)] = 0;
    MetricEstimate estimate = estimate_metric(groups_.metric_kind(), scale, points, groups_.direction_cost());
    estimate.metric.scale = std::move(metric.scale);
    estimate.metric.leaves = std::move(metric.leaves);
    estimate.widest = std::max(estimate.widest, widest_of_hypers(estimate.metric, points));
    return estimate;
  }

  bool is_open(const Stage& stage) const {
    if (chosen_ || groups_.metric_kind() != MetricKind::automatic || stage.transitions < shortest_trial + refining ||
        stage.leapfrog_limit < settings.sampling.max_leapfrogs)
      return false;
    return std::any_of(groups_.begin(), groups_.end(), [](const auto& g) { return g.metric.leaves.count() > 0; });
  }

  /// Largest number of transitions of the trial, within those of the stage: more for few chains, whose moves are noisy.
  std::size_t trial_length(const Stage& stage) const {
    const std::size_t compared =
        std::clamp(fewest_moves * many_chains / groups_.chains_of_group(), fewest_moves, most_moves);
    return std::min(finding + 2 * compared, stage.transitions - refining);
  }

  /// Comparisons, at most: as many as few chains need to say as much as many do in one, or as a warm-up of no given
  /// length may have.
  std::size_t rounds() const {
    if (settings.warmup.end == WarmupEnd::settled) return most_rounds;
    if (settings.warmup.end != WarmupEnd::arrived) return 1;
    return std::max<std::size_t>(1, fewest_moves * many_chains / (most_moves * groups_.chains_of_group()));
  }

  /// Cost of a mean trajectory with `leaves` leaves, in leapfrogs of a constant metric.
  double mean_cost(const GroupTuning& tuning, std::size_t leaves) const {
    const double mean = (1 + shortest_jitter(tuning.leaves)) / 2 * tuning.trajectory / tuning.step_size;
    // A leaf takes an exponential, a quotient and some twenty operations a step (samplers/leaf_masses.hpp), a gradient
    // what direction_cost() counts.
    constexpr double of_leaf = 45;
    const double d = static_cast<double>(layout.dimension), gradient = 4 * d / groups_.direction_cost();
    return std::max(mean, 1.0) * (1 + of_leaf * static_cast<double>(leaves) / gradient);
  }

  static bool is_undecided(const Rivals& of) { return !(of.dearer > clear); }

  /// Finds the step size of the constant metric, and both costs. Takes leaves where these decide.
  void find_step(const AdaptationPlan& plan, Transitions& transitions) {
    constexpr std::size_t limit = 16;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      GroupInWarmup& group = groups_[g];
      rivals_[g].with_leaves = group.tuning;
      rivals_[g].with_leaves.leapfrog_limit = groups_.whole_limit();
      rivals_[g].leaves = {group.metric, group.widest};
      if (group.metric.leaves.count() == 0) continue;
      // Leaves that scores have found may not be those of the model.
      if (!layout.scales_unknown &&
          narrowing(group.metric, rivals_[g].constant.metric.scale, group.window.points) > neck)
        rivals_[g].refused_below = unseen_in_neck;
      groups_.take(g, rivals_[g].constant);
      group.tuning.step_size = groups_.first_step();
    }
    // At short trajectories. It may be a hundredth of the other one.
    const Stage stage{{finding, true, false, false, std::min(limit, settings.sampling.max_leapfrogs)}, plan};
    run_stage(stage, {step_size_}, groups_, transitions);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      Rivals& of = rivals_[g];
      groups_[g].tuning.leapfrog_limit = groups_.whole_limit();
      of.with_constant = groups_[g].tuning;
      const std::size_t leaves = of.leaves.metric.leaves.count();
      if (leaves > 0) of.dearer = mean_cost(of.with_constant, 0) / mean_cost(of.with_leaves, leaves);
      if (is_undecided(of))
        groups_.send(g);
      else
        take_leaves(g);
    }
  }

  void take_leaves(std::size_t group) {
    groups_[group].tuning = rivals_[group].with_leaves;
    groups_[group].widest = rivals_[group].leaves.widest;
    groups_.set_metric(group, rivals_[group].leaves.metric);
    groups_.send(group);
  }
  void take_constant(std::size_t group) {
    groups_.take(group, rivals_[group].constant);
    groups_[group].tuning = rivals_[group].with_constant;
    groups_.send(group);
  }

  /// Compares moves of `moving` transitions with each metric. Leaves are refused by all rounds together, unless the
  /// first ones are clear.
  void compare(std::size_t moving, Transitions& transitions) {
    Moves of_constant, of_leaves;
    bool open = true;
    for (std::size_t round = 0; round < rounds() && open; ++round) {
      for (std::size_t g = 0; g < groups_.size() && round > 0; ++g)
        if (is_undecided(rivals_[g])) take_constant(g);
      watch(moving, transitions, of_constant);
      for (std::size_t g = 0; g < groups_.size(); ++g) take_leaves(g);
      watch(moving, transitions, of_leaves);
      const std::vector<double> moved_constant = slowest(of_constant), moved_leaves = slowest(of_leaves);
      open = false;
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        Rivals& of = rivals_[g];
        if (!is_undecided(of)) continue;
        if (moved_constant[g] > 0) of.gain = moved_leaves[g] * of.dearer / moved_constant[g];
        open = open || (of.gain < of.refused_below && of.gain > 1 / clear);
      }
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      rivals_[g].leaves_pay = rivals_[g].gain >= rivals_[g].refused_below;
      if (!rivals_[g].leaves_pay) take_constant(g);
    }
  }

  /// Adds some moves.
  void watch(std::size_t count, Transitions& transitions, Moves& moves) const {
    const std::size_t d = layout.dimension, of_group = groups_.chains_of_group();
    std::vector<double> before = engine.points(settings.chains).positions;
    if (moves.origin.empty()) {
      moves.origin.assign(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(d));
      for (std::vector<double>* const sums : {&moves.jumps, &moves.sums, &moves.squares})
        sums->assign(groups_.size() * d, 0);
    }
    for (std::size_t k = 0; k < count; ++k) {
      transitions(1);
      std::vector<double> after = engine.points(settings.chains).positions;
      for (std::size_t c = 0; c < settings.chains; ++c)
        for (std::size_t i = 0; i < d; ++i) {
          const std::size_t at = c / of_group * d + i;
          const double x = after[c * d + i] - moves.origin[i], jump = after[c * d + i] - before[c * d + i];
          moves.jumps[at] += jump * jump, moves.sums[at] += x, moves.squares[at] += x * x;
        }
      before = std::move(after);
    }
    moves.transitions += count;
  }

  /// [group] effective draws of the slowest component, per transition of a chain.
  std::vector<double> slowest(const Moves& moves) const {
    const std::size_t d = layout.dimension;
    const double n = static_cast<double>(moves.transitions * groups_.chains_of_group());
    std::vector<double> least(groups_.size(), 1);
    for (std::size_t at = 0; at < groups_.size() * d; ++at) {
      const double mean = moves.sums[at] / n, variance = moves.squares[at] / n - mean * mean;
      const double jump = moves.jumps[at] / n / (2 * variance);
      // Autocorrelations that fall as rho^t, rho = 1 - jump: of so many draws one is effective.
      if (variance > 0) least[at / d] = std::min(least[at / d], jump / (2 - std::min(jump, 1.0)));
    }
    return least;
  }

  std::shared_ptr<Estimator> step_size_;
  std::vector<Rivals> rivals_;  ///< [group]
  bool chosen_ = false;
};

}  // namespace manychain
