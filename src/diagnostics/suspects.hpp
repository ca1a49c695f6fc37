// Which variables of an array of draws are likely to be the furthest from convergence, by little work.
#pragma once

#include <cstddef>
#include <vector>

#include "manychain/diagnostics/summary.hpp"

namespace manychain::diagnostics {

/// All variables, those first whose superchains (of single chains, if there are fewer than two) differ most, by the
/// means of their halves or of squares: ranks would say about the same, and take an order of draws. Draws whose chains
/// do not lie side by side keep their order.
template <class Number>
std::vector<std::size_t> most_suspect_first(const DrawsView<Number>& draws, std::size_t superchains);

}  // namespace manychain::diagnostics
