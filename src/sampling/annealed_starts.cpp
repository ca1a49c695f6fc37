#include "sampling/annealed_starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "annealing/annealing.hpp"
#include "annealing/find_reference.hpp"
#include "annealing/weighed_modes.hpp"
#include "manychain/core/error.hpp"
#include "run/defaults.hpp"

namespace manychain {
namespace {

constexpr std::size_t most_paths = 16;
constexpr std::uint64_t numbered_particles = std::uint64_t{1} << 29;  // those of evidence() come behind them
constexpr std::size_t fewest_particles = 1024, fewest_if_expensive = 256;

/// [point][dimension], less the centre of the mode that each belongs to.
std::vector<double> deviations(const Annealed& annealed, const WeighedModes& weighed, std::uint64_t seed) {
  const std::size_t n = annealed.log_weights.size(), d = annealed.points.size() / n;
  Annealed around = annealed;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < d && weighed.member[k] < weighed.modes.size(); ++i)
      around.points[k * d + i] -= weighed.modes[weighed.member[k]].centre[i];
  return resampled_points(around, n, seed);
}

/// Gives each chain that found no finite density the position of another one.
void move_lost(std::vector<double>& positions, const std::vector<double>& bad) {
  const std::size_t chains = bad.size(), d = positions.size() / chains;
  std::size_t good = 0;
  for (std::size_t c = 0; c < chains; ++c) {
    if (bad[c] == 0) continue;
    for (std::size_t tried = 0; tried < chains && bad[good % chains] != 0; ++tried) ++good;
    for (std::size_t i = 0; i < d; ++i) positions[i * chains + c] = positions[i * chains + good % chains];
    ++good;
  }
}

}  // namespace

void require_annealing(const Model& model, const Settings& settings) {
  if (wants_annealing(settings) && !(model.has_gradient() && model.layout().integers == 0))
    throw BadInput("Settings::starts: annealed follows gradients of all parameters, which model " + model.name() +
                   " does not give; leave it out");
}

bool wants_annealing(const Settings& settings) {
  return settings.starts == Starts::annealed && settings.initial_points.empty();
}

std::size_t particles_for(const Model& model, std::size_t chains) {
  const std::size_t fewest = has_expensive_gradient(model) ? fewest_if_expensive : fewest_particles;
  const std::size_t of_island = (std::max(chains, fewest) + islands_of_annealing - 1) / islands_of_annealing;
  return of_island * islands_of_annealing;
}

AnnealedStarts start_from_annealing(const Model& model, const Settings& settings, Engine& engine, Tuner& tuner) {
  const std::size_t chains = settings.chains, d = model.layout().dimension, of_group = chains / settings.groups;
  const int threads = settings.threads > 0 ? settings.threads : static_cast<int>(std::thread::hardware_concurrency());
  ReferenceWanted paths{{}, settings.seed, settings.first_chain, threads, settings.cancel};
  for (std::size_t p = 0; p < std::min(of_group, most_paths); ++p) paths.from.push_back(engine.position(p));
  const FoundReference found = find_reference(model, paths);
  AnnealingWanted wanted;
  wanted.particles = particles_for(model, chains);
  wanted.seed = settings.seed;
  wanted.first = settings.first_chain & (numbered_particles - 1);
  wanted.threads = threads;
  wanted.cancel = settings.cancel;
  AnnealedStarts starts;
  Annealed annealed;
  try {
    const AnnealingSchedule schedule = find_schedule(model, found.reference, wanted);
    annealed = anneal(model, found.reference, schedule, wanted);
    starts.temperatures = schedule.inverse.size();
    starts.barrier = schedule.barrier;
    starts.evaluations = found.evaluations + schedule.evaluations + annealed.evaluations;
  } catch (const SamplingFailed&) {
    if (settings.cancel && settings.cancel->load()) return {};
    throw;
  }
  const WeighedModes weighed = weigh_modes(found, annealed);
  starts.particles = wanted.particles;
  starts.log_z = annealed.log_z;
  starts.error = annealed.error;
  starts.ess = annealed.ess;
  starts.modes = weighed.modes;
  starts.differs = weighed.differs;

  const std::size_t of_each = *settings.superchains > 0 ? *settings.superchains : of_group;
  const std::vector<double> points =
      resampled_points(annealed, of_each * settings.groups, settings.seed, weighed.member);
  std::vector<double> positions(d * chains);
  for (std::size_t c = 0; c < chains; ++c) {
    const double* const point = points.data() + (c / of_group * of_each + c % of_group % of_each) * d;
    for (std::size_t i = 0; i < d; ++i) positions[i * chains + c] = point[i];
  }
  engine.initialise(positions, 0);
  const std::vector<double> bad = engine.statistics().nonfinite;
  if (std::find(bad.begin(), bad.end(), 0.0) == bad.end())
    throw SamplingFailed("no chain can start where annealing ended; take Settings::precision double");
  if (std::any_of(bad.begin(), bad.end(), [](double x) { return x != 0; })) {
    move_lost(positions, bad);
    engine.initialise(positions, 0);
  }
  const std::vector<double> shape = deviations(annealed, weighed, settings.seed);
  for (std::size_t g = 0; g < settings.groups; ++g) tuner.set_first_metric(g, shape);
  return starts;
}

std::vector<std::string> weighed_modes_in_words(const Result& result) {
  const AnnealedStarts& starts = result.annealing;
  std::vector<std::string> words;
  if (starts.modes.size() < 2) return words;
  const auto names = result.layout.unconstrained_names;
  for (const WeighedMode& mode : starts.modes)
    words.push_back(
        fmt::format("{:.3g} +- {:.2g} % of the posterior near {} = {:.3g}", 100 * mode.share, 100 * mode.error,
                    starts.differs < names.size() ? names[starts.differs] : fmt::format("component {}", starts.differs),
                    mode.centre[starts.differs]));
  return words;
}

}  // namespace manychain
