// An engine: the chains of one run on one backend. Everything above it is ordinary compiled code. It has the memory of
// the chains, runs blocks of transitions, and gives statistics and summaries. It knows fields, bytes and loops, and
// never sees a model or a sampler but by its compiled program (chain/program.hpp).
#pragma once

#include <cstdint>
#include <functional>
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

/// The state of the chains, to continue from later: every field of the state and every counter. The random streams need
/// only the number of the next transition.
struct Snapshot {
  std::vector<FieldInfo> fields;
  std::vector<double> values;  ///< [row][chain]
};

/// All that transitions and adaptations read of the memory of the chains, bit by bit. It does not depend on the devices
/// or ranks that hold them.
struct ChainImage {
  std::string memory;               ///< empty at all ranks but the first
  std::vector<GroupTuning> tuning;  ///< of each group, as adapted
};

/// All that a run that keeps no draws has of them.
struct StreamedDraws {
  std::vector<std::vector<double>> maps;  ///< of each output; none: the first draws are still held, to lay them out
  std::vector<std::uint64_t> histogram;   ///< [output][bin]
  std::string rows;  ///< [row][chain] of sums, or of the draws held, as they lie in memory; at the first rank alone
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

  /// Puts every chain at a starting point: `positions` ([dimension][chain], unconstrained) or, if that is empty,
  /// uniform within Settings::warmup.initial_radius with up to `tries` tries a chain. Chains without a finite one are
  /// marked nonfinite. With superchains every chain then takes the whole state of the first one of its superchain; from
  /// there on its random stream alone makes it another one.
  virtual void initialise(const std::vector<double>& positions, int tries) = 0;
  /// The unconstrained position of one chain.
  virtual std::vector<double> position(std::size_t chain) const = 0;
  /// Positions of the first `chains` chains.
  virtual ChainPoints points(std::size_t chains) const = 0;
  /// Gradients of the log density at these positions, [chain][dimension]; for samplers whose chains carry them.
  virtual std::vector<double> gradients(std::size_t chains) const = 0;

  virtual int groups() const = 0;
  /// True if its chains may have masses that depend on position (samplers/leaf_masses.hpp).
  virtual bool has_leaves() const = 0;
  /// Sets the tuning of the chains of one group, from the next block on.
  virtual void set_tuning(int group, const GroupTuning& tuning) = 0;
  /// The present tuning: adaptations change it in blocks that adapt.
  virtual GroupTuning tuning(int group) const = 0;
  /// Sets the metric of the chains of one group. It may have directions if the sampler has trajectories, up to
  /// metric_capacity().
  virtual void set_metric(int group, const Metric& metric) = 0;

  /// The adaptation of the settings. Null: there is nothing to tune. Its records on the host are current between
  /// collect_adaptation() and send_adaptation().
  virtual Adapter* adapter() = 0;
  virtual void send_adaptation() = 0;
  virtual void collect_adaptation() = 0;

  /// Runs a block. With `adaptation_interval` > 0 the adaptation observes the chains, on their backend, after each
  /// interval of so many transitions. Returns the number of evaluations of the model by all chains.
  virtual std::uint64_t advance(const Block& block, std::size_t adaptation_interval) = 0;

  virtual void reset_window() = 0;
  /// Moments of each component over all chains of a group and the last `transitions` transitions.
  virtual std::vector<MomentSum> window_moments(int group, std::size_t transitions) const = 0;
  virtual void reset_counters() = 0;
  virtual Snapshot snapshot() const = 0;
  /// Likewise, at the first rank; the others get the fields alone.
  virtual Snapshot snapshot_at_first() const { return snapshot(); }
  /// Throws BadInput if the snapshot is of another sampler, or of other sizes.
  virtual void restore(const Snapshot& snapshot) = 0;
  /// A run in the middle of its warm-up goes on with it, once the same calls have set metrics and records.
  virtual ChainImage image() const = 0;
  /// Throws BadInput if the image is of other sizes.
  virtual void restore_image(const ChainImage& image) = 0;
  virtual ChainStatistics statistics() const = 0;

  /// `count` draws from number `first` on, and the statistics recorded beside them.
  virtual Draws draws(std::size_t first, std::size_t count) const = 0;
  virtual Draws sample_stats(std::size_t first, std::size_t count) const = 0;
  /// As these, at some ranks, and empty at the others.
  virtual Draws draws_at(DrawsAt /*ranks*/, std::size_t first, std::size_t count) const { return draws(first, count); }
  virtual Draws stats_at(DrawsAt /*ranks*/, std::size_t first, std::size_t count) const {
    return sample_stats(first, count);
  }
  /// Puts draws of a run, from number `first` on, where sampling would have put them, and their statistics, which may
  /// be empty: those of all chains or, in ranks, of the chains of this one. Throws BadInput if they are of another
  /// precision or of other sizes, or more than there is room for.
  virtual void restore_draws(std::size_t first, const Draws& draws, const Draws& sample_stats) = 0;
  /// The first `kept` draws and their statistics, in ranks of the chains of this one, at the end of a run: gives away
  /// the engine's own memory if its layout is the wanted one. summarise() reads the draws there, so that they must not
  /// change before. No transition may follow.
  virtual Draws take_draws(std::size_t kept) = 0;
  virtual Draws take_sample_stats(std::size_t kept) = 0;
  /// The first `kept` draws in memory of their own on the device of the engine; empty: it has none, or several.
  virtual DeviceDraws device_draws(std::size_t /*kept*/, const std::vector<Quantity>& /*quantities*/) const {
    return {};
  }
  /// The summary of the first `kept` draws of all chains; if draws are not kept, of what was accumulated while they
  /// ran. Once `cancel` (or null) is true, only of the first outputs: those that are done.
  virtual std::vector<VariableSummary> summarise(std::size_t kept, const std::atomic<bool>* cancel) = 0;
  /// Likewise, the variables first that are likely to be the furthest from convergence, where each costs no more than
  /// its share of the whole. `suffices` is asked of each, by several threads. Once it is true the others are left, and
  /// the vector is empty; likewise once `cancel` is. No vector: they are all done at once.
  virtual std::optional<std::vector<VariableSummary>> summarise_unless(
      const std::function<bool(std::size_t variable, const VariableSummary&)>& /*suffices*/, std::size_t /*kept*/,
      const std::atomic<bool>* /*cancel*/) const {
    return {};
  }
  /// Likewise, for variables whose draws are on the host, as a run reads them back that keeps but some. A CPU takes at
  /// most `threads` of its threads.
  virtual std::vector<VariableSummary> summarise_given(const Draws& draws, int threads,
                                                       const std::atomic<bool>* cancel) const = 0;
  /// E-BFMI of every chain of a run that keeps no draws.
  virtual std::vector<double> streamed_ebfmi(std::size_t kept) const = 0;
  /// All that such a run has of its first `kept` draws, so that another one goes on behind them.
  virtual StreamedDraws streamed(std::size_t kept) const = 0;
  /// Before any draw, or in place of draws whose maps are frozen. Throws BadInput if it is of other sizes.
  virtual void restore_streamed(const StreamedDraws& streamed, std::size_t kept) = 0;
};

/// Throws OutOfMemory if the memory does not suffice, BadInput if there is no such backend here, DeviceError if the
/// device refuses. On CUDA every call uses the device of the settings, and leaves the current device of the calling
/// thread as it was.
std::unique_ptr<Engine> make_cpu_engine(const Model& model, const Settings& settings);
std::unique_ptr<Engine> make_cuda_engine(const Model& model, const Settings& settings);

/// The state of a CUDA device: whether it can be used.
struct CudaState {
  bool usable = false;
  bool present = false;     ///< there is one, usable or not
  std::string why;          ///< reason why it cannot be used
  int capability = 0;       ///< compute capability of a usable device, 90 for 9.0
  int multiprocessors = 0;  ///< of a usable device
};
/// The state of the device of that number; if none is given, of the calling thread's current one. Throws BadInput,
/// naming the devices that there are, if there is none of that number.
CudaState cuda_state(std::optional<int> device = std::nullopt);
/// True if the current device can be used; else `why` says why it cannot.
bool cuda_available(std::string* why = nullptr);

}  // namespace manychain
