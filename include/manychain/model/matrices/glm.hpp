// Generalised linear models in one statement: observe("y", bernoulli_logit_glm(y, X, alpha, beta)). Rows of the data
// are taken several at once on a CPU and dealt to the threads of a chain on a GPU, as in observe().
#pragma once

#include "manychain/model/distributions/categorical_distributions.hpp"
#include "manychain/model/distributions/count_distributions.hpp"
#include "manychain/model/distributions/distributions.hpp"
#include "manychain/model/matrices/matrix_expression.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// normal_id_glm(y, X, alpha, beta, sigma): normal with mean alpha + X beta, alpha a number or a vector of one
/// per row. Support: y real, sigma > 0. Source: Stan Functions Reference, "Normal-id generalized linear model".
template <class Y, ModelMatrix X, class A, ModelVector B, class S>
MANYCHAIN_HD auto normal_id_glm(const Y& y, const X& x, const A& alpha, const B& beta, const S& sigma) {
  detail::needs_positive("normal_id_glm", "sigma", sigma);
  return normal(y, alpha + x * beta, sigma);
}
/// bernoulli_logit_glm(y, X, alpha, beta): P(y = 1) = inv_logit(alpha + X beta). Support: y 0 or 1. Source: Stan
/// Functions Reference, "Bernoulli-logit generalized linear model".
template <class Y, ModelMatrix X, class A, ModelVector B>
MANYCHAIN_HD auto bernoulli_logit_glm(const Y& y, const X& x, const A& alpha, const B& beta) {
  return bernoulli_logit(y, alpha + x * beta);
}
/// poisson_log_glm(y, X, alpha, beta): counts y with mean exp(alpha + X beta). Support: y = 0, 1, ... Source: Stan
/// Functions Reference, "Poisson-log generalized linear model".
template <class Y, ModelMatrix X, class A, ModelVector B>
MANYCHAIN_HD auto poisson_log_glm(const Y& y, const X& x, const A& alpha, const B& beta) {
  return poisson_log(y, alpha + x * beta);
}

/// neg_binomial_2_log_glm(y, X, alpha, beta, phi): counts y with mean mu = exp(alpha + X beta) and variance mu + mu^2 /
/// phi. Support: y = 0, 1, ... Source: Stan Functions Reference, "Negative-binomial-2-log generalized linear model".
template <class Y, ModelMatrix X, class A, ModelVector B, class P>
MANYCHAIN_HD auto neg_binomial_2_log_glm(const Y& y, const X& x, const A& alpha, const B& beta, const P& phi) {
  detail::needs_positive("neg_binomial_2_log_glm", "phi", phi);
  return neg_binomial_2_log(y, alpha + x * beta, phi);
}
/// categorical_logit_glm(y, X, alpha, B): category y with probability proportional to exp(alpha[y] + (X B)[y]), B with
/// a row for each column of X and a column for each category. Support: y = 0, 1, ... Source: Stan Functions Reference,
/// "Categorical logit generalized linear model".
template <class Y, ModelMatrix X, ModelVector A, ModelMatrix B>
MANYCHAIN_HD auto categorical_logit_glm(const Y& y, const X& x, const A& alpha, const B& beta) {
  const auto term = [outcome = y.view(), rows = detail::hold_matrix(x), intercept = alpha.view(),
                     slopes = detail::hold_matrix(beta)](int i) {
    // By value: what comes back outlives this body.
    const auto logit = [intercept, row = rows[i], slopes](int k) { return intercept[k] + dot(row, column(slopes, k)); };
    return categorical_logit(outcome[i], vector_of(intercept.size(), logit));
  };
  return EachElement<std::remove_cvref_t<decltype(y.size())>, decltype(term)>{y.size(), term};
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
