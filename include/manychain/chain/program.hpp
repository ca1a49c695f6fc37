// A compiled chain program as the engines see it: one model with its data, one sampler, one precision, one backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "manychain/chain/adapter.hpp"
#include "manychain/chain/chain_arrays.hpp"
#include "manychain/model/data.hpp"
#include "manychain/model/layout.hpp"
#include "manychain/samplers/info.hpp"
#include "manychain/samplers/tuning.hpp"

namespace manychain {

/// The fields of Counters (chain/counters.hpp).
std::vector<FieldInfo> counter_fields();

/// Runs ranges of chains. On a CPU a range is one pack and the caller is one of several threads, each with a workspace
/// of its own; on a CUDA device a range is all chains, and the call launches a kernel on the default stream.
template <class Number>
class Program {
 public:
  virtual ~Program() = default;
  virtual int lanes() const = 0;                    ///< chains of one Real
  virtual std::size_t workspace_reals() const = 0;  ///< Numbers of working memory a chain
  /// What a chain carries, row by row.
  virtual std::vector<FieldInfo> fields() const = 0;
  /// On a CUDA device: the local memory that a thread of its kernels takes at most, in bytes. Loads the kernels.
  virtual std::size_t local_bytes() const { return 0; }
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

/// A model bound to its data.
struct ModelBinding {
  std::string name;
  Layout layout;
  Capabilities gives;
  bool runs_on_cuda = false;
  bool double_only = false;
  /// Numbers that an evaluation reads at least, beside the position: those of the data. Of unknown cost: none.
  std::size_t data_values = 0;

  virtual ~ModelBinding() = default;
  /// The sampler of that name: one of all, or one that the model brings. Null: there is none.
  virtual const SamplerInfo* sampler(const std::string& called) const { return find_sampler(called); }
  /// The log density at q in double, and its gradient if `gradient` is not null. On the unconstrained scale.
  virtual double density(const double* q, double* gradient) const = 0;
  /// density() for many calls of one thread: a generated model binds its data once. Not for longer than this lives.
  virtual std::function<double(const double* q, double* gradient)> evaluator() const {
    return [this](const double* q, double* gradient) { return density(q, gradient); };
  }
  /// The log densities at `count` points, [point][dimension]; a generated model binds its data once for all of them.
  virtual std::vector<double> densities(const std::vector<double>& points, std::size_t count) const {
    std::vector<double> log_densities(count);
    for (std::size_t k = 0; k < count; ++k) log_densities[k] = density(points.data() + k * layout.dimension, nullptr);
    return log_densities;
  }
  /// The program of that sampler, null if there is none. `scalar`: one chain per lane.
  virtual std::unique_ptr<Program<float>> single_program(const std::string& sampler, bool cuda, bool scalar) const = 0;
  virtual std::unique_ptr<Program<double>> double_program(const std::string& sampler, bool cuda, bool scalar) const = 0;
};

/// What manychain_add_model() generates.
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
