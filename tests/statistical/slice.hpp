// Slice sampling by stepping out and shrinkage, one component after another (Neal 2003, Annals of Statistics 31), as a
// sampler whose chains are on clocks of their own: a step evaluates the density once, and a transition moves every
// component. The library does not have it.
#pragma once

#include "manychain/samplers/list.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The place of a chain in its transition.
struct Bracket {
  template <class R, class N>
  struct In {
    struct {
      R component;
      R phase;        ///< 0: a new level, 1: the left end steps out, 2: the right end does, 3: the bracket shrinks
      R height;       ///< log density of the component's start, less the level
      R left, right;  ///< ends
      R left_steps, right_steps;  ///< that are left
      R trials;                   ///< points within the bracket that were refused
      R moved, failed;            ///< in this transition: components that moved, densities that were not finite
    } bracket;
    MANYCHAIN_HD void take(Arena<R>&, N) { bracket = {R(0), R(0), R(0), R(0), R(0), R(0), R(0), R(0), R(0), R(0)}; }
    template <class F>
    MANYCHAIN_HD void visit(F&) {}
  };
  static constexpr int vectors = 0;
};

/// Tests replace the right rule by wrong ones.
struct SliceRule {
  /// The share of the first bracket that lies to the left.
  template <class R>
  MANYCHAIN_HD static R place(R u) {
    return u;
  }
  /// Steps that the left end may take of `steps`.
  template <class R>
  MANYCHAIN_HD static R left_share(R u, R steps) {
    return floor(min(u * (steps + R(1)), steps));
  }
  /// The height of this step.
  template <class R>
  MANYCHAIN_HD static R height(R of_component, R) {
    return of_component;
  }
};

template <class Rule = SliceRule>
struct Slice {
  static constexpr int steps_out = 8, most_trials = 60;
  static std::uint64_t most_steps(std::size_t dimension) { return dimension * (steps_out + 2 + most_trials); }
  static constexpr SamplerInfo info{.name = "slice",
                                    .description = "slice sampling by stepping out",
                                    .needs = {&Capabilities::density},
                                    .continuous = true,
                                    .most_steps = most_steps,
                                    .words_per_step = 8};
  using Fields = manychain::Fields<Position, LogDensity, Clock, Bracket>;
  template <class Number>
  using Tuning = NoTuning<Number>;
  static constexpr int work_vectors = 1;

  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static StepInfo<R> step(const Model& model, Chain<R, N, F...>& chain, const Tuning<number_of<R>>&,
                                       const LaneStream<R>& stream) {
    const N n = chain.dimension;
    auto& b = chain.bracket;
    R u[4];
    uniforms(stream, Size<4>{}, [&](int i, R x) { u[i] = x; });

    R start = R(0);
    for_each(n, [&](int i) { start = select(b.component == R(i), R(chain.position[i]), start); });
    const mask_of<R> fresh = b.phase == R(0), begins = chain.clock.step == R(0);
    b.moved = select(begins, R(0), b.moved);
    b.failed = select(begins, R(0), b.failed);
    b.height = Rule::height(select(fresh, -log(u[0]), b.height), -log(u[0]));
    b.left = select(fresh, start - Rule::place(u[1]), b.left);
    b.right = select(fresh, b.left + R(1), b.right);
    b.left_steps = select(fresh, Rule::left_share(u[2], R(steps_out)), b.left_steps);
    b.right_steps = select(fresh, R(steps_out) - b.left_steps, b.right_steps);
    b.trials = select(fresh, R(0), b.trials);
    b.phase = select(fresh, R(1), b.phase);
    b.phase = select(b.phase == R(1) && b.left_steps == R(0), R(2), b.phase);
    b.phase = select(b.phase == R(2) && b.right_steps == R(0), R(3), b.phase);

    const mask_of<R> left = b.phase == R(1), right = b.phase == R(2), shrinks = b.phase == R(3);
    const R point = select(left, b.left, select(right, b.right, fma(u[3], b.right - b.left, b.left)));
    Arena<R> arena = chain.arena;
    auto trial = take_vector(arena, n);
    for_each(n, [&](int i) { trial[i] = select(b.component == R(i), point, R(chain.position[i])); });
    const Compensated<R> log_density = evaluate<Request::value, R>(model, n, trial, trial, arena);
    const mask_of<R> within = log_density.minus(chain.log_density) + b.height >= R(0);
    b.failed += select(isfinite(log_density.sum) || has_density_zero(log_density), R(0), R(1));

    b.left = select(left && within, b.left - R(1), b.left);
    b.left_steps = select(left && within, b.left_steps - R(1), b.left_steps);
    b.right = select(right && within, b.right + R(1), b.right);
    b.right_steps = select(right && within, b.right_steps - R(1), b.right_steps);
    b.phase = select(!shrinks && !within, b.phase + R(1), b.phase);
    b.left = select(shrinks && point < start, point, b.left);
    b.right = select(shrinks && point >= start, point, b.right);
    b.trials = select(shrinks, b.trials + R(1), b.trials);

    const mask_of<R> moves = shrinks && within;
    for_each(n, [&](int i) { chain.position[i] = select(moves && b.component == R(i), point, R(chain.position[i])); });
    accept_where<R>(moves, chain.log_density, log_density);
    b.moved += select(moves, R(1), R(0));
    const mask_of<R> ends = moves || (shrinks && b.trials >= R(most_trials));  // it stays where it is
    b.component = select(ends, b.component + R(1), b.component);
    b.phase = select(ends, R(0), b.phase);

    StepInfo<R> info;
    info.done = b.component >= R(n.value());
    b.component = select(info.done, R(0), b.component);
    info.accepted = b.moved > R(0);
    info.divergent = b.failed > R(0);
    info.acceptance_probability = b.moved * R(number_of<R>(1) / number_of<R>(n.value()));
    info.energy = -chain.log_density.value();
    return info;
  }
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
