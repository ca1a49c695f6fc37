// The places where the draws of a run are. The engine has all of them or, of a run with a store whose draws are too
// many for memory, those from one draw on: then diagnostics read the store, some outputs at a time.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "diagnostics/at_once.hpp"
#include "diagnostics/drift.hpp"
#include "diagnostics/from_draws.hpp"
#include "diagnostics/places.hpp"
#include "diagnostics/view_of.hpp"
#include "manychain/core/sample_stats.hpp"
#include "run/log_likelihood.hpp"
#include "sampling/energy.hpp"
#include "sampling/run.hpp"

namespace manychain {
namespace {

constexpr double exchanged_bytes = 16e6;  // that a rank gets at once, if its threads have enough to do
constexpr double window_bytes = 32e6;     // of draws between two looks at them: a block, and the next one

std::size_t number_bytes(const Settings& settings) {
  return settings.precision == Precision::double_precision ? sizeof(double) : sizeof(float);
}

std::optional<HeldChains> held_by(const Share& share, DrawsAt at) {
  if (at == DrawsAt::first_rank && share.here() > 0) return HeldChains{};
  if (at != DrawsAt::own_rank || share.ranges() == 1) return {};
  return HeldChains{static_cast<std::size_t>(share.first()), static_cast<std::size_t>(share.count())};
}

}  // namespace

/// The settings of the run, with as many draws as the engine has room for. A run that ends at a target may look at its
/// draws often, and does so in the engine as long as they fit.
Settings Run::settings_of_engine() {
  Settings settings = settings_;
  room_ = *settings_.sampling.draws;
  const std::size_t rows = model_.layout().outputs + (settings_.output.keep_sample_stats ? sample_stat_count : 0);
  const double draw = double(settings_.chains) * double(rows) * double(number_bytes(settings_));
  if (store_ && draw * double(room_) > storing_.memory && store_->can_be_read()) {
    const double held =
        settings_.sampling.target_ess ? storing_.memory / 2 : std::min(window_bytes, storing_.memory / 2);
    room_ = static_cast<std::size_t>(std::clamp(held / draw, 1.0, double(room_)));
  }
  // Draws of warm-up lie there, too: those of an interval at least.
  if (settings_.output.save_warmup)
    room_ = std::max(room_, (settings_.warmup.adaptation_interval - 1) / settings_.sampling.thin + 1);
  settings.sampling.draws = room_;
  return settings;
}

/// Before the draws from `done` to `end`, which are no more than fit.
void Run::make_room(std::size_t done, std::size_t end) {
  if (end - window_begin_ <= room_) return;
  if (stored_draws_ < done) store_draws();
  if (holds_all()) store_->keep_for_run();
  window_begin_ = done;
}

const DrawsSource& Run::source() {
  if (stored_draws_ < drawn()) store_draws();
  if (!source_ || source_->shape().draws != stored_draws_) {
    source_.reset();
    store_->flush();
    source_ = store_->open();
  }
  return *source_;
}

void Run::take_draws(std::size_t kept) {
  result_.output.draws_in_store = !holds_all();
  if (ranks_ && settings_.output.keep_draws) result_.output.held = held_by(Share(settings_, *ranks_), draws_at_);
  if (!holds_all()) return;
  if (ranks_ && settings_.output.keep_draws) return take_draws_of_ranks(kept);
  // Draws that are not kept have the sizes of those of all chains.
  result_.draws = ranks_ ? engine_->draws(0, kept) : engine_->take_draws(kept);
  if (settings_.output.keep_on_device)
    result_.output.device_draws = engine_->device_draws(kept, model_.layout().quantities);
  if (!settings_.output.keep_sample_stats) return;
  result_.sample_stats = ranks_ ? engine_->sample_stats(0, kept) : engine_->take_sample_stats(kept);
}

/// The engine reads its draws where they lie, when it has given them away, too.
void Run::take_draws_of_ranks(std::size_t kept) {
  const bool own_alone = draws_at_ == DrawsAt::own_rank, with_stats = settings_.output.keep_sample_stats;
  Draws& own = own_alone ? result_.draws : own_draws_;
  Draws& stats = own_alone ? result_.sample_stats : own_stats_;
  own = engine_->take_draws(kept);
  if (with_stats) stats = engine_->take_sample_stats(kept);
  in_ranks_ = std::make_unique<DrawsInRanks>(Share(settings_, *ranks_), own, stats);
  if (own_alone) return;
  result_.draws = engine_->draws_at(draws_at_, 0, kept);
  if (with_stats) result_.sample_stats = engine_->stats_at(draws_at_, 0, kept);
}

const DrawsSource* Run::elsewhere() {
  if (!holds_all()) return &source();
  return in_ranks_.get();
}

Result Run::so_far() {
  if (!settings_.output.keep_draws) throw BadInput("draws: none are kept; set Settings::output.keep_draws");
  Result copied = result_;
  identify(copied);
  copied.kept = drawn();
  const Stretch all{0, copied.kept};
  const bool here = holds_all();
  copied.draws = here ? engine_->draws(0, copied.kept) : source().draws(all, {0, model_.layout().outputs});
  if (settings_.output.keep_sample_stats)
    copied.sample_stats =
        here ? engine_->sample_stats(0, copied.kept) : source().sample_stats(all, {0, sample_stat_count});
  return copied;
}

std::vector<Stretch> Run::parameters_of_ranks() const {
  const auto ranks = static_cast<std::size_t>(ranks_ ? ranks_->size() : 1);
  std::vector<Stretch> dealt;
  for (std::size_t r = 0; r < ranks; ++r) dealt.push_back(stretch_of(model_.layout().parameter_outputs(), r, ranks));
  return dealt;
}

std::vector<Draws> Run::some_draws(const std::vector<std::size_t>& which, const std::vector<Stretch>& dealt) {
  std::vector<Draws> some;
  for (const std::size_t k : which) {
    if (!holds_all()) {
      some.push_back(source().dealt({k, 1}, dealt));
    } else if (ranks_) {
      const Draws own = engine_->draws_at(DrawsAt::own_rank, k, 1), none;
      some.push_back(DrawsInRanks(Share(settings_, *ranks_), own, none).dealt({0, 1}, dealt));
    } else {
      some.push_back(engine_->draws(k, 1));
    }
  }
  return some;
}

bool Run::stays_apart(std::size_t draws) {
  if (settings_.groups > 1 || ladder_ || !settings_.output.keep_draws || !sampler_.chain || !sampler_.exact)
    return false;
  if (!diagnostics::changes_too_rarely(draws, *settings_.sampling.draws, *settings_.sampling.target_ess)) return false;
  const std::vector<Stretch> dealt = parameters_of_ranks();
  const std::size_t mine = dealt[static_cast<std::size_t>(ranks_ ? ranks_->rank() : 0)].count;
  const diagnostics::DrawsToCompare some = diagnostics::some_of_halves(draws);
  const bool apart = diagnostics::stay_apart(some_draws(some.early, dealt), some_draws(some.late, dealt), mine,
                                             settings_.superchains.value_or(0));
  return ranks_ ? ranks_->any(apart) : apart;
}

std::vector<std::string> Run::drifts(std::size_t draws, double level) {
  const bool too_few = settings_.chains < diagnostics::fewest_chains_for_drift;
  if (too_few || !settings_.output.keep_draws || !sampler_.chain || !sampler_.exact) return {};
  const std::size_t parameters = model_.layout().parameter_outputs();
  const std::vector<Stretch> dealt = parameters_of_ranks();
  const std::size_t mine = dealt[static_cast<std::size_t>(ranks_ ? ranks_->rank() : 0)].count;
  const diagnostics::DrawsToCompare compared = diagnostics::draws_to_compare(draws);
  const std::vector<Draws> early = some_draws(compared.early, dealt), late = some_draws(compared.late, dealt);
  const std::size_t superchains = settings_.groups == 1 ? settings_.superchains.value_or(0) : 0;
  const double share = static_cast<double>(mine) / static_cast<double>(parameters);
  std::vector<double> found = diagnostics::drifts(early, late, mine, superchains, level * share);
  if (ranks_ && !compared.early.empty()) {
    std::vector<std::size_t> bytes;
    for (const Stretch& of_rank : dealt) bytes.push_back(of_rank.count * sizeof(double));
    std::vector<double> all(parameters);
    ranks_->gather(found.data(), all.data(), bytes);
    found = std::move(all);
  }
  const std::vector<std::string> names = model_.layout().output_names();
  std::vector<std::string> words;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] > 0) words.push_back(fmt::format("{}, by {:.2g} standard errors", names[i], found[i]));
  return words;
}

/// One statistic of all draws, which are elsewhere.
Draws Run::stat(std::size_t row, std::size_t kept) {
  return settings_.output.keep_sample_stats ? elsewhere()->sample_stats({0, kept}, {row, 1}) : Draws();
}

std::vector<double> Run::ebfmi(std::size_t kept) {
  if (!settings_.output.keep_draws) return engine_->streamed_ebfmi(kept);
  if (!holds_all()) return stored_ebfmi(stat(static_cast<std::size_t>(energy_row), kept), 0);
  if (!in_ranks_ || !settings_.output.keep_sample_stats) return stored_ebfmi(result_.sample_stats);
  return in_ranks_->share().gathered(stored_ebfmi(in_ranks_->own_stats()), 1);
}

bool Run::add_log_likelihoods(const std::atomic<bool>* cancel) {
  const DrawsSource* const from = holds_all() ? nullptr : &source();
  if (!ranks_) return add_log_likelihood(model_, result_, cancel, from);
  const Share share(settings_, *ranks_);
  return add_log_likelihood(model_, result_, cancel, from,
                            {&share, in_ranks_ ? &in_ranks_->own() : nullptr, draws_at_});
}

/// Draws that are read at once: a block of a store; of a checkpoint as many as fill two windows.
std::size_t Run::taken_up_at_once() const {
  const double draw = double(settings_.chains) * double(model_.layout().outputs) * double(number_bytes(settings_));
  return static_cast<std::size_t>(std::max(2 * window_bytes / draw, 1.0));
}

/// The first draws of a run that goes on, or that was in parts.
void Run::take_up(StoredRun& stored, std::size_t draws, bool new_store) {
  stored_draws_ = new_store ? 0 : draws;
  if (draws == 0) return;
  const std::shared_ptr<const DrawsSource> from = source_of(stored);
  if (draws > room_) {
    store_->keep_for_run();
    window_begin_ = draws;
    if (new_store) taken_up_ = from;
    return;
  }
  std::optional<Share> share;
  if (ranks_) share.emplace(settings_, *ranks_);
  const Stretch outputs{0, model_.layout().outputs}, stats{0, sample_stat_count};
  for (std::size_t first = 0; first < draws;) {  // a block at a time: memory has the draws once
    const Stretch some{first, std::min(stretch_end(first, draws) - first, taken_up_at_once())};
    Draws block = share ? from->draws_of_rank(*share, some, outputs) : from->draws(some, outputs);
    Draws of_block;
    if (settings_.output.keep_sample_stats)
      of_block = share ? from->stats_of_rank(*share, some, stats) : from->sample_stats(some, stats);
    engine_->restore_draws(first, block, of_block);
    first += some.count;
  }
}

/// The summaries of all outputs: what `work(first, draws of some outputs, threads)` returns of these. The draws that it
/// has together take about what the run may hold. Ranks share the outputs out. Where a work is cut short, those of the
/// outputs before.
template <class Work>
std::vector<VariableSummary> Run::by_outputs(const DrawsSource& source, std::size_t draws, const Work& work) {
  const std::size_t outputs = model_.layout().outputs;
  const auto ranks = static_cast<std::size_t>(ranks_ ? ranks_->size() : 1);
  const diagnostics::AtOnce now = diagnostics::at_once(
      double(draws) * double(settings_.chains), number_bytes(settings_), outputs, storing_.memory, settings_.threads);
  std::size_t at_once = now.variables;
  if (ranks_) {
    const std::vector<int> threads = ranks_->each(now.threads);  // of which each takes an output
    const double output = double(draws) * double(settings_.chains) * double(number_bytes(settings_));
    const auto few = static_cast<std::size_t>(std::max(exchanged_bytes / output, 1.0));
    const auto busy = static_cast<std::size_t>(*std::max_element(threads.begin(), threads.end()));
    at_once = std::min({at_once, std::max(few, busy), (outputs + ranks - 1) / ranks});
  }
  std::vector<VariableSummary> all;
  for (std::size_t first = 0; first < outputs && all.size() == first;) {
    std::vector<Stretch> dealt;
    for (std::size_t r = 0; r < ranks; ++r, first += dealt.back().count)
      dealt.push_back({first, std::min(at_once, outputs - first)});
    const Stretch mine = dealt[static_cast<std::size_t>(ranks_ ? ranks_->rank() : 0)];
    const Draws some = source.dealt({0, draws}, dealt);
    std::vector<VariableSummary> part;
    if (mine.count > 0) part = work(mine.first, some, now.threads);
    if (ranks_) part = of_all_ranks(part, dealt);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

/// The summary of all draws so far. Once `cancel` is true, of the first outputs.
std::vector<VariableSummary> Run::summarise(std::size_t draws, const std::atomic<bool>* cancel) {
  if (holds_all()) return engine_->summarise(draws, cancel);
  return by_outputs(source(), draws, [&](std::size_t, const Draws& some, int threads) {
    return engine_->summarise_given(some, threads, cancel);
  });
}

/// Adds what only the draws on the host say of the quantities, whichever backend has summarised them. Once `cancel`
/// is true the summary ends before the first that lacks it.
void Run::add_draws_to(std::vector<VariableSummary>& summary, const Draws& draws, int threads,
                       const std::atomic<bool>* cancel) const {
  std::vector<VariableSummary*> rows;
  for (VariableSummary& row : summary) rows.push_back(&row);
  const auto add = [&](const auto& view) {
    summary.resize(
        diagnostics::add_from_draws(view, rows, settings_.superchains.value_or(0), threads, cancel, settings_.groups));
  };
  if (!draws.float32.empty()) add(view_of<float>(draws));
  if (!draws.float64.empty()) add(view_of<double>(draws));
}

/// whole_summary() of a run that goes on.
std::vector<VariableSummary> Run::whole_summary_so_far(std::vector<VariableSummary> known, std::size_t count,
                                                       const std::atomic<bool>* cancel) {
  if (!holds_all()) return whole_summary(std::move(known), {}, &source(), count, cancel);
  const Draws draws = engine_->draws_at(DrawsAt::own_rank, 0, count), none;
  if (!ranks_) return whole_summary(std::move(known), draws, nullptr, count, cancel);
  const DrawsInRanks of_all(Share(settings_, *ranks_), draws, none);
  return whole_summary(std::move(known), {}, &of_all, count, cancel);
}

/// The summary of the first `count` draws with all that the host adds. `known`: the summary without that, or nothing;
/// `source`: the draws; null: they are `draws`, and the engine has them.
std::vector<VariableSummary> Run::whole_summary(std::vector<VariableSummary> known, const Draws& draws,
                                                const DrawsSource* source, std::size_t count,
                                                const std::atomic<bool>* cancel) {
  if (!source) {
    if (known.empty()) known = engine_->summarise(count, cancel);
    add_draws_to(known, draws, settings_.threads, cancel);
    return known;
  }
  return by_outputs(*source, count, [&](std::size_t first, const Draws& some, int threads) {
    std::vector<VariableSummary> part;
    if (known.empty()) {
      part = engine_->summarise_given(some, threads, cancel);
    } else {
      const auto begin = known.begin() + static_cast<std::ptrdiff_t>(first);
      part.assign(begin, begin + static_cast<std::ptrdiff_t>(some.variables));
    }
    add_draws_to(part, some, threads, cancel);
    return part;
  });
}

}  // namespace manychain
