// Advice on findings of the verdict: which setting to change, and to which value. Each sentence is followed in
// tests/unit/run/advice_test.cpp.
#pragma once

#include <cstddef>
#include <string>

#include "manychain/diagnostics/verdict.hpp"

namespace manychain::diagnostics {

/// Asks for smaller steps. A step size alone would switch all adaptation off, so that the rate that warm-up aims for is
/// raised: a third of the way that is left to 1. "Raise Settings::warmup.target_acceptance (now 0.85) to 0.95." Empty:
/// nothing was tuned, or the rate is that high.
std::string smaller_steps(const RunFacts& run);
/// Asks for a longer warm-up: "Raise Settings::warmup.transitions (now 20) to 300."
std::string longer_warmup(const RunFacts& run);
/// Asks for more points in the windows of warm-up than `chains` chains gave: "Raise Settings::chains (now 4) to 200."
/// A warm-up that is shorter than a default run's is lengthened first.
std::string more_points(const RunFacts& run, std::size_t chains);
/// Asks for so many times the draws, of which `ess` are worth an independent one: "Raise Settings::sampling.draws (now
/// 40) to 80, Settings::chains (now 256) to 512 or Settings::sampling.thin (now 1) to 2." Draws that are nearly
/// independent are not thinned.
std::string more_draws(const Facts& facts, double times, double ess);
/// Asks for the same where R-hat falls as chains become longer, not as they become more.
std::string longer_chains(const Facts& facts, double times);
/// Nested R-hat, and the errors of means, want no fewer (docs/diagnostics.md).
constexpr std::size_t fewest_superchains = 8;
/// Asks for as many superchains as a default run has, at least 8, which takes 16 chains: "Take
/// Settings::superchains 16."
std::string with_superchains(std::size_t chains);
/// Asks for less bias of a sampler whose step causes it: "Halve Settings::sampling.step_size (now 0.5) to 0.25 and
/// compare."
std::string less_bias(const RunFacts& run);
/// Says where to look for log densities, gradients or outputs that are not finite.
std::string finite_values(const RunFacts& run, const std::string& where);

}  // namespace manychain::diagnostics
