// A model class that was compiled from a header, as the library sees it: a table of the functions that its host unit
// instantiates, and the binding to data that the library makes of it. All that need not be compiled for each model lies
// behind bind_generated().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "manychain/chain/program.hpp"
#include "manychain/chain/program_unit.hpp"

namespace manychain {

/// The properties of a model with its data.
struct ModelFacts {
  Layout layout;
  Capabilities gives;
  std::size_t data_values = 0;  ///< numbers that the model has read
  std::size_t scratch = 0;      ///< of the variant of any size, which may need more than the one that runs
  int dimension = 0;            ///< as the class says it; `dynamic` if it does not
};

/// Evaluates a model in double, with data and working memory of its own. For calls of one thread.
class PointEvaluator {
 public:
  virtual ~PointEvaluator() = default;
  /// As DensityEvaluator has it.
  virtual void evaluate(const double* points, std::size_t count, double* log_densities, double* gradients) = 0;
};
/// Likewise for the rows of observe().
class RowEvaluator {
 public:
  virtual ~RowEvaluator() = default;
  /// As PointwiseEvaluator has it.
  virtual void evaluate(const double* parameters, std::size_t stride, std::size_t count, double* rows,
                        std::size_t row_stride) = 0;
};

/// Throws BadInput if the model and the data do not fit, and gives the scales that depend on parameters. A function of
/// the generated unit that checks; null only if manychain_add_model() has not written the model's units.
using DataCheck = std::vector<DependentScale> (*)(const Data&);
/// Another function of that unit: gives the model term by term; null if its log density is not written so.
using TermsOfModel = std::unique_ptr<ModelTerms> (*)(const Data&, const Layout&);

/// The functions of one model class. A Layout that they take is the model's, with ModelFacts::scratch. They throw
/// BadInput if the data do not fit.
struct ModelFunctions {
  DataCheck check = nullptr;
  TermsOfModel terms = nullptr;
  ModelFacts (*facts)(const Data& data);
  std::unique_ptr<PointEvaluator> (*points)(const Data& data, const Layout& layout);
  std::unique_ptr<RowEvaluator> (*rows)(const Data& data, const Layout& layout);  ///< null: there is no log density
  /// As ModelBinding::unconstrain() has it.
  std::vector<bool> (*unconstrain)(const Data& data, const Data& given, std::vector<double>& position);
  /// Random words of a transition (words_from_distributions()), in each precision.
  std::uint64_t (*words_single)(const Data& data, const Layout& layout, DrawsFrom source);
  std::uint64_t (*words_double)(const Data& data, const Layout& layout, DrawsFrom source);
  /// Throws BadInput on a CPU that lacks the instruction set of the model's units.
  void (*require_instruction_set)();
  std::vector<const SamplerInfo*> samplers;  ///< those that the class may be run by, its own among them
};

/// The model `name` with its data. Throws BadInput if they do not fit.
std::shared_ptr<const ModelBinding> bind_generated(const char* name, const Data& data, const ProgramUnits& units,
                                                   const ModelFunctions& functions);

}  // namespace manychain
