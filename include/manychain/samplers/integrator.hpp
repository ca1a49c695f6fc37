// Splitting integrators of Hamilton's equations: kicks of the momentum and drifts of the position in turn.
#pragma once

#include "manychain/model/evaluate.hpp"
#include "manychain/samplers/low_rank.hpp"
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
struct Splitting {
  template <class R, class N, class V>
  MANYCHAIN_HD static void kick(N n, number_of<R> fraction, const TrajectoryTuning<number_of<R>>& tuning, V& v,
                                const V& gradient) {
    using Number = number_of<R>;
    const Number* const step = tuning.step;
    for_each(n, [&](int i) { v[i] = fma(R(Scalar<Number>(fraction * step[i])), gradient[i], v[i]); });
    kick_along<R>(tuning.metric, n, fraction, step, v, gradient);
  }
  template <class R, class N, class V>
  MANYCHAIN_HD static void drift(N n, number_of<R> fraction, const TrajectoryTuning<number_of<R>>& tuning, V& q,
                                 const V& v) {
    using Number = number_of<R>;
    const Number* const step = tuning.step;
    for_each(n, [&](int i) { q[i] = fma(R(Scalar<Number>(fraction * step[i])), v[i], q[i]); });
  }
  /// `count` steps from (q, v) with its gradient; leaves the log density and the gradient of the last point.
  template <class Model, class R, class N, class V>
  MANYCHAIN_HD static Compensated<R> trajectory(const Model& model, N n, std::uint32_t count,
                                                const TrajectoryTuning<number_of<R>>& tuning, V& q, V& v, V& gradient,
                                                const Arena<R>& arena) {
    using Number = number_of<R>;
    const bool two = tuning.integrator == Integrator::two_stage;
    const Number outer = two ? Number(0.1931833275037836) : Number(0.5);
    const Number inner = Number(1) - 2 * outer;  // of two stages
    const Number part = two ? Number(0.5) : Number(1);
    const std::uint32_t gradients = two ? 2 * count : count;
    const auto between = [&](std::uint32_t l) { return two && l % 2 == 1 ? inner : 2 * outer; };  // 2: two half kicks
    Compensated<R> log_density;
    if constexpr (R::lanes > 1) {
      // The ends stand outside the loop: 1.17 times as fast on a normal of 10 dimensions (AVX-512).
      kick<R>(n, outer, tuning, v, gradient);
      MANYCHAIN_ROLLED
      for (std::uint32_t l = 1; l < gradients; ++l) {
        drift<R>(n, part, tuning, q, v);
        evaluate<Request::gradient, R>(model, n, q, gradient, arena);
        kick<R>(n, between(l), tuning, v, gradient);
      }
      drift<R>(n, part, tuning, q, v);
      log_density = evaluate<Request::value_and_gradient, R>(model, n, q, gradient, arena);
      kick<R>(n, outer, tuning, v, gradient);
    } else {
      // One kick and one drift in the code: on a GPU, where they stand twice, so do their registers.
      MANYCHAIN_ROLLED
      for (std::uint32_t l = 0;; ++l) {
        kick<R>(n, l == 0 || l == gradients ? outer : between(l), tuning, v, gradient);
        if (l == gradients) break;
        drift<R>(n, part, tuning, q, v);
        if (l + 1 < gradients)
          evaluate<Request::gradient, R>(model, n, q, gradient, arena);
        else
          log_density = evaluate<Request::value_and_gradient, R>(model, n, q, gradient, arena);
      }
    }
    return log_density;
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
