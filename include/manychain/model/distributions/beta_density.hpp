// The logarithm of the beta density, and its derivatives towards the shapes.
#pragma once

#include "manychain/core/incomplete_functions.hpp"
#include "manychain/model/distributions/density_arguments.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {
namespace detail {

template <class... V>
using common_real = std::remove_cvref_t<decltype((... + std::declval<V>()))>;

/// f(arguments), a LogProbability of N slopes; of several rows row by row.
template <int N, class F, class... Args>
MANYCHAIN_HD auto log_probability(F f, const Args&... args) {
  using V = common_real<Args...>;
  if constexpr (SeveralRows<V>) {
    LogProbability<V, N> result;
    for (int k = 0; k < rows_in_block<V>; ++k) {
      const auto row = f(V(args).x[k]...);
      result.value.x[k] = row.value;
      MANYCHAIN_UNROLL
      for (int i = 0; i < N; ++i) result.slope[i].x[k] = row.slope[i];
    }
    return result;
  } else {
    return f(V(args)...);
  }
}

/// log beta(x; a, b) for shapes a, b > 0 and 0 <= x <= 1; slopes towards a and b. Error below 16 eps (1 + |log| + d +
/// |log x| + |log(1 - x)|), where d = |a (1 - x) - b x| is what the rounding of x costs.
///
/// Terms of the size of the shapes cancel where both are large. What is left by Stirling's series are deviances, a (u -
/// log(1 + u)) and b (v - log(1 + v)), of u = x (a + b) / a - 1 and v likewise (Loader 2000, Fast and accurate
/// computation of binomial probabilities).
template <Real R>
MANYCHAIN_HD LogProbability<R, 2> log_beta_density(R x, R a, R b) {
  constexpr double large = 16;
  const R rest = R(1) - x, log_x = log(x), log_rest = log1p(-x);
  LogProbability<R, 2> result;
  const auto power = [](R exponent, R logarithm) { return select(exponent == R(0), R(0), exponent * logarithm); };
  result.value = power(a - R(1), log_x) + power(b - R(1), log_rest) - lbeta(a, b);
  result.slope[0] = log_x + digamma_difference(a, b);
  result.slope[1] = log_rest + digamma_difference(b, a);
  const auto both = a >= R(large) && b >= R(large) && x > R(0) && rest > R(0);
  if (any(both)) {
    const R A = max(a, R(large)), B = max(b, R(large)), n = A + B;
    const R from = fma(x, B, -(rest * A)), u = from / A, v = -(from / B);
    const R log_u = log1p(u), log_v = log1p(v);
    const R deviance = fma(A, log1p_rest(u, log_u), B * log1p_rest(v, log_v));
    const R constant = R(0.5) * (log(A) + log(B / n)) - R(half_log_two_pi) - stirling_series(A) - stirling_series(B) +
                       stirling_series(n);
    result.value = select(both, constant - log_x - log_rest - deviance, result.value);
    // digamma(z) - log(z) is digamma_rest(z) - 1 / z.
    const R of_n = digamma_rest(n) - R(1) / n;
    result.slope[0] = select(both, log_u + (of_n - (digamma_rest(A) - R(1) / A)), result.slope[0]);
    result.slope[1] = select(both, log_v + (of_n - (digamma_rest(B) - R(1) / B)), result.slope[1]);
  }
  const auto none = a < R(0) || b < R(0);
  result.value = select(none, R(std::numeric_limits<number_of<R>>::quiet_NaN()), result.value);
  return result;
}

}  // namespace detail
}  // namespace MANYCHAIN_ISA
}  // namespace manychain
