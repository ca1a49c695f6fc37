// A layout's checks of sizes and ranges. Each throws BadInput.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/core/macros.hpp"
#include "manychain/model/matrices/predictions.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// A number of things that a model computed.
inline std::size_t counted(int size) {
  if (size < 0)
    throw BadInput("the model asks for " + std::to_string(size) +
                   " terms or elements, of a sum, a vector or a derived quantity: the data are too few for it");
  return static_cast<std::size_t>(size);
}

inline void check_size(const char* name, int size, int smallest) {
  if (size < smallest)
    throw BadInput("vector " + std::string(name) + " has size " + std::to_string(size) + ", which must be " +
                   std::to_string(smallest) + " or more");
}

/// Called before parameters are given names: the names of a mistyped size would fill the memory of the machine.
inline void check_dimension(const char* name, std::size_t dimension) {
  constexpr std::size_t most = std::size_t{1} << 24;  // a transition has as many random words
  if (dimension <= most) return;
  throw BadInput("with " + std::string(name) + " the model has " + std::to_string(dimension) +
                 " parameters, and there may be 2^24: look at the sizes in the data");
}

inline void check_range(const char* name, int low, int high) {
  constexpr int exact = 1 << 24;  // beyond, single precision has no longer every whole number
  if (low <= high && low >= -exact && high <= exact) return;
  throw BadInput("integers " + std::string(name) + ": from " + std::to_string(low) + " to " + std::to_string(high) +
                 " is not allowed; the first must not be above the second, and both within 2^24 of zero");
}

inline void check_shape(const char* name, int rows, int columns) {
  if (rows < 0 || columns < 0 || (rows > 0 && columns > std::numeric_limits<int>::max() / rows))
    throw BadInput("matrix " + std::string(name) + " has " + std::to_string(rows) + " rows and " +
                   std::to_string(columns) + " columns: neither may be negative, nor their product beyond 2^31");
}

/// Extents of a prediction; what it needs of working memory is added to `memory`.
template <class R, class D>
std::vector<std::size_t> prediction_shape(const D& distribution, std::size_t& memory) {
  memory += counted(prediction_memory<R>(distribution));
  if constexpr (DrawsElements<D> || DrawsBlock<D, R>)
    return std::vector<std::size_t>(
        requires { D::square; } ? 2 : 1, counted(distribution.size.value()));
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
