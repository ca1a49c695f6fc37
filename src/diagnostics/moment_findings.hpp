// Findings on moments: those that the tails deny, and sds that are not precise though ranks agree.
#pragma once

#include <cstddef>
#include <vector>

#include "diagnostics/listed_quantities.hpp"
#include "manychain/diagnostics/verdict.hpp"

namespace manychain::diagnostics {

/// The largest standard error of an sd, over the sd, that is passed over. The limit of the bulk ESS asks the same of a
/// mean: 1 / sqrt(400).
constexpr double largest_sd_error = 0.05;

/// True if the standard error of the sd is above `limit` of it, which more draws cure: no tail denies the sd. `all`:
/// draws of all chains.
bool imprecise_sd(const VariableSummary& s, std::size_t all, double limit = largest_sd_error);

/// Adds what there is to say of means and sds. `agree`: R-hat tells no chains apart.
void add_moment_findings(const Facts& facts, const ListedQuantities& listed, bool agree,
                         std::vector<Finding>& findings);

}  // namespace manychain::diagnostics
