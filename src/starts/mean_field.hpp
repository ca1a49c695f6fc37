// Normal approximations with independent components, where the mode says nothing of the posterior: the density of a
// hierarchy is highest far in its neck, a spike that holds next to nothing, and a path that climbs ends there.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "starts/measured_hessian.hpp"

namespace manychain {

struct MeanField {
  std::vector<double> mean, sds;
};

/// Maximises the evidence lower bound over a fixed set of draws, eight and their negatives (Giordano, Ingram and
/// Broderick 2024, Black box variational inference with a deterministic objective, JMLR 25(18), section 3), by L-BFGS
/// in means and log sds from `from`. The entropy keeps it out of spikes. `draw(k)` gives standard normals, one for each
/// dimension. Ends where a fresh start of L-BFGS gains next to nothing, or after `max_evaluations` of `f`.
MeanField fit_mean_field(NegativeLogDensity& f, const MeanField& from,
                         const std::function<std::vector<double>(std::size_t)>& draw, std::size_t max_evaluations);

}  // namespace manychain
