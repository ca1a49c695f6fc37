// A recipe of warm-up: stages, and the estimators that are at work in them.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "warmup/estimator.hpp"
#include "warmup/ladder_tuner.hpp"

namespace manychain {

struct Recipe {
  std::vector<Stage> stages;
  Estimators estimators;
};

/// The recipe of a run whose adaptation tunes the sampler: its phases, and all estimators that there are.
Recipe adapted_recipe(TunedGroups& groups);
/// That of chains that temper.
Recipe ladder_recipe(std::size_t transitions, std::shared_ptr<LadderTuner> ladder);
/// Transitions alone.
Recipe plain_recipe(std::size_t transitions);

/// Does one stage. Its length, in a window that estimators look at several times, is cut at whole adaptation
/// intervals.
void run_stage(Stage stage, const Estimators& estimators, TunedGroups& groups, Transitions& transitions);

/// Does the stages: once all has settled, and Settings::warmup.end says so, those alone that estimate no metric; a
/// longer window behind the last one where an estimator asks for it.
void follow(const Recipe& recipe, TunedGroups& groups, Transitions& transitions);

}  // namespace manychain
