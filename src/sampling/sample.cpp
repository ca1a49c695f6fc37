// A run from start to result: the order of its parts, its engine, and what is read between draws.
#include <algorithm>
#include <utility>

#include "check/point_in_words.hpp"
#include "check/posterior_precision.hpp"
#include "check/precision_check.hpp"
#include "core/reuse_large_memory.hpp"
#include "diagnostics/deciding.hpp"
#include "diagnostics/drift.hpp"
#include "diagnostics/limits.hpp"
#include "manychain/chain/adapter.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "run/defaults.hpp"
#include "run/devices.hpp"
#include "run/initial_points.hpp"
#include "sampling/annealed_starts.hpp"
#include "sampling/judge.hpp"
#include "sampling/missed_modes.hpp"
#include "sampling/ranked.hpp"
#include "sampling/run.hpp"
#include "sampling/unreached_tail.hpp"

namespace manychain {
namespace {

// 0.9 of a normal's half period: jittered, the lengths lie around the quarter period, after which a draw is independent
// of the one before. Shorter ones explore a posterior with correlations more slowly.
constexpr double default_trajectory = 2.8;
// Draws that sds would take are known from so many of each chain on, and given up for if they are so much more.
constexpr std::size_t first_projection = 80;
constexpr double far_more = 1.5;

/// Blocks of draws for a store are put where those before were.
struct BlocksAgain {
  const ReuseLargeMemory reuse;
  ~BlocksAgain() { free_kept_memory(); }
};

}  // namespace

Result Run::from_start() {
  settings_.validate();
  fill_in();
  if (ranks_) agree_on_settings();
  const bool open = settings_.precision != Precision::double_precision;
  const bool chosen = in_time([&] { choose_precision(model_, sampler_, settings_, result_); });
  if (open && !chosen) throw EndedEarly(none_drawn());  // there is no state to go on from
  model_.bound().take_rejections();                     // those of whoever looked at it before
  in_time([&] { start(); });
  if (store_) {
    identity_ = identity_of(model_, *engine_);
    begin_store();
    facts_before_warmup_ = result_;
    store_draws();  // none: the state alone
  }
  return from_warmup();
}

Result Run::from_warmup() {
  if (recorded_) recorded_->record();
  warm_up();
  if (recorded_) recorded_->stop();
  if (result_.cancelled) end_early();
  look_at_precision_here();
  result_.seconds.warmup = seconds_since(start_);
  begin_sampling();
  if (store_ && storing_.warmup_only) {
    finish_without_draws();
    return std::move(result_);
  }
  sample();
  finish();
  return std::move(result_);
}

void Run::fill_in() {
  sampler_ = fill_in_defaults(model_, settings_);
  if (sampler_.schedule && !settings_.sampling.schedule)
    settings_.sampling.schedule = StepSchedule{*settings_.sampling.step_size, 1, 0};
  given_trajectory_ = settings_.sampling.trajectory.has_value();
  if (!given_trajectory_) settings_.sampling.trajectory = default_trajectory;
  require_initial_points(model_.layout(), settings_);
  require_paths(model_, settings_);
  require_annealing(model_, settings_);
}

/// Takes the adaptation that tunes the sampler: the engine has found it, in the list of all or in one that the
/// sampler brings.
void Run::take_adaptation() {
  if (!sampler_.tuned) return;
  const Adapter* const adapter = engine_->adapter();
  if (!adapter)
    throw BadInput("Settings::warmup.adaptation: sampler " + settings_.sampler + " is not tuned by " +
                   settings_.warmup.adaptation + "; take one that it brings");
  const AdaptationInfo adaptation = adapter->info();
  if (adaptation.observes && !sampler_.shows_proposal)
    throw BadInput("Settings::warmup.adaptation: " + settings_.warmup.adaptation +
                   " looks at proposals, which sampler " + settings_.sampler + " does not show");
  if (!settings_.warmup.target_acceptance) settings_.warmup.target_acceptance = tuned_->default_target();
}

/// Throws BadInput where the draws cannot be kept on a device: Settings::output.keep_on_device.
void Run::require_device() {
  const auto refuse = [](const std::string& why) { throw BadInput("Settings::output.keep_on_device: " + why); };
  if (!settings_.output.keep_draws) refuse("the run keeps no draws: set Settings::output.keep_draws");
  if (settings_.backend == Backend::cpu)
    refuse("a run on the CPU has no draws on a device: leave it out, or take backend cuda (Settings::backend)");
  if (store_ || ranks_)
    refuse("the draws of a run that is stored, or of several ranks, are on no device: leave it out");
  if (devices_of(settings_).size() > 1) refuse("the draws of several devices are in the memory of none: name one");
  if (settings_.backend == Backend::automatic && !take_cuda()) refuse("there is no GPU for it: " + result_.no_gpu);
}

/// The engine, its chains at their starting points. Backend::automatic takes the CPU where a device is turned down;
/// once chains have started nothing is turned down any more.
void Run::start() {
  if (settings_.output.keep_on_device) {
    require_device();
    return start_on(on_cuda());
  }
  if (settings_.backend == Backend::cpu || (settings_.backend == Backend::automatic && !take_cuda()))
    return start_on(on_cpu());
  if (settings_.backend == Backend::cuda) return start_on(on_cuda());
  try {
    return start_on(on_cuda());
  } catch (const OutOfMemory& error) {
    turn_down(error.what());
  } catch (const DeviceError& error) {
    if (error.problem == DeviceProblem::lost || error.problem == DeviceProblem::other) throw;
    turn_down(error.what());
  }
  engine_.reset();
  fill_in_for_cpu();
  start_on(on_cpu());
}

/// The number of chains, and what follows from it, was chosen for the device that was turned down.
void Run::fill_in_for_cpu() {
  const Precision precision = settings_.precision;
  const std::atomic<bool>* const cancel = settings_.cancel;
  settings_ = asked_;
  settings_.precision = precision;
  settings_.cancel = cancel;
  settings_.backend = Backend::cpu;
  settings_.device.reset();
  settings_.devices.clear();
  fill_in();
  settings_.backend = asked_.backend;
  settings_.device = asked_.device;
  settings_.devices = asked_.devices;
}

/// True if Backend::automatic tries a CUDA device.
bool Run::take_cuda() {
  if (!model_.bound().runs_on_cuda) {
    if (settings_.device)
      throw BadInput("Settings::device: model " + model_.name() + " runs on the CPU alone; leave it out");
    if (!settings_.devices.empty())
      throw BadInput("Settings::devices: model " + model_.name() + " runs on the CPU alone; leave them out");
    result_.no_gpu = "model " + model_.name() + " runs on the CPU alone";
    return false;
  }
  const CudaState cuda = cuda_state(first_device(settings_));
  if (!cuda.usable) turn_down(cuda.why, cuda.present);
  return cuda.usable;
}
void Run::turn_down(const std::string& why, bool present) {
  result_.no_gpu = why;
  result_.gpu_present = present;
}

void Run::start_on(std::unique_ptr<Engine> engine) {
  take(std::move(engine));
  initialise();
}

void Run::take(std::unique_ptr<Engine> engine) {
  engine_ = std::move(engine);
  if (ranks_) agree_on_place();
  if (store_) {
    auto recorded = std::make_unique<RecordedEngine>(std::move(engine_));
    recorded_ = recorded.get();
    engine_ = std::move(recorded);
  }
  const bool without_leaves = !model_.layout().dependent_scales.empty() && !engine_->has_leaves();
  if (settings_.sampling.metric == MetricKind::hierarchical && without_leaves)
    throw BadInput("Settings::sampling.metric: model " + model_.name() + " has no kernels for a hierarchical metric" +
                   (engine_->adapter() && engine_->adapter()->info().observes
                        ? " with adaptation " + settings_.warmup.adaptation
                        : ": say HIERARCHY in its manychain_add_model()") +
                   "; or take backend cpu, or metric auto");
  result_.posterior.without_leaves =
      without_leaves && sampler_.directions && settings_.sampling.metric == MetricKind::automatic;
  tuned_.emplace(WarmedRun{model_, model_.layout(), settings_, sampler_, *engine_}, given_trajectory_);
  take_adaptation();
  if (sampler_.ladder) ladder_ = std::make_shared<LadderTuner>(*tuned_);
}

void Run::initialise() {
  initialise_chains();
  require_finite();
  if (wants_paths(model_, settings_, sampler_))
    alike([&] { starts_ = start_from_paths(model_, settings_, *engine_, *tuned_); });
  result_.warmup.starts = starts_.report;
  if (ladder_)
    alike([&] { result_.warmup.annealing = start_tempering(model_, settings_, *engine_, *ladder_); });
  else if (wants_annealing(settings_))
    alike([&] { result_.warmup.annealing = start_from_annealing(model_, settings_, *engine_, *tuned_); });
  show();
}
namespace {
/// Tries by which all chains find a starting point, but for some run in a thousand, by the share that did not by
/// `tries`. 0: it would take more than 10 000, for which nobody should wait to read of a mistake in the model.
int more_tries(int tries, std::size_t chains, std::size_t without) {
  if (without == chains) return 0;
  const double share = static_cast<double>(without) / static_cast<double>(chains);
  const double found_by_one = -std::log(share) / tries;
  const double wanted = std::log(1000 * static_cast<double>(chains)) / found_by_one;
  return wanted <= 10'000 ? static_cast<int>(wanted) + 1 : 0;
}
}  // namespace

void Run::initialise_chains() {
  constexpr int tries = 100;
  const std::vector<double>& given = settings_.warmup.initial_points;
  engine_->initialise(given, tries);
  const std::vector<double> bad = engine_->statistics().nonfinite;
  const auto without = static_cast<std::size_t>(std::count(bad.begin(), bad.end(), 1.0));
  const int more = given.empty() && without > 0 ? more_tries(tries, bad.size(), without) : 0;
  if (more == 0) return;
  model_.bound().take_rejections();  // the same tries are made again
  engine_->initialise(given, more);
}
void Run::require_finite() const {
  const std::vector<double> bad = engine_->statistics().nonfinite;
  const auto first = std::find(bad.begin(), bad.end(), 1.0);
  if (first == bad.end()) return;
  const std::size_t chain = static_cast<std::size_t>(first - bad.begin());
  const std::vector<double> q = engine_->position(chain);
  throw SamplingFailed("Initialization failed: " + why_no_start(model_, q, chain) + "; " +
                       std::to_string(std::count(bad.begin(), bad.end(), 1.0)) + " of " + std::to_string(bad.size()) +
                       " chains found no starting point; " + where_to_look(model_, q));
}

void Run::look_at_precision_here() {
  alike([&] {
    result_.precision.error = precision_error(model_, settings_, sampler_, *engine_);
    if (*settings_.warmup.transitions > 0)
      result_.precision.beyond = beyond_precision(
          model_, sampler_, settings_, engine_->points(std::min<std::size_t>(settings_.chains, 256)).positions);
  });
}

void Run::begin_sampling() {
  engine_->reset_counters();
  if (ladder_) ladder_->reset_sums();
  sampling_begin_ = transition_;
  if (settings_.output.save_warmup) end_saved_warmup();
  result_.warmup.rejected = rejected_in_warmup_;
  add_rejections(result_.warmup.rejected, rejected_since());
  result_.warmup.transitions = transition_;
  begin_necks();
  look_for_modes();
  if (store_ && !result_.cancelled) store_draws();
}
void Run::begin_necks() {
  const std::size_t all = part_ ? whole_.chains : settings_.chains;
  necks_.emplace(model_.layout(), sampler_, settings_.chains, all, *engine_);
}

/// No chain was where it looks: what the model refuses there is not counted, and ends no run.
void Run::look_for_modes() {
  const AnnealedStarts& annealing = result_.warmup.annealing;
  if (result_.cancelled || !looks_for_modes(model_, settings_, sampler_)) return;
  const bool whole = in_time([&] {
    try {
      result_.posterior.modes = look_for_missed_modes(
          model_, settings_,
          {*engine_, (*tuned_)[0], found_.left, result_.gradients, given_trajectory_,
           ladder_ ? highest_log_z(annealing.log_z, annealing.error) : std::numeric_limits<double>::quiet_NaN(),
           sampler_.trajectory});
    } catch (const SamplingFailed&) {
      result_.posterior.modes = {};
    }
  });
  if (!whole) result_.cancelled = true;  // nothing is stored
  model_.bound().take_rejections();
  if (const std::optional<UnreachedTail>& tail = result_.posterior.modes.tail) shorten_steps(tail->shorter);
}

void Run::shorten_steps(double factor) {
  if (factor == 1) return;
  for (std::size_t g = 0; g < tuned_->size(); ++g) {
    FrozenTuning shorter = (*tuned_)[g];
    shorter.tuning.step_size *= factor;
    tuned_->restore(g, shorter);
  }
}

/// True of chains that temper once replicas have come from the reference as often as the verdict asks for.
bool Run::replicas_travel() const {
  return !ladder_ || ladder_->found().restarts >= diagnostics::wanted_restarts(settings_.chains);
}

/// Groups are compared by their draws on the host, and the errors of sds are known from them, and whether tails deny
/// an sd. They are looked at once all else is reached: of one group if the errors by autocorrelations come close to
/// what the verdict passes over. The error of an sd falls with the root of the number of draws, and where tails are
/// heavy more slowly: a run that would take far more draws than it may have ends before, with the same warning.
Run::Target Run::compare_with_target(std::size_t draws) {
  const auto by = [&](const std::vector<VariableSummary>& summary) {
    return summary.size() == model_.layout().outputs &&
           reached(summary, model_.layout(), settings_, draws * settings_.chains);
  };
  const auto imprecision = [&](const std::vector<VariableSummary>& summary, double share) {
    return imprecision_of_sds(summary, model_.layout(), settings_, draws * settings_.chains, share);
  };
  constexpr double close = 0.6;
  if (!by(summary_)) return Target::missed;
  if (settings_.groups < 2 && imprecision(summary_, close) == 0) return Target::reached;
  const std::vector<VariableSummary> whole = whole_summary_so_far(summary_, draws, settings_.cancel);
  if (!by(whole)) return Target::missed;
  const double error = imprecision(whole, 1);
  if (error == 0) return Target::reached;
  const double wanted = static_cast<double>(draws) * error * error;
  const bool never = draws >= first_projection && wanted > far_more * static_cast<double>(*settings_.sampling.draws);
  return never ? Target::out_of_reach : Target::missed;
}

/// The summary at a look, or nothing where one variable shows that it misses the target: then nobody needs to know of
/// the others.
std::vector<VariableSummary> Run::look_at_target(std::size_t draws) {
  const Layout& layout = model_.layout();
  const auto misses = [&](std::size_t i, const VariableSummary& s) {
    const bool still = (!layout.constant.empty() && layout.constant[i]) ||
                       (i >= layout.parameter_outputs() && diagnostics::hardly_moves(s, draws * settings_.chains));
    return !still && !reached(s, settings_, draws * settings_.chains);
  };
  const bool shows_rhat = settings_.progress && !watch_;  // the progress of a run that is watched has none
  if (!shows_rhat && settings_.groups == 1 && holds_all()) {
    if (auto looked = engine_->summarise_unless(misses, draws, settings_.cancel)) return std::move(*looked);
  }
  return summarise(draws, settings_.cancel);
}

/// Looks at the draws are at numbers that the settings give, so that a run that goes on has those of one that was not
/// interrupted.
void Run::sample() {
  phase_ = "sampling";
  std::optional<BlocksAgain> blocks;
  if (store_) blocks.emplace();
  Block block;
  block.keep = true;
  block.sampling_begin = *sampling_begin_;
  block.thin = settings_.sampling.thin;
  const bool expensive = has_expensive_gradient(model_);
  std::size_t done = drawn();
  std::size_t look = settings_.sampling.target_ess ? first_look : *settings_.sampling.draws;
  while (look < done) look = next_look(look, expensive);
  for (;; look = next_look(look, expensive)) {
    if (!draw_until(std::min(look, *settings_.sampling.draws), done, block)) return;
    if (settings_.sampling.target_ess) {
      const Clock::time_point before = Clock::now();
      summary_ = look_at_target(done);
      const Target target = replicas_travel() ? compare_with_target(done) : Target::missed;
      result_.sampling.reached_target = target == Target::reached;
      result_.sampling.stays_apart = target == Target::missed && done < *settings_.sampling.draws && stays_apart(done);
      result_.seconds.diagnostics += seconds_since(before);
      if (target != Target::missed && !necks_->go_on() && drifts(done, diagnostics::level_to_go_on).empty() &&
          draws_show_tail(result_.posterior.modes.tail, settings_, done))
        return;
      if (result_.sampling.stays_apart) return;
      if (target == Target::missed && done < *settings_.sampling.draws && is_in_vain()) return;
    }
    if (done >= *settings_.sampling.draws) return;
  }
}

/// False when the run was cancelled.
bool Run::draw_until(std::size_t until, std::size_t& done, Block block) {
  while (done < until) {
    const std::size_t look = necks_->next(until), end = store_ ? std::min(stretch_end(done, look), done + room_) : look;
    if (store_) make_room(done, end);
    block.first_draw = window_begin_;
    if (!run_transitions(*sampling_begin_ + end * settings_.sampling.thin - transition_, block, 0)) return false;
    done = end;
    if (done == look) necks_->look(done);
    if (store_ && (done % block_draws() == 0 || store_is_due())) store_draws();
  }
  return true;
}

/// True if the settings have the draws looked at once there are so many.
bool Run::asks_for_look(std::size_t draw) const {
  const bool expensive = has_expensive_gradient(model_);
  for (std::size_t look = first_look; settings_.sampling.target_ess && look <= draw; look = next_look(look, expensive))
    if (look == draw) return true;
  return draw == *settings_.sampling.draws;
}

Result sample(const Model& model, const Settings& settings) { return Run(model, settings).from_start(); }
Result sample(const Model& model, const Settings& settings, const Drawn& drawn) {
  return Run(model, settings, drawn).from_start();
}
Result sample_in_ranks(const Model& model, const Settings& settings, Ranks& ranks, DrawsAt draws, const Drawn& drawn) {
  Run run(model, settings, drawn);
  run.share_with(ranks, draws);
  return run.from_start();
}
Result sample_watched(const Model& model, const Settings& settings, const Watch& watch) {
  return Run(model, settings, {}, watch).from_start();
}

}  // namespace manychain
