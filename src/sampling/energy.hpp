// The diagnostic of the energies of a run.
#pragma once

#include <vector>

#include "diagnostics/energy.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

/// E-BFMI, one per chain, without copying the energies. `row`: their place among the statistics.
inline std::vector<double> stored_ebfmi(const Draws& stats, std::size_t row = energy_row) {
  return diagnostics::ebfmi_of([&](std::size_t d, std::size_t c) { return stats(d, row, c); }, stats.draws,
                               stats.chains);
}

}  // namespace manychain
