// Findings that only a run knows: precision, evaluations that a foreign density rejected, and why chains do not agree.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "manychain/diagnostics/verdict.hpp"

namespace manychain::diagnostics {

/// "0.5 %", or "less than 0.01 %".
std::string share(double part, double whole);

/// Adds what there is to say of precision, rejections, log likelihoods and the metric of a run of `chains` chains.
void add_run_findings(const RunFacts& run, std::size_t chains, std::vector<Finding>& findings);

/// Puts before all other findings why chains do not agree: a posterior that the precision cuts off, several modes, a
/// density that ends next to the draws. Chains that agree all the same may miss nothing: the last two are warnings
/// then.
void add_causes(const RunFacts& run, std::vector<Finding>& findings);
/// The name of the first of these findings; empty: there is none.
std::string cause_of(const RunFacts& run);

}  // namespace manychain::diagnostics
