// The shapes of predictions.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "manychain/core/macros.hpp"
#include "manychain/model/data/layout_checks.hpp"
#include "manychain/model/matrices/predictions.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// Extents of a prediction; what it needs of working memory is added to `memory`.
template <class R, class D>
std::vector<std::size_t> prediction_shape(const D& distribution, std::size_t& memory) {
  memory += checks::counted(prediction_memory<R>(distribution));
  if constexpr (DrawsElements<D> || DrawsBlock<D, R>)
    return std::vector<std::size_t>(
        requires { D::square; } ? 2 : 1, checks::counted(distribution.size.value()));
  else
    return {};
}
/// Extents of n predictions, as large as the first of them, where each is a vector or a matrix.
template <class R, class Body>
std::vector<std::size_t> predictions_shape(std::size_t n, const Body& body, std::size_t& memory) {
  using D = std::remove_cvref_t<decltype(body(0))>;
  std::vector<std::size_t> shape;
  if constexpr (DrawsElements<D> || DrawsBlock<D, R>) {
    if (n > 0)
      shape = prediction_shape<R>(body(0), memory);
    else
      shape = std::vector<std::size_t>(
          requires { D::square; } ? 2 : 1, 0);
  }
  shape.insert(shape.begin(), n);
  return shape;
}
}  // namespace detail
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
