// The diagnostic of the energies of a run.
#pragma once

#include <vector>

#include "diagnostics/energy.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

/// E-BFMI, one per chain, without copying the energies.
inline std::vector<double> stored_ebfmi(const Draws& stats) {
  return diagnostics::ebfmi_of([&](std::size_t d, std::size_t c) { return stats(d, energy_row, c); }, stats.draws,
                               stats.chains);
}

}  // namespace manychain
