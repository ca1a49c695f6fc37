// The adaptations there are.
#pragma once

#include <string>

#include "manychain/adaptation/chees.hpp"
#include "manychain/adaptation/snaper.hpp"
#include "manychain/adaptation/windowed.hpp"

namespace manychain {

template <class... A>
struct AdaptationList {};

/// The first is the default.
using AllAdaptations = AdaptationList<Windowed, Chees, Snaper>;

/// True if an adaptation can tune samplers with that record: one with a step size, and a trajectory where it is tuned.
template <class A, class Tuning>
inline constexpr bool adapts = requires(Tuning& tuning) {
  tuning.step_size;
}
&&(!A::info.trajectory || requires(Tuning & tuning) { tuning.trajectory; });

/// The adaptations that a sampler may be tuned by: a list of its own, or all.
template <class Sampler>
struct adaptations_of {
  using type = AllAdaptations;
};
template <class Sampler>
requires requires { typename Sampler::Adaptations; }
struct adaptations_of<Sampler> {
  using type = typename Sampler::Adaptations;
};

/// In the order of the list.
const std::vector<AdaptationInfo>& all_adaptations();

}  // namespace manychain
