// On a finite space the transition matrix of Metropolis' chain is known: from i propose j with a symmetric matrix Q,
// accept by the rule of the samplers. Detailed balance then is arithmetic; no random number is drawn.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "manychain/core/pack.hpp"
#include "manychain/markov/kernels.hpp"
#include "manychain/markov/stationary.hpp"
#include "manychain/samplers/sampler.hpp"
#include "statistical/wrong_samplers.hpp"

namespace {

using manychain::MetropolisRule;
using manychain::Pack;
using manychain::Scalar;
using manychain::markov::Matrix;
using manychain::markov::TransitionMatrix;

template <class Rule, class R>
double probability(double log_ratio) {
  using Number = manychain::number_of<R>;
  if constexpr (R::lanes == 1) {
    return static_cast<double>(Rule::probability(R(static_cast<Number>(log_ratio))).v);
  } else {
    alignas(64) Number lanes[R::lanes];
    store(Rule::probability(R(static_cast<Number>(log_ratio))), lanes);
    for (const Number lane : lanes) EXPECT_EQ(lane, lanes[0]);
    return static_cast<double>(lanes[0]);
  }
}

/// Q(i, j) = 1/n for a uniform proposal, 1/2 to each neighbour on a ring for a local one.
TransitionMatrix proposal(std::size_t n, bool local) {
  Matrix q(n, n, local ? 0.0 : 1.0 / static_cast<double>(n));
  for (std::size_t i = 0; local && i < n; ++i) q(i, (i + 1) % n) = q((i + 1) % n, i) = 0.5;
  return TransitionMatrix(q);
}

template <class Rule, class R>
TransitionMatrix transition_matrix(const std::vector<double>& log_density, const TransitionMatrix& q) {
  return metropolis_hastings_matrix_of_log(log_density, q, probability<Rule, R>);
}

std::vector<double> normalised(const std::vector<double>& log_density) {
  std::vector<double> pi;
  double sum = 0;
  for (const double x : log_density) sum += pi.emplace_back(std::exp(x));
  for (double& x : pi) x /= sum;
  return pi;
}

template <class R>
class FiniteSpace : public testing::Test {};
using Reals = testing::Types<Scalar<float>, Scalar<double>, Pack<float>, Pack<double>>;
TYPED_TEST_SUITE(FiniteSpace, Reals);

TYPED_TEST(FiniteSpace, detailed_balance) {
  using R = TypeParam;
  // A ratio of up to exp(30) costs its argument's rounding: 30 units in the last place, and a few of exp.
  const double tolerance = 40 * static_cast<double>(std::numeric_limits<manychain::number_of<R>>::epsilon());
  const std::vector<double> log_density = {-3, 0.25, 0.25, -30, 1.5, -0.125, -7};
  const std::vector<double> pi = normalised(log_density);
  for (const bool local : {false, true}) {
    const TransitionMatrix q = proposal(7, local);
    const TransitionMatrix p = transition_matrix<MetropolisRule, R>(log_density, q);
    EXPECT_LT(detailed_balance(p, pi).worst_relative, tolerance);
    EXPECT_LT(invariance_error(p, pi), tolerance);
    // The same sees a rule that is wrong by five percent.
    const TransitionMatrix wrong = transition_matrix<statistical::SharpenedRule, R>(log_density, q);
    EXPECT_GT(detailed_balance(wrong, pi).worst_relative, 0.01);
  }
}

// Points of density zero are never entered, and left at the first proposal.
TYPED_TEST(FiniteSpace, density_zero) {
  using R = TypeParam;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> log_density = {0, -infinity, -1, -0.5};
  const TransitionMatrix p = transition_matrix<MetropolisRule, R>(log_density, proposal(4, false));
  EXPECT_EQ(p(0, 1), 0);
  EXPECT_EQ(p(2, 1), 0);
  EXPECT_EQ(p(1, 0), 0.25);
  EXPECT_LT(detailed_balance(p, normalised(log_density)).worst_relative, 1e-6);
}

TYPED_TEST(FiniteSpace, a_ratio_that_is_no_number_rejects) {
  using R = TypeParam;
  EXPECT_EQ((probability<MetropolisRule, R>(std::numeric_limits<double>::quiet_NaN())), 0);
  EXPECT_EQ((probability<MetropolisRule, R>(-std::numeric_limits<double>::infinity())), 0);
  EXPECT_EQ((probability<MetropolisRule, R>(-std::numeric_limits<manychain::number_of<R>>::max())), 0);
  EXPECT_EQ((probability<MetropolisRule, R>(0)), 1);
  EXPECT_EQ((probability<MetropolisRule, R>(1e30)), 1);
}

}  // namespace
