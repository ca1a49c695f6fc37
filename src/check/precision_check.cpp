#include "check/precision_check.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "manychain/chain/program.hpp"

namespace manychain {

bool accepts_by_density(const SamplerInfo& sampler, const Model& model) {
  const auto& needs = sampler.needs;
  const bool by_density = std::find(needs.begin(), needs.end(), &Capabilities::density) != needs.end();
  // Conditionals, if there are any, accept single components.
  const bool by_conditionals = sampler.accepts_by_conditionals && model.bound().gives.conditionals;
  return by_density && !by_conditionals && sampler.exact && sampler.chain;
}

double decisions_changed(const std::vector<double>& errors) {
  std::vector<double> e;
  std::copy_if(errors.begin(), errors.end(), std::back_inserter(e), [](double x) { return !std::isnan(x); });
  double sum = 0, pairs = 0;
  for (std::size_t i = 0; i < e.size(); ++i)
    for (std::size_t j = 0; j < i; ++j, ++pairs)
      sum += e[i] == e[j] ? 0 : -std::expm1(-std::fabs(e[i] - e[j]));  // two infinities are equal
  return pairs > 0 ? sum / pairs : std::numeric_limits<double>::quiet_NaN();
}

double precision_error(const Model& model, const Settings& settings, const SamplerInfo& sampler, const Engine& engine) {
  constexpr std::size_t most_chains = 256;  // some 30 000 pairs
  if (settings.precision != Precision::single_precision || *settings.warmup.transitions == 0 ||
      !accepts_by_density(sampler, model))
    return std::numeric_limits<double>::quiet_NaN();
  const std::size_t chains = std::min(settings.chains, most_chains);
  const ChainPoints at = engine.points(chains);
  const std::vector<double> exact = model.bound().densities(at.positions, chains);
  std::vector<double> errors(chains);
  for (std::size_t c = 0; c < chains; ++c) {
    const double single = at.log_densities[c];
    if (!std::isfinite(exact[c]))  // nothing to compare with
      errors[c] = std::numeric_limits<double>::quiet_NaN();
    else
      errors[c] = std::isfinite(single) ? single - exact[c] : std::numeric_limits<double>::infinity();
  }
  return decisions_changed(errors);
}

}  // namespace manychain
