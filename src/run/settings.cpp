#include "manychain/run/settings.hpp"

#include <fmt/format.h>

#include <cmath>

#include "manychain/core/error.hpp"
#include "manychain/random/purpose.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {
namespace {

constexpr std::size_t chain_limit = max_chains;
constexpr std::size_t transition_limit = max_transitions;

template <class Value>
void require(bool allowed, const char* name, const Value& value, const char* rule) {
  if (!allowed) throw BadInput(fmt::format("Settings::{}: {} is not allowed; {}", name, value, rule));
}

bool positive(double value) { return std::isfinite(value) && value > 0; }

}  // namespace

void Settings::validate() const {
  require(chains >= 1 && chains < chain_limit, "chains", chains, "it must be at least 1 and less than 2^48");
  require(draws >= 1 && draws < transition_limit, "draws", draws, "it must be at least 1 and less than 2^40");
  require(thin >= 1 && thin < transition_limit, "thin", thin, "it must be at least 1 and less than 2^40");
  require(warmup < transition_limit, "warmup", warmup, "it must be less than 2^40");
  if (draws > (transition_limit - 1 - warmup) / thin) {
    throw BadInput(fmt::format(
        "Settings::warmup + Settings::draws * Settings::thin: {} + {} * {} transitions are too many; they must "
        "be fewer than 2^40",
        warmup, draws, thin));
  }
  if (device) {
    require(*device >= 0, "device", *device, "CUDA devices are numbered from 0");
    if (backend == Backend::cpu)
      throw BadInput("Settings::device: a CUDA device is of no use to backend cpu; leave it out");
  }
  require(threads >= 0, "threads", threads, "it must be at least 1, or 0 for all there are");
  if (step_size) require(positive(*step_size), "step_size", *step_size, "it must be positive and finite");
  if (trajectory) require(positive(*trajectory), "trajectory", *trajectory, "it must be positive and finite");
  if (target_acceptance) {
    require(*target_acceptance > 0 && *target_acceptance < 1, "target_acceptance", *target_acceptance,
            "it must lie between 0 and 1");
  }
  if (schedule) {
    const StepSchedule& s = *schedule;
    require(positive(s.a), "schedule a", s.a, "it must be positive and finite");
    require(positive(s.b), "schedule b", s.b, "it must be positive and finite");
    require(s.gamma <= 1, "schedule gamma", s.gamma,
            "above 1 the sum of all steps is finite: the chain stops before it arrives; take at most 1");
    require(s.gamma == 0 || s.gamma > 0.5, "schedule gamma", s.gamma,
            "up to 1/2 the sum of the squared steps is infinite: the noise of the gradients never dies out; take more "
            "than 0.5, or 0 for a constant step");
    if (step_size)
      throw BadInput(
          "Settings::schedule: Settings::step_size is a constant step, and a schedule another; give one of them");
  }
  require(minibatch < max_words / 8, "minibatch", minibatch, "it must be less than 2^21");
  // A sampler that the model brings may use them, too.
  if ((schedule || minibatch > 0) && find_sampler(sampler) && !find_sampler(sampler)->schedule) {
    const char* what = schedule ? "schedule" : "minibatch";
    throw BadInput(fmt::format("Settings::{}: sampler {} has none; leave it out, or take sampler sgld", what, sampler));
  }
  require(adaptation_interval >= 1, "adaptation_interval", adaptation_interval, "it must be at least 1");
  require(max_leapfrogs >= 1, "max_leapfrogs", max_leapfrogs, "it must be at least 1");
  require(blocks_per_second >= 1, "blocks_per_second", blocks_per_second, "it must be at least 1");
  require(groups >= 1, "groups", groups, "it must be at least 1");
  if (groups > 1)
    require(chains % groups == 0 && chains / groups % 64 == 0, "groups", groups,
            "the chains must divide among them, a multiple of 64 in each");
  require(first_chain < max_chains - chains, "first_chain", first_chain, "chains are numbered below 2^48");
  if (scalar && backend == Backend::cuda) {
    throw BadInput(
        "Settings::scalar: one chain a lane of width one is a setting of the CPU; leave it out with backend cuda");
  }
  if (superchains.value_or(0) > 1) {
    require(*superchains <= chains / groups / 2, "superchains", *superchains,
            "it must be at most half the number of chains (of a group), so that each has two; or 0 for none");
    if (groups > 1)
      require(chains / groups % *superchains == 0, "superchains", *superchains,
              "the chains of a group must divide among them");
    if (!initial_points.empty())
      throw BadInput(
          "Settings::superchains: chains start where Settings::initial_points say; leave one of the two out");
  }
  if (initial_points.size() % chains != 0) {
    throw BadInput(
        fmt::format("Settings::initial_points: {} values do not divide among {} chains; they are [dimension][chain]",
                    initial_points.size(), chains));
  }
  for (std::size_t i = 0; i < initial_points.size(); ++i) {
    if (std::isfinite(initial_points[i])) continue;
    throw BadInput(fmt::format("Settings::initial_points: dimension {} of chain {} is {}; every value must be finite",
                               i / chains + 1, i % chains, initial_points[i]));
  }
}

}  // namespace manychain
