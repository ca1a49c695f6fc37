#include "annealing/look_again.hpp"

#include <cmath>

#include "modes/look.hpp"

namespace manychain {
namespace {

constexpr std::size_t most_positions = 256;

/// Standard deviations of components of points, [point][dimension].
std::vector<double> spreads(const std::vector<double>& points, std::size_t d) {
  const std::size_t n = points.size() / d;
  std::vector<double> sds(d);
  for (std::size_t i = 0; i < d; ++i) {
    double mean = 0, squares = 0;
    for (std::size_t k = 0; k < n; ++k) mean += points[k * d + i] / static_cast<double>(n);
    for (std::size_t k = 0; k < n; ++k) squares += (points[k * d + i] - mean) * (points[k * d + i] - mean);
    sds[i] = std::sqrt(squares / static_cast<double>(n));
  }
  return sds;
}

}  // namespace

std::optional<FoundReference> reference_with_more(const Model& model, const ReferenceWanted& wanted,
                                                  const FoundReference& known, const Annealed& annealed) {
  const std::size_t d = model.layout().dimension, evaluations = evaluations_of_look(model, gradients_for_look);
  if (evaluations == 0) return {};
  const std::vector<double> positions = resampled_points(annealed, most_positions, wanted.seed), none;
  Metric metric;
  metric.scale = spreads(positions, d);
  const Place place(positions, metric);
  if (!place.usable()) return {};
  LookWanted look{positions, none};
  look.seed = ~wanted.seed;  // other points than those of the first look
  look.evaluations = evaluations;
  look.threads = wanted.threads;
  look.cancel = wanted.cancel;
  const FoundModes found = look_for_modes(model, place, look);
  ReferenceWanted more = wanted;
  for (const FoundMode& mode : found.modes)
    if (!mode.around && mode.chains == 0)
      more.from.emplace_back(mode.starts.begin(), mode.starts.begin() + static_cast<std::ptrdiff_t>(d));
  if (more.from.size() == wanted.from.size()) return {};
  FoundReference with_more = find_reference(model, more);
  if (with_more.modes <= known.modes) return {};
  with_more.evaluations += known.evaluations + found.evaluations;
  return with_more;
}

}  // namespace manychain
