// Distributions of vectors and of matrices. One that factors or solves needs intermediates of its own: it stands in
// `target += ...` or target.observe("y", ...), not in the body of observe() or sum_over(). Those with a lower
// triangular scale are numbers of expressions, too: sum(multi_normal_cholesky(y, mu, L)), for mixtures.
//
// Formulae: Stan Functions Reference; Gelman et al., Bayesian Data Analysis, appendix A.
#pragma once

#include <utility>

#include "manychain/model/distributions/distributions.hpp"
#include "manychain/model/matrices/linear_algebra.hpp"
#include "manychain/model/matrices/matrix_statements.hpp"
#include "manychain/model/matrices/solved_square.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

/// A literal as a constant in the precision of R.
template <class R, class E>
MANYCHAIN_HD auto real_node(const E& x) {
  if constexpr (Real<std::remove_cvref_t<decltype(x.value())>>)
    return x;
  else
    return elementary(R(x.value()));
}
/// log Gamma(a) of a node or a number, a > 0.
template <class T>
MANYCHAIN_HD auto lgamma_node(const T& a) {
  const auto x = as_node(a);
  using V = std::remove_cvref_t<decltype(x.value())>;
  if constexpr (Real<V>)
    return elementary(lgamma_positive(x.value()), partial(x, digamma_positive(x.value())));
  else
    return elementary(lgamma_positive(Scalar<double>(x.value())).v);
}

/// body(y) for a vector y, or for each row of a matrix.
template <class Target, class Y, class Body>
MANYCHAIN_HD void for_each_draw(Target&, const Y& y, const Body& body) {
  if constexpr (ModelMatrix<Y>) {
    int rows = y.rows();
    if constexpr (!evaluates<Target>)
      if (!checks_bounds && rows > 1) rows = 1;  // a layout: working memory is that of one row
    for (int j = 0; j < rows; ++j) body(y[j]);
  } else {
    body(y);
  }
}
template <class Y>
MANYCHAIN_HD int count_draws(const Y& y) {
  if constexpr (ModelMatrix<Y>)
    return y.rows();
  else
    return 1;
}
template <class Y>
MANYCHAIN_HD auto hold_draws(const Y& y) {
  if constexpr (ModelMatrix<Y>)
    return hold_matrix(y);
  else
    return y.view();
}
template <class T>
concept Draws = ModelVector<T> || ModelMatrix<T>;
}  // namespace detail

/// A distribution with a lower triangular scale adds this for each y: density(z' z, n) of z = L^-1 (y - mu), and
/// -log |L|.
template <class Y, class M, class L, class Density>
class EllipticalCholesky : public CompoundTag {
 public:
  MANYCHAIN_HD EllipticalCholesky(const Y& y, const M& mean, const L& factor, const Density& density)
      : y_(y), mean_(mean), factor_(factor), density_(density) {}
  template <class Target>
  MANYCHAIN_HD void add_to(Target& target) const {
    detail::for_each_draw(target, y_, [&](const auto& y) {
      if constexpr (checks_bounds)
        for (int i = 0; i < y.size().value(); ++i)
          detail::note_scale(as_node(y[i]), as_node(detail::element_at(mean_, i)), as_node(factor_[i][i]));
      auto z = target.solve_lower(factor_, y - mean_);
      target += density_(sum(square(z)), z.size().value());
    });
    target += -(detail::count_draws(y_) * log_determinant(factor_));
  }
  /// That sum as a number of an expression.
  MANYCHAIN_HD auto number() const {
    if constexpr (ModelMatrix<Y>)
      return sum(vector_of(y_.rows(), [one = *this](int j) { return one.of_draw(one.y_[j]); }));
    else
      return of_draw(y_);
  }

 private:
  template <class Draw>
  MANYCHAIN_HD auto of_draw(const Draw& y) const {
    const auto right = (y - mean_).view();
    using V = std::remove_const_t<decltype(right)>;
    return density_(SolvedSquare<L, V>(factor_, right), right.size().value()) - log_determinant(factor_);
  }

  Y y_;
  M mean_;
  L factor_;
  Density density_;
};
template <class Y, class M, class L, class Density>
MANYCHAIN_HD auto sum(const EllipticalCholesky<Y, M, L, Density>& density) {
  return density.number();
}
/// Elliptical density with a covariance matrix, which is factored once.
template <class Y, class M, class S, class Density>
class EllipticalCovariance : public CompoundTag {
 public:
  MANYCHAIN_HD EllipticalCovariance(const Y& y, const M& mean, const S& covariance, const Density& density)
      : y_(y), mean_(mean), covariance_(covariance), density_(density) {}
  template <class Target>
  MANYCHAIN_HD void add_to(Target& target) const {
    auto L = target.cholesky(covariance_);
    using Factor = decltype(detail::hold_matrix(L));
    target += EllipticalCholesky<Y, M, Factor, Density>(y_, mean_, detail::hold_matrix(L), density_);
  }

 private:
  Y y_;
  M mean_;
  S covariance_;
  Density density_;
};

namespace detail {
struct NormalOfSquare {
  template <class S>
  MANYCHAIN_HD auto operator()(const S& squares, int n) const {
    return -0.5 * squares - half_log_two_pi * n;
  }
};
template <class N>
struct StudentOfSquare {
  N freedom;
  template <class S>
  MANYCHAIN_HD auto operator()(const S& squares, int n) const {
    const auto nu = real_node<std::remove_cvref_t<decltype(squares.value())>>(freedom);
    const auto half = 0.5 * nu;
    return lgamma_node(half + 0.5 * n) - lgamma_node(half) - 0.5 * n * log(pi * nu) -
           (half + 0.5 * n) * log1p(squares / nu);
  }
};
template <class Y, class M, class L>
MANYCHAIN_HD void check_draws(const char* what, const Y& y, const M& mean, const L& matrix) {
  check_square(what, matrix);
  if constexpr (checks_bounds) {
    if constexpr (ModelMatrix<Y>)
      checks::same_size(what, checks::Operand{y.columns().value(), "columns of y"},
                        checks::Operand{matrix.columns().value(), "matrix"}, checked_operand(mean));
    else
      checks::same_size(what, checked_operand(y), checks::Operand{matrix.columns().value(), "matrix"},
                        checked_operand(mean));
  }
}
template <template <class...> class Term, class Y, class M, class L, class Density>
MANYCHAIN_HD auto elliptical(const Y& y, const M& mean, const L& matrix, const Density& density) {
  const auto draws = hold_draws(y);
  const auto mu = hold(mean);
  const auto scale = hold_matrix(matrix);
  return Term<std::remove_const_t<decltype(draws)>, std::remove_const_t<decltype(mu)>,
              std::remove_const_t<decltype(scale)>, Density>(draws, mu, scale, density);
}
}  // namespace detail

/// multi_normal_cholesky(y, mu, L): y ~ N(mu, L L') of a vector y, or of each row of a matrix. mu is a vector, or a
/// number for all elements; L lower triangular with a positive diagonal. Support: all vectors. Source: Stan Functions
/// Reference, Multivariate normal distribution.
template <detail::Draws Y, detail::VectorArgument M, LowerTriangular L>
MANYCHAIN_HD auto multi_normal_cholesky(const Y& y, const M& mean, const L& factor) {
  detail::check_draws("multi_normal_cholesky()", y, mean, factor);
  return detail::elliptical<EllipticalCholesky>(y, mean, factor, detail::NormalOfSquare{});
}
/// multi_normal(y, mu, Sigma): y ~ N(mu, Sigma) of a vector y, or of each row of a matrix. Sigma is symmetric and
/// positive definite, or the log density is no number; its lower triangle is read. Support: all vectors. Source: Stan
/// Functions Reference, Multivariate normal distribution.
template <detail::Draws Y, detail::VectorArgument M, ModelMatrix S>
MANYCHAIN_HD auto multi_normal(const Y& y, const M& mean, const S& covariance) {
  detail::check_draws("multi_normal()", y, mean, covariance);
  return detail::elliptical<EllipticalCovariance>(y, mean, covariance, detail::NormalOfSquare{});
}
/// multi_student_t_cholesky(y, nu, mu, L): Student's t of a vector with nu > 0 degrees of freedom, location mu and
/// scale matrix L L', or of each row of a matrix. Support: all vectors. Source: Stan Functions Reference, Multivariate
/// Student-t distribution.
template <detail::Draws Y, Operand N, detail::VectorArgument M, LowerTriangular L>
MANYCHAIN_HD auto multi_student_t_cholesky(const Y& y, const N& freedom, const M& location, const L& factor) {
  detail::needs_positive("multi_student_t_cholesky", "nu", freedom);
  detail::check_draws("multi_student_t_cholesky()", y, location, factor);
  return detail::elliptical<EllipticalCholesky>(y, location, factor,
                                                detail::StudentOfSquare<node_of<N>>{as_node(freedom)});
}
/// multi_student_t(y, nu, mu, Sigma): the same with scale matrix Sigma. Support: all vectors. Source: Stan Functions
/// Reference, Multivariate Student-t distribution.
template <detail::Draws Y, Operand N, detail::VectorArgument M, ModelMatrix S>
MANYCHAIN_HD auto multi_student_t(const Y& y, const N& freedom, const M& location, const S& scale) {
  detail::needs_positive("multi_student_t", "nu", freedom);
  detail::check_draws("multi_student_t()", y, location, scale);
  return detail::elliptical<EllipticalCovariance>(y, location, scale,
                                                  detail::StudentOfSquare<node_of<N>>{as_node(freedom)});
}

/// multi_normal_precision() adds this.
template <class Y, class M, class P>
class NormalPrecision : public CompoundTag {
 public:
  MANYCHAIN_HD NormalPrecision(const Y& y, const M& mean, const P& precision)
      : y_(y), mean_(mean), precision_(precision) {}
  template <class Target>
  MANYCHAIN_HD void add_to(Target& target) const {
    {
      auto L = target.cholesky(precision_);
      target += detail::count_draws(y_) * log_determinant(L);
    }
    detail::for_each_draw(target, y_, [&](const auto& y) {
      auto residual = target.let(y - mean_);
      target += -0.5 * quad_form_sym(precision_, residual) - half_log_two_pi * residual.size().value();
    });
  }

 private:
  Y y_;
  M mean_;
  P precision_;
};
/// multi_normal_precision(y, mu, P): y ~ N(mu, P^-1) of a vector y, or of each row of a matrix. P is symmetric and
/// positive definite; its lower triangle is read. Support: all vectors. Source: Stan Functions Reference, Multivariate
/// normal distribution.
template <detail::Draws Y, detail::VectorArgument M, ModelMatrix P>
MANYCHAIN_HD auto multi_normal_precision(const Y& y, const M& mean, const P& precision) {
  detail::check_draws("multi_normal_precision()", y, mean, precision);
  const auto draws = detail::hold_draws(y);
  const auto mu = detail::hold(mean);
  const auto held = detail::hold_matrix(precision);
  return NormalPrecision<std::remove_const_t<decltype(draws)>, std::remove_const_t<decltype(mu)>,
                         std::remove_const_t<decltype(held)>>(draws, mu, held);
}

namespace detail {
/// The logarithm of the integral of |R|^(eta - 1) over the correlation matrices of n rows (Lewandowski, Kurowicka and
/// Joe 2009, equation 16), negative: sum_k log Gamma(eta + (n - 1) / 2) - log Gamma(eta + (n - 1 - k) / 2) - k / 2 log
/// pi for k = 1 .. n - 1.
template <class E>
MANYCHAIN_HD auto lkj_constant(const E& shape, int n) {
  const auto eta = as_node(shape);
  using V = std::remove_cvref_t<decltype(eta.value())>;
  using R = std::conditional_t<Real<V>, V, Scalar<double>>;
  const R a = R(eta.value()), last = a + R(0.5 * (n - 1));
  R value = R(n - 1) * lgamma_positive(last) - R(0.25 * n * (n - 1) * log_pi);
  R slope = R(n - 1) * digamma_positive(last);
  for (int k = 1; k < n; ++k) {
    const R x = a + R(0.5 * (n - 1 - k));
    value -= lgamma_positive(x);
    slope -= digamma_positive(x);
  }
  if constexpr (Real<V>)
    return elementary(value, partial(eta, slope));
  else
    return elementary(value.v);
}
}  // namespace detail

/// sum_i (n - 1 - i + 2 (eta - 1)) log L[i][i].
template <class L, class E>
struct LkjDiagonal : NoNumber<ExpressionTag, LkjDiagonal<L, E>> {
  L factor;
  E eta;
  using R = std::remove_cvref_t<value_of<decltype(std::declval<L>()[0][0])>>;
  R v, log_determinant;
  MANYCHAIN_HD LkjDiagonal(const L& lower, const E& shape) : factor(lower), eta(shape), v(0), log_determinant(0) {
    for_each(factor.columns(), [&](int i) {
      const R x = log(R(as_node(factor[i][i]).value()));
      v = fma(power(i), x, v);
      log_determinant += x;
    });
  }
  MANYCHAIN_HD R value() const { return v; }
  template <class A, class M>
  MANYCHAIN_HD void push(A a, M m) const {
    const R adjoint = detail::adjoint_in<R>(a);
    for_each(factor.columns(),
             [&](int i) { as_node(factor[i][i]).push(adjoint, power(i) * R(detail::reciprocal_of(factor, i)), m); });
    eta.push(adjoint, R(2) * log_determinant, m);
  }
  template <class A, class F, class M>
  MANYCHAIN_HD void push(A a, F factor_of, M m) const {
    push(a * factor_of, m);
  }

 private:
  MANYCHAIN_HD R power(int i) const { return R(factor.columns().value() - 3 - i) + R(2) * R(eta.value()); }
};
/// lkj_corr_cholesky(L, eta): the Cholesky factor of a correlation matrix R with density proportional to
/// |R|^(eta - 1), shape eta > 0. Support: lower triangular, a positive diagonal, rows of length one. Source:
/// Lewandowski, Kurowicka and Joe 2009.
template <LowerTriangular L, Operand E>
MANYCHAIN_HD auto lkj_corr_cholesky(const L& factor, const E& shape) {
  detail::needs_positive("lkj_corr_cholesky", "eta", shape);
  detail::check_square("lkj_corr_cholesky()", factor);
  const auto held = detail::hold_matrix(factor);
  const auto eta = as_node(shape);
  return LkjDiagonal<std::remove_const_t<decltype(held)>, std::remove_const_t<decltype(eta)>>(held, eta) +
         detail::lkj_constant(shape, factor.columns().value());
}

/// lkj_corr() adds this.
template <class M, class E>
class LkjCorr : public CompoundTag {
 public:
  MANYCHAIN_HD LkjCorr(const M& matrix, const E& eta) : matrix_(matrix), eta_(eta) {}
  template <class Target>
  MANYCHAIN_HD void add_to(Target& target) const {
    auto L = target.cholesky(matrix_);
    target += 2 * (eta_ - 1.0) * log_determinant(L) + detail::lkj_constant(eta_, matrix_.columns().value());
  }

 private:
  M matrix_;
  E eta_;
};
/// lkj_corr(R, eta): a correlation matrix with density proportional to |R|^(eta - 1), shape eta > 0. Support:
/// correlation matrices. Source: Lewandowski, Kurowicka and Joe 2009.
template <ModelMatrix M, Operand E>
MANYCHAIN_HD auto lkj_corr(const M& matrix, const E& shape) {
  detail::needs_positive("lkj_corr", "eta", shape);
  detail::check_square("lkj_corr()", matrix);
  const auto held = detail::hold_matrix(matrix);
  const auto eta = as_node(shape);
  return LkjCorr<std::remove_const_t<decltype(held)>, std::remove_const_t<decltype(eta)>>(held, eta);
}

/// wishart() and inv_wishart() add this, a density of |W|, |S| and the trace of S^-1 W or S W^-1.
template <bool Inverse, class W, class N, class S>
class Wishart : public CompoundTag {
 public:
  MANYCHAIN_HD Wishart(const W& matrix, const N& freedom, const S& scale)
      : matrix_(matrix), freedom_(freedom), scale_(scale) {}
  template <class Target>
  MANYCHAIN_HD void add_to(Target& target) const {
    const int n = matrix_.columns().value();
    auto L = target.cholesky(matrix_);
    auto T = target.cholesky(scale_);
    const auto from = detail::hold_matrix(L);
    const auto scale = detail::hold_matrix(T);
    // The trace is the sum of squares of T^-1 L, or L^-1 T: a solution for each column.
    int columns = n;
    if constexpr (!evaluates<Target>)
      if (!checks_bounds && n > 1) columns = 1;  // a layout: working memory is that of one column
    for (int j = 0; j < columns; ++j) {
      auto z = [&] {
        if constexpr (Inverse)
          return target.solve_lower(from, column(scale, j));
        else
          return target.solve_lower(scale, column(from, j));
      }();
      target += -0.5 * sum(square(z));
    }
    const double quarter = 0.25 * n * (n - 1) * log_pi;
    if constexpr (Inverse)
      target += freedom_ * log_determinant(scale) - (freedom_ + (n + 1.0)) * log_determinant(from);
    else
      target += (freedom_ - (n + 1.0)) * log_determinant(from) - freedom_ * log_determinant(scale);
    target += -((0.5 * n * log_two) * freedom_) - quarter;
    for (int k = 0; k < n; ++k) target += -detail::lgamma_node(0.5 * freedom_ - 0.5 * k);
  }

 private:
  W matrix_;
  N freedom_;
  S scale_;
};
namespace detail {
template <bool Inverse, class W, class N, class S>
MANYCHAIN_HD auto make_wishart(const char* what, const W& matrix, const N& freedom, const S& scale) {
  check_square(what, matrix);
  check_square(what, scale);
  if constexpr (checks_bounds)
    checks::same_size(what, checks::Operand{matrix.columns().value(), "W"},
                      checks::Operand{scale.columns().value(), "S"});
  const auto w = hold_matrix(matrix);
  const auto s = hold_matrix(scale);
  const auto nu = as_node(freedom);
  return Wishart<Inverse, std::remove_const_t<decltype(w)>, std::remove_const_t<decltype(nu)>,
                 std::remove_const_t<decltype(s)>>(w, nu, s);
}
}  // namespace detail
/// wishart(W, nu, S): a covariance matrix with nu > n - 1 degrees of freedom and scale matrix S, mean nu S. Support:
/// symmetric, positive definite. Source: Stan Functions Reference, Wishart distribution.
template <ModelMatrix W, Operand N, ModelMatrix S>
MANYCHAIN_HD auto wishart(const W& matrix, const N& freedom, const S& scale) {
  detail::needs_positive("wishart", "nu", freedom);
  return detail::make_wishart<false>("wishart()", matrix, freedom, scale);
}
/// inv_wishart(W, nu, S): its inverse is Wishart with nu > n - 1 degrees of freedom and scale matrix S^-1; mean S / (nu
/// - n - 1). Support: symmetric, positive definite. Source: Stan Functions Reference, Inverse Wishart distribution.
template <ModelMatrix W, Operand N, ModelMatrix S>
MANYCHAIN_HD auto inv_wishart(const W& matrix, const N& freedom, const S& scale) {
  detail::needs_positive("inv_wishart", "nu", freedom);
  return detail::make_wishart<true>("inv_wishart()", matrix, freedom, scale);
}

// A density of this header in an expression: one sentence, where the compiler would list every operator. The result
// types are placeholders: the sentence comes before what it is a part of.
namespace detail {
template <class T>
MANYCHAIN_HD auto refuse_compound() {
  static_assert(allowed<T>,
                "this log density is a statement of its own, target += ...; in an expression stands "
                "sum(multi_normal_cholesky(y, mu, L)), or sum() of multi_student_t_cholesky(), with auto L = "
                "target.cholesky(Sigma) before");
  return Constant<double>(0);
}
template <class T>
concept InExpression = CompoundTerm<T> || Operand<T> || VectorDensity<T>;
template <class A, class B>
concept OneIsCompound = (CompoundTerm<A> && InExpression<B>) || (InExpression<A> && CompoundTerm<B>);
}  // namespace detail
#define MANYCHAIN_REFUSED(function)                                                     \
  template <class A, class B>                                                           \
  requires detail::OneIsCompound<A, B> MANYCHAIN_HD auto function(const A&, const B&) { \
    return detail::refuse_compound<A>();                                                \
  }
MANYCHAIN_REFUSED(operator+)
MANYCHAIN_REFUSED(operator-)
MANYCHAIN_REFUSED(operator*)
MANYCHAIN_REFUSED(operator/)
MANYCHAIN_REFUSED(log_sum_exp)
#undef MANYCHAIN_REFUSED
template <class T, class A, class B>
requires detail::OneIsCompound<A, B> MANYCHAIN_HD auto log_mix(const T&, const A&, const B&) {
  return detail::refuse_compound<A>();
}
template <CompoundTerm T>
MANYCHAIN_HD auto sum(const T&) {
  return detail::refuse_compound<T>();
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
