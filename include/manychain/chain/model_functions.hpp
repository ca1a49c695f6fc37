// The functions of a model class for its host unit (chain/generated_model.hpp).
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "manychain/chain/generated_model.hpp"
#include "manychain/chain/random_words.hpp"
#include "manychain/core/pack.hpp"
#include "manychain/model/language/layout_of.hpp"
#include "manychain/model/language/model_class.hpp"
#include "manychain/model/language/variants.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain {

namespace checks {
[[noreturn]] void throw_unread_parameters();  // BadInput
}  // namespace checks

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

/// The number type of evaluators: a point or a draw a lane.
template <class M>
using EvaluatedReal = std::conditional_t<model_branches<M>(), Scalar<double>, Pack<double>>;

/// See PointEvaluator. One point per lane.
template <class M>
class ModelPoints final : public PointEvaluator {
  using R = EvaluatedReal<M>;
  static constexpr std::size_t lanes = static_cast<std::size_t>(R::lanes);

 public:
  ModelPoints(const Data& data, const Layout& layout)
      : host_(data), n_(layout.dimension), memory_(2 * n_ + layout.scratch + 1) {}
  void evaluate(const double* points, std::size_t count, double* log_densities, double* gradients) override {
    for (std::size_t k = 0; k < count; k += lanes)
      at_once(points + k * n_, std::min(lanes, count - k), log_densities + k, gradients ? gradients + k * n_ : nullptr);
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
        lp = manychain::evaluate<Request::value_and_gradient, R>(host_.model, n, position, slope, arena);
      else
        lp = manychain::evaluate<Request::value, R>(host_.model, n, position, slope, arena);
    } else {
      lp = manychain::evaluate<Request::value, R>(host_.model, n, position, slope, arena);
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

/// See RowEvaluator. One draw per lane.
template <class M>
class ModelRows final : public RowEvaluator {
  using R = EvaluatedReal<M>;
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
  ModelRows(const Data& data, const Layout& layout)
      : host_(data), n_(layout.parameter_outputs()), memory_(n_ + layout.scratch + 1) {}
  void evaluate(const double* parameters, std::size_t stride, std::size_t count, double* rows,
                std::size_t row_stride) override {
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
      if (static_cast<std::size_t>(target.taken()) != n_) checks::throw_unread_parameters();
    }
  }

 private:
  HostModel<M> host_;
  std::size_t n_;
  std::vector<R> memory_;
};

template <class M>
std::uint64_t words_of(const Data& data, const Layout& layout, DrawsFrom source) {
  return words_from_distributions(HostModel<M>(data).model, layout, source);
}

template <class... S>
std::vector<const SamplerInfo*> infos(SamplerList<S...>) {
  return {&S::info...};
}
}  // namespace detail

/// The functions of a model class. Single and Double: its variants in each precision.
template <class Single, class Double>
ModelFunctions model_functions(DataCheck check, TermsOfModel terms) {
  using Any = typename detail::AnySize<Double>::type;
  ModelFunctions made;
  made.check = check;
  made.terms = terms;
  made.facts = [](const Data& data) {
    return with_variant<double>(data, Double{}, [&]<class M>(std::type_identity<M>) {
      const HostModel<M> host(data);
      ModelFacts facts{layout_of(host.model), capabilities_of<M>, host.memory.numbers_read, 0, model_dimension<M>()};
      facts.scratch = facts.layout.scratch;
      if constexpr (!std::is_same_v<M, Any>) facts.scratch = layout_of(HostModel<Any>(data).model).scratch;
      return facts;
    });
  };
  made.points = [](const Data& data, const Layout& layout) -> std::unique_ptr<PointEvaluator> {
    return std::make_unique<detail::ModelPoints<Any>>(data, layout);
  };
  made.rows = nullptr;
  if constexpr (gives_log_density<Any>)
    made.rows = [](const Data& data, const Layout& layout) -> std::unique_ptr<RowEvaluator> {
      return std::make_unique<detail::ModelRows<Any>>(data, layout);
    };
  made.unconstrain = [](const Data& data, const Data& given, std::vector<double>& position) {
    LayoutTarget<double> target(given);
    declare_to(HostModel<Any>(data).model, target);
    target.finish();
    for (std::size_t i = 0; i < position.size(); ++i)
      if (target.was_given()[i]) position[i] = target.start()[i].v;
    return target.was_given();
  };
  made.words_single = detail::words_of<typename detail::AnySize<Single>::type>;
  made.words_double = detail::words_of<Any>;
  made.require_instruction_set = require_instruction_set;
  made.samplers = detail::infos(typename samplers_of<Any>::type{});
  return made;
}

}  // namespace MANYCHAIN_ISA

template <template <class, int...> class ModelClass>
const ModelUnit& model_unit() {
  return GeneratedUnit<ModelClass>::unit();
}

}  // namespace manychain
