// Samplers that are wrong on purpose, to show that the tests of invariance would notice, and the number of chains that
// makes them notice.
#pragma once

#include "manychain/samplers/hmc.hpp"
#include "manychain/samplers/metropolis.hpp"
#include "statistical/z_test.hpp"

namespace statistical {

/// The number of chains of every test of invariance. The faintest of the wrong samplers below, HMC with a sharpened
/// ratio at an acceptance rate of 0.69, shifts the mean squared norm of a ten-dimensional normal by 0.022 standard
/// deviations of one chain's paired difference in four transitions; Metropolis' shift is 0.033, a half kick left out
/// shifts by 0.14, a missing Jacobian by 0.36.
inline constexpr std::size_t chains = 524288;
static_assert(chains > chains_needed(0.02));

/// Accepts with min(1, exp(1.05 log_ratio)): leaves the target to the power 1.05 invariant, not the target.
struct SharpenedRule {
  template <class R>
  MANYCHAIN_HD static R probability(R log_ratio) {
    return manychain::MetropolisRule::probability(R(1.05) * log_ratio);
  }
};

/// The leapfrog integrator without its last half kick.
struct LeapfrogWithoutLastHalfKick : manychain::Splitting {
  template <class Model, class R, class N, class V>
  MANYCHAIN_HD static manychain::Compensated<R> trajectory(
      const Model& model, N n, std::uint32_t count, const manychain::TrajectoryTuning<manychain::number_of<R>>& tuning,
      V& q, V& v, V& gradient, const manychain::InverseMasses<R>& masses, const manychain::Arena<R>& arena) {
    using Number = manychain::number_of<R>;
    kick<R>(n, Number(0.5), tuning, v, gradient);
    for (std::uint32_t l = 1; l < count; ++l) {
      drift<R>(n, Number(1), tuning, q, v, masses);
      manychain::evaluate<manychain::Request::gradient, R>(model, n, q, gradient, arena);
      kick<R>(n, Number(1), tuning, v, gradient);
    }
    drift<R>(n, Number(1), tuning, q, v, masses);
    return manychain::evaluate<manychain::Request::value_and_gradient, R>(model, n, q, gradient, arena);
  }
};

/// Two stages whose first kick is not the mirror image of the last one: each step begins with 2 b where it ends
/// without a kick.
struct LopsidedTwoStage : manychain::Splitting {
  template <class Model, class R, class N, class V>
  MANYCHAIN_HD static manychain::Compensated<R> trajectory(
      const Model& model, N n, std::uint32_t count, const manychain::TrajectoryTuning<manychain::number_of<R>>& tuning,
      V& q, V& v, V& gradient, const manychain::InverseMasses<R>& masses, const manychain::Arena<R>& arena) {
    using Number = manychain::number_of<R>;
    const Number b = Number(0.1931833275037836);
    manychain::Compensated<R> log_density;
    for (std::uint32_t l = 0; l < 2 * count; ++l) {
      kick<R>(n, l % 2 ? 1 - 2 * b : 2 * b, tuning, v, gradient);
      drift<R>(n, Number(0.5), tuning, q, v, masses);
      log_density = manychain::evaluate<manychain::Request::value_and_gradient, R>(model, n, q, gradient, arena);
    }
    return log_density;
  }
};

}  // namespace statistical
