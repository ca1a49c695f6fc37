// The blocks of transitions that a run is cut into.
#include <algorithm>
#include <numeric>

#include "check/point_in_words.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/samplers/ladder.hpp"
#include "sampling/judge.hpp"
#include "sampling/run.hpp"

namespace manychain {

/// True once the run was cancelled, or its time is over.
bool Run::is_over() {
  const std::atomic<bool>* const asked = ranks_ ? asked_.cancel : settings_.cancel;
  const bool cancelled = asked && asked->load();
  const bool late = settings_.time_limit && seconds_since(began_) >= *settings_.time_limit;
  if (!ranks_) return cancelled || late;
  agree_on_block(cancelled, late);
  return cancelled_by_rank_ || late_;
}

/// False when the run was cancelled.
bool Run::run_transitions(std::size_t count, Block block, std::size_t adaptation_interval) {
  for (std::size_t done = 0; done < count;) {
    if (!(recorded_ && recorded_->replays()) && is_over()) {
      result_.cancelled = true;
      if (recorded_ && recorded_->state_is_known()) store_draws();  // none: what warm-up has done
      return false;
    }
    const Clock::time_point before = Clock::now();
    block.first_transition = transition_;
    // Whole adaptation intervals, so that where blocks end changes no update.
    const std::size_t interval = std::max<std::size_t>(adaptation_interval, 1);
    const bool replayed = recorded_ && recorded_->replays();
    std::size_t most = countable();
    if (saves_warmup() && !replayed) most = std::min(most, record_warmup(block));
    const std::size_t wanted = std::max<std::size_t>(std::min(block_length_, most) / interval, 1) * interval;
    block.count = static_cast<std::uint32_t>(std::min(count - done, wanted));
    if (replayed) block.count = recorded_->next_block(static_cast<std::uint32_t>(count - done));
    const std::uint64_t evaluations = engine_->advance(block, adaptation_interval);
    result_.gradients += evaluations;
    done += block.count;
    transition_ += block.count;
    if (replayed) warmup_taken_ = warmup_drawn();  // stored before
    const double elapsed = std::max(seconds_since(before), 1e-6);
    const double ideal = block.count / (elapsed * static_cast<double>(settings_.blocks_per_second));
    block_length_ = static_cast<std::size_t>(std::clamp(ideal, 1.0, std::min(4.0 * block.count, 1e6)));
    show();
    if (!replayed) report(block.count / elapsed);
    if (sampler_.needs_capability(&Capabilities::envelope)) require_envelope();
    if (((done < count || !sampling_begin_) && store_is_due()) || warmup_is_due()) store_draws();
  }
  return true;
}

/// Transitions whose evaluations a counter in single precision holds exactly.
std::size_t Run::countable() const {
  const std::size_t dimension = model_.layout().dimension;
  const std::size_t steps = sampler_.most_steps ? sampler_.most_steps(dimension) : std::size_t{0};
  const std::size_t most = std::max({settings_.sampling.max_leapfrogs, dimension, steps, std::size_t{10000}});
  const std::size_t replicas = sampler_.ladder ? std::size_t{LadderRows::most} : std::size_t{1};
  return (std::size_t{1} << 24) / (replicas * (most + 2));  // a start, and the second stage of a last step
}

/// Rejection sampling: no point lies above the envelope, and every chain found one below.
void Run::require_envelope() const {
  const ChainStatistics statistics = engine_->statistics();
  const std::vector<double>& violations = statistics.divergences;
  const auto first = std::find_if(violations.begin(), violations.end(), [](double count) { return count > 0; });
  if (first == violations.end()) return;
  const auto chain = static_cast<std::size_t>(first - violations.begin());
  if (statistics.since_move[chain] > 0)
    throw SamplingFailed("rejection: chain " + std::to_string(chain) +
                         " ended its search without a point (10000 trials, or fewer where a trial takes many random "
                         "numbers); take a proposal nearer to the density, or a smaller log_envelope()");
  throw SamplingFailed("the envelope is violated: the density exceeds M times the proposal's at " +
                       point_in_words(model_.layout(), engine_->position(chain)) +
                       " (or is NaN there); make log_envelope() larger");
}

void Run::report(double transitions_per_second) {
  if (!settings_.progress) return;
  const Engine& engine = recorded_ ? recorded_->unrecorded() : *engine_;
  const ChainStatistics statistics = engine.statistics();
  Progress p;
  p.phase = phase_;
  p.transitions = transition_;
  p.total = std::max<std::size_t>(*settings_.warmup.transitions, sampling_begin_.value_or(0)) +
            *settings_.sampling.draws * settings_.sampling.thin;
  p.chains = settings_.chains;
  p.stuck_chains =
      static_cast<std::size_t>(std::count_if(statistics.since_move.begin(), statistics.since_move.end(),
                                             [](double transitions) { return transitions >= stuck_after; }));
  p.divergences = static_cast<std::size_t>(total(statistics.divergences));
  p.acceptance_rate = acceptance_rate(statistics);
  p.step_size = (adapting_ ? engine.tuning(0) : tuned_->tuning(0)).step_size;
  p.seconds = seconds_since(start_);
  p.transitions_per_second = transitions_per_second * static_cast<double>(settings_.chains);
  p.draws = drawn();
  const diagnostics::Deciding by = deciding(settings_);
  for (const VariableSummary& row : summary_)
    if (by.rhat(row) > p.largest_rhat) p.largest_rhat = by.rhat(row);  // NaN is not larger
  settings_.progress(p);
}

double Run::acceptance_rate(const ChainStatistics& statistics) const {
  const std::vector<double>& sums = statistics.acceptance_sum;
  return counted() ? total(sums) / (static_cast<double>(sums.size()) * counted()) : 0;
}

}  // namespace manychain
