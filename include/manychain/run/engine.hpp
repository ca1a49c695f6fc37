// An engine: the chains of one run on one backend. Everything above it is ordinary compiled code.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manychain/diagnostics/summary.hpp"
#include "manychain/run/chain_arrays.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/warmup/dual_averaging.hpp"
#include "manychain/warmup/pooled.hpp"

namespace manychain {

/// What is known of each chain, copied to the host; see ChainArrays for the meaning.
struct ChainStatistics {
  std::vector<double> still, acceptance_sum, divergences, nonfinite, best;
};

/// Where some chains stand.
struct ChainPoints {
  std::vector<double> positions;      ///< [chain][dimension], unconstrained
  std::vector<double> log_densities;  ///< as the sampler compares them: sum and compensation together
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string backend() const = 0;  ///< "cpu" or "cuda"
  virtual std::string device() const = 0;

  /// Puts every chain at a starting point: `positions` ([dimension][chain], unconstrained) or, where that is empty,
  /// uniform(-2, 2) with up to `tries` tries a chain. Chains that have none are marked nonfinite. With superchains
  /// every chain then takes the place of the first one of its superchain.
  virtual void initialise(const std::vector<double>& positions, int tries) = 0;
  /// The unconstrained position of one chain.
  virtual std::vector<double> position(std::size_t chain) const = 0;
  /// The first `chains` chains.
  virtual ChainPoints points(std::size_t chains) const = 0;

  /// The scale of each component: the square root of the inverse metric.
  virtual void set_scale(const std::vector<double>& scale) = 0;
  virtual void set_trajectory(double trajectory, std::size_t max_leapfrogs) = 0;
  /// The step size becomes exp(log_step) and, in adapting blocks, follows the acceptance of the chains.
  virtual void set_adaptation(const DualAveraging& adaptation) = 0;
  virtual DualAveraging adaptation() const = 0;

  /// Runs a block. With `adaptation_interval` > 0 the step size is updated where the chains are after every so many
  /// transitions; returns the number of model evaluations of one chain.
  virtual std::uint64_t advance(const Block& block, std::size_t adaptation_interval) = 0;

  virtual void reset_window() = 0;
  /// Moments of each component over all chains and the last `transitions` transitions.
  virtual std::vector<MomentSum> window_moments(std::size_t transitions) const = 0;
  virtual void reset_counters() = 0;
  virtual ChainStatistics statistics() const = 0;

  /// The first `kept` draws, and what was recorded beside them.
  virtual Draws draws(std::size_t kept) const = 0;
  virtual Draws sample_stats(std::size_t kept) const = 0;
  /// Of the first `kept` draws of all chains; from what was folded while they ran, if draws are not kept. Once `cancel`
  /// (or null) is true, of the first outputs alone: those that were done.
  virtual std::vector<VariableSummary> summarise(std::size_t kept, const std::atomic<bool>* cancel) = 0;
  /// E-BFMI of every chain of a run that keeps no draws.
  virtual std::vector<double> streamed_ebfmi(std::size_t kept) const = 0;
};

/// Throws OutOfMemory when the memory does not suffice, BadInput when there is no such backend here, DeviceError when
/// the device refuses. On CUDA every call works on the device of the settings, whichever is current in the thread that
/// calls, and leaves that one current.
std::unique_ptr<Engine> make_cpu_engine(const Model& model, const Settings& settings);
std::unique_ptr<Engine> make_cuda_engine(const Model& model, const Settings& settings);

/// Whether a CUDA device can be used.
struct CudaState {
  bool usable = false;
  bool present = false;  ///< there is one, usable or not
  std::string why;       ///< it cannot be used
};
/// Of the device of that number; if none is given, of the calling thread's current one. Throws BadInput, with the
/// devices that there are, if there is none of that number.
CudaState cuda_state(std::optional<int> device = std::nullopt);
/// Of the current device; if it cannot be used, `why` says why.
bool cuda_available(std::string* why = nullptr);

}  // namespace manychain
