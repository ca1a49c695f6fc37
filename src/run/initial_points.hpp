// Starting points that a user gives.
#pragma once

#include <string>
#include <vector>

#include "manychain/model/data/layout.hpp"
#include "manychain/run/settings.hpp"

namespace manychain {

/// Throws BadInput unless there are none, or as many as all chains need, and whole where the model counts.
void require_initial_points(const Layout& layout, const Settings& settings);

}  // namespace manychain
