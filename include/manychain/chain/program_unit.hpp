// The interface between the generated units of a model: one unit for some of its samplers on a backend, and a table
// that joins them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "manychain/chain/program.hpp"

namespace manychain {

/// Makes the program of a sampler; null if the unit has none of that name. `scalar`: one chain per lane, on the CPU.
template <class Number>
using ProgramFactory = std::unique_ptr<Program<Number>> (*)(const Data&, const Layout&, const std::string& sampler,
                                                            bool scalar);
/// A generated unit of chain code, in both precisions.
struct ProgramUnit {
  ProgramFactory<float> float32;
  ProgramFactory<double> float64;
  /// In a unit for CUDA: true if terms of the model are dealt to threads of a chain, with these data.
  bool (*deals_terms)(const Data&) = nullptr;
  /// In a unit for CUDA: its kernels have code for masses that depend on position (samplers of WithLeavesAmong). An
  /// engine takes it where the layout has leaves and the metric may have such masses. The flows would take registers of
  /// all other models (samplers/leaf_masses.hpp).
  bool leaves = false;
};
/// The programs of one model. Without a unit for CUDA the build has no CUDA.
struct ProgramUnits {
  std::vector<ProgramUnit> cpu, cuda;
};

}  // namespace manychain
