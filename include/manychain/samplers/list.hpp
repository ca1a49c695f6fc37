// The samplers there are, and which of them a model is compiled for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "manychain/samplers/clock.hpp"
#include "manychain/samplers/gibbs.hpp"
#include "manychain/samplers/hmc.hpp"
#include "manychain/samplers/independent.hpp"
#include "manychain/samplers/langevin.hpp"
#include "manychain/samplers/metropolis.hpp"
#include "manychain/samplers/metropolis_hastings.hpp"
#include "manychain/samplers/sequence.hpp"
#include "manychain/samplers/single_component.hpp"
#include "manychain/samplers/tempering.hpp"

namespace manychain {

/// The name of a sampler as a template argument.
struct SamplerName {
  char text[32] = {};
  template <std::size_t n>
  constexpr SamplerName(const char (&name)[n]) {
    static_assert(n <= sizeof(text), "the name of a sampler has at most 31 characters");
    for (std::size_t i = 0; i < n; ++i) text[i] = name[i];
  }
  constexpr bool operator==(std::string_view name) const { return name == std::string_view(text); }
};

inline namespace MANYCHAIN_ISA {

template <class... Samplers>
struct SamplerList {};

/// All there are, in the order of the documentation.
using AllSamplers =
    SamplerList<Hmc<>, Mala<>, Metropolis<>, SingleComponent<>, MetropolisHastings<>, Independence, Gibbs<>,
                Gibbs<RandomScan>, ParallelGibbs, HmcThenGibbs, Tempering<>, Ula, Sgld, Direct, Importance, Rejection>;

/// The samplers that a user's model is compiled for if it names none: of those that fit it, the two that need a density
/// alone, and those that need a member which a model has for no other reason.
using DefaultSamplers =
    SamplerList<Hmc<>, Metropolis<>, Gibbs<>, MetropolisHastings<>, Independence, Direct, Importance, Rejection>;

/// Samplers that are compiled for one chain per lane, where manychain_add_model() says SCALAR.
using ScalarSamplers = SamplerList<Metropolis<>, Hmc<>, Sgld>;

/// The samplers that a model chooses from. It may bring its own, for example one that is not in the list above:
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

namespace detail {

template <class... Lists>
struct Joined;
template <class... A>
struct Joined<SamplerList<A...>> {
  using type = SamplerList<A...>;
  static constexpr bool empty = sizeof...(A) == 0;
};
template <class... A, class... B, class... Rest>
struct Joined<SamplerList<A...>, SamplerList<B...>, Rest...> : Joined<SamplerList<A..., B...>, Rest...> {};

/// Samplers of a list for which Wanted::test holds.
template <class Wanted, class List>
struct Those;
template <class Wanted, class... Samplers>
struct Those<Wanted, SamplerList<Samplers...>>
    : Joined<SamplerList<>,
             std::conditional_t<Wanted::template test<Samplers>, SamplerList<Samplers>, SamplerList<>>...> {};

template <class Model>
struct Fitting {
  template <class Sampler>
  static constexpr bool test = fits<Sampler, Model>;
};
template <SamplerName... names>
struct Named {
  template <class Sampler>
  static constexpr bool test = ((names == Sampler::info.name) || ...);
};
template <class... Samplers>
struct Among {
  template <class Sampler>
  static constexpr bool test = (std::is_same_v<Sampler, Samplers> || ...);
};
template <class... Samplers>
struct Among<SamplerList<Samplers...>> : Among<Samplers...> {};

template <class Sampler>
struct WithLeaves {
  using type = SamplerList<>;
};
template <>
struct WithLeaves<Hmc<>> {
  using type = SamplerList<HmcWithLeaves>;
};
template <>
struct WithLeaves<HmcThenGibbs> {
  using type = SamplerList<HmcThenGibbsWithLeaves>;
};
template <class List>
struct AllWithLeaves;
template <class... Samplers>
struct AllWithLeaves<SamplerList<Samplers...>> : Joined<SamplerList<>, typename WithLeaves<Samplers>::type...> {};

template <class Model>
using AllFitting = Those<Fitting<Model>, typename samplers_of<Model>::type>;

template <class Model, SamplerName... names>
struct Chosen : Those<Named<names...>, typename AllFitting<Model>::type> {};
template <class Model>
struct Chosen<Model> {
  using Usual = Those<Fitting<Model>, DefaultSamplers>;
  static constexpr bool own = requires { typename Model::samplers; };
  using type = typename std::conditional_t<own || Usual::empty, AllFitting<Model>, Usual>::type;
};

}  // namespace detail

/// The samplers of these names, of those that fit the model; of no name, the class's own or DefaultSamplers, and of a
/// model that none of these fits all that do. A unit holds these and no others: for any other one a run says what to
/// add to manychain_add_model().
template <class Model, SamplerName... names>
using ChosenSamplers = typename detail::Chosen<Model, names...>::type;

/// There is a sampler of that name, and the model gives what it needs.
template <class Model, SamplerName name>
inline constexpr bool has_sampler = !detail::Chosen<Model, name>::empty;

/// The samplers of a list in the form of which kernels have code for masses that depend on position; those without such
/// masses are left out.
template <class List>
using WithLeavesAmong = typename detail::AllWithLeaves<List>::type;
/// True of such a form.
template <class Sampler>
inline constexpr bool kernels_with_leaves =
    std::is_same_v<Sampler, HmcWithLeaves> || std::is_same_v<Sampler, HmcThenGibbsWithLeaves>;

/// Samplers of a list that are compiled for one chain per lane.
template <class List>
using ScalarAmong = typename detail::Those<detail::Among<ScalarSamplers>, List>::type;

/// f(sampler) for the one of that name; else what F gives for nothing. All in the list fit the model.
template <class Result, class F, class... Samplers>
Result with_sampler([[maybe_unused]] const std::string& name, SamplerList<Samplers...>, [[maybe_unused]] F&& f) {
  Result result{};
  [[maybe_unused]] const auto consider = [&]<class Sampler>(std::type_identity<Sampler>) {
    if (name == Sampler::info.name) result = f(std::type_identity<Sampler>{});
  };
  (consider(std::type_identity<Samplers>{}), ...);
  return result;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
