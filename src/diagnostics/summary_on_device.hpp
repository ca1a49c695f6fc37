// The summary of draws in the memory of a device, with the number of draws of a variable from which the host computes
// it.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// As manychain::summarise_on_device(). Variables of `most` draws or more are copied to the host, one after the other.
template <class Number>
std::vector<VariableSummary> summarise_on_device(const DrawsView<Number>& draws, std::size_t most,
                                                 std::size_t superchains, const std::atomic<bool>* cancel);

}  // namespace manychain::diagnostics
