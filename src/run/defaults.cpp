#include "run/defaults.hpp"

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/random/purpose.hpp"
#include "run/choose_sampler.hpp"
#include "run/log_likelihood.hpp"

namespace manychain {
namespace {

/// What others have compiled runs in double, on the CPU, and perhaps in one thread, whatever the settings hope for.
void require_kind(const Model& model, Settings& settings) {
  const ModelBinding& bound = model.bound();
  if (bound.foreign.empty()) return;
  const std::string what = "model " + model.name() + " is " + bound.foreign;
  if (settings.precision == Precision::single_precision)
    throw BadInput("Settings::precision: " + what + ", which is evaluated in double: take double, or leave it out");
  if (settings.backend == Backend::cuda)
    throw BadInput("Settings::backend: " + what + ", which runs on the CPU: take cpu, or leave it out");
  if (settings.device) throw BadInput("Settings::device: " + what + ", which runs on the CPU: leave it out");
  if (bound.one_thread.empty()) return;
  if (settings.threads > 1)
    throw BadInput("Settings::threads: " + std::to_string(settings.threads) + " is not allowed, for " +
                   bound.one_thread + ": take 1, or leave it out");
  settings.threads = 1;
}

}  // namespace

SamplerInfo complete(const Model& model, Settings& settings) {
  const SamplerInfo sampler = choose_sampler(model, settings);
  const std::size_t dimension = model.layout().dimension;
  if (dimension == 0) throw BadInput("model " + model.name() + " has no parameters");
  if (3 * dimension + 8 >= max_words)
    throw BadInput("a transition uses fewer than 2^24 random words: the model has too many parameters");
  require_kind(model, settings);
  if (settings.precision == Precision::automatic) {  // what is left open is chosen when the run begins
    if (model.bound().double_only) settings.precision = Precision::double_precision;
    if (model.bound().single_only) settings.precision = Precision::single_precision;
  }
  if (!settings.superchains && settings.chains >= superchains_from && settings.initial_points.empty())
    settings.superchains = default_superchains;
  if (settings.superchains.value_or(0) < 2) settings.superchains = 0;

  // Whether chains have forgotten where they started is seen by superchains alone.
  if (!settings.warmup_end)
    settings.warmup_end = settings.warmup || *settings.superchains == 0 || !sampler.tuned || settings.step_size
                              ? WarmupEnd::fixed
                              : WarmupEnd::settled;
  if (!settings.warmup) settings.warmup = default_warmup;
  if (!settings.draws && !settings.target_ess && settings.keep_draws && sampler.exact && sampler.chain)
    settings.target_ess = default_target_ess;
  if (!settings.draws) settings.draws = most_draws(settings.chains, settings.keep_draws ? model.layout().outputs : 1);
  require_log_likelihood(model, settings);
  return sampler;
}

}  // namespace manychain
