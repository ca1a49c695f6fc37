// A run from start to result: phases, blocks, and what is read between them.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "check/point_in_words.hpp"
#include "check/posterior_precision.hpp"
#include "check/precision_check.hpp"
#include "diagnostics/from_draws.hpp"
#include "manychain/chain/adapter.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/random/purpose.hpp"
#include "manychain/run/engine.hpp"
#include "manychain/samplers/trajectory.hpp"
#include "run/defaults.hpp"
#include "run/initial_points.hpp"
#include "run/log_likelihood.hpp"
#include "sampling/causes.hpp"
#include "sampling/drawn.hpp"
#include "sampling/energy.hpp"
#include "sampling/judge.hpp"
#include "sampling/necks_of_run.hpp"
#include "sampling/watch.hpp"
#include "starts/starts.hpp"
#include "warmup/stray_chains.hpp"
#include "warmup/tuner.hpp"

namespace manychain {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// 0.9 of a normal's half period: jittered, the lengths lie around the quarter period, after which a draw is independent
// of the one before. Shorter ones explore a posterior with correlations more slowly.
constexpr double default_trajectory = 2.8;
constexpr std::size_t first_look = 20;  // draws of each chain; nested R-hat needs few

/// One run. Blocks follow the clock; nothing that they cut changes a draw.
class Run {
 public:
  Run(const Model& model, const Settings& settings, const Drawn& drawn, const Watch& watch = {})
      : model_(model), asked_(settings), settings_(settings), drawn_(drawn), watch_(watch), start_(Clock::now()) {}

  Result operator()() {
    settings_.validate();
    fill_in();
    choose_precision(model_, sampler_, settings_, result_);
    model_.bound().take_rejections();  // those of whoever looked at it before
    start();
    warm_up();
    if (!result_.cancelled) look_at_precision_here();
    result_.seconds.warmup = seconds_since(start_);
    sample();
    finish();
    return std::move(result_);
  }

 private:
  void fill_in() {
    sampler_ = fill_in_defaults(model_, settings_);
    if (sampler_.schedule && !settings_.schedule) settings_.schedule = StepSchedule{*settings_.step_size, 1, 0};
    given_trajectory_ = settings_.trajectory.has_value();
    if (!given_trajectory_) settings_.trajectory = default_trajectory;
    require_initial_points(model_.layout(), settings_);
    require_paths(model_, settings_);
  }

  /// Takes the adaptation that tunes the sampler: the engine has found it, in the list of all or in one that the
  /// sampler brings.
  void take_adaptation() {
    if (!sampler_.tuned) return;
    const Adapter* const adapter = engine_->adapter();
    if (!adapter)
      throw BadInput("Settings::adaptation: sampler " + settings_.sampler + " is not tuned by " + settings_.adaptation +
                     "; take one that it brings");
    const AdaptationInfo adaptation = adapter->info();
    if (adaptation.observes && !sampler_.shows_proposal)
      throw BadInput("Settings::adaptation: " + settings_.adaptation + " looks at proposals, which sampler " +
                     settings_.sampler + " does not show");
    if (settings_.target_acceptance) return;
    const bool in_1d = model_.layout().dimension == 1 && sampler_.target_acceptance_1d > 0;
    settings_.target_acceptance = adaptation.target_acceptance > 0 ? adaptation.target_acceptance
                                  : in_1d                          ? sampler_.target_acceptance_1d
                                                                   : sampler_.target_acceptance;
  }

  /// The engine, its chains at their starting points. Backend::automatic takes the CPU where a device is turned down;
  /// once chains have started nothing is turned down any more.
  void start() {
    if (settings_.backend == Backend::cpu || (settings_.backend == Backend::automatic && !take_cuda()))
      return start_on(make_cpu_engine(model_, settings_));
    if (settings_.backend == Backend::cuda) return start_on(make_cuda_engine(model_, settings_));
    try {
      return start_on(make_cuda_engine(model_, settings_));
    } catch (const OutOfMemory& error) {
      turn_down(error.what());
    } catch (const DeviceError& error) {
      if (error.problem == DeviceProblem::lost || error.problem == DeviceProblem::other) throw;
      turn_down(error.what());
    }
    engine_.reset();
    fill_in_for_cpu();
    start_on(make_cpu_engine(model_, settings_));
  }

  /// The number of chains, and what follows from it, was chosen for the device that was turned down.
  void fill_in_for_cpu() {
    const Precision precision = settings_.precision;
    settings_ = asked_;
    settings_.precision = precision;
    settings_.backend = Backend::cpu;
    settings_.device.reset();
    fill_in();
    settings_.backend = asked_.backend;
    settings_.device = asked_.device;
  }

  /// True if Backend::automatic tries a CUDA device.
  bool take_cuda() {
    if (!model_.bound().runs_on_cuda) {
      if (settings_.device)
        throw BadInput("Settings::device: model " + model_.name() + " runs on the CPU alone; leave it out");
      result_.no_gpu = "model " + model_.name() + " runs on the CPU alone";
      return false;
    }
    const CudaState cuda = cuda_state(settings_.device);
    if (!cuda.usable) turn_down(cuda.why, cuda.present);
    return cuda.usable;
  }
  void turn_down(const std::string& why, bool present = true) {
    result_.no_gpu = why;
    result_.gpu_present = present;
  }

  void start_on(std::unique_ptr<Engine> engine) {
    engine_ = std::move(engine);
    const bool without_leaves = !model_.layout().dependent_scales.empty() && !engine_->has_leaves();
    if (settings_.metric == MetricKind::hierarchical && without_leaves)
      throw BadInput("Settings::metric: model " + model_.name() + " has no kernels for a hierarchical metric" +
                     (engine_->adapter() && engine_->adapter()->info().observes
                          ? " with adaptation " + settings_.adaptation
                          : ": say HIERARCHY in its manychain_add_model()") +
                     "; or take backend cpu, or metric auto");
    result_.without_leaves = without_leaves && sampler_.directions && settings_.metric == MetricKind::automatic;
    take_adaptation();
    tuner_.emplace(model_, settings_, sampler_, given_trajectory_, *engine_);
    initialise();
  }

  void initialise() {
    engine_->initialise(settings_.initial_points, 100);
    require_finite();
    if (wants_paths(model_, settings_, sampler_)) starts_ = start_from_paths(model_, settings_, *engine_, *tuner_);
    result_.starts = starts_.report;
    show();
  }
  void show() const {
    if (watch_) watch_(*engine_, {sampling_begin_.has_value(), transition_, result_.gradients, starts_.longest_path});
  }

  void require_finite() const {
    const std::vector<double> bad = engine_->statistics().nonfinite;
    const auto first = std::find(bad.begin(), bad.end(), 1.0);
    if (first == bad.end()) return;
    const std::size_t chain = static_cast<std::size_t>(first - bad.begin());
    const std::vector<double> q = engine_->position(chain);
    throw SamplingFailed("Initialization failed: " + why_no_start(model_, q, chain) + "; " +
                         std::to_string(std::count(bad.begin(), bad.end(), 1.0)) + " of " + std::to_string(bad.size()) +
                         " chains found no starting point; " + where_to_look(model_, q));
  }

  void warm_up() {
    tuner_->start();
    phase_ = "warmup";
    engine_->reset_counters();
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

  bool free_stuck_chains() {
    return tuner_->free_stuck_chains([&](std::size_t n) { return run_transitions(n, Block{}, 0); });
  }

  /// Lengths of the parts of warm-up: if gradients are expensive and warm-up may end early, a short one is tried first.
  std::vector<std::size_t> warmup_parts() const {
    constexpr std::size_t shortest = 40;  // that has windows
    const std::size_t all = *settings_.warmup, first = all / 3;
    if (settings_.warmup_end != WarmupEnd::settled || first < shortest || !has_expensive_gradient(model_)) return {all};
    return {first, all - first};
  }

  /// The phases of a warm-up of that length. Those that refine the step size are for the last one, or for one that has
  /// settled. False when the run was cancelled.
  bool warmup_part(std::size_t length, bool last, StrayChains& strays, bool& settled) {
    const AdaptationPlan plan{length, settings_.max_leapfrogs, *settings_.target_acceptance, sampler_.trajectory};
    const std::vector<WarmupPhase> phases = engine_->adapter()->phases(plan);
    for (WarmupPhase phase : phases) {
      if (settled && phase.update_metric) continue;
      if (phase.refine && !last && !settled) continue;
      if (tuner_->chooses_metric(phase)) {
        const std::size_t trial = tuner_->metric_trial(phase);
        if (!tuner_->choose_metric(trial, plan, [&](std::size_t n, bool adapts) {
              adapting_ = adapts;
              const bool whole = run_transitions(n, Block{}, adapts ? settings_.adaptation_interval : 0);
              adapting_ = false;
              return whole;
            }))
          return false;
        if (!settled) phase.transitions -= trial;
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
      if (!phase.update_metric) continue;
      const bool together = strays.restart_strays() && !tuner_->some_are_stuck();
      result_.restarted = strays.restarted();
      settled = together && settings_.warmup_end == WarmupEnd::settled && tuner_->settled();
    }
    return true;
  }

  void look_at_precision_here() {
    result_.precision_error = precision_error(model_, settings_, sampler_, *engine_);
    if (*settings_.warmup > 0)
      result_.beyond_precision = beyond_precision(
          model_, sampler_, settings_, engine_->points(std::min<std::size_t>(settings_.chains, 256)).positions);
  }

  /// In parts that end where the tuner looks at the chains: whole adaptation intervals. False when the run was
  /// cancelled.
  bool run_phase(const WarmupPhase& phase, const Block& block) {
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

  void sample() {
    phase_ = "sampling";
    engine_->reset_counters();
    Block block;
    block.keep = true;
    block.sampling_begin = transition_;
    block.thin = settings_.thin;
    sampling_begin_ = transition_;
    result_.rejected_before = model_.bound().take_rejections();
    result_.warmup = transition_;
    necks_.emplace(model_.layout(), sampler_, settings_.chains, *engine_);
    const bool expensive = has_expensive_gradient(model_);
    std::size_t done = 0;
    for (std::size_t look = settings_.target_ess ? first_look : *settings_.draws; done < *settings_.draws;
         look = next_look(look, expensive)) {
      const std::size_t until = std::min(look, *settings_.draws);
      while (done < until) {
        const std::size_t next = necks_->next(done, until);
        if (!run_transitions((next - done) * settings_.thin, block, 0)) return;
        done = next;
        necks_->look();
      }
      if (!settings_.target_ess) continue;
      const Clock::time_point before = Clock::now();
      summary_ = engine_->summarise(done, settings_.cancel);
      result_.seconds.diagnostics += seconds_since(before);
      result_.reached_target = summary_.size() == model_.layout().outputs &&
                               reached(summary_, model_.layout(), settings_, done * settings_.chains);
      if (result_.reached_target && !necks_->go_on()) return;
    }
  }

  /// False when the run was cancelled.
  bool run_transitions(std::size_t count, Block block, std::size_t adaptation_interval) {
    for (std::size_t done = 0; done < count;) {
      if (settings_.cancel && settings_.cancel->load()) {
        result_.cancelled = true;
        return false;
      }
      const Clock::time_point before = Clock::now();
      block.first_transition = transition_;
      // Whole adaptation intervals, so that where blocks end changes no update.
      const std::size_t interval = std::max<std::size_t>(adaptation_interval, 1);
      const std::size_t wanted = std::max<std::size_t>(std::min(block_length_, countable()) / interval, 1) * interval;
      block.count = static_cast<std::uint32_t>(std::min(count - done, wanted));
      const std::uint64_t evaluations = engine_->advance(block, adaptation_interval);
      result_.gradients += evaluations;
      done += block.count;
      transition_ += block.count;
      const double elapsed = std::max(seconds_since(before), 1e-6);
      const double ideal = block.count / (elapsed * static_cast<double>(settings_.blocks_per_second));
      block_length_ = static_cast<std::size_t>(std::clamp(ideal, 1.0, std::min(4.0 * block.count, 1e6)));
      report(block.count / elapsed);
      show();
      if (sampler_.needs_capability(&Capabilities::envelope)) require_envelope();
    }
    return true;
  }

  /// Transitions whose evaluations a counter in single precision holds exactly.
  std::size_t countable() const {
    const std::size_t most = std::max({settings_.max_leapfrogs, model_.layout().dimension, std::size_t{10000}});
    return (std::size_t{1} << 24) / (most + 2);  // a start, and the second stage of a last step
  }

  /// Rejection sampling: no point lies above the envelope, and every chain found one below.
  void require_envelope() const {
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

  void report(double transitions_per_second) {
    if (!settings_.progress) return;
    const ChainStatistics statistics = engine_->statistics();
    Progress p;
    p.phase = phase_;
    p.transitions = transition_;
    p.total = *settings_.warmup + *settings_.draws * settings_.thin;
    p.chains = settings_.chains;
    p.stuck_chains =
        static_cast<std::size_t>(std::count_if(statistics.since_move.begin(), statistics.since_move.end(),
                                               [](double transitions) { return transitions >= stuck_after; }));
    p.divergences = static_cast<std::size_t>(total(statistics.divergences));
    p.acceptance_rate = acceptance_rate(statistics, counted());
    p.step_size = (adapting_ ? engine_->tuning(0) : tuner_->tuning(0)).step_size;
    p.seconds = seconds_since(start_);
    p.transitions_per_second = transitions_per_second * static_cast<double>(settings_.chains);
    settings_.progress(p);
  }

  /// Transitions since the counters were reset.
  std::uint64_t counted() const { return transition_ - sampling_begin_.value_or(0); }
  static double total(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }
  static double acceptance_rate(const ChainStatistics& s, std::uint64_t transitions) {
    return transitions ? total(s.acceptance_sum) / (static_cast<double>(s.acceptance_sum.size()) * transitions) : 0;
  }

  void finish() {
    result_.seconds.sampling = seconds_since(start_) - result_.seconds.warmup - result_.seconds.diagnostics;
    const std::size_t kept = sampling_begin_ ? (transition_ - *sampling_begin_) / settings_.thin : 0;
    if (kept == 0) throw SamplingFailed("cancelled before the first draw");
    // A cancellation asked for until here has ended the sampling. It does not end the diagnostics, too, unless the
    // callback sets the flag back: then it may be asked for again.
    const bool asked = settings_.cancel && settings_.cancel->load();
    result_.cancelled = result_.cancelled || asked;
    phase_ = "diagnostics";
    report(0);
    const std::atomic<bool>* const cancel = asked && settings_.cancel->load() ? nullptr : settings_.cancel;

    result_.model = model_.name();
    result_.settings = settings_;
    result_.sampler = sampler_;
    if (!given_trajectory_) result_.settings.trajectory.reset();  // given, it would not be chosen again
    result_.backend = engine_->backend();
    result_.device = engine_->device();
    result_.layout = model_.layout();
    if (!model_.bound().batched) result_.one_thread = model_.bound().one_thread;
    result_.rejected = model_.bound().take_rejections();
    const ChainStatistics statistics = engine_->statistics();
    report_on(statistics, kept);
    result_.draws = engine_->take_draws(kept);
    if (settings_.keep_sample_stats) result_.sample_stats = engine_->take_sample_stats(kept);
    result_.data = model_.data();
    const Clock::time_point before = Clock::now();
    if (!add_log_likelihood(model_, result_, cancel)) result_.cancelled = true;
    if (drawn_) drawn_(result_);
    std::vector<VariableSummary> summary = std::move(summary_);
    if (summary.size() < model_.layout().outputs || result_.cancelled) summary = engine_->summarise(kept, cancel);
    add_draws_to(summary, cancel);
    const std::vector<std::string> names = result_.layout.output_names();
    result_.not_summarised = names.size() - summary.size();
    result_.cancelled = result_.cancelled || result_.not_summarised > 0;
    summary.resize(names.size());  // NaN
    for (std::size_t i = 0; i < names.size(); ++i) result_.summary.push_back({names[i], summary[i]});
    result_.kept = kept;
    if (sampler_.energy)
      result_.ebfmi = settings_.keep_draws ? stored_ebfmi(result_.sample_stats) : engine_->streamed_ebfmi(kept);
    if (necks_) result_.missed_necks = necks_->missed();
    judge(result_, statistics);
    if (!result_.converged) result_.places = places_in_words(result_);
    if (!result_.converged || result_.divergences > 0) result_.edges = find_edges(model_, *engine_, result_);
    result_.seconds.diagnostics += seconds_since(before);
    result_.seconds.total = seconds_since(start_);
  }

  /// Adds what only the draws on the host say of the quantities, whichever backend has summarised them. Once `cancel`
  /// is true the summary ends before the first that lacks it.
  void add_draws_to(std::vector<VariableSummary>& summary, const std::atomic<bool>* cancel) {
    std::vector<VariableSummary*> rows;
    for (VariableSummary& row : summary) rows.push_back(&row);
    const auto add = [&](const auto& values) {
      const Draws& of = result_.draws;
      if (values.empty()) return;
      summary.resize(diagnostics::add_from_draws(
          DrawsView<typename std::decay_t<decltype(values)>::value_type>{
              values.data(), of.draws, of.variables, of.chains, of.variables * of.chains, of.chains, 1},
          rows, settings_.superchains.value_or(0), settings_.threads, cancel, settings_.groups));
    };
    add(result_.draws.float32);
    add(result_.draws.float64);
  }

  /// Reports on the run: its tuning, and the counters of the sampling phase.
  void report_on(const ChainStatistics& statistics, std::size_t kept) {
    for (std::size_t g = 0; g < settings_.groups; ++g) {
      const GroupTuning tuning = tuner_->tuning(g);
      const Metric& metric = tuner_->metric(g);
      result_.tuning.push_back({tuning.step_size, tuning.trajectory, metric.variances(), metric.rank(),
                                metric.leaves.count(), tuning.integrator, tuner_->learnt_trajectory(g)});
    }
    result_.step_size = result_.tuning[0].step_size;
    result_.trajectory = result_.tuning[0].trajectory;
    result_.inverse_metric = result_.tuning[0].inverse_metric;
    result_.acceptance_rate = acceptance_rate(statistics, counted());
    result_.divergences = static_cast<std::uint64_t>(total(statistics.divergences));
    for (std::size_t k = 0; k < kept && sampler_.trajectory && settings_.groups == 1; ++k)
      result_.leapfrogs.push_back(
          stages_of(result_.tuning[0].integrator) *
          leapfrogs(static_cast<float>(result_.trajectory), static_cast<float>(result_.step_size),
                    *sampling_begin_ + (k + 1) * settings_.thin - 1, tuner_->tuning(0).leapfrog_limit,
                    shortest_jitter(tuner_->tuning(0).leaves)));
  }

  const Model& model_;
  const Settings& asked_;
  Settings settings_;  ///< with all that was left to the run
  const Drawn& drawn_;
  const Watch& watch_;  // may be empty
  SamplerInfo sampler_;
  Clock::time_point start_;
  std::unique_ptr<Engine> engine_;
  Result result_;
  std::optional<Tuner> tuner_;
  std::optional<NecksOfRun> necks_;  ///< once sampling has begun
  StartsTaken starts_;
  bool given_trajectory_ = false;
  const char* phase_ = "";
  bool adapting_ = false;
  std::uint64_t transition_ = 0;
  std::optional<std::uint64_t> sampling_begin_;
  std::vector<VariableSummary> summary_;  ///< of the last look at the draws, if there was one
  std::size_t block_length_ = 1;
};

}  // namespace

Result sample(const Model& model, const Settings& settings) { return sample(model, settings, {}); }
Result sample(const Model& model, const Settings& settings, const Drawn& drawn) {
  return Run(model, settings, drawn)();
}
Result sample_watched(const Model& model, const Settings& settings, const Watch& watch) {
  return Run(model, settings, {}, watch)();
}

}  // namespace manychain
