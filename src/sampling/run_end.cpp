// The end of a run: its draws, its summary, what is said of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "check/wrong_gradient.hpp"
#include "diagnostics/drift.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/samplers/trajectory.hpp"
#include "modes/exchangeable.hpp"
#include "sampling/causes.hpp"
#include "sampling/judge.hpp"
#include "sampling/jumps.hpp"
#include "sampling/missed_modes.hpp"
#include "sampling/run.hpp"
#include "starts/each_path.hpp"

namespace manychain {
namespace {
constexpr std::size_t most_points_of_labels = 64;  // chains at whose positions labels are exchanged
}  // namespace

void Run::finish() {
  result_.seconds.sampling = seconds_since(start_) - result_.seconds.warmup - result_.seconds.diagnostics;
  const std::size_t kept = drawn();
  if (kept == 0) end_early();
  if (store_ && kept > stored_draws_) store_draws();
  if (part_) return finish_part();
  // A cancellation asked for until here has ended the sampling. It does not end the diagnostics, too, unless the
  // callback sets the flag back: then it may be asked for again. Ranks hear of one cancellation at different moments:
  // one that comes after those of others is the same.
  const std::atomic<bool>* const flag = asked_to_end();
  const bool here = flag && flag->load(), asked = ranks_ ? ranks_->any(here) || cancelled_by_rank_ : here;
  result_.cancelled = result_.cancelled || asked;
  phase_ = "diagnostics";
  report(0);
  const std::atomic<bool>* const cancel = asked && (!here || flag->load()) ? nullptr : flag;

  identify(result_);
  take_rejections();
  const ChainStatistics statistics = engine_->statistics();
  report_on(statistics, kept);
  result_.kept = kept;
  const std::vector<std::string> drifts = this->drifts(kept, diagnostics::level_of_drift);
  take_draws(kept);
  const DrawsSource* const elsewhere = this->elsewhere();
  const Clock::time_point before = Clock::now();
  if (!add_log_likelihoods(cancel)) result_.cancelled = true;
  if (drawn_) drawn_(result_);
  if (summary_.size() < model_.layout().outputs || result_.cancelled) summary_.clear();
  std::vector<VariableSummary> summary = whole_summary(std::move(summary_), result_.draws, elsewhere, kept, cancel);
  const std::vector<std::string> names = result_.layout.output_names();
  result_.not_summarised = names.size() - summary.size();
  result_.cancelled = result_.cancelled || result_.not_summarised > 0;
  summary.resize(names.size());  // NaN
  for (std::size_t i = 0; i < names.size(); ++i) result_.summary.push_back({names[i], summary[i]});
  if (sampler_.energy) result_.sampling.ebfmi = ebfmi(kept);
  if (ladder_) result_.sampling.tempering = ladder_->found();
  if (necks_) result_.posterior.missed_necks = necks_->missed();
  if (ladder_) {
    const TemperingFound& now = result_.sampling.tempering;
    const AnnealedStarts& annealing = result_.warmup.annealing;
    weigh_missed_again(result_.posterior.modes, settings_.chains,
                       highest_log_z(now.log_z, now.error) - highest_log_z(annealing.log_z, annealing.error));
  }
  leave_out_visited(result_.posterior.modes, *engine_, settings_, kept * settings_.sampling.thin);
  const bool weighted = !sampler_.exact && !sampler_.chain;
  judge(result_, statistics, elsewhere && weighted ? stat(0, kept) : result_.sample_stats);
  if (result_.converged && !result_.cancelled) result_.posterior.drifts = drifts;
  if (!result_.posterior.drifts.empty()) result_.converged = false;
  look_for_causes(elsewhere, statistics);
  result_.seconds.diagnostics += seconds_since(before);
  result_.seconds.total = seconds_since(start_);
  if (store_) finish_store();
}

/// Densities that take all chains at once may be compiled for each number of points.
void Run::look_at_gradient() {
  const Layout& layout = model_.layout();
  const bool takes_gradient = sampler_.needs_capability(&Capabilities::gradient) && !sampler_.leaves_conditionals;
  if (!takes_gradient || layout.integers > 0 || model_.bound().batched || result_.cancelled) return;
  constexpr std::size_t chains = 3;
  std::vector<double> scales = (*tuned_)[0].metric.variances();
  if (scales.size() != layout.dimension) scales.assign(layout.dimension, 1.0);
  for (double& scale : scales) scale = std::sqrt(scale);
  // The evaluator may refuse points, which no chain was at.
  add_rejections(rejected_alone_, model_.bound().take_rejections());
  StartsWanted wanted;
  wanted.throws_outside = true;
  result_.posterior.wrong_gradient =
      wrong_gradient(detail::evaluator_of(model_, wanted), engine_->points(chains).positions, scales);
  model_.bound().take_rejections();
}

bool Run::is_in_vain() {
  look_at_gradient();
  if (!result_.posterior.wrong_gradient.empty()) return true;
  constexpr double far_away = 1e4;  // on the unconstrained scale: parameters of few proper posteriors lie there
  const std::vector<double> some = engine_->points(chains_of_improper).positions;
  if (std::none_of(some.begin(), some.end(), [](double x) { return std::fabs(x) > far_away; })) return false;
  add_rejections(rejected_alone_, model_.bound().take_rejections());  // the search drops its own
  result_.posterior.improper = find_improper(model_, *engine_, result_);
  return !result_.posterior.improper.empty();
}

/// Looks for what keeps chains apart. Chains of a posterior without a finite integral run away, which looks like all
/// other causes.
void Run::look_for_causes(const DrawsSource* elsewhere, const ChainStatistics& statistics) {
  if (result_.posterior.wrong_gradient.empty()) look_at_gradient();
  if (!result_.posterior.wrong_gradient.empty()) {
    result_.converged = false;
    return;
  }
  std::vector<std::string>& improper = result_.posterior.improper;            // a run that it has ended knows it
  if (improper.empty()) improper = find_improper(model_, *engine_, result_);  // chains may agree all the same
  if (!improper.empty()) {
    result_.converged = false;
    return;
  }
  if (!result_.converged) {
    result_.posterior.places = places_in_words(result_, elsewhere);
    const ExchangeableLabels labels = exchangeable_labels(model_, engine_->points(most_points_of_labels).positions);
    result_.posterior.modes.exchangeable = labels.sets;
    result_.posterior.modes.orderable = labels.orderable;
    result_.posterior.modes.evaluations += labels.evaluations;
    // Annealing is the advice: it is not given where it was taken, or where other causes name modes.
    const bool told = !result_.posterior.places.empty() || !result_.posterior.modes.missed.empty();
    if (!told && !ladder_ && settings_.groups == 1 && settings_.warmup.starts != Starts::annealed &&
        looks_for_modes(model_, settings_, sampler_))
      result_.posterior.low_chains = low_chains_in_words(statistics.largest_log_density, result_);
  }
  if (!result_.posterior.low_chains.empty()) return;  // where they are, edges and jumps of the density tell nothing
  if (!result_.converged || result_.sampling.divergences > 0)
    result_.posterior.edges = find_edges(model_, *engine_, result_, elsewhere);
  if (!result_.converged) result_.posterior.jumps = find_jumps(model_, *engine_, result_);
}

/// The store wants the log likelihoods of all chains, which it writes now.
void Run::finish_store() {
  const bool of_own = ranks_ && draws_at_ == DrawsAt::own_rank && result_.output.log_likelihood.draws > 0;
  Draws own = of_own ? result_.output.log_likelihood : Draws();
  if (of_own)
    result_.output.log_likelihood =
        given_to(Share(settings_, *ranks_), std::move(result_.output.log_likelihood), DrawsAt::first_rank);
  store_->finish(result_);
  if (of_own) result_.output.log_likelihood = std::move(own);
}

std::string Run::none_drawn() const {
  const bool late = late_ || (settings_.time_limit && seconds_since(began_) >= *settings_.time_limit);
  return late ? fmt::format("Settings::time_limit: {:.3g} seconds were over before the first draw",
                            *settings_.time_limit)
              : "cancelled before the first draw";
}

void Run::end_early() {
  if (store_) store_->flush();
  throw EndedEarly(none_drawn());
}

/// Behind warm-up, whose state is stored.
void Run::finish_without_draws() {
  if (result_.cancelled) end_early();
  store_->flush();
  identify(result_);
  report_on(engine_->statistics(), 0);
  result_.seconds.total = seconds_since(start_);
}

/// The chains are judged with all others.
void Run::finish_part() {
  result_.part = part_->part;
  identify(result_);
  take_rejections();
  result_.kept = drawn();
  report_on(engine_->statistics(), result_.kept);
  result_.cancelled = result_.cancelled || (settings_.cancel && settings_.cancel->load());
  take_draws(result_.kept);
  result_.seconds.total = seconds_since(start_);
  store_->finish(result_);
}

/// Says what is sampled, how and where.
void Run::identify(Result& result) const {
  result.model = model_.name();
  result.settings = settings_;
  result.sampler = sampler_;
  if (!given_trajectory_) result.settings.sampling.trajectory.reset();  // given, it would not be chosen again
  result.backend = engine_->backend();
  result.device = engine_->device();
  if (ranks_) {
    result.settings.cancel = asked_.cancel;
    result.settings.progress = asked_.progress;
    result.device = fmt::format("{} ranks of {}", ranks_->size(), result.device);
  }
  result.layout = model_.layout();
  if (!model_.bound().batched) result.one_thread = model_.bound().one_thread;
  result.data = model_.data();
}

void add_rejections(Rejections& all, const Rejections& more) {
  all.evaluations += more.evaluations;
  all.outputs += more.outputs;
  if (all.message.empty() || (!more.message.empty() && more.message < all.message)) all.message = more.message;
}

Rejections Run::rejected_since() {
  Rejections now = model_.bound().take_rejections();
  add_rejections(now, std::exchange(rejected_alone_, {}));
  if (ranks_) add_of_all_ranks(now);
  return now;
}

void Run::take_rejections() { add_rejections(result_.sampling.rejected, rejected_since()); }

/// Reports on the run: its tuning, and the counters of the sampling phase.
void Run::report_on(const ChainStatistics& statistics, std::size_t kept) {
  result_.warmup.tuning.clear();
  for (std::size_t g = 0; g < settings_.groups; ++g) {
    const GroupTuning tuning = tuned_->tuning(g);
    const FrozenTuning& found = (*tuned_)[g];
    result_.warmup.tuning.push_back({tuning.step_size, tuning.trajectory, found.metric.variances(), found.metric.rank(),
                                     found.metric.leaves.count(), tuning.integrator, found.learnt_trajectory});
  }
  const TunedGroup& first = result_.warmup.tuning[0];
  result_.sampling.acceptance_rate = acceptance_rate(statistics);
  result_.sampling.divergences = static_cast<std::uint64_t>(total(statistics.divergences));
  for (std::size_t k = 0; k < kept && sampler_.trajectory && settings_.groups == 1; ++k)
    result_.sampling.leapfrogs.push_back(
        stages_of(first.integrator) *
        leapfrogs(static_cast<float>(first.trajectory), static_cast<float>(first.step_size),
                  *sampling_begin_ + (k + 1) * settings_.sampling.thin - 1, tuned_->tuning(0).leapfrog_limit,
                  shortest_jitter(tuned_->tuning(0).leaves)));
}

}  // namespace manychain
