#include "adaptation/score_tests.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "adaptation/fit_leaf_masses.hpp"
#include "adaptation/median.hpp"
#include "core/linear_algebra.hpp"

namespace manychain {
namespace {

using Columns = Eigen::ArrayXXd;
using Matrix = Eigen::MatrixXd;

// Products of points with pairs of components in one round, of which there is one for each hyper.
constexpr double most_products = 1e8;
constexpr std::size_t least_points = 256;
// Gains are in units of the log density, a point: of a mass that does not change they are chi-squared over the number
// of points, of which those of one chain are alike. A hyper must gain `least_gain` over its leaves, and of each
// `least_gain_of_leaf` and what is clear for so many points.
constexpr double least_gain = 0.5, least_gain_of_leaf = 0.02, clear_gain = 40;
constexpr std::size_t most_hypers = 64;
// Cuts off one in 1e12 of squares of normal numbers.
constexpr double cut_off_at_medians = 100;

/// Columns of [point][dimension], every so many points.
Columns columns(const std::vector<double>& values, std::size_t d, std::size_t every) {
  const std::size_t n = values.size() / d / every;
  Columns all(eigen_index(n), eigen_index(d));
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < d; ++i) all(eigen_index(k), eigen_index(i)) = values[k * every * d + i];
  return all;
}

/// 1 / M of a leaf at every point, in the unit of the gradients.
Eigen::ArrayXd inverse_masses(const Metric& metric, std::size_t l, const Columns& points) {
  const LeafMasses& m = metric.leaves;
  Eigen::ArrayXd exponent = Eigen::ArrayXd::Constant(points.rows(), m.intercept[l]);
  for (std::int32_t e = m.first[l]; e < m.first[l + 1]; ++e)
    exponent += m.exponent[static_cast<std::size_t>(e)] * points.col(m.hyper[static_cast<std::size_t>(e)]);
  const double scale = metric.scale[static_cast<std::size_t>(m.component[l])];
  return scale * scale / (m.constant[l] + exponent.min(60).exp());
}

class Tests {
 public:
  Tests(const std::vector<double>& points, const std::vector<double>& gradients, const std::vector<bool>& moved,
        std::size_t every)
      : d_(moved.size()), moved_(moved), points_(columns(points, d_, every)), squares_(columns(gradients, d_, every)) {
    squares_ = squares_.square();
    std::vector<double> units;
    standardised_ = points_.rowwise() - points_.colwise().mean();
    for (Eigen::Index i = 0; i < points_.cols(); ++i) {
      const double sd = std::sqrt(standardised_.col(i).square().mean());
      const bool varies = sd > 0 && std::isfinite(sd);
      if (varies)
        standardised_.col(i) /= sd;
      else
        moved_[static_cast<std::size_t>(i)] = false;
      squares_.col(i) = squares_.col(i).min(cut_off_at_medians * median(squares_.col(i)));
      const double mean = squares_.col(i).mean();
      if (!(mean > 0) || !std::isfinite(mean)) moved_[static_cast<std::size_t>(i)] = false;
      units.push_back(mean);
    }
    ratios_ = squares_;
    for (Eigen::Index i = 0; i < points_.cols(); ++i) ratios_.col(i) /= units[static_cast<std::size_t>(i)];
    for (std::size_t i = 0; i < d_; ++i)
      if (!moved_[i]) standardised_.col(eigen_index(i)) = 0, ratios_.col(eigen_index(i)) = 1;
  }

  /// The component that gains most as a hyper, and its leaves with their slopes; none that gains enough: no leaves.
  std::pair<std::size_t, std::vector<std::pair<std::size_t, double>>> best(const ScoredScales& found) const {
    const double n = static_cast<double>(points_.rows());
    const Matrix u = transposed_product(standardised_.matrix(), (1 - ratios_).matrix()) / n;
    const Matrix v = transposed_product(standardised_.square().matrix(), ratios_.matrix()) / n;
    Columns gain = u.array().square() / (2 * v.array() + 1e-30);  // [hyper][leaf]
    for (std::size_t i = 0; i < d_; ++i)
      if (!moved_[i]) gain.row(eigen_index(i)) = 0, gain.col(eigen_index(i)) = 0;
    gain.matrix().diagonal().setZero();
    for (const DependentScale& leaf : found.leaves) {
      gain.row(eigen_index(leaf.component)) = 0;
      if (leaf.hypers.size() == scored_hypers_of_leaf) gain.col(eigen_index(leaf.component)) = 0;
      for (const std::size_t k : leaf.hypers) gain.row(eigen_index(k)) = 0, gain.col(eigen_index(k)) = 0;
    }
    gain = (gain < std::max(least_gain_of_leaf, clear_gain / n)).select(0, gain);
    Eigen::Index k = 0;
    if (!(gain.rowwise().sum().maxCoeff(&k) >= least_gain)) return {};
    std::vector<std::pair<std::size_t, double>> leaves;
    for (Eigen::Index j = 0; j < gain.cols(); ++j)
      if (gain(k, j) > 0) leaves.emplace_back(static_cast<std::size_t>(j), -0.5 * u(k, j) / v(k, j));
    return {static_cast<std::size_t>(k), leaves};
  }

  /// Squares of gradients are looked at in units of these masses from now on.
  void take(const Metric& metric) {
    for (std::size_t l = 0; l < metric.leaves.count(); ++l) {
      const auto j = static_cast<std::size_t>(metric.leaves.component[l]);
      ratios_.col(eigen_index(j)) = squares_.col(eigen_index(j)) * inverse_masses(metric, l, points_);
    }
  }

 private:
  std::size_t d_;
  std::vector<bool> moved_;
  // [point][component]
  Columns points_, standardised_;
  Columns squares_, ratios_;  ///< of gradients, and these over the masses
};

void add_hyper(ScoredScales& found, std::size_t hyper, std::size_t component, double slope) {
  const auto at = std::lower_bound(found.leaves.begin(), found.leaves.end(), component,
                                   [](const DependentScale& leaf, std::size_t i) { return leaf.component < i; });
  const auto l = at - found.leaves.begin();
  if (at == found.leaves.end() || at->component != component) {
    found.leaves.insert(at, {component, {}});
    found.slopes.insert(found.slopes.begin() + l, std::vector<double>());
  }
  DependentScale& leaf = found.leaves[static_cast<std::size_t>(l)];
  const auto place = std::lower_bound(leaf.hypers.begin(), leaf.hypers.end(), hyper) - leaf.hypers.begin();
  leaf.hypers.insert(leaf.hypers.begin() + place, hyper);
  std::vector<double>& slopes = found.slopes[static_cast<std::size_t>(l)];
  slopes.insert(slopes.begin() + place, slope);
}

}  // namespace

ScoredScales scales_from_scores(const std::vector<double>& points, const std::vector<double>& gradients,
                                const std::vector<bool>& moved) {
  const std::size_t d = moved.size(), n = d > 0 ? points.size() / d : 0;
  const double affordable = most_products / (static_cast<double>(d) * static_cast<double>(d) + 1);
  if (n < least_points || affordable < static_cast<double>(least_points)) return {};
  const std::size_t every = std::max<std::size_t>(1, n / static_cast<std::size_t>(std::min(affordable, 1e9)));
  Tests tests(points, gradients, moved, every);

  ScoredScales found;
  for (std::size_t round = 0; round < most_hypers; ++round) {
    const auto [hyper, leaves] = tests.best(found);
    if (leaves.empty()) break;
    for (const auto& [component, slope] : leaves) add_hyper(found, hyper, component, slope);
    Metric metric{std::vector<double>(d, 1.0), {}, {}};
    fit_leaf_masses(found.leaves, points, gradients, metric, found.slopes);
    tests.take(metric);
  }
  return found;
}

}  // namespace manychain
