// Is the gradient of a model right? Derivatives along random directions find a wrong component, whatever the dimension;
// halving the set of components that move finds which one it is.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "check/check_points.hpp"
#include "check/checked_density.hpp"
#include "check/extrapolated_differences.hpp"
#include "check/gradient_check.hpp"
#include "check/term_search.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/core/real.hpp"
#include "manychain/random/stream.hpp"
#include "manychain/run/model.hpp"

namespace manychain {
namespace {

using Numbers = std::vector<double>;
using Indices = std::vector<std::size_t>;

constexpr std::size_t directions = 24;  ///< 480 evaluations
constexpr std::size_t halvings = 20;    ///< at most, another 400
constexpr double allowed = 2e-5;        ///< of an error in a component, relative to its gradient: rounding of the model
constexpr double wanted = 1e-4;         ///< what a check must be able to see to say that a gradient is right
constexpr double determined = 1e-4;     ///< of the gradient of a solution, between two strict tolerances
constexpr double certainty = 10;        ///< times the estimated error of a difference
constexpr double far_beyond = 1e50;     ///< all log densities of posteriors; right derivatives may overflow there

using differences::Differences;
using differences::Residual;
using differences::shrink;
using differences::steps;
using differences::widest;

using Point = CheckPoint;
/// Step of each of some components, all of them in one line.
struct Direction {
  Indices components;
  Numbers lengths;  ///< one per component, the largest in magnitude 1
};
struct Move {
  const Point* from;
  Direction along;
};

bool all_finite(const Point& point) {
  return std::isfinite(point.log_density) &&
         std::all_of(point.gradient.begin(), point.gradient.end(), [](double g) { return std::isfinite(g); });
}

class Check {
 public:
  Check(const Model& model, std::uint64_t seed, SolverCheck& solver)
      : model_(model), seed_(seed), n_(model.layout().dimension), density_(model), solver_(solver) {}

  GradientCheck run(std::size_t points);

 private:
  void compare_at_points(std::size_t points);
  std::vector<Point> solutions(const std::vector<Point>& points);
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
  /// By how much a solution, strict as it is, leaves the derivative along the direction open.
  double doubt(const Point& point, const Direction& direction) const;
  void compare(const Point& point, std::size_t component);
  std::size_t heaviest(const Move& move) const;
  void report(std::size_t component, double gradient, double difference);
  void blame(const Point& point, std::size_t component);

  const Model& model_;
  std::uint64_t seed_;
  std::size_t n_;
  std::vector<Point> points_;
  Numbers first_;                 ///< of the points, finite or not
  Numbers typical_;               ///< root mean square of each component of the gradient
  std::vector<Indices> classes_;  ///< components whose gradients are of one magnitude
  CheckedDensity density_;
  /// Change of the gradient of a model that solves, between two strict tolerances, for each point. Else empty.
  std::vector<Numbers> doubts_;
  SolverCheck& solver_;
  GradientCheck check_;
};

/// Keeps the points where the log density is finite, and of these the moderate ones if there are any. A
/// component that is NaN ends the check.
void Check::compare_at_points(std::size_t points) {
  typical_.assign(n_, 0);
  std::vector<Point> finite;
  for (Point& point : check_points(model_, points, seed_)) {
    if (first_.empty()) first_ = point.q;
    if (std::isfinite(point.log_density)) finite.push_back(std::move(point));
  }
  const auto moderate = [](const Point& point) { return std::fabs(point.log_density) < far_beyond; };
  if (std::any_of(finite.begin(), finite.end(), moderate)) std::erase_if(finite, std::not_fn(moderate));
  points_ = density_.solvers().empty() ? std::move(finite) : solutions(finite);
  for (const Point& point : points_)
    for (std::size_t i = 0; i < n_; ++i) typical_[i] += point.gradient[i] * point.gradient[i];
  for (double& x : typical_) x = std::sqrt(x / static_cast<double>(points_.size()));
}

/// The points with strict tolerances, where these determine the gradient: a state may be far below any absolute
/// tolerance while its logarithm counts. The gradient that samplers have must be that of the same terms with the
/// model's own tolerances, up to some of what these do.
std::vector<Point> Check::solutions(const std::vector<Point>& points) {
  solver_.equations = described(density_.solvers());
  std::vector<Point> solved;
  Numbers moved;
  for (const Point& point : points) {
    const Point own = density_.solved(point.q, 1), strict = density_.solved(point.q, CheckedDensity::strict);
    Point stricter = density_.solved(point.q, CheckedDensity::stricter);
    if (!all_finite(strict) || !all_finite(stricter)) continue;
    Numbers doubt(n_);
    double change = 0, size = 0, open = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      doubt[i] = std::fabs(strict.gradient[i] - stricter.gradient[i]);
      open += doubt[i] * doubt[i];
      change += std::pow(own.gradient[i] - stricter.gradient[i], 2);
      size += std::pow(stricter.gradient[i], 2);
    }
    if (size > 0) moved.push_back(std::sqrt(change / size));
    for (std::size_t i = 0; i < n_; ++i) {
      const double gradient = point.gradient[i], expected = own.gradient[i];
      const double limit = allowed * std::sqrt(size) + certainty * std::fabs(expected - stricter.gradient[i]);
      if (std::fabs(gradient - expected) <= limit || is_integer(i)) continue;
      const double larger = std::max(std::fabs(gradient), std::fabs(expected));
      const double error = std::isfinite(gradient) ? std::fabs(gradient - expected) / larger : HUGE_VAL;
      if (error > check_.worst_error) {
        check_.worst_error = error;
        check_.tolerance = limit / larger;
        report(i, gradient, expected);
      }
    }
    if (!(open <= determined * determined * size)) continue;
    solved.push_back(std::move(stricter));
    doubts_.push_back(std::move(doubt));
  }
  if (!moved.empty()) {
    const auto middle = moved.begin() + static_cast<std::ptrdiff_t>(moved.size() / 2);
    std::nth_element(moved.begin(), middle, moved.end());
    solver_.gradient_moved = *middle;
  }
  return solved;
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
    Numbers positions(count * 2 * steps * n_), predicted(count * steps);
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
    const Numbers values = density_.densities(positions, count * 2 * steps);
    for (std::size_t m = 0; m < count; ++m) {
      const double centre = moves[first + m].from->log_density;
      Differences taken;
      double h = widest;
      for (std::size_t j = 0; j < steps; ++j, h /= shrink) {
        const double above = values[2 * (m * steps + j)], below = values[2 * (m * steps + j) + 1];
        taken.residuals[j] = (above - below - predicted[m * steps + j]) / (2 * h);
        taken.bends[j] = (above - centre + (below - centre)) / h;
      }
      found.push_back(differences::extrapolated(taken, std::max(1.0, std::fabs(centre))));
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

double Check::doubt(const Point& point, const Direction& direction) const {
  if (doubts_.empty()) return 0;
  const Numbers& of_point = doubts_[static_cast<std::size_t>(&point - points_.data())];
  double sum = 0;
  for (std::size_t k = 0; k < direction.components.size(); ++k)
    sum += std::fabs(direction.lengths[k]) * of_point[direction.components[k]];
  return sum;
}

/// Halves the direction, and goes on with the half that has more of the residual.
std::size_t Check::worst_component(const Point& point, Direction direction, Residual whole) const {
  for (std::size_t k = 0; k < halvings && direction.components.size() > 1; ++k) {
    const auto middle = static_cast<std::ptrdiff_t>(direction.components.size() / 2);
    const Direction first{Indices(direction.components.begin(), direction.components.begin() + middle),
                          Numbers(direction.lengths.begin(), direction.lengths.begin() + middle)};
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

/// Compares a component with its difference, in all others' absence.
void Check::compare(const Point& point, std::size_t component) {
  const Direction along{{component}, {1}};
  const Residual alone = residual(point, along);
  const double gradient = point.gradient[component];
  report(component, gradient, gradient + alone.value);
  const double size = std::max({std::fabs(gradient), std::fabs(check_.finite_difference), 1e-300});
  check_.worst_error = std::fabs(alone.value) / size;
  check_.tolerance = (certainty * (alone.error + doubt(point, along)) + allowed * size) / size;
}

/// The component whose part of the derivative along the move is largest.
std::size_t Check::heaviest(const Move& move) const {
  std::size_t most = 0;
  const auto part = [&](std::size_t k) {
    return std::fabs(move.along.lengths[k] * move.from->gradient[move.along.components[k]]);
  };
  for (std::size_t k = 1; k < move.along.components.size(); ++k)
    if (part(k) > part(most)) most = k;
  return move.along.components[most];
}

void Check::blame(const Point& point, std::size_t component) {
  const TermFound found = wrong_term(model_, density_.terms(), point.q.data(), component);
  check_.worst_term = found.name;
  if (found.name.empty()) return;
  check_.term_gradient = found.gradient;
  check_.term_difference = found.difference;
}

GradientCheck Check::run(std::size_t points) {
  check_.points = points;
  check_.tolerance = allowed;
  compare_at_points(points);
  if (!check_.worst_parameter.empty()) return check_;  // what samplers have is another gradient than that of the terms
  if (points_.empty() && !solver_.equations.empty()) {
    check_.conclusive = false;
    return check_;
  }
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
  double worst_rank = -1;
  bool wrong = false;
  std::vector<bool> sharp(classes_.size(), false);
  for (std::size_t d = 0; d < moves.size(); ++d) {
    if (!std::isfinite(found[d].error)) continue;  // a difference that leaves the support says nothing
    ++compared;
    const double one = contribution(*moves[d].from, moves[d].along);
    const double limit = certainty * (found[d].error + doubt(*moves[d].from, moves[d].along)) + allowed * one;
    const bool flat = typical_[moves[d].along.components.front()] == 0, sees = flat || limit <= wanted * one;
    if (sees) sharp[d % classes_.size()] = true;
    // One that sees an error is told before one that does not; one that is wrong before all.
    const double ratio = std::fabs(found[d].value) / limit,
                 rank = ratio > 1 ? 2 + ratio : sees + std::fmin(ratio, 0.99);
    wrong = wrong || ratio > 1;
    if (rank > worst_rank) {
      worst_rank = rank;
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
  std::size_t component = worst_component(point, moves[worst].along, found[worst]);
  compare(point, component);
  wrong = wrong || check_.worst_error > check_.tolerance;
  // Alone, a component of little weight may be compared with its own rounding: then the one that weighs most is told.
  if (!wrong && check_.tolerance > wanted) {
    component = heaviest(moves[worst]);
    compare(point, component);
    wrong = check_.worst_error > check_.tolerance;
  }
  check_.conclusive = wrong || std::all_of(sharp.begin(), sharp.end(), [](bool seen) { return seen; });
  check_.passed = !wrong && check_.conclusive;
  if (wrong) blame(point, component);
  return check_;
}

}  // namespace

GradientCheck check_gradient(const Model& model, std::size_t points, std::uint64_t seed, SolverCheck& solver) {
  if (!model.has_gradient() || !model.bound().gives.density)
    throw BadInput("model " + model.name() + " gives no gradient: there is nothing to check");
  if (model.layout().dimension == 0) throw BadInput("model " + model.name() + " has no parameters");
  if (model.layout().integers == model.layout().dimension)
    throw BadInput("model " + model.name() +
                   " has whole numbers alone, which have no gradient: there is nothing to check");
  return Check(model, seed, solver).run(points);
}
GradientCheck check_gradient(const Model& model, std::size_t points, std::uint64_t seed) {
  SolverCheck solver;
  return check_gradient(model, points, seed, solver);
}

}  // namespace manychain
