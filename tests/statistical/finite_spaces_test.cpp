// On a finite space the transition matrix of Metropolis' chain can be written down: from i propose j with a symmetric
// matrix Q, accept by the rule of the samplers. Detailed balance then is arithmetic; no random number is drawn.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "manychain/core/pack.hpp"
#include "manychain/samplers/sampler.hpp"
#include "statistical/wrong_samplers.hpp"

namespace {

using manychain::MetropolisRule;
using manychain::Pack;
using manychain::Scalar;

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
Eigen::MatrixXd proposal(int n, bool local) {
  Eigen::MatrixXd q = Eigen::MatrixXd::Constant(n, n, local ? 0.0 : 1.0 / n);
  for (int i = 0; local && i < n; ++i) q(i, (i + 1) % n) = q((i + 1) % n, i) = 0.5;
  return q;
}

template <class Rule, class R>
Eigen::MatrixXd transition_matrix(const Eigen::VectorXd& log_density, const Eigen::MatrixXd& q) {
  const Eigen::Index n = log_density.size();
  Eigen::MatrixXd p = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j)
      if (i != j) p(i, j) = q(i, j) * probability<Rule, R>(log_density(j) - log_density(i));
    p(i, i) = 1 - p.row(i).sum();
  }
  return p;
}

/// The largest violation of pi_i P_ij = pi_j P_ji, relative to its terms.
double imbalance(const Eigen::VectorXd& pi, const Eigen::MatrixXd& p) {
  double worst = 0;
  for (Eigen::Index i = 0; i < pi.size(); ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      const double there = pi(i) * p(i, j), back = pi(j) * p(j, i);
      if (there != back) worst = std::max(worst, std::fabs(there - back) / std::max(there, back));
    }
  return worst;
}

template <class R>
class FiniteSpace : public testing::Test {};
using Reals = testing::Types<Scalar<float>, Scalar<double>, Pack<float>, Pack<double>>;
TYPED_TEST_SUITE(FiniteSpace, Reals);

TYPED_TEST(FiniteSpace, detailed_balance) {
  using R = TypeParam;
  // A ratio of up to exp(30) costs its argument's rounding: 30 units in the last place, and a few of exp.
  const double tolerance = 40 * static_cast<double>(std::numeric_limits<manychain::number_of<R>>::epsilon());
  Eigen::VectorXd log_density(7);
  log_density << -3, 0.25, 0.25, -30, 1.5, -0.125, -7;
  const Eigen::VectorXd pi = log_density.array().exp().matrix() / log_density.array().exp().sum();
  for (const bool local : {false, true}) {
    const Eigen::MatrixXd q = proposal(7, local);
    const Eigen::MatrixXd p = transition_matrix<MetropolisRule, R>(log_density, q);
    EXPECT_GE(p.minCoeff(), 0);
    EXPECT_LT(imbalance(pi, p), tolerance);
    EXPECT_LT((pi.transpose() * p - pi.transpose()).cwiseAbs().maxCoeff(), tolerance);
    // The same sees a rule that is wrong by five percent.
    EXPECT_GT(imbalance(pi, transition_matrix<statistical::SharpenedRule, R>(log_density, q)), 0.01);
  }
}

// Points of density zero are never entered, and left at the first proposal.
TYPED_TEST(FiniteSpace, density_zero) {
  using R = TypeParam;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Eigen::VectorXd log_density(4);
  log_density << 0, -infinity, -1, -0.5;
  const Eigen::MatrixXd p = transition_matrix<MetropolisRule, R>(log_density, proposal(4, false));
  EXPECT_EQ(p(0, 1), 0);
  EXPECT_EQ(p(2, 1), 0);
  EXPECT_EQ(p(1, 0), 0.25);
  EXPECT_LT(imbalance(log_density.array().exp().matrix(), p), 1e-6);
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
