// The functions of a model class for its host unit (chain/generated_model.hpp).
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "manychain/chain/density_of_model.hpp"
#include "manychain/chain/generated_model.hpp"
#include "manychain/chain/random_words.hpp"
#include "manychain/model/language/layout_of.hpp"
#include "manychain/model/language/model_class.hpp"
#include "manychain/model/language/variants.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain {

inline namespace MANYCHAIN_ISA {

/// Throws BadInput, instead of an illegal instruction later, on a CPU that lacks this unit's instruction set.
inline void require_instruction_set() {
#if defined(MANYCHAIN_PROCESSOR_HAS_ISA)  // whoever loads the unit has looked
  const bool present = true;
#elif defined(__AVX512F__)
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
template <class... S>
std::vector<const SamplerInfo*> infos(SamplerList<S...>) {
  return {&S::info...};
}
}  // namespace detail

/// The functions of a model class. Single and Double: its variants in each precision. `points`: points_of<Double>,
/// which another unit may hold.
template <class Single, class Double>
ModelFunctions model_functions(DataCheck check, TermsOfModel terms, PointsOfModel points = points_of<Double>) {
  using Any = AnySize<Double>;
  ModelFunctions made;
  made.check = check;
  made.terms = terms;
  made.facts = [](const Data& data) {
    return with_variant<double>(data, Double{}, [&]<class M>(std::type_identity<M>) {
      const HostModel<M> host(data);
      UnitFacts facts;
      facts.layout = layout_of(host.model);
      facts.gives = capabilities_of<M>;
      facts.data_values = host.memory.numbers_read;
      facts.scratch = facts.layout.scratch;
      facts.class_dimension = model_dimension<M>();
      if constexpr (!std::is_same_v<M, Any>) facts.scratch = layout_of(HostModel<Any>(data).model).scratch;
      return facts;
    });
  };
  made.points = points;
  made.unconstrain = [](const Data& data, const Data& given, std::vector<double>& position) {
    LayoutTarget<double> target(given);
    declare_to(HostModel<Any>(data).model, target);
    target.finish();
    for (std::size_t i = 0; i < position.size(); ++i)
      if (target.was_given()[i]) position[i] = target.start()[i];
    return target.was_given();
  };
  made.words_single = [](const Data& data, const Layout& layout, DrawsFrom source) {
    const HostModel<AnySize<Single>> host(data);
    return source == DrawsFrom::itself ? words_of_predictions(host.model, layout)
                                       : words_from_distributions(host.model, layout, source);
  };
  made.words_double = [](const Data& data, const Layout& layout, DrawsFrom source) {
    return words_from_distributions(HostModel<Any>(data).model, layout, source);
  };
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
