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

/// Facts that a unit knows, and what else is asked of it.
struct UnitFacts : ModelFacts {
  std::size_t scratch = 0;  ///< of the variant of any size, which may need more than the one that runs
  int class_dimension = 0;  ///< as the class says it; `dynamic` if it does not
};

/// Throws BadInput if the model and the data do not fit, and gives the scales that depend on parameters. A function of
/// the generated unit that checks; null only if manychain_add_model() has not written the model's units.
using DataCheck = std::vector<DependentScale> (*)(const Data&);
/// Another function of that unit: gives the model term by term; null if its log density is not written so.
using TermsOfModel = std::unique_ptr<ModelTerms> (*)(const Data&, const Layout&);
/// A function of the unit that holds the model's density in double.
using PointsOfModel = std::unique_ptr<PointOperations> (*)(const Data&, const Layout&);

/// The functions of one model class. A Layout that they take is the model's, with UnitFacts::scratch. They throw
/// BadInput if the data do not fit.
struct ModelFunctions {
  DataCheck check = nullptr;
  TermsOfModel terms = nullptr;
  UnitFacts (*facts)(const Data& data);
  PointsOfModel points;
  /// As ModelBinding::unconstrain() has it.
  std::vector<bool> (*unconstrain)(const Data& data, const Data& given, std::vector<double>& position);
  /// Random words of a transition for that source, in each precision. For DrawsFrom::itself those of predictions, in
  /// single alone: in double PointOperations::outputs() tells.
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
