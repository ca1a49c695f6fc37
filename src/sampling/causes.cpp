#include "sampling/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "check/checked_density.hpp"
#include "check/improper.hpp"
#include "diagnostics/low_chains.hpp"
#include "diagnostics/places.hpp"
#include "manychain/chain/program.hpp"
#include "sampling/judge.hpp"
#include "starts/each_path.hpp"

namespace manychain {
namespace {

using diagnostics::ChainMoments;

constexpr double far_apart = 1.1;       // an R-hat
constexpr std::size_t most_tried = 32;  // quantities whose chains are looked at

/// Lists quantities whose R-hat is far from 1, the largest first. What need not converge is none of them.
std::vector<std::size_t> least_agreed(const Result& result) {
  const diagnostics::Deciding decides = deciding(result.settings);
  const std::vector<bool> still = still_outputs(result);
  std::vector<std::size_t> apart;
  const auto rhat = [&](std::size_t i) { return decides.rhat(result.summary[i].statistics); };
  for (std::size_t i = 0; i < still.size(); ++i)
    if (!still[i] && rhat(i) > far_apart) apart.push_back(i);
  std::stable_sort(apart.begin(), apart.end(), [&](std::size_t a, std::size_t b) { return rhat(a) > rhat(b); });
  return apart;
}

std::vector<ChainMoments> moments_of(const Result& result, std::size_t variable, const DrawsSource* source) {
  const std::size_t superchains = result.settings.superchains.value_or(0);
  const Draws read = source ? source->draws({0, result.kept}, {variable, 1}) : Draws();
  const Draws& draws = source ? read : result.draws;
  std::vector<ChainMoments> chains;
  for (std::size_t c = 0; c < draws.chains; ++c)
    chains.push_back(diagnostics::moments_of_chain(c, superchains, draws.draws,
                                                   [&](std::size_t d) { return draws(d, source ? 0 : variable, c); }));
  return chains;
}

std::string in_words(const std::vector<diagnostics::Place>& places, const std::string& name, std::size_t chains) {
  std::string words;
  for (const diagnostics::Place& place : places) {
    const std::string where = fmt::format("near {:.3g}", place.centre);
    words += words.empty() ? fmt::format("{}: {} of {} chains stay {}", name, place.chains, chains, where)
                           : fmt::format(", {} {}", place.chains, where);
  }
  return words;
}

// Chains that stand so near to an edge that a standard deviation leads beyond, and how many are looked at.
constexpr std::size_t chains_looked_at = 16, chains_at_edge = 4;
constexpr int edge_halvings = 24;
constexpr double place_and_doubt = edge_halvings + 1;  // evaluations to find an edge, and to ask if it is one
constexpr std::size_t most_named = 5;

/// Gives 1.4826 times the median distance from the median, for each component: one chain far away widens nothing.
std::vector<double> robust_scale(const std::vector<double>& points, std::size_t dimension) {
  const std::size_t n = points.size() / dimension;
  std::vector<double> scale, row(n);
  const auto median = [&] {
    const auto middle = row.begin() + static_cast<std::ptrdiff_t>(n / 2);
    std::nth_element(row.begin(), middle, row.end());
    return *middle;
  };
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t c = 0; c < n; ++c) row[c] = points[c * dimension + i];
    const double centre = median();
    for (double& x : row) x = std::fabs(x - centre);
    scale.push_back(1.4826 * median());
  }
  return scale;
}

class Edges {
 public:
  /// `draws`: empty, or the last one at least. `evaluations`: how many it may take.
  Edges(const Model& model, const ChainPoints& points, const Result& result, const Draws& draws, double evaluations)
      : model_(model),
        result_(result),
        draws_(draws),
        d_(model.layout().dimension),
        points_(points.positions),
        density_(detail::zero_where_it_throws(model.bound().evaluator(), d_)),
        left_(evaluations) {}

  std::vector<std::string> operator()() {
    const std::size_t all = points_.size() / d_, looked_at = std::min(all, chains_looked_at);
    const std::vector<double> scale = robust_scale(points_, d_);
    std::vector<double> moved;
    for (std::size_t k = 0; k < looked_at; ++k)
      for (std::size_t i = 0; i < d_; ++i)
        for (const double side : {-1.0, 1.0}) {
          const double* const q = point(k * all / looked_at);
          moved.insert(moved.end(), q, q + d_);
          moved[moved.size() - d_ + i] += side * scale[i];
        }
    std::vector<double> densities(moved.size() / d_);
    density_(moved.data(), densities.size(), densities.data(), nullptr);
    left_ -= static_cast<double>(densities.size());
    for (std::size_t i = 0; i < d_ && found_.size() < most_named; ++i) {
      std::vector<std::string> sides;
      for (const bool above : {false, true}) {
        std::vector<std::size_t> beyond;
        for (std::size_t k = 0; k < looked_at; ++k)
          if (!std::isfinite(densities[(k * d_ + i) * 2 + above])) beyond.push_back(k * all / looked_at);
        if (beyond.size() < std::min(chains_at_edge, looked_at)) continue;
        constrained_ = !unbounded(i);
        if (const auto side = edge(i, above, beyond, above ? scale[i] : -scale[i])) sides.push_back(*side);
      }
      if (sides.empty()) continue;
      const char* const sides_of_constrained = sides.size() == 1 ? "on one side" : "on both sides";
      found_.push_back(fmt::format("{} ({})", model_.layout().unconstrained_names[i],
                                   constrained_ ? sides_of_constrained : fmt::format("{}", fmt::join(sides, ", "))));
    }
    return std::move(found_);
  }

 private:
  const double* point(std::size_t chain) const { return points_.data() + chain * d_; }

  /// Finds where the density ends: "below 1.2". None if numbers or the steps of a solver end there and the density goes
  /// on, or if no evaluations are left to tell.
  std::optional<std::string> edge(std::size_t i, bool above, const std::vector<std::size_t>& chains, double step) {
    if (left_ < place_and_doubt) return {};
    double at = between(chains[0], i, step);
    if (goes_on(chains[0], i, at)) return {};
    // As far out as any chain can go; half of what is left is for other ends.
    const double others = 0.5 * left_;
    for (std::size_t k = 1; k < chains.size() && !constrained_ && left_ - edge_halvings >= others; ++k) {
      const double next = between(chains[k], i, step);
      at = above ? std::max(at, next) : std::min(at, next);
    }
    return fmt::format("{} {:.4g}", above ? "above" : "below", at);
  }

  /// Tells whether the density goes on where it is not finite in double: it is finite there in extended precision, or
  /// with more steps of a solver, or the constraint of the component has come to its end, as exp(-u) has in 1 + exp(-u)
  /// from u = 37 on. Without draws any component may have a constraint: terms tell more.
  bool goes_on(std::size_t chain, std::size_t i, double at) {
    constexpr double end_of_constraint = 36;
    --left_;
    if (!terms_) terms_ = std::make_unique<CheckedDensity>(model_);
    const bool known = !draws_.empty() || !terms_->terms();
    if (constrained_ && known && std::fabs(at) > end_of_constraint) return true;
    if (!terms_->terms()) return false;
    std::vector<double> q(point(chain), point(chain) + d_);
    q[i] = at;
    return std::isfinite(terms_->solvers().empty() ? terms_->value(q.data())
                                                   : terms_->solved(q, CheckedDensity::patient).log_density);
  }

  /// Tells if the component has no constraint: its last draw is then where its chain stands. Without draws that is not
  /// known.
  bool unbounded(std::size_t i) const {
    const std::vector<std::string> names = result_.layout.output_names();
    const auto output = std::find(names.begin(), names.end(), model_.layout().unconstrained_names[i]);
    if (output == names.end() || draws_.empty()) return false;
    const double x = point(0)[i], drawn = draws_(draws_.draws - 1, static_cast<std::size_t>(output - names.begin()), 0);
    return std::fabs(x - drawn) <= 1e-6 * std::fabs(x);
  }

  /// Finds where along the component the density of a chain's place ends: the first point beyond.
  double between(std::size_t chain, std::size_t i, double step) {
    left_ -= edge_halvings;
    std::vector<double> q(point(chain), point(chain) + d_);
    const double from = q[i];
    double inside = 0, outside = 1;
    for (int k = 0; k < edge_halvings; ++k) {
      const double middle = 0.5 * (inside + outside);
      q[i] = from + middle * step;
      double density = 0;
      density_(q.data(), 1, &density, nullptr);
      (std::isfinite(density) ? inside : outside) = middle;
    }
    return from + outside * step;
  }

  const Model& model_;
  const Result& result_;
  const Draws& draws_;
  std::size_t d_;
  const std::vector<double>& points_;
  DensityEvaluator density_;
  double left_;               ///< evaluations
  bool constrained_ = false;  ///< the component that is looked at
  std::unique_ptr<CheckedDensity> terms_;
  std::vector<std::string> found_;
};

}  // namespace

double allowed_evaluations(const Result& result) {
  constexpr double most_evaluations = 3000;
  return std::min(most_evaluations, 0.01 * static_cast<double>(result.gradients));
}

std::string places_in_words(const Result& result, const DrawsSource* source) {
  if ((result.draws.empty() && !source) || result.kept < 2) return "";
  std::size_t tried = 0;
  for (const std::size_t i : least_agreed(result)) {
    std::vector<ChainMoments> chains = moments_of(result, i, source);
    if (!most_move(chains)) continue;
    const std::vector<diagnostics::Place> places = diagnostics::places_of(std::move(chains));
    if (!places.empty()) return in_words(places, result.summary[i].name, result.settings.chains);
    if (++tried == most_tried) break;
  }
  return "";
}

std::string low_chains_in_words(const std::vector<double>& largest, const Result& result) {
  const diagnostics::LowChains low = diagnostics::find_low_chains(largest, result.layout.dimension);
  if (low.chains == 0) return "";
  return fmt::format("{} of {} chains stay at log densities {:.2g} or more below the highest of all others", low.chains,
                     result.settings.chains, low.gap);
}

std::vector<std::string> find_improper(const Model& model, const Engine& engine, const Result& result) {
  if (result.cancelled || model.layout().integers > 0 || !model.bound().terms()) return {};
  std::vector<std::string> improper =
      improper_parameters(model, engine.points(chains_of_improper).positions, allowed_evaluations(result));
  model.bound().take_rejections();  // no chain was there
  return improper;
}

std::vector<std::string> find_edges(const Model& model, const Engine& engine, const Result& result,
                                    const DrawsSource* source) {
  if (result.cancelled) return {};
  if (!result.precision.beyond.empty()) return {};  // the numbers end there, and that is said
  const Layout& layout = model.layout();
  const double of_moves = 2.0 * static_cast<double>(std::min(result.settings.chains, chains_looked_at)) *
                          static_cast<double>(layout.dimension);
  const double allowed = allowed_evaluations(result);
  if (!model.bound().gives.density || layout.integers > 0 || of_moves + place_and_doubt > allowed) return {};
  const ChainPoints points = engine.points(result.settings.chains);
  const Draws last = source ? source->draws({result.kept - 1, 1}, {0, layout.outputs}) : Draws();
  std::vector<std::string> edges = Edges(model, points, result, source ? last : result.draws, allowed)();
  model.bound().take_rejections();  // no chain was there
  return edges;
}

}  // namespace manychain
