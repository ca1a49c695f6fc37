#include "sampling/annealed_starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "annealing/annealing.hpp"
#include "annealing/find_reference.hpp"
#include "annealing/look_again.hpp"
#include "annealing/weighed_modes.hpp"
#include "core/threads.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/samplers/ladder.hpp"
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

/// Puts chains at particles that are drawn by their weights, with superchains each at one. Chains that cannot start
/// there in the precision of the run start where others do.
void put_chains(const Annealed& annealed, const std::vector<std::size_t>& stratum, const Settings& settings,
                Engine& engine) {
  const std::size_t chains = settings.chains, of_group = chains / settings.groups;
  const std::size_t d = annealed.points.size() / annealed.log_weights.size();
  const std::size_t of_each = *settings.superchains > 0 ? *settings.superchains : of_group;
  const std::vector<double> points = resampled_points(annealed, of_each * settings.groups, settings.seed, stratum);
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
}

/// The paths that look for modes, from where the first chains stand.
ReferenceWanted paths_of_chains(const Settings& settings, const Engine& engine, int threads) {
  ReferenceWanted paths{{}, settings.seed, settings.first_chain, threads, settings.cancel};
  for (std::size_t p = 0; p < std::min(settings.chains / settings.groups, most_paths); ++p)
    paths.from.push_back(engine.position(p));
  return paths;
}
AnnealingWanted wanted_for(const Model& model, const Settings& settings, int threads) {
  AnnealingWanted wanted;
  wanted.particles = particles_for(model, settings.chains);
  wanted.seed = settings.seed;
  wanted.first = settings.first_chain & (numbered_particles - 1);
  wanted.threads = threads;
  wanted.cancel = settings.cancel;
  return wanted;
}
AnnealedStarts starts_of(const AnnealedWay& way) {
  const AnnealingSchedule& schedule = way.schedule;
  const Annealed& annealed = way.annealed;
  AnnealedStarts starts;
  starts.particles = annealed.log_weights.size();
  starts.temperatures = schedule.inverse.size();
  starts.barrier = schedule.barrier;
  starts.log_z = annealed.log_z;
  starts.error = annealed.error;
  starts.ess = annealed.ess;
  starts.evaluations = way.evaluations;
  return starts;
}

/// The variance of a component of a part.
double variance_of(const ReferencePart& part, std::size_t i) {
  if (part.factor.empty()) return part.scale[i] * part.scale[i];
  const std::size_t d = part.mean.size();
  double variance = 0;
  for (std::size_t j = 0; j < d; ++j) variance += part.factor[j * d + i] * part.factor[j * d + i];
  return variance;
}

/// A normal with the moments of some parts, and their share together.
LadderPart joined(const std::vector<ReferencePart>& parts) {
  const std::size_t d = parts.front().mean.size();
  LadderPart all{0, std::vector<double>(d, 0.0), std::vector<double>(d, 0.0)};
  for (const ReferencePart& part : parts) all.share += part.share;
  for (std::size_t i = 0; i < d; ++i) {
    double variance = 0;
    for (const ReferencePart& part : parts) all.mean[i] += part.share / all.share * part.mean[i];
    for (const ReferencePart& part : parts)
      variance += part.share / all.share * (variance_of(part, i) + std::pow(part.mean[i] - all.mean[i], 2));
    all.sd[i] = std::sqrt(variance);
  }
  return all;
}

static_assert(most_narrow_parts + 2 <= LadderRows::most_parts, "a ladder holds each part of a reference");

/// The reference of ladders: a normal at each mode and for each part of a mixture, or for the largest of them, and the
/// wide ones. A mode has half of the share that is its own, and half of what all would have if they were alike.
LadderStart start_around(const FoundReference& found) {
  std::map<std::size_t, std::vector<ReferencePart>> at_modes;
  LadderStart start;
  double wide = 0;
  for (std::size_t k = 0; k < found.reference.parts().size(); ++k) {
    const ReferencePart& part = found.reference.parts()[k];
    if (!part.wide)
      at_modes[found.of_mixture[k] ? found.modes + k : found.mode[k]].push_back(part);
    else if (start.parts.size() + 1 < LadderRows::most_parts) {
      start.parts.push_back(joined({part}));
      wide += part.share;
    }
  }
  std::vector<LadderPart> modes;
  for (const auto& [mode, parts] : at_modes) modes.push_back(joined(parts));
  std::stable_sort(modes.begin(), modes.end(),
                   [](const LadderPart& a, const LadderPart& b) { return a.share > b.share; });
  modes.resize(std::min(modes.size(), LadderRows::most_parts - start.parts.size()));
  double all = 0;
  for (const LadderPart& mode : modes) all += mode.share;
  start.scale.assign(found.reference.dimension(), 1);
  const auto count = static_cast<double>(modes.size());
  for (LadderPart& mode : modes) {
    mode.share = (1 - wide) * (0.5 * mode.share / all + 0.5 / count);
    for (std::size_t i = 0; i < mode.sd.size(); ++i) start.scale[i] *= std::pow(mode.sd[i], 1 / count);
  }
  if (modes.empty()) {
    start.scale = start.parts.front().sd;
    for (LadderPart& part : start.parts) part.share /= wide;
  }
  start.modes = modes.size();
  start.parts.insert(start.parts.begin(), modes.begin(), modes.end());
  return start;
}

/// That reference, for an annealing.
Reference reference_of(const LadderStart& start) {
  std::vector<ReferencePart> parts;
  for (const LadderPart& part : start.parts) {
    parts.push_back(diagonal_part(part.share, part.mean, part.sd));
    parts.back().wide = parts.size() > start.modes;
  }
  return Reference(std::move(parts));
}

/// Temperatures for chains out of the many of a schedule, which lie in equal steps of the barrier.
void take_temperatures(const AnnealingSchedule& schedule, LadderStart& start) {
  std::vector<double> inverse = {0}, log_steps = {schedule.log_steps.front()};
  inverse.insert(inverse.end(), schedule.inverse.begin(), schedule.inverse.end());
  log_steps.insert(log_steps.end(), schedule.log_steps.begin(), schedule.log_steps.end());
  const std::size_t last = LadderTuner::temperatures_for(schedule.barrier) - 1;
  for (std::size_t k = 0; k < last; ++k) {
    const double place = static_cast<double>(k * schedule.inverse.size()) / static_cast<double>(last);
    const auto at = static_cast<std::size_t>(place);
    const double part = place - static_cast<double>(at);
    start.inverse.push_back((1 - part) * inverse[at] + part * inverse[at + 1]);
    start.log_steps.push_back((1 - part) * log_steps[at] + part * log_steps[at + 1]);
  }
  start.inverse.push_back(1);
  start.log_steps.push_back(log_steps.back());
}

/// The output that shows an unconstrained component: an element of a parameter with as many components as elements, in
/// one order. None: of others, such as simplexes.
std::optional<std::size_t> output_of(const Layout& layout, std::size_t component) {
  const std::vector<std::string>& names = layout.unconstrained_names;
  if (component >= names.size()) return {};
  for (const Quantity& q : layout.quantities) {
    const auto belongs = [&](const std::string& name) { return name == q.name || name.starts_with(q.name + "["); };
    if (q.derived || !belongs(names[component])) continue;
    const auto first = std::find_if(names.begin(), names.end(), belongs);
    const auto count = static_cast<std::size_t>(std::count_if(names.begin(), names.end(), belongs));
    if (count != q.size()) return {};
    return q.offset + component - static_cast<std::size_t>(first - names.begin());
  }
  return {};
}

void set_values(const Model& model, std::uint64_t seed, AnnealedStarts& starts) {
  const std::optional<std::size_t> output = output_of(model.layout(), starts.differs);
  std::vector<double> outputs(model.layout().outputs);
  for (WeighedMode& mode : starts.modes) {
    mode.value = std::nan("");
    if (!output) continue;
    try {
      model.bound().operations()->outputs(mode.centre.data(), 1, {.seed = seed}, outputs.data());
      mode.value = outputs[*output];
    } catch (const Error&) {  // no chain is at the centre
    }
  }
}

}  // namespace

void require_annealing(const Model& model, const Settings& settings) {
  if (wants_annealing(settings) && !(model.has_gradient() && model.layout().integers == 0))
    throw BadInput("Settings::warmup.starts: annealed follows gradients of all parameters, which model " +
                   model.name() + " does not give; leave it out");
}

bool wants_annealing(const Settings& settings) {
  return settings.warmup.starts == Starts::annealed && settings.warmup.initial_points.empty();
}

std::size_t particles_for(const Model& model, std::size_t chains) {
  const std::size_t fewest = has_expensive_gradient(model) ? fewest_if_expensive : fewest_particles;
  const std::size_t of_island = (std::max(chains, fewest) + islands_of_annealing - 1) / islands_of_annealing;
  return of_island * islands_of_annealing;
}

AnnealedStarts start_from_annealing(const Model& model, const Settings& settings, Engine& engine, TunedGroups& tuned) {
  const int threads = threads_of_setting(settings.threads);
  std::optional<AnnealedWay> led;
  try {
    led = anneal_behind_looks(model, paths_of_chains(settings, engine, threads), wanted_for(model, settings, threads));
  } catch (const SamplingFailed&) {
    if (settings.cancel && settings.cancel->load()) return {};
    throw;
  }
  const Annealed& annealed = led->annealed;
  const WeighedModes weighed = weigh_modes(led->found, annealed);
  AnnealedStarts starts = starts_of(*led);
  if (!led->found.around_many) starts.modes = weighed.modes;
  starts.differs = weighed.differs;
  set_values(model, settings.seed, starts);
  put_chains(annealed, weighed.member, settings, engine);
  const std::vector<double> shape = deviations(annealed, weighed, settings.seed);
  for (std::size_t g = 0; g < settings.groups; ++g) tuned.set_first_metric(g, shape);
  return starts;
}

AnnealedStarts start_tempering(const Model& model, const Settings& settings, Engine& engine, LadderTuner& ladder) {
  const int threads = threads_of_setting(settings.threads);
  LadderStart start;
  AnnealingWanted wanted = wanted_for(model, settings, threads);
  wanted.fewest_temperatures = 8;  // a first guess
  wanted.most_temperatures = 128;
  AnnealedStarts starts;
  try {
    const AnnealedWay way =
        anneal_behind_looks(model, paths_of_chains(settings, engine, threads), wanted,
                            [](const FoundReference& found) { return reference_of(start_around(found)); });
    start = start_around(way.found);
    starts = starts_of(way);
    take_temperatures(way.schedule, start);
    const bool moves = settings.warmup.starts == Starts::automatic || settings.warmup.starts == Starts::annealed;
    if (moves && settings.warmup.initial_points.empty()) put_chains(way.annealed, {}, settings, engine);
  } catch (const SamplingFailed&) {
    if (settings.cancel && settings.cancel->load()) return {};
    throw;
  }
  ladder.set(start);
  return starts;
}

std::vector<std::string> weighed_modes_in_words(const Result& result) {
  const AnnealedStarts& starts = result.warmup.annealing;
  std::vector<std::string> words;
  if (starts.modes.size() < 2) return words;
  const std::vector<std::string> names = result.layout.output_names();
  const std::vector<std::string>& components = result.layout.unconstrained_names;
  const std::optional<std::size_t> output = output_of(result.layout, starts.differs);
  const std::string component =
      starts.differs < components.size() ? components[starts.differs] : fmt::format("component {}", starts.differs);
  for (const WeighedMode& mode : starts.modes) {
    const bool shown = output && std::isfinite(mode.value);
    words.push_back(fmt::format("{:.3g} +- {:.2g} % of the posterior near {} = {:.3g}", 100 * mode.share,
                                100 * mode.error, shown ? names[*output] : component + " (unconstrained)",
                                shown ? mode.value : mode.centre[starts.differs]));
  }
  return words;
}

}  // namespace manychain
