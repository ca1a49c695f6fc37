#include "adaptation/fit_leaf_masses.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "adaptation/median.hpp"
#include "core/linear_algebra.hpp"

namespace manychain {
namespace {

using Array = Eigen::ArrayXd;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

constexpr double largest_exponent = 80, smallest = 1e-30;
// Share of the mass in the middle, so that its inverse stays a number in single precision where hypers are far out.
constexpr double least_constant = 1e-12;
// Clips one in 1e6 squares of normal numbers, at so many means, or medians; of chains that are still far off, or
// about to be stuck in a neck, a few would otherwise be all that counts.
constexpr double cut_at_means = 25, cut_at_medians = 50;
constexpr int most_iterations = 20;
constexpr double converged_within = 1e-6;  // of the mean of log M + g^2 / M
// Leaves times points of one iteration: beyond, fewer points are looked at, down to `fewest_points`.
constexpr std::size_t work = 4'000'000, fewest_points = 256;
// Points that show a quantile of one in a hundred.
constexpr std::size_t most_points_of_tail = 2048;
// A log scale whose sd is that small changes a mass, its inverse square, by 0.5 in the logarithm: one scale does for
// all.
constexpr double least_spread = 0.25;
// Error of the log scales' slopes that are taken for known. Draws of the bulk show little of a density that holds a
// leaf in a neck alone.
constexpr double slope_error = 0.1;
// Flows follow the levels of a hierarchy; a deeper one is taken for constant.
constexpr int deepest_level = 3;

/// Component i of some of the points: [point].
Array column(const std::vector<double>& values, std::size_t dimension, std::size_t i, std::size_t every) {
  const std::size_t n = (values.size() / dimension + every - 1) / every;
  Array x(eigen_index(n));
  for (std::size_t k = 0; k < n; ++k) x[eigen_index(k)] = values[k * every * dimension + i];
  return x;
}

/// The mean of squares that are cut off.
double mean_square(const Array& x) {
  const Array squares = x.square();
  return squares.min(cut_at_medians * (median(squares) + smallest)).mean();
}

/// log M = log(exp(c) + sum of exp(a + b w)) of one leaf at standardised hypers.
struct Fit {
  std::vector<Matrix> w;  ///< of each exponential: [point][hyper]
  Array g2;
  Vector p;                    ///< c; a, b... of each exponential
  Vector expected, precision;  ///< of p before the scores are seen: normal, of precision zero where nothing is known

  Array constant() const { return Array::Constant(g2.size(), std::exp(p[0])); }
  /// An exponential whose a is parameter j.
  Array varying(const Vector& at, const Matrix& hypers, Eigen::Index j) const {
    Array exponent = Array::Constant(g2.size(), at[j]);
    for (Eigen::Index k = 0; k < hypers.cols(); ++k) exponent += at[j + 1 + k] * hypers.col(k).array();
    return exponent.max(-largest_exponent).min(largest_exponent).exp();
  }
  double value(const Vector& at) const {
    Array m = Array::Constant(g2.size(), std::exp(at[0]));
    Eigen::Index j = 1;
    for (const Matrix& hypers : w) {
      m += varying(at, hypers, j);
      j += 1 + hypers.cols();
    }
    const double prior = (precision.array() * (at - expected).array().square()).sum();
    return (m.log() + (g2 / m).min(cut_at_means)).mean() + prior / static_cast<double>(g2.size());
  }
  void operator()() {
    const double n = static_cast<double>(g2.size());
    double f = value(p), damping = 1e-2;
    for (int k = 0; k < most_iterations; ++k) {
      const Array e0 = constant();
      Array m = e0;
      std::vector<Array> of_hypers;
      Eigen::Index j = 1;
      for (const Matrix& hypers : w) {
        m += of_hypers.emplace_back(varying(p, hypers, j));
        j += 1 + hypers.cols();
      }
      Matrix slopes(g2.size(), p.size());
      slopes.col(0) = e0 / m;
      j = 1;
      for (std::size_t t = 0; t < w.size(); ++t) {
        const Array share = of_hypers[t] / m;
        slopes.col(j++) = share;
        for (Eigen::Index h = 0; h < w[t].cols(); ++h) slopes.col(j++) = w[t].col(h).array() * share;
      }
      Matrix information = transposed_product(slopes, slopes) / n;
      information.diagonal() += 2 * precision / n;
      information.diagonal().array() += damping * information.trace() + 1e-12;
      const Vector score = transposed_product(slopes, Matrix((1 - (g2 / m).min(cut_at_means)).matrix())) / n +
                           2 * (precision.array() * (p - expected).array()).matrix() / n;
      const std::optional<Matrix> factor = cholesky_factor(information);
      if (!factor) return;
      Vector step = factor->triangularView<Eigen::Lower>().solve(score);
      factor->triangularView<Eigen::Lower>().transpose().solveInPlace(step);
      const Vector next = p - step.cwiseMax(-1).cwiseMin(1);
      const double there = value(next);
      const bool better = there < f;
      const double gained = f - there;
      if (better) p = next, f = there;
      if (better && gained < converged_within) return;
      damping = better ? std::max(damping / 3, 1e-6) : std::min(damping * 5, 1e3);
    }
  }
};

/// The hypers in the scale of one component: of the density whose variate it is, and of others. Precisions add, so that
/// each has an exponential. Those of data have the second one for themselves.
struct Leaf {
  std::size_t component;
  std::vector<std::size_t> own, others;
  std::vector<double> slopes;            ///< of its own hypers, where a fit begins; or none
  std::vector<double> slopes_of_others;  ///< of the log scales of others; one where they are not known
};

std::vector<Leaf> leaves_of(const std::vector<DependentScale>& scales, const std::vector<std::vector<double>>& slopes) {
  std::vector<Leaf> leaves;
  for (std::size_t l = 0; l < scales.size(); ++l) {
    const DependentScale& of = scales[l];
    if (leaves.empty() || leaves.back().component != of.component) leaves.push_back({of.component, {}, {}, {}, {}});
    Leaf& leaf = leaves.back();
    const bool with_data = l + 1 < scales.size() && scales[l + 1].component == of.component;
    for (std::size_t k = 0; k < of.hypers.size(); ++k) {
      const bool in_own = !of.by_data && (with_data || of.slopes.empty() || of.slopes[k] != 0);
      std::vector<std::size_t>& hypers = in_own ? leaf.own : leaf.others;
      const auto at = std::lower_bound(hypers.begin(), hypers.end(), of.hypers[k]);
      if (at != hypers.end() && *at == of.hypers[k]) continue;
      if (!in_own) {
        const bool known = of.by_data && !of.slopes.empty() && of.slopes[k] != 0;
        leaf.slopes_of_others.insert(leaf.slopes_of_others.begin() + (at - hypers.begin()), known ? of.slopes[k] : 1);
      }
      hypers.insert(at, of.hypers[k]);
    }
    if (!of.by_data && !slopes.empty()) leaf.slopes = slopes[l];
  }
  return leaves;
}

/// [dimension] 0 of what depends on nothing, else one more than its deepest hyper.
std::vector<int> levels_of(const std::vector<Leaf>& leaves, std::size_t dimension) {
  std::vector<int> level(dimension, 0);
  for (int round = 0; round <= deepest_level; ++round)
    for (const Leaf& leaf : leaves) {
      int deepest = 0;
      for (const std::vector<std::size_t>& hypers : {leaf.own, leaf.others})
        for (const std::size_t k : hypers) deepest = std::max(deepest, level[k]);
      level[leaf.component] = deepest + 1;
    }
  return level;
}

/// An exponential of a fit.
struct Exponential {
  std::vector<std::size_t> hypers;
  std::vector<double> centre, spread;
};

}  // namespace

void fit_leaf_masses(const std::vector<DependentScale>& scales, const std::vector<double>& points,
                     const std::vector<double>& gradients, Metric& metric,
                     const std::vector<std::vector<double>>& slopes) {
  const std::vector<Leaf> leaves = leaves_of(scales, slopes);
  const std::size_t d = metric.scale.size(), n = points.size() / d;
  const std::vector<int> level = levels_of(leaves, d);
  const std::size_t most_points = std::max(fewest_points, work / std::max<std::size_t>(leaves.size(), 1));
  const std::size_t every = std::max<std::size_t>(1, n / most_points);

  std::vector<const Leaf*> order;
  for (const Leaf& leaf : leaves)
    if (metric.scale[leaf.component] > 0 && level[leaf.component] <= deepest_level) order.push_back(&leaf);
  std::stable_sort(order.begin(), order.end(),
                   [&](const Leaf* a, const Leaf* b) { return level[a->component] > level[b->component]; });

  LeafMasses masses;
  std::vector<bool> is_leaf(d, false), is_hyper(d, false);
  std::vector<double> spreads(d, 0);
  for (const Leaf* leaf : order)
    for (const std::vector<std::size_t>* const hypers : {&leaf->own, &leaf->others})
      for (const std::size_t k : *hypers)
        if (spreads[k] == 0) {
          const Array w = column(points, d, k, every);
          spreads[k] = std::sqrt((w - w.mean()).square().mean());
        }
  for (const Leaf* leaf : order) {
    Fit fit;
    fit.g2 = column(gradients, d, leaf->component, every).square();
    // The mass in the middle of the hypers, if its logarithm is linear: of a square of N(0, 1) the mean logarithm is
    // -1.27.
    const double unit = std::exp(fit.g2.max(smallest).log().mean() + 1.27);
    if (!(unit > smallest) || !std::isfinite(unit)) continue;
    std::vector<Exponential> exponentials;
    std::vector<double> begin = {-2}, precision = {0};
    for (const std::vector<std::size_t>* const hypers : {&leaf->own, &leaf->others}) {
      const bool varies =
          std::any_of(hypers->begin(), hypers->end(), [&](std::size_t k) { return spreads[k] > least_spread; });
      if (slopes.empty() && !varies) continue;
      Exponential of;
      Matrix w(fit.g2.size(), eigen_index(hypers->size()));
      begin.push_back(0), precision.push_back(0);
      for (std::size_t h = 0; h < hypers->size(); ++h) {
        const std::size_t k = (*hypers)[h];
        const Array x = column(points, d, k, every);
        const double mean = x.mean(), sd = std::sqrt((x - mean).square().mean());
        if (!(sd > 0) || !std::isfinite(sd)) continue;
        w.col(eigen_index(of.hypers.size())) = ((x - mean) / sd).matrix();
        of.hypers.push_back(k), of.centre.push_back(mean), of.spread.push_back(sd);
        const bool known = hypers == &leaf->others;
        begin.push_back(known ? -2 * sd * leaf->slopes_of_others[h] : leaf->slopes.empty() ? -sd : leaf->slopes[h]);
        precision.push_back(known ? std::pow(2 * sd * slope_error, -2) : 0);
      }
      if (of.hypers.empty()) {
        begin.pop_back(), precision.pop_back();
        continue;
      }
      w.conservativeResize(Eigen::NoChange, eigen_index(of.hypers.size()));
      fit.w.push_back(std::move(w));
      exponentials.push_back(std::move(of));
    }
    if (exponentials.empty()) continue;
    fit.g2 /= unit;
    fit.p = fit.expected = Eigen::Map<const Vector>(begin.data(), eigen_index(begin.size()));
    fit.precision = Eigen::Map<const Vector>(precision.data(), eigen_index(precision.size()));
    fit();
    if (!fit.p.allFinite()) continue;

    // The scale is that of the mass in the middle of the hypers: the mean mass follows a few points of a neck.
    double middle = std::exp(fit.p[0]);
    Eigen::Index at = 1;
    for (const Exponential& of : exponentials) {
      middle += std::exp(fit.p[at]);
      at += 1 + eigen_index(of.hypers.size());
    }
    is_leaf[leaf->component] = true;
    metric.scale[leaf->component] = 1 / std::sqrt(unit * middle);
    masses.component.push_back(static_cast<std::int32_t>(leaf->component));
    masses.constant.push_back(std::max(std::exp(fit.p[0]) / middle, least_constant));
    masses.second_intercept.push_back(0);
    at = 1;
    for (const Exponential& of : exponentials) {
      double intercept = fit.p[at++] - std::log(middle);
      for (std::size_t k = 0; k < of.hypers.size(); ++k) {
        const double exponent = fit.p[at++] / of.spread[k];
        intercept -= exponent * of.centre[k];
        masses.hyper.push_back(static_cast<std::int32_t>(of.hypers[k]));
        masses.exponent.push_back(exponent);
        is_hyper[of.hypers[k]] = true;
      }
      if (&of == &exponentials.front()) {
        masses.intercept.push_back(intercept);
        masses.second.push_back(static_cast<std::int32_t>(masses.hyper.size()));
      } else {
        masses.second_intercept.back() = intercept;
      }
    }
    masses.first.push_back(static_cast<std::int32_t>(masses.hyper.size()));
  }
  for (std::size_t k = 0; k < d; ++k) {
    if (!is_hyper[k] || is_leaf[k] || !(metric.scale[k] > 0)) continue;
    const double mean = mean_square(column(gradients, d, k, 1));
    if (mean > smallest && std::isfinite(mean)) metric.scale[k] = 1 / std::sqrt(mean);
  }
  metric.leaves = std::move(masses);
}

double widest_of_hypers(const Metric& metric, const std::vector<double>& points) {
  const std::size_t d = metric.scale.size();
  std::vector<bool> seen(d, false);  // or a leaf
  for (const std::int32_t i : metric.leaves.component) seen[static_cast<std::size_t>(i)] = true;
  double widest = 1;
  for (const std::int32_t hyper : metric.leaves.hyper) {
    const auto k = static_cast<std::size_t>(hyper);
    if (seen[k] || !(metric.scale[k] > 0)) continue;
    seen[k] = true;
    const Array w = column(points, d, k, 1) / metric.scale[k];
    const double variance = mean_square(w - w.mean());
    if (std::isfinite(variance)) widest = std::max(widest, variance);
  }
  return widest;
}

double narrowing(const Metric& metric, const std::vector<double>& scale, const std::vector<double>& points) {
  const LeafMasses& leaves = metric.leaves;
  const std::size_t d = metric.scale.size(), n = points.size() / d;
  const std::size_t every = std::max<std::size_t>(1, n / most_points_of_tail);
  std::vector<double> narrowest;  // [point] a constant scale over its
  for (std::size_t p = 0; p < n; p += every) {
    const auto exponential = [&](double exponent, std::int32_t from, std::int32_t to) {
      for (std::int32_t e = from; e < to; ++e) {
        const auto edge = static_cast<std::size_t>(e);
        exponent += leaves.exponent[edge] * points[p * d + static_cast<std::size_t>(leaves.hyper[edge])];
      }
      return std::exp(std::min(exponent, largest_exponent));
    };
    double largest = 0;
    for (std::size_t l = 0; l < leaves.count(); ++l) {
      const auto i = static_cast<std::size_t>(leaves.component[l]);
      double mass = leaves.constant[l] + exponential(leaves.intercept[l], leaves.first[l], leaves.second[l]);
      if (leaves.second[l] < leaves.first[l + 1])
        mass += exponential(leaves.second_intercept[l], leaves.second[l], leaves.first[l + 1]);
      largest = std::max(largest, mass * std::pow(scale[i] / metric.scale[i], 2));
    }
    narrowest.push_back(std::sqrt(largest));
  }
  std::sort(narrowest.begin(), narrowest.end());
  const auto quantile = [&](double p) {
    return narrowest[static_cast<std::size_t>(p * static_cast<double>(narrowest.size()))];
  };
  return leaves.count() > 0 && !narrowest.empty() ? quantile(0.99) / quantile(0.5) : 1;
}

}  // namespace manychain
