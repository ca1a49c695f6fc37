// The distributions by name, for tests that go over all of them.
#pragma once

#include <string>
#include <utility>

#include "manychain/model/distributions.hpp"

namespace manychain::test {

/// Calls f(name, density, number of arguments, number of leading arguments that are counts) for each distribution.
template <class F>
void for_each_density(F f) {
  using std::integral_constant;
  constexpr integral_constant<int, 0> none;
  constexpr integral_constant<int, 1> one;
  constexpr integral_constant<int, 2> two;
  constexpr integral_constant<int, 3> three;
  constexpr integral_constant<int, 4> four;
  const auto density = [](auto call) { return call; };
#define MANYCHAIN_DENSITY(name, arguments, counts) \
  f(#name, density([](const auto&... x) { return name(x...); }), arguments, counts)
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
#undef MANYCHAIN_DENSITY
}

}  // namespace manychain::test
