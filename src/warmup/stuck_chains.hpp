// Chains that have not moved for `lost_after` transitions: the step size that suits the others is too long where they
// are. They are freed by transitions of all chains with shorter steps in their groups. These leave the posterior
// invariant; moving chains elsewhere would not.
#pragma once

#include <numeric>
#include <vector>

#include "manychain/adaptation/dual_averaging.hpp"
#include "warmup/estimator.hpp"

namespace manychain {

class StuckChains final : public Estimator {
 public:
  using Estimator::Estimator;

  void prepare(Stage& stage, Transitions& transitions) override {
    if (stage.transitions < 2 * short_transitions || !may_free()) return;
    free(transitions);
    stage.transitions -= short_transitions;
  }

  bool settled() override { return sum(stuck()) == 0; }

  /// Nothing follows that would free those that are left. A warm-up of a fixed length is not longer.
  void finish(Transitions& transitions) override {
    const int most_rounds = settings.warmup.end == WarmupEnd::settled ? 4 : 0;
    for (int round = 0; round < most_rounds && may_free(); ++round) free(transitions);
  }

 private:
  static constexpr std::size_t short_transitions = 10;

  static std::size_t sum(const std::vector<std::size_t>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  }

  /// [group] number of stuck chains; 0 if they are more than half.
  std::vector<std::size_t> stuck() const {
    const std::vector<double> since_move = engine.statistics().since_move;
    const std::size_t of_group = since_move.size() / groups_.size();
    std::vector<std::size_t> counts(groups_.size());
    for (std::size_t c = 0; c < since_move.size(); ++c) counts[c / of_group] += since_move[c] >= lost_after;
    for (std::size_t& count : counts)
      if (2 * count > of_group) count = 0;
    return counts;
  }

  /// False if as many are stuck as the last free() left when it freed none: it takes the gradients of several hundred
  /// transitions.
  bool may_free() const {
    const std::size_t found = sum(stuck());
    return found > 0 && found != not_freed_;
  }

  /// Half of the transitions with an eighth of the step size in the groups of such chains, half with a 64th.
  void free(Transitions& transitions) {
    const std::vector<std::size_t> counts = stuck();
    std::vector<GroupTuning> others;
    for (const GroupInWarmup& group : groups_) others.push_back(group.tuning);
    for (const double shorter : {8, 64}) {
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (counts[g] == 0) continue;
        groups_[g].tuning.step_size = others[g].step_size / shorter;
        groups_[g].tuning.leapfrog_limit = groups_.whole_limit();
        groups_.send(g);
      }
      transitions(short_transitions / 2);
    }
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      groups_[g].tuning = others[g];
      groups_.send(g);
    }
    const std::size_t left = sum(stuck());
    not_freed_ = left < sum(counts) ? 0 : left;
  }

  std::size_t not_freed_ = 0;  ///< stuck chains, after the last free(), if it freed none
};

}  // namespace manychain
