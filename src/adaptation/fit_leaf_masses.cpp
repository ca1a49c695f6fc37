#include "adaptation/fit_leaf_masses.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>

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
// Data that can all be met leave a neck that draws may not have seen: the log scale had an sd of 0.2 in draws of a
// factor model that lacked a tail of one in 1000 below exp(-2.7) times the median.
constexpr double least_spread_of_data = 0.15;
// Error of the log scales' slopes that are taken for known. Draws of the bulk show little of a density that holds a
// leaf in a neck alone.
constexpr double slope_error = 0.1;
constexpr double rounding = 1e-9;  // of coefficients that are the same
// Flows follow the levels of a hierarchy; a deeper one is taken for constant.
constexpr int deepest_level = 3;
// Chain code has room for two (samplers/leaf_masses.hpp).
constexpr std::size_t most_exponentials = 2;

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

/// The log scale of densities that hold a leaf, linear in hypers.
struct LogScale {
  std::vector<std::size_t> hypers;  ///< ascending
  std::vector<double> slopes;       ///< by hyper, known up to `slope_error`; or none
  std::vector<double> begins;  ///< by hyper, of the log mass over a standard deviation: where a fit begins; or none

  void add(std::size_t hyper, double slope) {
    const auto at = std::lower_bound(hypers.begin(), hypers.end(), hyper);
    if (at != hypers.end() && *at == hyper) return;
    slopes.insert(slopes.begin() + (at - hypers.begin()), slope);
    hypers.insert(at, hyper);
  }
};

/// Precisions of densities add, so that the mass has an exponential for each log scale.
struct Leaf {
  std::size_t component;
  std::vector<LogScale> scales;  ///< none empty, at most `most_exponentials`
};

/// Finds the leaves of a fit. `slopes`: as of fit_leaf_masses().
class Leaves {
 public:
  Leaves(const std::vector<DependentScale>& scales, const std::vector<std::vector<double>>& slopes,
         const std::vector<double>& points, std::size_t d, std::size_t every)
      : scales_(scales), slopes_(slopes), points_(points), every_(every), spreads_(d, -1) {
    read_densities();
  }

  std::vector<Leaf> operator()() {
    std::vector<Leaf> leaves;
    for (std::size_t first = 0, last = 0; first < scales_.size(); first = last) {
      while (last < scales_.size() && scales_[last].component == scales_[first].component) ++last;
      Leaf leaf{scales_[first].component, log_scales(first, last)};
      if (!leaf.scales.empty()) leaves.push_back(std::move(leaf));
    }
    return leaves;
  }

 private:
  /// Log scales of the component of these entries.
  std::vector<LogScale> log_scales(std::size_t first, std::size_t last) {
    LogScale own, others;  // of the density whose variate it is, and of those in whose location it stands
    std::vector<LogScale> data;
    for (std::size_t l = first; l < last; ++l) {
      const DependentScale& of = scales_[l];
      const bool with_data = l == first && last > first + 1;
      const auto is_known = [&](const LogScale& known) { return known.hypers == of.hypers; };
      if (!of.by_data) {
        for (std::size_t k = 0; k < of.hypers.size(); ++k)
          if (with_data || of.slopes.empty() || of.slopes[k] != 0)
            own.add(of.hypers[k], own_slope(of, k));
          else
            others.add(of.hypers[k], slope_or_one(of.hypers[k]));
        if (!slopes_.empty()) own.begins = slopes_[l];
      } else if (std::none_of(data.begin(), data.end(), is_known)) {
        data.emplace_back();
        for (std::size_t k = 0; k < of.hypers.size(); ++k)
          data.back().add(of.hypers[k],
                          of.slopes.empty() || of.slopes[k] == 0 ? slope_or_one(of.hypers[k]) : of.slopes[k]);
      }
    }
    if (!slopes_.empty() || std::count(own.slopes.begin(), own.slopes.end(), 0) > 0) own.slopes.clear();
    std::vector<LogScale> kept;
    for (LogScale* const scale : {&own, &others})
      if (varies(*scale, least_spread)) kept.push_back(std::move(*scale));
    keep_widest(data, std::max<std::size_t>(1, most_exponentials - kept.size()));
    if (kept.size() == most_exponentials && !data.empty()) {
      for (std::size_t k = 0; k < data[0].hypers.size(); ++k) kept.back().add(data[0].hypers[k], data[0].slopes[k]);
      data.clear();
    }
    std::move(data.begin(), data.end(), std::back_inserter(kept));
    return kept;
  }

  /// Reads slopes of scales, and coefficients in locations, from the densities.
  void read_densities() {
    std::map<std::size_t, double> coefficients;
    for (const DependentScale& of : scales_) {
      for (std::size_t k = 0; k < of.slopes.size(); ++k) {
        if (of.slopes[k] == 0 || !of.knows_small_scales) continue;
        const auto [at, added] = slopes_of_hypers_.try_emplace(of.hypers[k], of.slopes[k]);
        if (!added && std::abs(at->second - of.slopes[k]) > slope_error) at->second = 0;
      }
      for (const DependentScale::Term& term : of.location_terms) {
        const auto [at, added] = coefficients.try_emplace(term.component, term.coefficient);
        if (added) is_added_.insert(term.component);
        if (std::abs(at->second - term.coefficient) > rounding) is_added_.erase(term.component);
      }
    }
  }
  double slope_of_hyper(std::size_t hyper) const {
    const auto at = slopes_of_hypers_.find(hyper);
    return at == slopes_of_hypers_.end() ? 0 : at->second;
  }
  double slope_or_one(std::size_t hyper) const {
    const double slope = slope_of_hyper(hyper);
    return slope != 0 ? slope : 1;
  }
  /// Zero: not known. A component that stands in locations alone has the slope of their densities if these have one
  /// hyper, and it one coefficient in all: precisions of several hypers are a sum, and a coefficient that other
  /// parameters make, as of an autoregression, may vanish in the neck.
  double own_slope(const DependentScale& of, std::size_t k) const {
    const double slope = slope_of_hyper(of.hypers[k]);
    if (of.slopes.empty()) return of.hypers.size() == 1 && is_added_.contains(of.component) ? slope : 0;
    return of.knows_small_scales && slope != 0 ? of.slopes[k] : 0;
  }

  /// Log scales of data with different hypers, as of items that measure one factor: their precisions are a sum, of
  /// which the widest are kept. Each may have a neck that draws have not seen yet, so that one need not vary.
  void keep_widest(std::vector<LogScale>& data, std::size_t most) {
    if (std::none_of(data.begin(), data.end(),
                     [&](const LogScale& scale) { return varies(scale, least_spread_of_data); }))
      data.clear();
    if (data.size() <= most) return;
    std::vector<std::pair<double, LogScale>> by_spread;
    for (LogScale& scale : data) by_spread.emplace_back(spread(scale), std::move(scale));
    std::stable_sort(by_spread.begin(), by_spread.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    data.clear();
    for (std::size_t k = 0; k < most; ++k) data.push_back(std::move(by_spread[k].second));
  }

  /// Standard deviation over points. Many leaves have log scales of the same hypers.
  double spread(const LogScale& scale) {
    const auto [at, added] = spreads_of_scales_.try_emplace(scale.hypers);
    if (!added) return at->second;
    Array sum = scale.slopes[0] * column(points_, spreads_.size(), scale.hypers[0], every_);
    for (std::size_t h = 1; h < scale.hypers.size(); ++h)
      sum += scale.slopes[h] * column(points_, spreads_.size(), scale.hypers[h], every_);
    return at->second = std::sqrt((sum - sum.mean()).square().mean());
  }
  bool varies(const LogScale& scale, double least) {
    if (!slopes_.empty()) return !scale.hypers.empty();
    return std::any_of(scale.hypers.begin(), scale.hypers.end(), [&](std::size_t k) {
      if (spreads_[k] < 0) {
        const Array w = column(points_, spreads_.size(), k, every_);
        spreads_[k] = std::sqrt((w - w.mean()).square().mean());
      }
      return spreads_[k] > least;
    });
  }

  const std::vector<DependentScale>& scales_;
  const std::vector<std::vector<double>>& slopes_;
  const std::vector<double>& points_;
  std::size_t every_;
  std::vector<double> spreads_;                                   ///< by component; negative: not asked for yet
  std::map<std::vector<std::size_t>, double> spreads_of_scales_;  ///< by hypers
  std::map<std::size_t, double> slopes_of_hypers_;                ///< zero: densities do not agree
  std::set<std::size_t> is_added_;                                ///< components with one coefficient in all locations
};

/// [dimension] 0 of what depends on nothing, else one more than its deepest hyper. `scales`: one component's together.
std::vector<int> levels_of(const std::vector<DependentScale>& scales, std::size_t dimension) {
  std::vector<int> level(dimension, 0);
  for (int round = 0; round <= deepest_level; ++round)
    for (std::size_t l = 0; l < scales.size();) {
      const std::size_t component = scales[l].component;
      int deepest = 0;
      for (; l < scales.size() && scales[l].component == component; ++l)
        for (const std::size_t k : scales[l].hypers) deepest = std::max(deepest, level[k]);
      level[component] = deepest + 1;
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
  const std::size_t d = metric.scale.size(), n = points.size() / d;
  std::size_t components = 0;
  for (std::size_t l = 0; l < scales.size(); ++l)
    components += l == 0 || scales[l].component != scales[l - 1].component;
  const std::size_t most_points = std::max(fewest_points, work / std::max<std::size_t>(components, 1));
  const std::size_t every = std::max<std::size_t>(1, n / most_points);
  const std::vector<Leaf> leaves = Leaves(scales, slopes, points, d, every)();
  const std::vector<int> level = levels_of(scales, d);

  std::vector<const Leaf*> order;
  for (const Leaf& leaf : leaves)
    if (metric.scale[leaf.component] > 0 && level[leaf.component] <= deepest_level) order.push_back(&leaf);
  std::stable_sort(order.begin(), order.end(),
                   [&](const Leaf* a, const Leaf* b) { return level[a->component] > level[b->component]; });

  LeafMasses masses;
  std::vector<bool> is_leaf(d, false), is_hyper(d, false);
  for (const Leaf* leaf : order) {
    Fit fit;
    fit.g2 = column(gradients, d, leaf->component, every).square();
    // The mass in the middle of the hypers, if its logarithm is linear: of a square of N(0, 1) the mean logarithm is
    // -1.27.
    const double unit = std::exp(fit.g2.max(smallest).log().mean() + 1.27);
    if (!(unit > smallest) || !std::isfinite(unit)) continue;
    std::vector<Exponential> exponentials;
    std::vector<double> begin = {-2}, precision = {0};
    for (const LogScale& scale : leaf->scales) {
      const std::vector<std::size_t>& hypers = scale.hypers;
      Exponential of;
      Matrix w(fit.g2.size(), eigen_index(hypers.size()));
      begin.push_back(0), precision.push_back(0);
      for (std::size_t h = 0; h < hypers.size(); ++h) {
        const std::size_t k = hypers[h];
        const Array x = column(points, d, k, every);
        const double mean = x.mean(), sd = std::sqrt((x - mean).square().mean());
        if (!(sd > 0) || !std::isfinite(sd)) continue;
        w.col(eigen_index(of.hypers.size())) = ((x - mean) / sd).matrix();
        of.hypers.push_back(k), of.centre.push_back(mean), of.spread.push_back(sd);
        const bool known = !scale.slopes.empty();
        begin.push_back(known ? -2 * sd * scale.slopes[h] : scale.begins.empty() ? -sd : scale.begins[h]);
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
