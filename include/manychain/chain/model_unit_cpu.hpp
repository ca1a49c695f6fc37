// The code that the generated CPU unit of a model instantiates.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "manychain/chain/cpu_program.hpp"
#include "manychain/chain/program_unit.hpp"
#include "manychain/chain/random_words.hpp"
#include "manychain/core/pack.hpp"
#include "manychain/model/language/layout_of.hpp"
#include "manychain/model/language/model_class.hpp"
#include "manychain/model/language/variants.hpp"
#include "manychain/random/philox_pack.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Throws BadInput, instead of an illegal instruction later, on a CPU that lacks this unit's instruction set.
inline void require_instruction_set() {
#if defined(__AVX512F__)
  const bool present = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#elif defined(__AVX2__)
  const bool present = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  const bool present = true;
#endif
  if (!present)
    throw BadInput("this build is for " MANYCHAIN_ISA_NAME
                   ", which this CPU does not have: configure with -DMANYCHAIN_ISA=avx2 or sse2");
}

namespace detail {
/// The last variant of a list, which fits any data.
template <class Variants>
struct AnySize;
template <class Last>
struct AnySize<VariantList<Last>> {
  using type = Last;
};
template <class First, class Second, class... Rest>
struct AnySize<VariantList<First, Second, Rest...>> : AnySize<VariantList<Second, Rest...>> {};

template <class M, class R, class Samplers>
std::unique_ptr<Program<number_of<R>>> cpu_program(const Data& data, const Layout& layout, const std::string& sampler) {
  using Made = std::unique_ptr<Program<number_of<R>>>;
  return with_sampler<Made>(sampler, Samplers{}, [&]<class Sampler>(std::type_identity<Sampler>) -> Made {
    return std::make_unique<CpuProgram<M, Sampler, R>>(data, layout);
  });
}
}  // namespace detail

/// The program of the first variant that fits the data; null if the sampler is none of `names`, or of ChosenSamplers if
/// `names` is empty. One chain per lane is for models that branch and, with `with_scalar`, for measuring the gain by
/// packs, and for a single chain of SGLD, whose minibatch would be gathered for all lanes.
template <class Number, class Variants, bool with_scalar, SamplerName... names>
std::unique_ptr<Program<Number>> make_cpu_program(const Data& data, const Layout& layout, const std::string& sampler,
                                                  [[maybe_unused]] bool scalar) {
  using Made = std::unique_ptr<Program<Number>>;
  return with_variant<Number>(data, Variants{}, [&]<class M>(std::type_identity<M>) -> Made {
    using Samplers = ChosenSamplers<M, names...>;
    if constexpr (model_branches<M>()) {
      return detail::cpu_program<M, Scalar<Number>, Samplers>(data, layout, sampler);
    } else {
      if (!scalar) return detail::cpu_program<M, Pack<Number>, Samplers>(data, layout, sampler);
      if constexpr (with_scalar)
        return detail::cpu_program<M, Scalar<Number>, ScalarAmong<Samplers>>(data, layout, sampler);
      return nullptr;
    }
  });
}

/// The CPU unit of the samplers `names`; if there are none, of ChosenSamplers.
template <class Single, class Double, bool with_scalar, SamplerName... names>
ProgramUnit cpu_unit() {
  return {make_cpu_program<float, Single, with_scalar, names...>,
          make_cpu_program<double, Double, with_scalar, names...>};
}

/// A function of the generated unit that checks: throws BadInput if the model and the data do not fit, and gives the
/// scales that depend on parameters. Null only if manychain_add_model() has not written the model's units.
using DataCheck = std::vector<DependentScale> (*)(const Data&);
/// Another function of that unit: gives the model term by term; null if its log density is not written so.
using TermsOfModel = std::unique_ptr<ModelTerms> (*)(const Data&, const Layout&);

/// A generated model with its data. Single and Double: the variants in each precision.
template <class Single, class Double>
struct GeneratedBound : ModelBinding {
  Data data;
  ProgramUnits units;

  GeneratedBound(const char* model_name, const Data& d, const ProgramUnits& compiled, DataCheck check,
                 TermsOfModel terms_of = nullptr)
      : data(d), units(compiled), check_(check), terms_of_(terms_of) {
    name = model_name;
    std::erase_if(units.cuda, [](const ProgramUnit& u) { return !u.float32 && !u.float64; });  // MANYCHAIN_CUDA_MODELS
    runs_on_cuda = !units.cuda.empty();
    const auto none_has = [this](auto precision) {
      return std::none_of(units.cpu.begin(), units.cpu.end(), [=](const ProgramUnit& u) { return u.*precision; });
    };
    double_only = none_has(&ProgramUnit::float32) && !none_has(&ProgramUnit::float64);
    single_only = none_has(&ProgramUnit::float64) && !none_has(&ProgramUnit::float32);
    std::vector<DependentScale> dependent_scales;
    if (check) dependent_scales = check(data);
    scratch_ = layout_of(HostModel<typename detail::AnySize<Double>::type>(data).model).scratch;
    with_variant<double>(data, Double{}, [&]<class M>(std::type_identity<M>) {
      const HostModel<M> host(data);
      data_values = host.memory.numbers_read;
      layout = layout_of(host.model);
      layout.dependent_scales = dependent_scales;
      gives = capabilities_of<M>;
      if (model_dimension<M>() != dynamic && layout.dimension != static_cast<std::size_t>(model_dimension<M>()))
        throw BadInput("model " + name + " says dimension = " + std::to_string(model_dimension<M>()) +
                       ", but its parameters have " + std::to_string(layout.dimension) + " components");
    });
    for (const ProgramUnit& unit : units.cuda)
      if (unit.deals_terms && unit.deals_terms(data)) cuda_threads_per_chain = layout.threads_per_chain();
  }

  const SamplerInfo* sampler(const std::string& sampler_name) const override {
    const SamplerInfo* found = find_sampler(sampler_name);
    with_variant<double>(data, Double{}, [&]<class M>(std::type_identity<M>) {
      const auto consider = [&]<class Own>(std::type_identity<Own>) {
        if (!found && sampler_name == Own::info.name) found = &Own::info;
      };
      [&]<class... S>(SamplerList<S...>) { (consider(std::type_identity<S>{}), ...); }(typename samplers_of<M>::type{});
    });
    return found;
  }

  DensityEvaluator evaluator() const override {
    return [made = std::make_shared<Evaluator>(*this)](const double* points, std::size_t count, double* log_densities,
                                                       double* gradients) {
      (*made)(points, count, log_densities, gradients);
    };
  }

  PointwiseEvaluator pointwise() const override {
    if constexpr (gives_log_density<typename detail::AnySize<Double>::type>) {
      if (layout.observed.empty()) return {};
      return [made = std::make_shared<RowEvaluator>(*this)](const double* parameters, std::size_t stride,
                                                            std::size_t count, double* rows, std::size_t row_stride) {
        (*made)(parameters, stride, count, rows, row_stride);
      };
    }
    return {};
  }
  const Data* bound_data() const override { return &data; }

  std::vector<bool> unconstrain(const Data& given, std::vector<double>& position) const override {
    LayoutTarget<double> target(given);
    declare_to(HostModel<typename detail::AnySize<Double>::type>(data).model, target);
    target.finish();
    for (std::size_t i = 0; i < position.size(); ++i)
      if (target.was_given()[i]) position[i] = target.start()[i].v;
    return target.was_given();
  }

  std::shared_ptr<const ModelBinding> bound_to(const Data& other) const override {
    return std::make_shared<GeneratedBound>(name.c_str(), other, units, check_, terms_of_);
  }
  std::unique_ptr<ModelTerms> terms() const override {
    Layout any_size = layout;
    any_size.scratch = scratch_;
    return terms_of_ ? terms_of_(data, any_size) : nullptr;
  }

  std::unique_ptr<Program<float>> single_program(const std::string& sampler, ProgramChoice choice) const override {
    return program<float, Single>(&ProgramUnit::float32, sampler, choice);
  }
  std::unique_ptr<Program<double>> double_program(const std::string& sampler, ProgramChoice choice) const override {
    return program<double, Double>(&ProgramUnit::float64, sampler, choice);
  }

 private:
  DataCheck check_;
  TermsOfModel terms_of_;
  std::size_t scratch_ = 0;  ///< of the variant of any size, which may need more than the one that runs

  /// Evaluates the model in double, with its data and working memory. One point per lane.
  class Evaluator {
    using M = typename detail::AnySize<Double>::type;
    using R = std::conditional_t<model_branches<M>(), Scalar<double>, Pack<double>>;
    static constexpr std::size_t lanes = static_cast<std::size_t>(R::lanes);

   public:
    explicit Evaluator(const GeneratedBound& bound)
        : host_(bound.data), n_(bound.layout.dimension), memory_(2 * n_ + bound.scratch_ + 1) {}
    void operator()(const double* points, std::size_t count, double* log_densities, double* gradients) {
      for (std::size_t k = 0; k < count; k += lanes)
        at_once(points + k * n_, std::min(lanes, count - k), log_densities + k,
                gradients ? gradients + k * n_ : nullptr);
    }

   private:
    /// At most as many points as there are lanes; lanes left over repeat the first.
    void at_once(const double* points, std::size_t count, double* log_densities, double* gradients) {
      Strided<R> position{memory_.data(), 1}, slope{memory_.data() + n_, 1};
      const Arena<R> arena{Strided<R>{memory_.data() + 2 * n_, 1}, 0};
      const Size<dynamic> n(static_cast<int>(n_));
      alignas(alignof(R)) double lane[lanes];
      for (std::size_t i = 0; i < n_; ++i) {
        for (std::size_t l = 0; l < lanes; ++l) lane[l] = points[(l < count ? l : 0) * n_ + i];
        load(position.p[i], lane);
      }
      Compensated<R> lp;
      if constexpr (model_has_gradient<M>()) {
        if (gradients)
          lp = evaluate<Request::value_and_gradient, R>(host_.model, n, position, slope, arena);
        else
          lp = evaluate<Request::value, R>(host_.model, n, position, slope, arena);
      } else {
        lp = evaluate<Request::value, R>(host_.model, n, position, slope, arena);
      }
      store(lp.value(), lane);
      std::copy_n(lane, count, log_densities);
      for (std::size_t i = 0; gradients && i < n_; ++i) {
        store(slope.p[i], lane);
        for (std::size_t l = 0; l < count; ++l) gradients[l * n_ + i] = lane[l];
      }
    }

    HostModel<M> host_;
    std::size_t n_;
    std::vector<R> memory_;
  };

  /// Likewise for rows of observe(): one draw per lane.
  class RowEvaluator {
    using M = typename detail::AnySize<Double>::type;
    using R = std::conditional_t<model_branches<M>(), Scalar<double>, Pack<double>>;
    static constexpr std::size_t lanes = static_cast<std::size_t>(R::lanes);

    struct Sink {
      double* rows;
      std::size_t stride, count;
      void operator()(int row, R x) const {
        alignas(alignof(R)) double lane[lanes];
        store(x, lane);
        std::copy_n(lane, count, rows + static_cast<std::size_t>(row) * stride);
      }
    };

   public:
    explicit RowEvaluator(const GeneratedBound& bound)
        : host_(bound.data), n_(bound.layout.parameter_outputs()), memory_(n_ + bound.scratch_ + 1) {}
    void operator()(const double* parameters, std::size_t stride, std::size_t count, double* rows,
                    std::size_t row_stride) {
      const Strided<R> outputs{memory_.data(), 1};
      alignas(alignof(R)) double lane[lanes];
      for (std::size_t k = 0; k < count; k += lanes) {
        const std::size_t here = std::min(lanes, count - k);  // lanes left over repeat the first
        for (std::size_t i = 0; i < n_; ++i) {
          for (std::size_t l = 0; l < lanes; ++l) lane[l] = parameters[i * stride + k + (l < here ? l : 0)];
          load(outputs.p[i], lane);
        }
        Strided<R> unused = outputs;
        Target<R, const Strided<R>, Strided<R>, Request::pointwise, Sink> target(
            outputs, unused, Arena<R>{Strided<R>{memory_.data() + n_, 1}, 0}, 0, Sink{rows + k, row_stride, here});
        host_.model.log_density(target);
        if (static_cast<std::size_t>(target.taken()) != n_)
          throw BadInput("this model's parameters cannot be read from its draws, as its log likelihoods need");
      }
    }

   private:
    HostModel<M> host_;
    std::size_t n_;
    std::vector<R> memory_;
  };

  template <class Number, class Variants>
  std::unique_ptr<Program<Number>> program(ProgramFactory<Number> ProgramUnit::*factory, const std::string& sampler,
                                           ProgramChoice choice) const {
    const bool cuda = choice.cuda;
    if (cuda && units.cuda.empty()) throw BadInput("backend cuda: model " + name + " was built without CUDA");
    if (!cuda) require_instruction_set();
    const auto made_by = [&](const ProgramUnit& unit) -> std::unique_ptr<Program<Number>> {
      if (!(unit.*factory)) return nullptr;  // compiled in the other precision alone
      return (unit.*factory)(data, layout, sampler, choice.scalar);
    };
    std::unique_ptr<Program<Number>> made;
    for (const bool with_leaves : {true, false})
      for (const ProgramUnit& unit : cuda ? units.cuda : units.cpu)
        if (!made && unit.leaves == with_leaves && (choice.leaves || !with_leaves)) made = made_by(unit);
    if (made) {
      check_words<Number, Variants>(sampler);
      return made;
    }
    throw BadInput("model " + name + " was not compiled for " +
                   (choice.scalar
                        ? "one chain per lane with sampler " + sampler + ": say SCALAR in its manychain_add_model()"
                        : "sampler " + sampler + ": say SAMPLERS " + sampler +
                              " in its manychain_add_model(), or --sampler " + sampler + " to manychain build"));
  }
  template <class Number, class Variants>
  void check_words(const std::string& sampler_name) const {
    const SamplerInfo* const info = this->sampler(sampler_name);
    const DrawsFrom source = info ? info->draws_from : DrawsFrom::itself;
    const bool derives = !layout.quantities.empty() && layout.quantities.back().derived;
    if (!derives && source == DrawsFrom::itself) return;
    using M = typename detail::AnySize<Variants>::type;
    Layout any_size = layout;
    any_size.scratch = scratch_;
    require_words(HostModel<M>(data).model, any_size, sampler_name, source, name);
  }
};

}  // namespace MANYCHAIN_ISA

template <template <class, int...> class ModelClass>
const ModelUnit& model_unit() {
  return GeneratedUnit<ModelClass>::unit();
}

}  // namespace manychain
