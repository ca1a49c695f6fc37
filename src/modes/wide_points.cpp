#include "modes/wide_points.hpp"

#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "random/chain_variates.hpp"

namespace manychain {
namespace {

constexpr double nearest = 4, farthest = 100;                       // standard deviations
constexpr double half_edges[] = {4, 8, 16, 32, 0.02, 0.1, 0.5, 2};  // of boxes
// Behind so many points no chain is mirrored or exchanged any more: in few dimensions there is little else to find.
constexpr std::size_t most_of_chains = 1024;
constexpr std::uint64_t points_of_look = std::uint64_t{1} << 20;

}  // namespace

WidePoints::WidePoints(const Layout& layout, const Place& place, const std::vector<double>& positions,
                       std::uint64_t seed, std::uint64_t look)
    : place_(place), positions_(positions), seed_(seed), first_(first_wide_point + look * points_of_look) {
  std::map<std::string, std::vector<std::size_t>> by_name;
  for (std::size_t i = 0; i < layout.unconstrained_names.size(); ++i) {
    const std::string& name = layout.unconstrained_names[i];
    const std::size_t bracket = name.find('[');
    if (bracket != std::string::npos && name.find(',') == std::string::npos)
      by_name[name.substr(0, bracket)].push_back(i);
  }
  std::map<std::size_t, std::vector<std::vector<std::size_t>>> by_size;
  for (auto& [name, components] : by_name)
    if (components.size() > 1) by_size[components.size()].push_back(std::move(components));
  for (auto& [size, vectors] : by_size) vectors_.push_back(std::move(vectors));
}

std::vector<double> WidePoints::operator()(std::size_t first, std::size_t count) const {
  const std::size_t d = place_.dimension(), uniforms = d + 3;
  std::vector<double> points, z(count * d), u(count * uniforms);
  chain_normals({seed_, Purpose::pathfinder, first_ + first, 0}, count, d, z.data());
  chain_uniforms({seed_, Purpose::pathfinder, first_ + first, 1}, count, uniforms, u.data());
  for (std::size_t k = 0; k < count; ++k) {
    const std::vector<double> x = point(first + k, z.data() + k * d, u.data() + k * uniforms);
    points.insert(points.end(), x.begin(), x.end());
  }
  return points;
}

std::vector<double> WidePoints::point(std::size_t k, const double* normals, const double* u) const {
  const std::size_t d = place_.dimension(), chains = positions_.size() / d;
  const auto chosen = [&](double uniform, std::size_t of) {
    return std::min(static_cast<std::size_t>(uniform * static_cast<double>(of)), of - 1);
  };
  const double* const chain = positions_.data() + chosen(u[d], chains) * d;
  const double far = nearest * std::pow(farthest / nearest, u[d + 1]);
  const double box = half_edges[k / 8 % std::size(half_edges)];
  std::vector<double> x = place_.centre();
  const std::size_t kind = k % 8;
  switch (kind >= 6 && k >= most_of_chains ? 0 : kind) {
    case 0:
    case 1: {
      const std::vector<double> away = place_.transform({normals, normals + d});
      for (std::size_t i = 0; i < d; ++i) x[i] += far * away[i];
      return x;
    }
    case 2: {
      const std::size_t i = chosen(u[d + 2], d);
      x[i] += (normals[i] < 0 ? -far : far) * place_.sds()[i];
      return x;
    }
    case 3:
    case 4:
      for (std::size_t i = 0; i < d; ++i) x[i] = box * (2 * u[i] - 1);
      return x;
    case 5:
      x.assign(d, box * (2 * u[d + 2] - 1));
      return x;
    case 6:
      x.assign(chain, chain + d);
      for (std::size_t i = 0; i < d; ++i)
        if (k / 8 % 2 == 0 || u[i] < 0.5) x[i] = -x[i];
      return x;
    default:
      x.assign(chain, chain + d);
      if (!vectors_.empty()) return exchanged(std::move(x), k / 8 % vectors_.size(), u);
      x[chosen(u[d + 2], d)] *= -1;
      return x;
  }
}

/// By a random permutation (Fisher and Yates).
std::vector<double> WidePoints::exchanged(std::vector<double> x, std::size_t which, const double* u) const {
  const auto& vectors = vectors_[which];
  for (std::size_t i = vectors.front().size(); i-- > 1;) {
    const auto j = std::min(static_cast<std::size_t>(u[i] * static_cast<double>(i + 1)), i);
    for (const std::vector<std::size_t>& v : vectors) std::swap(x[v[i]], x[v[j]]);
  }
  return x;
}

}  // namespace manychain
