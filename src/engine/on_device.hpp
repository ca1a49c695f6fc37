// An engine whose calls work on one CUDA device, whichever the caller's threads have made current.
#pragma once

#include "manychain/kernels/cuda_memory.cuh"
#include "manychain/run/engine.hpp"

namespace manychain {

/// Makes a device current in this thread, and at its end the one that was before.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) {
    cuda_check(cudaGetDevice(&before_), "asking for the current device");
    changed_ = device != before_;
    if (changed_) cuda_check(cudaSetDevice(device), "choosing the device");
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() {
    if (changed_) cudaSetDevice(before_);
  }

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// Hands every call on.
class OnDevice final : public Engine {
 public:
  OnDevice(int device, std::unique_ptr<Engine> engine) : device_(device), engine_(std::move(engine)) {}
  ~OnDevice() override {
    int before = 0;  // no exception leaves a destructor
    const bool known = cudaGetDevice(&before) == cudaSuccess;
    cudaSetDevice(device_);
    engine_.reset();
    if (known) cudaSetDevice(before);
  }

  std::string backend() const override { return engine_->backend(); }
  std::string device() const override { return there()->device(); }
  void initialise(const std::vector<double>& positions, int tries) override { there()->initialise(positions, tries); }
  std::vector<double> position(std::size_t chain) const override { return there()->position(chain); }
  ChainPoints points(std::size_t chains) const override { return there()->points(chains); }
  std::vector<double> gradients(std::size_t chains) const override { return there()->gradients(chains); }
  int groups() const override { return engine_->groups(); }
  bool has_leaves() const override { return engine_->has_leaves(); }
  void set_tuning(int group, const GroupTuning& tuning) override { there()->set_tuning(group, tuning); }
  GroupTuning tuning(int group) const override { return there()->tuning(group); }
  void set_metric(int group, const Metric& metric) override { there()->set_metric(group, metric); }
  Adapter* adapter() override { return engine_->adapter(); }  // its host side alone
  void send_adaptation() override { there()->send_adaptation(); }
  void collect_adaptation() override { there()->collect_adaptation(); }
  std::uint64_t advance(const Block& block, std::size_t adaptation_interval) override {
    return there()->advance(block, adaptation_interval);
  }
  void reset_window() override { there()->reset_window(); }
  std::vector<MomentSum> window_moments(int group, std::size_t transitions) const override {
    return there()->window_moments(group, transitions);
  }
  void reset_counters() override { there()->reset_counters(); }
  Snapshot snapshot() const override { return there()->snapshot(); }
  Snapshot snapshot_at_first() const override { return there()->snapshot_at_first(); }
  void restore(const Snapshot& snapshot) override { there()->restore(snapshot); }
  ChainImage image() const override { return there()->image(); }
  void restore_image(const ChainImage& image) override { there()->restore_image(image); }
  ChainStatistics statistics() const override { return there()->statistics(); }
  Draws draws(std::size_t first, std::size_t count) const override { return there()->draws(first, count); }
  Draws sample_stats(std::size_t first, std::size_t count) const override {
    return there()->sample_stats(first, count);
  }
  Draws draws_at(DrawsAt ranks, std::size_t first, std::size_t count) const override {
    return there()->draws_at(ranks, first, count);
  }
  Draws stats_at(DrawsAt ranks, std::size_t first, std::size_t count) const override {
    return there()->stats_at(ranks, first, count);
  }
  void restore_draws(std::size_t first, const Draws& draws, const Draws& sample_stats) override {
    there()->restore_draws(first, draws, sample_stats);
  }
  Draws take_draws(std::size_t kept) override { return there()->take_draws(kept); }
  Draws take_sample_stats(std::size_t kept) override { return there()->take_sample_stats(kept); }
  DeviceDraws device_draws(std::size_t kept, const std::vector<Quantity>& quantities) const override {
    return there()->device_draws(kept, quantities);
  }
  std::vector<VariableSummary> summarise(std::size_t kept, const std::atomic<bool>* cancel) override {
    return there()->summarise(kept, cancel);
  }
  std::vector<VariableSummary> summarise_given(const Draws& draws, int threads,
                                               const std::atomic<bool>* cancel) const override {
    return there()->summarise_given(draws, threads, cancel);
  }
  std::vector<double> streamed_ebfmi(std::size_t kept) const override { return there()->streamed_ebfmi(kept); }
  StreamedDraws streamed(std::size_t kept) const override { return there()->streamed(kept); }
  void restore_streamed(const StreamedDraws& streamed, std::size_t kept) override {
    there()->restore_streamed(streamed, kept);
  }

 private:
  /// The engine while its device is current: until the end of the expression.
  struct There {
    CurrentDevice current;
    Engine* engine;
    Engine* operator->() const { return engine; }
  };
  There there() const { return {CurrentDevice(device_), engine_.get()}; }

  int device_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace manychain
