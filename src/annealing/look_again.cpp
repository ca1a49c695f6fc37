#include "annealing/look_again.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "manychain/core/error.hpp"
#include "modes/look.hpp"

namespace manychain {
namespace {

constexpr std::size_t most_positions = 256;

/// Empty: no other mode was found, or none that holds some of the posterior.
std::optional<FoundReference> reference_with_more(const Model& model, const ReferenceWanted& paths,
                                                  const AnnealedTwice& first, std::size_t& evaluations) {
  const std::size_t d = model.layout().dimension, most = evaluations_of_look(model, gradients_for_look);
  if (most == 0) return {};
  const std::vector<double> positions = resampled_points(first.annealed, most_positions, paths.seed), none;
  Metric metric;
  metric.scale.assign(d, 1);  // the place measures them
  const Place place(positions, metric);
  if (!place.usable()) return {};
  LookWanted look{positions, none};
  look.seed = ~paths.seed;  // other points than those of the first look
  look.evaluations = most;
  look.threads = paths.threads;
  look.cancel = paths.cancel;
  const FoundModes found = look_for_modes(model, place, look);
  evaluations += found.evaluations;
  ReferenceWanted more = paths;
  for (const FoundMode& mode : found.modes)
    if (!mode.around && mode.chains == 0)
      more.from.emplace_back(mode.starts.begin(), mode.starts.begin() + static_cast<std::ptrdiff_t>(d));
  if (more.from.size() == paths.from.size()) return {};
  for (const ReferencePart& part : first.found.reference.parts())  // what the first look has found
    if (!part.wide) more.from.push_back(part.mean);
  FoundReference with_more = find_reference(model, more);
  evaluations += with_more.evaluations;
  if (with_more.modes <= first.found.modes) return {};
  return with_more;
}

}  // namespace

AnnealedTwice anneal_behind_two_looks(const Model& model, const ReferenceWanted& paths, const AnnealingWanted& wanted,
                                      const std::function<Reference(const FoundReference&)>& reference) {
  std::size_t evaluations = 0;
  const auto follow = [&](FoundReference found) {
    AnnealedTwice way{std::move(found), {}, {}};
    const Reference from = reference ? reference(way.found) : way.found.reference;
    way.schedule = find_schedule(model, from, wanted);
    evaluations += way.schedule.evaluations;
    way.annealed = anneal(model, from, way.schedule, wanted);
    evaluations += way.annealed.evaluations;
    return way;
  };
  FoundReference found = find_reference(model, paths);
  evaluations += found.evaluations;
  AnnealedTwice way = follow(std::move(found));
  try {
    if (std::optional<FoundReference> more = reference_with_more(model, paths, way, evaluations))
      way = follow(std::move(*more));
  } catch (const SamplingFailed&) {  // a path came to where the density throws
    if (paths.cancel && paths.cancel->load()) throw;
  }
  way.evaluations = evaluations;
  return way;
}

}  // namespace manychain
