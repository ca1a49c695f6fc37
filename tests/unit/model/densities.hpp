// The distributions by name, for tests that go over all of them.
#pragma once

#include <string>
#include <utility>

#include "manychain/model/distributions/continuous_distributions.hpp"
#include "manychain/model/distributions/count_distributions.hpp"
#include "manychain/model/distributions/count_log_cdfs.hpp"
#include "manychain/model/distributions/half_log_cdfs.hpp"
#include "manychain/model/distributions/log_cdfs.hpp"
#include "manychain/model/distributions/shape_log_cdfs.hpp"
#include "manychain/model/distributions/skew_normal_log_cdfs.hpp"

namespace manychain::test {

inline constexpr std::integral_constant<int, 0> none;
inline constexpr std::integral_constant<int, 1> one;
inline constexpr std::integral_constant<int, 2> two;
inline constexpr std::integral_constant<int, 3> three;
inline constexpr std::integral_constant<int, 4> four;
#define MANYCHAIN_DENSITY(name, arguments, counts) \
  f(                                               \
      #name, [](const auto&... x) { return name(x...); }, arguments, counts)

/// Calls f(name, density, number of arguments, number of leading arguments that are counts) for each of
/// distributions.hpp.
template <class F>
void for_each_density(F f) {
  MANYCHAIN_DENSITY(normal, three, none);
  MANYCHAIN_DENSITY(half_normal, two, none);
  MANYCHAIN_DENSITY(student_t, four, none);
  MANYCHAIN_DENSITY(cauchy, three, none);
  MANYCHAIN_DENSITY(half_cauchy, two, none);
  MANYCHAIN_DENSITY(lognormal, three, none);
  MANYCHAIN_DENSITY(exponential, two, none);
  MANYCHAIN_DENSITY(gamma, three, none);
  MANYCHAIN_DENSITY(inverse_gamma, three, none);
  MANYCHAIN_DENSITY(beta, three, none);
  MANYCHAIN_DENSITY(uniform, three, none);
  MANYCHAIN_DENSITY(bernoulli_logit, two, one);
  MANYCHAIN_DENSITY(binomial_logit, three, two);
  MANYCHAIN_DENSITY(poisson_log, two, one);
}
/// Likewise of continuous_distributions.hpp.
template <class F>
void for_each_continuous_density(F f) {
  MANYCHAIN_DENSITY(double_exponential, three, none);
  MANYCHAIN_DENSITY(logistic, three, none);
  MANYCHAIN_DENSITY(weibull, three, none);
  MANYCHAIN_DENSITY(gumbel, three, none);
  MANYCHAIN_DENSITY(von_mises, three, none);
  MANYCHAIN_DENSITY(skew_normal, four, none);
  MANYCHAIN_DENSITY(half_student_t, three, none);
  MANYCHAIN_DENSITY(chi_square, two, none);
  MANYCHAIN_DENSITY(pareto, three, none);
}
/// Likewise of count_distributions.hpp.
template <class F>
void for_each_count_density(F f) {
  MANYCHAIN_DENSITY(poisson, two, one);
  MANYCHAIN_DENSITY(bernoulli, two, one);
  MANYCHAIN_DENSITY(binomial, three, two);
  MANYCHAIN_DENSITY(geometric, two, one);
  MANYCHAIN_DENSITY(neg_binomial, three, one);
  MANYCHAIN_DENSITY(neg_binomial_2, three, one);
  MANYCHAIN_DENSITY(neg_binomial_2_log, three, one);
  MANYCHAIN_DENSITY(beta_binomial, four, two);
}
/// Likewise of log_cdfs.hpp.
template <class F>
void for_each_log_cdf(F f) {
  MANYCHAIN_DENSITY(uniform_lcdf, three, none);
  MANYCHAIN_DENSITY(uniform_lccdf, three, none);
  MANYCHAIN_DENSITY(normal_lcdf, three, none);
  MANYCHAIN_DENSITY(normal_lccdf, three, none);
  MANYCHAIN_DENSITY(lognormal_lcdf, three, none);
  MANYCHAIN_DENSITY(lognormal_lccdf, three, none);
  MANYCHAIN_DENSITY(logistic_lcdf, three, none);
  MANYCHAIN_DENSITY(logistic_lccdf, three, none);
  MANYCHAIN_DENSITY(gumbel_lcdf, three, none);
  MANYCHAIN_DENSITY(gumbel_lccdf, three, none);
  MANYCHAIN_DENSITY(double_exponential_lcdf, three, none);
  MANYCHAIN_DENSITY(double_exponential_lccdf, three, none);
  MANYCHAIN_DENSITY(weibull_lcdf, three, none);
  MANYCHAIN_DENSITY(weibull_lccdf, three, none);
  MANYCHAIN_DENSITY(pareto_lcdf, three, none);
  MANYCHAIN_DENSITY(pareto_lccdf, three, none);
  MANYCHAIN_DENSITY(exponential_lcdf, two, none);
  MANYCHAIN_DENSITY(exponential_lccdf, two, none);
}
/// Likewise of half_log_cdfs.hpp.
template <class F>
void for_each_half_log_cdf(F f) {
  MANYCHAIN_DENSITY(cauchy_lcdf, three, none);
  MANYCHAIN_DENSITY(cauchy_lccdf, three, none);
  MANYCHAIN_DENSITY(half_cauchy_lcdf, two, none);
  MANYCHAIN_DENSITY(half_cauchy_lccdf, two, none);
  MANYCHAIN_DENSITY(half_normal_lcdf, two, none);
  MANYCHAIN_DENSITY(half_normal_lccdf, two, none);
}
/// Likewise of shape_log_cdfs.hpp.
template <class F>
void for_each_shape_log_cdf(F f) {
  MANYCHAIN_DENSITY(gamma_lcdf, three, none);
  MANYCHAIN_DENSITY(gamma_lccdf, three, none);
  MANYCHAIN_DENSITY(chi_square_lcdf, two, none);
  MANYCHAIN_DENSITY(chi_square_lccdf, two, none);
  MANYCHAIN_DENSITY(inverse_gamma_lcdf, three, none);
  MANYCHAIN_DENSITY(inverse_gamma_lccdf, three, none);
  MANYCHAIN_DENSITY(beta_lcdf, three, none);
  MANYCHAIN_DENSITY(beta_lccdf, three, none);
  MANYCHAIN_DENSITY(student_t_lcdf, four, none);
  MANYCHAIN_DENSITY(student_t_lccdf, four, none);
  MANYCHAIN_DENSITY(half_student_t_lcdf, three, none);
  MANYCHAIN_DENSITY(half_student_t_lccdf, three, none);
}
/// Likewise of skew_normal_log_cdfs.hpp.
template <class F>
void for_each_skew_normal_log_cdf(F f) {
  MANYCHAIN_DENSITY(skew_normal_lcdf, four, none);
  MANYCHAIN_DENSITY(skew_normal_lccdf, four, none);
}
/// Likewise of count_log_cdfs.hpp.
template <class F>
void for_each_count_log_cdf(F f) {
  MANYCHAIN_DENSITY(poisson_lcdf, two, one);
  MANYCHAIN_DENSITY(poisson_lccdf, two, one);
  MANYCHAIN_DENSITY(poisson_log_lcdf, two, one);
  MANYCHAIN_DENSITY(poisson_log_lccdf, two, one);
  MANYCHAIN_DENSITY(bernoulli_lcdf, two, one);
  MANYCHAIN_DENSITY(bernoulli_lccdf, two, one);
  MANYCHAIN_DENSITY(bernoulli_logit_lcdf, two, one);
  MANYCHAIN_DENSITY(bernoulli_logit_lccdf, two, one);
  MANYCHAIN_DENSITY(binomial_lcdf, three, two);
  MANYCHAIN_DENSITY(binomial_lccdf, three, two);
  MANYCHAIN_DENSITY(binomial_logit_lcdf, three, two);
  MANYCHAIN_DENSITY(binomial_logit_lccdf, three, two);
  MANYCHAIN_DENSITY(geometric_lcdf, two, one);
  MANYCHAIN_DENSITY(geometric_lccdf, two, one);
  MANYCHAIN_DENSITY(neg_binomial_lcdf, three, one);
  MANYCHAIN_DENSITY(neg_binomial_lccdf, three, one);
  MANYCHAIN_DENSITY(neg_binomial_2_lcdf, three, one);
  MANYCHAIN_DENSITY(neg_binomial_2_lccdf, three, one);
  MANYCHAIN_DENSITY(neg_binomial_2_log_lcdf, three, one);
  MANYCHAIN_DENSITY(neg_binomial_2_log_lccdf, three, one);
}
#undef MANYCHAIN_DENSITY

}  // namespace manychain::test
