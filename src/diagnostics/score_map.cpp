#include "diagnostics/score_map.hpp"

#include <algorithm>
#include <cmath>

#include "manychain/core/error.hpp"

namespace manychain::diagnostics {
namespace {

constexpr double knot_scores[] = {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5};
constexpr double last_score = 4;  // as far as the histogram goes

double normal_cdf(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

double quantile(const std::vector<double>& sorted, double p) {
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[std::min(below + 1, sorted.size() - 1)] - sorted[below]);
}

}  // namespace

template <class Number>
FrozenMap::FrozenMap(std::vector<double>& values, Number) {
  std::erase_if(values, [](double x) { return !std::isfinite(x); });
  std::sort(values.begin(), values.end());
  if (!values.empty()) {
    const double width = 0.5 * (quantile(values, normal_cdf(1)) - quantile(values, normal_cdf(-1)));
    // More than two thirds of the values may be one: then their range tells the scale, or nothing does.
    const double range = values.back() - values.front();
    const double unit = width > 0 ? width : range > 0 ? range : 1;
    // As they are used: rounded, so that the way back is exact.
    scale_ = static_cast<double>(static_cast<Number>(std::min(1 / unit, 1e30)));
    shift_ = static_cast<double>(static_cast<Number>(-quantile(values, 0.5) * scale_));
    for (double z : knot_scores) {
      const double u = quantile(values, normal_cdf(z)) * scale_ + shift_;
      // Equal quantiles (a discrete output): one knot, between their scores.
      if (knots_.empty() || u > knots_.back().u + 1e-3) {
        knots_.push_back({u, z});
      } else {
        knots_.back().z = 0.5 * (knots_.back().z + z);
      }
    }
  }
  if (knots_.size() < 2) knots_ = {{-1, -1}, {1, 1}};
  // The outermost pieces go on to the last scores.
  Knot& first = knots_.front();
  Knot& last = knots_.back();
  const Knot second = knots_[1], last_but_one = knots_[knots_.size() - 2];
  first = {first.u - (last_score + first.z) * (second.u - first.u) / (second.z - first.z), -last_score};
  last = {last.u + (last_score - last.z) * (last.u - last_but_one.u) / (last.z - last_but_one.z), last_score};
}

FrozenMap::FrozenMap(const std::vector<double>& numbers) {
  constexpr std::size_t most_knots = ScoreMap<double>::bends + 2;
  if (numbers.size() % 2 != 0 || numbers.size() < 6 || numbers.size() > 2 + 2 * most_knots)
    throw BadInput("the map of an output's scores is damaged");
  scale_ = numbers[0];
  shift_ = numbers[1];
  for (std::size_t i = 2; i < numbers.size(); i += 2) knots_.push_back({numbers[i], numbers[i + 1]});
}

std::vector<double> FrozenMap::numbers() const {
  std::vector<double> numbers = {scale_, shift_};
  for (const Knot& knot : knots_) numbers.insert(numbers.end(), {knot.u, knot.z});
  return numbers;
}

template <class Number>
ScoreMap<Number> FrozenMap::as() const {
  ScoreMap<Number> map;
  map.scale = static_cast<Number>(scale_);
  map.shift = static_cast<Number>(shift_);
  map.low = static_cast<Number>(knots_.front().u);
  map.high = static_cast<Number>(knots_.back().u);
  const auto slope = [&](std::size_t piece) {
    return (knots_[piece + 1].z - knots_[piece].z) / (knots_[piece + 1].u - knots_[piece].u);
  };
  double offset = knots_[0].z - slope(0) * knots_[0].u;
  map.slope = static_cast<Number>(slope(0));
  for (std::size_t i = 0; i + 2 < knots_.size(); ++i) {
    const double bend = slope(i + 1) - slope(i);
    map.knot[i] = static_cast<Number>(knots_[i + 1].u);
    map.bend[i] = static_cast<Number>(bend);
    offset -= bend * knots_[i + 1].u;
  }
  map.offset = static_cast<Number>(offset);
  return map;
}

double FrozenMap::output(double z) const {
  std::size_t piece = 0;
  while (piece + 2 < knots_.size() && z > knots_[piece + 1].z) ++piece;
  const Knot &a = knots_[piece], &b = knots_[piece + 1];
  return original(a.u + (z - a.z) * (b.u - a.u) / (b.z - a.z));
}

template FrozenMap::FrozenMap(std::vector<double>&, float);
template FrozenMap::FrozenMap(std::vector<double>&, double);
template ScoreMap<float> FrozenMap::as<float>() const;
template ScoreMap<double> FrozenMap::as<double>() const;

}  // namespace manychain::diagnostics
