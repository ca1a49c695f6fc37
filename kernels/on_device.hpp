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
  void set_scale(const std::vector<double>& scale) override { there()->set_scale(scale); }
  void set_trajectory(double trajectory, std::size_t max_leapfrogs) override {
    there()->set_trajectory(trajectory, max_leapfrogs);
  }
  void set_adaptation(const DualAveraging& adaptation) override { there()->set_adaptation(adaptation); }
  DualAveraging adaptation() const override { return there()->adaptation(); }
  std::uint64_t advance(const Block& block, std::size_t adaptation_interval) override {
    return there()->advance(block, adaptation_interval);
  }
  void reset_window() override { there()->reset_window(); }
  std::vector<MomentSum> window_moments(std::size_t transitions) const override {
    return there()->window_moments(transitions);
  }
  void reset_counters() override { there()->reset_counters(); }
  ChainStatistics statistics() const override { return there()->statistics(); }
  Draws draws(std::size_t kept) const override { return there()->draws(kept); }
  Draws sample_stats(std::size_t kept) const override { return there()->sample_stats(kept); }
  std::vector<VariableSummary> summarise(std::size_t kept, const std::atomic<bool>* cancel) override {
    return there()->summarise(kept, cancel);
  }
  std::vector<double> streamed_ebfmi(std::size_t kept) const override { return there()->streamed_ebfmi(kept); }

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
