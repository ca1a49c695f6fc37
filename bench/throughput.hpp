// Chains that run with given tuning and record nothing, or stream: the speed of the chain program itself.
#pragma once

#include <memory>

#include "cases.hpp"
#include "manychain/run/engine.hpp"

namespace manychain::bench {

/// Leapfrogs of a transition in every throughput case: exactly so many.
inline constexpr std::uint32_t throughput_leapfrogs = 10;

struct Mode {
  bool streaming = false;  ///< every transition is a draw of streaming diagnostics
  double trajectory = 0;   ///< jittered, as in a run; 0: exactly throughput_leapfrogs
  double step = 0;         ///< 0: that of the case
};

/// The engine of one case, ready to run.
class Throughput {
 public:
  Throughput(const Model& model, const Case& what, const Options& options, const Mode& mode = {});
  /// Chooses how many transitions take about `seconds`, by running some: that is the warm-up of the caches, too.
  void calibrate(double seconds);
  /// Runs them; returns the transitions a second of all chains together.
  double run();

  std::uint64_t gradients_of_transition() const { return gradients_; }
  std::uint32_t block() const { return block_.count; }
  double acceptance_rate() const;

 private:
  std::unique_ptr<Engine> engine_;
  std::size_t chains_;
  Block block_;
  std::uint64_t gradients_ = 0, transitions_ = 0;
};

}  // namespace manychain::bench
