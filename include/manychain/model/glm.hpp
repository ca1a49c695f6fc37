// Generalised linear models in one statement: observe("y", bernoulli_logit_glm(y, X, alpha, beta)). Rows of the data
// are taken several at once on a CPU and dealt to the threads of a chain on a GPU, as in observe().
#pragma once

#include "manychain/model/distributions.hpp"
#include "manychain/model/matrix_expression.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// normal_id_glm(y, X, alpha, beta, sigma): y ~ normal(alpha + X beta, sigma). alpha: a number, or a vector of one per
/// row. Support: y real, sigma > 0. Source: Stan Functions Reference, "Normal-id generalized linear model".
template <class Y, ModelMatrix X, class A, ModelVector B, class S>
MANYCHAIN_HD auto normal_id_glm(const Y& y, const X& x, const A& alpha, const B& beta, const S& sigma) {
  return normal(y, alpha + x * beta, sigma);
}
/// bernoulli_logit_glm(y, X, alpha, beta): P(y = 1) = inv_logit(alpha + X beta). Support: y 0 or 1. Source: Stan
/// Functions Reference, "Bernoulli-logit generalized linear model".
template <class Y, ModelMatrix X, class A, ModelVector B>
MANYCHAIN_HD auto bernoulli_logit_glm(const Y& y, const X& x, const A& alpha, const B& beta) {
  return bernoulli_logit(y, alpha + x * beta);
}
/// poisson_log_glm(y, X, alpha, beta): counts y with mean exp(alpha + X beta). Support: y = 0, 1, .... Source: Stan
/// Functions Reference, "Poisson-log generalized linear model".
template <class Y, ModelMatrix X, class A, ModelVector B>
MANYCHAIN_HD auto poisson_log_glm(const Y& y, const X& x, const A& alpha, const B& beta) {
  return poisson_log(y, alpha + x * beta);
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
