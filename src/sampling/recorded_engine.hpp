// An engine that remembers what warm-up has read of it, so that another process can go on in the middle of warm-up.
//
// Warm-up is code: what it does next depends on the local variables of many functions, on estimators and adaptations.
// All of these follow from what the engine has answered so far. So a state in the middle of warm-up is the list of
// these answers and the memory of the chains (Engine::image()). A process that goes on calls the same code, which gets
// the answers from the list, and no transition runs; at the end of the list the chains are put where they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manychain/run/engine.hpp"
#include "sampling/bytes.hpp"

namespace manychain {

/// A moment of warm-up, behind a block of transitions.
struct WarmupState {
  std::string answers;  ///< of the engine, since record()
  ChainImage image;
};

/// Hands every call on. set_metric(), set_tuning() and the like are carried out in a replay, too: records of the host
/// are then as they were.
class RecordedEngine final : public Engine {
 public:
  explicit RecordedEngine(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}

  /// Remembers answers from now on, until they are more than `most` bytes.
  void record(std::size_t most = std::size_t{1} << 28);
  /// Answers from `state` first. Throws BadInput, then or later, if it is damaged.
  void replay(WarmupState state);
  /// Answers are no longer remembered.
  void stop() { answers_.reset(); }
  bool replays() const { return replay_ != nullptr; }
  /// The engine behind, for those who only look on: nothing of that is remembered.
  const Engine& unrecorded() const { return *engine_; }
  /// False if answers are not remembered, or were too many, or are still replayed.
  bool state_is_known() const { return answers_ && !replay_; }
  /// The state to go on from, if it is known.
  WarmupState state() const { return {answers_->bytes, engine_->image()}; }
  /// Length of the next block: `wanted`, in a replay the one that it had.
  std::uint32_t next_block(std::uint32_t wanted) const;

  std::string backend() const override { return engine_->backend(); }
  std::string device() const override { return engine_->device(); }
  void initialise(const std::vector<double>& positions, int tries) override { engine_->initialise(positions, tries); }
  std::vector<double> position(std::size_t chain) const override;
  ChainPoints points(std::size_t chains) const override;
  std::vector<double> gradients(std::size_t chains) const override;
  int groups() const override { return engine_->groups(); }
  bool has_leaves() const override { return engine_->has_leaves(); }
  void set_tuning(int group, const GroupTuning& tuning) override { engine_->set_tuning(group, tuning); }
  GroupTuning tuning(int group) const override;
  void set_metric(int group, const Metric& metric) override { engine_->set_metric(group, metric); }
  Adapter* adapter() override { return engine_->adapter(); }
  void send_adaptation() override { engine_->send_adaptation(); }
  void collect_adaptation() override;
  std::uint64_t advance(const Block& block, std::size_t adaptation_interval) override;
  void reset_window() override { engine_->reset_window(); }
  std::vector<MomentSum> window_moments(int group, std::size_t transitions) const override;
  void reset_counters() override { engine_->reset_counters(); }
  Snapshot snapshot() const override;
  Snapshot snapshot_at_first() const override { return engine_->snapshot_at_first(); }
  void restore(const Snapshot& snapshot) override { engine_->restore(snapshot); }
  ChainImage image() const override { return engine_->image(); }
  void restore_image(const ChainImage& image) override { engine_->restore_image(image); }
  ChainStatistics statistics() const override;
  Draws draws(std::size_t first, std::size_t count) const override { return engine_->draws(first, count); }
  Draws sample_stats(std::size_t first, std::size_t count) const override {
    return engine_->sample_stats(first, count);
  }
  Draws draws_at(DrawsAt ranks, std::size_t first, std::size_t count) const override {
    return engine_->draws_at(ranks, first, count);
  }
  Draws stats_at(DrawsAt ranks, std::size_t first, std::size_t count) const override {
    return engine_->stats_at(ranks, first, count);
  }
  void restore_draws(std::size_t first, const Draws& draws, const Draws& sample_stats) override {
    engine_->restore_draws(first, draws, sample_stats);
  }
  Draws take_draws(std::size_t kept) override { return engine_->take_draws(kept); }
  Draws take_sample_stats(std::size_t kept) override { return engine_->take_sample_stats(kept); }
  DeviceDraws device_draws(std::size_t kept, const std::vector<Quantity>& quantities) const override {
    return engine_->device_draws(kept, quantities);
  }
  std::vector<VariableSummary> summarise(std::size_t kept, const std::atomic<bool>* cancel) override {
    return engine_->summarise(kept, cancel);
  }
  std::vector<VariableSummary> summarise_given(const Draws& draws, int threads,
                                               const std::atomic<bool>* cancel) const override {
    return engine_->summarise_given(draws, threads, cancel);
  }
  std::vector<double> streamed_ebfmi(std::size_t kept) const override { return engine_->streamed_ebfmi(kept); }
  StreamedDraws streamed(std::size_t kept) const override { return engine_->streamed(kept); }
  void restore_streamed(const StreamedDraws& streamed, std::size_t kept) override {
    engine_->restore_streamed(streamed, kept);
  }

 private:
  struct Replay {
    explicit Replay(WarmupState of);
    WarmupState state;
    ByteReader read;          ///< of state.answers
    std::uint32_t block = 0;  ///< length of the next one
  };
  /// The answer of `ask`, or the one that it gave before.
  template <class Ask>
  auto answer(const Ask& ask) const;

  std::unique_ptr<Engine> engine_;
  std::size_t most_ = 0;
  mutable std::optional<ByteWriter> answers_;  ///< nothing: not remembered. An answer changes it, and nothing else.
  mutable std::unique_ptr<Replay> replay_;
};

}  // namespace manychain
