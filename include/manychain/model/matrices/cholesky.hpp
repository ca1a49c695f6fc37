// The Cholesky factor in place, and its reverse mode. The lower triangle lies row by row, one Real an element, so that
// on a CPU an element is a whole register and a product reads two of them: tiles of the factor are kept in registers,
// which makes of two loads for each product half of one.
#pragma once

#include "manychain/model/matrices/triangular_matrix.hpp"

// Large functions, which are called and not copied into whatever uses them.
#if defined(__CUDACC__)
#define MANYCHAIN_CALLED __host__ __device__ __noinline__
#else
#define MANYCHAIN_CALLED [[gnu::noinline]]
#endif

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// Rows and columns of a tile: its sums and one row and one column of operands fit in 32 registers, or in 16.
template <class R>
inline constexpr int tile_size = R::lanes == 1 || sizeof(R) == 64 ? 4 : 3;

/// Memory of the arena as a loop is to know it: by value, as a store to an element might else change the pointer, for
/// all that a compiler knows of packs; and without the stride, which of packs is one.
template <class R>
using Local = std::conditional_t<(R::lanes > 1), R*, Strided<R>>;
template <class R>
MANYCHAIN_HD Local<R> local(const Strided<R>& memory) {
  if constexpr (R::lanes > 1)
    return memory.p;
  else
    return memory;
}
template <class R, int N>
MANYCHAIN_HD Registers<R, N>& local(Registers<R, N>& memory) {
  return memory;
}

/// body(i) for i = from .. to - 1; `Unrolled`: from and to are known where it stands.
template <bool Unrolled, class Body>
MANYCHAIN_HD void for_range(int from, int to, const Body& body) {
  if constexpr (Unrolled) {
    MANYCHAIN_UNROLL
    for (int i = from; i < to; ++i) body(i);
  } else {
    for (int i = from; i < to; ++i) body(i);
  }
}
/// f(i, j) over the lower triangle, row by row.
template <class N, class F>
MANYCHAIN_HD void for_triangle(N n, const F& f) {
  for_each(n, [&](int i) { for_range<is_unrolled<TriangleSize<N>>>(0, i + 1, [&](int j) { f(i, j); }); });
}
/// The lower triangle of a matrix expression, each element evaluated once.
template <class R, class A, class N, class V>
MANYCHAIN_HD void fill_triangle(const A& matrix, N n, V&& memory) {
  auto&& triangle = local(memory);
  for_triangle(n, [&](int i, int j) { triangle[row_begin(i) + j] = R(as_node(matrix[i][j]).value()); });
}

/// f(r, c) over a tile.
template <int B, class F>
MANYCHAIN_HD void for_tile(const F& f) {
  MANYCHAIN_UNROLL
  for (int r = 0; r < B; ++r) {
    MANYCHAIN_UNROLL
    for (int c = 0; c < B; ++c) f(r, c);
  }
}

/// Column j of row i, once columns before it are known, of a matrix that is too small for tiles, or at its edge.
template <class R, bool Unrolled, class V>
MANYCHAIN_HD R remainder(const V& L, int i, int j) {
  const int a = row_begin(i), b = row_begin(j);
  R sum = R(0);
  for_range<Unrolled>(0, j, [&](int k) { sum = fma(L[a + k], L[b + k], sum); });
  return L[a + j] - sum;
}
template <class R, class V>
MANYCHAIN_HD void put_diagonal(V& L, int n, int i, R square) {
  const R root = sqrt(square);  // NaN where the matrix is not positive definite, and so is all that follows
  L[row_begin(i) + i] = root;
  L[row_begin(n) + 1 + i] = R(1) / root;
}

template <class R, bool Unrolled, class V>
MANYCHAIN_HD void factor_row(V& L, int n, int i, int columns) {
  for_range<Unrolled>(0, columns,
                      [&](int j) { L[row_begin(i) + j] = remainder<R, Unrolled>(L, i, j) * L[row_begin(n) + 1 + j]; });
}
template <class R>
MANYCHAIN_CALLED void cholesky_by_tiles(int n, Local<R> L) {
  constexpr int B = tile_size<R>;
  const int first = n % B, inverse = row_begin(n) + 1;
  for (int i = 0; i < first; ++i) {
    factor_row<R, false>(L, n, i, i);
    put_diagonal<R>(L, n, i, remainder<R, false>(L, i, i));
  }
  for (int i0 = first; i0 < n; i0 += B) {
    int row[B];
    MANYCHAIN_UNROLL
    for (int r = 0; r < B; ++r) row[r] = row_begin(i0 + r);
    for (int r = 0; r < B; ++r) factor_row<R, false>(L, n, i0 + r, first);
    for (int j0 = first; j0 <= i0; j0 += B) {
      const bool diagonal = j0 == i0;
      int column[B];
      R tile[B][B];
      MANYCHAIN_UNROLL
      for (int c = 0; c < B; ++c) column[c] = row_begin(j0 + c);
      for_tile<B>([&](int r, int c) { tile[r][c] = R(0); });
      for (int k = 0; k < j0; ++k) {
        R a[B], b[B];
        MANYCHAIN_UNROLL
        for (int r = 0; r < B; ++r) a[r] = L[row[r] + k], b[r] = L[column[r] + k];
        for_tile<B>([&](int r, int c) { tile[r][c] = fma(a[r], b[c], tile[r][c]); });
      }
      MANYCHAIN_UNROLL
      for (int c = 0; c < B; ++c) {
        MANYCHAIN_UNROLL
        for (int r = 0; r < B; ++r) {
          if (diagonal && r < c) continue;
          R sum = tile[r][c];
          MANYCHAIN_UNROLL
          for (int k = 0; k < c; ++k) sum = fma(tile[r][k], L[column[c] + j0 + k], sum);
          sum = L[row[r] + j0 + c] - sum;
          if (diagonal && r == c) {
            put_diagonal<R>(L, n, i0 + r, sum);
            tile[r][c] = L[row[r] + j0 + c];
          } else {
            tile[r][c] = sum * L[inverse + j0 + c];
            L[row[r] + j0 + c] = tile[r][c];
          }
        }
      }
    }
  }
}
/// L holds the lower triangle of a symmetric matrix, and takes that of its Cholesky factor; behind it come a zero and
/// the reciprocals of the diagonal. n^3 / 6 products. A lane whose matrix is not positive definite becomes NaN.
template <class R, class N, class V>
MANYCHAIN_HD void cholesky_in_place(N size, V&& L) {
  L[row_begin(size.value())] = R(0);
  if constexpr (is_unrolled<FactorSize<N>>)
    for_each(size, [&](int i) {
      factor_row<R, true>(L, size.value(), i, i);
      put_diagonal<R>(L, size.value(), i, remainder<R, true>(L, i, i));
    });
  else
    cholesky_by_tiles<R>(size.value(), local(L));
}

/// Column k of row i >= k of S, all columns behind it and all rows below being known.
template <class R, bool Unrolled, class V, class S>
MANYCHAIN_HD void reverse_element(const V& L, S& s, int n, int i, int k) {
  R sum = R(0);
  for_range<Unrolled>(
      k + 1, n, [&](int j) { sum = fma(s[i < j ? row_begin(j) + i : row_begin(i) + j], L[row_begin(j) + k], sum); });
  s[row_begin(i) + k] = (s[row_begin(i) + k] - sum) * L[row_begin(n) + 1 + k];
}
template <class R>
MANYCHAIN_CALLED void cholesky_reverse_by_tiles(int n, Local<R> L, Local<R> s) {
  constexpr int B = tile_size<R>;
  const int first = n % B, inverse = row_begin(n) + 1;
  for (int k0 = n - B; k0 >= first; k0 -= B)
    for (int i0 = n - B; i0 >= k0; i0 -= B) {
      const bool diagonal = k0 == i0;
      int row[B];
      R tile[B][B];
      MANYCHAIN_UNROLL
      for (int r = 0; r < B; ++r) row[r] = row_begin(i0 + r);
      for_tile<B>([&](int r, int c) { tile[r][c] = R(0); });
      const auto add = [&](int j, const auto& of_s) {
        R a[B], b[B];
        const int at = row_begin(j) + k0;
        MANYCHAIN_UNROLL
        for (int r = 0; r < B; ++r) a[r] = of_s(r), b[r] = L[at + r];
        for_tile<B>([&](int r, int c) { tile[r][c] = fma(a[r], b[c], tile[r][c]); });
      };
      for (int j = k0 + B; j < i0; ++j) add(j, [&](int r) { return s[row[r] + j]; });
      if (!diagonal)
        for (int jj = 0; jj < B; ++jj)
          add(i0 + jj, [&](int r) { return s[r < jj ? row_begin(i0 + jj) + i0 + r : row[r] + i0 + jj]; });
      for (int j = i0 + B; j < n; ++j) {
        const int at = row_begin(j) + i0;
        add(j, [&](int r) { return s[at + r]; });
      }
      MANYCHAIN_UNROLL
      for (int c = B - 1; c >= 0; --c) {
        MANYCHAIN_UNROLL
        for (int r = B - 1; r >= 0; --r) {
          if (diagonal && r < c) continue;
          R sum = tile[r][c];
          MANYCHAIN_UNROLL
          for (int k = c + 1; k < B; ++k) {
            const R known = diagonal && r < k ? tile[k][r] : tile[r][k];
            sum = fma(known, L[row_begin(k0 + k) + k0 + c], sum);
          }
          tile[r][c] = (s[row[r] + k0 + c] - sum) * L[inverse + k0 + c];
          s[row[r] + k0 + c] = tile[r][c];
        }
      }
    }
  for (int k = first - 1; k >= 0; --k)
    for (int i = n - 1; i >= k; --i) reverse_element<R, false>(L, s, n, i, k);
}
/// The reverse mode. S holds the adjoints of the lower triangle of L and takes those of the matrix A = L L', so: the
/// adjoint of A[i][j], which stands for A[j][i], too, is S[i][j], and that of A[i][i] is S[i][i] / 2. In terms of the
/// symmetric matrix S, dA = dL L' + L dL' says that the lower triangles of S L and of the adjoints of L are the same,
/// which gives S column by column from the last one. n^3 / 3 products. (Murray 2016, "Differentiation of the Cholesky
/// decomposition", has the same as blocks; Smith 1995.)
template <class R, class N, class V, class S>
MANYCHAIN_HD void cholesky_reverse(N size, V& L, S& s) {
  const int n = size.value();
  if constexpr (is_unrolled<FactorSize<N>>)
    for_each(size, [&](int back) {
      const int k = n - 1 - back;
      for_range<true>(0, n - k, [&](int up) { reverse_element<R, true>(L, s, n, n - 1 - up, k); });
    });
  else
    cholesky_reverse_by_tiles<R>(n, local(L), local(s));
}

}  // namespace detail

/// The Cholesky factor of a symmetric positive definite matrix, of which the lower triangle is read.
template <class A, class R, class N, bool Gradient>
class CholeskyFactor
    : public IntermediateVector<CholeskyFactor<A, R, N, Gradient>, R, detail::FactorSize<N>, Gradient> {
  using Base = IntermediateVector<CholeskyFactor, R, detail::FactorSize<N>, Gradient>;

 public:
  MANYCHAIN_HD CholeskyFactor(const A& matrix, N n, Arena<R>& arena)
      : Base(detail::factor_size(n), arena), matrix_(matrix), n_(n) {
    detail::fill_triangle<R>(matrix_, n_, this->values());
    detail::cholesky_in_place<R>(n_, this->values());
    this->clear_adjoints();
  }
  MANYCHAIN_HD ~CholeskyFactor() {
    if constexpr (Gradient) {
      detail::cholesky_reverse<R>(n_, this->values(), this->adjoints());
      auto&& adjoints = detail::local(this->adjoints());
      detail::for_triangle(n_, [&](int i, int j) {
        const R adjoint = adjoints[detail::row_begin(i) + j];
        as_node(matrix_[i][j]).push(j < i ? adjoint : R(0.5) * adjoint, NoMask{});
      });
    }
  }
  CholeskyFactor(const CholeskyFactor&) = default;  // the base refuses
  CholeskyFactor& operator=(const CholeskyFactor&) = default;

 private:
  A matrix_;
  N n_;
};

}  // namespace MANYCHAIN_ISA
}  // namespace manychain

#undef MANYCHAIN_CALLED
