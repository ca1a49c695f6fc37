#include "check/uniform_points.hpp"

#include <algorithm>
#include <cmath>

#include "manychain/chain/program.hpp"
#include "manychain/core/real.hpp"
#include "manychain/random/stream.hpp"

namespace manychain {

std::vector<double> uniform_points(const Model& model, std::size_t count, double radius, std::uint64_t seed) {
  constexpr std::uint64_t tries = 100;
  const std::size_t d = model.layout().dimension;
  const DensityEvaluator density = model.bound().evaluator();
  std::vector<double> points(count * d), gradient(d);
  for (std::size_t k = 0; k < count; ++k) {
    double* const point = points.data() + k * d;
    for (std::uint64_t attempt = 0; attempt < tries; ++attempt) {
      const Stream<Scalar<double>> stream(seed, Purpose::gradient_check, k, 2 + attempt);
      uniforms(stream, Size<dynamic>(static_cast<int>(d)),
               [&](int i, Scalar<double> u) { point[i] = radius * (2 * u.v - 1); });
      double log_density = 0;
      density(point, 1, &log_density, model.has_gradient() ? gradient.data() : nullptr);
      const bool finite = std::isfinite(log_density) &&
                          (!model.has_gradient() ||
                           std::all_of(gradient.begin(), gradient.end(), [](double g) { return std::isfinite(g); }));
      if (finite) break;
    }
  }
  return points;
}

}  // namespace manychain
