// The warm-up of a run: its recipe, and its transitions.
#include "sampling/run.hpp"
#include "warmup/recipe.hpp"

namespace manychain {

void Run::warm_up() {
  tuned_->start();
  phase_ = "warmup";
  engine_->reset_counters();
  const bool plain = settings_.sampling.step_size || !sampler_.tuned || !engine_->adapter();
  const Recipe recipe = ladder_ ? ladder_recipe(*settings_.warmup.transitions, ladder_)
                        : plain ? plain_recipe(*settings_.warmup.transitions)
                                : adapted_recipe(*tuned_);
  Transitions transitions([this](std::size_t count, const Block& block, bool adapts) {
    adapting_ = adapts;
    const bool whole = run_transitions(count, block, adapts ? settings_.warmup.adaptation_interval : 0);
    adapting_ = false;
    return whole;
  });
  try {
    follow(recipe, *tuned_, transitions);
  } catch (const CutShort&) {  // result_.cancelled says so
  }
  for (const auto& estimator : recipe.estimators) estimator->report(found_);
  result_.warmup.restarted = found_.restarted;
}

}  // namespace manychain
