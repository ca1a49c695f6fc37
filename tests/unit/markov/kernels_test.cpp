// Exact kernels of Metropolis-Hastings and Gibbs on finite spaces.
#include "manychain/markov/kernels.hpp"

#include "manychain/markov/mixing.hpp"
#include "manychain/markov/stationary.hpp"
#include "unit/markov/expect.hpp"

namespace manychain::markov::test {
namespace {

TEST(MetropolisHastings, TwoStates) {
  const TransitionMatrix swap(Rows{{0, 1}, {1, 0}}, {"low", "high"});
  const TransitionMatrix p = metropolis_hastings_matrix({0.2, 0.8}, swap);
  expect_near(p.matrix(), {{0, 1}, {0.25, 0.75}}, 1e-15);
  EXPECT_EQ(p.name(0), "low");
  expect_near(metropolis_hastings_matrix({3, 12}, swap).matrix(), {{0, 1}, {0.25, 0.75}}, 1e-15);
  // Barker accepts with pi_j / (pi_i + pi_j).
  expect_near(metropolis_hastings_matrix({0.2, 0.8}, swap, barker_rule).matrix(), {{0.2, 0.8}, {0.2, 0.8}}, 1e-15);
}

TEST(MetropolisHastings, CorrectsAnAsymmetricProposal) {
  // From 1 to 2 the ratio is 0.5 x 0.1 / (0.5 x 0.9) = 1/9, from 2 to 1 it is 9.
  const TransitionMatrix q(Rows{{0.1, 0.9}, {0.1, 0.9}});
  expect_near(metropolis_hastings_matrix({1, 1}, q).matrix(), {{0.9, 0.1}, {0.1, 0.9}}, 1e-15);
}

TEST(MetropolisHastings, LeavesItsTargetInvariant) {
  const std::vector<double> pi = {0.05, 0.3, 0.15, 0, 0.5};
  Rows rows;
  for (int i = 0; i < 5; ++i) {
    rows.push_back({});
    for (int j = 0; j < 5; ++j) rows.back().push_back(double(1 + (3 * i + j * j) % 7));
    double sum = 0;
    for (double x : rows.back()) sum += x;
    for (double& x : rows.back()) x /= sum;
  }
  const TransitionMatrix q(rows);
  for (const AcceptRule& rule : {AcceptRule(metropolis_rule), AcceptRule(barker_rule)}) {
    const TransitionMatrix p = metropolis_hastings_matrix(pi, q, rule);
    EXPECT_LT(invariance_error(p, pi), 1e-16 * 4);
    EXPECT_TRUE(detailed_balance(p, pi).reversible);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(i == 3 || p(i, 3) == 0) << "density zero is never entered";
  }
  // Detailed balance detects a rule that is wrong by five percent.
  const auto wrong = [](double log_ratio) { return metropolis_rule(1.05 * log_ratio); };
  EXPECT_GT(detailed_balance(metropolis_hastings_matrix(pi, q, wrong), pi).worst_relative, 0.01);
  EXPECT_FALSE(detailed_balance(q, pi).reversible);
}

TEST(MetropolisHastings, NeverGoesWhereThereIsNoWayBack) {
  const TransitionMatrix q(Rows{{0.5, 0.5, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}});
  expect_near(metropolis_hastings_matrix({1, 1, 1}, q).matrix(), {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0);
}

TEST(MetropolisHastings, TakesLogs) {
  const TransitionMatrix q(Rows{{0, 1}, {1, 0}});
  expect_near(metropolis_hastings_matrix_of_log({2000, 2000 + std::log(0.25)}, q).matrix(), {{0.75, 0.25}, {1, 0}},
              1e-12);
  expect_near(metropolis_hastings_matrix_of_log({-INFINITY, 0}, q).matrix(), {{0, 1}, {0, 1}}, 0);
}

TEST(MetropolisHastings, SaysWhatIsWrong) {
  const TransitionMatrix q(Rows{{0, 1}, {1, 0}});
  EXPECT_EQ(error_of([&] {
              metropolis_hastings_matrix({1, 1, 1}, q);
            }),
            "target: 3 weights for a proposal on 2 states");
  EXPECT_EQ(error_of([&] {
              metropolis_hastings_matrix({1, -1}, q);
            }),
            "target: weight 2 is -1; finite, non-negative numbers are allowed");
  EXPECT_EQ(error_of([&] { metropolis_hastings_matrix({0, 0}, q); }), "target: all weights are zero");
  EXPECT_EQ(error_of([&] {
              metropolis_hastings_matrix_of_log({0, NAN}, q);
            }),
            "target: log weight 2 is nan; finite numbers and -inf are allowed");
  EXPECT_EQ(error_of([&] {
              metropolis_hastings_matrix({1, 1}, q, [](double) { return 2.0; });
            }),
            "accept rule: it gives 2 for the log ratio 0 (states 1 to 2), not a probability");
}

const std::vector<double> target = {1, 2, 0.5, 3, 0.25, 1};  // 2 x 3

TEST(Gibbs, KernelOfOneCoordinate) {
  // Rows (1, 2, 0.5) and (3, 0.25, 1): the last coordinate is the fast one.
  const double a = 3.5, b = 4.25;
  expect_near(gibbs_kernel(target, {2, 3}, 1).matrix(),
              {{1 / a, 2 / a, 0.5 / a, 0, 0, 0},
               {1 / a, 2 / a, 0.5 / a, 0, 0, 0},
               {1 / a, 2 / a, 0.5 / a, 0, 0, 0},
               {0, 0, 0, 3 / b, 0.25 / b, 1 / b},
               {0, 0, 0, 3 / b, 0.25 / b, 1 / b},
               {0, 0, 0, 3 / b, 0.25 / b, 1 / b}},
              1e-15);
  const TransitionMatrix first = gibbs_kernel(target, {2, 3}, 0);
  EXPECT_NEAR(first(0, 3), 0.75, 1e-15);
  EXPECT_NEAR(first(1, 4), 0.25 / 2.25, 1e-15);
  EXPECT_EQ(first(0, 1), 0);
}

TEST(Gibbs, LeavesItsTargetInvariant) {
  std::vector<double> pi;
  for (int i = 0; i < 24; ++i) pi.push_back(double((7 * i) % 11 + 1));
  double sum = 0;
  for (double x : pi) sum += x;
  for (double& x : pi) x /= sum;
  const std::vector<std::size_t> shape = {2, 3, 4};
  const TransitionMatrix systematic = gibbs_matrix(pi, shape), random = gibbs_matrix(pi, shape, Scan::random);
  EXPECT_LT(invariance_error(systematic, pi), 1e-16 * 4);
  EXPECT_LT(invariance_error(random, pi), 1e-16 * 4);
  EXPECT_TRUE(detailed_balance(random, pi).reversible);
  EXPECT_FALSE(detailed_balance(systematic, pi).reversible);
  EXPECT_LT(total_variation(stationary_distributions(systematic)[0], pi), 1e-15);
  // Systematic is the product in this order.
  std::vector<double> x(24, 0);
  x[5] = 1;
  const std::vector<double> swept = systematic.evolve(x);
  for (std::size_t d : {0, 1, 2}) x = gibbs_kernel(pi, shape, d).evolve(x);
  expect_near(swept, x, 1e-15);
}

TEST(Gibbs, ASweepOfAProductTargetIsAnIndependentDraw) {
  const std::vector<double> pi = {0.1 * 0.5, 0.1 * 0.3, 0.1 * 0.2, 0.9 * 0.5, 0.9 * 0.3, 0.9 * 0.2};
  const TransitionMatrix p = gibbs_matrix(pi, {2, 3});
  for (std::size_t i = 0; i < 6; ++i) expect_near({p.matrix().row(i), p.matrix().row(i) + 6}, pi, 1e-15);
}

TEST(Gibbs, CannotCrossWhatHasDensityZero) {
  const TransitionMatrix p = gibbs_matrix({1, 0, 0, 1}, {2, 2});
  EXPECT_EQ(structure(p).closed_classes(), 2u) << "invariant, and yet of no use";
  // All points of a line have weight zero.
  expect_near(gibbs_kernel({1, 1, 0, 0}, {2, 2}, 1).matrix(),
              {{0.5, 0.5, 0, 0}, {0.5, 0.5, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, 0);
}

TEST(Gibbs, TakesHugeAndTinyWeights) {
  expect_near(gibbs_matrix({1e308, 1e308, 1e-308, 3e-308}, {2, 2}, Scan::random).matrix(),
              {{0.75, 0.25, 0, 0}, {0.25, 0.75, 0, 0}, {0.5, 0, 0.125, 0.375}, {0, 0.5, 0.125, 0.375}}, 1e-14);
}

TEST(Gibbs, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { gibbs_matrix(target, {2, 2}); }), "target: 6 weights do not fill the shape (2, 2)");
  EXPECT_EQ(error_of([] { gibbs_matrix({}, {}); }), "target: 0 weights do not fill the shape ()");
  EXPECT_EQ(error_of([] { gibbs_kernel(target, {2, 3}, 2); }), "coordinate: 2 is not allowed; they are 0 .. 1");
  EXPECT_EQ(error_of([] {
              gibbs_matrix({1, NAN}, {2});
            }),
            "target: weight 2 is nan; finite, non-negative numbers are allowed");
}

}  // namespace
}  // namespace manychain::markov::test
