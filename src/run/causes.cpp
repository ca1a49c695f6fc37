#include "run/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "diagnostics/places.hpp"
#include "manychain/chain/program.hpp"
#include "run/judge.hpp"

namespace manychain {
namespace {

using diagnostics::ChainMoments;

constexpr double far_apart = 1.1;  // an R-hat

ChainMoments moments_of(const Draws& draws, std::size_t variable, std::size_t chain, std::size_t superchains) {
  ChainMoments m;
  m.start = superchains > 1 ? chain % superchains : chain;
  const double n = static_cast<double>(draws.draws), origin = draws(0, variable, chain);
  double sum = 0, squares = 0;
  for (std::size_t d = 0; d < draws.draws; ++d) {
    const double x = draws(d, variable, chain) - origin;
    sum += x;
    squares += x * x;
  }
  m.mean = origin + sum / n;
  m.sd = std::sqrt(std::max(squares / n - sum / n * (sum / n), 0.0));
  return m;
}

/// The quantity whose R-hat is the largest: where it is far from 1. Else none.
std::optional<std::size_t> least_agreed(const Result& result) {
  const diagnostics::Deciding decides = deciding(result.settings);
  std::optional<std::size_t> worst;
  double largest = far_apart;
  for (std::size_t i = 0; i < result.summary.size(); ++i)
    if (const double rhat = decides.rhat(result.summary[i].statistics); rhat > largest) {
      largest = rhat;
      worst = i;
    }
  return worst;
}

// Chains that stand so near to an edge that a standard deviation leads beyond, and how many are looked at.
constexpr std::size_t chains_looked_at = 16, chains_at_edge = 4;
constexpr double most_evaluations = 3000;
constexpr int halvings = 24;
constexpr std::size_t most_named = 5;

/// 1.4826 times the median distance from the median, for each component: one chain far away widens nothing.
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
  Edges(const Model& model, const ChainPoints& points, const Result& result)
      : model_(model), result_(result), d_(model.layout().dimension), points_(points.positions) {}

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
    const std::vector<double> densities = model_.bound().densities(moved, moved.size() / d_);
    for (std::size_t i = 0; i < d_; ++i)
      for (const bool above : {false, true}) {
        std::vector<std::size_t> beyond;
        for (std::size_t k = 0; k < looked_at; ++k)
          if (!std::isfinite(densities[(k * d_ + i) * 2 + above])) beyond.push_back(k * all / looked_at);
        if (beyond.size() >= std::min(chains_at_edge, looked_at)) add(i, above, beyond, above ? scale[i] : -scale[i]);
      }
    return std::move(found_);
  }

 private:
  const double* point(std::size_t chain) const { return points_.data() + chain * d_; }

  void add(std::size_t i, bool above, const std::vector<std::size_t>& chains, double step) {
    if (found_.size() == most_named) return;
    const std::string& name = model_.layout().unconstrained_names[i];
    if (!unbounded(i)) {
      found_.push_back(fmt::format("{} (on one side)", name));
      return;
    }
    double edge = above ? -HUGE_VAL : HUGE_VAL;  // as far out as any chain can go
    for (const std::size_t chain : chains) {
      const double at = between(chain, i, step);
      edge = above ? std::max(edge, at) : std::min(edge, at);
    }
    found_.push_back(fmt::format("{} ({} {:.4g})", name, above ? "above" : "below", edge));
  }

  /// The component has no constraint: its last draw is where its chain stands.
  bool unbounded(std::size_t i) const {
    const Draws& draws = result_.draws;
    const std::vector<std::string> names = result_.layout.output_names();
    const auto output = std::find(names.begin(), names.end(), model_.layout().unconstrained_names[i]);
    if (output == names.end() || draws.draws == 0) return false;
    const double x = point(0)[i], drawn = draws(draws.draws - 1, static_cast<std::size_t>(output - names.begin()), 0);
    return std::fabs(x - drawn) <= 1e-6 * std::fabs(x);
  }

  /// Where along the component the density of a chain's place ends.
  double between(std::size_t chain, std::size_t i, double step) const {
    std::vector<double> q(point(chain), point(chain) + d_);
    const double from = q[i];
    double inside = 0, outside = 1;
    for (int k = 0; k < halvings; ++k) {
      const double middle = 0.5 * (inside + outside);
      q[i] = from + middle * step;
      (std::isfinite(model_.bound().density(q.data(), nullptr)) ? inside : outside) = middle;
    }
    return from + outside * step;
  }

  const Model& model_;
  const Result& result_;
  std::size_t d_;
  const std::vector<double>& points_;
  std::vector<std::string> found_;
};

}  // namespace

std::string places_in_words(const Result& result) {
  const Draws& draws = result.draws;
  if (draws.draws < 2) return "";
  const std::size_t superchains = result.settings.superchains.value_or(0);
  const std::optional<std::size_t> worst = least_agreed(result);
  if (!worst) return "";
  std::vector<ChainMoments> chains;
  for (std::size_t c = 0; c < draws.chains; ++c) chains.push_back(moments_of(draws, *worst, c, superchains));
  std::string words;
  for (const diagnostics::Place& place : diagnostics::places_of(std::move(chains))) {
    const std::string where = fmt::format("near {:.3g}", place.centre);
    words += words.empty() ? fmt::format("{}: {} of {} chains stay {}", result.summary[*worst].name, place.chains,
                                         draws.chains, where)
                           : fmt::format(", {} {}", place.chains, where);
  }
  return words;
}

std::vector<std::string> find_edges(const Model& model, const Engine& engine, const Result& result) {
  const Layout& layout = model.layout();
  const double evaluations = 2.0 * static_cast<double>(std::min(result.settings.chains, chains_looked_at)) *
                             static_cast<double>(layout.dimension);
  if (!model.bound().gives.density || layout.integers > 0 ||
      evaluations > std::min(most_evaluations, 0.01 * static_cast<double>(result.gradients)))
    return {};
  const ChainPoints points = engine.points(result.settings.chains);
  std::vector<std::string> edges = Edges(model, points, result)();
  model.bound().take_rejections();  // no chain was there
  return edges;
}

}  // namespace manychain
