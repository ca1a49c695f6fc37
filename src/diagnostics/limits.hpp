// Limits that draws must keep to before anybody believes them, in a run's own verdict and in that on draws from files.
#pragma once

#include <algorithm>
#include <cstddef>

namespace manychain::diagnostics {

inline constexpr double rhat_limit = 1.01;  // Vehtari and others 2021
inline constexpr double ess_limit = 400;    // likewise: 100 for each of four chains
/// The ESS over the number of chains at which a run ends by itself. Chains that do not move have one of 1.0 to 1.7:
/// then the ESS counts chains, and their agreement says no more than that their starts agreed.
inline constexpr double ess_of_chain = 3;
inline constexpr double ebfmi_limit = 0.3;      // Stan's
inline constexpr std::size_t ebfmi_draws = 50;  // of a chain; fewer cannot tell
/// Replicas that come from the reference to the posterior, of a run whose chains temper: one of each chain, and as many
/// as effective draws are asked for. Each brings a draw of its own.
inline std::size_t wanted_restarts(std::size_t chains) { return std::max(static_cast<std::size_t>(ess_limit), chains); }
/// The share of accept decisions that single precision changes: the user is told above it.
inline constexpr double precision_error_limit = 0.01;

}  // namespace manychain::diagnostics
