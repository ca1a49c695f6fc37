#include "run/defaults.hpp"

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/random/purpose.hpp"
#include "run/choose_sampler.hpp"

namespace manychain {

SamplerInfo complete(const Model& model, Settings& settings) {
  const SamplerInfo sampler = choose_sampler(model, settings);
  const std::size_t dimension = model.layout().dimension;
  if (dimension == 0) throw BadInput("model " + model.name() + " has no parameters");
  if (3 * dimension + 8 >= max_words)
    throw BadInput("a transition uses fewer than 2^24 random words: the model has too many parameters");
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
  if (!settings.draws) settings.draws = most_draws(settings.chains);
  return sampler;
}

}  // namespace manychain
