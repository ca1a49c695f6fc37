#include "foreign/foreign_density.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chain/density_points.hpp"
#include "core/nan.hpp"
#include "foreign/lockstep_program.hpp"
#include "foreign/parameter_names.hpp"
#include "manychain/chain/cpu_program.hpp"
#include "manychain/chain/density_of_model.hpp"
#include "manychain/core/error.hpp"
#include "manychain/model/language/layout_target.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain {
namespace {

bool is_finite(const double* position, std::size_t dimension) {
  return std::all_of(position, position + dimension, [](double x) { return std::isfinite(x); });
}

/// The log density. A position that is not finite, as a trajectory has after a rejected point, is refused without a
/// call: no foreign code need expect it, and what it rejects is counted once a trajectory.
double call(const ForeignDensity& density, const double* position, double* gradient, std::size_t dimension) {
  if (!is_finite(position, dimension)) {
    std::fill_n(gradient, dimension, nan);
    return nan;
  }
  return call_foreign([&] { return density.value_and_gradient(position, gradient); });
}

/// As a model with a gradient of its own. At stride one the vectors are plain arrays of double.
struct ForeignModel {
  static constexpr bool branches = true;  // one chain or point per lane
  const ForeignDensity* density = nullptr;
  std::size_t components = 0;  // of the position
  std::size_t values = 0;      // outputs; 0: the position

  template <class Target>
  void parameters(Target& target) const {
    target.vector("q", static_cast<int>(components));
  }
  template <class R, class Q, class G>
  R value_and_gradient(const Q& q, G& gradient) const {
    static_assert(sizeof(R) == sizeof(number_of<R>));
    if constexpr (std::is_same_v<number_of<R>, double>)
      return R(call(*density, &q[0].v, &gradient[0].v, components));
    else
      return R(0);
  }
  template <class R, class Q, class Sink>
  void outputs(const Q& q, Arena<R> arena, const Sink& sink, Variates<R>& variates) const {
    if constexpr (std::is_same_v<number_of<R>, double>) {
      const double* made = &q[0].v;
      if (values > 0) {
        // The seed is 32 bits of a uniform on (0, 1].
        const auto seed = static_cast<std::uint32_t>(std::ceil(variates.uniform().v * 0x1p32) - 1);
        auto memory = arena.take(static_cast<int>(values));
        density->outputs(&q[0].v, seed, &memory[0].v);
        made = &memory[0].v;
      }
      const std::size_t count = values > 0 ? values : components;
      for (std::size_t i = 0; i < count; ++i) sink(static_cast<int>(i), R(made[i]));
    }
  }
};

struct ForeignHost {
  ForeignModel model;
  explicit ForeignHost(const ForeignModel& m) : model(m) {}
};

using OneAtATime = Scalar<double>;
using ForeignFunctions = PointDensityOf<ForeignModel, OneAtATime, ForeignHost>;

class ForeignPoints : public DensityPoints<OneAtATime> {
 public:
  ForeignPoints(const ForeignModel& model, const Layout& layout)
      : DensityPoints<OneAtATime>(std::make_unique<ForeignFunctions>(model), layout) {}
};

/// Evaluations of a density that takes many points at once. Points that are not finite are kept from it, and are NaN.
class BatchedPoints final : public ForeignPoints {
 public:
  BatchedPoints(const ForeignModel& model, const Layout& layout) : ForeignPoints(model, layout), model_(model) {}
  void evaluate(const double* points, std::size_t count, double* log_densities, double* gradients) override {
    const std::size_t n = model_.components;
    std::vector<std::size_t> asked;
    std::vector<double> at;
    for (std::size_t k = 0; k < count; ++k) {
      const double* const point = points + k * n;
      if (!is_finite(point, n)) continue;
      asked.push_back(k);
      at.insert(at.end(), point, point + n);
    }
    std::fill_n(log_densities, count, nan);
    if (gradients) std::fill_n(gradients, count * n, nan);
    if (asked.empty()) return;
    std::vector<double> values(asked.size()), slopes(at.size());
    model_.density->values_and_gradients(at.data(), asked.size(), values.data(), slopes.data());
    for (std::size_t k = 0; k < asked.size(); ++k) {
      log_densities[asked[k]] = values[k];
      if (gradients) std::copy_n(slopes.data() + k * n, n, gradients + asked[k] * n);
    }
  }

 private:
  ForeignModel model_;
};

struct ForeignBound final : Model::Bound {
  std::shared_ptr<const ForeignDensity> density_of_others;
  ForeignModel model;

  ForeignBound(std::shared_ptr<const ForeignDensity> d, ForeignTraits traits) : density_of_others(std::move(d)) {
    const bool own_outputs = traits.own_outputs;
    const bool in_single = traits.in_single;
    static_cast<ModelFacts&>(*this) = std::move(traits);
    double_only = !in_single;
    layout.scales_unknown = true;
    if (own_outputs) layout.scratch = layout.outputs;
    model = {density_of_others.get(), layout.dimension, own_outputs ? layout.outputs : 0};
    check_names(layout);
  }

  std::unique_ptr<PointOperations> operations() const override {
    if (batched) return std::make_unique<BatchedPoints>(model, layout);
    return std::make_unique<ForeignPoints>(model, layout);
  }
  std::vector<bool> unconstrain(const Data& given, std::vector<double>& position) const override {
    return density_of_others->unconstrain(given, position, layout);
  }
  Rejections take_rejections() const override { return density_of_others->take_rejections(); }
  std::unique_ptr<MixtureParts> mixture_parts() const override { return density_of_others->mixture_parts(); }
  std::unique_ptr<Program<float>> single_program(const std::string& sampler_name, ProgramChoice choice) const override {
    if (double_only) throw BadInput(foreign + " is in double: set precision to double");
    refuse_cuda(choice);
    return lockstep_program<float>(*density_of_others, layout, sampler_name, choice.chains);
  }
  std::unique_ptr<Program<double>> double_program(const std::string& sampler_name,
                                                  ProgramChoice choice) const override {
    refuse_cuda(choice);
    if (batched) return lockstep_program<double>(*density_of_others, layout, sampler_name, choice.chains);
    using Made = std::unique_ptr<Program<double>>;
    return with_sampler<Made>(sampler_name, ForeignSamplers{}, [&]<class Sampler>(std::type_identity<Sampler>) -> Made {
      return std::make_unique<CpuProgram<ForeignModel, Sampler, Scalar<double>, ForeignHost>>(model, layout);
    });
  }

 private:
  void refuse_cuda(ProgramChoice choice) const {
    if (choice.cuda) throw BadInput("backend cuda: " + foreign + " runs on the CPU");
  }
};

}  // namespace

std::vector<bool> ForeignDensity::unconstrain(const Data& given, std::vector<double>& position,
                                              const Layout& layout) const {
  std::vector<bool> was_given(layout.dimension, false);
  for (const Quantity& quantity : layout.quantities) {
    const Data::Variable* const found = given.find(quantity.name);
    if (!found) continue;
    require_values(quantity, *found);
    for (std::size_t i = 0; i < quantity.size(); ++i) {
      position[quantity.offset + i] = found->values[i];
      was_given[quantity.offset + i] = true;
    }
  }
  return was_given;
}

std::shared_ptr<const Model::Bound> bind_foreign(std::shared_ptr<const ForeignDensity> density, ForeignTraits traits) {
  return std::make_shared<ForeignBound>(std::move(density), std::move(traits));
}

Layout unconstrained_layout(std::size_t dimension, const std::vector<std::string>& parameters) {
  Layout layout;
  layout.dimension = layout.outputs = dimension;
  layout.quantities =
      parameters.empty() ? std::vector<Quantity>{{"q", {dimension}, 0, false}} : quantities_of(parameters);
  layout.unconstrained_names = parameters.empty() ? layout.output_names() : parameters;
  return layout;
}

void require_values(const Quantity& quantity, const Data::Variable& values) {
  if (values.values.size() != quantity.size())
    throw BadInput("initial value of " + quantity.name + ": " + std::to_string(quantity.size()) +
                   " numbers are needed, found " + std::to_string(values.values.size()));
}

void RejectionLog::keep(const std::string& message) {
  // Threads come in any order: what is kept must not depend on it.
  if (!message.empty() && (all_.message.empty() || message < all_.message)) all_.message = message;
}
void RejectionLog::evaluation(const std::string& message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++all_.evaluations;
  keep(message);
}
void RejectionLog::outputs(const std::string& message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++all_.outputs;
  keep(message);
}
Rejections RejectionLog::take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(all_, {});
}

}  // namespace manychain
