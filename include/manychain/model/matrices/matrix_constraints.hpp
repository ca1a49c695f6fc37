// Matrices of parameters with a constraint: Cholesky factors, correlation and covariance matrices. Transforms: Stan
// Reference Manual, "Constraint transforms"; the order of the unconstrained numbers is Stan's, too.
#pragma once

#include "manychain/model/matrices/linear_algebra.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// Position of the unconstrained number of element (i, j), i > j: row by row of the factor of a correlation matrix,
/// column by column of a correlation matrix.
MANYCHAIN_HD int partial_correlation(const CholeskyCorr&, int, int i, int j) { return i * (i - 1) / 2 + j; }
MANYCHAIN_HD int partial_correlation(const CorrMatrix&, int n, int i, int j) {
  return j * (2 * n - j - 1) / 2 + (i - j - 1);
}
/// Power of sech of that number in the Jacobian: 2 by the derivative of tanh, 1 by each off-diagonal element that
/// follows in the row, and n - 1 - i by L to L L', the power of L[i][i] there. (Lewandowski, Kurowicka and Joe 2009,
/// equation 11.)
MANYCHAIN_HD int sech_power(const CholeskyCorr&, int, int i, int j) { return i - j + 1; }
MANYCHAIN_HD int sech_power(const CorrMatrix&, int n, int, int j) { return n - j; }
/// Multiple of u, of the diagonal L[i][i] = exp(u), in the log Jacobian: 1 by exp; with L to L L' n + 1 - i in all.
MANYCHAIN_HD int diagonal_power(const CholeskyCov&, int, int) { return 1; }
MANYCHAIN_HD int diagonal_power(const CovMatrix&, int n, int i) { return n - i + 1; }
MANYCHAIN_HD double constant_jacobian(const CholeskyCov&, int) { return 0; }
MANYCHAIN_HD double constant_jacobian(const CovMatrix&, int n) { return n * log_two; }

template <class C>
concept Correlation = std::is_same_v<C, CholeskyCorr> || std::is_same_v<C, CorrMatrix>;
template <class C>
concept Covariance = std::is_same_v<C, CholeskyCov> || std::is_same_v<C, CovMatrix>;
/// True if the parameter is the product L L'.
template <class C>
inline constexpr bool is_product_matrix = std::is_same_v<C, CorrMatrix> || std::is_same_v<C, CovMatrix>;

/// tanh and sech of u, and log sech, none of which loses digits at either end.
template <class R>
struct TanhSech {
  R tanh_u, sech;
  MANYCHAIN_HD explicit TanhSech(R u) {
    const R a = abs(u), e = expm1(R(-2) * a);  // tanh |u| = -e / (2 + e)
    const R inverse = R(1) / (R(2) + e), t = -e * inverse;
    tanh_u = select(u < R(0), -t, t);
    sech = R(2) * exp(-a) * inverse;
  }
  MANYCHAIN_HD static R log_sech(R u) {
    const R a = abs(u);
    return R(log_two) - a - log1p(exp(R(-2) * a));
  }
};

/// Fills the factor L, with its zero and its reciprocals, and returns the log Jacobian. A row of the factor of a
/// correlation matrix has length one: L[i][j] = tanh(u_ij) times what is left, of which sech(u_ij) is left then.
template <class R, Correlation C, class N, class U, class V>
MANYCHAIN_HD R constrain_factor(const C& constraint, N size, const U& u, V& L) {
  const int n = size.value(), inverse = row_begin(n) + 1;
  R jacobian = R(0);
  L[inverse - 1] = R(0);
  for_each(size, [&](int i) {
    R left = R(1);
    for_range<is_unrolled<FactorSize<N>>>(0, i, [&](int j) {
      const R x = u[partial_correlation(constraint, n, i, j)];
      const TanhSech<R> parts(x);
      L[row_begin(i) + j] = parts.tanh_u * left;
      left *= parts.sech;
      jacobian += R(sech_power(constraint, n, i, j)) * TanhSech<R>::log_sech(x);
    });
    L[row_begin(i) + i] = left;
    L[inverse + i] = R(1) / left;
  });
  return jacobian;
}
/// Adds to the gradient g what the adjoints of L and the Jacobian are due. What was left before element j is the length
/// of the rest of the row, a sum of squares.
template <class R, Correlation C, class N, class U, class V, class A, class G>
MANYCHAIN_HD void reverse_factor(const C& constraint, N size, const U& u, const V& L, const A& adjoint, G& g) {
  const int n = size.value();
  for_each(size, [&](int i) {
    const int row = row_begin(i);
    R left_adjoint = adjoint[row + i], squares = L[row + i] * L[row + i];
    for_range<is_unrolled<FactorSize<N>>>(0, i, [&](int back) {
      const int j = i - 1 - back, at = partial_correlation(constraint, n, i, j);
      const TanhSech<R> parts(u[at]);
      squares = fma(L[row + j], L[row + j], squares);
      const R left = sqrt(squares), a = adjoint[row + j];
      const R slope = left * parts.sech * (a * parts.sech - left_adjoint * parts.tanh_u);
      g[at] += fma(R(-sech_power(constraint, n, i, j)), parts.tanh_u, slope);
      left_adjoint = a * parts.tanh_u + left_adjoint * parts.sech;
    });
  });
}

template <class R, Covariance C, class N, class U, class V>
MANYCHAIN_HD R constrain_factor(const C& constraint, N size, const U& u, V& L) {
  const int n = size.value(), inverse = row_begin(n) + 1;
  R jacobian = R(constant_jacobian(constraint, n));
  L[inverse - 1] = R(0);
  for_triangle(size, [&](int i, int j) {
    const R x = u[row_begin(i) + j];
    if (j < i) {
      L[row_begin(i) + j] = x;
    } else {
      L[row_begin(i) + i] = exp(x);
      L[inverse + i] = exp(-x);
      jacobian += R(diagonal_power(constraint, n, i)) * x;
    }
  });
  return jacobian;
}
template <class R, Covariance C, class N, class U, class V, class A, class G>
MANYCHAIN_HD void reverse_factor(const C& constraint, N size, const U&, const V& L, const A& adjoint, G& g) {
  for_triangle(size, [&](int i, int j) {
    const int at = row_begin(i) + j;
    g[at] += j < i ? R(adjoint[at]) : fma(adjoint[at], L[at], R(diagonal_power(constraint, size.value(), i)));
  });
}

/// On the host: u from a factor; a component is not finite where it is none.
template <class R, Correlation C, class V, class U>
void unconstrain_factor(const C& constraint, int n, const V& L, U& u) {
  for (int i = 0; i < n; ++i) {
    R squares = L[row_begin(i) + i] * L[row_begin(i) + i];
    R rest = L[row_begin(i) + i] > R(0) ? sqrt(squares) : R(std::numeric_limits<number_of<R>>::quiet_NaN());
    for (int j = i - 1; j >= 0; --j) {
      const R x = L[row_begin(i) + j];
      squares += x * x;
      const R left = sqrt(squares), a = log((left + abs(x)) / rest);  // artanh(|x| / left)
      u[static_cast<std::size_t>(partial_correlation(constraint, n, i, j))] = x < R(0) ? -a : a;
      rest = left;
    }
  }
}
template <class R, Covariance C, class V, class U>
void unconstrain_factor(const C&, int n, const V& L, U& u) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      const R x = L[row_begin(i) + j];
      u[static_cast<std::size_t>(row_begin(i) + j)] = j < i ? x : log(x);
    }
}
}  // namespace detail

/// A Cholesky factor of parameters.
template <class C, class R, class Q, class G, class N, bool Gradient>
class ConstrainedFactor
    : public IntermediateVector<ConstrainedFactor<C, R, Q, G, N, Gradient>, R, detail::FactorSize<N>, Gradient> {
  using Base = IntermediateVector<ConstrainedFactor, R, detail::FactorSize<N>, Gradient>;

 public:
  template <class Target>
  MANYCHAIN_HD ConstrainedFactor(const Q* q, G* g, int offset, N n, Target& target)
      : Base(detail::factor_size(n), target.arena()), q_(q), g_(g), offset_(offset), n_(n) {
    target.add(detail::constrain_factor<R>(C{}, n_, Shifted<const Q>{q_, offset_}, this->values()));
    if constexpr (Target::outputs && !detail::is_product_matrix<C>)
      for_each(n_, [&](int i) {
        for_each(n_, [&](int j) { target.emit(j > i ? R(0) : R(this->values()[detail::row_begin(i) + j])); });
      });
    this->clear_adjoints();
  }
  MANYCHAIN_HD ~ConstrainedFactor() {
    if constexpr (Gradient) {
      Shifted<G> g{g_, offset_};
      detail::reverse_factor<R>(C{}, n_, Shifted<const Q>{q_, offset_}, this->values(), this->adjoints(), g);
    }
  }
  ConstrainedFactor(const ConstrainedFactor&) = default;  // the base refuses
  ConstrainedFactor& operator=(const ConstrainedFactor&) = default;

 private:
  const Q* q_;
  G* g_;
  int offset_;
  N n_;
};

/// A correlation or covariance matrix of parameters: the lower triangle of L L', and L beside it.
template <class C, class R, class Q, class G, class N, bool Gradient>
class ConstrainedProduct
    : public IntermediateVector<ConstrainedProduct<C, R, Q, G, N, Gradient>, R, detail::TriangleSize<N>, Gradient> {
  using Base = IntermediateVector<ConstrainedProduct, R, detail::TriangleSize<N>, Gradient>;
  using FactorSize = detail::FactorSize<N>;
  static constexpr bool in_registers = is_unrolled<FactorSize>;
  using Memory =
      std::conditional_t<in_registers, Registers<R, FactorSize::fixed ? FactorSize::compile_time : 1>, Strided<R>>;

 public:
  template <class Target>
  MANYCHAIN_HD ConstrainedProduct(const Q* q, G* g, int offset, N n, Target& target)
      : Base(detail::triangle_size(n), target.arena()), q_(q), g_(g), offset_(offset), n_(n), arena_(&target.arena()) {
    if constexpr (!in_registers) {
      factor_ = arena_->take(detail::factor_size(n_).value());
      if constexpr (Gradient) factor_adjoint_ = arena_->take(detail::factor_size(n_).value());
    }
    auto&& L = detail::local(factor_);
    auto&& product = detail::local(this->values());
    target.add(detail::constrain_factor<R>(C{}, n_, Shifted<const Q>{q_, offset_}, L));
    detail::for_triangle(n_, [&](int i, int j) {
      R sum = R(0);
      detail::for_range<in_registers>(
          0, j + 1, [&](int k) { sum = fma(L[detail::row_begin(i) + k], L[detail::row_begin(j) + k], sum); });
      // A row of the factor of a correlation matrix has length one. Its diagonal is recorded, too: no rounding there.
      product[detail::row_begin(i) + j] = detail::Correlation<C> && i == j ? R(1) : sum;
    });
    if constexpr (Target::outputs)
      for_each(n_, [&](int i) {
        for_each(n_, [&](int j) { target.emit(product[i < j ? detail::row_begin(j) + i : detail::row_begin(i) + j]); });
      });
    this->clear_adjoints();
  }
  MANYCHAIN_HD ~ConstrainedProduct() {
    if constexpr (Gradient) {
      auto&& L = detail::local(factor_);
      auto&& adjoint = detail::local(factor_adjoint_);
      auto&& of_product = detail::local(this->adjoints());
      detail::for_triangle(n_, [&](int i, int j) { adjoint[detail::row_begin(i) + j] = R(0); });
      detail::for_triangle(n_, [&](int i, int j) {
        const int a = detail::row_begin(i), b = detail::row_begin(j);
        const R x = of_product[a + j];
        detail::for_range<in_registers>(0, j + 1, [&](int k) {
          adjoint[a + k] = fma(x, L[b + k], adjoint[a + k]);
          adjoint[b + k] = fma(x, L[a + k], adjoint[b + k]);
        });
      });
      Shifted<G> g{g_, offset_};
      detail::reverse_factor<R>(C{}, n_, Shifted<const Q>{q_, offset_}, L, adjoint, g);
    }
    if constexpr (!in_registers) arena_->give_back((Gradient ? 2 : 1) * detail::factor_size(n_).value());
  }
  ConstrainedProduct(const ConstrainedProduct&) = default;  // the base refuses
  ConstrainedProduct& operator=(const ConstrainedProduct&) = default;

 private:
  const Q* q_;
  G* g_;
  int offset_;
  N n_;
  Arena<R>* arena_;
  Memory factor_, factor_adjoint_;
};

/// Either of them as its draws hold it: all n x n elements, row by row, from q[offset] on. Of Request::pointwise, which
/// has no unconstrained numbers and asks for no gradient.
template <class C, class R, class Q, class N>
class RecordedTriangle
    : public IntermediateVector<
          RecordedTriangle<C, R, Q, N>, R,
          std::conditional_t<detail::is_product_matrix<C>, detail::TriangleSize<N>, detail::FactorSize<N>>, false> {
  using Base = IntermediateVector<
      RecordedTriangle, R,
      std::conditional_t<detail::is_product_matrix<C>, detail::TriangleSize<N>, detail::FactorSize<N>>, false>;
  MANYCHAIN_HD static auto size_of(N n) {
    if constexpr (detail::is_product_matrix<C>)
      return detail::triangle_size(n);
    else
      return detail::factor_size(n);
  }

 public:
  MANYCHAIN_HD RecordedTriangle(const Q& q, int offset, N size, Arena<R>& arena) : Base(size_of(size), arena) {
    const int n = size.value();
    auto& values = this->values();
    detail::for_triangle(size, [&](int i, int j) { values[detail::row_begin(i) + j] = q[offset + i * n + j]; });
    if constexpr (!detail::is_product_matrix<C>) {  // the zero and the reciprocals, as constrain_factor() has them
      const int inverse = detail::row_begin(n) + 1;
      values[inverse - 1] = R(0);
      for_each(size, [&](int i) { values[inverse + i] = R(1) / values[detail::row_begin(i) + i]; });
    }
  }
  RecordedTriangle(const RecordedTriangle&) = default;  // the base refuses
  RecordedTriangle& operator=(const RecordedTriangle&) = default;
};

/// The matrix that Target::square_matrix() makes of draws.
template <class C, class N, class Q, class Target>
MANYCHAIN_HD auto make_recorded_matrix(const C&, N n, const Q* q, int offset, Target& target) {
  using V = RecordedTriangle<C, typename Target::real_type, Q, N>;
  return StoredTriangle<V, N, detail::is_product_matrix<C>>([&] { return V(*q, offset, n, target.arena()); }, n);
}

/// The matrix that Target::square_matrix() makes.
template <class C, class N, class Q, class G, class Target>
MANYCHAIN_HD auto make_square_matrix(const C&, N n, const Q* q, G* g, int offset, Target& target) {
  using R = typename Target::real_type;
  using V = std::conditional_t<detail::is_product_matrix<C>, ConstrainedProduct<C, R, Q, G, N, Target::gradient>,
                               ConstrainedFactor<C, R, Q, G, N, Target::gradient>>;
  return StoredTriangle<V, N, detail::is_product_matrix<C>>([&] { return V(q, g, offset, n, target); }, n);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
