// Non-reversible parallel tempering (Syed, Bouchard-Cote, Deligiannidis and Doucet 2022, JRSS B 84, 321).
//
// A chain is a ladder: a replica of its state at each of a few temperatures. At the inverse temperature b the density
// is q^(1 - b) p^b, p that of the model, q a mixture of normals, the reference. A transition moves each replica, by a
// draw at the reference and by HMC elsewhere, and then swaps neighbours: even pairs in even transitions, odd ones in
// the others, so that replicas travel up and down without turning at random. The draws of a chain are those of its
// replica at b = 1.
//
// Chains know nothing of each other. Temperatures, reference and step sizes are in the rows of the ladder, which the
// host sets from what all chains count (warmup/ladder_tuner.hpp).
#pragma once

#include "manychain/samplers/ladder.hpp"
#include "manychain/samplers/sampler.hpp"
#include "manychain/samplers/trajectory.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The swap of a replica below with one above, their inverse temperatures `apart`. Log ratios are log p - log q.
struct SwapRule {
  template <class R>
  MANYCHAIN_HD static R log_probability(number_of<R> apart, const Compensated<R>& below, const Compensated<R>& above) {
    return R(apart) * below.minus(above);
  }
};

template <class Swap = SwapRule>
struct Tempering {
  static constexpr SamplerInfo info{.name = "tempering",
                                    .description = "parallel tempering of Hamiltonian Monte Carlo",
                                    .needs = {&Capabilities::density, &Capabilities::gradient},
                                    .continuous = true,
                                    .ladder = true};
  using Fields = manychain::Fields<Position, LogDensity, Gradient, Ladder>;
  template <class Number>
  using Tuning = TrajectoryTuning<Number>;
  static constexpr int work_vectors = 3;  // trial position, its gradient, momentum
  static constexpr int depth = 5;         // of parts of the stream: one for each temperature

  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> transition(const Model& model, Chain<R, N, F...>& chain,
                                                   const Tuning<number_of<R>>& tuning, const Stream<R>& stream,
                                                   std::uint64_t transition) {
    using Number = number_of<R>;
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto q = take_vector(arena, n);
    auto gradient = take_vector(arena, n);
    auto v = take_vector(arena, n);
    const RowsInMemory<R> rows = chain.ladder;
    const LadderRows at{n.value()};
    const int levels = static_cast<int>(rows.shared(at.levels()));
    Variates<R> variates(stream);
    TransitionInfo<R> made;
    made.accepted = made.divergent = R(0) != R(0);
    made.acceptance_probability = made.evaluations = R(0);
    Number beta_below = Number(0);
    Compensated<R> below;  // log ratio of the replica below, before it is swapped

    MANYCHAIN_ROLLED
    for (int k = 0; k < levels; ++k) {
      const bool top = k == levels - 1;
      const Number beta = rows.shared(at.beta(k)), rest = Number(1) - beta;
      const Path<R> path{rows, at, k, beta, rest};
      const auto old = [&](int i) { return top ? R(chain.position[i]) : rows.get(at.position(k) + i); };
      const auto old_gradient = [&](int i) { return top ? R(chain.gradient[i]) : rows.get(at.gradient(k) + i); };
      Compensated<R> old_density;
      if (top)
        old_density = chain.log_density;
      else
        old_density = {rows.get(at.log_density(k)), rows.get(at.log_density(k) + 1)};

      const R u = normals_and_uniform(stream_of(stream, k), n, [&](int i, R z) { v[i] = z; });
      Compensated<R> kinetic_change, old_reference;
      std::uint32_t count = 1;
      R shares[LadderRows::most_parts];
      if (k == 0) {
        path.draw(n, u, v, q);
      } else {
        count = leapfrogs(tuning.trajectory, rows.shared(at.step(k)), transition + static_cast<std::uint64_t>(k),
                          tuning.leapfrog_limit);
        for_each(n, [&](int i) {
          q[i] = old(i);
          gradient[i] = old_gradient(i);
          kinetic_change.add(R(0.5) * v[i] * v[i]);
        });
        old_reference = path.reference(n, q, shares);
        path.kick(n, Number(0.5), v, q, gradient, shares);
        MANYCHAIN_ROLLED
        for (std::uint32_t l = 1; l < count; ++l) {
          path.drift(n, q, v);
          evaluate<Request::gradient, R>(model, n, q, gradient, arena);
          if (rest > Number(0)) path.reference(n, q, shares);
          path.kick(n, Number(1), v, q, gradient, shares);
        }
        path.drift(n, q, v);
      }
      Compensated<R> density = evaluate<Request::value_and_gradient, R>(model, n, q, gradient, arena);
      Compensated<R> reference = path.reference(n, q, shares);
      made.evaluations += R(Number(count));

      if (k > 0) {
        path.kick(n, Number(0.5), v, q, gradient, shares);
        for_each(n, [&](int i) { kinetic_change.add(R(-0.5) * v[i] * v[i]); });
        R log_ratio = R(beta) * density.minus(old_density) + kinetic_change.value();
        if (rest > Number(0)) log_ratio += R(rest) * reference.minus(old_reference);
        const auto finite = isfinite(log_ratio) && isfinite(density.sum);
        const R probability = select(finite, MetropolisRule::probability(log_ratio), R(0));
        const auto accepted = u <= probability;
        for_each(n, [&](int i) {
          q[i] = select(accepted, R(q[i]), old(i));
          gradient[i] = select(accepted, R(gradient[i]), old_gradient(i));
        });
        accept_where<R>(!accepted, density, old_density);
        accept_where<R>(!accepted, reference, old_reference);
        rows.add(at.accepted(k), probability);
        if (top) {
          made.accepted = accepted;
          made.acceptance_probability = probability;
          made.divergent = !finite || log_ratio < R(-1000);
        }
      }

      Compensated<R> ratio = log_ratio_of<R>(density, reference, rows.shared(at.log_constant()));
      R label = rows.get(at.label(top ? LadderRows::most - 1 : k));
      if (k > 0) {
        const int pair = k - 1;
        const Number apart = beta - beta_below;
        const R log_swap = Swap::template log_probability<R>(apart, below, ratio);
        const R probability = MetropolisRule::probability(log_swap);
        rows.add(at.rejected(pair), R(1) - probability);
        const Compensated<R> centre{R(rows.shared(at.centre(pair))), R(0)};
        const R up = min(R(apart) * below.minus(centre), R(largest_log));
        const R down = min(R(-apart) * ratio.minus(centre), R(largest_log));
        rows.add(at.up(pair), exp(up));
        rows.add(at.down(pair), exp(down));
        rows.add(at.bridge_up(pair), inv_logit(up));
        rows.add(at.bridge_down(pair), inv_logit(down));
        if ((static_cast<std::uint64_t>(pair) ^ transition) % 2 == 0) {
          const auto swaps = variates.uniform() <= probability;
          const auto exchange = [&](int row, auto&& x) {
            const R lower = rows.get(row), upper = x;
            rows.put(row, select(swaps, upper, lower));
            x = select(swaps, lower, upper);
          };
          for_each(n, [&](int i) {
            exchange(at.position(pair) + i, q[i]);
            exchange(at.gradient(pair) + i, gradient[i]);
          });
          exchange(at.log_density(pair), density.sum);
          exchange(at.log_density(pair) + 1, density.error);
          exchange(at.label(pair), label);
          if (top) made.accepted = made.accepted || swaps;
        }
      }
      if (top) {
        for_each(n, [&](int i) {
          chain.position[i] = q[i];
          chain.gradient[i] = gradient[i];
        });
        chain.log_density = density;
        const auto restarted = label == R(1);
        rows.add(at.restarts(), select(restarted, R(1), R(0)));
        rows.put(at.label(LadderRows::most - 1), select(restarted, R(2), label));
      } else {
        for_each(n, [&](int i) {
          rows.put(at.position(k) + i, R(q[i]));
          rows.put(at.gradient(k) + i, R(gradient[i]));
        });
        rows.put(at.log_density(k), density.sum);
        rows.put(at.log_density(k) + 1, density.error);
        rows.put(at.label(k), label);
      }
      below = ratio;
      beta_below = beta;
    }
    rows.add(at.round_trips(), select(rows.get(at.label(0)) == R(2), R(1), R(0)));
    rows.put(at.label(0), R(1));
    rows.add(at.transitions(), R(1));
    made.energy = -chain.log_density.value();
    return made;
  }

 private:
  static constexpr float largest_log = 60;

  /// The density at one temperature of a ladder.
  template <class R>
  struct Path {
    using Number = number_of<R>;
    RowsInMemory<R> rows;
    LadderRows at;
    int k;
    Number beta, rest;

    MANYCHAIN_HD int parts() const { return static_cast<int>(rows.shared(at.parts())); }
    MANYCHAIN_HD R from_mean(int j, int i, R x) const { return x - R(rows.shared(at.mean(j) + i)); }

    /// A draw of the reference, from normals and a uniform.
    template <class N, class V>
    MANYCHAIN_HD void draw(N n, R u, const V& normals, V& q) const {
      mask_of<R> chosen = R(0) != R(0);
      for (int j = 0; j < parts(); ++j) {
        const auto here = u <= R(rows.shared(at.cumulated(j)));
        const auto now = here && !chosen;
        for_each(n, [&](int i) {
          const R x = fma(R(rows.shared(at.sd(j) + i)), R(normals[i]), R(rows.shared(at.mean(j) + i)));
          q[i] = j == 0 ? x : select(now, x, R(q[i]));
        });
        chosen = chosen || here;
      }
    }
    /// Log density of the reference at q, less the constant that all parts have in common; and the share of each part
    /// of it.
    template <class N, class V>
    MANYCHAIN_HD Compensated<R> reference(N n, const V& q, R (&shares)[LadderRows::most_parts]) const {
      Compensated<R> logs[LadderRows::most_parts], largest;
      for (int j = 0; j < parts(); ++j) {
        Compensated<R> sum{R(rows.shared(at.log_weight(j))), R(0)};
        for_each(n, [&](int i) {
          const R z = from_mean(j, i, q[i]) * R(rows.shared(at.inverse_sd(j) + i));
          sum.add(R(-0.5) * z * z);
        });
        logs[j] = sum;
        if (j == 0)
          largest = sum;
        else
          accept_where<R>(sum.minus(largest) > R(0), largest, sum);
      }
      R total = R(0);
      for (int j = 0; j < parts(); ++j) {
        shares[j] = exp(logs[j].minus(largest));
        total += shares[j];
      }
      for (int j = 0; j < parts(); ++j) shares[j] = shares[j] / total;
      largest.add(log(total));
      return largest;
    }
    template <class N, class V>
    MANYCHAIN_HD void kick(N n, Number fraction, V& v, const V& q, const V& gradient,
                           const R (&shares)[LadderRows::most_parts]) const {
      for_each(n, [&](int i) {
        R slope = R(beta) * gradient[i];
        for (int j = 0; j < parts() && rest > Number(0); ++j) {
          const Number inverse = rows.shared(at.inverse_sd(j) + i);
          slope -= R(rest * inverse * inverse) * shares[j] * from_mean(j, i, q[i]);
        }
        v[i] = fma(R(fraction * rows.shared(at.steps(k) + i)), slope, R(v[i]));
      });
    }
    template <class N, class V>
    MANYCHAIN_HD void drift(N n, V& q, const V& v) const {
      for_each(n, [&](int i) { q[i] = fma(R(rows.shared(at.steps(k) + i)), R(v[i]), R(q[i])); });
    }
  };

  template <class R>
  MANYCHAIN_HD static Stream<R> stream_of(Stream<R> stream, int k) {
    for (int bit = 0; bit < depth; ++bit) stream = stream.part(k >> bit & 1);
    return stream;
  }
  /// log p - log q. Where p is zero or not a number a replica is never taken up: a number so low that it loses any
  /// swap.
  template <class R>
  MANYCHAIN_HD static Compensated<R> log_ratio_of(const Compensated<R>& density, const Compensated<R>& reference,
                                                  number_of<R> log_constant) {
    Compensated<R> ratio = density;
    ratio.add(-reference.sum);
    ratio.error -= reference.error;
    ratio.add(R(-log_constant));
    const auto finite = isfinite(ratio.sum) && isfinite(ratio.error);
    ratio.sum = select(finite, ratio.sum, R(-std::numeric_limits<number_of<R>>::max() / 8));
    ratio.error = select(finite, ratio.error, R(0));
    return ratio;
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
