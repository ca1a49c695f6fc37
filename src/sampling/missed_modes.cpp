#include "sampling/missed_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "annealing/weighed_places.hpp"
#include "core/threads.hpp"
#include "diagnostics/run_findings.hpp"
#include "manychain/core/error.hpp"
#include "modes/look.hpp"
#include "sampling/unreached_tail.hpp"
#include "sampling/watch.hpp"

namespace manychain {
namespace {

constexpr std::size_t most_positions = 1024;
constexpr std::size_t proof_warmup = 100, proof_draws = 20;
constexpr double most_joined = 0.6;      // of the chains that started at the mode
constexpr std::size_t most_mingled = 1;  // of those that started at a mode of any shape
constexpr double fewest_exchanges = 50;  // with other places, of a mode whose weight draws tell to one part in seven
constexpr double least_there = 1.0 / 3;  // of the chains that a mode should have
// Chains to be expected at a mode that tempering lacks. Fewer than a third are there, behind warm-up and at the end, by
// a chance of 0.0003.
constexpr double fewest_tempered = 6;
// Shares by annealing: to a few per cent. Particles of other runs have smaller numbers.
constexpr std::size_t particles_of_weighing = 512, temperatures_of_weighing = 128;
constexpr std::uint64_t first_particle_of_weighing = std::uint64_t{1} << 30;
constexpr std::uint64_t first_chain_of_proof = std::uint64_t{1} << 47;

/// True if a mode has its chains, of which so many are expected.
bool enough(std::size_t chains, double expected) {
  return chains > 0 && static_cast<double>(chains) >= least_there * expected;
}

/// True if so many are at a mode that R-hat sees whether it agrees with the rest, or if annealing has put them there:
/// by its share, with a verdict that says so.
bool in_both_places(std::size_t at_mode, std::size_t chains, const Settings& settings) {
  return 20 * at_mode > chains || settings.warmup.starts == Starts::annealed;
}

/// Settings of the run that starts at a mode.
Settings settings_of_proof(const Settings& settings, const FoundMode& mode, bool given_trajectory) {
  Settings proof;
  proof.sampler = settings.sampler;
  proof.warmup.adaptation = settings.warmup.adaptation;
  proof.warmup.adaptation_interval = settings.warmup.adaptation_interval;
  proof.sampling.metric = settings.sampling.metric;
  proof.sampling.integrator = settings.sampling.integrator;
  if (given_trajectory) proof.sampling.trajectory = settings.sampling.trajectory;
  proof.warmup.target_acceptance = settings.warmup.target_acceptance;
  proof.sampling.max_leapfrogs = settings.sampling.max_leapfrogs;
  proof.sampling.minibatch = settings.sampling.minibatch;
  proof.precision = settings.precision;
  proof.backend = Backend::cpu;
  proof.threads = settings.threads;
  proof.scalar = settings.scalar;
  proof.seed = settings.seed;
  proof.cancel = settings.cancel;
  proof.first_chain = first_chain_of_proof;
  proof.chains = starts_of_mode;
  proof.superchains = 0;
  proof.warmup.transitions = proof_warmup;
  proof.sampling.draws = proof_draws;
  const std::size_t d = mode.starts.size() / starts_of_mode;
  proof.warmup.initial_points.resize(mode.starts.size());
  for (std::size_t c = 0; c < starts_of_mode; ++c)
    for (std::size_t i = 0; i < d; ++i) proof.warmup.initial_points[i * starts_of_mode + c] = mode.starts[c * d + i];
  return proof;
}

struct Stay {
  std::vector<double> means;  ///< of the parameters; empty: chains leave the mode, or cannot start there
  double leaves = 0;          ///< as MissedMode has it
};

/// Measures a mode of any shape by chains that have come from there. False: they have not stayed apart from the others,
/// as far as a plane tells.
bool measure(FoundMode& mode, const Place& place, const std::vector<double>& positions, std::vector<double> there) {
  const std::size_t d = place.dimension(), count = there.size() / d;
  Metric uncorrelated;
  uncorrelated.scale.assign(d, 1);
  mode.extent = std::make_shared<Place>(there, uncorrelated);
  if (!mode.extent->usable()) return false;
  mode.starts = std::move(there);
  set_plane(mode, place, mode.extent->centre(), positions);
  std::size_t beyond = 0;
  for (std::size_t c = 0; c < count; ++c) beyond += mode.has(mode.starts.data() + c * d);
  return beyond + most_mingled >= count && 3 * mode.chains < positions.size() / d;
}

/// True if the peak of a mode lies where chains of another one were, which no normal fits.
bool is_within(const FoundMode& mode, const FoundMode& other) {
  if (mode.around || !other.extent) return false;
  const double* const peak = mode.path.normal.mean.data();
  const double distance = other.extent->squared_distance(peak, other.extent->centre().data());
  return other.has(peak) && distance < 4 * static_cast<double>(other.extent->dimension());
}

/// Chains that start at a mode. One that its normal does not hold is measured by them.
Stay stay_at(const Model& model, const Settings& settings, FoundMode& mode, const Place& place,
             const std::vector<double>& positions) {
  const std::size_t d = mode.starts.size() / starts_of_mode;
  ChainPoints points;
  const auto watch = [&](const Engine& engine, const Watched& watched) {
    if (watched.sampling) points = engine.points(starts_of_mode);
  };
  Result proof;
  try {
    proof = sample_watched(model, settings, watch);
  } catch (const Error&) {
    return {};
  }
  const std::size_t chains = points.positions.size() / d;
  if (chains == 0) return {};
  const auto joined = [&] {
    std::size_t count = 0;
    for (std::size_t c = 0; c < chains; ++c) count += !mode.has(points.positions.data() + c * d);
    return count;
  };
  Stay stay;
  std::size_t left = mode.normal ? joined() : chains;
  if (static_cast<double>(left) > most_joined * starts_of_mode) {
    // They may have left the normal for the rest of a piece that no normal fits, and not for the other chains.
    if (mode.around || d > most_dimensions_of_any_shape || !measure(mode, place, positions, points.positions))
      return {};
    mode.normal = false;
    left = joined();
  }
  const double part = static_cast<double>(left) / starts_of_mode;
  stay.leaves = -std::log1p(-part) / (proof_warmup + proof_draws);
  for (const Quantity& quantity : proof.layout.quantities)
    for (std::size_t i = quantity.offset; !quantity.derived && i < quantity.offset + quantity.size(); ++i)
      stay.means.push_back(proof.summary[i].statistics.mean);
  return stay;
}

/// The masses of modes that lie apart, in units of that at the chains, by annealing: no normal distribution tells that.
void weigh_again(const Model& model, const Place& place, const std::vector<const FoundMode*>& stayed,
                 const LookWanted& look, std::vector<double>& masses, std::size_t& evaluations) {
  std::vector<const FoundMode*> apart;
  std::vector<double*> mass;
  for (std::size_t m = 0; m < stayed.size(); ++m) {
    if (stayed[m]->around && !stayed[m]->within) continue;
    apart.push_back(stayed[m]);
    mass.push_back(&masses[m]);
  }
  if (apart.empty()) return;
  AnnealingWanted wanted;
  wanted.particles = particles_of_weighing;
  wanted.most_temperatures = temperatures_of_weighing;
  wanted.seed = look.seed;
  wanted.first = first_particle_of_weighing;
  wanted.threads = look.threads;
  wanted.cancel = look.cancel;
  WeighedPlaces weighed;
  try {
    weighed = weigh_places(model, place, apart, wanted);
  } catch (const SamplingFailed&) {  // a particle came to where the density throws: masses are those of normals
    return;
  }
  evaluations += weighed.evaluations;
  double left = 1;
  for (const WeightedMean& share : weighed.shares) left -= share.value;
  for (std::size_t m = 0; m < apart.size(); ++m)
    *mass[m] = weighed.shares[m].value / std::max(left, least_share * least_share);
}

}  // namespace

bool looks_for_modes(const Model& model, const Settings& settings, const SamplerInfo& sampler) {
  const bool chains_with_gradients = sampler.tuned && sampler.exact && sampler.chain && !sampler.leaves_conditionals &&
                                     sampler.needs_capability(&Capabilities::gradient);
  return (chains_with_gradients || sampler.ladder) && model.has_gradient() && model.layout().integers == 0 &&
         settings.warmup.initial_points.empty() && !settings.sampling.step_size && *settings.warmup.transitions > 0;
}

std::vector<double> parameters_at(const Model& model, const std::vector<double>& position, std::uint64_t seed) {
  const Layout& layout = model.layout();
  std::vector<double> outputs(layout.output_names().size()), parameters;
  model.bound().operations()->outputs(position.data(), 1, {.seed = seed}, outputs.data());
  for (const Quantity& quantity : layout.quantities)
    for (std::size_t i = quantity.offset; !quantity.derived && i < quantity.offset + quantity.size(); ++i)
      parameters.push_back(outputs[i]);
  return parameters;
}

ModesLook look_for_missed_modes(const Model& model, const Settings& settings, const BehindWarmup& run) {
  ModesLook look;
  const bool tempers = !std::isnan(run.log_z);
  const std::size_t evaluations =
      std::max(evaluations_of_look(model, run.gradients), tempers ? evaluations_of_look(model) : 0);
  if (evaluations == 0) return look;
  const ChainPoints points = run.engine.points(std::min(settings.chains, most_positions));
  const Place place(points.positions, run.tuned.metric);
  if (!place.usable()) return look;
  LookWanted wanted{points.positions, run.left};
  wanted.log_mass = run.log_z;
  wanted.seed = settings.seed;
  wanted.evaluations = evaluations;
  wanted.threads = threads_of_setting(settings.threads);
  wanted.cancel = settings.cancel;
  FoundModes found = look_for_modes(model, place, wanted);
  look.points = found.points;
  look.elsewhere = found.elsewhere;
  look.evaluations = found.evaluations;
  if (!tempers && run.trajectories)
    look.tail = look_for_tail(model, place, settings, run.tuned.tuning, wanted, look.evaluations);
  const double chains = static_cast<double>(points.positions.size() / place.dimension());
  const auto mass_of = [&](const FoundMode& mode) {  // in units of that at the chains
    return std::exp(std::min(mode.around ? mode.log_mass : mode.log_mass - found.log_mass, 300.0));
  };
  std::vector<const FoundMode*> stayed;
  std::vector<Stay> stays;
  bool weighs_again = found.log_mass_is_doubtful;
  for (FoundMode& mode : found.modes) {
    if (std::any_of(stayed.begin(), stayed.end(), [&](const FoundMode* other) { return is_within(mode, *other); }))
      continue;  // another peak of the same
    const double mass = mass_of(mode), expected = chains * mass / (1 + mass);
    const bool has_its_chains = mode.normal && enough(mode.chains, expected);
    if (tempers) {
      // In the midst of many modes no plane tells which chains are at one.
      const std::size_t there = mode.around ? 0 : points_in(mode, points.positions);
      if (!mode.normal || mode.around || enough(there, expected) || expected < fewest_tempered) continue;
      if (enough(mode.chains, expected)) mode.beyond = HUGE_VAL;
      mode.chains = there;
      stayed.push_back(&mode);
      stays.push_back({parameters_at(model, mode.path.normal.mean, settings.seed), HUGE_VAL});
      continue;
    }
    if (has_its_chains &&
        (mode.around || in_both_places(mode.chains, points.positions.size() / place.dimension(), settings)))
      continue;
    ++look.tried;
    const Settings proof = settings_of_proof(settings, mode, run.given_trajectory);
    Stay there = stay_at(model, proof, mode, place, points.positions);
    if (there.means.empty()) {
      ++look.joined;
      continue;
    }
    weighs_again = weighs_again || !mode.normal;
    for (std::size_t m = stayed.size(); m-- > 0;) {  // a piece of this one that passed for normal
      if (!is_within(*stayed[m], mode)) continue;
      stayed.erase(stayed.begin() + static_cast<std::ptrdiff_t>(m));
      stays.erase(stays.begin() + static_cast<std::ptrdiff_t>(m));
    }
    stayed.push_back(&mode);
    stays.push_back(std::move(there));
  }
  std::vector<double> masses;
  for (const FoundMode* mode : stayed) masses.push_back(mass_of(*mode));
  if (weighs_again) weigh_again(model, place, stayed, wanted, masses, look.evaluations);
  double all = 1;
  for (std::size_t m = 0; m < stayed.size(); ++m) {
    const bool matters = masses[m] / (1 + masses[m]) > least_share;
    if (!matters) continue;
    all += masses[m];
    const FoundMode& mode = *stayed[m];
    look.missed.push_back({masses[m], mode.chains, std::move(stays[m].means), mode.towards,
                           mode.within ? HUGE_VAL : mode.beyond, stays[m].leaves});
  }
  for (MissedMode& mode : look.missed) mode.share /= all;
  return look;
}

void weigh_missed_again(ModesLook& look, std::size_t chains, double more) {
  if (!std::isfinite(more)) return;  // of too few transitions
  for (MissedMode& mode : look.missed) mode.share /= mode.share + (1 - mode.share) * std::exp(more);
  std::erase_if(look.missed, [&](const MissedMode& mode) {
    return mode.share * static_cast<double>(std::min(chains, most_positions)) < fewest_tempered;
  });
}

void leave_out_visited(ModesLook& look, const Engine& engine, const Settings& settings, std::size_t transitions) {
  if (look.missed.empty()) return;
  const ChainPoints points = engine.points(std::min(settings.chains, most_positions));
  std::erase_if(look.missed, [&](MissedMode& mode) {
    if (mode.towards.empty()) return false;  // all around: nobody counts chains there
    const std::size_t d = mode.towards.size(), chains = points.positions.size() / d;
    mode.chains = 0;
    for (std::size_t c = 0; c < chains; ++c)
      mode.chains += dot(mode.towards, points.positions.data() + c * d) > mode.beyond;
    const double expected = mode.share * static_cast<double>(settings.chains);
    const bool mixes = expected * mode.leaves * static_cast<double>(transitions) > fewest_exchanges;
    const bool between = in_both_places(mode.chains, chains, settings);
    return (mixes || between) && enough(mode.chains, mode.share * static_cast<double>(chains));
  });
}

std::string farthest_from_draws(const Result& result, const std::vector<double>& parameters) {
  double farthest = -1;
  std::string where = " elsewhere";
  std::size_t k = 0;
  for (const Quantity& quantity : result.layout.quantities) {
    for (std::size_t i = quantity.offset; !quantity.derived && i < quantity.offset + quantity.size(); ++i, ++k) {
      if (k >= parameters.size() || i + result.not_summarised >= result.summary.size()) continue;
      const VariableSummary& s = result.summary[i].statistics;
      const double sds = std::fabs(parameters[k] - s.mean) / s.sd;
      if (!(sds > farthest)) continue;
      farthest = sds;
      where = fmt::format(" near {} = {:.3g}, {:.2g} sds from its draws ({:.3g} +- {:.2g})", result.summary[i].name,
                          parameters[k], sds, s.mean, s.sd);
    }
  }
  return where;
}

std::vector<std::string> missed_modes_in_words(const Result& result) {
  std::vector<std::string> words;
  for (const MissedMode& mode : result.posterior.modes.missed) {
    std::string text = diagnostics::share(mode.share, 1) + " of the posterior";
    if (mode.towards.empty()) {
      words.push_back(text +
                      (std::isfinite(mode.beyond)
                           ? fmt::format(" all around its draws, more than {:.2g} sds from their mean", mode.beyond)
                           : std::string(" in a spike within the place of its draws")));
      continue;
    }
    text += farthest_from_draws(result, mode.means);
    if (mode.chains > 0)
      text += fmt::format(", where {} {} of {}", mode.chains, mode.chains == 1 ? "chain is" : "chains are",
                          std::min(result.settings.chains, most_positions));
    words.push_back(std::move(text));
  }
  return words;
}

}  // namespace manychain
