// The contract of an estimator: a piece of warm-up, which learns from all chains and changes what they share.
//
// A warm-up is a recipe (warmup/recipe.hpp): stages of transitions, and a list of estimators. These are called in the
// order of the list:
//   prepare(stage, transitions)   before a stage: changes it, or has transitions of its own, which the stage then lacks
//   begin(stage)                  as it begins
//   observe(look, looks)          while it goes on, at some moments of a stage that estimates the metric
//   update(stage, group)          at its end, of each group: reads GroupInWarmup::window and the engine, changes the
//                                 tuning, or proposes a metric as GroupInWarmup::next, which those after it may change
// and in the opposite order, those first that look at the chains themselves:
//   settled()                     behind a stage that estimates the metric, which is set
//   finish(transitions)           behind the last stage
// Each has all that it remembers as its own; all that sampling takes is in FrozenTuning. Statistics are pooled where
// the chains are, in their order (adaptation/adaptation.hpp), or read from the engine, which has chains in their order:
// neither threads nor ranks change them. A new one is a header, and a line of the list in warmup/recipes.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "manychain/adaptation/adaptation.hpp"
#include "manychain/core/block.hpp"
#include "manychain/run/result.hpp"
#include "warmup/tuned_groups.hpp"

namespace manychain {

/// A phase of warm-up, as a recipe has it.
struct Stage : WarmupPhase {
  AdaptationPlan plan;
  bool adapts = true;    ///< the adaptation observes the chains in it
  std::size_t part = 0;  ///< of warm-up: those behind one that has settled are left out
  bool last_part = true;
  bool settled = false;  ///< warm-up has: its transitions need not suffice
};

/// Thrown through estimators when a run is cancelled in its warm-up.
struct CutShort {};

/// Transitions of all chains in warm-up, by the run.
class Transitions {
 public:
  using Run = std::function<bool(std::size_t count, const Block& block, bool adapts)>;
  /// `run` returns false if it was cancelled.
  explicit Transitions(Run run) : run_(std::move(run)) {}
  void operator()(std::size_t count, bool adapts = false, const Block& block = {}) {
    done_ += count;
    if (!run_(count, block, adapts)) throw CutShort();
  }
  std::uint64_t done() const { return done_; }

 private:
  Run run_;
  std::uint64_t done_ = 0;
};

/// Findings of a warm-up, beside the tuning.
struct WarmupFound {
  RestartedChains restarted;
  std::vector<double> left;  ///< [point][dimension] where the first of them stood
};

class Estimator : protected WarmedRun {
 public:
  explicit Estimator(TunedGroups& groups) : WarmedRun(groups), groups_(groups) {}
  virtual ~Estimator() = default;
  /// True if windows have to have gradients.
  virtual bool wants_gradients() const { return false; }

  virtual void prepare(Stage& /*stage*/, Transitions& /*transitions*/) {}
  virtual void begin(const Stage& /*stage*/) {}
  virtual void observe(std::size_t /*look*/, std::size_t /*looks*/) {}
  virtual void update(const Stage& /*stage*/, std::size_t /*group*/) {}
  /// True if it needs no further window. May move chains.
  virtual bool settled() { return true; }
  /// True if the last window has to be followed by a longer one.
  virtual bool repeats() { return false; }
  virtual void finish(Transitions& /*transitions*/) {}
  virtual void report(WarmupFound& /*found*/) const {}

 protected:
  TunedGroups& groups_;
};

using Estimators = std::vector<std::shared_ptr<Estimator>>;

}  // namespace manychain
