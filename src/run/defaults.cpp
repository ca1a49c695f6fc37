#include "run/defaults.hpp"

#include <numeric>

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/random/purpose.hpp"
#include "manychain/run/engine.hpp"
#include "run/choose_sampler.hpp"
#include "run/device_chains.hpp"
#include "run/devices.hpp"
#include "run/log_likelihood.hpp"

namespace manychain {
namespace {

/// Code that others have compiled runs on the CPU, mostly in double, and perhaps in one thread, whatever the settings
/// hope for.
void require_kind(const Model& model, Settings& settings) {
  const ModelBinding& bound = model.bound();
  if (bound.foreign.empty()) return;
  const std::string what = "model " + model.name() + " is " + bound.foreign;
  if (settings.precision == Precision::single_precision && bound.double_only)
    throw BadInput("Settings::precision: " + what + ", which is evaluated in double: take double, or leave it out");
  if (settings.backend == Backend::cuda)
    throw BadInput("Settings::backend: " + what + ", which runs on the CPU: take cpu, or leave it out");
  if (settings.device) throw BadInput("Settings::device: " + what + ", which runs on the CPU: leave it out");
  if (!settings.devices.empty())
    throw BadInput("Settings::devices: " + what + ", which runs on the CPU: leave them out");
  if (bound.one_thread.empty()) return;
  if (settings.threads > 1)
    throw BadInput("Settings::threads: " + std::to_string(settings.threads) + " is not allowed, for " +
                   bound.one_thread + ": take 1, or leave it out");
  settings.threads = 1;
}

/// Multiprocessors of the CUDA devices that the run is likely to be on, or nothing where it will be on the CPU.
std::optional<int> multiprocessors(const Model& model, const Settings& settings) {
  if (settings.backend == Backend::cpu || !model.bound().runs_on_cuda) return std::nullopt;
  const CudaState cuda = cuda_state(first_device(settings));
  if (!cuda.usable) return std::nullopt;
  return cuda.multiprocessors * std::max(static_cast<int>(devices_of(settings).size()), 1);
}

/// To a multiple of m.
std::size_t round_up(std::size_t n, std::size_t m) { return (n + m - 1) / m * m; }

}  // namespace

std::optional<std::size_t> gradient_values(const Model& model) {
  const ModelBinding& bound = model.bound();
  if (!bound.foreign.empty()) return bound.foreign_gradient_values;
  return bound.data_values + bound.layout.dimension + bound.layout.scratch;
}

bool has_expensive_gradient(const Model& model) {
  const std::optional<std::size_t> values = gradient_values(model);
  return !values || *values > most_cheap_values;
}

std::size_t default_chains(std::optional<std::size_t> values) {
  std::size_t chains = most_default_chains;
  for (std::size_t limit = most_cheap_values; chains > fewest_default_chains && (!values || *values > limit);
       limit *= 2)
    chains /= 2;
  return chains;
}

void choose_chains(const Model& model, Settings& settings) {
  if (settings.chains > 0) return;
  const std::size_t dimension = std::max<std::size_t>(model.layout().dimension, 1);
  if (!settings.warmup.initial_points.empty()) {
    if (settings.warmup.initial_points.size() % dimension != 0)
      throw BadInput("Settings::warmup.initial_points: " + std::to_string(settings.warmup.initial_points.size()) +
                     " values are no whole number of positions in " + std::to_string(dimension) +
                     " dimensions; they are [dimension][chain]");
    settings.chains = settings.warmup.initial_points.size() / dimension;
    return;
  }
  std::size_t chains = most_default_chains;
  // Other numbers are for samplers that evaluate the whole density at each step of a chain: few where it is expensive,
  // on a device as many as it runs side by side.
  const SamplerInfo* const sampler = model.bound().sampler(settings.sampler);
  if (sampler && sampler->chain && settings.sampling.minibatch == 0) {
    const ModelBinding& bound = model.bound();
    const bool by_density = moves_by_density(*sampler, bound.gives.conditionals);
    const std::optional<int> device = multiprocessors(model, settings);
    chains = device ? chains_that_fill(*device, by_density ? bound.cuda_threads_per_chain : 1, model.layout().outputs)
                    : default_chains(gradient_values(model));
  }
  const std::size_t superchains = std::max<std::size_t>(settings.superchains.value_or(1), 1);
  std::size_t of_group =
      std::max((chains + settings.groups - 1) / settings.groups, superchains > 1 ? 2 * superchains : 1);
  if (settings.groups > 1) of_group = round_up(of_group, std::lcm(std::size_t{64}, superchains));
  settings.chains = of_group * settings.groups;
}

void fill_in_for_sets(const Model& model, Settings& settings) {
  if (settings.chains == 0) {
    choose_chains(model, settings);
    settings.chains = std::min(settings.chains, default_chains_of_set);
  }
  const bool own_starts = !settings.warmup.initial_points.empty() || settings.warmup.starts == Starts::annealed;
  if (!settings.superchains && !own_starts && settings.groups == 1 && settings.chains >= fewest_default_chains)
    settings.superchains = std::min(default_superchains_of_set, settings.chains / 4);
  if (settings.precision == Precision::automatic && !has_expensive_gradient(model))
    settings.precision = model.bound().single_only ? Precision::single_precision : Precision::double_precision;
}

SamplerInfo fill_in_defaults(const Model& model, Settings& settings) {
  const SamplerInfo sampler = choose_sampler(model, settings);
  const std::size_t dimension = model.layout().dimension;
  if (dimension == 0) throw BadInput("model " + model.name() + " has no parameters");
  if (3 * dimension + 8 >= max_words)
    throw BadInput("a transition uses fewer than 2^24 random words: the model has too many parameters");
  if (sampler.most_steps && sampler.most_steps(dimension) >= max_words / (sampler.words_per_step + 3))
    throw BadInput("Settings::sampler: a transition of " + std::string(sampler.name) + " takes up to " +
                   std::to_string(sampler.most_steps(dimension)) + " steps of " +
                   std::to_string(sampler.words_per_step) +
                   " random words, and there are 2^24 for it: the model has too many parameters");
  require_kind(model, settings);
  if (settings.precision == Precision::automatic) {  // what is left open is chosen when the run begins
    if (model.bound().double_only) settings.precision = Precision::double_precision;
    if (model.bound().single_only) settings.precision = Precision::single_precision;
  }
  const bool open = settings.chains == 0;
  choose_chains(model, settings);
  // Few starting points could not have the shares of modes.
  const bool own_starts = !settings.warmup.initial_points.empty() || settings.warmup.starts == Starts::annealed;
  if (!settings.superchains && !own_starts && (open || settings.chains >= superchains_from))
    settings.superchains = std::min(default_superchains, settings.chains / settings.groups / 4);
  if (settings.superchains.value_or(0) < 2) settings.superchains = 0;

  // Superchains alone show whether chains have forgotten where they started. That some still travel shows without.
  if (!settings.warmup.end) {
    const bool open_length = !settings.warmup.transitions && sampler.tuned && !settings.sampling.step_size;
    settings.warmup.end = open_length && *settings.superchains > 0                                  ? WarmupEnd::settled
                          : open_length && sampler.directions && settings.chains < superchains_from ? WarmupEnd::arrived
                                                                                                    : WarmupEnd::fixed;
  }
  if (!settings.warmup.transitions) settings.warmup.transitions = default_warmup;
  if (!settings.sampling.draws && !settings.sampling.target_ess && settings.output.keep_draws && sampler.exact &&
      sampler.chain)
    settings.sampling.target_ess = default_target_ess;
  if (!settings.sampling.draws)
    settings.sampling.draws = most_draws(settings.chains, settings.output.keep_draws ? model.layout().outputs : 1);
  if (open) settings.validate();  // what chains must fit
  require_log_likelihood(model, settings);
  return sampler;
}

}  // namespace manychain
