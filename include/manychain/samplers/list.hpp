// The samplers there are, and which of them a model is compiled for.
#pragma once

#include <string>

#include "manychain/samplers/gibbs.hpp"
#include "manychain/samplers/hmc.hpp"
#include "manychain/samplers/independent.hpp"
#include "manychain/samplers/langevin.hpp"
#include "manychain/samplers/metropolis.hpp"
#include "manychain/samplers/metropolis_hastings.hpp"
#include "manychain/samplers/sequence.hpp"
#include "manychain/samplers/single_component.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

template <class... Samplers>
struct SamplerList {};

/// What a model gets that names none: all that fit it. In the order of the documentation.
using AllSamplers =
    SamplerList<Hmc<>, Mala<>, Metropolis<>, SingleComponent<>, MetropolisHastings<>, Independence, Gibbs<>,
                Gibbs<RandomScan>, ParallelGibbs, HmcThenGibbs, Ula, Sgld, Direct, Importance, Rejection>;

/// Those that are compiled for one chain a lane, too.
using ScalarSamplers = SamplerList<Metropolis<>, Hmc<>, Sgld>;

/// A model may name its own, for example one that is not in the list above, or fewer, to compile faster:
///   using samplers = SamplerList<Hmc<>, Mixture<...>>;
template <class Model>
struct samplers_of {
  using type = AllSamplers;
};
template <class Model>
requires requires { typename Model::samplers; }
struct samplers_of<Model> {
  using type = typename Model::samplers;
};

/// f(sampler) for the one of that name that fits the model; else what F gives for nothing.
template <class Model, class Result, class F, class... Samplers>
Result with_sampler(const std::string& name, SamplerList<Samplers...>, F&& f) {
  Result result{};
  const auto consider = [&]<class Sampler>(std::type_identity<Sampler>) {
    if constexpr (fits<Sampler, Model>)
      if (name == Sampler::info.name) result = f(std::type_identity<Sampler>{});
  };
  (consider(std::type_identity<Samplers>{}), ...);
  return result;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
