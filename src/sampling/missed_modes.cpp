#include "sampling/missed_modes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "diagnostics/run_findings.hpp"
#include "manychain/core/error.hpp"
#include "modes/look.hpp"
#include "sampling/watch.hpp"

namespace manychain {
namespace {

constexpr std::size_t most_positions = 1024;
constexpr std::size_t proof_warmup = 100, proof_draws = 20;
constexpr double most_joined = 0.25;     // of the chains that started at the mode
constexpr double least_there = 1.0 / 3;  // of the chains that a mode should have
constexpr std::uint64_t first_chain_of_proof = std::uint64_t{1} << 47;

/// True if a mode has its chains, of which so many are expected.
bool enough(std::size_t chains, double expected) {
  return chains > 0 && static_cast<double>(chains) >= least_there * expected;
}

/// Settings of the run that starts at a mode.
Settings settings_of_proof(const Settings& settings, const FoundMode& mode, bool given_trajectory) {
  Settings proof;
  proof.sampler = settings.sampler;
  proof.adaptation = settings.adaptation;
  proof.adaptation_interval = settings.adaptation_interval;
  proof.metric = settings.metric;
  proof.integrator = settings.integrator;
  if (given_trajectory) proof.trajectory = settings.trajectory;
  proof.target_acceptance = settings.target_acceptance;
  proof.max_leapfrogs = settings.max_leapfrogs;
  proof.minibatch = settings.minibatch;
  proof.precision = settings.precision;
  proof.backend = Backend::cpu;
  proof.threads = settings.threads;
  proof.scalar = settings.scalar;
  proof.seed = settings.seed;
  proof.cancel = settings.cancel;
  proof.first_chain = first_chain_of_proof;
  proof.chains = starts_of_mode;
  proof.superchains = 0;
  proof.warmup = proof_warmup;
  proof.draws = proof_draws;
  const std::size_t d = mode.towards.size();
  proof.initial_points.resize(mode.starts.size());
  for (std::size_t c = 0; c < starts_of_mode; ++c)
    for (std::size_t i = 0; i < d; ++i) proof.initial_points[i * starts_of_mode + c] = mode.starts[c * d + i];
  return proof;
}

/// Means of the parameters, of chains that stay at the mode; empty: they leave it, or cannot start there.
std::vector<double> means_of_those_that_stay(const Model& model, const Settings& settings, const FoundMode& mode) {
  const std::size_t d = mode.towards.size();
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
  std::size_t joined = 0;
  for (std::size_t c = 0; c < points.positions.size() / d; ++c) joined += !mode.has(points.positions.data() + c * d);
  if (points.positions.empty() || static_cast<double>(joined) > most_joined * starts_of_mode) return {};
  std::vector<double> means;
  for (const Quantity& quantity : proof.layout.quantities)
    for (std::size_t i = quantity.offset; !quantity.derived && i < quantity.offset + quantity.size(); ++i)
      means.push_back(proof.summary[i].statistics.mean);
  return means;
}

}  // namespace

bool looks_for_modes(const Model& model, const Settings& settings, const SamplerInfo& sampler) {
  const bool chains_with_gradients = sampler.tuned && sampler.exact && sampler.chain && !sampler.leaves_conditionals &&
                                     sampler.needs_capability(&Capabilities::gradient);
  return chains_with_gradients && model.has_gradient() && model.layout().integers == 0 &&
         settings.initial_points.empty() && !settings.step_size && *settings.warmup > 0;
}

ModesLook look_for_missed_modes(const Model& model, const Settings& settings, const BehindWarmup& run) {
  ModesLook look;
  const std::size_t evaluations = evaluations_of_look(model, run.gradients);
  if (evaluations == 0) return look;
  const ChainPoints points = run.engine.points(std::min(settings.chains, most_positions));
  const Place place(points.positions, run.metric);
  if (!place.usable()) return look;
  LookWanted wanted{points.positions, run.left};
  wanted.seed = settings.seed;
  wanted.evaluations = evaluations;
  wanted.threads = settings.threads > 0 ? settings.threads : static_cast<int>(std::thread::hardware_concurrency());
  wanted.cancel = settings.cancel;
  const FoundModes found = look_for_modes(model, place, wanted);
  look.points = found.points;
  look.elsewhere = found.elsewhere;
  look.evaluations = found.evaluations;
  const double chains = static_cast<double>(points.positions.size() / place.dimension());
  double all = 1;  // masses, in units of that at the chains
  std::vector<MissedMode> missed;
  for (const FoundMode& mode : found.modes) {
    const double mass = std::exp(std::min(mode.log_mass - found.log_mass, 300.0));
    if (enough(mode.chains, chains * mass / (1 + mass))) continue;
    ++look.tried;
    const Settings proof = settings_of_proof(settings, mode, run.given_trajectory);
    std::vector<double> means = means_of_those_that_stay(model, proof, mode);
    if (means.empty()) {
      ++look.joined;
      continue;
    }
    all += mass;
    missed.push_back({mass, mode.chains, std::move(means), mode.towards, mode.beyond});
  }
  for (MissedMode& mode : missed) mode.share /= all;
  look.missed = std::move(missed);
  return look;
}

void leave_out_visited(ModesLook& look, const Engine& engine, const Settings& settings) {
  if (look.missed.empty()) return;
  const ChainPoints points = engine.points(std::min(settings.chains, most_positions));
  std::erase_if(look.missed, [&](MissedMode& mode) {
    const std::size_t d = mode.towards.size(), chains = points.positions.size() / d;
    mode.chains = 0;
    for (std::size_t c = 0; c < chains; ++c)
      mode.chains += dot(mode.towards, points.positions.data() + c * d) > mode.beyond;
    return enough(mode.chains, mode.share * static_cast<double>(chains));
  });
}

std::vector<std::string> missed_modes_in_words(const Result& result) {
  std::vector<std::string> words;
  for (const MissedMode& mode : result.modes.missed) {
    std::string text = diagnostics::share(mode.share, 1) + " of the posterior";
    double farthest = -1;
    std::string where = " elsewhere";
    std::size_t k = 0;
    for (const Quantity& quantity : result.layout.quantities) {
      for (std::size_t i = quantity.offset; !quantity.derived && i < quantity.offset + quantity.size(); ++i, ++k) {
        if (k >= mode.means.size() || i + result.not_summarised >= result.summary.size()) continue;
        const VariableSummary& s = result.summary[i].statistics;
        const double sds = std::fabs(mode.means[k] - s.mean) / s.sd;
        if (!(sds > farthest)) continue;
        farthest = sds;
        where = fmt::format(" near {} = {:.3g}, {:.2g} sds from its draws ({:.3g} +- {:.2g})", result.summary[i].name,
                            mode.means[k], sds, s.mean, s.sd);
      }
    }
    text += where;
    if (mode.chains > 0)
      text += fmt::format(", where {} {} of {}", mode.chains, mode.chains == 1 ? "chain is" : "chains are",
                          std::min(result.settings.chains, most_positions));
    words.push_back(std::move(text));
  }
  return words;
}

}  // namespace manychain
