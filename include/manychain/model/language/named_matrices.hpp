// Square matrices of parameters on the host: initial values, and what a target there hands out.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"
#include "manychain/model/data/data.hpp"
#include "manychain/model/language/named_vectors.hpp"
#include "manychain/model/matrices/matrix_constraints.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// Unconstrained numbers of a given matrix, n x n. Throws BadInput where it has another shape, or is none of its kind;
/// what is not positive definite has an unconstrained number that is not finite.
template <class R, class C>
void read_square_matrix(const char* name, int n, const Data::Variable& given, const C& constraint, std::vector<R>& u) {
  const auto refuse = [&](const std::string& why) {
    throw BadInput("initial value of " + std::string(name) + ": " + why);
  };
  const std::size_t size = static_cast<std::size_t>(n);
  if (given.shape != std::vector<std::size_t>{size, size})
    refuse("a matrix of " + std::to_string(n) + " rows and columns is needed");
  const auto at = [&](int i, int j) {
    return given.values[static_cast<std::size_t>(i) * size + static_cast<std::size_t>(j)];
  };
  constexpr bool product = is_product_matrix<C>, correlation = Correlation<C>;
  std::vector<R> L(static_cast<std::size_t>(factor_size(Size<dynamic>(n)).value()), R(0));
  for (int i = 0; i < n; ++i) {
    double squares = 0;
    for (int j = 0; j < n; ++j) {
      if (product && !(std::fabs(at(i, j) - at(j, i)) <= 1e-6 * std::sqrt(std::fabs(at(i, i) * at(j, j)))))
        refuse("it must be symmetric");
      if (!product && j > i && at(i, j) != 0) refuse("it must be lower triangular");
      squares += at(i, j) * at(i, j);
      if (j <= i) L[static_cast<std::size_t>(row_begin(i) + j)] = R(number_of<R>(at(i, j)));
    }
    if (correlation && !product && !(std::fabs(squares - 1) < 1e-6)) refuse("each row must have length 1");
    if (correlation && product && !(std::fabs(at(i, i) - 1) < 1e-6)) refuse("its diagonal must be 1");
  }
  if (product) cholesky_in_place<R>(Size<dynamic>(n), Strided<R>{L.data(), 1});
  for (int i = 0; i < n; ++i)
    if (!(L[static_cast<std::size_t>(row_begin(i) + i)] > R(0)))
      refuse(product ? "it must be positive definite" : "its diagonal must be positive");
  unconstrain_factor<R>(constraint, n, L, u);
}

/// The matrix that has the unconstrained numbers u, in `values`.
template <class R, class N, class C>
auto named_square_matrix(const char* name, N n, const C& constraint, const std::vector<R>& u, std::vector<R>& values) {
  const Size<dynamic> size(n.value());
  values.resize(static_cast<std::size_t>(factor_size(size).value()));
  constrain_factor<R>(constraint, size, u, values);
  if constexpr (is_product_matrix<C>) {
    const std::vector<R> L = values;
    for (int i = 0; i < n.value(); ++i)
      for (int j = 0; j <= i; ++j) {
        R sum = R(0);
        for (int k = 0; k <= j; ++k)
          sum += L[static_cast<std::size_t>(row_begin(i) + k)] * L[static_cast<std::size_t>(row_begin(j) + k)];
        values[static_cast<std::size_t>(row_begin(i) + j)] = sum;
      }
  }
  using Elements = NamedVector<R, Size<dynamic>>;
  const Elements elements(name, values.data(), Size<dynamic>(static_cast<int>(values.size())));
  return TriangleReference<Elements, N, is_product_matrix<C>>(elements, n);
}

}  // namespace detail
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
