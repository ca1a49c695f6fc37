// What only a run knows of itself: precision, and evaluations that a foreign density rejected.
#pragma once

#include <string>
#include <vector>

#include "manychain/diagnostics/verdict.hpp"

namespace manychain::diagnostics {

/// "0.5 %", or "less than 0.01 %".
std::string share(double part, double whole);

/// Adds what there is to say.
void add_run_findings(const RunFacts& run, std::vector<Finding>& findings);

}  // namespace manychain::diagnostics
