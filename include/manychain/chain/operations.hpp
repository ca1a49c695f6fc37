// The operations of a compiled model: all that the library asks of chain code, on either backend.
//
//   of chains (Program)           initialise, advance            a model, a sampler, a precision, a backend
//   of points (PointOperations)   evaluate, outputs, rows        a model in double on the host, without a sampler
//
// The body of each is a function template: initialise_chains() and advance_chains() (chain/chain_program.hpp),
// evaluate() and evaluate_outputs() (model/language/evaluate.hpp). Units of the CPU instantiate them for packs, those
// of CUDA for a scalar. A virtual call is for a block and a pack, not for a transition. Chain code lies in an inline
// namespace named after its instruction set (core/macros.hpp), so that the linker never mixes two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "manychain/chain/adapter.hpp"
#include "manychain/chain/chain_arrays.hpp"
#include "manychain/samplers/info.hpp"
#include "manychain/samplers/tuning.hpp"

namespace manychain {

/// The fields of Counters (chain/counters.hpp).
std::vector<FieldInfo> counter_fields();

/// Selects a program of a model and a sampler.
struct ProgramChoice {
  bool cuda = false;
  bool scalar = false;  ///< on a CPU: one chain per lane
  bool leaves = false;  ///< on a GPU: kernels with code for masses that depend on position, if there are such
  /// Chains of the run, for a program that takes all of them at once; 0: not known.
  std::size_t chains = 0;
};

/// Runs ranges of chains. On a CPU a range is one pack and the caller is one of several threads, each with a workspace
/// of its own; on a CUDA device a range is all chains, and the call launches a kernel on the default stream.
template <class Number>
class Program {
 public:
  virtual ~Program() = default;
  virtual int lanes() const = 0;                    ///< chains of one Real
  virtual std::size_t workspace_reals() const = 0;  ///< Numbers of working memory of a chain
  /// The fields that a chain carries, row by row.
  virtual std::vector<FieldInfo> fields() const = 0;
  /// On a CUDA device: the local memory that a thread of its kernels takes at most, in bytes. Loads the kernels.
  virtual std::size_t local_bytes() const { return 0; }
  /// True if masses may depend on position (samplers/leaf_masses.hpp).
  virtual bool has_leaves() const = 0;
  /// The sampler's tuning of one group, as bytes.
  virtual std::size_t tuning_bytes() const = 0;
  virtual const SamplerInfo& info() const = 0;
  virtual void write_tuning(const GroupTuning& tuning, const TuningArrays<Number>& arrays, void* record) const = 0;
  virtual void read_tuning(const void* record, GroupTuning& tuning) const = 0;
  /// Null where there is nothing to tune, or no adaptation of that name.
  virtual std::unique_ptr<AdapterOn<Number>> adapter(const std::string& name, int groups) const = 0;
  virtual void initialise(const ChainArrays<Number>& arrays, int tries, std::int64_t first, std::int64_t count,
                          Number* workspace) const = 0;
  virtual void advance(const ChainArrays<Number>& arrays, const Block& block, std::int64_t first, std::int64_t count,
                       Number* workspace) const = 0;
};

/// Log densities at `count` points, [point][dimension], in double and on the unconstrained scale; and their gradients,
/// [point][dimension], if `gradients` is not null. The results at a point do not depend on the others.
using DensityEvaluator =
    std::function<void(const double* points, std::size_t count, double* log_densities, double* gradients)>;

/// Chains of a run after one of its transitions, which name the random numbers of predictions.
struct ChainsAt {
  std::uint64_t seed = 0;
  std::uint64_t first_chain = 0;
  std::uint64_t transition = 0;
};

/// Operations at points, with data and working memory of their own. For calls of one thread.
class PointOperations {
 public:
  virtual ~PointOperations() = default;
  /// As DensityEvaluator has it.
  virtual void evaluate(const double* points, std::size_t count, double* log_densities, double* gradients) = 0;
  /// The outputs at `count` points, [point][dimension]: outputs[i * count + k] is output i of point k. They are those
  /// of a draw in double: its chain is `at`.first_chain + k. Returns the random words that the predictions of one take.
  virtual std::uint64_t outputs(const double* points, std::size_t count, const ChainsAt& at, double* outputs) = 0;
  /// Pointwise log likelihoods of `count` draws: rows[r * row_stride + k] is the contribution of row r of all
  /// observe(), one after another, to the log density of draw k. parameters[i * stride + k] is its output i, a
  /// parameter on its constrained scale. They are functions of these values alone: nothing is transformed back. A model
  /// without observe() has no rows.
  virtual void rows(const double* parameters, std::size_t stride, std::size_t count, double* rows,
                    std::size_t row_stride) = 0;
};

}  // namespace manychain
