// Scales that depend on parameters, found from the model itself: the variate of a location-scale density, or what its
// location holds, is a leaf of the parameters in its scale (model/data/layout.hpp). A log density does not show
// this; the statements of a model do, when data are bound.
//
// Data have necks, too: a level for each datum, y ~ normal(level, sigma), lies the closer to y the smaller sigma is. As
// sigma goes to zero the density of n data that r parameters can meet goes as sigma^(r - n) exp(-rest / sigma^2), rest
// the squares that are left: it vanishes, so that the data keep sigma away from zero, unless r = n.
#pragma once

#include <functional>
#include <vector>

#include "manychain/model/data/checks.hpp"
#include "manychain/model/data/layout.hpp"

namespace manychain {

/// Evaluates the terms outside of observe() at a position, on the unconstrained scale, and notes the arguments of all
/// location-scale densities of which neither variate nor scale is a number, in the order of the model.
using ScaleArgumentsAt = std::function<void(const std::vector<double>& q, std::vector<checks::ScaleArguments>& notes)>;

/// Moves a component and notes the arguments that change, which depend on it: components one at a time, but elements of
/// long vectors in random sets of a quarter of them, where an argument depends on element i if it changes with every
/// set that holds i. Leaves out densities whose scale has more than `most_hypers` parameters, and components that
/// depend on each other in a circle. Empty if the model is too large for that (2e8 numbers of parameters and
/// intermediates in all passes), or if other densities are evaluated at other positions. Deterministic.
std::vector<DependentScale> find_dependent_scales(const Layout& layout, const ScaleArgumentsAt& evaluate);

inline constexpr std::size_t most_hypers = 8;

/// The gradient of the terms of one statement, that of all log Jacobians included, which is all of it for no_statement.
using GradientByHand =
    std::function<void(const std::vector<double>& q, std::size_t statement, std::vector<double>& gradient)>;
inline constexpr std::size_t no_statement = static_cast<std::size_t>(-1);

/// Adds leaves of densities that a model writes by hand, `target += -0.5 * sum(square((x - mu) / tau)) - n * log(tau)`:
/// components whose density, as a statement has it given all others, has one mode, a scale there that changes with
/// others, and but for location and scale one shape. None of statements that would take too long (1e8 numbers of
/// parameters, intermediates and terms in all gradients), and none at all if they would make a circle. `statements`: of
/// terms that call no density of the library, which have `terms` terms together. Deterministic.
void add_scales_by_hand(const Layout& layout, std::size_t statements, std::size_t terms, const GradientByHand& gradient,
                        std::vector<DependentScale>& found);

/// Adds leaves of data (DependentScale::by_data): each element of a location that at most three rows with the same
/// scale share, where all rows whose scale depends on a hyper have such an element for themselves, but for one of
/// eight, two at most. Elements that more of these rows share, coefficients, are leaves, too, which no datum has for
/// itself: one for each scale, without slopes. `evaluate` notes densities of data, too. `found`: what
/// find_dependent_scales() gives; hypers of data that would make a circle with these are left out. Costs a few
/// evaluations where locations are those of a regression, or data are many more than parameters.
void add_scales_by_data(const Layout& layout, const ScaleArgumentsAt& evaluate, std::vector<DependentScale>& found);

}  // namespace manychain
