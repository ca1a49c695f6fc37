#include "check/improper.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "check/checked_density.hpp"
#include "check/term_search.hpp"
#include "core/linear_algebra.hpp"
#include "manychain/chain/program.hpp"
#include "starts/each_path.hpp"

namespace manychain {
namespace {

using Numbers = std::vector<double>;
constexpr std::size_t most_for_hessian = 500;  // components
constexpr double rounding = 1e-3;              // of a slope: 1 / x has one of exactly 1
// Extended precision has numbers for the exponential of this. Nearer distances alone may lie on both sides of the mean
// of a wide prior, which does not fall then.
constexpr double farthest_extended = 1e4;

/// Log densities far out along lines, counted. A point where the density throws is outside of its support.
class FarOut {
 public:
  FarOut(const Model& model, double most)
      : model_(model),
        evaluate_(detail::zero_where_it_throws(model.bound().evaluator(), model.layout().dimension)),
        d_(model.layout().dimension),
        most_(most) {}

  /// Tells whether so many more evaluations are too many.
  bool ends(double more) const { return evaluations_ + more > most_; }

  /// Log densities at points, [point][dimension]; `gradients`: null, or as the points.
  std::vector<double> values(const Numbers& points, Numbers* gradients = nullptr) {
    std::vector<double> log_densities(points.size() / d_);
    if (gradients) gradients->resize(points.size());
    evaluate_(points.data(), log_densities.size(), log_densities.data(), gradients ? gradients->data() : nullptr);
    evaluations_ += static_cast<double>(log_densities.size());
    return log_densities;
  }

  /// Tells along which directions the density has no finite integral, one way or the other. `move(k, distance, point)`
  /// moves a point from `from` along direction k. `cancels`: its components cancel each other, which double precision
  /// may not see. False where evaluations end.
  template <class Move>
  std::vector<bool> without_end(const Numbers& from, std::size_t directions, const Move& move, bool cancels) {
    std::vector<bool> none(directions);
    if (ends(4 * static_cast<double>(directions)) || !std::isfinite(values(from)[0])) return none;  // or no start
    const std::size_t together = std::max<std::size_t>(1, std::min(numbers_together / d_, most_together));
    for (std::size_t first = 0; first < directions && !ends(0); first += together) {
      std::vector<Line> lines;
      for (std::size_t k = first; k < std::min(directions, first + together); ++k)
        for (const double sign : {1.0, -1.0}) lines.push_back({k, sign});
      // From far out, where most densities are zero, or fall by more than any precision holds.
      for (const auto& distances :
           {std::vector<double>{1e12, 1e9}, std::vector<double>{1e6, farthest_extended, 3e3, 600, 300, 30}}) {
        look(lines, from, distances, move, cancels);
        for (Line& line : lines)
          if (line.goes_on && !ends_in_numbers(line, from, move)) line.goes_on = false, line.falls = true;
        for (const Line& line : lines) none[line.direction] = none[line.direction] || line.goes_on;
        std::erase_if(lines, [](const Line& line) { return line.falls || line.goes_on; });
        if (lines.empty()) break;
      }
    }
    return none;
  }

 private:
  static constexpr std::size_t numbers_together = std::size_t{1} << 16, most_together = 64;
  static constexpr double of_extended = 4;  // evaluations in double that one takes

  struct Line {
    std::size_t direction;
    double sign;
    bool falls = false, goes_on = false;
    double outer = 0, outer_distance = 0;  ///< the log density farthest out that is finite, and where; 0: none yet
    double inside = 0, outside = 0;        ///< distances between which it becomes -infinity; 0: it does not
  };

  template <class Move>
  void look(std::vector<Line>& lines, const Numbers& from, const std::vector<double>& distances, const Move& move,
            bool cancels) {
    Numbers points;
    for (const Line& line : lines)
      for (const double distance : distances) {
        points.insert(points.end(), from.begin(), from.end());
        move(line.direction, line.sign * distance, points.data() + points.size() - d_);
      }
    const std::vector<double> found = values(points);
    std::size_t at = 0;
    for (Line& line : lines)
      for (const double distance : distances) {
        decide(line, found[at], distance, points.data() + at * d_, cancels);
        ++at;
      }
  }

  void decide(Line& line, double there, double distance, const double* point, bool cancels) {
    if (line.falls || line.goes_on) return;
    if (extends() && (cancels || (!std::isfinite(there) && distance <= farthest_extended))) there = extended(point);
    if (there == -HUGE_VAL && distance <= end_of_numbers()) line.falls = true;
    if (there == -HUGE_VAL) line.outside = distance;
    if (!std::isfinite(there)) return;
    if (line.outer_distance > 0) {
      const double least = std::log(line.outer_distance / distance);
      const double unit = std::numeric_limits<double>::epsilon() * std::fabs(there);  // of rounding
      line.goes_on = unit < 0.1 * least && there - line.outer <= (1 + rounding) * least;
      line.falls = !line.goes_on;
      return;
    }
    line.inside = line.outer_distance = distance;
    line.outer = there;
  }

  /// A scale overflows far out, as the exponential of a component does: where the density becomes zero there, numbers
  /// end. Elsewhere its support does. They end where a component is as large as the logarithm of the largest number, or
  /// a half or a third of it, less what data multiply.
  template <class Move>
  bool ends_in_numbers(const Line& line, const Numbers& from, const Move& move) {
    if (line.outside == 0) return true;
    double inside = line.inside, outside = line.outside;
    Numbers point;
    constexpr int halvings = 40;
    for (int k = 0; k < halvings; ++k) {
      const double middle = 0.5 * (inside + outside);
      point = from;
      move(line.direction, line.sign * middle, point.data());
      const double there = extends() ? extended(point.data()) : values(point)[0];
      (there == -HUGE_VAL ? outside : inside) = middle;
    }
    double largest = 0;
    for (std::size_t i = 0; i < d_; ++i)
      if (point[i] != from[i]) largest = std::max(largest, std::fabs(point[i]));
    for (const double logarithm : {709.0, 11356.0})  // of the largest number in double, and in extended precision
      for (const double power : {1.0, 2.0, 3.0})
        if (largest > 0.9 * logarithm / power && largest < 1.06 * logarithm / power) return true;
    return false;
  }

  bool extends() {
    if (!extended_) extended_ = std::make_unique<CheckedDensity>(model_);
    return extended_->terms() && extended_->solvers().empty();
  }
  double extended(const double* point) {
    evaluations_ += of_extended;
    return extended_->value(point);
  }
  double end_of_numbers() { return extends() ? 3e3 : 600; }

  const Model& model_;
  DensityEvaluator evaluate_;
  std::unique_ptr<CheckedDensity> extended_;
  std::size_t d_;
  double most_, evaluations_ = 0;
};

/// A direction, and the components that have a part in it.
struct FlatDirection {
  Numbers along;
  std::vector<bool> moves;
};

/// Reduces the columns of a matrix, which span a space, to the vectors that have a 1 where all others have a 0. The
/// pivots are the largest elements that are left.
Eigen::MatrixXd reduced(Eigen::MatrixXd columns) {
  std::vector<bool> done(static_cast<std::size_t>(columns.cols()), false);
  for (Eigen::Index k = 0; k < columns.cols(); ++k) {
    Eigen::Index row = 0, pivot = -1;
    for (Eigen::Index c = 0; c < columns.cols(); ++c) {
      if (done[static_cast<std::size_t>(c)]) continue;
      Eigen::Index most = 0;
      const double largest = columns.col(c).cwiseAbs().maxCoeff(&most);
      if (pivot < 0 || largest > std::fabs(columns(row, pivot))) row = most, pivot = c;
    }
    done[static_cast<std::size_t>(pivot)] = true;
    columns.col(pivot) /= columns(row, pivot);
    for (Eigen::Index c = 0; c < columns.cols(); ++c)
      if (c != pivot) columns.col(c) -= columns(row, c) * columns.col(pivot);
  }
  return columns;
}

/// Elements that rounding alone keeps from zero or a multiple of 1/1000 are that: far out the rest would count. `unit`
/// is that of each component.
FlatDirection flat_direction(const Eigen::VectorXd& v, const Eigen::VectorXd& unit) {
  const auto d = static_cast<std::size_t>(v.size());
  const Eigen::VectorXd part = v.cwiseQuotient(unit).normalized();
  Eigen::Index most = 0;
  v.cwiseAbs().maxCoeff(&most);
  FlatDirection direction{Numbers(d), std::vector<bool>(d)};
  for (std::size_t i = 0; i < d; ++i) {
    double& element = direction.along[i];
    element = v[eigen_index(i)] / v[most];
    const double rounded = std::round(1000 * element) / 1000;
    if (std::fabs(element - rounded) < 1e-5) element = rounded;
    direction.moves[i] = std::fabs(part[eigen_index(i)]) > 0.01;
  }
  return direction;
}

/// Directions along which the gradient does not change at a point, or hardly: right singular vectors of differences of
/// gradients, in units of each component that leave ones on the diagonal. Along a flat direction the derivative is the
/// same everywhere, so that its product with all differences is zero for steps of any length, unlike that with a
/// Hessian that is made symmetric. Several flat directions may come out as any vectors of their space, and mixed with
/// directions that hardly curve: these vectors are tried, and the simplest ones of the space that each threshold gives,
/// (1, 1, 0, 0) and (0, 0, 1, 1) for two sums. One that is not flat falls far out, and is not named.
std::vector<FlatDirection> flat_directions(FarOut& far_out, const Numbers& from) {
  const std::size_t d = from.size();
  Eigen::MatrixXd hessian(eigen_index(d), eigen_index(d));
  Numbers points, gradients, steps;
  for (std::size_t i = 0; i < d; ++i) {
    steps.push_back(1e-3 * std::max(1.0, 1e-3 * std::fabs(from[i])));  // seen beside the component
    for (const double sign : {1.0, -1.0}) {
      points.insert(points.end(), from.begin(), from.end());
      points[points.size() - d + i] += sign * steps[i];
    }
  }
  far_out.values(points, &gradients);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      hessian(eigen_index(i), eigen_index(j)) =
          (gradients[2 * i * d + j] - gradients[(2 * i + 1) * d + j]) / (2 * steps[i]);
  if (!hessian.allFinite()) return {};
  Eigen::VectorXd unit = hessian.diagonal().cwiseAbs().cwiseSqrt().cwiseInverse();
  for (double& u : unit)
    if (!std::isfinite(u)) u = 1;
  hessian = (unit.asDiagonal() * hessian * unit.asDiagonal()).eval();
  // Mostly there is none, which the squares of singular values tell sooner: they resolve 1e-10 of the largest.
  const auto squares = symmetric_eigen(transposed_product(hessian, hessian));
  if (squares && squares->values[0] > 1e-10 * squares->values[eigen_index(d) - 1]) return {};
  const RightSingular solved = right_singular(hessian);
  const Eigen::VectorXd& sizes = solved.values;  // falling
  // Zero where rounding alone would be seen.
  const Eigen::MatrixXd vectors =
      unit.asDiagonal() * solved.vectors.unaryExpr([](double x) { return std::fabs(x) < 1e-6 ? 0.0 : x; });
  std::vector<FlatDirection> directions;
  Eigen::Index before = 0;
  for (const double threshold : {1e-6, 1e-8, 1e-10, 1e-12}) {
    const Eigen::Index count = (sizes.array() <= threshold * sizes[0]).count();
    if (count == before) continue;
    const Eigen::MatrixXd flat = vectors.rightCols(count);
    if (before == 0)
      for (Eigen::Index k = 0; k < count; ++k) directions.push_back(flat_direction(flat.col(k), unit));
    if (count > 1) {
      const Eigen::MatrixXd simplest = reduced(flat);
      for (Eigen::Index k = 0; k < count; ++k) directions.push_back(flat_direction(simplest.col(k), unit));
    }
    before = count;
  }
  return directions;
}

/// The components of flat directions along which the density has no finite integral. They begin at multiples of 1/256,
/// which 1e12 changes by no rounding.
std::vector<bool> improper_together(FarOut& far_out, Numbers from) {
  std::vector<bool> improper(from.size());
  const std::vector<FlatDirection> directions = flat_directions(far_out, from);
  if (directions.empty()) return improper;
  for (const FlatDirection& direction : directions)
    for (std::size_t i = 0; i < from.size(); ++i)
      if (direction.along[i] != 0) from[i] = std::round(256 * from[i]) / 256;
  const auto along = [&](std::size_t k, double distance, double* x) {
    for (std::size_t i = 0; i < from.size(); ++i) x[i] += distance * directions[k].along[i];
  };
  const std::vector<bool> none = far_out.without_end(from, directions.size(), along, true);
  for (std::size_t k = 0; k < directions.size(); ++k)
    for (std::size_t i = 0; i < from.size() && none[k]; ++i) improper[i] = improper[i] || directions[k].moves[i];
  return improper;
}

}  // namespace

std::vector<std::string> improper_parameters(const Model& model, const std::vector<double>& points, double most) {
  const std::size_t d = model.layout().dimension, count = d > 0 ? points.size() / d : 0;
  if (count == 0) return {};
  const auto point = [&](std::size_t k) {
    return Numbers(points.begin() + static_cast<std::ptrdiff_t>(k * d),
                   points.begin() + static_cast<std::ptrdiff_t>((k + 1) * d));
  };
  FarOut far_out(model, most);
  std::vector<std::size_t> axes(d);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  const auto along_axis = [&](std::size_t k, double distance, double* x) { x[axes[k]] += distance; };
  for (std::size_t k = 0; k < count && !axes.empty(); ++k) {
    // An axis stays while it has none from all points.
    const std::vector<bool> none = far_out.without_end(point(k), axes.size(), along_axis, false);
    std::size_t left = 0;
    for (std::size_t i = 0; i < none.size(); ++i)
      if (none[i]) axes[left++] = axes[i];
    axes.resize(left);
    if (far_out.ends(0)) return {};
  }
  std::vector<bool> improper(d);
  const std::vector<std::string>& names = model.layout().unconstrained_names;
  for (const std::size_t i : axes) improper[i] = true;
  if (!axes.empty()) return by_parameter(names, improper);
  if (d > most_for_hessian || !model.has_gradient()) return {};
  // Far from the posterior, as after a run that had to fail, rounding may hide a direction from one point.
  for (std::size_t k = 0; k < count && !far_out.ends(2 * static_cast<double>(d)); ++k) {
    improper = improper_together(far_out, point(k));
    if (std::find(improper.begin(), improper.end(), true) != improper.end()) break;
  }
  return by_parameter(names, improper);
}

}  // namespace manychain
