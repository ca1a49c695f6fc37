#include "run/precision_reach.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "manychain/chain/program.hpp"
#include "run/checked_density.hpp"
#include "run/values_on.hpp"

namespace manychain {
namespace {

using Vector = std::vector<double>;

constexpr std::size_t bases = 4;            // draws that lines go through
constexpr std::size_t most_tried = 64;      // components, those that vary most
constexpr std::size_t most_looked_at = 12;  // components, those whose lines are longest
constexpr std::size_t a_side = 64;          // points of a line on one side of the draw
constexpr double first = 12;                // a line that has ended here reaches no edge
constexpr double farthest = 24576;
constexpr double reached = 20;  // a log density that much below the largest is visited once in 5e8 draws
constexpr double narrowest = 0.05;
constexpr std::size_t most_extended = 256;  // evaluations

/// A line through a draw along a component.
struct Line {
  std::size_t base, component;
  double low = first, high = first;  ///< how far it goes down and up from the draw
  bool low_open = false, high_open = false;
};

class Lines {
 public:
  Lines(const Model& model, const Settings& settings, Precision precision, const Vector& points)
      : model_(model),
        settings_(settings),
        precision_(precision),
        points_(points),
        d_(model.layout().dimension),
        n_(points.size() / d_) {}

  PrecisionReach operator()() {
    begin();
    for (double distance = first; distance <= farthest; distance *= 2) extend(distance);
    PrecisionReach reach;
    for (const std::size_t component : longest()) {
      double lost = 0, count = 0;
      for (const Line& line : lines_) {
        if (line.component != component) continue;
        const auto [lost_here, raised_here] = look(line);
        lost += lost_here, ++count;
        if (raised_here > reach.raised) reach.raised = raised_here, reach.raised_along = component;
      }
      if (lost / count > reach.lost) reach.lost = lost / count, reach.lost_along = component;
    }
    return reach;
  }

 private:
  double at_base(const Line& line) const { return exact_at_base_[line.base]; }
  const double* base(const Line& line) const { return points_.data() + line.base * (n_ / bases) * d_; }

  void begin() {
    std::vector<std::pair<double, std::size_t>> spread;
    for (std::size_t i = 0; i < d_; ++i) {
      double sum = 0, squares = 0;
      for (std::size_t k = 0; k < n_; ++k) {
        const double x = points_[k * d_ + i] - points_[i];
        sum += x, squares += x * x;
      }
      spread.emplace_back(sum * sum / static_cast<double>(n_) - squares, i);
    }
    std::stable_sort(spread.begin(), spread.end());
    spread.resize(std::min(spread.size(), most_tried));
    Vector at;
    for (std::size_t b = 0; b < bases; ++b) {
      const double* const q = points_.data() + b * (n_ / bases) * d_;
      at.insert(at.end(), q, q + d_);
      for (const auto& [negative_variance, i] : spread) lines_.push_back({b, i, first, first, true, true});
    }
    exact_at_base_ = model_.bound().densities(at, bases);
  }

  Vector moved(const std::vector<std::pair<const Line*, double>>& moves) const {
    Vector positions;
    for (const auto& [line, by] : moves) {
      positions.insert(positions.end(), base(*line), base(*line) + d_);
      positions[positions.size() - d_ + line->component] += by;
    }
    return positions;
  }

  /// Log densities in double, and in extended precision where they are not finite; -inf where neither is.
  Vector exact(const Vector& positions) {
    const std::size_t count = positions.size() / d_;
    Vector values = model_.bound().densities(positions, count);
    for (std::size_t k = 0; k < count; ++k) {
      if (std::isfinite(values[k])) continue;
      values[k] = -HUGE_VAL;
      if (!terms_) terms_ = std::make_unique<CheckedDensity>(model_);
      if (!terms_->terms() || !terms_->solvers().empty() || extended_++ >= most_extended) continue;
      const double value = terms_->value(positions.data() + k * d_);
      if (std::isfinite(value)) values[k] = value;
    }
    return values;
  }

  /// Which lines go on at a distance from their draw.
  void extend(double distance) {
    std::vector<std::pair<const Line*, double>> moves;
    for (const Line& line : lines_) {
      if (line.low_open) moves.emplace_back(&line, -distance);
      if (line.high_open) moves.emplace_back(&line, distance);
    }
    const Vector values = exact(moved(moves));
    std::size_t k = 0;
    for (Line& line : lines_) {
      const auto goes_on = [&](double& to, bool& open) {
        if (!open) return;
        to = distance;
        open = values[k++] > at_base(line) - reached;
      };
      goes_on(line.low, line.low_open);
      goes_on(line.high, line.high_open);
    }
  }

  std::vector<std::size_t> longest() const {
    std::vector<std::pair<double, std::size_t>> found;
    for (const Line& line : lines_)
      if (const double length = std::max(line.low, line.high); length > first)
        found.emplace_back(-length, line.component);
    std::stable_sort(found.begin(), found.end());
    std::vector<std::size_t> components;
    for (const auto& [length, i] : found)
      if (components.size() < most_looked_at && std::find(components.begin(), components.end(), i) == components.end())
        components.push_back(i);
    return components;
  }

  /// The share of the line that is lost, and by how much its log density is too high.
  std::pair<double, double> look(const Line& line) {
    // Distances that grow by a factor, narrow at the draw.
    Vector by;
    for (std::size_t k = 2 * a_side + 1; k-- > 0;) {
      const double side = k < a_side ? line.high : line.low;
      const double steps = std::fabs(static_cast<double>(k) - static_cast<double>(a_side)) / a_side;
      by.push_back((k < a_side ? 1 : -1) * narrowest * (std::pow(side / narrowest + 1, steps) - 1));
    }
    std::vector<std::pair<const Line*, double>> moves;
    for (const double distance : by) moves.emplace_back(&line, distance);
    Vector positions = moved(moves), values;
    if (precision_ == Precision::single_precision) {
      Settings single = settings_;
      single.precision = Precision::single_precision;
      single.backend = Backend::cpu;
      ValuesOn found = values_on(model_, single, positions, by.size());
      positions = std::move(found.positions), values = std::move(found.log_densities);
    } else {
      values = model_.bound().densities(positions, by.size());
    }
    const Vector right = exact(positions);
    const double largest = *std::max_element(right.begin(), right.end());
    const double here = std::isfinite(values[a_side]) ? values[a_side] - right[a_side] : 0;
    double all = 0, lost = 0, raised = 0;
    for (std::size_t k = 0; k < by.size(); ++k) {
      const double width = by[std::min(k + 1, by.size() - 1)] - by[k == 0 ? 0 : k - 1];
      const double mass = width * std::exp(right[k] - largest), error = values[k] - right[k] - here;
      if (!(mass > 0)) continue;
      all += mass;
      if (!std::isfinite(values[k]) || error < -1)
        lost += mass;
      else if (right[k] > largest - reached)
        raised = std::max(raised, error);
    }
    return {all > 0 ? lost / all : 0, raised};
  }

  const Model& model_;
  const Settings& settings_;
  Precision precision_;
  const Vector& points_;
  std::size_t d_, n_, extended_ = 0;
  std::unique_ptr<CheckedDensity> terms_;
  std::vector<Line> lines_;
  Vector exact_at_base_;
};

}  // namespace

PrecisionReach reach_of(const Model& model, const Settings& settings, Precision precision,
                        const std::vector<double>& points) {
  if (points.size() < bases * model.layout().dimension) return {};
  return Lines(model, settings, precision, points)();
}

}  // namespace manychain
