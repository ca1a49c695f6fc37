#include "calibration/prior.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>

#include "core/eigen.hpp"

#include <Eigen/Eigenvalues>

#include "check/term_search.hpp"
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

using Numbers = std::vector<double>;
// A prior that has not converged by then drifts, or is a funnel: more would take minutes, and change nothing.
constexpr std::size_t longest_run = 200, most_leapfrogs = 256;
constexpr std::size_t most_for_hessian = 500;  // components

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

/// True if the log density falls nowhere along a direction, one way or the other.
bool never_falls(const DensityEvaluator& density, const Numbers& from, const Numbers& direction) {
  constexpr std::array<double, 6> far = {30, 300, 3e3, 1e6, 1e9, 1e12};
  Numbers at = from, gradient(from.size());
  const auto value = [&](double distance) {
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = from[i] + distance * direction[i];
    double log_density = 0;
    density(at.data(), 1, &log_density, gradient.data());
    return log_density;
  };
  const double here = value(0);
  if (!std::isfinite(here)) return false;  // no start was found: the sampler says so
  for (const double sign : {-1.0, 1.0}) {
    bool falls = false, seen = false;
    for (const double distance : far) {
      const double there = value(sign * distance);
      if (std::isnan(there)) continue;  // what overflows tells nothing
      seen = true;
      falls = falls || there < here - 1;
    }
    if (seen && !falls) return true;
  }
  return false;
}

/// Directions along which the gradient does not change at a point: eigenvectors of the Hessian, from differences of
/// gradients. Their largest element is 1, and elements that rounding alone keeps from a multiple of 1/1000 are one: far
/// out the rest would count.
std::vector<Numbers> flat_directions(const DensityEvaluator& density, const Numbers& from) {
  const std::size_t d = from.size();
  Eigen::MatrixXd hessian(eigen_index(d), eigen_index(d));
  Numbers at = from, above(d), below(d);
  double unused = 0;
  constexpr double step = 1e-3;
  for (std::size_t i = 0; i < d; ++i) {
    at[i] = from[i] + step;
    density(at.data(), 1, &unused, above.data());
    at[i] = from[i] - step;
    density(at.data(), 1, &unused, below.data());
    at[i] = from[i];
    for (std::size_t j = 0; j < d; ++j) hessian(eigen_index(i), eigen_index(j)) = (above[j] - below[j]) / (2 * step);
  }
  if (!hessian.allFinite()) return {};
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(0.5 * (hessian + hessian.transpose()));
  const double largest = solved.eigenvalues().cwiseAbs().maxCoeff();
  std::vector<Numbers> directions;
  for (std::size_t k = 0; k < d; ++k) {
    if (std::fabs(solved.eigenvalues()[eigen_index(k)]) > 1e-6 * largest) continue;
    const Eigen::VectorXd v = solved.eigenvectors().col(eigen_index(k));
    Eigen::Index most = 0;
    v.cwiseAbs().maxCoeff(&most);
    Numbers direction(d);
    for (std::size_t i = 0; i < d; ++i) {
      direction[i] = v[eigen_index(i)] / v[most];
      const double rounded = std::round(1000 * direction[i]) / 1000;
      if (std::fabs(direction[i] - rounded) < 1e-5) direction[i] = rounded;
    }
    directions.push_back(std::move(direction));
  }
  return directions;
}

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

std::vector<std::string> improper_parameters(const Model& prior, std::uint64_t seed) {
  const std::size_t d = prior.layout().dimension, points = 3;
  const std::vector<double> from = uniform_points(prior, points, 2, seed);
  const auto point = [&](std::size_t k) {
    return Numbers(from.begin() + static_cast<std::ptrdiff_t>(k * d),
                   from.begin() + static_cast<std::ptrdiff_t>((k + 1) * d));
  };
  const DensityEvaluator density = prior.bound().evaluator();
  std::vector<bool> improper(d);
  Numbers direction(d, 0.0);
  for (std::size_t i = 0; i < d; ++i) {
    direction[i] = 1;
    improper[i] = true;
    for (std::size_t k = 0; k < points && improper[i]; ++k) improper[i] = never_falls(density, point(k), direction);
    direction[i] = 0;
  }
  const std::vector<std::string>& names = prior.layout().unconstrained_names;
  if (std::find(improper.begin(), improper.end(), true) != improper.end()) return by_parameter(names, improper);
  if (d > most_for_hessian) return {};
  for (const Numbers& together : flat_directions(density, point(0))) {
    if (!never_falls(density, point(0), together)) continue;
    for (std::size_t i = 0; i < d; ++i) improper[i] = improper[i] || std::fabs(together[i]) > 0.01;
  }
  return by_parameter(names, improper);
}

std::vector<double> prior_draws(const Model& prior, std::size_t count, const Settings& settings,
                                std::size_t* divergences) {
  const std::vector<std::string> improper = improper_parameters(prior, settings.seed);
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
