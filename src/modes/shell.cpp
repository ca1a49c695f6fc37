#include "modes/shell.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "modes/ascent.hpp"
#include "modes/wide_points.hpp"
#include "random/chain_variates.hpp"

namespace manychain {
namespace {

constexpr std::size_t directions = 16, distances = 32, at_once = 256;
constexpr double innermost = 0.5, step = 1.2;  // of distances, in roots of the dimension
constexpr double widest_place = 2;             // the chains are up to there
constexpr double to_a_side = 0.03;             // of the distance of the maximum, where chains start
constexpr std::uint64_t first_direction = first_path_of_look + (std::uint64_t{1} << 20);
constexpr double nowhere = -std::numeric_limits<double>::infinity();

/// Along one direction: log p + d log r, its second maximum, and the valley before it.
struct Ray {
  std::vector<double> values;
  std::size_t lowest = distances, second = distances;  ///< `distances`: there is no second maximum
};

double log_of_sum(double sum, double more) {
  const double high = std::max(sum, more);
  return high == nowhere ? nowhere : high + std::log1p(std::exp(std::min(sum, more) - high));
}

/// Powers of `step`: the distances.
const std::array<double, distances>& powers() {
  static const std::array<double, distances> of_step = [] {
    std::array<double, distances> all{};
    for (std::size_t k = 0; k < distances; ++k) all[k] = std::pow(step, k);
    return all;
  }();
  return of_step;
}

void look_along(Ray& ray) {
  double first = nowhere;
  for (std::size_t k = 0; k < distances && innermost * powers()[k] <= widest_place; ++k)
    first = std::max(first, ray.values[k]);
  std::size_t lowest = 0;
  while (lowest < distances && ray.values[lowest] < first) ++lowest;
  for (std::size_t k = lowest; k < distances; ++k) {
    if (ray.values[k] < ray.values[lowest]) lowest = k;
    const bool rises = std::min(first, ray.values[k]) - ray.values[lowest] > valley;
    if (!rises || (ray.second < distances && ray.values[k] < ray.values[ray.second])) continue;
    ray.second = k;
    ray.lowest = lowest;
  }
}

}  // namespace

std::optional<FoundMode> find_shell(const DensityEvaluator& density, const Place& place, std::uint64_t seed,
                                    std::size_t& evaluations) {
  const std::size_t d = place.dimension();
  const double root = std::sqrt(static_cast<double>(d));
  std::vector<std::vector<double>> units;
  std::vector<double> points;
  const auto point_at = [&](const std::vector<double>& unit, double distance) {
    for (std::size_t i = 0; i < d; ++i) points.push_back(place.centre()[i] + distance * unit[i]);
  };
  std::vector<double> normals(directions * d);
  chain_normals({seed, Purpose::pathfinder, first_direction, 0}, directions, d, normals.data());
  for (std::size_t r = 0; r < directions; ++r) {
    const auto at = normals.begin() + static_cast<std::ptrdiff_t>(r * d);
    std::vector<double> z(at, at + static_cast<std::ptrdiff_t>(d));
    const double length = std::sqrt(dot(z, z.data()));
    for (double& x : z) x /= length;
    units.push_back(place.transform(std::move(z)));
    for (std::size_t k = 0; k < distances; ++k) point_at(units[r], innermost * root * powers()[k]);
  }
  std::vector<double> values(directions * distances);
  // No more than chains by default: a density that takes all points at once may be compiled for each number of them.
  for (std::size_t k = 0; k < values.size(); k += at_once)
    density(points.data() + k * d, std::min(at_once, values.size() - k), values.data() + k, nullptr);
  evaluations += values.size();

  double inside = nowhere, outside = nowhere;
  std::vector<double> valleys;
  std::vector<Ray> rays(directions);
  for (std::size_t r = 0; r < directions; ++r) {
    for (std::size_t k = 0; k < distances; ++k) {
      const double value = values[r * distances + k] + static_cast<double>(d) * static_cast<double>(k) * std::log(step);
      rays[r].values.push_back(std::isnan(value) ? nowhere : value);
    }
    look_along(rays[r]);
    if (rays[r].second < distances) valleys.push_back(innermost * root * powers()[rays[r].lowest]);
    for (std::size_t k = 0; k < distances; ++k)
      (k > rays[r].lowest ? outside : inside) = log_of_sum(k > rays[r].lowest ? outside : inside, rays[r].values[k]);
  }
  if (2 * valleys.size() < directions || !(outside > inside + std::log(least_share))) return std::nullopt;
  std::nth_element(valleys.begin(), valleys.begin() + static_cast<std::ptrdiff_t>(valleys.size() / 2), valleys.end());

  FoundMode mode;
  mode.around = std::make_shared<Place>(place);
  mode.beyond = valleys[valleys.size() / 2];
  mode.log_mass = outside - inside;
  points.clear();
  for (std::size_t r = 0; points.size() < starts_of_mode * d; ++r) {
    const Ray& ray = rays[r % directions];
    if (ray.second == distances) continue;
    const double distance = innermost * root * powers()[ray.second];
    point_at(units[r % directions], distance * (r < directions ? 1 - to_a_side : 1 + to_a_side));
  }
  mode.starts = std::move(points);
  return mode;
}

}  // namespace manychain
