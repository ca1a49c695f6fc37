// The last few numbers of streaming diagnostics, from the sums of all chains. Formulae: docs/diagnostics.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "diagnostics/score_map.hpp"
#include "diagnostics/segments.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// One output of all chains, on the host.
template <class Number>
struct StreamedOutput {
  const Number* sums = nullptr;  ///< [segment][sums_kept][stride]
  std::size_t stride = 0;
  std::size_t chains = 0;
  std::uint64_t draws = 0;      ///< of each chain
  std::size_t superchains = 0;  ///< chain c is of superchain c mod this; fewer than 2: there are none
  std::size_t groups = 1;       ///< of equally many chains, which lie one group after the other
  const FrozenMap* map = nullptr;
  const std::uint64_t* histogram = nullptr;  ///< [bin_count]
};

/// Undefined statistics are NaN: constant outputs, sums that are not finite, R-hat of fewer than two halves or three
/// draws a half. ess_tail is always NaN.
template <class Number>
VariableSummary summarise_streamed(const StreamedOutput<Number>& output, const Segments& segments);

/// E-BFMI of one chain from its sums over `draws` draws.
double streamed_ebfmi(double steps, double sum, double squares, std::uint64_t draws);

}  // namespace manychain::diagnostics
