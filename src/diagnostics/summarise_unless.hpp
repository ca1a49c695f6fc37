// The summary of draws that end early: at the first variable that shows that more of them are needed.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

#include "manychain/diagnostics/draws.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// Tells of a variable and its summary if those of the others are not needed. Called by several threads.
using Suffices = std::function<bool(std::size_t variable, const VariableSummary&)>;

/// As summarise() of all variables, and with k-hat where draws in order have it at hand. Begins with those of
/// most_suspect_first(). Ends with nothing once one suffices, or `cancel` is true.
template <class Number>
std::vector<VariableSummary> summarise_unless(const Suffices& suffices, const DrawsView<Number>& draws, int threads,
                                              std::size_t superchains, const std::atomic<bool>* cancel);

}  // namespace manychain::diagnostics
