// Draws of vectors and matrices, for predictions; those without work() also for blocks of full conditionals and direct
// draws. The densities are those of categorical_distributions.hpp, matrix_distributions.hpp and glm.hpp. A matrix that
// is not positive definite, and parameters that are none, give NaN. Rows of a matrix of data are predicted row by row:
//
//   target.predict("y_new", N, [&](int) { return multi_normal_distribution(mu, Sigma); });  // N x K
//
// Docstrings are in the form that sampled_continuous.hpp describes.
#pragma once

#include "manychain/model/distributions/sampled_counts.hpp"
#include "manychain/model/matrices/glm.hpp"
#include "manychain/model/matrices/matrix_distributions.hpp"
#include "manychain/model/matrices/predictions.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

template <class R, class E>
MANYCHAIN_HD R drawn_from(const E& element) {
  return R(as_node(element).value());
}
/// A vector whose element i has the distribution body(i).
template <class N, class Body>
struct EachDrawn {
  N size;
  Body body;
  MANYCHAIN_HD auto element(int i) const { return body(i); }
  template <class R, class Out>
  MANYCHAIN_HD void draw(Variates<R>& v, Out& out) const {
    for_each(size, [&](int i) { out[i] = body(i).template draw<R>(v); });
  }
  template <class R, class X>
  MANYCHAIN_HD R log_density(const X& x) const {
    R sum = R(0);
    for_each(size, [&](int i) { sum += body(i).log_density(R(x[i])); });
    return sum;
  }
};
template <class N, class Body>
MANYCHAIN_HD auto each_drawn(N size, const Body& body) {
  return EachDrawn<N, Body>{size, body};
}

/// The factor of a normal vector: one, or, for Student's t, the root of nu over a chi-squared variate.
struct UnitWidth {
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>&) const {
    return R(1);
  }
};
template <class N>
struct StudentWidth {
  N freedom;
  template <class R>
  MANYCHAIN_HD R draw(Variates<R>& v) const {
    const R half = R(0.5) * R(freedom);
    return exp(R(-0.5) * (v.log_gamma(half) - log(half)));
  }
};
/// The lower triangle of a factor in working memory.
template <class R>
struct StoredFactor {
  Strided<R> triangle;
  MANYCHAIN_HD R operator()(int i, int j) const { return triangle[row_begin(i) + j]; }
};
template <class R, class N, class A>
MANYCHAIN_HD StoredFactor<R> factor_of(N size, const A& matrix, Strided<R>& work) {
  fill_triangle<R>(matrix, Size<dynamic>(size.value()), work);
  cholesky_in_place<R>(Size<dynamic>(size.value()), work);
  return {work};
}
template <class N>
MANYCHAIN_HD int factor_memory(N size) {
  return factor_size(Size<dynamic>(size.value())).value();
}
/// out = mean + width L out.
template <class R, class M, class L, class Out>
MANYCHAIN_HD void lower_times(int n, const M& mean, const L& factor, R width, Out& out) {
  for (int i = n - 1; i >= 0; --i) {
    R sum = R(0);
    for (int j = 0; j <= i; ++j) sum = fma(R(factor(i, j)), R(out[j]), sum);
    out[i] = fma(width, sum, drawn_from<R>(element_at(mean, i)));
  }
}
/// The matrix L L' in the place of the lower triangle of L, row by row.
template <class R, class Out>
MANYCHAIN_HD void times_own_transpose(int n, Out& out) {
  for (int i = n - 1; i >= 0; --i)
    for (int j = i; j >= 0; --j) {
      R sum = R(0);
      for (int k = 0; k <= j; ++k) sum = fma(R(out[i * n + k]), R(out[j * n + k]), sum);
      out[i * n + j] = sum;
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) out[j * n + i] = out[i * n + j];
}

}  // namespace detail

/// mean + width L z of a lower triangular L and normal z.
template <class N, class M, class L, class Width>
struct FactorDraws {
  N size;
  M mean;
  L factor;
  Width width;
  template <class R, class Out>
  MANYCHAIN_HD void draw(Variates<R>& v, Out& out) const {
    for_each(size, [&](int i) { out[i] = v.normal(); });
    const R wide = width.template draw<R>(v);
    const auto element = [this](int i, int j) { return detail::drawn_from<R>(factor[i][j]); };
    detail::lower_times(size.value(), mean, element, wide, out);
  }
};
/// Like FactorDraws, for a covariance matrix, which is factored for each draw, or for its inverse.
template <bool Inverse, class N, class M, class A, class Width>
struct MatrixDraws {
  N size;
  M mean;
  A matrix;
  Width width;
  MANYCHAIN_HD int work() const { return detail::factor_memory(size); }
  template <class R, class Out>
  MANYCHAIN_HD void draw(Variates<R>& v, Out& out, Strided<R>& work) const {
    const int n = size.value();
    for (int i = 0; i < n; ++i) out[i] = v.normal();
    const R wide = width.template draw<R>(v);
    const auto L = detail::factor_of(size, matrix, work);
    if constexpr (Inverse) {
      for (int i = n - 1; i >= 0; --i) {  // L' x = z
        R rest = R(out[i]);
        for (int k = i + 1; k < n; ++k) rest = fma(-L(k, i), R(out[k]), rest);
        out[i] = rest / L(i, i);
      }
      for (int i = 0; i < n; ++i) out[i] = fma(wide, R(out[i]), detail::drawn_from<R>(detail::element_at(mean, i)));
    } else {
      detail::lower_times(n, mean, L, wide, out);
    }
  }
};
namespace detail {
template <class M, class A>
MANYCHAIN_HD void check_location(const char* what, const M& mean, const A& matrix) {
  check_square(what, matrix);
  if constexpr (ModelVector<M>) check_order(what, matrix, mean);
}
template <class M, class L, class Width>
MANYCHAIN_HD auto factor_draws(const char* what, const M& mean, const L& factor, const Width& width) {
  check_location(what, mean, factor);
  const auto mu = hold(mean);
  const auto held = hold_matrix(factor);
  return FactorDraws<std::remove_cvref_t<decltype(factor.columns())>, std::remove_const_t<decltype(mu)>,
                     std::remove_const_t<decltype(held)>, Width>{factor.columns(), mu, held, width};
}
template <bool Inverse, class M, class A, class Width>
MANYCHAIN_HD auto matrix_draws(const char* what, const M& mean, const A& matrix, const Width& width) {
  check_location(what, mean, matrix);
  const auto mu = hold(mean);
  const auto held = hold_matrix(matrix);
  return MatrixDraws<Inverse, std::remove_cvref_t<decltype(matrix.columns())>, std::remove_const_t<decltype(mu)>,
                     std::remove_const_t<decltype(held)>, Width>{matrix.columns(), mu, held, width};
}
template <class N>
MANYCHAIN_HD auto student_width(const N& freedom) {
  return StudentWidth<decltype(plain(freedom))>{plain(freedom)};
}
}  // namespace detail

/// multi_normal_cholesky_distribution(mu, L): mu + L z of a vector z of normal variates. Source: Devroye 1986,
/// Non-Uniform Random Variate Generation, XI.2.
template <detail::VectorArgument M, LowerTriangular L>
MANYCHAIN_HD auto multi_normal_cholesky_distribution(const M& mean, const L& factor) {
  return detail::factor_draws("multi_normal_cholesky_distribution()", mean, factor, detail::UnitWidth{});
}
/// multi_normal_distribution(mu, Sigma): the same with the Cholesky factor of Sigma. Source: as that.
template <detail::VectorArgument M, ModelMatrix S>
MANYCHAIN_HD auto multi_normal_distribution(const M& mean, const S& covariance) {
  return detail::matrix_draws<false>("multi_normal_distribution()", mean, covariance, detail::UnitWidth{});
}
/// multi_normal_precision_distribution(mu, P): mu + L'^-1 z with P = L L'. Source: Rue and Held 2005, Gaussian Markov
/// Random Fields, algorithm 2.4.
template <detail::VectorArgument M, ModelMatrix P>
MANYCHAIN_HD auto multi_normal_precision_distribution(const M& mean, const P& precision) {
  return detail::matrix_draws<true>("multi_normal_precision_distribution()", mean, precision, detail::UnitWidth{});
}
/// multi_student_t_cholesky_distribution(nu, mu, L): mu + L z sqrt(nu / c), c a chi-squared variate. Source: Kotz and
/// Nadarajah 2004, Multivariate t Distributions, 1.1.
template <Operand N, detail::VectorArgument M, LowerTriangular L>
MANYCHAIN_HD auto multi_student_t_cholesky_distribution(const N& freedom, const M& location, const L& factor) {
  return detail::factor_draws("multi_student_t_cholesky_distribution()", location, factor,
                              detail::student_width(freedom));
}
/// multi_student_t_distribution(nu, mu, Sigma): the same with the Cholesky factor of Sigma. Source: as that.
template <Operand N, detail::VectorArgument M, ModelMatrix S>
MANYCHAIN_HD auto multi_student_t_distribution(const N& freedom, const M& location, const S& scale) {
  return detail::matrix_draws<false>("multi_student_t_distribution()", location, scale, detail::student_width(freedom));
}

/// dirichlet_distribution(K, alpha): the same of one number alpha for all elements. Source: as that.
template <class N, Operand A>
MANYCHAIN_HD auto dirichlet_distribution(N size, const A& concentration) {
  return dirichlet_distribution(size, [alpha = plain(concentration)](int) { return alpha; });
}
/// dirichlet_distribution(alpha): the same of the elements of a vector. Source: as that.
template <VectorOperand A>
MANYCHAIN_HD auto dirichlet_distribution(const A& concentration) {
  return dirichlet_distribution(concentration.size(),
                                [alpha = detail::hold(concentration)](int k) { return as_node(alpha[k]).value(); });
}
/// multinomial_distribution(n, theta): counts of n trials, each giving k with probability theta[k]. Source: one
/// binomial variate after the other, Devroye 1986, XI.1.
template <class N, VectorOperand T>
MANYCHAIN_HD auto multinomial_distribution(const N& trials, const T& probabilities) {
  return multinomial_distribution(probabilities.size(), trials,
                                  [theta = detail::hold(probabilities)](int k) { return as_node(theta[k]).value(); });
}

/// The Cholesky factor of a correlation matrix, or the matrix, by the onion method: a row is a point of the unit ball.
/// Its direction is that of normal variates z; with a gamma variate g of shape eta + (n - 1 - i) / 2 the square of its
/// length, z'z / (z'z + 2 g), has the beta distribution that is wanted, and the diagonal is the root of the rest.
template <bool Matrix, class N, class E>
struct LkjDraws {
  static constexpr bool square = true;
  N size;
  E eta;
  template <class R, class Out>
  MANYCHAIN_HD void draw(Variates<R>& v, Out& out) const {
    const int n = size.value();
    for (int i = 0; i < n; ++i) {
      R squares = R(0);
      for (int j = 0; j < i; ++j) {
        const R z = v.normal();
        out[i * n + j] = z;
        squares = fma(z, z, squares);
      }
      const R g = R(2) * v.gamma(R(eta) + R(0.5) * R(n - 1 - i)), inverse = R(1) / sqrt(squares + g);
      for (int j = 0; j < i; ++j) out[i * n + j] = R(out[i * n + j]) * inverse;
      out[i * n + i] = sqrt(g) * inverse;
      for (int j = i + 1; j < n; ++j) out[i * n + j] = R(0);
    }
    if constexpr (Matrix) {
      detail::times_own_transpose<R>(n, out);
      for (int i = 0; i < n; ++i) out[i * n + i] = select(isfinite(R(out[i * n + i])), R(1), R(out[i * n + i]));
    }
  }
};
/// lkj_corr_cholesky_distribution(n, eta): the factor of n rows by the onion method. Source: Lewandowski, Kurowicka and
/// Joe 2009, Generating random correlation matrices based on vines and extended onion method, 3.2.
template <class N, Operand E>
MANYCHAIN_HD auto lkj_corr_cholesky_distribution(N n, const E& shape) {
  return LkjDraws<false, decltype(as_size(n)), decltype(plain(shape))>{as_size(n), plain(shape)};
}
/// lkj_corr_distribution(n, eta): L L' of that factor. Source: as that.
template <class N, Operand E>
MANYCHAIN_HD auto lkj_corr_distribution(N n, const E& shape) {
  return LkjDraws<true, decltype(as_size(n)), decltype(plain(shape))>{as_size(n), plain(shape)};
}

/// Wishart by Bartlett's decomposition: T A A' T' with S = T T', and the inverse: of S = T T' and a lower triangular G,
/// G'G Wishart with scale one, it is C C' with C G = T.
template <bool Inverse, class N, class F, class S>
struct WishartDraws {
  static constexpr bool square = true;
  N size;
  F freedom;
  S scale;
  MANYCHAIN_HD int work() const { return detail::factor_memory(size); }
  template <class R, class Out>
  MANYCHAIN_HD void draw(Variates<R>& v, Out& out, Strided<R>& work) const {
    const int n = size.value();
    const auto T = detail::factor_of(size, scale, work);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) out[i * n + j] = v.normal();
      const R lost = R(Inverse ? n - 1 - i : i);
      out[i * n + i] = sqrt(R(2) * v.gamma(R(0.5) * (R(freedom) - lost)));
    }
    for (int i = n - 1; i >= 0; --i) {  // in place: a row asks for those above it
      if constexpr (Inverse) {
        for (int j = i; j >= 0; --j) {
          R rest = T(i, j);
          for (int k = j + 1; k <= i; ++k)
            rest = fma(-R(out[i * n + k]), R(k < i ? out[k * n + j] : out[i * n + j]), rest);
          out[i * n + j] = rest / R(out[j * n + j]);
        }
      } else {
        for (int j = 0; j <= i; ++j) {
          R sum = R(0);
          for (int k = j; k <= i; ++k) sum = fma(T(i, k), R(out[k * n + j]), sum);
          out[i * n + j] = sum;
        }
      }
    }
    detail::times_own_transpose<R>(n, out);
  }
};
namespace detail {
template <bool Inverse, class F, class S>
MANYCHAIN_HD auto wishart_draws(const char* what, const F& freedom, const S& scale) {
  check_square(what, scale);
  const auto held = hold_matrix(scale);
  return WishartDraws<Inverse, std::remove_cvref_t<decltype(scale.columns())>, decltype(plain(freedom)),
                      std::remove_const_t<decltype(held)>>{scale.columns(), plain(freedom), held};
}
}  // namespace detail
/// wishart_distribution(nu, S): from a triangular matrix of normal and chi variates. Source: Smith and Hocking 1972,
/// Wishart variate generator, AS 53.
template <Operand N, ModelMatrix S>
MANYCHAIN_HD auto wishart_distribution(const N& freedom, const S& scale) {
  return detail::wishart_draws<false>("wishart_distribution()", freedom, scale);
}
/// inv_wishart_distribution(nu, S): likewise, solved for instead of multiplied with. Source: as that.
template <Operand N, ModelMatrix S>
MANYCHAIN_HD auto inv_wishart_distribution(const N& freedom, const S& scale) {
  return detail::wishart_draws<true>("inv_wishart_distribution()", freedom, scale);
}

/// normal_id_glm_distribution(X, alpha, beta, sigma): normal_distribution for each row of X. Source: its definition.
template <ModelMatrix X, class A, ModelVector B, class S>
MANYCHAIN_HD auto normal_id_glm_distribution(const X& x, const A& alpha, const B& beta, const S& sigma) {
  const auto mean = detail::hold(alpha + x * beta);
  return detail::each_drawn(mean.size(), [mean, s = detail::hold(sigma)](int i) {
    return normal_distribution(mean[i], detail::element_at(s, i));
  });
}
/// bernoulli_logit_glm_distribution(X, alpha, beta): bernoulli_logit_distribution for each row of X. Source: its
/// definition.
template <ModelMatrix X, class A, ModelVector B>
MANYCHAIN_HD auto bernoulli_logit_glm_distribution(const X& x, const A& alpha, const B& beta) {
  const auto logit = detail::hold(alpha + x * beta);
  return detail::each_drawn(logit.size(), [logit](int i) { return bernoulli_logit_distribution(logit[i]); });
}
/// poisson_log_glm_distribution(X, alpha, beta): poisson_log_distribution for each row of X. Source: its definition.
template <ModelMatrix X, class A, ModelVector B>
MANYCHAIN_HD auto poisson_log_glm_distribution(const X& x, const A& alpha, const B& beta) {
  const auto log_mean = detail::hold(alpha + x * beta);
  return detail::each_drawn(log_mean.size(), [log_mean](int i) { return poisson_log_distribution(log_mean[i]); });
}
/// neg_binomial_2_log_glm_distribution(X, alpha, beta, phi): neg_binomial_2_log_distribution for each row of X. Source:
/// its definition.
template <ModelMatrix X, class A, ModelVector B, class P>
MANYCHAIN_HD auto neg_binomial_2_log_glm_distribution(const X& x, const A& alpha, const B& beta, const P& phi) {
  const auto log_mean = detail::hold(alpha + x * beta);
  return detail::each_drawn(log_mean.size(), [log_mean, p = detail::hold(phi)](int i) {
    return neg_binomial_2_log_distribution(log_mean[i], detail::element_at(p, i));
  });
}
/// categorical_logit_glm_distribution(X, alpha, B): categorical_logit_distribution for each row of X. Source: its
/// definition.
template <ModelMatrix X, ModelVector A, ModelMatrix B>
MANYCHAIN_HD auto categorical_logit_glm_distribution(const X& x, const A& alpha, const B& beta) {
  const auto body = [rows = detail::hold_matrix(x), intercept = alpha.view(),
                     slopes = detail::hold_matrix(beta)](int i) {
    return categorical_logit_distribution(intercept.size(), [intercept, row = rows[i], slopes](int k) {
      return as_node(intercept[k] + dot(row, column(slopes, k))).value();
    });
  };
  return detail::each_drawn(Size<dynamic>(x.rows()), body);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
