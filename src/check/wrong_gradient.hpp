// A look at the gradient that each run takes, where its chains are: check_gradient() sees far smaller faults.
#pragma once

#include <string>
#include <vector>

#include "manychain/chain/program.hpp"

namespace manychain {

/// "8.85 by the gradient and 0.38 by differences of the density (6 of 6 lines)", of the line with the largest fault,
/// or nothing. Along two lines through each of `points`, [point][dimension], the derivative by the gradient is compared
/// with central differences of two steps, a 10^-4 of `scales` and a quarter of it. Lines on which these differ by 1 %
/// tell nothing, as where the density rounds or jumps. A gradient is wrong if on most of at least three lines it is off
/// by 0.15 of the sizes of the derivative and of the terms that it is the sum of. Takes nine evaluations a point.
std::string wrong_gradient(const DensityEvaluator& density, const std::vector<double>& points,
                           const std::vector<double>& scales);

}  // namespace manychain
