#include "sampling/unreached_tail.hpp"

#include <algorithm>
#include <cmath>

#include "diagnostics/run_findings.hpp"
#include "modes/tail.hpp"
#include "run/defaults.hpp"
#include "sampling/missed_modes.hpp"
#include "starts/each_path.hpp"

namespace manychain {
namespace {

constexpr std::size_t fewest_evaluations_for_tail = 1024;
constexpr std::size_t times_of_look = 16;  // evaluations, where there is a tail
constexpr double out_of_reach = 0.2;       // of a standard deviation
// The longest stable step of the integrator of two stages is 2.6, that of the leapfrog method 2.
constexpr double leapfrog_of_two_stages = 0.78;

}  // namespace

std::optional<UnreachedTail> look_for_tail(const Model& model, const Place& place, const Settings& settings,
                                           const GroupTuning& tuning, const LookWanted& look,
                                           std::size_t& evaluations) {
  if (look.evaluations < fewest_evaluations_for_tail || tuning.leaves) return std::nullopt;
  TailWanted wanted{look.positions};
  wanted.step_size = tuning.step_size * (tuning.integrator == Integrator::two_stage ? leapfrog_of_two_stages : 1.0);
  wanted.trajectory = tuning.trajectory;
  wanted.transitions = static_cast<double>(settings.chains * std::min(first_look, *settings.sampling.draws));
  wanted.evaluations = times_of_look * look.evaluations;
  wanted.seed = settings.seed;
  const DensityEvaluator density =
      detail::evaluator_of(model, {{}, 0, settings.seed, 0, look.threads, look.cancel, true});
  const std::optional<FoundTail> found = find_tail(density, place, wanted, evaluations);
  if (!found) return std::nullopt;
  UnreachedTail tail = *found;
  tail.means = parameters_at(model, found->middle, settings.seed);
  return tail;
}

bool draws_show_tail(const std::optional<UnreachedTail>& tail, const Settings& settings, std::size_t draws) {
  if (!tail || tail->refused) return true;
  const double each = static_cast<double>(settings.chains) * static_cast<double>(settings.sampling.thin),
               most = static_cast<double>(*settings.sampling.draws);
  return !(sd_error_of_tail(*tail, each * static_cast<double>(draws)) > wanted_error_of_tail) ||
         sd_error_of_tail(*tail, each * most) > out_of_reach;
}

diagnostics::TailFacts tail_facts(const Result& result) {
  const std::optional<UnreachedTail>& tail = result.posterior.modes.tail;
  if (!tail) return {};
  const double kept = static_cast<double>(result.kept),
               transitions = kept * static_cast<double>(result.settings.chains) *
                             static_cast<double>(result.settings.sampling.thin),
               error = sd_error_of_tail(*tail, transitions);
  diagnostics::TailFacts facts;
  facts.refused = tail->refused;
  if (!facts.refused && !(error > small_error_of_tail) && tail->shorter == 1) return {};
  facts.where = "about " + diagnostics::share(tail->share, 1) + " of the posterior lies in a tail" +
                farthest_from_draws(result, tail->means);
  facts.shorter = tail->shorter;
  facts.acceptance = tail->acceptance;
  facts.at_most = tail->none_left;
  facts.visits = visits_of_tail(*tail, transitions);
  facts.sd_error = error;
  if (error > small_error_of_tail)
    facts.draws =
        static_cast<std::size_t>(std::ceil(kept * error * error / (wanted_error_of_tail * wanted_error_of_tail)));
  return facts;
}

}  // namespace manychain
