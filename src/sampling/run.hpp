// One run: what sample() and resume() direct. Blocks follow the clock; nothing that they cut changes a draw.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manychain/chain/adapter.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/run/engine.hpp"
#include "run/draws_in_ranks.hpp"
#include "run/draws_source.hpp"
#include "run/share.hpp"
#include "sampling/drawn.hpp"
#include "sampling/necks_of_run.hpp"
#include "sampling/recorded_engine.hpp"
#include "sampling/run_state.hpp"
#include "sampling/stored.hpp"
#include "sampling/time_limit.hpp"
#include "sampling/watch.hpp"
#include "starts/starts.hpp"
#include "warmup/estimator.hpp"
#include "warmup/ladder_tuner.hpp"
#include "warmup/tuned_groups.hpp"

namespace manychain {

class Run {
 public:
  Run(const Model& model, const Settings& settings, const Drawn& drawn = {}, const Watch& watch = {})
      : model_(model), asked_(settings), settings_(settings), drawn_(drawn), watch_(watch) {}

  /// Holds a range of the chains; the other ranks do the same run.
  void share_with(Ranks& ranks, DrawsAt draws) {
    ranks_ = &ranks;
    draws_at_ = draws;
  }
  /// Stores the run while it goes on.
  void store_in(RunStore& store, const Storing& storing);
  Result from_start();
  /// Settings are those of the state, of the whole run, but for what may change. Takes the draws out of `stored`.
  /// `new_store`: the store has none of these draws yet.
  Result from_state(const StateOfRun& state, StoredRun& stored, bool new_store = false);

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  // run_in_ranks.cpp
  void agree_on_settings();
  void agree_on_place() const;
  void agree_on_block(bool cancelled, bool late);
  void add_of_all_ranks(Rejections& rejected) const;
  std::vector<VariableSummary> of_all_ranks(const std::vector<VariableSummary>& mine,
                                            const std::vector<Stretch>& dealt) const;
  /// Does what all ranks do alike: what the model refuses in it is counted at the first one.
  template <class Work>
  void alike(const Work& work) {
    if (!ranks_ || ranks_->rank() == 0) return work();
    add_rejections(rejected_alone_, model_.bound().take_rejections());
    work();
    model_.bound().take_rejections();
  }
  std::unique_ptr<Engine> on_cpu();
  std::unique_ptr<Engine> on_cuda();

  /// The flag of whoever ends the run: of a rank its own, which may differ from those of the others.
  const std::atomic<bool>* asked_to_end() const { return ranks_ ? asked_.cancel : settings_.cancel; }

  /// Does what looks at Settings::cancel until the run is cancelled or its time is over. False: it was cut short. Ranks
  /// do the same as long as none is cut short: one that is says so in place of its next call, and ends them all.
  template <class Work>
  bool in_time(const Work& work) {
    if (!settings_.time_limit && !ranks_) {
      work();
      return !(settings_.cancel && settings_.cancel->load());
    }
    const TimeLimit limit(
        asked_to_end(), began_ + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(std::min(settings_.time_limit.value_or(1e9), 1e9))));
    struct Back {
      const std::atomic<bool>*& place;
      const std::atomic<bool>* before;
      ~Back() { place = before; }
    } const back{settings_.cancel, std::exchange(settings_.cancel, &limit.over())};
    const auto leave = [&] {
      if (limit.over()) throw EndedEarly(none_drawn());
    };
    std::optional<Ranks::Asking> asking;
    if (ranks_) asking.emplace(*ranks_, leave);
    work();
    if (ranks_) leave();
    return !limit.over();
  }

  // sample.cpp: the order, and the engine
  Result from_warmup();
  void fill_in();
  void start();
  void fill_in_for_cpu();
  void require_device();
  bool take_cuda();
  void turn_down(const std::string& why, bool present = true);
  void start_on(std::unique_ptr<Engine> engine);
  void take(std::unique_ptr<Engine> engine);
  void take_adaptation();
  void initialise();
  void initialise_chains();
  void require_finite() const;
  void look_at_precision_here();
  void begin_sampling();
  void begin_necks();
  void look_for_modes();
  void shorten_steps(double factor);
  void sample();
  std::vector<VariableSummary> look_at_target(std::size_t draws);
  bool draw_until(std::size_t until, std::size_t& done, Block block);
  bool asks_for_look(std::size_t draw) const;
  bool replicas_travel() const;

  // run_warmup.cpp
  void warm_up();
  bool saves_warmup() const { return settings_.output.save_warmup && !sampling_begin_; }
  /// Draws of warm-up, kept or not, so far.
  std::size_t warmup_drawn() const {
    return static_cast<std::size_t>(sampling_begin_.value_or(transition_) / settings_.sampling.thin);
  }
  std::size_t record_warmup(Block& block);
  bool warmup_is_due() const;
  void keep_warmup();
  void store_warmup(const RunState& behind);
  void end_saved_warmup();
  void copy_warmup(const DrawsSource& from);

  // run_blocks.cpp
  bool is_over();
  bool run_transitions(std::size_t count, Block block, std::size_t adaptation_interval);
  std::size_t countable() const;
  void require_envelope() const;
  void report(double transitions_per_second);
  void show() const {
    if (!watch_) return;
    watch_(*engine_,
           {sampling_begin_.has_value(), transition_, result_.gradients, starts_.longest_path, &draws_so_far_});
  }
  /// Transitions since the counters were reset.
  std::uint64_t counted() const { return transition_ - sampling_begin_.value_or(0); }
  /// Draws of each chain so far.
  std::size_t drawn() const {
    return sampling_begin_ ? static_cast<std::size_t>(counted() / settings_.sampling.thin) : std::size_t{0};
  }
  static double total(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }
  double acceptance_rate(const ChainStatistics& statistics) const;

  // run_end.cpp
  void finish();
  void finish_store();
  void look_for_causes(const DrawsSource* elsewhere, const ChainStatistics& statistics);
  /// True if the gradient is wrong, or chains have run away, since the posterior has no finite integral: no more draws
  /// mend that.
  bool is_in_vain();
  void look_at_gradient();
  std::string none_drawn() const;
  [[noreturn]] void end_early();
  void finish_without_draws();
  void finish_part();
  void identify(Result& result) const;
  void take_rejections();
  /// Evaluations that the model has refused, at all ranks, since this was asked last.
  Rejections rejected_since();
  enum class Target {
    missed,
    out_of_reach,  ///< all is reached but for sds, which would take more draws than the run may have
    reached
  };
  Target compare_with_target(std::size_t draws);
  void report_on(const ChainStatistics& statistics, std::size_t kept);

  // run_draws.cpp: where the draws are
  Settings settings_of_engine();
  /// True if the engine has all draws so far. Else those from `window_begin_` on: the store has the rest.
  bool holds_all() const { return window_begin_ == 0; }
  void make_room(std::size_t done, std::size_t end);
  /// All draws so far, once they are stored.
  const DrawsSource& source();
  void take_draws(std::size_t kept);
  void take_draws_of_ranks(std::size_t kept);
  /// The draws that are not in the engine, or in it with those of some chains alone. Null: it has them all.
  const DrawsSource* elsewhere();
  /// Parameters whose first draws differ from later ones, with the difference, in words.
  std::vector<std::string> drifts(std::size_t draws, double level);
  /// True if chains stay in separate places, and more draws than the run may have would be needed to weigh them.
  bool stays_apart(std::size_t draws);
  std::vector<Stretch> parameters_of_ranks() const;
  /// The draws of those numbers, one by one, with the parameters of this rank.
  std::vector<Draws> some_draws(const std::vector<std::size_t>& which, const std::vector<Stretch>& dealt);
  Draws stat(std::size_t row, std::size_t kept);
  std::vector<double> ebfmi(std::size_t kept);
  bool add_log_likelihoods(const std::atomic<bool>* cancel);
  Result so_far();
  std::size_t taken_up_at_once() const;
  void take_up(StoredRun& stored, std::size_t draws, bool new_store);
  std::vector<VariableSummary> summarise(std::size_t draws, const std::atomic<bool>* cancel);
  void add_draws_to(std::vector<VariableSummary>& summary, const Draws& draws, int threads,
                    const std::atomic<bool>* cancel) const;
  std::vector<VariableSummary> whole_summary_so_far(std::vector<VariableSummary> known, std::size_t count,
                                                    const std::atomic<bool>* cancel);
  std::vector<VariableSummary> whole_summary(std::vector<VariableSummary> known, const Draws& draws,
                                             const DrawsSource* source, std::size_t count,
                                             const std::atomic<bool>* cancel);
  template <class Work>
  std::vector<VariableSummary> by_outputs(const DrawsSource& source, std::size_t draws, const Work& work);

  // stored.cpp
  void begin_store();
  std::size_t block_draws() const;
  /// The draw at which a stretch to `until` ends that goes on from draw `done`.
  std::size_t stretch_end(std::size_t done, std::size_t until) const;
  /// True once the time has passed after which new draws are stored.
  bool store_is_due() const;
  void store_draws();
  void append_draws(std::size_t draws, const RunState& now);
  StateOfRun state() const;
  std::unique_ptr<Engine> engine_of(const RunIdentity& stored);

  const Model& model_;
  const Settings& asked_;
  Settings settings_;  ///< with all that was left to the run
  const Drawn drawn_;  // may be empty
  const Watch watch_;  // likewise
  const DrawsSoFar draws_so_far_ = [this] { return so_far(); };
  SamplerInfo sampler_;
  const Clock::time_point began_ = Clock::now();
  Clock::time_point start_ = began_;  ///< of a run that goes on, earlier by the seconds that it has had
  std::unique_ptr<Engine> engine_;
  Result result_;
  std::optional<TunedGroups> tuned_;
  std::shared_ptr<LadderTuner> ladder_;  ///< of chains that temper
  std::optional<NecksOfRun> necks_;      ///< once sampling has begun
  StartsTaken starts_;
  WarmupFound found_;
  bool given_trajectory_ = false;
  const char* phase_ = "";
  bool adapting_ = false;
  std::uint64_t transition_ = 0;
  std::optional<std::uint64_t> sampling_begin_;
  std::optional<PartOfRun> part_;
  Settings whole_;                        ///< settings of all parts together, if there are parts
  std::vector<VariableSummary> summary_;  ///< of the last look at the draws, if there was one
  std::size_t block_length_ = 1;

  Ranks* ranks_ = nullptr;                      // may be null
  DrawsAt draws_at_ = DrawsAt::all_ranks;       ///< of a run in ranks
  Draws own_draws_, own_stats_;                 ///< of a rank, at the end, where its result has others
  std::unique_ptr<DrawsInRanks> in_ranks_;      ///< at the end of a run in ranks whose engines have all draws
  std::atomic<bool> cancelled_by_rank_{false};  ///< Settings::cancel of a run in ranks: the same for all of them
  Rejections rejected_alone_;                   ///< of a rank, beside what the model still holds
  bool late_ = false;                           ///< of a run in ranks: its time is over
  bool due_ = false;                            ///< of a run in ranks: its first one says that draws are to be stored

  RunStore* store_ = nullptr;           // may be null
  RecordedEngine* recorded_ = nullptr;  ///< `engine_`, of a run that is stored
  Result facts_before_warmup_;
  Rejections rejected_in_warmup_;  ///< and in the search for starting points, of a run that is stored
  Storing storing_;
  RunIdentity identity_;  ///< of a run that is stored
  std::size_t stored_draws_ = 0;
  std::size_t warmup_taken_ = 0;  ///< draws of warm-up that are stored, or in the result; the engine has those behind
  std::size_t room_ = 0;          ///< draws that the engine has room for: all, or as many as are held in memory
  std::size_t window_begin_ = 0;  ///< draws before it are in the store alone
  std::unique_ptr<DrawsSource> source_;
  std::shared_ptr<const DrawsSource> taken_up_;  ///< draws before `window_begin_` that are still to be stored
  Clock::time_point stored_at_;
};

}  // namespace manychain
