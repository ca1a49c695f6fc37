// The summary of draws in the memory of a device, with the number of draws of a variable from which the host computes
// it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// Places of a variable's draws have 32 bits on a device, and so have ranks, twice as large where draws tie.
inline constexpr std::size_t most_device_draws = std::numeric_limits<std::uint32_t>::max() / 2;

/// As manychain::summarise_on_device(). Variables of `most` draws or more are copied to the host, one after the other.
template <class Number>
std::vector<VariableSummary> summarise_on_device(const DrawsView<Number>& draws, std::size_t most,
                                                 std::size_t superchains, const std::atomic<bool>* cancel);

}  // namespace manychain::diagnostics
