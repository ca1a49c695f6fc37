// A compiled chain program as the engines see it: one model with its data, one sampler, one precision, one backend.
//
// This is the seam between chain code and everything else: a virtual call for each block and pack, not for each
// transition. Chain code lies in an inline namespace named after its instruction set (core/macros.hpp), so that the
// linker never mixes two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manychain/chain/adapter.hpp"
#include "manychain/chain/chain_arrays.hpp"
#include "manychain/chain/model_terms.hpp"
#include "manychain/core/rejections.hpp"
#include "manychain/model/data/data.hpp"
#include "manychain/model/data/layout.hpp"
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

/// Pointwise log likelihoods of `count` draws, in double: rows[r * row_stride + k] is the contribution of row r of all
/// observe(), one after another, to the log density of draw k. parameters[i * stride + k] is its output i, a parameter
/// on its constrained scale. They are functions of these values alone: nothing is transformed back.
using PointwiseEvaluator = std::function<void(const double* parameters, std::size_t stride, std::size_t count,
                                              double* rows, std::size_t row_stride)>;

/// A model bound to its data.
struct ModelBinding {
  std::string name;
  Layout layout;
  Capabilities gives;
  bool runs_on_cuda = false;
  int cuda_threads_per_chain = 1;  ///< of samplers that move by the density
  bool double_only = false;
  std::string foreign;     ///< kind of a density compiled by others, "a Stan model"; empty: a header
  std::string one_thread;  ///< why only one thread may evaluate it; empty: any number may
  bool batched = false;    ///< a foreign density that takes all chains at once, in the thread that asked for the run
  bool single_only = false;
  /// Numbers that an evaluation reads at least, beside the position: those of the data that the model has read. 0 if
  /// the cost is unknown.
  std::size_t data_values = 0;
  /// Numbers that a gradient of a foreign density reads, about. None: not known.
  std::optional<std::size_t> foreign_gradient_values;

  virtual ~ModelBinding() = default;
  /// The sampler of that name: one of all, or one that the model brings. Null: there is none.
  virtual const SamplerInfo* sampler(const std::string& called) const { return find_sampler(called); }
  /// The rejections of a foreign density since the last call. Concurrent runs of a model are counted together.
  virtual Rejections take_rejections() const { return {}; }
  /// For calls of one thread, within the lifetime of this object. A generated model binds its data once for all calls,
  /// and evaluates as many points at once as there are lanes.
  virtual DensityEvaluator evaluator() const = 0;
  /// For calls of one thread, within the lifetime of this object. Empty: the model has no observe().
  virtual PointwiseEvaluator pointwise() const { return {}; }
  /// The data that the model was bound to. Null: it has none that have names.
  virtual const Data* bound_data() const { return nullptr; }
  /// The log density at q, and its gradient if that is not null.
  double density(const double* q, double* gradient) const {
    double log_density = 0;
    evaluator()(q, 1, &log_density, gradient);
    return log_density;
  }
  std::vector<double> densities(const std::vector<double>& points, std::size_t count) const {
    std::vector<double> log_densities(count);
    evaluator()(points.data(), count, log_densities.data(), nullptr);
    return log_densities;
  }
  /// Transforms the parameters that `given` names, on their constrained scale, into their places of `position`. Returns
  /// which components these are. Throws BadInput if a value does not fit or lies outside of its constraint.
  virtual std::vector<bool> unconstrain(const Data& given, std::vector<double>& position) const;
  /// This model with other data. Null: it cannot be bound again. Throws BadInput if they do not fit.
  virtual std::shared_ptr<const ModelBinding> bound_to(const Data&) const { return nullptr; }
  /// Null: its log density is not written as terms.
  virtual std::unique_ptr<ModelTerms> terms() const { return nullptr; }
  /// The program of that sampler, null if there is none.
  virtual std::unique_ptr<Program<float>> single_program(const std::string& sampler, ProgramChoice choice) const = 0;
  virtual std::unique_ptr<Program<double>> double_program(const std::string& sampler, ProgramChoice choice) const = 0;
};

/// The record of a model that manychain_add_model() generates.
struct ModelUnit {
  const char* name;
  const char* description;
  const char* (*data)();  ///< JSON of the data that the model carries; "" if it carries none
  std::shared_ptr<const ModelBinding> (*bind)(const Data& data);
};

/// The generated unit of a model class, in a specialisation that manychain_add_model() writes.
template <template <class, int...> class ModelClass>
struct GeneratedUnit;

}  // namespace manychain
