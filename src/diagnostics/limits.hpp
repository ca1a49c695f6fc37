// Limits that draws must keep to before anybody believes them, in a run's own verdict and in that on draws from files.
#pragma once

#include <cstddef>

namespace manychain::diagnostics {

inline constexpr double rhat_limit = 1.01;      // Vehtari and others 2021
inline constexpr double ess_limit = 400;        // likewise: 100 for each of four chains
inline constexpr double ebfmi_limit = 0.3;      // Stan's
inline constexpr std::size_t ebfmi_draws = 50;  // of a chain; fewer cannot tell
/// The share of accept decisions that single precision changes: the user is told above it.
inline constexpr double precision_error_limit = 0.01;

}  // namespace manychain::diagnostics
