// The warm-up of a run: its recipe, and its transitions.
#include <algorithm>

#include "manychain/core/sample_stats.hpp"
#include "run/draws_source.hpp"
#include "sampling/run.hpp"
#include "warmup/recipe.hpp"

namespace manychain {

void Run::warm_up() {
  tuned_->start();
  phase_ = "warmup";
  engine_->reset_counters();
  const bool plain = settings_.sampling.step_size || !sampler_.tuned || !engine_->adapter();
  const Recipe recipe = ladder_ ? ladder_recipe(*settings_.warmup.transitions, ladder_)
                        : plain ? plain_recipe(*settings_.warmup.transitions)
                                : adapted_recipe(*tuned_);
  Transitions transitions([this](std::size_t count, const Block& block, bool adapts) {
    adapting_ = adapts;
    const bool whole = run_transitions(count, block, adapts ? settings_.warmup.adaptation_interval : 0);
    adapting_ = false;
    return whole;
  });
  try {
    follow(recipe, *tuned_, transitions);
  } catch (const CutShort&) {  // result_.cancelled says so
  }
  for (const auto& estimator : recipe.estimators) estimator->report(found_);
  result_.warmup.restarted = found_.restarted;
}

/// Has a block of warm-up recorded. Draws of warm-up lie in the engine where those of sampling will: returns for how
/// many transitions there is room, at least one interval of the adaptation.
std::size_t Run::record_warmup(Block& block) {
  const auto room = [this] { return (warmup_taken_ + room_ + 1) * settings_.sampling.thin - 1 - transition_; };
  if (room() < settings_.warmup.adaptation_interval) store_ ? store_draws() : keep_warmup();
  block.keep = true;
  block.thin = settings_.sampling.thin;
  block.first_draw = warmup_taken_;
  return room();
}

bool Run::warmup_is_due() const { return store_ && saves_warmup() && warmup_drawn() - warmup_taken_ >= block_draws(); }

/// In a run without a store, draws of warm-up are copied out of the engine.
void Run::keep_warmup() {
  const std::size_t count = warmup_drawn() - warmup_taken_;
  append_to(result_.warmup.draws, engine_->draws_at(draws_at_, 0, count));
  if (settings_.output.keep_sample_stats)
    append_to(result_.warmup.sample_stats, engine_->stats_at(draws_at_, 0, count));
  warmup_taken_ += count;
}

/// In stretches as those of sampling; the last one has the state.
void Run::store_warmup(const RunState& behind) {
  const std::size_t begin = warmup_taken_, drawn = warmup_drawn();
  while (warmup_taken_ < drawn) {
    const std::size_t first = warmup_taken_, end = stretch_end(first, drawn);
    const bool stats = settings_.output.keep_sample_stats;
    store_->append_warmup(first, engine_->draws_at(DrawsAt::own_rank, first - begin, end - first),
                          stats ? engine_->stats_at(DrawsAt::own_rank, first - begin, end - first) : Draws(),
                          end == drawn ? behind : RunState());
    warmup_taken_ = end;
  }
}

/// An output that was not finite in warm-up says nothing of a chain: without its draws nobody had looked.
void Run::end_saved_warmup() {
  if (!store_) keep_warmup();
  Snapshot chains = engine_->snapshot();
  auto row = chains.values.begin();
  for (const FieldInfo& field : chains.fields) {
    const auto end = row + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(field.rows) * settings_.chains);
    if (field.name == "nonfinite") std::fill(row, end, 0.0);
    row = end;
  }
  engine_->restore(chains);
}

/// The draws of warm-up of a run whose store is a new one.
void Run::copy_warmup(const DrawsSource& from) {
  const DrawsSource::Shape shape = from.shape();
  for (std::size_t first = 0; first < shape.draws;) {
    const std::size_t count = stretch_end(first, shape.draws) - first;
    store_->append_warmup(first, from.draws({first, count}, {0, shape.variables}),
                          shape.stats ? from.sample_stats({first, count}, {0, sample_stat_count}) : Draws(), "");
    first += count;
  }
  warmup_taken_ = shape.draws;
}

}  // namespace manychain
