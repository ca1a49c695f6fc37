// Matrices of parameters whose rows have the constraint of a vector each: target.matrix("P", K, K, simplex()).
#pragma once

#include "manychain/model/autodiff/vector_constraints.hpp"
#include "manychain/model/matrices/parameter_vectors.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// The constraint of a vector that has the elements of a matrix, row by row.
template <class C, class Columns>
struct EachRow {
  C constraint;
  Columns columns;

  MANYCHAIN_HD int components() const { return unconstrained_size(constraint, columns.value()); }
  /// Loops over rows are unrolled if both sizes are fixed, so that elements are in registers.
  template <class N>
  MANYCHAIN_HD auto rows(N elements) const {
    if constexpr (N::fixed && Columns::fixed && Columns::compile_time > 0)
      return Size<N::compile_time / Columns::compile_time>{};
    else
      return Size<dynamic>(columns.value() > 0 ? elements.value() / columns.value() : 0);
  }
};

namespace detail {

/// The constraint of the elements of a matrix, as those of a vector.
template <class C, class Columns>
MANYCHAIN_HD auto constraint_of_elements(const C& constraint, [[maybe_unused]] Columns columns) {
  if constexpr (constrains_vector<C>)
    return EachRow<C, Columns>{constraint, columns};
  else
    return constraint;
}

/// True if the density of a constrained vector of n elements is one over this element: of a simplex over all but the
/// last.
template <class C>
bool is_free_element(const C&, int, int) {
  return true;
}
inline bool is_free_element(const Simplex&, int i, int n) { return i + 1 < n; }
template <class C, class Columns>
bool is_free_element(const EachRow<C, Columns>& c, int i, int) {
  return is_free_element(c.constraint, i % c.columns.value(), c.columns.value());
}

}  // namespace detail

template <class C, class Columns>
MANYCHAIN_HD int unconstrained_size(const EachRow<C, Columns>& c, int elements) {
  return c.rows(Size<dynamic>(elements)).value() * c.components();
}
template <class R, class N, class C, class Columns, class U, class X>
MANYCHAIN_HD R forward(const EachRow<C, Columns>& c, N n, const U& u, X& x) {
  R jacobian = R(0);
  for_each(c.rows(n), [&](int row) {
    const Shifted<const U> from{&u, row * c.components()};
    Shifted<X> to{&x, row * c.columns.value()};
    jacobian += forward<R>(c.constraint, c.columns, from, to);
  });
  return jacobian;
}
template <class R, class N, class C, class Columns, class U, class X, class A, class G>
MANYCHAIN_HD void backward(const EachRow<C, Columns>& c, N n, const U& u, const X& x, const A& adjoint, G& g) {
  for_each(c.rows(n), [&](int row) {
    const int first = row * c.components(), element = row * c.columns.value();
    const Shifted<const U> components{&u, first};
    const Shifted<const X> elements{&x, element};
    const Shifted<const A> adjoints{&adjoint, element};
    Shifted<G> gradient{&g, first};
    backward<R>(c.constraint, c.columns, components, elements, adjoints, gradient);
  });
}
template <class R, class C, class Columns, class U>
void unconstrain(const EachRow<C, Columns>& c, int n, const double* x, U& u) {
  for_each(c.rows(Size<dynamic>(n)), [&](int row) {
    const double* const elements = x + row * c.columns.value();
    Shifted<U> components{&u, row * c.components()};
    unconstrain<R>(c.constraint, c.columns.value(), elements, components);
  });
}
template <class C, class Columns>
const char* violation(const EachRow<C, Columns>& c, int n, const double* x) {
  const int columns = c.columns.value(), rows = c.rows(Size<dynamic>(n)).value();
  const char* wrong = nullptr;
  for (int row = 0; row < rows && !wrong; ++row) wrong = violation(c.constraint, columns, x + row * columns);
  return wrong;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
