// The prior of a model as a model of its own: the density of its parameters without what it observes. The unit that
// checks a model has it, with a gradient (chain/prior_density.hpp); it is sampled as a foreign density.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "manychain/run/model.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

/// The message about a model without one, behind its name.
inline constexpr const char* no_prior =
    " does not tell its prior from its data: that takes a log_density() of terms with a gradient";

/// On the unconstrained scale, in double, on the CPU, from several threads. Its quantities are the unconstrained
/// components, by their names. Throws BadInput where the model is not written in terms, or has whole numbers.
Model prior_of(const Model& model);

/// improper_parameters() of a prior, at points that are uniform within Settings::warmup.initial_radius.
std::vector<std::string> improper_priors(const Model& prior, std::uint64_t seed);

/// `count` independent draws, [draw][dimension]: the last one of each chain of a run, whose chains are as many or more.
/// `divergences`: how many the run had. Throws BadInput where improper_priors() finds any, and where the run does
/// not converge, with what it says.
std::vector<double> prior_draws(const Model& prior, std::size_t count, const Settings& settings,
                                std::size_t* divergences = nullptr);

}  // namespace manychain
