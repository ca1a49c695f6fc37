#include "diagnostics/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace manychain::diagnostics {
namespace {

constexpr double highest_rate = 0.99;      // above it steps become small faster than divergences become fewer
constexpr std::size_t usual_warmup = 300;  // a default run's, at most
constexpr std::size_t usual_superchains = 16;
constexpr double most_times = 100;

/// Goes a third of the way that is left to 1, which keeps two digits.
double nearer_to_1(double rate) {
  const double left = (1 - rate) / 3, unit = std::pow(10.0, std::floor(std::log10(left)) - 1);
  return 1 - std::round(left / unit) * unit;
}

/// Rounds up; a NaN is as little as two times.
std::size_t whole(double times) {
  return static_cast<std::size_t>(std::ceil(std::clamp(times >= 2 ? times : 2, 2.0, most_times)));
}

std::string raised(const char* path, std::size_t now, std::size_t times) {
  return fmt::format("Settings::{} (now {}) to {}", path, now, times * now);
}

/// Advice on the draws of a cancelled run: `times` those that are kept. Empty for other runs.
std::string longer_after_cancelling(const Facts& facts, std::size_t times) {
  if (!facts.cancelled || facts.draws >= facts.draws_planned) return "";
  const std::size_t enough = times * facts.draws;
  if (enough <= facts.draws_planned)
    return fmt::format("Let it run on: {} of the {} draws of each chain are enough.", enough, facts.draws_planned);
  return fmt::format("Raise Settings::sampling.draws (now {}) to {}.", facts.draws_planned, enough);
}

}  // namespace

std::string smaller_steps(const RunFacts& run) {
  if (run.fixed_step) return "Leave out Settings::sampling.step_size, so that warm-up adapts the step.";
  const double next = nearer_to_1(run.target_acceptance);
  if (!(next <= highest_rate)) return "";
  return fmt::format("Raise Settings::warmup.target_acceptance (now {:.3g}) to {:.3g}.", run.target_acceptance, next);
}

std::string longer_warmup(const RunFacts& run) {
  return fmt::format("Raise Settings::warmup.transitions (now {}) to {}.", run.warmup,
                     std::max(2 * run.warmup, usual_warmup));
}

std::string more_points(const RunFacts& run, std::size_t chains) {
  if (run.fixed_step) return "Leave out Settings::sampling.step_size, so that warm-up adapts the metric.";
  if (run.warmup < usual_warmup) return longer_warmup(run);
  // Chains of which each gives several points may be enough already, but for those that are stuck.
  const std::size_t times =
      std::max<std::size_t>(2, (run.chains_for_dense + chains - 1) / std::max<std::size_t>(chains, 1));
  return run.given_starts ? longer_warmup(run) : "Raise " + raised("chains", chains, times) + ".";
}

std::string more_draws(const Facts& facts, double times, double ess) {
  const std::size_t n = whole(times);
  if (const std::string longer = longer_after_cancelling(facts, n); !longer.empty()) return longer;
  const bool thinning_helps = ess * static_cast<double>(n) <= static_cast<double>(facts.draws * facts.chains);
  const std::string thin = thinning_helps ? " or " + raised("sampling.thin", facts.run->thin, n) : "";
  const std::string chains =
      facts.run->given_starts ? "" : (thinning_helps ? ", " : " or ") + raised("chains", facts.chains, n);
  return "Raise " + raised("sampling.draws", facts.run->draws, n) + chains + thin + ".";
}

std::string longer_chains(const Facts& facts, double times) {
  const std::size_t n = whole(times);
  if (const std::string longer = longer_after_cancelling(facts, n); !longer.empty()) return longer;
  return "Raise " + raised("sampling.draws", facts.run->draws, n) + " or " +
         raised("sampling.thin", facts.run->thin, n) + ".";
}

std::string with_superchains(std::size_t chains) {
  return fmt::format("Take Settings::superchains {}.", std::clamp(chains / 4, fewest_superchains, usual_superchains));
}

std::string less_bias(const RunFacts& run) {
  if (run.scheduled) return "Halve the first number of Settings::sampling.schedule and compare.";
  if (run.fixed_step)
    return fmt::format("Lower Settings::sampling.step_size (now {:.3g}) to {:.3g} and compare.", run.step_size,
                       run.step_size / 2);
  return smaller_steps(run).empty() ? "" : smaller_steps(run) + " Then compare.";
}

std::string finite_values(const RunFacts& run, const std::string& where) {
  const std::string look = "look at where " + where + " of the model are defined, and at its priors and scales.";
  if (run.precision_double) return static_cast<char>(std::toupper(look[0])) + look.substr(1);
  return "Take Settings::precision double; if that does not help, " + look;
}

}  // namespace manychain::diagnostics
