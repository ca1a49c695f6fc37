// A metric that depends on position, in chain code: components ("leaves") whose mass is a function of others ("hypers",
// the log scales of a hierarchy), as Kailas, Vihola and Wallin (2026, arXiv:2604.09832) have it for single chains. With
// momenta v in units of the scales and mu_l(w) the mass of leaf l,
//   H = -log p(q) + 1/2 sum_l (v_l^2 / mu_l(w) + log mu_l(w)) + 1/2 sum_i v_i^2    (i: all that are no leaves)
// is a sum of parts whose flows are exact. That of the leaves of one level moves them along v / mu and pushes their
// hypers, which it leaves where they are; that of the rest is the drift of a constant metric. A drift by h is the
// palindrome
//   leaves h/2, deepest level first;  the rest h;  leaves h/2, deepest level last
// so that a step stays explicit, reversible and keeps volume, with one gradient. A hyper may be a leaf itself, of a
// level that is less deep.
//
// A mass is a constant and an exponential of hypers, exp(a + b w). Where the scale of data is a hyper, too, it has two:
// a level between its neighbours, of scale tau, and its datum, of scale sigma, has the precision 2 / tau^2 + 1 /
// sigma^2, which is no product of powers.
//
// Leaves are found when data are bound (chain/dependent_scales.hpp) and lie in the layout. Score tests find those of a
// foreign density in warm-up (src/adaptation/score_tests.hpp, Layout::scales_unknown). The host fits the masses, in
// double (src/adaptation/fit_leaf_masses.hpp), and a trial in the last window of warm-up decides whether they stay
// (warmup/metric_with_leaves.hpp).
//
// Leaves and hypers have indices that are data, so that vectors in registers are copied to working memory for a drift.
// A chain has that memory only if the layout may have leaves. Code without leaves pays a branch for each drift, and the
// gradient of the model stands in the program once.
#pragma once

#include "manychain/core/real.hpp"
#include "manychain/model/matrices/parameter_vectors.hpp"
#include "manychain/samplers/tuning.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// 1 / mu of every component while a trajectory lasts: one where it is no leaf.
template <class R>
struct InverseMasses {
  using Number = number_of<R>;
  Strided<R> of;                  ///< [dimension]
  Strided<R> second;              ///< [dimension] share of mu that the second exponential has, of leaves that have one
  Strided<R> position, momentum;  ///< [dimension] copies of vectors that lie in registers, whose elements have no index

  MANYCHAIN_HD void take(Arena<R>& arena, int dimension) {
    of = arena.take(dimension);
    second = arena.take(dimension);
    position = arena.take(dimension);
    momentum = arena.take(dimension);
  }
};

/// True if masses of this tuning depend on position. On a GPU only `kernels_with_leaves` look: compiled into the
/// kernels of all models the flows took up to 28 registers of those that do not use them (125 to 152 of ten normals in
/// single precision, sm_90).
template <bool kernels_with_leaves, class Number>
MANYCHAIN_HD bool masses_depend_on_position([[maybe_unused]] const TrajectoryTuning<Number>& tuning) {
#if defined(__CUDA_ARCH__)
  if constexpr (!kernels_with_leaves) return false;
#endif
  return tuning.leaves.count > 0;
}

namespace detail {

/// Exponential k of hypers. The exponent is cut off far outside of what a fit has seen: what is then no gradient any
/// more still keeps volume and is undone backwards, and the energy is that of the mass that is used.
template <class R>
MANYCHAIN_HD R mass_of_hypers(const LeafArrays<number_of<R>>& leaves, int k, const Strided<R>& position) {
  using Number = number_of<R>;
  R exponent = R(Scalar<Number>(leaves.intercept[k]));
  MANYCHAIN_ROLLED
  for (int e = leaves.first[k]; e < leaves.first[k + 1]; ++e)
    exponent = fma(R(Scalar<Number>(leaves.exponent[e])), position[leaves.hyper[e]], exponent);
  return exp(min(exponent, R(60)));
}

template <class R>
MANYCHAIN_HD bool has_second(const LeafArrays<number_of<R>>& leaves, int l) {
  return leaves.first[2 * l + 1] < leaves.first[2 * l + 2];
}

/// 1 / mu of leaf l at this position, and the share of the second exponential.
template <class R>
MANYCHAIN_HD void set_leaf_mass(const LeafArrays<number_of<R>>& leaves, int l, const Strided<R>& position,
                                const InverseMasses<R>& masses) {
  using Number = number_of<R>;
  const int i = leaves.component[l];
  R mass = R(Scalar<Number>(leaves.constant[l])) + mass_of_hypers<R>(leaves, 2 * l, position);
  if (has_second<R>(leaves, l)) {
    const R second = mass_of_hypers<R>(leaves, 2 * l + 1, position);
    mass = mass + second;
    masses.second[i] = second / mass;
  }
  masses.of[i] = R(1) / mass;
}

/// Pushes hypers by the force of exponential k, whose share is in it.
template <class R>
MANYCHAIN_HD void push_hypers(const LeafArrays<number_of<R>>& leaves, int k, const number_of<R>* step, const R& force,
                              const Strided<R>& v) {
  using Number = number_of<R>;
  MANYCHAIN_ROLLED
  for (int e = leaves.first[k]; e < leaves.first[k + 1]; ++e) {
    const int i = leaves.hyper[e];
    v[i] = fma(R(Scalar<Number>(step[i] * leaves.exponent[e])), force, v[i]);
  }
}

/// The flow of leaf l for `fraction` of a step: a drift of the leaf, and what its mass does to the momenta of its
/// hypers, 1/2 d log mu / dw (v^2 / mu - 1).
template <class R>
MANYCHAIN_HD void leaf_flow(const LeafArrays<number_of<R>>& leaves, int l, number_of<R> fraction,
                            const number_of<R>* step, const Strided<R>& q, const Strided<R>& v,
                            const InverseMasses<R>& masses) {
  using Number = number_of<R>;
  const int i = leaves.component[l];
  const R along = v[i] * masses.of[i];
  q[i] = fma(R(Scalar<Number>(fraction * step[i])), along, q[i]);
  const R half = R(Scalar<Number>(Number(0.5) * fraction)), excess = v[i] * along - R(1);
  R share = R(1) - R(Scalar<Number>(leaves.constant[l])) * masses.of[i];  // of mu that the hypers make
  if (has_second<R>(leaves, l)) {
    const R second = masses.second[i];
    share = share - second;
    push_hypers<R>(leaves, 2 * l + 1, step, half * second * excess, v);
  }
  push_hypers<R>(leaves, 2 * l, step, half * share * excess, v);
}

/// A drift of all components by `fraction` of a step. Leaves come deepest level first. A function of its own on a CPU:
/// within the loop over steps it would take registers of every run.
template <class R>
MANYCHAIN_HD_CALLED void drift_in_memory(const LeafArrays<number_of<R>>& leaves, int dimension, number_of<R> fraction,
                                         const number_of<R>* step, const Strided<R>& q, const Strided<R>& v,
                                         const InverseMasses<R>& masses) {
  using Number = number_of<R>;
  const Number half = Number(0.5) * fraction;
  MANYCHAIN_ROLLED
  for (int l = 0; l < leaves.count; ++l) leaf_flow<R>(leaves, l, half, step, q, v, masses);
  MANYCHAIN_ROLLED
  for (int i = 0; i < dimension; ++i) q[i] = fma(R(Scalar<Number>(fraction * step[i] * leaves.rest[i])), v[i], q[i]);
  MANYCHAIN_ROLLED
  for (int l = leaves.count; l-- > 0;) {
    set_leaf_mass<R>(leaves, l, q, masses);  // its hypers are where this drift takes them
    leaf_flow<R>(leaves, l, half, step, q, v, masses);
  }
}

/// The masses at q; standard normal z become momenta of these masses, z sqrt(mu). Gives 1/2 sum log mu.
template <class R>
MANYCHAIN_HD_CALLED Compensated<R> begin_in_memory(const LeafArrays<number_of<R>>& leaves, int dimension,
                                                   const Strided<R>& q, const Strided<R>& z,
                                                   const InverseMasses<R>& masses) {
  Compensated<R> log_determinant;
  MANYCHAIN_ROLLED
  for (int i = 0; i < dimension; ++i) masses.of[i] = R(1);
  MANYCHAIN_ROLLED
  for (int l = 0; l < leaves.count; ++l) {
    const int i = leaves.component[l];
    set_leaf_mass<R>(leaves, l, q, masses);
    log_determinant.add(R(-0.5) * log(masses.of[i]));
    z[i] = z[i] / sqrt(masses.of[i]);
  }
  return log_determinant;
}
/// Momenta become velocities, v / mu.
template <class R>
MANYCHAIN_HD_CALLED Compensated<R> end_in_memory(const LeafArrays<number_of<R>>& leaves, int dimension,
                                                 const Strided<R>& v, const Strided<R>& inverse) {
  Compensated<R> kinetic;
  MANYCHAIN_ROLLED
  for (int i = 0; i < dimension; ++i) {
    const R velocity = v[i] * inverse[i];
    kinetic.add(R(0.5) * v[i] * velocity);
    v[i] = velocity;
  }
  MANYCHAIN_ROLLED
  for (int l = 0; l < leaves.count; ++l) kinetic.add(R(-0.5) * log(inverse[leaves.component[l]]));
  return kinetic;
}

/// f(q, v) of vectors in memory: of those in registers copies, which are read back.
template <class R, class N, class V, class F>
MANYCHAIN_HD void in_memory(N n, V& q, V& v, const InverseMasses<R>& masses, const F& f) {
  if constexpr (std::is_same_v<V, Strided<R>>) {
    f(q, v);
  } else {
    for_each(n, [&](int i) {
      masses.position[i] = q[i];
      masses.momentum[i] = v[i];
    });
    f(masses.position, masses.momentum);
    for_each(n, [&](int i) {
      q[i] = masses.position[i];
      v[i] = masses.momentum[i];
    });
  }
}

}  // namespace detail

template <class R, class N, class V>
MANYCHAIN_HD void drift_with_leaves(const LeafArrays<number_of<R>>& leaves, N n, number_of<R> fraction,
                                    const number_of<R>* step, V& q, V& v, const InverseMasses<R>& masses) {
  detail::in_memory<R>(n, q, v, masses, [&](const Strided<R>& at, const Strided<R>& momentum) {
    detail::drift_in_memory<R>(leaves, n.value(), fraction, step, at, momentum, masses);
  });
}

/// The masses at q, and momenta from standard normal z in v. Their kinetic energy, 1/2 sum log mu + 1/2 sum v^2 / mu,
/// is that of z, 1/2 sum z^2, and what this gives.
template <class R, class N, class V>
MANYCHAIN_HD Compensated<R> begin_with_leaves(const LeafArrays<number_of<R>>& leaves, N n, V& q, V& v,
                                              const InverseMasses<R>& masses) {
  Compensated<R> log_determinant;
  detail::in_memory<R>(n, q, v, masses, [&](const Strided<R>& at, const Strided<R>& momentum) {
    log_determinant = detail::begin_in_memory<R>(leaves, n.value(), at, momentum, masses);
  });
  return log_determinant;
}

/// The kinetic energy at the end of a trajectory, whose momenta become velocities, v / mu.
template <class R, class N, class V>
MANYCHAIN_HD Compensated<R> end_with_leaves(const LeafArrays<number_of<R>>& leaves, N n, V& q, V& v,
                                            const InverseMasses<R>& masses) {
  Compensated<R> kinetic;
  detail::in_memory<R>(n, q, v, masses, [&](const Strided<R>&, const Strided<R>& momentum) {
    kinetic = detail::end_in_memory<R>(leaves, n.value(), momentum, masses.of);
  });
  return kinetic;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
