// What the energies of a run say.
#pragma once

#include <vector>

#include "diagnostics/limits.hpp"
#include "diagnostics/streaming_summary.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

/// One a chain, as diagnostics::ebfmi() defines it, without copying the energies.
inline std::vector<double> stored_ebfmi(const Draws& stats) {
  struct Sums {
    double origin = 0, last = 0, steps = 0, sum = 0, squares = 0;
  };
  std::vector<Sums> chains(stats.chains);
  for (std::size_t d = 0; d < stats.draws; ++d) {
    for (std::size_t c = 0; c < stats.chains; ++c) {
      Sums& s = chains[c];
      const double e = stats(d, energy_row, c);
      if (d == 0) s.origin = s.last = e;
      s.steps += (e - s.last) * (e - s.last);
      s.sum += e - s.origin;
      s.squares += (e - s.origin) * (e - s.origin);
      s.last = e;
    }
  }
  std::vector<double> ebfmi;
  for (const Sums& s : chains) ebfmi.push_back(diagnostics::streamed_ebfmi(s.steps, s.sum, s.squares, stats.draws));
  return ebfmi;
}

/// The chains whose energy moves too slowly, or not at all: a NaN is no pass. None of a run of a few draws, which
/// cannot tell.
inline std::vector<std::size_t> low_ebfmi_chains(const Result& result) {
  constexpr std::size_t enough = 50;
  std::vector<std::size_t> low;
  for (std::size_t c = 0; result.kept >= enough && c < result.ebfmi.size(); ++c)
    if (!(result.ebfmi[c] >= diagnostics::ebfmi_limit)) low.push_back(c);
  return low;
}

}  // namespace manychain
