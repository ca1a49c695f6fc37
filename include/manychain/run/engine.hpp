// An engine: the chains of one run on one backend. Everything above it is ordinary compiled code. It has the memory of
// the chains, runs blocks of transitions, and gives statistics and summaries. It knows fields, bytes and loops, and
// never sees a model or a sampler but by its compiled program (chain/program.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manychain/chain/adapter.hpp"
#include "manychain/chain/chain_arrays.hpp"
#include "manychain/diagnostics/summary.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

/// The statistics of each chain, copied to the host; see Counters for the meaning.
struct ChainStatistics {
  std::vector<double> since_move, acceptance_sum, divergences, nonfinite, largest_log_density;
};

/// All that chains carry, to go on from later: every field of the state and every counter, and the random streams need
/// no more than the number of the next transition.
struct Snapshot {
  std::vector<FieldInfo> fields;
  std::vector<double> values;  ///< [row][chain]
};

/// Positions of some chains.
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
  /// uniform within Settings::initial_radius with up to `tries` tries a chain. Chains that have none are marked
  /// nonfinite. With superchains every chain then takes the whole state of the first one of its superchain; from there
  /// on its random stream alone makes it another one.
  virtual void initialise(const std::vector<double>& positions, int tries) = 0;
  /// The unconstrained position of one chain.
  virtual std::vector<double> position(std::size_t chain) const = 0;
  /// The first `chains` chains.
  virtual ChainPoints points(std::size_t chains) const = 0;
  /// The gradient of the log density where they stand, [chain][dimension]; of samplers whose chains carry it.
  virtual std::vector<double> gradients(std::size_t chains) const = 0;

  virtual int groups() const = 0;
  /// True if its chains may have masses that depend on position (samplers/leaf_masses.hpp).
  virtual bool has_leaves() const = 0;
  /// Sets the tuning of the chains of one group, from the next block on.
  virtual void set_tuning(int group, const GroupTuning& tuning) = 0;
  /// As it is now: adaptations change it in blocks that adapt.
  virtual GroupTuning tuning(int group) const = 0;
  /// Sets the metric of the chains of one group. It may have directions if the sampler has trajectories, and as many as
  /// metric_capacity() says.
  virtual void set_metric(int group, const Metric& metric) = 0;

  /// The adaptation of the settings. Null: there is nothing to tune. Its records on the host are those of adapting
  /// blocks between collect_adaptation() and send_adaptation().
  virtual Adapter* adapter() = 0;
  virtual void send_adaptation() = 0;
  virtual void collect_adaptation() = 0;

  /// Runs a block. With `adaptation_interval` > 0 the adaptation looks at the chains, where they are, after every so
  /// many transitions. Returns the evaluations of the model, of all chains.
  virtual std::uint64_t advance(const Block& block, std::size_t adaptation_interval) = 0;

  virtual void reset_window() = 0;
  /// Moments of each component over all chains of a group and the last `transitions` transitions.
  virtual std::vector<MomentSum> window_moments(int group, std::size_t transitions) const = 0;
  virtual void reset_counters() = 0;
  virtual Snapshot snapshot() const = 0;
  /// Throws BadInput if it is of another sampler, or of other sizes.
  virtual void restore(const Snapshot& snapshot) = 0;
  virtual ChainStatistics statistics() const = 0;

  /// The first `kept` draws, and what was recorded beside them.
  virtual Draws draws(std::size_t kept) const = 0;
  virtual Draws sample_stats(std::size_t kept) const = 0;
  /// The same at the end of a run, the engine's own memory if they lie in it as they are wanted: summarise() reads it
  /// there, so that it must stay as it is until then. No transition may follow.
  virtual Draws take_draws(std::size_t kept) = 0;
  virtual Draws take_sample_stats(std::size_t kept) = 0;
  /// The summary of the first `kept` draws of all chains; from what was accumulated while they ran, if draws are not
  /// kept. Once `cancel` (or null) is true, of the first outputs alone: those that were done.
  virtual std::vector<VariableSummary> summarise(std::size_t kept, const std::atomic<bool>* cancel) = 0;
  /// E-BFMI of every chain of a run that keeps no draws.
  virtual std::vector<double> streamed_ebfmi(std::size_t kept) const = 0;
};

/// Throws OutOfMemory when the memory does not suffice, BadInput when there is no such backend here, DeviceError when
/// the device refuses. On CUDA every call works on the device of the settings, whichever is current in the thread that
/// calls, and leaves that one current.
std::unique_ptr<Engine> make_cpu_engine(const Model& model, const Settings& settings);
std::unique_ptr<Engine> make_cuda_engine(const Model& model, const Settings& settings);

/// The state of a CUDA device: whether it can be used.
struct CudaState {
  bool usable = false;
  bool present = false;     ///< there is one, usable or not
  std::string why;          ///< it cannot be used
  int capability = 0;       ///< of one that is usable: its compute capability, 90 for 9.0
  int multiprocessors = 0;  ///< likewise
};
/// The state of the device of that number; if none is given, of the calling thread's current one. Throws BadInput, with
/// the devices that there are, if there is none of that number.
CudaState cuda_state(std::optional<int> device = std::nullopt);
/// True if the current device can be used; else `why` says why it cannot.
bool cuda_available(std::string* why = nullptr);

}  // namespace manychain
