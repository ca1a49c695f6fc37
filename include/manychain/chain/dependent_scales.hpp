// Scales that depend on parameters, from the model itself: what stands as the variate, or in the location, of a
// location-scale density is a leaf of the parameters in its scale (model/language/layout.hpp). A log density does not
// tell; the statements of a model do, when data are bound.
#pragma once

#include <functional>
#include <vector>

#include "manychain/model/autodiff/checks.hpp"
#include "manychain/model/language/layout.hpp"

namespace manychain {

/// Evaluates the terms that are no data at a position, on the unconstrained scale, and notes the arguments of all
/// location-scale densities of which neither variate nor scale is a number, in the order of the model.
using ScaleArgumentsAt = std::function<void(const std::vector<double>& q, std::vector<checks::ScaleArguments>& notes)>;

/// A component is moved, and the arguments that change depend on it: one at a time, but elements of long vectors in
/// random sets of a quarter of them, where an argument depends on element i if it changes with every set that holds i.
/// Densities whose scale has more than `most_hypers` parameters, and components that depend on each other in a circle,
/// are left out. Empty where the model is too large for that (2e8 numbers of parameters and intermediates in all
/// passes), or other densities are evaluated elsewhere. Deterministic.
std::vector<DependentScale> find_dependent_scales(const Layout& layout, const ScaleArgumentsAt& evaluate);

inline constexpr std::size_t most_hypers = 8;

}  // namespace manychain
