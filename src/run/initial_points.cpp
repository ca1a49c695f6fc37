#include "run/initial_points.hpp"

#include <cmath>
#include <string>

#include "manychain/core/error.hpp"

namespace manychain {

void require_initial_points(const Layout& layout, const Settings& settings) {
  const std::size_t dimension = layout.dimension;
  if (!settings.initial_points.empty() && settings.initial_points.size() != dimension * settings.chains)
    throw BadInput(
        "Settings::initial_points must hold dimension x chains = " + std::to_string(dimension * settings.chains) +
        " values, found " + std::to_string(settings.initial_points.size()));
  for (std::size_t i = 0; i < settings.initial_points.size(); ++i)
    if (const std::size_t d = i / settings.chains;
        layout.integers && layout.integer[d] && settings.initial_points[i] != std::floor(settings.initial_points[i]))
      throw BadInput("Settings::initial_points: " + layout.unconstrained_names[d] + " is a whole number; chain " +
                     std::to_string(i % settings.chains) + " starts at " + std::to_string(settings.initial_points[i]));
}

}  // namespace manychain
