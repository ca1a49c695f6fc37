#include "check/precision_of_draws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/engine.hpp"

namespace manychain {
namespace {

struct ShortRun {
  static constexpr std::size_t most_chains = 64, fewest_chains = 8, forgotten = 20, draws = 4, thin = 5;
  static constexpr std::size_t most_values = std::size_t{1} << 22;  ///< of all draws
};
constexpr double rounding_limit = 0.001, shift_limit = 0.1, shift_by_chance = 6;  // of the sd; times its error

/// The mean and the sd of a quantity, the standard error of the mean by the means of chains, and the root mean square
/// of what single precision rounds off: nothing of whole numbers.
struct Spread {
  double mean = 0, sd = 0, error = 0, rounding = 0;
};

Spread spread_of(const Draws& all, std::size_t variable) {
  const auto n = static_cast<double>(all.draws), chains = static_cast<double>(all.chains);
  // About the first draw, so that sums keep their digits.
  const double origin = all(0, variable, 0);
  double sum = 0, squares = 0, squares_of_means = 0, rounded = 0;
  for (std::size_t c = 0; c < all.chains; ++c) {
    double of_chain = 0;
    for (std::size_t d = 0; d < all.draws; ++d) {
      const double x = all(d, variable, c) - origin;
      of_chain += x, squares += x * x;
      rounded += std::pow(all(d, variable, c) - static_cast<double>(static_cast<float>(all(d, variable, c))), 2);
    }
    sum += of_chain, squares_of_means += of_chain * of_chain / (n * n);
  }
  const double mean = sum / (n * chains);
  return {origin + mean, std::sqrt(std::max(squares / (n * chains) - mean * mean, 0.0)),
          std::sqrt(std::max(squares_of_means / chains - mean * mean, 0.0) / (chains - 1)),
          std::sqrt(rounded / (n * chains))};
}

/// The draws of a short run.
Draws short_run(const Model& model, Settings settings, Precision precision) {
  const std::vector<double> given = std::move(settings.warmup.initial_points);
  const std::size_t all = settings.chains, d = model.layout().dimension;
  settings.chains =
      std::clamp(ShortRun::most_values / (ShortRun::draws * std::max<std::size_t>(model.layout().outputs, 1)),
                 ShortRun::fewest_chains, ShortRun::most_chains);
  settings.precision = precision;
  settings.backend = Backend::cpu;
  settings.device.reset();
  settings.devices.clear();
  settings.warmup.initial_points.clear();
  settings.seed = 0;
  settings.first_chain = 0;
  settings.superchains = 0;
  settings.groups = 1;
  settings.warmup.transitions = 0;
  settings.sampling.draws = ShortRun::draws;
  settings.sampling.thin = ShortRun::thin;
  settings.output.keep_draws = true;
  settings.output.keep_sample_stats = false;
  std::vector<double> positions;
  for (std::size_t i = 0; i < d && !given.empty(); ++i)
    for (std::size_t c = 0; c < settings.chains; ++c) positions.push_back(given[i * all + c % all]);
  const auto engine = make_cpu_engine(model, settings);
  engine->initialise(positions, 100);
  Block block;
  block.count = ShortRun::forgotten;
  engine->advance(block, 0);
  block.first_transition = block.sampling_begin = ShortRun::forgotten;
  block.count = ShortRun::draws * ShortRun::thin;
  block.keep = true;
  block.thin = ShortRun::thin;
  engine->advance(block, 0);
  return engine->take_draws(ShortRun::draws);
}

/// Says why single precision is not enough for a quantity; empty if it is.
std::string fault_of(const std::string& name, const Spread& exact, const Spread& single) {
  const std::string where = fmt::format("{} (mean {:.6g}, sd {:.3g})", name, exact.mean, exact.sd);
  if (!(exact.sd > 0) || !std::isfinite(exact.mean) || !std::isfinite(exact.sd)) return "";  // nothing to compare with
  if (!std::isfinite(single.mean)) return fmt::format("draws of {} are not finite in single precision", where);
  if (exact.rounding > rounding_limit * exact.sd)
    return fmt::format("single precision rounds draws of {} by {:.2g} sds", where, exact.rounding / exact.sd);
  const double shift = std::fabs(single.mean - exact.mean);
  if (shift > shift_limit * exact.sd && shift > shift_by_chance * std::hypot(exact.error, single.error))
    return fmt::format("single precision draws {} elsewhere, by {:.2g} sds", where, shift / exact.sd);
  return "";
}

}  // namespace

bool can_compare_draws(const Model& model, const SamplerInfo& sampler) {
  const ModelBinding& bound = model.bound();
  return !moves_by_density(sampler, bound.gives.conditionals) && sampler.exact && !sampler.tuned &&
         !bound.double_only && !bound.single_only &&
         model.layout().outputs * ShortRun::draws * ShortRun::fewest_chains <= ShortRun::most_values;
}

PrecisionCheck compare_precisions_of_draws(const Model& model, const Settings& settings) {
  PrecisionCheck check;
  Draws exact;
  try {
    exact = short_run(model, settings, Precision::double_precision);
  } catch (const BadInput&) {
    return check;  // compiled for single precision alone
  }
  check.looked = true;
  try {
    const Draws single = short_run(model, settings, Precision::single_precision);
    const std::vector<std::string> names = model.layout().output_names();
    for (std::size_t i = 0; i < names.size() && check.failure.empty(); ++i) {
      check.failure = fault_of(names[i], spread_of(exact, i), spread_of(single, i));
      if (!check.failure.empty()) check.parameters = {names[i]};
    }
  } catch (const BadInput& error) {  // data that do not fit into single precision
    check.failure = error.what();
  }
  check.enough = check.failure.empty();
  return check;
}

}  // namespace manychain
