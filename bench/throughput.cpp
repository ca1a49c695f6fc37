#include "throughput.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace manychain::bench {
namespace {
using Clock = std::chrono::steady_clock;
}

Throughput::Throughput(const Model& model, const Case& what, const Options& options, const Mode& mode)
    : chains_(what.chains) {
  Settings settings = settings_of(what, options);
  settings.output.keep_draws = false;
  if (mode.trajectory == 0) settings.sampling.max_leapfrogs = throughput_leapfrogs;
  settings.validate();
  engine_ = options.backend == Backend::cuda ? make_cuda_engine(model, settings) : make_cpu_engine(model, settings);
  // The jittered trajectory would take from 1 to T / eps steps. With a T beyond every limit each transition takes as
  // many as the limit says.
  engine_->set_tuning(0, {.step_size = mode.step > 0 ? mode.step : what.step,
                          .trajectory = mode.trajectory > 0 ? mode.trajectory : 1e12,
                          .leapfrog_limit = static_cast<std::uint32_t>(settings.sampling.max_leapfrogs)});
  engine_->initialise({}, 100);
  engine_->reset_counters();
  block_.keep = mode.streaming;
}

double Throughput::run() {
  const Clock::time_point start = Clock::now();
  const std::uint64_t evaluations = engine_->advance(block_, 0);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  gradients_ = evaluations / block_.count / chains_;
  transitions_ += block_.count;
  block_.first_transition += block_.count;
  return static_cast<double>(block_.count) * static_cast<double>(chains_) / seconds;
}

void Throughput::calibrate(double seconds) {
  block_.count = 1;
  run();  // pages, threads, kernels that are loaded at their first use
  for (;;) {
    const double elapsed = block_.count * static_cast<double>(chains_) / run();
    const double ideal = std::clamp(block_.count * seconds / elapsed, 1.0, 1e8);
    block_.count = static_cast<std::uint32_t>(std::min(ideal, 16.0 * block_.count));
    if (elapsed > seconds / 8) return;
  }
}

double Throughput::acceptance_rate() const {
  const std::vector<double> sums = engine_->statistics().acceptance_sum;
  return std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(chains_ * transitions_);
}

}  // namespace manychain::bench
