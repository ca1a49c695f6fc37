// The recipes that there are, and the list of all estimators.
#include "manychain/chain/adapter.hpp"
#include "run/defaults.hpp"
#include "warmup/adapted.hpp"
#include "warmup/careful_steps.hpp"
#include "warmup/constant_metric.hpp"
#include "warmup/forgotten_starts.hpp"
#include "warmup/integrator_trial.hpp"
#include "warmup/longer_trajectories.hpp"
#include "warmup/metric_with_leaves.hpp"
#include "warmup/recipe.hpp"
#include "warmup/stray_chains.hpp"
#include "warmup/stuck_chains.hpp"
#include "warmup/travelling.hpp"

namespace manychain {
namespace {

/// Lengths of the parts of warm-up: if gradients are expensive and warm-up may end early, a short one is tried first.
std::vector<std::size_t> parts_of(const Model& model, const Settings& settings) {
  constexpr std::size_t shortest = 40;  // that has windows
  const std::size_t all = *settings.warmup.transitions, first = all / 3;
  if (settings.warmup.end != WarmupEnd::settled || first < shortest || !has_expensive_gradient(model)) return {all};
  return {first, all - first};
}

}  // namespace

Recipe adapted_recipe(TunedGroups& groups) {
  const Settings& settings = groups.settings;
  Recipe recipe;
  const std::vector<std::size_t> parts = parts_of(groups.model, settings);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const AdaptationPlan plan{parts[part], settings.sampling.max_leapfrogs, *settings.warmup.target_acceptance,
                              groups.sampler.trajectory};
    for (const WarmupPhase& phase : groups.engine.adapter()->phases(plan))
      recipe.stages.push_back({phase, plan, true, part, part + 1 == parts.size()});
  }
  const auto adapted = std::make_shared<Adapted>(groups);
  // The first is the last to finish: it tries lengths with the step size of sampling.
  recipe.estimators = {std::make_shared<LongerTrajectories>(groups),
                       adapted,
                       std::make_shared<CarefulSteps>(groups),
                       std::make_shared<ConstantMetric>(groups),
                       std::make_shared<MetricWithLeaves>(groups, adapted),
                       std::make_shared<IntegratorTrial>(groups),
                       std::make_shared<Travelling>(groups),
                       std::make_shared<ForgottenStarts>(groups),
                       std::make_shared<StuckChains>(groups),
                       std::make_shared<StrayChains>(groups)};
  return recipe;
}

Recipe ladder_recipe(std::size_t transitions, std::shared_ptr<LadderTuner> ladder) {
  Recipe recipe{{}, {std::move(ladder)}};
  for (const std::size_t round : LadderTuner::rounds(transitions)) recipe.stages.push_back({{round}, {}, false});
  return recipe;
}

Recipe plain_recipe(std::size_t transitions) { return {{Stage{{transitions}, {}, false}}, {}}; }

}  // namespace manychain
