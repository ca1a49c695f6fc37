// Is the gradient of a model right? Derivatives along random directions find a wrong component, whatever the dimension;
// halving the set of components that move finds which one it is.
//
// The derivative along a direction comes from central differences with steps that shrink by a factor, extrapolated to a
// step of zero (Ridders, Advances in Engineering Software 4, 75 (1982)), together with an estimate of its error:
// truncation from how far the extrapolations agree, rounding from the scatter of the differences at small steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/core/real.hpp"
#include "manychain/random/stream.hpp"
#include "manychain/run/model.hpp"
#include "run/check_points.hpp"
#include "run/term_search.hpp"

namespace manychain {
namespace {

using Vector = std::vector<double>;
using Indices = std::vector<std::size_t>;

constexpr std::size_t steps = 10;       ///< differences of a derivative, two evaluations each
constexpr double widest = 1;            ///< the largest step, of the component that moves farthest
constexpr double shrink = 3;            ///< of a step against the one before: the last is 5e-5
constexpr std::size_t directions = 24;  ///< 480 evaluations
constexpr std::size_t halvings = 20;    ///< at most, another 400
constexpr double allowed = 2e-5;        ///< of an error in a component, relative to its gradient: rounding of the model
constexpr double wanted = 1e-4;         ///< what a check must be able to see to say that a gradient is right
constexpr double certainty = 10;        ///< times the estimated error of a difference

using Point = CheckPoint;
/// How far each of some components moves, all of them in one line.
struct Direction {
  Indices components;
  Vector lengths;  ///< one per component, the largest in magnitude 1
};
struct Move {
  const Point* from;
  Direction along;
};
/// The difference along a direction minus what the gradient says, and an estimate of its error.
struct Residual {
  double value = 0, error = HUGE_VAL;
};

/// Central differences at the steps `widest`, widest / shrink, ...
struct Differences {
  std::array<double, steps> residuals;  ///< of the first derivative, minus what the gradient says
  std::array<double, steps> bends;      ///< (f(+h) + f(-h) - 2 f(0)) / h: vanishes with h, but at a kink
};

/// Residuals extrapolated to a step of zero. `value_scale`: the magnitude of the log density.
Residual extrapolated(const Differences& differences, double value_scale) {
  // No structured binding: clang 14 does not let lambdas capture one.
  const std::array<double, steps>&residuals = differences.residuals, &bends = differences.bends;
  // Rounding: what the log density carries at least, or what the last differences scatter by, which at steps so small
  // have hardly any truncation left.
  const auto step = [](std::size_t j) { return widest * std::pow(shrink, -static_cast<double>(j)); };
  std::array<double, 3> scatter{};
  for (std::size_t k = 0; k < scatter.size(); ++k) {
    const std::size_t j = steps - scatter.size() + k;
    scatter[k] = std::fabs(residuals[j] - residuals[j - 1]) * step(j);
  }
  std::sort(scatter.begin(), scatter.end());
  const double least = 4 * std::numeric_limits<double>::epsilon() * value_scale;
  const double rounding = std::isfinite(scatter[1]) ? std::max(least, scatter[1]) : least;

  // A kink nearer than the step, which no extrapolation takes away: what is left of the bends when their terms in h and
  // h^3 are eliminated, beyond rounding.
  const auto kink = [&](std::size_t j) {
    if (j < 2) return HUGE_VAL;
    const auto without_h = [&](std::size_t k) { return (shrink * bends[k] - bends[k - 1]) / (shrink - 1); };
    constexpr double cube = shrink * shrink * shrink;
    const double left = (cube * without_h(j) - without_h(j - 1)) / (cube - 1);
    return std::isfinite(left) ? std::max(0.0, std::fabs(left) - 10 * least / step(j)) : HUGE_VAL;
  };

  Residual best;
  std::array<double, steps> before{}, row{};  // of Neville's scheme: [order]
  for (std::size_t j = 0; j < steps; ++j) {
    row[0] = residuals[j];
    double factor = 1;
    for (std::size_t order = 1; order <= j; ++order) {
      factor *= shrink * shrink;
      row[order] = row[order - 1] + (row[order - 1] - before[order - 1]) / (factor - 1);
      const double error = std::max(std::fabs(row[order] - row[order - 1]), std::fabs(row[order] - before[order - 1])) +
                           rounding / step(j) + kink(j);
      if (error < best.error) best = {row[order], error};  // false where a point left the support
    }
    before = row;
  }
  return best;
}

class Check {
 public:
  Check(const Model& model, std::uint64_t seed) : model_(model), seed_(seed), n_(model.layout().dimension) {}

  GradientCheck run(std::size_t points);

 private:
  void look_at_points(std::size_t points);
  bool is_integer(std::size_t i) const { return model_.layout().integers > 0 && model_.layout().integer[i]; }
  void make_classes();
  Direction random_direction(std::size_t number) const;
  std::vector<Residual> residuals(const std::vector<Move>& moves) const;
  Residual residual(const Point& point, const Direction& direction) const {
    return residuals({{&point, direction}})[0];
  }
  std::size_t worst_component(const Point& point, Direction direction, Residual whole) const;
  /// The typical contribution of one component to the derivative along the direction.
  double contribution(const Point& point, const Direction& direction) const;
  void report(std::size_t component, double gradient, double difference);
  void blame(const Point& point, std::size_t component);

  const Model& model_;
  std::uint64_t seed_;
  std::size_t n_;
  std::vector<Point> points_;
  Vector first_;                  ///< of the points, finite or not
  Vector typical_;                ///< root mean square of each component of the gradient
  std::vector<Indices> classes_;  ///< components whose gradients are of one magnitude
  GradientCheck check_;
};

/// Keeps the points where the log density is finite. A component that is NaN ends the check.
void Check::look_at_points(std::size_t points) {
  typical_.assign(n_, 0);
  for (Point& point : check_points(model_, points, seed_)) {
    if (first_.empty()) first_ = point.q;
    if (!std::isfinite(point.log_density)) continue;
    for (std::size_t i = 0; i < n_; ++i) typical_[i] += point.gradient[i] * point.gradient[i];
    points_.push_back(std::move(point));
  }
  for (double& x : typical_) x = std::sqrt(x / static_cast<double>(points_.size()));
}

/// Components within a factor of 1000 move together, each by a length in inverse proportion to its gradient, so that
/// each weighs the same. At most as many classes as leave three directions for each; the last holds the rest. Whole
/// numbers have no derivative, and stay where they are.
void Check::make_classes() {
  Indices order;
  for (std::size_t i = 0; i < n_; ++i)
    if (!is_integer(i)) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return typical_[a] > typical_[b]; });
  for (std::size_t i : order) {
    const bool fits = !classes_.empty() && (typical_[i] > 1e-3 * typical_[classes_.back().front()] ||
                                            typical_[classes_.back().front()] == 0);
    if (!fits && classes_.size() < directions / 3) classes_.emplace_back();
    classes_.back().push_back(i);
  }
}

Direction Check::random_direction(std::size_t number) const {
  Direction direction{classes_[number % classes_.size()], {}};
  const double smallest = typical_[direction.components.back()];
  direction.lengths.resize(direction.components.size());
  const Stream<Scalar<double>> stream(seed_, Purpose::gradient_check, number, 1);
  uniforms(stream, Size<dynamic>(static_cast<int>(direction.lengths.size())), [&](int k, Scalar<double> u) {
    const auto place = static_cast<std::size_t>(k);
    const double size = typical_[direction.components[place]];
    direction.lengths[place] = (u.v < 0.5 ? -1 : 1) * (size > 0 && smallest > 0 ? smallest / size : 1);
  });
  return direction;
}

/// All in one call, as far as memory allows: a generated model binds its data once a call.
std::vector<Residual> Check::residuals(const std::vector<Move>& moves) const {
  constexpr std::size_t at_once = std::size_t{1} << 23;  // numbers
  const std::size_t fit = std::max<std::size_t>(1, at_once / (2 * steps * n_));
  std::vector<Residual> found;
  for (std::size_t first = 0; first < moves.size(); first += fit) {
    const std::size_t count = std::min(fit, moves.size() - first);
    Vector positions(count * 2 * steps * n_), predicted(count * steps);
    for (std::size_t m = 0; m < count; ++m) {
      const auto& [from, along] = moves[first + m];
      double h = widest;
      for (std::size_t j = 0; j < steps; ++j, h /= shrink) {
        double* above = positions.data() + 2 * (m * steps + j) * n_;
        double* below = above + n_;
        std::copy(from->q.begin(), from->q.end(), above);
        std::copy(from->q.begin(), from->q.end(), below);
        for (std::size_t k = 0; k < along.components.size(); ++k) {
          const std::size_t i = along.components[k];
          above[i] += h * along.lengths[k];
          below[i] -= h * along.lengths[k];
          predicted[m * steps + j] += (above[i] - below[i]) * from->gradient[i];  // of the step as it was rounded
        }
      }
    }
    const Vector values = model_.bound().densities(positions, count * 2 * steps);
    for (std::size_t m = 0; m < count; ++m) {
      const double centre = moves[first + m].from->log_density;
      Differences differences;
      double h = widest;
      for (std::size_t j = 0; j < steps; ++j, h /= shrink) {
        const double above = values[2 * (m * steps + j)], below = values[2 * (m * steps + j) + 1];
        differences.residuals[j] = (above - below - predicted[m * steps + j]) / (2 * h);
        differences.bends[j] = (above - centre + (below - centre)) / h;
      }
      found.push_back(extrapolated(differences, std::max(1.0, std::fabs(centre))));
    }
  }
  return found;
}

double Check::contribution(const Point& point, const Direction& direction) const {
  double sum = 0;
  for (std::size_t k = 0; k < direction.components.size(); ++k) {
    const double part = direction.lengths[k] * point.gradient[direction.components[k]];
    sum += part * part;
  }
  return std::sqrt(sum / static_cast<double>(direction.components.size()));
}

/// Halves the direction, and goes on with the half that has more of the residual.
std::size_t Check::worst_component(const Point& point, Direction direction, Residual whole) const {
  for (std::size_t k = 0; k < halvings && direction.components.size() > 1; ++k) {
    const auto middle = static_cast<std::ptrdiff_t>(direction.components.size() / 2);
    const Direction first{Indices(direction.components.begin(), direction.components.begin() + middle),
                          Vector(direction.lengths.begin(), direction.lengths.begin() + middle)};
    const Residual part = residual(point, first);
    if (std::fabs(part.value) >= std::fabs(whole.value - part.value)) {
      direction = first;
      whole.value = part.value;
    } else {
      direction.components.erase(direction.components.begin(), direction.components.begin() + middle);
      direction.lengths.erase(direction.lengths.begin(), direction.lengths.begin() + middle);
      whole.value -= part.value;
    }
  }
  return direction.components.front();
}

void Check::report(std::size_t component, double gradient, double difference) {
  check_.worst_parameter = model_.layout().unconstrained_names[component];
  check_.gradient = gradient;
  check_.finite_difference = difference;
}

void Check::blame(const Point& point, std::size_t component) {
  const TermFound found = wrong_term(model_, point.q.data(), component);
  check_.worst_term = found.name;
  if (found.name.empty()) return;
  check_.term_gradient = found.gradient;
  check_.term_difference = found.difference;
}

GradientCheck Check::run(std::size_t points) {
  check_.points = points;
  check_.tolerance = allowed;
  look_at_points(points);
  for (const Point& point : points_)
    for (std::size_t i = 0; i < n_; ++i)
      if (!is_integer(i) && !std::isfinite(point.gradient[i])) {
        Point without = point;
        without.gradient[i] = 0;
        report(i, point.gradient[i], residual(without, {{i}, {1}}).value);
        check_.worst_error = HUGE_VAL;
        blame(point, i);
        return check_;
      }
  make_classes();

  std::vector<Move> moves;
  for (std::size_t d = 0; d < directions && !points_.empty(); ++d)
    moves.push_back({&points_[d % points_.size()], random_direction(d)});
  const std::vector<Residual> found = residuals(moves);

  std::size_t worst = 0, compared = 0;
  double worst_ratio = -1;
  bool wrong = false;
  std::vector<bool> sharp(classes_.size(), false);
  for (std::size_t d = 0; d < moves.size(); ++d) {
    if (!std::isfinite(found[d].error)) continue;  // a difference that leaves the support says nothing
    ++compared;
    const double one = contribution(*moves[d].from, moves[d].along);
    const double limit = certainty * found[d].error + allowed * one;
    const bool flat = typical_[moves[d].along.components.front()] == 0;
    if (flat || limit <= wanted * one) sharp[d % classes_.size()] = true;
    const double ratio = std::fabs(found[d].value) / limit;
    wrong = wrong || ratio > 1;
    if (ratio > worst_ratio) {
      worst_ratio = ratio;
      worst = d;
    }
  }
  if (compared == 0) {
    const NonfiniteTerm term = first_.empty() ? NonfiniteTerm{} : nonfinite_term(model_, first_.data());
    throw SamplingFailed("model " + model_.name() + ": the log density is not finite at any of " +
                         std::to_string(points) + " random points, nothing could be compared" +
                         (term.name.empty() ? "" : "; " + term.name + " is " + std::to_string(term.value)));
  }

  const Point& point = *moves[worst].from;
  const std::size_t component = worst_component(point, moves[worst].along, found[worst]);
  const Residual alone = residual(point, {{component}, {1}});
  const double gradient = point.gradient[component];
  report(component, gradient, gradient + alone.value);
  const double size = std::max({std::fabs(gradient), std::fabs(check_.finite_difference), 1e-300});
  check_.worst_error = std::fabs(alone.value) / size;
  check_.tolerance = (certainty * alone.error + allowed * size) / size;
  wrong = wrong || check_.worst_error > check_.tolerance;
  check_.conclusive = wrong || std::all_of(sharp.begin(), sharp.end(), [](bool seen) { return seen; });
  check_.passed = !wrong && check_.conclusive;
  if (wrong) blame(point, component);
  return check_;
}

}  // namespace

GradientCheck check_gradient(const Model& model, std::size_t points, std::uint64_t seed) {
  if (!model.has_gradient() || !model.bound().gives.density)
    throw BadInput("model " + model.name() + " gives no gradient: there is nothing to check");
  if (model.layout().dimension == 0) throw BadInput("model " + model.name() + " has no parameters");
  if (model.layout().integers == model.layout().dimension)
    throw BadInput("model " + model.name() +
                   " has whole numbers alone, which have no gradient: there is nothing to check");
  return Check(model, seed).run(points);
}

}  // namespace manychain
