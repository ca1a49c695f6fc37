#include "check/precision_reach.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "check/checked_density.hpp"
#include "manychain/chain/program.hpp"
#include "run/values_on.hpp"

namespace manychain {
namespace {

using Numbers = std::vector<double>;

constexpr std::size_t bases = 4;             // draws that lines go through
constexpr std::size_t most_components = 64;  // components, those that vary most
constexpr std::size_t most_looked_at = 12;   // components, those with edges and those whose lines are longest
constexpr std::size_t a_side = 64;           // points of a line on one side of the draw
constexpr double first_reach = 12;           // a line that has ended here reaches no edge
constexpr double farthest_of_line = 24576;
constexpr double deep_below = 20;  // a log density that much below the largest is visited once in 5e8 draws
constexpr double narrowest = 0.05;
constexpr std::size_t at_once = std::size_t{1} << 23;  // numbers of positions

/// A line through a draw along a component.
struct Line {
  struct Side {
    double to = first_reach;  ///< how far it goes from the draw
    bool open = true;         ///< there the log density is finite in double, and not much below that at the draw
    bool edge = false;        ///< there it is not finite in double, and not much below in extended precision
  };
  std::size_t base, component;
  Side low = {}, high = {};
  double at_edge = -HUGE_VAL;  ///< the log density at the higher of its edges, less that at the draw
};

class Lines {
 public:
  Lines(const Model& model, const Settings& settings, Precision precision, const Numbers& points)
      : model_(model),
        settings_(settings),
        precision_(precision),
        points_(points),
        dimension_(model.layout().dimension),
        n_(points.size() / dimension_),
        density_(model.bound().evaluator()) {}

  PrecisionReach operator()() {
    begin();
    for (double distance = first_reach; distance <= farthest_of_line && !cancelled(); distance *= 2) extend(distance);
    if (cancelled()) return {};
    PrecisionReach reach;
    for (const std::size_t component : most_telling()) {
      double lost = 0, count = 0;
      for (Line& line : lines_) {
        if (line.component != component) continue;
        if (cancelled()) return {};
        for (const bool up : {false, true}) follow(line, up);
        const auto [lost_here, raised_here] = measure(line);
        // All of a line is lost where its draw is, by another component.
        if (lost_here < 1) lost += lost_here, ++count;
        if (raised_here > reach.raised) reach.raised = raised_here, reach.raised_along = component;
      }
      if (const double share = count > 0 ? lost / count : 1; share > reach.lost)
        reach.lost = share, reach.lost_along = component;
    }
    return reach;
  }

 private:
  double at_base(const Line& line) const { return exact_at_base_[line.base]; }
  const double* base(const Line& line) const { return points_.data() + line.base * (n_ / bases) * dimension_; }

  void begin() {
    std::vector<std::pair<double, std::size_t>> spread;
    for (std::size_t i = 0; i < dimension_; ++i) {
      double sum = 0, squares = 0;
      for (std::size_t k = 0; k < n_; ++k) {
        const double x = points_[k * dimension_ + i] - points_[i];
        sum += x, squares += x * x;
      }
      spread.emplace_back(sum * sum / static_cast<double>(n_) - squares, i);
    }
    std::stable_sort(spread.begin(), spread.end());
    spread.resize(std::min(spread.size(), most_components));
    Numbers at;
    for (std::size_t b = 0; b < bases; ++b) {
      const double* const q = points_.data() + b * (n_ / bases) * dimension_;
      at.insert(at.end(), q, q + dimension_);
      for (const auto& [negative_variance, i] : spread) lines_.push_back({b, i});
    }
    exact_at_base_ = in_double(at);
  }
  bool cancelled() const { return settings_.cancel && settings_.cancel->load(); }

  Numbers moved(const std::vector<std::pair<const Line*, double>>& moves) const {
    Numbers positions;
    for (const auto& [line, by] : moves) {
      positions.insert(positions.end(), base(*line), base(*line) + dimension_);
      positions[positions.size() - dimension_ + line->component] += by;
    }
    return positions;
  }

  Numbers in_double(const Numbers& positions) const {
    Numbers values(positions.size() / dimension_);
    density_(positions.data(), values.size(), values.data(), nullptr);
    return values;
  }
  /// The log density in extended precision; -inf where it is none, or where the model has none.
  double extended(const double* position) {
    if (!terms_) terms_ = std::make_unique<CheckedDensity>(model_);
    if (!terms_->terms() || !terms_->solvers().empty()) return -HUGE_VAL;
    const double value = terms_->value(position);
    return std::isfinite(value) ? value : -HUGE_VAL;
  }

  /// Which lines go on at a distance from their draw. A side asks for extended precision once, where double ends.
  void extend(double distance) {
    std::vector<std::pair<Line*, bool>> open;  // and if it is the high side
    for (Line& line : lines_)
      for (const bool up : {false, true})
        if (side_of(line, up).open) open.emplace_back(&line, up);
    const std::size_t fit = std::max<std::size_t>(1, at_once / dimension_);
    for (std::size_t begin = 0; begin < open.size() && !cancelled(); begin += fit) {
      const std::size_t count = std::min(fit, open.size() - begin);
      std::vector<std::pair<const Line*, double>> moves;
      for (std::size_t k = 0; k < count; ++k) {
        const auto& [line, up] = open[begin + k];
        moves.emplace_back(line, up ? distance : -distance);
      }
      const Numbers positions = moved(moves), values = in_double(positions);
      for (std::size_t k = 0; k < count && !cancelled(); ++k) {
        const auto& [line, up] = open[begin + k];
        Line::Side& side = side_of(*line, up);
        side.to = distance;
        side.open = values[k] > at_base(*line) - deep_below && std::isfinite(values[k]);
        if (std::isfinite(values[k])) continue;
        const double beyond = extended(positions.data() + k * dimension_) - at_base(*line);
        side.edge = beyond > -deep_below;
        line->at_edge = std::max(line->at_edge, beyond);
      }
    }
  }
  static Line::Side& side_of(Line& line, bool up) { return up ? line.high : line.low; }

  /// Goes on beyond an edge.
  void follow(Line& line, bool up) {
    Line::Side& side = side_of(line, up);
    while (side.edge && side.to < farthest_of_line) {
      side.to *= 2;
      const Numbers position = moved({{&line, up ? side.to : -side.to}});
      const double value = in_double(position)[0];
      side.edge = (std::isfinite(value) ? value : extended(position.data())) > at_base(line) - deep_below;
    }
  }

  /// Log densities at the points of a line, a_side of them on either side of the draw: those in double, given, and
  /// where these are none, in extended precision, until it is far below that at the draw.
  Numbers exact(const Line& line, const Numbers& positions, Numbers values) {
    for (const bool up : {false, true}) {
      bool below = false;
      for (std::size_t step = 0; step <= a_side; ++step) {
        const std::size_t k = up ? a_side + step : a_side - step;
        if (std::isfinite(values[k])) continue;
        values[k] = below ? -HUGE_VAL : extended(positions.data() + k * dimension_);
        below = !(values[k] > at_base(line) - deep_below);
      }
    }
    return values;
  }

  /// Components of lines with edges, the highest first, then those of the longest lines.
  std::vector<std::size_t> most_telling() const {
    std::vector<std::tuple<double, double, std::size_t>> found;
    for (const Line& line : lines_) {
      const double length = std::max(line.low.to, line.high.to);
      const bool edge = line.low.edge || line.high.edge;
      if (edge || length > first_reach) found.emplace_back(edge ? -line.at_edge : deep_below, -length, line.component);
    }
    std::sort(found.begin(), found.end());
    std::vector<std::size_t> components;
    for (const auto& [edge, length, i] : found)
      if (components.size() < most_looked_at && std::find(components.begin(), components.end(), i) == components.end())
        components.push_back(i);
    return components;
  }

  /// Distances that grow by a factor up to the end of a side, narrow at the draw. Few ends are those of all lines.
  const Numbers& distances_to(double end) {
    Numbers& distances = distances_to_[end];
    for (std::size_t k = distances.size(); k <= a_side; ++k)
      distances.push_back(narrowest * (std::pow(end / narrowest + 1, static_cast<double>(k) / a_side) - 1));
    return distances;
  }

  /// Returns the share of the line's mass that single precision loses, and the largest excess of its log density.
  std::pair<double, double> measure(const Line& line) {
    const Numbers &below = distances_to(line.low.to), &above = distances_to(line.high.to);
    Numbers by;
    for (std::size_t k = a_side; k > 0; --k) by.push_back(-below[k]);
    by.insert(by.end(), above.begin(), above.end());
    std::vector<std::pair<const Line*, double>> moves;
    for (const double distance : by) moves.emplace_back(&line, distance);
    Numbers positions = moved(moves), values;
    if (precision_ == Precision::single_precision) {
      Settings single = settings_;
      single.precision = Precision::single_precision;
      single.backend = Backend::cpu;
      ValuesOn found = values_on(model_, single, positions, by.size());
      positions = std::move(found.positions), values = std::move(found.log_densities);
    }
    Numbers doubles = in_double(positions);
    if (values.empty()) values = doubles;
    const Numbers right = exact(line, positions, std::move(doubles));
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
      else if (right[k] > largest - deep_below)
        raised = std::max(raised, error);
    }
    return {all > 0 ? lost / all : 0, raised};
  }

  const Model& model_;
  const Settings& settings_;
  Precision precision_;
  const Numbers& points_;
  std::size_t dimension_, n_;
  DensityEvaluator density_;
  std::unique_ptr<CheckedDensity> terms_;
  std::vector<Line> lines_;
  Numbers exact_at_base_;
  std::map<double, Numbers> distances_to_;  ///< by the end
};

}  // namespace

PrecisionReach reach_of(const Model& model, const Settings& settings, Precision precision,
                        const std::vector<double>& points) {
  if (points.size() < bases * model.layout().dimension) return {};
  return Lines(model, settings, precision, points)();
}

}  // namespace manychain
