#include "manychain/run/model.hpp"

#include <cmath>

#include "manychain/core/error.hpp"
#include "manychain/core/real.hpp"
#include "manychain/random/stream.hpp"
#include "manychain/run/program.hpp"
#include "run/compiled_density.hpp"

namespace manychain {

namespace {

/// What a model says of its data, with the file that they are from.
std::shared_ptr<const Model::Bound> bind(const ModelUnit& unit, const Data& data) {
  if (data.file().empty()) return unit.bind(data);
  try {
    return unit.bind(data);
  } catch (const BadInput& error) {
    throw BadInput(data.file() + ": " + error.what());
  }
}

}  // namespace

Model::Model(const ModelUnit& unit, const Data& data) : bound_(bind(unit, data)) {}
Model::Model(const ModelUnit& unit) : Model(unit, unit.data()[0] ? Data::from_json(unit.data()) : Data()) {}
Model::Model(CompiledDensity density) : bound_(bind_compiled_density(std::move(density))) {}

const std::string& Model::name() const { return bound_->name; }
const Layout& Model::layout() const { return bound_->layout; }
bool Model::has_gradient() const { return bound_->gives.gradient; }

GradientCheck check_gradient(const Model& model, std::size_t points, std::uint64_t seed) {
  if (!model.has_gradient() || !model.bound().gives.density)
    throw BadInput("model " + model.name() + " gives no gradient: there is nothing to check");
  const std::size_t n = model.layout().dimension;
  GradientCheck check;
  check.points = points;
  check.tolerance = 1e-5;
  std::size_t compared = 0;
  std::vector<double> q(n), gradient(n);
  for (std::size_t point = 0; point < points; ++point) {
    const Stream<Scalar<double>> stream(seed, Purpose::gradient_check, point, 0);
    uniforms(stream, Size<dynamic>(static_cast<int>(n)),
             [&](int i, Scalar<double> u) { q[static_cast<std::size_t>(i)] = 4 * u.v - 2; });
    const double lp = model.bound().density(q.data(), gradient.data());
    if (!std::isfinite(lp)) continue;
    for (std::size_t i = 0; i < n; ++i) {
      // Five points: an error of h^4, so that the step can be wide and the rounding error small.
      const double centre = q[i], h = 1e-3 * std::max(1.0, std::fabs(centre));
      const auto at = [&](double offset) {
        q[i] = centre + offset;
        return model.bound().density(q.data(), nullptr);
      };
      const double difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      q[i] = centre;
      if (!std::isfinite(difference)) continue;  // a difference that leaves the support says nothing
      ++compared;
      // What rounding alone can do: lp carries some 1e-15 of its magnitude.
      const double scale = std::max({1.0, std::fabs(difference), std::fabs(lp) * 1e-7});
      const double error = std::fabs(gradient[i] - difference) / scale;
      if (compared == 1 || !(error <= check.worst_error)) {
        check.worst_error = std::isfinite(error) ? error : HUGE_VAL;
        check.worst_parameter = model.layout().unconstrained_names[i];
        check.gradient = gradient[i];
        check.finite_difference = difference;
      }
    }
  }
  if (compared == 0)
    throw SamplingFailed("model " + model.name() + ": the log density is not finite at any of " +
                         std::to_string(points) + " random points, nothing could be compared");
  check.passed = check.worst_error <= check.tolerance;
  return check;
}

}  // namespace manychain
