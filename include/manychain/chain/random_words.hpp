// Counts the random words of a transition. A stream has 2^24 of them for each transition: one that took more would
// read the words of the next transition, and no draw would show it.
#pragma once

#include <algorithm>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/model/distributions/visitors.hpp"
#include "manychain/model/language/layout_of.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// Draws from every distribution once and counts its random words, which depend neither on the draws nor on parameters.
template <class R>
struct MeasuringVisitor {
  const Strided<R>& q;
  Strided<R>& drawn;
  Variates<R>& variates;
  std::uint64_t updates = 0, largest = 0;  ///< blocks of words of the update that takes most
  template <class Distribution>
  void component(int i, Distribution distribution) {
    measure([&] { drawn[i] = distribution(q).template draw<R>(variates); });
  }
  template <class N, class Distribution>
  void components(int first, N n, Distribution distribution) {
    for (int i = 0; i < as_size(n).value(); ++i)
      measure([&] { drawn[first + i] = distribution(i, q).template draw<R>(variates); });
  }
  template <class N, class Distribution>
  void block(int first, N, Distribution distribution) {
    measure([&] {
      const auto of_block = distribution(q);
      Segment<Strided<R>> out{&drawn, first};
      of_block.template draw<R>(variates, out);
    });
  }

 private:
  template <class Draw>
  void measure(Draw draw) {
    const std::uint64_t before = variates.blocks();
    draw();
    largest = std::max(largest, variates.blocks() - before + 1);  // it may begin in the middle of one
    ++updates;
  }
};

}  // namespace detail

/// Random words that a transition takes for distributions of the model; 0 for samplers that use none.
template <class Model>
std::uint64_t words_from_distributions(const Model& model, const Layout& layout, DrawsFrom source) {
  using R = Scalar<typename detail::model_number<Model>::type>;
  std::vector<R> memory(2 * layout.dimension + 1, R(0));
  Strided<R> q{memory.data(), 1}, drawn{memory.data() + layout.dimension, 1};
  const Stream<R> stream(0, Purpose::transition, 0, 0);
  std::uint64_t blocks = 0;
  [[maybe_unused]] const auto visit = [&](auto run) {
    Variates<R> variates(stream);
    detail::MeasuringVisitor<R> measured{q, drawn, variates};
    run(measured);
    blocks = source == DrawsFrom::conditionals_at_random ? measured.updates * measured.largest : variates.blocks();
    ++blocks;  // the uniform that decides
  };
  if constexpr (gives_conditionals<Model>)
    if (source == DrawsFrom::conditionals || source == DrawsFrom::conditionals_at_random)
      visit([&](auto& s) { model.conditionals(s); });
  if constexpr (gives_proposal<Model>)  // rejection sampling ends its search in time
    if (source == DrawsFrom::proposal) visit([&](auto& s) { model.proposal(s); });
  if constexpr (gives_draws<Model>)
    if (source == DrawsFrom::model) visit([&](auto& s) { model.draw(s); });
  if (source == DrawsFrom::components)  // two uniforms for a normal, and one to decide
    blocks = (3 * detail::words_per_uniform<R> * layout.dimension + 3) / 4;
  return 4 * blocks;
}

/// The words that it takes for predictions. In double PointOperations::outputs() tells.
template <class Model>
std::uint64_t words_of_predictions(const Model& model, const Layout& layout) {
  using R = Scalar<typename detail::model_number<Model>::type>;
  std::vector<R> memory(layout.dimension + layout.scratch + 1, R(0));
  const Strided<R> q{memory.data(), 1};
  const Stream<R> stream(0, Purpose::prediction, 0, 0);
  Variates<R> variates(stream);
  evaluate_outputs<R>(model, q, Arena<R>{Strided<R>{memory.data() + layout.dimension, 1}, 0}, 0, NoSink{}, variates);
  return 4 * std::uint64_t{variates.blocks()};
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
