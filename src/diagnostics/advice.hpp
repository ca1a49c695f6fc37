// Advice on findings of the verdict: which setting to change, and to which value. Each sentence is followed in
// tests/unit/run/advice_test.cpp.
#pragma once

#include <string>

#include "manychain/diagnostics/verdict.hpp"

namespace manychain::diagnostics {

/// For smaller steps. A step size alone would switch all adaptation off, so that the rate that warm-up aims for is
/// raised: a third of the way that is left to 1. "Raise Settings::target_acceptance (now 0.85) to 0.95." Empty: nothing
/// was tuned, or the rate is that high.
std::string smaller_steps(const RunFacts& run);
/// "Raise Settings::warmup (now 20) to 300."
std::string longer_warmup(const RunFacts& run);
/// For so many times the draws, of which `ess` are worth an independent one: "Raise Settings::draws (now 40) to 80,
/// Settings::chains (now 256) to 512 or Settings::thin (now 1) to 2." Draws that are nearly independent are not
/// thinned.
std::string more_draws(const Facts& facts, double times, double ess);
/// The same for an R-hat that falls as chains become longer, not as they become more.
std::string longer_chains(const Facts& facts, double times);
/// For a sampler that is biased by its step: "Halve Settings::step_size (now 0.5) to 0.25 and compare."
std::string less_bias(const RunFacts& run);
/// For log densities, gradients or outputs that are not finite.
std::string finite_values(const RunFacts& run, const std::string& where);

}  // namespace manychain::diagnostics
