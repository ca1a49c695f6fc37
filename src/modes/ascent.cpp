#include "modes/ascent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace manychain {
namespace {

constexpr double arrived = 1e-3;                  // twice what a step in the metric of the place may still gain
constexpr double least_gain = 0.1;                // of what the slope promises (Armijo)
constexpr double no_gain = 1e-7;                  // in log density, that a step promises
constexpr double shortest = 0.02, longest = 100;  // changes of a step's length from one to the next

struct Climber {
  std::vector<double> x, direction;
  double value = -std::numeric_limits<double>::infinity();
  double slope = 0, step = 1;
  bool moves = true, known = false;
};

bool all_finite(const double* values, std::size_t count) {
  return std::all_of(values, values + count, [](double x) { return std::isfinite(x); });
}

class Climb {
 public:
  Climb(const DensityEvaluator& density, const Place& place, const std::vector<double>& peaks)
      : density_(density), place_(place), peaks_(peaks), d_(place.dimension()) {}

  Ascended operator()(const std::vector<double>& points, std::size_t most) {
    climbers_.resize(points.size() / d_);
    for (std::size_t k = 0; k < climbers_.size(); ++k) {
      climbers_[k].x.assign(points.begin() + static_cast<std::ptrdiff_t>(k * d_),
                            points.begin() + static_cast<std::ptrdiff_t>((k + 1) * d_));
      moving_.push_back(k);
    }
    try_all();
    while (!moving_.empty() && evaluations_ + moving_.size() <= most) try_all();
    Ascended all;
    for (const Climber& c : climbers_) {
      all.points.insert(all.points.end(), c.x.begin(), c.x.end());
      all.values.push_back(c.value);
      all.known.push_back(c.known);
      all.arrived.push_back(!c.moves);
    }
    all.evaluations = evaluations_;
    return all;
  }

 private:
  /// Evaluates a step ahead of all that move; at first, where they stand.
  void try_all() {
    const std::size_t count = moving_.size();
    tried_.resize(count * d_);
    values_.resize(count);
    gradients_.resize(count * d_);
    overflows_.resize(count);
    for (std::size_t m = 0; m < count; ++m) {
      const Climber& c = climbers_[moving_[m]];
      double* const x = tried_.data() + m * d_;
      std::copy(c.x.begin(), c.x.end(), x);
      for (std::size_t i = 0; i < c.direction.size(); ++i) x[i] += c.step * c.direction[i];
      overflows_[m] = !all_finite(x, d_);  // no density is asked for there
      if (overflows_[m]) std::copy(c.x.begin(), c.x.end(), x);
    }
    density_(tried_.data(), count, values_.data(), gradients_.data());
    evaluations_ += count;
    for (std::size_t m = 0; m < count; ++m)
      take(climbers_[moving_[m]], tried_.data() + m * d_, overflows_[m] ? std::nan("") : values_[m],
           gradients_.data() + m * d_);
    std::erase_if(moving_, [&](std::size_t k) { return !climbers_[k].moves; });
  }

  void take(Climber& c, const double* x, double value, const double* gradient) {
    const bool first = c.direction.empty();
    const bool finite = std::isfinite(value) && all_finite(gradient, d_);
    if (!finite || (!first && value < c.value + least_gain * c.step * c.slope)) return shorten(c, first, finite, value);
    if (!first) {
      const double bends = c.slope - dot(c.direction, gradient);  // the slope has fallen by so much
      const double next = bends > 0 ? c.slope / bends : longest;
      c.step *= std::clamp(next, shortest, longest);
    }
    c.x.assign(x, x + d_);
    c.value = value;
    place_.times(gradient, c.direction);
    c.slope = dot(c.direction, gradient);
    c.known = near_peak(place_, peaks_, x) || (first && near_peak(place_, peaks_, newton_point(c).data()));
    c.moves = !c.known && std::isfinite(c.slope) && c.slope > arrived;
  }

  static std::vector<double> newton_point(const Climber& c) {
    std::vector<double> x = c.x;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += c.direction[i];
    return x;
  }

  /// To the top of the parabola through both ends.
  static void shorten(Climber& c, bool first, bool finite, double value) {
    if (first) {
      c.moves = false;
      return;
    }
    const double top = finite ? 0.5 * c.slope * c.step / (c.slope * c.step - (value - c.value)) : 0;
    c.step *= std::clamp(top, shortest, 0.5);
    c.moves = c.step * c.slope > no_gain;
  }

  const DensityEvaluator& density_;
  const Place& place_;
  const std::vector<double>& peaks_;
  std::size_t d_, evaluations_ = 0;
  std::vector<Climber> climbers_;
  std::vector<std::size_t> moving_;
  std::vector<double> tried_, values_, gradients_;
  std::vector<unsigned char> overflows_;
};

}  // namespace

std::size_t peak_near(const Place& place, const std::vector<double>& peaks, const double* x) {
  const std::size_t d = place.dimension(), count = peaks.size() / d;
  const double radius = 1 + 0.1 * std::sqrt(static_cast<double>(d));
  for (std::size_t k = 0; k < count; ++k)
    if (place.squared_distance(x, peaks.data() + k * d) < radius * radius) return k;
  return count;
}
bool near_peak(const Place& place, const std::vector<double>& peaks, const double* x) {
  return peak_near(place, peaks, x) < peaks.size() / place.dimension();
}

Ascended ascend(const DensityEvaluator& density, const Place& place, const std::vector<double>& peaks,
                const std::vector<double>& points, std::size_t most) {
  return Climb(density, place, peaks)(points, most);
}

double barrier(const DensityEvaluator& density, const std::vector<double>& a, const std::vector<double>& b) {
  const std::size_t d = a.size(), count = barrier_points;
  std::vector<double> line, values(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double t = static_cast<double>(k) / static_cast<double>(count - 1);
    for (std::size_t i = 0; i < d; ++i) line.push_back(a[i] + t * (b[i] - a[i]));
  }
  density(line.data(), count, values.data(), nullptr);
  double lowest = std::numeric_limits<double>::infinity();
  for (const double value : values) {
    if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
    lowest = std::min(lowest, value);
  }
  return std::min(values.front(), values.back()) - lowest;
}

}  // namespace manychain
