// Single-component Metropolis-Hastings (Metropolis and others 1953): one component after another, each with a scale of
// its own.
#pragma once

#include "manychain/model/distributions/visitors.hpp"
#include "manychain/samplers/sampler.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// Proposes x_i + step_i z and accepts by the ratio of densities: those of the full conditionals where the model gives
/// them, which look at what depends on x_i alone, else those of the whole target. Reports the mean over components.
template <class Rule = MetropolisRule>
struct SingleComponent {
  static double first_step(double) { return 2.4; }
  static constexpr SamplerInfo info{.name = "single_component",
                                    .description = "Metropolis, one component after another",
                                    .needs = {&Capabilities::density},
                                    .tuned = true,
                                    .target_acceptance = 0.44,
                                    .first_step = first_step,
                                    .continuous = true,
                                    .accepts_by_conditionals = true,
                                    .draws_from = DrawsFrom::components};
  using Fields = DensityFields;
  template <class Number>
  using Tuning = StepTuning<Number>;
  static constexpr int work_vectors = 2;  // the proposal, and a gradient for models that know no value without it

  template <class Model, class R, class N, class... F>
  MANYCHAIN_HD static TransitionInfo<R> transition(const Model& model, Chain<R, N, F...>& chain,
                                                   const Tuning<number_of<R>>& tuning, const Stream<R>& stream,
                                                   std::uint64_t) {
    const N n = chain.dimension;
    Arena<R> arena = chain.arena;
    auto trial = take_vector(arena, n);
    auto unused = take_vector(arena, n);
    using V = decltype(trial);
    Variates<R> variates(stream);
    TransitionInfo<R> done;
    done.accepted = R(0) == R(1);
    done.divergent = R(0) == R(1);
    done.acceptance_probability = R(0);
    const auto note = [&](auto accepted, auto divergent, R probability) {
      done.accepted = done.accepted || accepted;
      done.divergent = done.divergent || divergent;
      done.acceptance_probability += probability * R(number_of<R>(1) / number_of<R>(n.value()));
    };
    if constexpr (gives_conditionals<Model>) {
      RatioVisitor<R, V, decltype(note)> visitor{chain.position, tuning.step, variates, note};
      model.conditionals(visitor);
      chain.log_density = evaluate<Request::value, R>(model, n, chain.position, unused, arena);
      done.divergent = done.divergent || !isfinite(chain.log_density.sum);  // conditionals that disagree
    } else {
      for (int i = 0; i < n.value(); ++i) {  // not unrolled: the density is there once
        const R z = variates.normal(), u = variates.uniform();
        for_each(n, [&](int j) {  // no index: registers have none
          const R x = R(chain.position[j]);
          trial[j] = j == i ? fma(R(tuning.step[j]), z, x) : x;
        });
        const Compensated<R> log_density = evaluate<Request::value, R>(model, n, trial, unused, arena);
        const TransitionInfo<R> one = decide<Rule>(chain, trial, log_density, log_density.minus(chain.log_density), u);
        note(one.accepted, one.divergent, one.acceptance_probability);
      }
    }
    done.energy = -chain.log_density.value();
    if constexpr (!gives_conditionals<Model>) done.evaluations = R(number_of<R>(n.value()));
    return done;
  }

 private:
  template <class R, class V, class Note>
  struct RatioVisitor {
    V& q;
    const number_of<R>* step;
    Variates<R>& variates;
    const Note& note;
    template <class Distribution>
    MANYCHAIN_HD void component(int i, Distribution distribution) {
      move(i, distribution(std::as_const(q)));
    }
    template <class M, class Distribution>
    MANYCHAIN_HD void components(int first, M n, Distribution distribution) {
      for_each(as_size(n), [&](int i) { move(first + i, distribution(i, std::as_const(q))); });
    }
    template <class M, class Distribution>
    MANYCHAIN_HD void block(int first, M n, Distribution distribution) {
      const auto of_block = distribution(std::as_const(q));
      for_each(as_size(n), [&](int i) {
        const R before = R(q[first + i]);
        const Segment<V> x{&q, first};
        const R here = of_block.template log_density<R>(x);
        q[first + i] = fma(R(step[first + i]), variates.normal(), before);
        const R log_ratio = of_block.template log_density<R>(x) - here;
        q[first + i] = select(decided(log_ratio), R(q[first + i]), before);
      });
    }

   private:
    template <class L>
    MANYCHAIN_HD void move(int i, const L& distribution) {
      const R before = R(q[i]), after = fma(R(step[i]), variates.normal(), before);
      q[i] = select(decided(distribution.log_density(after) - distribution.log_density(before)), after, before);
    }
    MANYCHAIN_HD auto decided(R log_ratio) {
      const R probability = Rule::probability(log_ratio);
      const auto accepted = variates.uniform() <= probability;
      note(accepted, !(log_ratio <= R(std::numeric_limits<number_of<R>>::max())), probability);
      return accepted;
    }
  };
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
