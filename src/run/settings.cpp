#include "manychain/run/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "manychain/core/error.hpp"
#include "manychain/random/purpose.hpp"
#include "run/choose_sampler.hpp"
#include "run/defaults.hpp"
#include "run/setting_table.hpp"

namespace manychain {
namespace {

template <class Value>
void require(bool allowed, const char* path, const Value& value, const std::string& rule) {
  if (!allowed) throw BadInput(fmt::format("Settings::{}: {} is not allowed; {}", path, value, rule));
}

template <class Row>
void require_in_range(const Row& row, const Settings& settings) {
  if (const auto* const value = row.value(settings); value && !row.range.allows(*value))
    require(false, row.path, row.text(settings), row.range.sentence());
}

void require_schedule(const StepSchedule& s) {
  require(positive.holds(s.a), "sampling.schedule a", s.a, positive.rule);
  require(positive.holds(s.b), "sampling.schedule b", s.b, positive.rule);
  require(s.gamma <= 1, "sampling.schedule gamma", s.gamma,
          "above 1 the sum of all steps is finite: the chain stops before it arrives; take at most 1");
  require(s.gamma == 0 || s.gamma > 0.5, "sampling.schedule gamma", s.gamma,
          "up to 1/2 the sum of the squared steps is infinite: the noise of the gradients never dies out; take more "
          "than 0.5, or 0 for a constant step");
}

}  // namespace

void Settings::validate() const {
  for_each_setting([&](const auto& row) { require_in_range(row, *this); });
  // Checks of several settings together.
  const std::size_t before = warmup.transitions.value_or(default_warmup),
                    kept = sampling.draws.value_or(most_draws(std::max<std::size_t>(chains, 1)));
  if (kept > (max_transitions - 1 - before) / sampling.thin) {
    throw BadInput(
        fmt::format("Settings::warmup.transitions + Settings::sampling.draws * Settings::sampling.thin: {} + {} * {} "
                    "transitions are too many; they must "
                    "be fewer than 2^40",
                    before, kept, sampling.thin));
  }
  if (sampling.target_ess && !output.keep_draws)
    throw BadInput("Settings::sampling.target_ess needs the draws: set Settings::output.keep_draws");
  if (output.save_warmup && !output.keep_draws)
    throw BadInput(
        "Settings::output.save_warmup keeps draws of warm-up beside those behind it: set Settings::output.keep_draws");
  if (device && backend == Backend::cpu)
    throw BadInput("Settings::device: a CUDA device is of no use to backend cpu; leave it out");
  if (!devices.empty() && backend == Backend::cpu)
    throw BadInput("Settings::devices: CUDA devices are of no use to backend cpu; leave them out");
  if (!devices.empty() && device)
    throw BadInput("Settings::devices: " + devices +
                   ", and Settings::device is another word for one of them; leave one "
                   "of the two out");
  if (sampling.schedule) require_schedule(*sampling.schedule);
  if (sampling.schedule && sampling.step_size)
    throw BadInput(
        "Settings::sampling.schedule: Settings::sampling.step_size is a constant step, and a schedule another; give "
        "one of them");
  // fill_in_defaults() asks about a sampler that the model brings.
  if (const SamplerInfo* const known = find_sampler(sampler)) require_own_settings(*known, *this);
  if (groups > 1 && chains > 0)
    require(chains % groups == 0 && chains / groups % 64 == 0, "groups", groups,
            "the chains must divide among them, a multiple of 64 in each");
  require(first_chain < max_chains - chains, "first_chain", first_chain, "chains are numbered below 2^48");
  if (scalar && backend == Backend::cuda) {
    throw BadInput(
        "Settings::scalar: one chain per lane of width one is a setting of the CPU; leave it out with backend cuda");
  }
  if (chains == 0) {  // choose_chains() takes what fits
    require(groups < max_chains / 64, "groups", groups, "chains are numbered below 2^48");
    require(superchains.value_or(0) < max_chains / 64 / groups, "superchains", *superchains,
            "chains are numbered below 2^48");
    return;
  }
  if (superchains.value_or(0) > 1) {
    require(*superchains <= chains / groups / 2, "superchains", *superchains,
            fmt::format("it must be at most half the number of chains{}, so that each has two; or 0 for none",
                        groups > 1 ? " of a group" : ""));
    if (groups > 1)
      require(chains / groups % *superchains == 0, "superchains", *superchains,
              "the chains of a group must divide among them");
  }
  const std::vector<double>& initial_points = warmup.initial_points;
  if (initial_points.size() % chains != 0) {
    throw BadInput(fmt::format(
        "Settings::warmup.initial_points: {} values do not divide among {} chains; they are [dimension][chain]",
        initial_points.size(), chains));
  }
  for (std::size_t i = 0; i < initial_points.size(); ++i) {
    if (std::isfinite(initial_points[i])) continue;
    throw BadInput(
        fmt::format("Settings::warmup.initial_points: dimension {} of chain {} is {}; every value must be finite",
                    i / chains + 1, i % chains, initial_points[i]));
  }
  const std::size_t shared = superchains.value_or(0), of_group = chains / groups;
  for (std::size_t i = 0; shared > 1 && i < initial_points.size(); ++i) {
    const std::size_t chain = i % chains, same = chain - chain % of_group + chain % of_group % shared;
    if (initial_points[i] == initial_points[i - chain + same]) continue;
    throw BadInput(fmt::format(
        "Settings::superchains: chains {} and {} share a starting point, but in Settings::warmup.initial_points they "
        "differ in dimension {}; give them the same, or no superchains",
        chain, same, i / chains + 1));
  }
}

}  // namespace manychain
