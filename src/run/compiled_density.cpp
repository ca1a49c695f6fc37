#include "run/compiled_density.hpp"

#include <exception>

#include "manychain/chain/cpu_program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/model/layout_target.hpp"
#include "manychain/samplers/list.hpp"
#include "run/density_evaluator.hpp"

namespace manychain {
namespace {

/// Calls the function; what it throws ends the run as a SamplingFailed that holds it.
double call(const CompiledDensity& density, const double* position, double* gradient) {
  try {
    return density.value_and_gradient(position, gradient);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    std::throw_with_nested(SamplingFailed(std::string("the compiled density threw: ") + error.what()));
  } catch (...) {
    std::throw_with_nested(SamplingFailed("the compiled density threw an exception of unknown type"));
  }
}

/// The function as a model with a gradient of its own. At stride one the vectors are plain arrays of double.
struct ForeignModel {
  const CompiledDensity* density = nullptr;

  template <class Target>
  void parameters(Target& target) const {
    target.vector("q", static_cast<int>(density->dimension));
  }
  template <class R, class Q, class G>
  R value_and_gradient(const Q& q, G& gradient) const {
    static_assert(sizeof(R) == sizeof(number_of<R>));
    if constexpr (std::is_same_v<number_of<R>, double>)
      return R(call(*density, &q[0].v, &gradient[0].v));
    else
      return R(0);
  }
};

struct ForeignHost {
  ForeignModel model;
  explicit ForeignHost(const CompiledDensity& density) : model{&density} {}
};

/// Those that need a density and its gradient alone.
using ForeignSamplers = SamplerList<Hmc<>, Metropolis<>, Mala<>, Ula>;

struct ForeignBound final : Model::Bound {
  CompiledDensity function;

  explicit ForeignBound(CompiledDensity d) : function(std::move(d)) {
    name = function.name;
    double_only = true;
    layout.dimension = layout.outputs = function.dimension;
    for (std::size_t i = 0; i < function.dimension; ++i) {
      if (!function.parameters.empty()) layout.quantities.push_back({function.parameters[i], {}, i, false});
      layout.unconstrained_names.push_back(function.parameters.empty() ? "q[" + std::to_string(i + 1) + "]"
                                                                       : function.parameters[i]);
    }
    if (function.parameters.empty()) layout.quantities.push_back({"q", {function.dimension}, 0, false});
    check_names(layout);
  }

  DensityEvaluator evaluator() const override {
    return point_by_point([this](const double* q, double* gradient) { return call(function, q, gradient); },
                          function.dimension);
  }
  std::vector<bool> unconstrain(const Data& given, std::vector<double>& position) const override {
    std::vector<bool> was_given(function.dimension, false);
    for (const Quantity& quantity : layout.quantities) {
      const Data::Variable* const found = given.find(quantity.name);
      if (!found) continue;
      if (found->values.size() != quantity.size())
        throw BadInput("initial value of " + quantity.name + ": " + std::to_string(quantity.size()) +
                       " numbers are needed, found " + std::to_string(found->values.size()));
      for (std::size_t i = 0; i < quantity.size(); ++i) {
        position[quantity.offset + i] = found->values[i];
        was_given[quantity.offset + i] = true;
      }
    }
    return was_given;
  }
  std::unique_ptr<Program<float>> single_program(const std::string&, bool, bool) const override {
    throw BadInput("a compiled density is in double: set precision to double");
  }
  std::unique_ptr<Program<double>> double_program(const std::string& sampler_name, bool cuda, bool) const override {
    if (cuda) throw BadInput("backend cuda: a compiled density runs on the CPU");
    using Made = std::unique_ptr<Program<double>>;
    return with_sampler<Made>(sampler_name, ForeignSamplers{}, [&]<class Sampler>(std::type_identity<Sampler>) -> Made {
      return std::make_unique<CpuProgram<ForeignModel, Sampler, Scalar<double>, ForeignHost>>(function, layout);
    });
  }
};

}  // namespace

std::shared_ptr<const Model::Bound> bind_compiled_density(CompiledDensity density) {
  if (density.dimension == 0) throw BadInput("a compiled density needs a dimension of at least 1");
  if (!density.value_and_gradient) throw BadInput("a compiled density needs its function");
  if (!density.parameters.empty() && density.parameters.size() != density.dimension)
    throw BadInput("a compiled density of dimension " + std::to_string(density.dimension) + " was given " +
                   std::to_string(density.parameters.size()) + " parameter names");
  return std::make_shared<ForeignBound>(std::move(density));
}

}  // namespace manychain
