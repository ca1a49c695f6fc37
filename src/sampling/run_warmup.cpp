// The warm-up of a run: phases, and what is tuned between them.
#include "manychain/chain/adapter.hpp"
#include "run/defaults.hpp"
#include "sampling/annealed_starts.hpp"
#include "sampling/run.hpp"

namespace manychain {
namespace {

// Windows that a warm-up of WarmupEnd::arrived may have beside those of its length, each half longer than the last.
constexpr int most_longer = 4;
// For few chains whose windows diverged: the acceptance rate to aim for, how many times as many transitions refine the
// step size for it, and the factor of what they find. That is still too long in 1e-3 of the transitions, which the rate
// cannot tell from none; the share falls with the sixth to tenth power of the step.
constexpr double careful_target = 0.98, careful_factor = 0.65;
constexpr std::size_t longer_refining = 4;

}  // namespace

void Run::warm_up() {
  tuner_->start();
  phase_ = "warmup";
  engine_->reset_counters();
  if (ladder_) return warm_up_ladders();
  if (settings_.step_size || !sampler_.tuned || !engine_->adapter()) {
    run_transitions(*settings_.warmup, Block{}, 0);
    return;
  }
  StrayChains strays(settings_, model_.layout().dimension, *engine_);
  bool settled = false;
  const std::vector<std::size_t> parts = warmup_parts();
  for (std::size_t k = 0; k < parts.size() && !settled; ++k)
    if (!warmup_part(parts[k], k + 1 == parts.size(), strays, settled)) return;
  // Nothing follows that would free those that are left. A warm-up of a fixed length is not longer.
  const int most_rounds = settings_.warmup_end == WarmupEnd::settled ? 4 : 0;
  for (int round = 0; round < most_rounds && tuner_->may_free_chains(); ++round)
    if (!free_stuck_chains()) return;
  tuner_->finish();
}

void Run::warm_up_ladders() {
  const std::vector<std::size_t> rounds = LadderTuner::rounds(*settings_.warmup);
  for (std::size_t k = 0; k < rounds.size(); ++k) {
    if (!run_transitions(rounds[k], Block{}, 0)) return;
    // The last two have the temperatures of the one before, at other places.
    if (k + 1 < rounds.size()) ladder_->end_round(k + 3 < rounds.size());
  }
}

bool Run::free_stuck_chains() {
  return tuner_->free_stuck_chains([&](std::size_t n) { return run_transitions(n, Block{}, 0); });
}

/// Lengths of the parts of warm-up: if gradients are expensive and warm-up may end early, a short one is tried first.
std::vector<std::size_t> Run::warmup_parts() const {
  constexpr std::size_t shortest = 40;  // that has windows
  const std::size_t all = *settings_.warmup, first = all / 3;
  if (settings_.warmup_end != WarmupEnd::settled || first < shortest || !has_expensive_gradient(model_)) return {all};
  return {first, all - first};
}

/// The phases of a warm-up of that length. Those that refine the step size are for the last one, or for one that has
/// settled. False when the run was cancelled.
bool Run::warmup_part(std::size_t length, bool last, StrayChains& strays, bool& settled) {
  AdaptationPlan plan{length, settings_.max_leapfrogs, *settings_.target_acceptance, sampler_.trajectory};
  std::vector<WarmupPhase> phases = engine_->adapter()->phases(plan);
  int longer = 0;
  for (std::size_t k = 0; k < phases.size(); ++k) {
    WarmupPhase phase = phases[k];
    if (settled && phase.update_metric) continue;
    if (phase.refine && !last && !settled) continue;
    const bool careful = phase.refine && settings_.warmup_end == WarmupEnd::arrived && aims_higher();
    if (careful) {
      plan.target_acceptance = *settings_.target_acceptance;
      phase.transitions *= longer_refining;
    }
    if (tuner_->chooses_metric(phase)) {
      const std::size_t begin = transition_, trial = tuner_->metric_trial(phase);
      const std::size_t rounds = settings_.warmup_end == WarmupEnd::arrived ? tuner_->metric_rounds() : 1;
      if (!tuner_->choose_metric(trial, rounds, plan, [&](std::size_t n, bool adapts) {
            adapting_ = adapts;
            const bool whole = run_transitions(n, Block{}, adapts ? settings_.adaptation_interval : 0);
            adapting_ = false;
            return whole;
          }))
        return false;
      if (!settled) phase.transitions -= std::min(trial, transition_ - begin);  // a trial may end early, or go on
    }
    if (tuner_->chooses_integrator(phase)) {
      if (!tuner_->choose_integrator([&](std::size_t n) { return run_transitions(n, Block{}, 0); })) return false;
      phase.transitions -= 2 * Tuner::integrator_trial;
    }
    if (phase.transitions >= 2 * Tuner::short_transitions && tuner_->may_free_chains()) {
      if (!free_stuck_chains()) return false;
      phase.transitions -= Tuner::short_transitions;
    }
    tuner_->begin(phase, plan);
    Block block;
    block.accumulate_window = phase.update_metric;
    block.window_begin = transition_;
    adapting_ = true;
    const bool whole = run_phase(phase, block);
    adapting_ = false;
    if (!whole) return false;
    tuner_->end(phase);
    if (careful) tuner_->shorten_steps(careful_factor);
    if (!phase.update_metric) continue;
    // Chains that were put into a mode by its share stay there.
    const bool none_stray = wants_annealing(settings_) || strays.restart_strays();
    const bool together = none_stray && !tuner_->some_are_stuck();
    result_.restarted = strays.restarted();
    left_ = strays.left();
    settled = together && settings_.warmup_end == WarmupEnd::settled && tuner_->settled();
    const bool last_window = k + 1 == phases.size() || !phases[k + 1].update_metric;
    if (!last_window || settings_.warmup_end != WarmupEnd::arrived || longer == most_longer) continue;
    // The first longer window has points of chains that still arrived: its metric is none to sample with.
    if (longer != 1 && !tuner_->chains_travel()) continue;
    ++longer;
    WarmupPhase next = phases[k];
    next.transitions += next.transitions / 2;
    phases.insert(phases.begin() + static_cast<std::ptrdiff_t>(k + 1), next);
  }
  return true;
}

/// A step size that few chains have refined in some tens of transitions meets places in thousands that they did not
/// see. If windows show that there are some, and the acceptance rate is the default, sampling aims for a higher one.
/// A run that is resumed has that as its setting.
bool Run::aims_higher() {
  if (!tuner_->many_diverged()) return false;
  const bool open = *settings_.target_acceptance == default_target(*engine_->adapter());
  if (open) settings_.target_acceptance = careful_target;
  return *settings_.target_acceptance == careful_target;
}

/// In parts that end where the tuner looks at the chains: whole adaptation intervals. False when the run was
/// cancelled.
bool Run::run_phase(const WarmupPhase& phase, const Block& block) {
  const std::size_t looks = tuner_->observations(phase), interval = settings_.adaptation_interval;
  std::size_t done = 0;
  for (std::size_t k = 1; k < looks; ++k) {
    const std::size_t until = phase.transitions * k / looks / interval * interval;
    if (!run_transitions(until - done, block, interval)) return false;
    if (until > done) tuner_->observe_points();
    done = until;
  }
  if (!run_transitions(phase.transitions - done, block, interval)) return false;
  if (looks > 0) tuner_->observe_points();
  return true;
}

}  // namespace manychain
