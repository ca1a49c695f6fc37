#include "manychain/run/evidence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <optional>

#include "annealing/annealing.hpp"
#include "annealing/find_reference.hpp"
#include "annealing/look_again.hpp"
#include "annealing/weighed_modes.hpp"
#include "calibration/prior.hpp"
#include "check/uniform_points.hpp"
#include "core/threads.hpp"
#include "diagnostics/weights.hpp"
#include "manychain/chain/model_terms.hpp"
#include "manychain/chain/prior_density.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "sampling/annealed_starts.hpp"
#include "sampling/watch.hpp"

namespace manychain {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t paths = 16;
constexpr std::size_t chains_of_start = 8;  // nested R-hat judges chains so short, plain R-hat does not
constexpr double standard_errors = 4, least_difference = 0.01;
constexpr double prior_differs = 0.05;  // what is smaller may be a tail that particles hardly reach
constexpr double large_error = 0.5, few_weights = 50;
// A factor of standard deviations, which are 1.25 of those that paths have found: back from the posterior the reference
// must have no mass where draws hardly are.
constexpr double narrower = 0.64;
constexpr std::size_t temperatures_back = 32;
constexpr std::uint64_t first_particle = std::uint64_t{1} << 29;  // others than those that put chains at their starts

LogIntegral integral_of(const Annealed& annealed) {
  LogIntegral integral{annealed.log_z, annealed.error, annealed.ess};
  if (annealed.resampled > 0) return integral;  // weights of an island are then the same
  std::vector<double> log_weights = annealed.log_weights;
  integral.khat = diagnostics::weight_quality(log_weights).khat;
  return integral;
}

/// One way of the annealing of a model, and all that the way back needs.
struct Way : AnnealedWay {
  AnnealingWanted wanted;
};

Way go(const Model& model, const Settings& settings, std::size_t particles) {
  AnnealingWanted wanted;
  wanted.particles = particles;
  wanted.seed = settings.seed;
  wanted.first = first_particle;
  wanted.threads = threads_of_setting(settings.threads);
  if (!model.bound().one_thread.empty()) wanted.threads = 1;
  wanted.cancel = settings.cancel;
  const std::size_t d = model.layout().dimension;
  const std::vector<double> points = uniform_points(model, paths, settings.warmup.initial_radius, settings.seed);
  ReferenceWanted from{{}, settings.seed, 0, wanted.threads, settings.cancel};
  for (std::size_t p = 0; p < paths; ++p)
    from.from.emplace_back(points.begin() + static_cast<std::ptrdiff_t>(p * d),
                           points.begin() + static_cast<std::ptrdiff_t>((p + 1) * d));
  return {anneal_behind_looks(model, from, wanted), wanted};
}

void require_evidence(const Model& model) {
  const std::string start = "no evidence of model " + model.name() + ": ";
  if (model.bound().foreign == "a Stan model")
    throw BadInput(start + "the density of a Stan model lacks constants (propto = true); write it as a header");
  if (!model.has_gradient() || model.layout().integers > 0)
    throw BadInput(start + "annealing follows gradients of all parameters, which it does not give");
}

/// True if the model has data terms: without them, all of its density is what is meant, and not a prior.
bool observes(const Model& model) {
  const std::unique_ptr<ModelTerms> terms = model.bound().terms();
  auto* const prior = dynamic_cast<PriorDensity*>(terms.get());
  return prior && !prior->observed(std::vector<double>(model.layout().dimension).data()).empty();
}

/// The integral of the prior, where the model tells it from its data.
void look_at_prior(const Model& model, const Settings& settings, Evidence& evidence) {
  try {
    const Model prior = prior_of(model);
    evidence.flat = improper_priors(prior, settings.seed);
    if (!evidence.flat.empty() || !observes(model)) return;
    evidence.prior = integral_of(go(prior, settings, evidence.particles).annealed);
  } catch (const BadInput&) {
    return;
  } catch (const SamplingFailed&) {
    return;
  }
  const LogIntegral& prior = evidence.prior;
  const bool known = !(prior.khat > diagnostics::most_khat_of_weights(evidence.particles)) && prior.ess > few_weights;
  evidence.prior_counts = known && std::fabs(prior.log_z) > std::max(standard_errors * prior.error, prior_differs);
}

/// Positions of chains in another order: those of a superchain stand together.
std::vector<double> by_superchains(const std::vector<double>& positions, std::size_t chains, std::size_t superchains) {
  const std::size_t d = positions.size() / chains, starts = superchains > 0 ? superchains : chains;
  std::vector<double> ordered;
  for (std::size_t k = 0; k < starts; ++k)
    for (std::size_t c = k; c < chains; c += starts)
      ordered.insert(ordered.end(), positions.begin() + static_cast<std::ptrdiff_t>(c * d),
                     positions.begin() + static_cast<std::ptrdiff_t>((c + 1) * d));
  return ordered;
}

/// Positions of chains at the end of a run that starts where annealing leads.
std::vector<double> draws_by_chains(const Model& model, Settings settings, Evidence& evidence) {
  settings.chains = evidence.particles;
  settings.warmup.starts = Starts::annealed;
  if (!settings.superchains && settings.warmup.initial_points.empty() &&
      evidence.particles % (chains_of_start * islands_of_annealing) == 0)
    settings.superchains = evidence.particles / chains_of_start;
  settings.output.keep_sample_stats = false;
  settings.backend = Backend::cpu;
  std::vector<double> positions;
  const auto watch = [&](const Engine& engine, const Watched& watched) {
    if (watched.sampling) positions = engine.points(settings.chains).positions;
  };
  const Result result = sample_watched(model, settings, watch);
  if (result.cancelled) throw SamplingFailed("cancelled");
  const diagnostics::Verdict verdict = result.verdict();
  if (!result.posterior.modes.missed.empty()) {
    for (const diagnostics::Finding& finding : verdict.findings)
      if (finding.what.rfind("Missed modes", 0) == 0) evidence.warnings.push_back(finding.what);
  } else if (const AnnealedStarts& starts = result.warmup.annealing;
             !result.converged && (starts.particles == 0 || starts.modes.size() == 1)) {
    evidence.warnings.push_back("The chains that the way back begins with have not converged: " +
                                verdict.texts(diagnostics::Severity::failure).front());
  }
  evidence.modes_in_words = weighed_modes_in_words(result);
  return by_superchains(positions, settings.chains, result.settings.superchains.value_or(0));
}

void warn_of(const LogIntegral& way, const char* name, Evidence& evidence) {
  const auto warn = [&](const std::string& what) { evidence.warnings.push_back(what); };
  if (way.error > large_error)
    warn(fmt::format("{}: the error of log Z is {:.2g}; take more chains.", name, way.error));
  else if (way.ess < few_weights)
    warn(fmt::format("{}: of {} weights effectively {:.0f} count; take more chains.", name, evidence.particles,
                     way.ess));
  else if (way.khat > diagnostics::most_khat_of_weights(evidence.particles))
    warn(fmt::format("{}: a few large weights decide (k-hat {:.2f}), and the error is not to be trusted.", name,
                     way.khat));
}

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

bool is_cancelled(const Settings& settings) { return settings.cancel && settings.cancel->load(); }

Evidence find_evidence(const Model& model, const Settings& settings) {
  const Clock::time_point begin = Clock::now();
  Evidence found;
  found.model = model.name();
  found.seed = settings.seed;
  found.particles = particles_for(model, settings.chains);
  if (settings.chains > 0)
    found.particles = (settings.chains + islands_of_annealing - 1) / islands_of_annealing * islands_of_annealing;
  found.chains = found.particles;
  found.as_written = !model.bound().terms();
  const Way way = go(model, settings, found.particles);
  found.forwards = integral_of(way.annealed);
  found.temperatures = way.schedule.inverse.size();
  found.barrier = way.schedule.barrier;
  if (!way.found.around_many) found.modes = weigh_modes(way.found, way.annealed).modes;
  const std::vector<double> draws = draws_by_chains(model, settings, found);
  const Reference narrow = narrowed(way.found.reference, narrower);
  AnnealingWanted other = way.wanted;
  other.first *= 2;
  other.fewest_temperatures = temperatures_back;
  const AnnealingSchedule down = find_schedule(model, narrow, other);
  const Annealed back = anneal_back(model, narrow, down, draws, other);
  found.backwards = integral_of(back);
  found.evaluations = way.evaluations + down.evaluations + back.evaluations;
  if (is_cancelled(settings)) throw SamplingFailed("cancelled");
  const double apart = std::fabs(found.forwards.log_z - found.backwards.log_z);
  found.agree = apart <= standard_errors * std::hypot(found.forwards.error, found.backwards.error) + least_difference;
  if (!found.agree)
    found.warnings.push_back(fmt::format(
        "The two ways disagree by {:.2g}: particles or chains have missed a part of the posterior, or too few "
        "particles reach it; take more chains.",
        apart));
  warn_of(found.forwards, "To the posterior", found);
  warn_of(found.backwards, "Back", found);
  look_at_prior(model, settings, found);
  if (!found.flat.empty())
    found.warnings.push_back(fmt::format(
        "No proper prior: {}. Z is the integral with a flat density there, on the unconstrained scale or on the one "
        "that the model writes; a Bayes factor of it has no meaning.",
        fmt::join(found.flat, ", ")));
  found.seconds = seconds_since(begin);
  return found;
}

}  // namespace

double Evidence::error() const { return prior_counts ? std::hypot(forwards.error, prior.error) : forwards.error; }

Evidence evidence(const Model& model, const Settings& settings) {
  require_evidence(model);
  settings.validate();
  try {
    return find_evidence(model, settings);
  } catch (const SamplingFailed&) {  // particles that have not gone on fail in ways of their own
    if (is_cancelled(settings)) throw SamplingFailed("cancelled");
    throw;
  }
}

}  // namespace manychain
