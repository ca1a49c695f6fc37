// A matrix as the vector of its elements, row by row.
#pragma once

#include "manychain/model/autodiff/vector_expression.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

namespace detail {
/// The form in which an expression keeps a matrix.
template <class M>
MANYCHAIN_HD auto hold_matrix(const M& m) {
  if constexpr (requires { m.matrix(); })
    return m.matrix();
  else
    return m;
}
}  // namespace detail

/// A matrix expression as a vector, row by row.
template <class M>
class FlatMatrix {
 public:
  MANYCHAIN_HD explicit FlatMatrix(const M& matrix) : matrix_(matrix) {}
  MANYCHAIN_HD auto operator[](int i) const {
    const int columns = matrix_.columns().value();
    return matrix_[i / columns][i % columns];
  }
  MANYCHAIN_HD Size<dynamic> size() const { return matrix_.rows() * matrix_.columns().value(); }
  MANYCHAIN_HD FlatMatrix view() const { return *this; }

 private:
  M matrix_;
};
namespace detail {
template <class M>
MANYCHAIN_HD auto flat_matrix(const M& m) {
  return FlatMatrix<std::remove_cvref_t<decltype(hold_matrix(m))>>(hold_matrix(m));
}
}  // namespace detail

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
