#include "check/check_points.hpp"

#include <algorithm>
#include <cmath>

#include "manychain/chain/program.hpp"
#include "manychain/core/real.hpp"
#include "manychain/random/stream.hpp"

namespace manychain {
namespace {

/// The number of those of a range that u in (0, 1) falls on.
double integer_at(double u, int lowest, int highest) {
  const double count = static_cast<double>(highest) - lowest + 1;
  return lowest + std::min(std::floor(u * count), count - 1);
}

}  // namespace

std::vector<CheckPoint> check_points(const Model& model, std::size_t count, std::uint64_t seed) {
  const Layout& layout = model.layout();
  const std::size_t n = layout.dimension;
  std::vector<CheckPoint> points;
  for (std::size_t k = 0; k < count; ++k) {
    CheckPoint point{std::vector<double>(n), std::vector<double>(n), 0};
    const Stream<Scalar<double>> stream(seed, Purpose::gradient_check, k, 0);
    uniforms(stream, Size<dynamic>(static_cast<int>(n)), [&](int i, Scalar<double> u) {
      const auto place = static_cast<std::size_t>(i);
      const bool integer = layout.integers > 0 && layout.integer[place];
      point.q[place] = integer ? integer_at(u.v, layout.lowest[place], layout.highest[place]) : 4 * u.v - 2;
    });
    point.log_density = model.bound().density(point.q.data(), model.has_gradient() ? point.gradient.data() : nullptr);
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace manychain
