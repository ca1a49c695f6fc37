// brownian_motion_unknown_scales_missing_middle_observations: a random walk, observed at some of its times.
#pragma once

#include "manychain/model.hpp"

/// locs_1 ~ N(0, innovation), locs_t ~ N(locs_{t-1}, innovation); y_i ~ N(locs_{at_i}, observation). Both scales are
/// lognormal(0, 2). Times count from 1.
template <class Number>
struct BrownianMotion {
  manychain::Size<> T, N;
  manychain::View<const int> at;
  manychain::View<const Number> y;

  void data(manychain::DataReader& in) {
    in("T", T, manychain::lower(2));
    in("N", N, manychain::lower(1));
    in("at", at, N, manychain::integer(1, T));
    in("y", y, N);
  }

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto innovation = target.real("innovation_noise_scale", manychain::lower(0));
    auto observation = target.real("observation_noise_scale", manychain::lower(0));
    auto locs = target.vector("locs", T);
    target += lognormal(innovation, 0, 2) + lognormal(observation, 0, 2);
    target += normal(locs[0], 0, innovation);
    target += normal(segment(locs, 1, T.value() - 1), segment(locs, 0, T.value() - 1), innovation);
    target.observe("y", N, [&](auto i, auto& term) { term += normal(y[i], locs[at[i] - 1], observation); });
  }
};
