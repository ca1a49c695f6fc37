// The values that target.predict() draws: a number, a vector or a matrix. The distributions are those of full
// conditionals and proposals (model/distributions/sampled_distributions.hpp).
#pragma once

#include "manychain/model/matrices/parameter_vectors.hpp"
#include "manychain/random/variates.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// A distribution of a vector of `size` numbers, or of a square matrix of so many rows where it says `square`: drawn
/// into memory, out[0], out[1], ..., a matrix row by row. One that says work() is given as many Reals besides.
template <class D, class R>
concept DrawsBlock = requires(const D& d, Variates<R>& v, Strided<R>& out) {
  d.size.value();
  d.template draw<R>(v, out);
}
|| requires(const D& d, Variates<R>& v, Strided<R>& out) {
  d.size.value();
  d.work();
  d.template draw<R>(v, out, out);
};
/// A vector whose elements are drawn one by one, from distributions of their own.
template <class D>
concept DrawsElements = requires(const D& d) {
  d.size.value();
  d.element(0);
};

template <class D>
MANYCHAIN_HD int block_elements(const D& distribution) {
  if constexpr (requires { D::square; })
    return distribution.size.value() * distribution.size.value();
  else
    return distribution.size.value();
}
/// Reals of the arena that a draw needs. LayoutTarget counts them.
template <class R, class D>
MANYCHAIN_HD int prediction_memory(const D& distribution) {
  if constexpr (DrawsElements<D> || !DrawsBlock<D, R>)
    return 0;
  else if constexpr (requires { distribution.work(); })
    return block_elements(distribution) + distribution.work();
  else
    return block_elements(distribution);
}

/// One draw: put(x) for each of its numbers.
template <class R, class D, class Put>
MANYCHAIN_HD void draw_prediction(const D& distribution, Variates<R>& variates, Arena<R>& arena, const Put& put) {
  if constexpr (DrawsElements<D>) {
    for_each(distribution.size, [&](int i) { put(distribution.element(i).template draw<R>(variates)); });
  } else if constexpr (DrawsBlock<D, R>) {
    const int elements = block_elements(distribution), all = prediction_memory<R>(distribution);
    Strided<R> out = arena.take(elements);
    if constexpr (requires { distribution.work(); }) {
      Strided<R> work = arena.take(all - elements);
      distribution.template draw<R>(variates, out, work);
    } else {
      distribution.template draw<R>(variates, out);
    }
    for (int i = 0; i < elements; ++i) put(R(out[i]));
    arena.give_back(all);
  } else {
    put(distribution.template draw<R>(variates));
  }
}

}  // namespace detail
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
