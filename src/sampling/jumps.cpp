#include "sampling/jumps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "manychain/chain/program.hpp"
#include "sampling/causes.hpp"
#include "starts/each_path.hpp"

namespace manychain {
namespace {

// A jump of this size changes an acceptance probability by a fifth. Solvers of differential equations, and densities
// that are computed in single precision, have jumps that are smaller as a share of the log density.
constexpr double smallest_jump = 0.25, smallest_share = 1e-6;
constexpr std::size_t most_lines = 16, intervals_of_line = 16, most_jumps_named = 3;
constexpr int halvings = 48;  // of an interval: its width is then about the rounding of doubles
constexpr double fewest_of_line = intervals_of_line + 1 + halvings;
// Step of one component beyond the jump, as a share of the line: a slope changes little by that.
constexpr double beyond = 1e-9;
// Chains with fewer effective draws each hardly move.
constexpr double fewest_of_chain = 2;

/// A place on a line: its log density, and the slope along the line.
struct OnLine {
  double at = 0, value = 0, slope = 0;
};

/// The difference that gradients at both ends of an interval do not explain.
double unexplained(const OnLine& a, const OnLine& b) {
  return std::fabs(b.value - a.value - 0.5 * (b.at - a.at) * (a.slope + b.slope));
}

/// A density that is not finite at one end ends there, and does not jump.
bool may_jump(const OnLine& a, const OnLine& b) {
  if (!std::isfinite(a.value) || !std::isfinite(b.value)) return false;
  const double shares = smallest_share * std::min(std::fabs(a.value), std::fabs(b.value));
  return unexplained(a, b) > std::max(smallest_jump, shares);
}

/// True if the quantity that mixes worst has hardly more effective draws than there are chains.
bool hardly_move(const Result& result) {
  const double enough = fewest_of_chain * static_cast<double>(result.settings.chains);
  return std::any_of(result.summary.begin(), result.summary.end(),
                     [enough](const auto& row) { return row.statistics.ess_bulk < enough; });
}

class Jumps {
 public:
  Jumps(const Model& model, const std::vector<double>& points, double evaluations)
      : model_(model),
        d_(model.layout().dimension),
        points_(points),
        density_(detail::zero_where_it_throws(model.bound().evaluator(), d_)),
        left_(evaluations) {}

  std::vector<std::string> operator()() {
    const std::size_t chains = points_.size() / d_, lines = std::min(most_lines, chains / 2);
    for (std::size_t line = 0; line < lines && named_.size() < most_jumps_named; ++line) {
      if (left_ < fewest_of_line) break;
      // Chains of one half against those of the other: superchains are dealt in turn.
      begin(line * (chains / 2) / lines, chains / 2 + (line * 7 + 3) % (chains - chains / 2));
      for (const auto& [low, high] : steepest())
        if (const double jump = jump_between(low, high); jump > 0) name_components(jump);
    }
    std::vector<std::string> words;
    for (const auto& [component, jump] : named_)
      words.push_back(fmt::format("{} (by {:.2g})", model_.layout().unconstrained_names[component], jump));
    return words;
  }

 private:
  struct Named {
    std::size_t component;
    double jump;
  };
  struct Interval {
    OnLine low, high;
  };

  void begin(std::size_t one, std::size_t other) {
    const auto point = [&](std::size_t chain) { return points_.begin() + static_cast<std::ptrdiff_t>(chain * d_); };
    from_.assign(point(one), point(one) + static_cast<std::ptrdiff_t>(d_));
    way_.resize(d_);
    for (std::size_t i = 0; i < d_; ++i) way_[i] = points_[other * d_ + i] - from_[i];
  }
  double coordinate(std::size_t i, double at) const { return from_[i] + at * way_[i]; }

  std::vector<OnLine> evaluate(const std::vector<double>& at) {
    std::vector<double> positions, values(at.size()), gradients(at.size() * d_);
    for (const double t : at)
      for (std::size_t i = 0; i < d_; ++i) positions.push_back(coordinate(i, t));
    density_(positions.data(), at.size(), values.data(), gradients.data());
    left_ -= static_cast<double>(at.size());
    std::vector<OnLine> places;
    for (std::size_t k = 0; k < at.size(); ++k) {
      places.push_back({at[k], values[k], 0});
      for (std::size_t i = 0; i < d_; ++i) places.back().slope += gradients[k * d_ + i] * way_[i];
    }
    return places;
  }

  /// Two intervals of the line that gradients explain least.
  std::vector<Interval> steepest() {
    std::vector<double> at;
    for (std::size_t k = 0; k <= intervals_of_line; ++k)
      at.push_back(static_cast<double>(k) / static_cast<double>(intervals_of_line));
    const std::vector<OnLine> places = evaluate(at);
    std::vector<Interval> intervals;
    for (std::size_t k = 0; k < intervals_of_line; ++k)
      if (may_jump(places[k], places[k + 1])) intervals.push_back({places[k], places[k + 1]});
    std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) {
      return unexplained(a.low, a.high) > unexplained(b.low, b.high);
    });
    intervals.resize(std::min<std::size_t>(intervals.size(), 2));
    return intervals;
  }

  /// Halves an interval as long as a difference remains that gradients do not explain. Zero: they do, or no evaluations
  /// are left. Leaves the ends in low_ and high_.
  double jump_between(OnLine low, OnLine high) {
    for (int k = 0; k < halvings; ++k) {
      if (left_ < 1 || !may_jump(low, high)) return 0;
      const OnLine middle = evaluate({0.5 * (low.at + high.at)})[0];
      (unexplained(low, middle) > unexplained(middle, high) ? high : low) = middle;
    }
    if (!may_jump(low, high)) return 0;
    low_ = low, high_ = high;
    return std::fabs(high.value - low.value);
  }

  /// Names components that pass the jump alone.
  void name_components(double jump) {
    if (left_ < static_cast<double>(d_)) return;
    std::vector<double> positions;
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = 0; j < d_; ++j) positions.push_back(coordinate(j, low_.at));
      positions[i * d_ + i] = coordinate(i, high_.at + beyond);
    }
    std::vector<double> values(d_);
    density_(positions.data(), d_, values.data(), nullptr);
    left_ -= static_cast<double>(d_);
    for (std::size_t i = 0; i < d_ && named_.size() < most_jumps_named; ++i) {
      const double passed = std::fabs(values[i] - low_.value);
      const bool known =
          std::any_of(named_.begin(), named_.end(), [i](const Named& one) { return one.component == i; });
      if (!known && passed > 0.5 * jump && std::isfinite(passed)) named_.push_back({i, passed});
    }
  }

  const Model& model_;
  std::size_t d_;
  const std::vector<double>& points_;
  DensityEvaluator density_;
  double left_;                     ///< evaluations
  std::vector<double> from_, way_;  ///< the line: from_ + t way_
  OnLine low_, high_;               ///< the two sides of the last jump
  std::vector<Named> named_;
};

}  // namespace

std::vector<std::string> find_jumps(const Model& model, const Engine& engine, const Result& result) {
  const Layout& layout = model.layout();
  const double allowed = allowed_evaluations(result);
  if (result.cancelled || !result.precision.beyond.empty() || !hardly_move(result)) return {};
  if (!result.sampler.trajectory || result.sampler.leaves_conditionals || !model.bound().gives.density) return {};
  if (layout.integers > 0 || result.settings.chains < 4) return {};
  if (allowed < fewest_of_line + static_cast<double>(layout.dimension)) return {};
  // No more points than lines may be looked at: those of ranks are sent.
  const std::size_t lines = std::min(most_lines, static_cast<std::size_t>(allowed / fewest_of_line));
  const ChainPoints points = engine.points(std::min(result.settings.chains, std::max<std::size_t>(4, 2 * lines)));
  std::vector<std::string> jumps = Jumps(model, points.positions, allowed)();
  model.bound().take_rejections();  // no chain was there
  return jumps;
}

}  // namespace manychain
