#include "annealing/look_again.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "manychain/core/error.hpp"
#include "modes/look.hpp"

namespace manychain {
namespace {

constexpr std::size_t most_positions = 256, most_ways = 4;
constexpr std::uint64_t first_look_again = 16, looks_of_way = 4;  // numbers: behind those of find_reference()

class Ways {
 public:
  Ways(const Model& model, const ReferenceWanted& paths, const AnnealingWanted& wanted,
       const std::function<Reference(const FoundReference&)>& reference)
      : model_(model), paths_(paths), wanted_(wanted), reference_(reference) {}

  AnnealedWay operator()() {
    FoundReference first = find_reference(model_, paths_);
    evaluations_ += first.evaluations;
    AnnealedWay way = follow(std::move(first));
    try {
      for (std::size_t number = 1; number < most_ways; ++number) {
        const std::vector<FoundMode> others = modes_without_particles(way, number);
        if (others.empty()) break;
        FoundReference more = reference_with(others, way.found, number);
        evaluations_ += more.evaluations;
        const bool joined = std::any_of(others.begin(), others.end(), [&](const FoundMode& mode) {
          return points_in(mode, flat(more.centres)) > 0 && points_in(mode, flat(way.found.centres)) == 0;
        });
        if (!joined) break;  // they hold none of the posterior, or are known
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
    AnnealedWay way{std::move(found), {}, {}};
    const Reference from = reference_ ? reference_(way.found) : way.found.reference;
    way.schedule = find_schedule(model_, from, wanted_);
    way.annealed = anneal(model_, from, way.schedule, wanted_);
    evaluations_ += way.schedule.evaluations + way.annealed.evaluations;
    return way;
  }

  /// Modes with a part of the posterior that matters. `number`: of the way.
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
    look.seed = paths_.seed;
    look.number = first_look_again + looks_of_way * number;
    look.evaluations = most;
    look.threads = paths_.threads;
    look.cancel = paths_.cancel;
    FoundModes found = look_for_modes(model_, place, look);
    evaluations_ += found.evaluations;
    std::erase_if(found.modes, [&](const FoundMode& mode) { return mode.around || points_in(mode, positions) > 0; });
    return std::move(found.modes);
  }

  FoundReference reference_with(const std::vector<FoundMode>& others, const FoundReference& found,
                                std::size_t number) const {
    ReferenceWanted more = paths_;
    more.first_look = first_look_again + looks_of_way * number + 1;
    more.most_looks = 1;
    const auto d = static_cast<std::ptrdiff_t>(model_.layout().dimension);
    for (const FoundMode& mode : others) more.from.emplace_back(mode.starts.begin(), mode.starts.begin() + d);
    more.from.insert(more.from.end(), found.centres.begin(), found.centres.end());
    return find_reference(model_, more);
  }

  static std::vector<double> flat(const std::vector<std::vector<double>>& points) {
    std::vector<double> all;
    for (const std::vector<double>& point : points) all.insert(all.end(), point.begin(), point.end());
    return all;
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
