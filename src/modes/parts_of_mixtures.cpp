#include "modes/parts_of_mixtures.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "manychain/chain/mixture_parts.hpp"
#include "manychain/chain/program.hpp"
#include "starts/each_path.hpp"

namespace manychain {
namespace {

DensityEvaluator evaluator_of_part(MixtureParts& parts, std::size_t choice, std::size_t d,
                                   const std::atomic<bool>* cancel) {
  const DensityEvaluator evaluate = [&parts, choice, d, slope = std::vector<double>(d)](
                                        const double* points, std::size_t count, double* log_densities,
                                        double* gradients) mutable {
    for (std::size_t k = 0; k < count; ++k)
      log_densities[k] = parts.mixture_part(choice, points + k * d, gradients ? gradients + k * d : slope.data());
  };
  return detail::unless_cancelled(detail::zero_where_it_throws(evaluate, d), cancel);
}

}  // namespace

PartsOfMixtures follow_parts_of_mixtures(const Model& model, const std::vector<double>& from,
                                         const StartsWanted& wanted, std::size_t most) {
  PartsOfMixtures found;
  const std::unique_ptr<MixtureParts> parts = model.bound().mixture_parts();
  if (!parts) return found;
  const std::size_t d = model.layout().dimension, choices = parts->mixture_choices(from.data());
  PathfinderPlan plan;
  const std::size_t of_hessian = std::min(d, plan.most_dense);  // it is measured before a path begins
  for (std::size_t choice = 0; choice < choices && found.evaluations + 2 * of_hessian <= most; ++choice) {
    plan.max_evaluations = std::min(PathfinderPlan().max_evaluations, most - found.evaluations);
    Path path = pathfinder(evaluator_of_part(*parts, choice, d, wanted.cancel), from, wanted.seed,
                           wanted.first_path + choice, plan);
    found.evaluations += path.evaluations;
    const bool known = std::any_of(found.paths.begin(), found.paths.end(),
                                   [&](const Path& other) { return other.found && path.found && alike(path, other); });
    if (!known) found.paths.push_back(std::move(path));
  }
  return found;
}

}  // namespace manychain
