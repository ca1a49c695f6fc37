// Splitting integrators of Hamilton's equations: kicks of the momentum and drifts of the position in turn. The choice
// of one is a part of the tuning of a group, which warm-up makes by a trial (warmup/integrator_trial.hpp).
#pragma once

#include "manychain/model/language/evaluate.hpp"
#include "manychain/samplers/leaf_masses.hpp"
#include "manychain/samplers/low_rank.hpp"
#include "manychain/samplers/parked_state.hpp"
#include "manychain/samplers/tuning.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// A palindrome of kicks B and drifts A, with `stages` drifts and as many gradients a step, since the gradient of the
/// last kick is that of the next step's first one:
///   one stage   B(1/2) A(1) B(1/2), the leapfrog (Neal 2011, eq. 2.28 to 2.30);
///   two stages  B(b) A(1/2) B(1 - 2 b) A(1/2) B(b), b = 0.1931833275037836, of least error norm (McLachlan 1995, table
///               2; Blanes, Casas and Sanz-Serna 2014, eq. 2.8).
/// On whitened momenta v, with scale s the square root of the inverse metric: a kick is v += eps s grad, a drift
/// q += eps s v, and step[i] = eps s[i].
/// `kernels_with_leaves`: on a GPU, too, masses may depend on position.
template <bool kernels_with_leaves>
struct AnySplitting {
  template <class Number>
  MANYCHAIN_HD static bool masses_depend_on_position(const TrajectoryTuning<Number>& tuning) {
    return manychain::masses_depend_on_position<kernels_with_leaves>(tuning);
  }
  template <class R, class N, class V>
  MANYCHAIN_HD static void kick(N n, number_of<R> fraction, const TrajectoryTuning<number_of<R>>& tuning, V& v,
                                const V& gradient) {
    kick_by_scales<R>(n, fraction, tuning, v, gradient);
    kick_along<R>(tuning.metric, n, fraction, tuning.step, v, gradient);
  }
  template <class R, class N, class V>
  MANYCHAIN_HD static void drift(N n, number_of<R> fraction, const TrajectoryTuning<number_of<R>>& tuning, V& q, V& v,
                                 const InverseMasses<R>& masses) {
    using Number = number_of<R>;
    const Number* const step = tuning.step;
    if (masses_depend_on_position(tuning)) return drift_with_leaves<R>(tuning.leaves, n, fraction, step, q, v, masses);
    for_each(n, [&](int i) { q[i] = fma(R(Scalar<Number>(fraction * step[i])), v[i], q[i]); });
  }
  /// `count` steps from (q, v) with its gradient; leaves the log density and the gradient of the last point. `masses`
  /// are those at q if some depend on position; they become those of the last point.
  template <class Model, class R, class N, class V>
  MANYCHAIN_HD static Compensated<R> trajectory(const Model& model, N n, std::uint32_t count,
                                                const TrajectoryTuning<number_of<R>>& tuning, V& q, V& v, V& gradient,
                                                const InverseMasses<R>& masses, const Arena<R>& arena) {
    const Parts<number_of<R>> one_stage(false), two_stages(true);
    const bool two = tuning.integrator == Integrator::two_stage;
    // The ends stand outside the loop: 1.17 times as fast on packs (normal of 10 dimensions, AVX-512).
    if constexpr (R::lanes > 1)
      return ends_apart<R>(model, n, count, two ? two_stages : one_stage, tuning, q, v, gradient, masses, arena);
    // Each integrator by itself, without products with fractions that are one: half as many instructions a leapfrog of
    // the same normal on a GPU. With more dimensions what stands in the code several times holds more registers than
    // there are.
    else if constexpr (is_unrolled<N> && N::compile_time <= 16)
      return two ? ends_apart<R>(model, n, count, two_stages, tuning, q, v, gradient, masses, arena)
                 : ends_apart<R>(model, n, count, one_stage, tuning, q, v, gradient, masses, arena);
    else
      return rolled<R>(model, n, count, two ? two_stages : one_stage, tuning, q, v, gradient, masses, arena);
  }

 private:
  template <class R, class N, class V>
  MANYCHAIN_HD static void kick_by_scales(N n, number_of<R> fraction, const TrajectoryTuning<number_of<R>>& tuning,
                                          V& v, const V& gradient) {
    using Number = number_of<R>;
    const Number* const step = tuning.step;
    for_each(n, [&](int i) { v[i] = fma(R(Scalar<Number>(fraction * step[i])), gradient[i], v[i]); });
  }

  /// kick(), during which the position is not needed: the directions of a metric may take its registers.
  template <class Model, class R, class N, class V>
  MANYCHAIN_HD static void kick_beside(N n, number_of<R> fraction, const TrajectoryTuning<number_of<R>>& tuning, V& q,
                                       V& v, const V& gradient) {
    if constexpr (!parks_third<Model, number_of<R>>()) {
      kick<R>(n, fraction, tuning, v, gradient);
    } else if (tuning.metric.rank == 0) {
      kick_by_scales<R>(n, fraction, tuning, v, gradient);
    } else {
      park_third<Model, R>(n, q);
      kick<R>(n, fraction, tuning, v, gradient);
      unpark_third<Model, R>(n, q);
    }
  }

  template <class Number>
  struct Parts {
    bool two;
    Number outer, inner, drift;  ///< of the step: kicks at the ends, between two stages, and each drift
    MANYCHAIN_HD constexpr explicit Parts(bool two_stages)
        : two(two_stages),
          outer(two_stages ? Number(0.1931833275037836) : Number(0.5)),
          inner(Number(1) - 2 * outer),
          drift(two_stages ? Number(0.5) : Number(1)) {}
    /// The kick after gradient l of a trajectory, if it is not the last: within a step, or the ends of two at once.
    MANYCHAIN_HD constexpr Number kick(std::uint32_t l) const { return two && l % 2 == 1 ? inner : 2 * outer; }
    MANYCHAIN_HD constexpr std::uint32_t gradients(std::uint32_t steps) const { return two ? 2 * steps : steps; }
  };

  template <class R, class Model, class N, class V>
  MANYCHAIN_HD static Compensated<R> ends_apart(const Model& model, N n, std::uint32_t count,
                                                const Parts<number_of<R>> parts,
                                                const TrajectoryTuning<number_of<R>>& tuning, V& q, V& v, V& gradient,
                                                const InverseMasses<R>& masses, const Arena<R>& arena) {
    const std::uint32_t gradients = parts.gradients(count);
    kick<R>(n, parts.outer, tuning, v, gradient);
    MANYCHAIN_ROLLED
    for (std::uint32_t l = 1; l < gradients; ++l) {
      drift<R>(n, parts.drift, tuning, q, v, masses);
      evaluate<Request::gradient, R>(model, n, q, gradient, arena);
      kick<R>(n, parts.kick(l), tuning, v, gradient);
    }
    drift<R>(n, parts.drift, tuning, q, v, masses);
    const Compensated<R> log_density = evaluate<Request::value_and_gradient, R>(model, n, q, gradient, arena);
    kick<R>(n, parts.outer, tuning, v, gradient);
    return log_density;
  }
  /// The trajectory with one kick and one drift in the code.
  template <class R, class Model, class N, class V>
  MANYCHAIN_HD static Compensated<R> rolled(const Model& model, N n, std::uint32_t count,
                                            const Parts<number_of<R>> parts,
                                            const TrajectoryTuning<number_of<R>>& tuning, V& q, V& v, V& gradient,
                                            const InverseMasses<R>& masses, const Arena<R>& arena) {
    const std::uint32_t gradients = parts.gradients(count);
    Compensated<R> log_density;
    MANYCHAIN_ROLLED
    for (std::uint32_t l = 0;; ++l) {
      kick_beside<Model, R>(n, l == 0 || l == gradients ? parts.outer : parts.kick(l), tuning, q, v, gradient);
      if (l == gradients) break;
      drift<R>(n, parts.drift, tuning, q, v, masses);
      park_third<Model, R>(n, v);
      if (l + 1 < gradients)
        evaluate<Request::gradient, R>(model, n, q, gradient, arena);
      else
        log_density = evaluate<Request::value_and_gradient, R>(model, n, q, gradient, arena);
      unpark_third<Model, R>(n, v);
    }
    return log_density;
  }
};
struct Splitting : AnySplitting<false> {};
struct SplittingWithLeaves : AnySplitting<true> {};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
