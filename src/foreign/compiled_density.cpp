#include "foreign/compiled_density.hpp"

#include <limits>

#include "core/nan.hpp"
#include "foreign/foreign_density.hpp"
#include "foreign/lockstep.hpp"
#include "manychain/core/error.hpp"

namespace manychain {
namespace {

class Compiled final : public ForeignDensity {
 public:
  explicit Compiled(std::function<double(const double*, double*)> function) : function_(std::move(function)) {}
  double value_and_gradient(const double* position, double* gradient) const override {
    return function_(position, gradient);
  }

 private:
  std::function<double(const double*, double*)> function_;
};

class Callback final : public ForeignDensity {
 public:
  explicit Callback(const CallbackDensity& density)
      : dimension_(density.dimension), function_(density.function), user_(density.user) {}

  double value_and_gradient(const double* position, double* gradient) const override {
    double log_density = nan;  // of one that writes nothing, as Python's and Numba's do after an exception
    const int status = function_(dimension_, position, gradient, &log_density, user_);
    if (status == 0) return log_density;
    log_.evaluation("it returned " + std::to_string(status));
    // The gradient that it wrote may be anything, and a trajectory must not go on from there.
    std::fill_n(gradient, dimension_, nan);
    return -std::numeric_limits<double>::infinity();
  }
  Rejections take_rejections() const override { return log_.take(); }

 private:
  std::size_t dimension_;
  LogDensityCallback function_;
  void* user_;
  mutable RejectionLog log_;
};

class Batched final : public ForeignDensity {
 public:
  Batched(Lockstep<double>::Batch function, Lockstep<float>::Batch in_single)
      : function_(std::move(function)), in_single_(std::move(in_single)) {}
  double value_and_gradient(const double* position, double* gradient) const override {
    double log_density = 0;
    values_and_gradients(position, 1, &log_density, gradient);
    return log_density;
  }
  void values_and_gradients(const double* points, std::size_t count, double* log_densities,
                            double* gradients) const override {
    call_foreign([&] { function_(points, count, log_densities, gradients); });
  }
  void values_and_gradients(const float* points, std::size_t count, float* log_densities,
                            float* gradients) const override {
    call_foreign([&] { in_single_(points, count, log_densities, gradients); });
  }

 private:
  Lockstep<double>::Batch function_;
  Lockstep<float>::Batch in_single_;
};

/// The layout; `what` it is of, for messages.
Layout layout_of(const std::string& what, std::size_t dimension, bool has_function,
                 const std::vector<std::string>& parameters) {
  if (dimension == 0) throw BadInput(what + " needs a dimension of at least 1");
  require_few_parameters(dimension);
  if (!has_function) throw BadInput(what + " needs its function");
  if (!parameters.empty() && parameters.size() != dimension)
    throw BadInput(what + " of dimension " + std::to_string(dimension) + " was given " +
                   std::to_string(parameters.size()) + " parameter names");
  return unconstrained_layout(dimension, parameters);
}

std::optional<std::size_t> known(std::size_t values) {
  return values > 0 ? std::optional<std::size_t>(values) : std::nullopt;
}

std::shared_ptr<const Model::Bound> bind_compiled_density(CompiledDensity density) {
  ForeignTraits traits;
  traits.foreign = "a compiled density";
  traits.name = density.name;
  traits.layout = layout_of(traits.foreign, density.dimension, bool(density.value_and_gradient), density.parameters);
  traits.foreign_gradient_values = known(density.gradient_values);
  return bind_foreign(std::make_shared<Compiled>(std::move(density.value_and_gradient)), std::move(traits));
}

std::shared_ptr<const Model::Bound> bind_callback_density(const CallbackDensity& density) {
  ForeignTraits traits;
  traits.foreign = "a compiled density";
  traits.name = density.name;
  traits.layout = layout_of(traits.foreign, density.dimension, density.function != nullptr, density.parameters);
  traits.foreign_gradient_values = known(density.gradient_values);
  return bind_foreign(std::make_shared<Callback>(density), std::move(traits));
}

std::shared_ptr<const Model::Bound> bind_batched_density(BatchedDensity density, Lockstep<float>::Batch in_single) {
  constexpr std::size_t few = 1;
  ForeignTraits traits;
  traits.foreign = "a compiled density";
  traits.name = density.name;
  traits.layout = layout_of(traits.foreign, density.dimension, bool(density.function), density.parameters);
  traits.foreign_gradient_values = density.gradient_values > 0 ? density.gradient_values : few;
  traits.one_thread = "it takes the points of all chains in one call";
  traits.batched = true;
  traits.in_single = bool(in_single);
  return bind_foreign(std::make_shared<Batched>(std::move(density.function), std::move(in_single)), std::move(traits));
}

}  // namespace

void require_few_parameters(std::size_t dimension) {
  constexpr std::size_t most = std::size_t{1} << 24;  // a transition has as many random words
  if (dimension > most)
    throw BadInput("dimension: " + std::to_string(dimension) + " is not allowed: there may be 2^24 parameters");
}

Model::Model(CompiledDensity density) : bound_(bind_compiled_density(std::move(density))) {}
Model::Model(const CallbackDensity& density) : bound_(bind_callback_density(density)) {}
Model::Model(BatchedDensity density) : bound_(bind_batched_density(std::move(density), {})) {}

Model batched_model(BatchedDensity density, Lockstep<float>::Batch in_single) {
  return Model(bind_batched_density(std::move(density), std::move(in_single)));
}

}  // namespace manychain
