#include "calibration/prior.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>

#include "check/improper.hpp"
#include "check/uniform_points.hpp"
#include "foreign/foreign_density.hpp"
#include "manychain/chain/prior_density.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/run/result.hpp"
#include "run/defaults.hpp"
#include "sampling/judge.hpp"

namespace manychain {
namespace {

// A prior that has not converged by then drifts, or is a funnel: more would take minutes, and change nothing.
constexpr std::size_t longest_run = 200, most_leapfrogs = 256;

/// Evaluators are for one thread at a time: there are as many as threads have been here at once.
class Prior final : public ForeignDensity {
 public:
  explicit Prior(Model model) : model_(std::move(model)) { give_back(taken()); }

  double value_and_gradient(const double* position, double* gradient) const override {
    auto terms = taken();
    const double value = dynamic_cast<PriorDensity&>(*terms).prior(position, gradient);
    give_back(std::move(terms));
    return value;
  }
  std::unique_ptr<MixtureParts> mixture_parts() const override {
    std::unique_ptr<MixtureParts> parts = model_.bound().mixture_parts();
    if (parts) parts->leave_out_observed();
    return parts;
  }

 private:
  using Terms = std::unique_ptr<ModelTerms>;

  Terms taken() const {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!idle_.empty()) {
        Terms terms = std::move(idle_.back());
        idle_.pop_back();
        return terms;
      }
    }
    Terms terms = model_.bound().terms();
    if (!dynamic_cast<PriorDensity*>(terms.get())) throw BadInput("model " + model_.name() + no_prior);
    return terms;
  }
  void give_back(Terms terms) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(terms));
  }

  Model model_;  // keeps alive what it was bound to
  mutable std::mutex mutex_;
  mutable std::vector<Terms> idle_;
};

}  // namespace

Model prior_of(const Model& model) {
  const Layout& layout = model.layout();
  if (layout.integers > 0)
    throw BadInput("model " + model.name() + " has parameters that are whole numbers: its prior has no gradient");
  ForeignTraits traits;
  traits.name = "the prior of " + model.name();
  traits.foreign = "the prior of a model";
  traits.layout = unconstrained_layout(layout.dimension, layout.unconstrained_names);
  traits.foreign_gradient_values = layout.dimension;
  return Model(bind_foreign(std::make_shared<Prior>(model), std::move(traits)));
}

std::vector<std::string> improper_priors(const Model& prior, std::uint64_t seed) {
  constexpr std::size_t points = 3;
  return improper_parameters(prior, uniform_points(prior, points, Settings().warmup.initial_radius, seed));
}

std::vector<double> prior_draws(const Model& prior, std::size_t count, const Settings& settings,
                                std::size_t* divergences) {
  const std::vector<std::string> improper = improper_priors(prior, settings.seed);
  if (!improper.empty())
    throw BadInput(
        fmt::format("{} is improper: no term keeps {} from going anywhere{}; give {} a proper prior, for "
                    "example target += normal({}, 0, 5)",
                    prior.name(), fmt::join(improper, ", "), improper.size() == 1 ? "" : ", alone or together",
                    improper.size() == 1 ? "it" : "what has none", improper.front()));
  Settings of = settings;
  of.sampler = Settings().sampler;
  of.backend = Backend::cpu;
  of.precision = Precision::double_precision;
  of.chains = std::max<std::size_t>(256, (count + 63) / 64 * 64);
  of.sampling.draws = longest_run;
  of.sampling.target_ess = default_target_ess;
  of.sampling.max_leapfrogs = most_leapfrogs;
  of.output.keep_sample_stats = false;
  const auto refuse = [&](const std::string& why) {
    throw BadInput(
        fmt::format("{} cannot be sampled; give every parameter a proper prior, and parameters whose scale "
                    "is one offset_multiplier(mu, tau): {}",
                    prior.name(), why));
  };
  Result result;
  try {
    result = sample(prior, of);
  } catch (const SamplingFailed& error) {
    refuse(error.what());
  }
  if (result.cancelled) throw SamplingFailed("cancelled before the first data were drawn");
  if (!result.converged) refuse(reasons(result));
  if (divergences) *divergences = result.sampling.divergences;
  const std::size_t d = prior.layout().dimension;
  std::vector<double> draws(count * d);
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t i = 0; i < d; ++i) draws[c * d + i] = result.draws(result.draws.draws - 1, i, c);
  return draws;
}

}  // namespace manychain
