// Starting points that a user gives.
#pragma once

#include <string>
#include <vector>

#include "manychain/model/layout.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

/// Throws BadInput unless there are none, or as many as all chains need, and whole where the model counts.
void require_initial_points(const Layout& layout, const Settings& settings);

/// An unconstrained point, its first 8 components: "mu = 0.5, tau = -1.2, ...".
std::string in_words(const Layout& layout, const std::vector<double>& position);

}  // namespace manychain
