// Compares the gradients of a compiled program with those in double precision on the CPU.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/run/model.hpp"

namespace manychain {

/// The errors that rounding allows a program.
struct ProgramRounding {
  double unit = 0;     ///< relative change of positions and data that its rounding amounts to
  double allowed = 0;  ///< relative error of a component, beside what such a change makes
};

/// A component of the gradient whose error is beyond rounding.
struct WrongComponent {
  std::size_t index = 0;
  double error = 0;  ///< root mean square over the points, relative to that of the component
};

/// Finds the components of `gradients` ([point][dimension]) that are not those of the model at `positions` (likewise),
/// `exact` in double: the root mean square of their errors is larger than the share that is allowed and thirty times
/// what changes of positions and data by the program's rounding make of it. Whole numbers of data and state do not
/// change. Points where `exact` is not finite are left out. The worst first.
std::vector<WrongComponent> wrong_components(const Model& model, const std::vector<double>& positions,
                                             const std::vector<double>& gradients, const std::vector<double>& exact,
                                             const ProgramRounding& rounding);

}  // namespace manychain
