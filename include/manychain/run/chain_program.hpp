// The chain program: what one pack of chains (one thread of a GPU) does in a block of transitions. Written once; the
// CPU unit instantiates it for packs, the CUDA unit for a scalar.
#pragma once

#include "manychain/run/chain_arrays.hpp"
#include "manychain/run/result.hpp"
#include "manychain/samplers/sampler.hpp"
#include "manychain/warmup/dual_averaging.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

template <class Model>
using SizeOf = Size<model_dimension<Model>()>;

template <class Model, class Number>
MANYCHAIN_HD auto size_of(const ChainArrays<Number>& arrays) {
  if constexpr (SizeOf<Model>::fixed)
    return SizeOf<Model>{};
  else
    return Size<dynamic>(arrays.dimension);
}

/// Reals of working memory a chain needs, for a model of that dimension and scratch.
template <class Model, class Sampler>
std::size_t workspace_reals(std::size_t dimension, std::size_t scratch) {
  const bool registers = SizeOf<Model>::fixed && SizeOf<Model>::small;
  const std::size_t vectors = 1 + (Sampler::needs_gradient ? 1 : 0) + Sampler::work_vectors;
  return scratch + (registers ? 0 : vectors * dimension);
}

/// Evaluations of the model in one transition; a sampler that moves one component after another says how many of its
/// own.
template <class Model, class Sampler, class Number>
std::uint32_t evaluations_of(std::size_t dimension, Number trajectory, Number step_size, std::uint64_t transition,
                             std::uint32_t limit) {
  const std::uint32_t each = Sampler::evaluations(trajectory, step_size, transition, limit);
  if constexpr (requires { Sampler::template one_a_component<Model>; })
    return Sampler::template one_a_component<Model> ? each * static_cast<std::uint32_t>(dimension) : each;
  else
    return each;
}

namespace detail {
template <class R, class Number>
MANYCHAIN_HD R loaded(const Number* p) {
  R x;
  load(x, p);
  return x;
}

/// Adds x, the n-th value, to a running mean and sum of squared deviations (Welford 1962).
template <class R, class Number>
MANYCHAIN_HD void add_moment(R x, Number inverse_n, Number* mean_p, Number* m2_p) {
  const R mean = loaded<R>(mean_p);
  const R delta = x - mean;
  const R updated = fma(delta, R(inverse_n), mean);
  store(updated, mean_p);
  store(fma(delta, x - updated, loaded<R>(m2_p)), m2_p);
}

/// Writes the outputs of a draw and watches for what is not finite.
template <class R, class Number>
struct RecordingSink {
  Number* draw;  // or null
  std::int64_t stride;
  mask_of<R>* finite;
  MANYCHAIN_HD void operator()(int index, R x) const {
    if (draw) store(x, draw + index * stride);
    *finite = *finite && isfinite(x);
  }
};
}  // namespace detail

/// Runs `block` for the chains of one Real, the first of which is local chain `first`. `memory` holds
/// workspace_reals().
template <class Sampler, class R, class Model>
MANYCHAIN_HD void advance_chains(const Model& model, const ChainArrays<number_of<R>>& a, const Block& block,
                                 std::int64_t first, Arena<R> memory) {
  using Number = number_of<R>;
  const auto n = size_of<Model>(a);
  using N = std::remove_cvref_t<decltype(n)>;
  Chain<R, N> chain{n, take_vector(memory, n), {}, {}, {}};
  if constexpr (Sampler::needs_gradient) chain.gradient = take_vector(memory, n);
  chain.arena = memory;
  for_each(n, [&](int i) {
    load(chain.position[i], a.position + i * a.stride + first);
    if constexpr (Sampler::needs_gradient) load(chain.gradient[i], a.gradient + i * a.stride + first);
  });
  load(chain.log_density.sum, a.log_density + first);
  load(chain.log_density.error, a.log_density + a.stride + first);
  R still = detail::loaded<R>(a.still + first), acceptance_sum = detail::loaded<R>(a.acceptance_sum + first);
  R divergences = detail::loaded<R>(a.divergences + first), best = detail::loaded<R>(a.best + first);
  R block_acceptance = R(0);
  mask_of<R> finite = R(0) == R(0);

  const Tuning<Number> tuning = a.tuning[first / a.chains_per_group];
  for (std::uint32_t k = 0; k < block.count; ++k) {
    const std::uint64_t transition = block.first_transition + k;
    const Stream<R> stream(a.seed, Purpose::transition, a.first_chain + static_cast<std::uint64_t>(first), transition);
    const Information<R> information =
        Sampler::transition(model, chain, tuning, stream, transition, block.leapfrog_limit);
    still = select(information.accepted, R(0), still + R(1));
    block_acceptance += information.acceptance_probability;
    acceptance_sum += information.acceptance_probability;
    divergences += select(information.divergent, R(1), R(0));
    best = max(best, chain.log_density.value());

    if (block.accumulate_window) {
      const Number inverse = Number(1) / Number(transition - block.window_begin + 1);
      for_each(n, [&](int i) {
        const std::int64_t at = i * a.stride + first;
        detail::add_moment(R(chain.position[i]), inverse, a.window_mean + at, a.window_m2 + at);
      });
    }
    if (block.keep && (transition - block.sampling_begin + 1) % block.thin == 0) {
      const std::uint64_t draw = (transition - block.sampling_begin + 1) / block.thin - 1;
      const auto row = static_cast<std::int64_t>(draw - block.first_draw);
      const std::int64_t column = first - a.draws_chain;
      const detail::RecordingSink<R, Number> sink{
          a.draws ? a.draws + row * a.outputs * a.draws_stride + column : nullptr, a.draws_stride, &finite};
      evaluate_outputs<R>(model, chain.position, chain.arena, a.first_derived, sink, stream.of(Purpose::prediction));
      if (a.stats) {
        Number* stats = a.stats + row * static_cast<std::int64_t>(sample_stat_count) * a.draws_stride + column;
        store(chain.log_density.value(), stats);
        store(information.acceptance_probability, stats + a.draws_stride);
        store(information.energy, stats + energy_row * a.draws_stride);
        store(select(information.divergent, R(1), R(0)), stats + 3 * a.draws_stride);
      }
    }
  }

  for_each(n, [&](int i) {
    store(R(chain.position[i]), a.position + i * a.stride + first);
    if constexpr (Sampler::needs_gradient) store(R(chain.gradient[i]), a.gradient + i * a.stride + first);
  });
  store(chain.log_density.sum, a.log_density + first);
  store(chain.log_density.error, a.log_density + a.stride + first);
  store(still, a.still + first);
  store(acceptance_sum, a.acceptance_sum + first);
  store(divergences, a.divergences + first);
  store(best, a.best + first);
  const R mean_acceptance = block_acceptance * R(Number(1) / Number(block.count));
  store(select(still >= R(lost_after), R(1), mean_acceptance), a.acceptance + first);
  store(select(finite, detail::loaded<R>(a.nonfinite + first), R(1)), a.nonfinite + first);
}

/// Finds a starting point for the chains of one Real: the positions that lie in memory already (tries = 0), or up to
/// `tries` points uniform on (-2, 2) until log density and gradient are finite. A chain that finds none is marked.
template <bool wants_gradient, class R, class Model>
MANYCHAIN_HD void initialise_chains(const Model& model, const ChainArrays<number_of<R>>& a, int tries,
                                    std::int64_t first, Arena<R> memory) {
  const auto n = size_of<Model>(a);
  auto q = take_vector(memory, n);
  auto gradient = take_vector(memory, n);
  mask_of<R> found = R(0) == R(1);
  for_each(n, [&](int i) { load(q[i], a.position + i * a.stride + first); });
  for (int attempt = 0; attempt < (tries > 0 ? tries : 1) && !all(found); ++attempt) {
    if (tries > 0) {
      const Stream<R> stream(a.seed, Purpose::initial_point, a.first_chain + static_cast<std::uint64_t>(first),
                             static_cast<std::uint64_t>(attempt));
      uniforms(stream, n, [&](int i, R u) { q[i] = fma(R(4), u, R(-2)); });
      settle<R>(model, q, memory);
    }
    constexpr Want want = wants_gradient ? Want::value_and_gradient : Want::value;
    const Compensated<R> lp = evaluate<want, R>(model, n, q, gradient, memory);
    mask_of<R> finite = isfinite(lp.sum);
    if constexpr (wants_gradient) for_each(n, [&](int i) { finite = finite && isfinite(R(gradient[i])); });
    const mask_of<R> now = finite && !found;
    const auto put = [&](R x, auto* p) { store(select(now, x, detail::loaded<R>(p)), p); };
    // The last attempt is kept whatever it is, so that the caller can name the point.
    for_each(n, [&](int i) {
      const std::int64_t at = i * a.stride + first;
      store(select(found, detail::loaded<R>(a.position + at), R(q[i])), a.position + at);
      if constexpr (wants_gradient) put(gradient[i], a.gradient + at);
    });
    put(lp.sum, a.log_density + first);
    put(lp.error, a.log_density + a.stride + first);
    found = found || finite;
  }
  store(select(found, R(0), R(1)), a.nonfinite + first);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
