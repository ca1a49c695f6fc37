#include "annealing/look_again.hpp"

#include <utility>
#include <vector>

#include "manychain/core/error.hpp"
#include "modes/look.hpp"

namespace manychain {
namespace {

constexpr std::size_t most_positions = 256, most_ways = 4;

class Ways {
 public:
  Ways(const Model& model, const ReferenceWanted& paths, const AnnealingWanted& wanted,
       const std::function<Reference(const FoundReference&)>& reference)
      : model_(model), paths_(paths), wanted_(wanted), reference_(reference) {}

  AnnealedWay operator()() {
    AnnealedWay way = follow(find_reference(model_, paths_));
    try {
      for (std::size_t number = 1; number < most_ways; ++number) {
        const std::vector<FoundMode> others = modes_without_particles(way, number);
        if (others.empty()) break;
        FoundReference more = reference_with(others, way.found);
        if (more.centres.size() <= way.found.centres.size()) break;  // they hold none of the posterior, or are known
        way = follow(std::move(more));
      }
    } catch (const SamplingFailed&) {  // a path came to where the density throws
      if (paths_.cancel && paths_.cancel->load()) throw;
    }
    way.evaluations = evaluations_;
    return way;
  }

 private:
  AnnealedWay follow(FoundReference found) {
    evaluations_ += found.evaluations;
    AnnealedWay way{std::move(found), {}, {}};
    const Reference from = reference_ ? reference_(way.found) : way.found.reference;
    way.schedule = find_schedule(model_, from, wanted_);
    way.annealed = anneal(model_, from, way.schedule, wanted_);
    evaluations_ += way.schedule.evaluations + way.annealed.evaluations;
    return way;
  }

  /// Those with a part of the posterior that matters. `number`: of the look, whose points are its own.
  std::vector<FoundMode> modes_without_particles(const AnnealedWay& way, std::size_t number) {
    const std::size_t d = model_.layout().dimension, most = evaluations_of_look(model_);
    if (most == 0) return {};
    const std::vector<double> positions = resampled_points(way.annealed, most_positions, paths_.seed), none;
    Metric metric;
    metric.scale.assign(d, 1);  // the place measures them
    const Place place(positions, metric);
    if (!place.usable()) return {};
    LookWanted look{positions, none};
    look.log_mass = way.annealed.log_z;
    look.seed = ~paths_.seed + (number - 1);
    look.evaluations = most;
    look.threads = paths_.threads;
    look.cancel = paths_.cancel;
    FoundModes found = look_for_modes(model_, place, look);
    evaluations_ += found.evaluations;
    std::erase_if(found.modes, [](const FoundMode& mode) { return mode.around || mode.chains > 0; });
    return std::move(found.modes);
  }

  FoundReference reference_with(const std::vector<FoundMode>& others, const FoundReference& found) const {
    ReferenceWanted more = paths_;
    const auto d = static_cast<std::ptrdiff_t>(model_.layout().dimension);
    for (const FoundMode& mode : others) more.from.emplace_back(mode.starts.begin(), mode.starts.begin() + d);
    more.from.insert(more.from.end(), found.centres.begin(), found.centres.end());
    return find_reference(model_, more);
  }

  const Model& model_;
  const ReferenceWanted& paths_;
  const AnnealingWanted& wanted_;
  const std::function<Reference(const FoundReference&)>& reference_;
  std::size_t evaluations_ = 0;
};

}  // namespace

AnnealedWay anneal_behind_looks(const Model& model, const ReferenceWanted& paths, const AnnealingWanted& wanted,
                                const std::function<Reference(const FoundReference&)>& reference) {
  return Ways(model, paths, wanted, reference)();
}

}  // namespace manychain
