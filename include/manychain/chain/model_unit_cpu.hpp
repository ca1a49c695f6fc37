// The code that generated CPU units of chain code instantiate.
#pragma once

#include <type_traits>

#include "manychain/chain/cpu_program.hpp"
#include "manychain/chain/density_of_model.hpp"
#include "manychain/chain/density_programs.hpp"
#include "manychain/chain/program_unit.hpp"
#include "manychain/model/language/model_class.hpp"
#include "manychain/model/language/variants.hpp"
#include "manychain/samplers/list.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

namespace detail {

/// The samplers of a model whose programs the library makes of its density, and those that are compiled with the model.
template <class M>
struct OfDensity {
  template <class Sampler>
  static constexpr bool test = Among<DensitySamplers>::test<Sampler> && !SizeOf<M>::fixed;
};
template <class M>
struct Whole {
  template <class Sampler>
  static constexpr bool test = !OfDensity<M>::template test<Sampler>;
};

template <class M, class R, class Samplers>
std::unique_ptr<Program<number_of<R>>> cpu_program(const Data& data, const Layout& layout, const std::string& sampler) {
  using Made = std::unique_ptr<Program<number_of<R>>>;
  return with_sampler<Made>(sampler, Samplers{}, [&]<class Sampler>(std::type_identity<Sampler>) -> Made {
    if constexpr (OfDensity<M>::template test<Sampler>)
      return density_program<Sampler, R>(std::make_unique<DensityOf<M, R>>(data), layout);
    else
      return std::make_unique<CpuProgram<M, Sampler, R>>(data, layout);
  });
}

/// The samplers of a model M that a unit holds: those of the names, or of ChosenSamplers if there are none; of these
/// the ones that are compiled with the model; and all that the library makes of its density.
struct ByName {
  template <class M, SamplerName... names>
  using samplers = ChosenSamplers<M, names...>;
};
struct ByNameWhole {
  template <class M, SamplerName... names>
  using samplers = typename Those<Whole<M>, ChosenSamplers<M, names...>>::type;
};
struct AllOfDensity {
  template <class M, SamplerName...>
  using samplers = typename Those<OfDensity<M>, typename AllFitting<M>::type>::type;
};

template <class Number, class Variants, class Held, bool with_scalar, SamplerName... names>
std::unique_ptr<Program<Number>> program_of_variant(const Data& data, const Layout& layout, const std::string& sampler,
                                                    [[maybe_unused]] bool scalar) {
  using Made = std::unique_ptr<Program<Number>>;
  return with_variant<Number>(data, Variants{}, [&]<class M>(std::type_identity<M>) -> Made {
    using Samplers = typename Held::template samplers<M, names...>;
    if constexpr (model_branches<M>()) {
      return cpu_program<M, Scalar<Number>, Samplers>(data, layout, sampler);
    } else {
      if (!scalar) return cpu_program<M, Pack<Number>, Samplers>(data, layout, sampler);
      if constexpr (with_scalar) return cpu_program<M, Scalar<Number>, ScalarAmong<Samplers>>(data, layout, sampler);
      return nullptr;
    }
  });
}

}  // namespace detail

/// The program of the first variant that fits the data; null if the sampler is none of `names`, or of ChosenSamplers if
/// `names` is empty. One chain per lane is for models that branch and, with `with_scalar`, for measuring the gain by
/// packs, and for a single chain of SGLD, whose minibatch would be gathered for all lanes.
template <class Number, class Variants, bool with_scalar, SamplerName... names>
std::unique_ptr<Program<Number>> make_cpu_program(const Data& data, const Layout& layout, const std::string& sampler,
                                                  bool scalar) {
  return detail::program_of_variant<Number, Variants, detail::ByName, with_scalar, names...>(data, layout, sampler,
                                                                                             scalar);
}
/// The part of make_cpu_program() that the library makes of the density: null for other samplers. It needs no names and
/// does not depend on the sampler that is wanted.
template <class Number, class Variants>
std::unique_ptr<Program<Number>> make_density_program(const Data& data, const Layout& layout,
                                                      const std::string& sampler, bool scalar) {
  return detail::program_of_variant<Number, Variants, detail::AllOfDensity, false>(data, layout, sampler, scalar);
}
/// The other part, which is compiled with the model: null for samplers of the first.
template <class Number, class Variants, SamplerName... names>
std::unique_ptr<Program<Number>> make_whole_program(const Data& data, const Layout& layout, const std::string& sampler,
                                                    bool scalar) {
  return detail::program_of_variant<Number, Variants, detail::ByNameWhole, false, names...>(data, layout, sampler,
                                                                                            scalar);
}

/// The CPU unit of the samplers `names`; if there are none, of ChosenSamplers.
template <class Single, class Double, bool with_scalar, SamplerName... names>
ProgramUnit cpu_unit() {
  return {make_cpu_program<float, Single, with_scalar, names...>,
          make_cpu_program<double, Double, with_scalar, names...>};
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
