// The loop of warm-up: a recipe, stage by stage.
#include "warmup/recipe.hpp"

#include <algorithm>

#include "manychain/adaptation/dual_averaging.hpp"

namespace manychain {
namespace {

// As many points as make correlations good to some 2 %, from all chains of a group, or from few chains again and again.
constexpr std::size_t points_wanted = 2048;

/// Number of looks at the chains that a stage needs.
std::size_t looks_of(const Stage& stage, const TunedGroups& groups) {
  if (!stage.update_metric || !groups.sampler.directions) return 0;
  const std::size_t chains = groups.chains_of_group();
  return std::clamp<std::size_t>((points_wanted + chains - 1) / chains, 1, stage.transitions);
}

/// Adds where the chains are to the windows of their groups.
void look(TunedGroups& groups, bool wants_gradients) {
  const Engine& engine = groups.engine;
  const std::size_t chains = groups.settings.chains, d = groups.layout.dimension;
  const ChainPoints points = engine.points(chains);
  const std::vector<double> gradients = wants_gradients ? engine.gradients(chains) : std::vector<double>();
  const std::vector<double> since_move = engine.statistics().since_move;
  const std::size_t whole = (chains + 63) / 64 * 64 / groups.size();
  // A diagonal is for what is too large for more: of it the widest direction alone is asked.
  const std::size_t every =
      groups.metric_kind() == MetricKind::diagonal ? std::max<std::size_t>(whole / points_wanted, 1) : 1;
  for (std::size_t c = 0; c < chains; ++c) groups[c / whole].window.log_densities.push_back(points.log_densities[c]);
  const auto add = [d](std::vector<double>& to, const std::vector<double>& all, std::size_t chain) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(chain * d);
    to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(d));
  };
  for (std::size_t c = 0; c < chains; c += every) {
    if (since_move[c] >= lost_after) continue;
    add(groups[c / whole].window.points, points.positions, c);
    if (wants_gradients) add(groups[c / whole].window.gradients, gradients, c);
  }
}

/// The transitions of a stage, and looks at the chains between them.
void run_transitions(const Stage& stage, const Estimators& estimators, TunedGroups& groups, Transitions& transitions) {
  Block block;
  block.accumulate_window = stage.update_metric;
  block.window_begin = transitions.done();
  const std::size_t looks = looks_of(stage, groups), interval = groups.settings.warmup.adaptation_interval;
  const auto observe = [&](std::size_t k) {
    bool wants_gradients = false;
    for (const auto& e : estimators) e->observe(k, looks), wants_gradients = wants_gradients || e->wants_gradients();
    look(groups, wants_gradients);
  };
  std::size_t done = 0;
  for (std::size_t k = 1; k < looks; ++k) {
    const std::size_t until = stage.transitions * k / looks / interval * interval;
    transitions(until - done, stage.adapts, block);
    if (until > done) observe(k);
    done = until;
  }
  transitions(stage.transitions - done, stage.adapts, block);
  if (looks > 0) observe(looks);
}

}  // namespace

void run_stage(Stage stage, const Estimators& estimators, TunedGroups& groups, Transitions& transitions) {
  for (const auto& e : estimators) e->prepare(stage, transitions);
  for (GroupInWarmup& group : groups) group.window = {};
  for (const auto& e : estimators) e->begin(stage);
  run_transitions(stage, estimators, groups, transitions);
  if (stage.adapts) groups.engine.collect_adaptation();
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const auto& e : estimators) e->update(stage, g);
  groups.take_next();
}

void follow(const Recipe& recipe, TunedGroups& groups, Transitions& transitions) {
  const auto& [recipe_stages, estimators] = recipe;
  std::vector<Stage> stages = recipe_stages;
  bool settled = false;
  std::size_t settled_in = 0;  // part
  for (std::size_t k = 0; k < stages.size(); ++k) {
    Stage& stage = stages[k];
    if (settled && (stage.update_metric || stage.part > settled_in)) continue;
    if (stage.refine && !stage.last_part && !settled) continue;
    stage.settled = settled;
    run_stage(stage, estimators, groups, transitions);
    if (!stage.update_metric) continue;
    settled = std::all_of(estimators.rbegin(), estimators.rend(), [](const auto& e) { return e->settled(); });
    settled_in = stage.part;
    const bool last_window = k + 1 == stages.size() || !stages[k + 1].update_metric;
    if (!last_window || std::none_of(estimators.begin(), estimators.end(), [](const auto& e) { return e->repeats(); }))
      continue;
    Stage longer = stage;
    longer.transitions += longer.transitions / 2;
    stages.insert(stages.begin() + static_cast<std::ptrdiff_t>(k + 1), longer);
  }
  std::for_each(estimators.rbegin(), estimators.rend(), [&](const auto& e) { e->finish(transitions); });
}

}  // namespace manychain
