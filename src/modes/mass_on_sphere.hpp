// The mass of a density around a point, on the sphere of all points at its distance from a place.
#pragma once

#include <cstddef>

#include "manychain/chain/program.hpp"
#include "modes/whitened.hpp"

namespace manychain {

/// The logarithm of the mass for each unit of distance, in standard deviations of the place, of the density near x, its
/// highest point there: a normal approximation on the sphere (Laplace), whose curvature is that of the density along
/// the sphere. A side where the density a width off is lower than such a normal's is narrower; all together have no
/// more than the sphere. NaN where a gradient is not finite. Adds its evaluations of the density to `evaluations`:
/// 2 d + 1, and up to 2 (d - 1) for each time that widths are tried.
double log_mass_on_sphere(const DensityEvaluator& density, const Whitened& white, const double* x,
                          std::size_t& evaluations);

}  // namespace manychain
