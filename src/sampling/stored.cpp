#include "sampling/stored.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/digest.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/core/sample_stats.hpp"
#include "run/defaults.hpp"
#include "run/ranked_store.hpp"
#include "sampling/parts.hpp"
#include "sampling/ranked.hpp"
#include "sampling/run.hpp"

namespace manychain {
namespace {

constexpr const char* unfit_draws = "the draws that are stored do not fit to the state of their run: it cannot go on";

/// The settings of a run that goes on.
Settings changed(const Model& model, const StateOfRun& state, const Resumed& resumed) {
  Settings settings = state.settings;
  settings.threads = resumed.threads;
  settings.progress = resumed.progress;
  settings.cancel = resumed.cancel;
  settings.time_limit = resumed.time_limit;
  if (resumed.log_likelihood) settings.output.log_likelihood = *resumed.log_likelihood;
  if (resumed.draws && resumed.more) throw BadInput("give the number of all draws, or of more draws, not both");
  const bool had_target = settings.sampling.target_ess.has_value();
  if (resumed.draws || resumed.more) {
    settings.sampling.draws = resumed.draws ? *resumed.draws : state.draws + *resumed.more;
    settings.sampling.target_ess.reset();
  } else if (resumed.target_ess && !had_target) {
    settings.sampling.draws = std::max(*settings.sampling.draws, most_draws(settings.chains, model.layout().outputs));
  }
  if (resumed.target_ess) settings.sampling.target_ess = resumed.target_ess;
  if (*settings.sampling.draws < state.draws)
    throw BadInput(fmt::format("Settings::sampling.draws: {} are fewer than the {} that the run has of each chain",
                               *settings.sampling.draws, state.draws));
  if (!settings.output.keep_draws && state.draws > 0 && *settings.sampling.draws != *state.settings.sampling.draws)
    throw BadInput(fmt::format(
        "Settings::sampling.draws: a run that keeps no draws has as many of each chain as it was begun with, {}: the "
        "sums over them are laid out by that",
        *state.settings.sampling.draws));
  return settings;
}

void require_draws(StoredRun& stored, const StateOfRun& state, const Model& model) {
  if (state.draws == 0 || !state.settings.output.keep_draws) return;
  stored.source = source_of(stored);
  const DrawsSource::Shape shape = stored.source->shape();
  if (shape.draws < state.draws || shape.variables != model.layout().outputs ||
      shape.chains != chains_of(state).count ||
      shape.single != (state.settings.precision == Precision::single_precision) ||
      (state.settings.output.keep_sample_stats && !shape.stats))
    throw BadInput(unfit_draws);
}

/// The others get all but what is of single chains: each has that of its own ones later.
StateOfRun state_of_first(Ranks& ranks, const RunState& stored) {
  const bool first = ranks.rank() == 0;
  const RunState of_all = ranks.texts(first ? without_chains(stored) : RunState())[0];
  return state_from(first ? stored : of_all);
}

/// The chains of this rank, of all that the first one has.
Snapshot own_chains(const Share& share, const Snapshot& of_first) {
  std::size_t rows = 0;
  for (const FieldInfo& field : of_first.fields) rows += static_cast<std::size_t>(field.rows);
  if (share.here() == 0 && of_first.values.size() != rows * static_cast<std::size_t>(share.all()))
    throw BadInput(unfit_draws);
  Snapshot own{of_first.fields, std::vector<double>(rows * static_cast<std::size_t>(share.count()))};
  share.deal_columns(reinterpret_cast<const char*>(of_first.values.data()), rows, sizeof(double),
                     reinterpret_cast<char*>(own.values.data()));
  return own;
}

/// `chains`: those that the source has draws of.
void require_warmup(const StoredRun& stored, const StateOfRun& state, std::size_t chains) {
  if (!state.settings.output.save_warmup || !state.sampling) return;
  const DrawsSource::Shape shape = stored.warmup ? stored.warmup->shape() : DrawsSource::Shape();
  if (shape.draws != state.sampling_begin / state.settings.sampling.thin ||
      (shape.draws > 0 && shape.chains != chains) ||
      (shape.draws > 0 && state.settings.output.keep_sample_stats && !shape.stats))
    throw BadInput(unfit_draws);
}

}  // namespace

Result sample(const Model& model, const Settings& settings, RunStore& store, const Storing& storing,
              const Watch& watch) {
  Run run(model, settings, {}, watch);
  run.store_in(store, storing);
  return run.from_start();
}

namespace {

Result resume(const Model& model, StoredRun stored, const Resumed& resumed, RunStore& store, const Storing& storing,
              const Watch& watch, Ranks* ranks, const ShareMachine& share_machine, DrawsAt draws) {
  StateOfRun state = ranks ? state_of_first(*ranks, stored.state) : state_from(stored.state);
  require_same_model(state.identity, identity_of(model));
  if (resumed.part) {
    if (ranks) throw BadInput("a part of the chains is for one process: leave the part out, ranks share all chains");
    if (model.bound().batched) throw BadInput("a density of all chains at once has no parts");
    state = part_of(std::move(state), *resumed.part, digest_of(stored.state));
    require_warmup(stored, state, state.settings.chains);
    if (stored.warmup) stored.warmup = chains_of(std::move(stored.warmup), chains_of(state));
  }
  if (state.part && ranks)
    throw BadInput("the store has a part of the chains of a run: a part goes on in one process, without ranks");
  Settings settings = changed(model, state, resumed);
  if (ranks) {
    settings.device.reset();
    settings.devices.clear();
    share_machine(model, settings);
  }
  if (state.part && settings.sampling.target_ess)
    throw BadInput(
        "Settings::sampling.target_ess: a part of the chains cannot tell when all have reached it; give the number "
        "of draws");
  require_draws(stored, state, model);
  Run run(model, settings, {}, watch);
  if (ranks) run.share_with(*ranks, draws);
  run.store_in(store, storing);
  return run.from_state(state, stored, resumed.part.has_value());
}

}  // namespace

Result resume(const Model& model, StoredRun stored, const Resumed& resumed, RunStore& store, const Storing& storing,
              const Watch& watch) {
  return resume(model, std::move(stored), resumed, store, storing, watch, nullptr, {}, DrawsAt::all_ranks);
}

Result sample_in_ranks(const Model& model, const Settings& settings, Ranks& ranks, RunStore* store,
                       const Storing& storing, DrawsAt draws) {
  RankedStore of_all(ranks, store);
  Run run(model, settings);
  run.share_with(ranks, draws);
  run.store_in(of_all, storing);
  return run.from_start();
}

Result resume_in_ranks(const Model& model, StoredRun stored, const Resumed& resumed, Ranks& ranks,
                       const ShareMachine& share_machine, RunStore* store, const Storing& storing, DrawsAt draws) {
  RankedStore of_all(ranks, store);
  return resume(model, of_first_rank(ranks, std::move(stored)), resumed, of_all, storing, {}, &ranks, share_machine,
                draws);
}

Result merge(const Model& model, std::vector<StoredRun> parts, const Resumed& how, RunStore& store,
             const Storing& storing) {
  std::vector<StateOfRun> states;
  for (StoredRun& part : parts) {
    states.push_back(state_from(part.state));
    require_same_model(states.back().identity, identity_of(model));
    require_draws(part, states.back(), model);
    require_warmup(part, states.back(), chains_of(states.back()).count);
  }
  StoredRun all;
  const StateOfRun state = merged(states, parts, all);
  parts.clear();
  Run run(model, changed(model, state, {.threads = how.threads, .progress = how.progress, .cancel = how.cancel}));
  run.store_in(store, storing);
  return run.from_state(state, all, true);
}

RunState without_chains(const RunState& of_all) {
  StateOfRun state = state_from(of_all);
  state.chains.values.clear();
  state.warmup.image.memory.clear();
  state.streamed.rows.clear();
  return to_bytes(state);
}

StoredFacts stored_facts(const RunState& bytes) {
  StateOfRun state = state_from(bytes);
  const ChainRange chains = chains_of(state);
  StoredFacts facts;
  facts.model = state.identity.model;
  facts.settings = std::move(state.settings);
  facts.backend = state.identity.backend;
  facts.sampling = state.sampling;
  facts.in_warmup = !state.warmup.answers.empty();
  facts.draws = state.draws;
  if (state.part) facts.warm = state.part->warm;
  facts.first_chain = chains.first;
  facts.chains = chains.count;
  if (state.part) facts.part = state.part->part;
  return facts;
}

void Run::store_in(RunStore& store, const Storing& storing) {
  if (!settings_.output.keep_draws && store.needs_draws())
    throw BadInput(
        "Settings::output.keep_draws: a run that is stored keeps its draws; leave it out, or take a checkpoint in "
        "place of a store");
  if (settings_.output.save_warmup && !store.takes_warmup())
    throw BadInput(
        "Settings::output.save_warmup: a checkpoint keeps no draws of warm-up; take a store, NAME.zarr, or leave it "
        "out");
  store_ = &store;
  storing_ = storing;
  stored_at_ = Clock::now();
}

void Run::begin_store() {
  Result facts = result_;
  identify(facts);
  store_->begin(facts);
}

std::size_t Run::block_draws() const { return std::max<std::size_t>(store_->block_draws(), 1); }

std::size_t Run::stretch_end(std::size_t done, std::size_t until) const {
  return std::min(until, (done / block_draws() + 1) * block_draws());
}

bool Run::store_is_due() const {
  const bool news = sampling_begin_ ? drawn() > stored_draws_ : recorded_ && recorded_->state_is_known();
  return store_ && news && (ranks_ ? due_ : seconds_since(stored_at_) >= storing_.seconds);
}

/// Blocks that are due together, of parts that were merged, have the state behind the last of them.
void Run::store_draws() {
  const std::size_t draws = drawn();
  if (sampling_begin_)
    take_rejections();
  else
    add_rejections(rejected_in_warmup_, rejected_since());
  const StateOfRun behind_all = state();  // all ranks add to it, and the first one stores it
  RunState now = !ranks_ || ranks_->rank() == 0 ? to_bytes(behind_all) : RunState();
  if (settings_.output.save_warmup && warmup_taken_ < warmup_drawn()) {
    if (saves_warmup() && !recorded_->state_is_known()) now.clear();  // that of before warm-up has no such draws
    store_warmup(now);
  } else if (!settings_.output.keep_draws) {
    store_->append(0, {}, {}, now);
    stored_draws_ = draws;
  } else {
    append_draws(draws, now);
  }
  stored_at_ = Clock::now();
  due_ = false;
}

void Run::append_draws(std::size_t draws, const RunState& now) {
  do {
    const std::size_t first = stored_draws_, before = taken_up_ ? window_begin_ : draws;
    const std::size_t end = stretch_end(first, before), count = end - first;
    const RunState& behind = end == draws ? now : RunState();
    const bool stats = settings_.output.keep_sample_stats;
    if (count == 0)
      store_->append(first, {}, {}, behind);
    else if (taken_up_)
      store_->append(first, taken_up_->draws({first, count}, {0, model_.layout().outputs}),
                     stats ? taken_up_->sample_stats({first, count}, {0, sample_stat_count}) : Draws(), behind);
    else
      store_->append(first, engine_->draws_at(DrawsAt::own_rank, first - window_begin_, count),
                     stats ? engine_->stats_at(DrawsAt::own_rank, first - window_begin_, count) : Draws(), behind);
    stored_draws_ = end;
    if (end == window_begin_) taken_up_.reset();
  } while (stored_draws_ < draws);
}

StateOfRun Run::state() const {
  StateOfRun state;
  state.identity = identity_;
  state.settings = part_ ? whole_ : settings_;
  state.part = part_;
  state.given_trajectory = given_trajectory_;
  state.facts = result_;
  state.seconds = seconds_since(start_);
  if (!sampling_begin_) {
    state.facts = facts_before_warmup_;
    if (recorded_ && recorded_->state_is_known()) state.warmup = recorded_->state();
    state.warmup_rejected = rejected_in_warmup_;
    return state;
  }
  state.sampling = true;
  state.draws = drawn();
  state.sampling_begin = *sampling_begin_;
  state.transition = transition_;
  for (std::size_t g = 0; g < tuned_->size(); ++g) state.groups.push_back((*tuned_)[g]);
  state.chains = engine_->snapshot_at_first();
  state.necks = necks_->state();
  if (!settings_.output.keep_draws) state.streamed = engine_->streamed(state.draws);
  return state;
}

/// On the backend of the run: nothing that it might have turned to since.
std::unique_ptr<Engine> Run::engine_of(const RunIdentity& stored) {
  if (stored.backend == "cpu") return on_cpu();
  if (!model_.bound().runs_on_cuda)
    throw BadInput("the run was on a GPU, and model " + model_.name() + " has no code for one here: it cannot go on");
  const CudaState cuda = cuda_state(settings_.device);
  if (!cuda.usable) throw BadInput("the run was on a GPU: it cannot go on here, as " + cuda.why);
  return on_cuda();
}

Result Run::from_state(const StateOfRun& state, StoredRun& stored, bool new_store) {
  settings_.validate();
  if (state.part) {
    part_ = state.part;
    whole_ = settings_;
    settings_ = settings_of(whole_, chains_of(state));
  }
  given_trajectory_ = state.given_trajectory;
  fill_in();
  given_trajectory_ = state.given_trajectory;
  if (ranks_) agree_on_settings();
  result_ = facts_before_warmup_ = state.facts;
  start_ -= std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(state.seconds));
  take(engine_of(state.identity));
  identity_ = identity_of(model_, *engine_);
  require_same_place(state.identity, identity_);
  begin_store();
  model_.bound().take_rejections();  // those of whoever looked at it before
  if (!state.sampling) {
    in_time([&] { initialise(); });
    if (recorded_ && !state.warmup.answers.empty()) {
      if (is_over()) end_early();  // the search may have been cut short
      rejected_since();            // in the same search as before
      rejected_in_warmup_ = state.warmup_rejected;
      recorded_->replay(state.warmup);
    }
    return from_warmup();
  }
  if (state.groups.size() != tuned_->size()) throw BadInput(unfit_draws);
  for (std::size_t g = 0; g < state.groups.size(); ++g) tuned_->restore(g, state.groups[g]);
  engine_->restore(ranks_ ? own_chains(Share(settings_, *ranks_), state.chains) : state.chains);
  if (new_store && stored.warmup) copy_warmup(*stored.warmup);
  if (settings_.output.keep_draws)
    take_up(stored, state.draws, new_store);
  else
    engine_->restore_streamed(state.streamed, state.draws), stored_draws_ = state.draws;
  stored = {};
  transition_ = state.transition;
  sampling_begin_ = state.sampling_begin;
  warmup_taken_ = warmup_drawn();
  begin_necks();
  necks_->restore(state.necks, [this](std::size_t draw) { return asks_for_look(draw); });
  if (new_store && part_) store_draws();  // none: the state alone
  sample();
  finish();
  return std::move(result_);
}

}  // namespace manychain
