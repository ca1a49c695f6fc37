// On a finite space the transition matrix of a Metropolis-Hastings chain is known: from i propose j with a matrix Q,
// accept by the rule of the samplers. Detailed balance then is arithmetic; no random number is drawn. Q is written down
// here, or is what the visitors of the samplers say of a model's proposal() and conditionals().
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "manychain/core/pack.hpp"
#include "manychain/markov/kernels.hpp"
#include "manychain/markov/stationary.hpp"
#include "manychain/samplers/sampler.hpp"
#include "statistical/sampler_targets.hpp"
#include "statistical/wrong_proposals.hpp"
#include "statistical/wrong_samplers.hpp"

namespace {

using manychain::MetropolisRule;
using manychain::Pack;
using manychain::Scalar;
using manychain::markov::detailed_balance;
using manychain::markov::gibbs_kernel;
using manychain::markov::gibbs_matrix;
using manychain::markov::invariance_error;
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
    // Detailed balance detects a rule that is wrong by five percent.
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

/// The density of proposing state `to` from state `from`, as the samplers compute it. point(state, i): component i.
template <class Source, class R, int N, class Model, class Point>
double log_proposal(const Model& model, std::size_t from, std::size_t to, Point point) {
  manychain::Registers<R, N> x, y;
  for (int i = 0; i < N; ++i) {
    x[i] = R(point(from, i));
    y[i] = R(point(to, i));
  }
  manychain::DensityVisitor<R, manychain::Registers<R, N>, manychain::Registers<R, N>> visitor{x, y, {}};
  Source::run(model, visitor);
  alignas(64) manychain::number_of<R> lanes[R::lanes];
  store(visitor.log_density.value(), lanes);
  return static_cast<double>(lanes[0]);
}

template <class Source, class R, int N, class Model, class Point>
Matrix proposal_matrix(const Model& model, std::size_t states, Point point) {
  Matrix q(states, states, 0);
  for (std::size_t i = 0; i < states; ++i)
    for (std::size_t j = 0; j < states; ++j) q(i, j) = std::exp(log_proposal<Source, R, N>(model, i, j, point));
  return q;
}

/// Rows that sum to one but for rounding, made to do so.
TransitionMatrix checked(Matrix q, double tolerance) {
  for (std::size_t i = 0; i < q.rows(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < q.columns(); ++j) sum += q(i, j);
    EXPECT_NEAR(sum, 1, tolerance) << "row " << i;
    for (std::size_t j = 0; j < q.columns(); ++j) q(i, j) /= sum;
  }
  return TransitionMatrix(std::move(q));
}

template <class R>
constexpr double rounding = 200 * static_cast<double>(std::numeric_limits<manychain::number_of<R>>::epsilon());

std::vector<double> logs(const std::vector<double>& weights) {
  std::vector<double> log_weights;
  for (double w : weights) log_weights.push_back(std::log(w));
  return log_weights;
}

constexpr auto spin = [](std::size_t state, int i) { return static_cast<double>(state >> i & 1); };
constexpr auto index = [](std::size_t state, int) { return static_cast<double>(state); };
const std::vector<std::size_t> ring = {2, 2, 2, 2};  // row-major: the first coordinate is the highest bit

// All spins at once from their full conditionals, corrected: reversible. Uncorrected: not even invariant.
TYPED_TEST(FiniteSpace, parallel_gibbs) {
  using R = TypeParam;
  using manychain::FromConditionals;
  const std::vector<double> weights = statistical::spin_weights();
  const std::vector<double> pi = normalised(logs(weights));
  const statistical::Spins<manychain::number_of<R>> model;
  const TransitionMatrix q = checked(proposal_matrix<FromConditionals, R, 4>(model, 16, spin), rounding<R>);
  // The proposal is the product of the conditionals that the weights themselves give.
  std::vector<TransitionMatrix> kernels;
  for (std::size_t d = 0; d < 4; ++d) kernels.push_back(gibbs_kernel(weights, ring, d));
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 16; ++j) {
      double product = 1;
      for (std::size_t d = 0; d < 4; ++d) {
        const std::size_t bit = std::size_t{1} << (3 - d);
        product *= kernels[d](i, (i & ~bit) | (j & bit));
      }
      EXPECT_NEAR(q(i, j), product, rounding<R>);
    }
  const TransitionMatrix p = transition_matrix<MetropolisRule, R>(logs(weights), q);
  EXPECT_LT(detailed_balance(p, pi).worst_relative, rounding<R>);
  EXPECT_LT(invariance_error(p, pi), rounding<R>);
  EXPECT_GT(invariance_error(q, pi), 0.01);
}

// One spin after another: invariant, in this order not reversible; one at random is.
TYPED_TEST(FiniteSpace, gibbs) {
  using R = TypeParam;
  using manychain::markov::Scan;
  using Number = manychain::number_of<R>;
  const std::vector<double> weights = statistical::spin_weights();
  const std::vector<double> pi = normalised(logs(weights));
  // The conditionals of the model are those of the weights: in the row of i, the states that differ in one spin.
  const auto single = [&](const auto& model, std::size_t d) {
    Matrix kernel(16, 16, 0);
    for (std::size_t i = 0; i < 16; ++i)
      for (const std::size_t bit : {std::size_t{0}, std::size_t{1} << d}) {
        const std::size_t j = (i & ~(std::size_t{1} << d)) | bit;
        // In the product of all conditionals given i those of the other spins cancel.
        const std::size_t other = j ^ (std::size_t{1} << d);
        const double a = log_proposal<manychain::FromConditionals, R, 4>(model, i, j, spin);
        const double b = log_proposal<manychain::FromConditionals, R, 4>(model, i, other, spin);
        kernel(i, j) = 1 / (1 + std::exp(b - a));
      }
    return TransitionMatrix(kernel);
  };
  for (std::size_t d = 0; d < 4; ++d) {
    EXPECT_LT(detailed_balance(single(statistical::Spins<Number>(), d), pi).worst_relative, rounding<R>);
    EXPECT_LT(invariance_error(single(statistical::Spins<Number>(), d), pi), rounding<R>);
    // Without the field, of which the faintest is 0.05.
    EXPECT_GT(invariance_error(single(statistical::SpinsWithoutField<Number>(), d), pi), 0.001);
  }
  EXPECT_LT(invariance_error(gibbs_matrix(weights, ring), pi), 1e-14);
  EXPECT_GT(detailed_balance(gibbs_matrix(weights, ring), pi).worst_relative, 0.01);
  EXPECT_LT(detailed_balance(gibbs_matrix(weights, ring, Scan::random), pi).worst_relative, 1e-13);
}

// A proposal that prefers to go up, one that flips all spins at once, and one that does not look at the state.
TYPED_TEST(FiniteSpace, skewed_proposals) {
  using R = TypeParam;
  using Number = manychain::number_of<R>;
  const auto check = [](const std::vector<double>& weights, const TransitionMatrix& q) {
    const std::vector<double> pi = normalised(logs(weights));
    const TransitionMatrix p = transition_matrix<MetropolisRule, R>(logs(weights), q);
    EXPECT_LT(detailed_balance(p, pi).worst_relative, rounding<R>);
    EXPECT_LT(invariance_error(p, pi), rounding<R>);
    const TransitionMatrix wrong = transition_matrix<statistical::SharpenedRule, R>(logs(weights), q);
    EXPECT_GT(detailed_balance(wrong, pi).worst_relative, 0.01);
  };
  const std::vector<double> seven = statistical::seven_weights(), spins = statistical::spin_weights();
  using manychain::FromProposal;
  check(seven, checked(proposal_matrix<FromProposal, R, 1>(statistical::SevenStates<Number>(), 7, index), rounding<R>));
  check(seven,
        checked(proposal_matrix<FromProposal, R, 1>(statistical::SevenIndependent<Number>(), 7, index), rounding<R>));
  check(spins, checked(proposal_matrix<FromProposal, R, 4>(statistical::Spins<Number>(), 16, spin), rounding<R>));
}

// Two kernels in sequence or mixed leave invariant what each does; a choice that depends on the state does not.
TEST(FiniteSpaces, sequences_and_mixtures) {
  const std::vector<double> weights = statistical::spin_weights();
  const std::vector<double> pi = normalised(logs(weights));
  const TransitionMatrix a = gibbs_matrix(weights, ring), b = metropolis_hastings_matrix(weights, proposal(16, true));
  Matrix sequence(16, 16, 0), mixture(16, 16, 0), by_state(16, 16, 0);
  for (std::size_t i = 0; i < 16; ++i)
    for (std::size_t j = 0; j < 16; ++j) {
      for (std::size_t k = 0; k < 16; ++k) sequence(i, j) += a(i, k) * b(k, j);
      mixture(i, j) = 0.5 * (a(i, j) + b(i, j));
      by_state(i, j) = i % 2 ? a(i, j) : b(i, j);
    }
  EXPECT_LT(invariance_error(TransitionMatrix(sequence), pi), 1e-14);
  EXPECT_LT(invariance_error(TransitionMatrix(mixture), pi), 1e-14);
  EXPECT_GT(invariance_error(TransitionMatrix(by_state), pi), 0.01);
}

}  // namespace
