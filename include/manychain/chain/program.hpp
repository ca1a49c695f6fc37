// A model bound to its data, as the library sees it: facts about it, and the operations that its units were compiled
// for (chain/operations.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "manychain/chain/mixture_parts.hpp"
#include "manychain/chain/model_terms.hpp"
#include "manychain/chain/operations.hpp"
#include "manychain/core/rejections.hpp"
#include "manychain/model/data/data.hpp"
#include "manychain/model/data/layout.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {

/// The properties of a model with its data.
struct ModelFacts {
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
  /// Numbers that an evaluation reads at least, beside the position: the size of the data that the model has read. 0 if
  /// the cost is unknown.
  std::size_t data_values = 0;
  /// Numbers that a gradient of a foreign density reads, about. None: not known.
  std::optional<std::size_t> foreign_gradient_values;
};

/// A model bound to its data.
struct ModelBinding : ModelFacts {
  virtual ~ModelBinding() = default;
  /// The sampler of that name: one of the library, or one that the model brings. Null if there is none.
  virtual const SamplerInfo* sampler(const std::string& called) const { return find_sampler(called); }
  /// The rejections of a foreign density since the last call. Concurrent runs of a model are counted together.
  virtual Rejections take_rejections() const { return {}; }
  /// Within the lifetime of this object. A generated model binds its data once for all calls, and takes as many points
  /// at once as there are lanes.
  virtual std::unique_ptr<PointOperations> operations() const = 0;
  /// Their evaluate(), as a function.
  DensityEvaluator evaluator() const;
  /// The data that the model was bound to. Null: it has none that have names.
  virtual const Data* bound_data() const { return nullptr; }
  /// The log density at q, and its gradient if that is not null.
  double density(const double* q, double* gradient) const;
  std::vector<double> densities(const std::vector<double>& points, std::size_t count) const;
  /// Transforms the parameters that `given` names, on their constrained scale, into their places of `position`. Returns
  /// which components these are. Throws BadInput if a value does not fit or lies outside of its constraint.
  virtual std::vector<bool> unconstrain(const Data& given, std::vector<double>& position) const;
  /// This model with other data. Null: it cannot be bound again. Throws BadInput if they do not fit.
  virtual std::shared_ptr<const ModelBinding> bound_to(const Data&) const { return nullptr; }
  /// Null: its log density is not written as terms.
  virtual std::unique_ptr<ModelTerms> terms() const { return nullptr; }
  /// Null: it has no mixtures, or its log density is not written as terms.
  virtual std::unique_ptr<MixtureParts> mixture_parts() const { return nullptr; }
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
