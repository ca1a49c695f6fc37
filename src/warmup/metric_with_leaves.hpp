// Masses that depend on position, for models in which some scales depend on parameters: their fit at the end of a
// window, and the trial that compares them with the constant metric. Each group takes what moves its slowest component
// further per cost, counted in operations.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "warmup/estimator.hpp"

namespace manychain {

class MetricWithLeaves final : public Estimator {
 public:
  /// `step_size`: that finds the one of the constant metric.
  MetricWithLeaves(TunedGroups& groups, std::shared_ptr<Estimator> step_size)
      : Estimator(groups), step_size_(std::move(step_size)), choices_(groups.size()) {}

  bool wants_gradients() const override;
  /// The trial, if the settings allow masses that depend on position but do not require them, and no stage before has
  /// decided.
  bool prepare(Stage& stage, Transitions& transitions) override;
  /// Changes the constant metric that was proposed.
  void update(const Stage& stage, std::size_t group) override;

 private:
  struct Choice {
    MetricEstimate constant;  ///< the last estimate without leaves
    bool leaves_pay = true;
  };
  /// What a trial compares in a group.
  struct Rivals {
    GroupTuning with_leaves, constant;
    Metric leaves;
    double widest = 1;
    // Cost and worth of leaves, over those of the constant metric. In groups without leaves nothing is open.
    double dearer = HUGE_VAL;  ///< the cost of the constant metric over theirs
    double gain = HUGE_VAL;    ///< what they move per cost over what it does
  };
  /// Moves of chains in transitions with one tuning.
  struct Moves {
    std::vector<double> origin;                ///< [component]
    std::vector<double> jumps, sums, squares;  ///< [group][component] of squares, and of places from the origin
    std::size_t transitions = 0;
  };

  bool takes_leaves(std::size_t group) const;
  MetricEstimate with_leaves(std::size_t group, std::vector<double> scale) const;
  bool is_open(const Stage& stage) const;
  /// Cost of a mean trajectory with `leaves` leaves, in leapfrogs of a constant metric.
  double mean_cost(const GroupTuning& tuning, std::size_t leaves) const;

  /// Largest number of transitions of the trial, within those of the stage: more for few chains, whose moves are noisy.
  std::size_t trial_length(const Stage& stage) const;
  /// Comparisons that as few chains need to say as much as many do in one.
  std::size_t rounds() const;
  /// Finds the step size of the constant metric, and both costs. False if it was cut short.
  bool find_step(const AdaptationPlan& plan, std::vector<Rivals>& rivals, Transitions& transitions);
  /// Compares moves of `moving` transitions with each metric, which is less where the costs decide. Leaves are refused
  /// by all rounds together, unless the first ones are clear. False if it was cut short.
  bool compare(std::size_t moving, std::vector<Rivals>& rivals, Transitions& transitions);
  void take_leaves(std::size_t group, const Rivals& rivals);
  void take_constant(std::size_t group, const Rivals& rivals);
  /// Adds some moves. False if it was cut short.
  bool watch(std::size_t count, Transitions& transitions, Moves& moves) const;
  /// [group] effective draws of the slowest component, per transition of a chain.
  std::vector<double> slowest(const Moves& moves) const;

  std::shared_ptr<Estimator> step_size_;
  std::vector<Choice> choices_;  ///< [group]
  bool chosen_ = false;
};

}  // namespace manychain
