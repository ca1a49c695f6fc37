#include "check/values_on.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "manychain/chain/program.hpp"
#include "manychain/core/real.hpp"
#include "manychain/random/stream.hpp"
#include "manychain/run/engine.hpp"
#include "run/defaults.hpp"
#include "run/devices.hpp"

namespace manychain {

ValuesOn values_on(const Model& model, const Settings& settings, const std::vector<double>& points, std::size_t count) {
  const std::size_t d = model.layout().dimension;
  Settings alone;
  alone.sampler = settings.sampler;
  alone.adaptation = settings.adaptation;
  alone.backend = settings.backend;
  alone.device = first_device(settings);
  alone.precision = settings.precision;
  alone.scalar = settings.scalar;
  alone.chains = count;
  alone.superchains = 0;
  alone.threads = 1;
  alone.draws = 1;
  alone.warmup = 0;
  alone.keep_sample_stats = false;
  alone.trajectory = 1;
  fill_in_defaults(model, alone);
  const auto engine =
      settings.backend == Backend::cuda ? make_cuda_engine(model, alone) : make_cpu_engine(model, alone);
  std::vector<double> by_dimension(d * count);
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t i = 0; i < d; ++i) by_dimension[i * count + k] = points[k * d + i];
  engine->initialise(by_dimension, 0);
  ChainPoints at = engine->points(count);
  ValuesOn values{std::move(at.positions), std::move(at.log_densities), {}};
  // A chain that cannot start stands there all the same, with no log density.
  const std::vector<double> nonfinite = engine->statistics().nonfinite;
  for (std::size_t k = 0; k < count; ++k)
    if (nonfinite[k] > 0) values.log_densities[k] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<FieldInfo> fields = engine->snapshot().fields;
  if (std::any_of(fields.begin(), fields.end(), [](const FieldInfo& field) { return field.name == "gradient"; }))
    values.gradients = engine->gradients(count);
  return values;
}

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
