// The places where the draws of a run are. The engine has all of them or, of a run with a store whose draws are too
// many for memory, those from one draw on: then diagnostics read the store, some outputs at a time.
#include <algorithm>
#include <utility>

#include "diagnostics/at_once.hpp"
#include "diagnostics/from_draws.hpp"
#include "diagnostics/view_of.hpp"
#include "manychain/core/sample_stats.hpp"
#include "sampling/run.hpp"

namespace manychain {
namespace {

constexpr double window_bytes = 32e6;  // of draws between two looks at them: a block, and the next one

std::size_t number_bytes(const Settings& settings) {
  return settings.precision == Precision::double_precision ? sizeof(double) : sizeof(float);
}

}  // namespace

/// The settings of the run, with as many draws as the engine has room for. A run that ends at a target may look at its
/// draws often, and does so in the engine as long as they fit.
Settings Run::settings_of_engine() {
  Settings settings = settings_;
  room_ = *settings_.draws;
  const std::size_t rows = model_.layout().outputs + (settings_.keep_sample_stats ? sample_stat_count : 0);
  const double draw = double(settings_.chains) * double(rows) * double(number_bytes(settings_));
  if (!store_ || draw * double(room_) <= storing_.memory || !store_->can_be_read()) return settings;
  const double held = settings_.target_ess ? storing_.memory / 2 : std::min(window_bytes, storing_.memory / 2);
  room_ = static_cast<std::size_t>(std::clamp(held / draw, 1.0, double(room_)));
  settings.draws = room_;
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
  result_.draws_in_store = !holds_all();
  if (!holds_all()) return;
  result_.draws = engine_->take_draws(kept);
  if (settings_.keep_sample_stats) result_.sample_stats = engine_->take_sample_stats(kept);
  if (settings_.keep_on_device) result_.device_draws = engine_->device_draws(kept, model_.layout().quantities);
}

Result Run::so_far() {
  if (!settings_.keep_draws) throw BadInput("draws: none are kept; set Settings::keep_draws");
  Result copied = result_;
  identify(copied);
  copied.kept = drawn();
  const Stretch all{0, copied.kept};
  const bool here = holds_all();
  copied.draws = here ? engine_->draws(0, copied.kept) : source().draws(all, {0, model_.layout().outputs});
  if (settings_.keep_sample_stats)
    copied.sample_stats =
        here ? engine_->sample_stats(0, copied.kept) : source().sample_stats(all, {0, sample_stat_count});
  return copied;
}

/// One statistic of all draws, of a run that does not hold them.
Draws Run::stat(std::size_t row, std::size_t kept) {
  return settings_.keep_sample_stats ? source().sample_stats({0, kept}, {row, 1}) : Draws();
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
  const Stretch all{0, draws};
  engine_->restore_draws(from->draws(all, {0, model_.layout().outputs}),
                         settings_.keep_sample_stats ? from->sample_stats(all, {0, sample_stat_count}) : Draws());
}

/// The summaries of all outputs: what `work(first, draws of some outputs, threads)` returns of these. The draws that it
/// has together take about what the run may hold. Ranks share the outputs out. Where a work is cut short, those of the
/// outputs before.
template <class Work>
std::vector<VariableSummary> Run::by_outputs(std::size_t draws, const Work& work) {
  const std::size_t outputs = model_.layout().outputs;
  const auto ranks = static_cast<std::size_t>(ranks_ ? ranks_->size() : 1);
  const diagnostics::AtOnce now = diagnostics::at_once(
      double(draws) * double(settings_.chains), number_bytes(settings_), outputs, storing_.memory, settings_.threads);
  std::vector<VariableSummary> all;
  for (std::size_t first = 0; first < outputs && all.size() == first;) {
    std::vector<Stretch> dealt;
    for (std::size_t r = 0; r < ranks; ++r, first += dealt.back().count)
      dealt.push_back({first, std::min(now.variables, outputs - first)});
    const Stretch mine = dealt[static_cast<std::size_t>(ranks_ ? ranks_->rank() : 0)];
    const Draws some = source().dealt({0, draws}, dealt);
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
  return by_outputs(draws, [&](std::size_t, const Draws& some, int threads) {
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

/// The summary of the first `count` draws with all that the host adds. `known`: the summary without that, or nothing;
/// `draws`: those of a run that holds them.
std::vector<VariableSummary> Run::whole_summary(std::vector<VariableSummary> known, const Draws& draws,
                                                std::size_t count, const std::atomic<bool>* cancel) {
  if (holds_all()) {
    if (known.empty()) known = engine_->summarise(count, cancel);
    add_draws_to(known, draws, settings_.threads, cancel);
    return known;
  }
  return by_outputs(count, [&](std::size_t first, const Draws& some, int threads) {
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
