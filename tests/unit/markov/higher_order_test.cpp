// Order-m chains: embedding, fit, likelihood, against counts and equations solved by hand.
#include "manychain/markov/higher_order.hpp"

#include <random>

#include "manychain/markov/stationary.hpp"
#include "unit/markov/expect.hpp"

namespace manychain::markov::test {
namespace {

Matrix matrix(const Rows& rows) {
  Matrix m(rows.size(), rows[0].size(), 0);
  for (std::size_t i = 0; i < m.rows(); ++i) {
    for (std::size_t j = 0; j < m.columns(); ++j) m(i, j) = rows[i][j];
  }
  return m;
}

/// P(1 | 00) = 0.2, P(1 | 01) = 0.6, P(1 | 10) = 0.3, P(1 | 11) = 0.9.
HigherOrderChain second_order() { return {2, 2, matrix({{0.8, 0.2}, {0.4, 0.6}, {0.7, 0.3}, {0.1, 0.9}})}; }

TEST(HigherOrder, NumbersItsContexts) {
  const HigherOrderChain chain(2, 3, Matrix(9, 3, 1 / 3.));
  const std::size_t last[] = {2, 1};
  EXPECT_EQ(chain.context(last), 7u);
  EXPECT_EQ(chain.context_symbols(7), (Sequence{2, 1}));
  EXPECT_EQ(chain.next_context(7, 0), 3u);
}

TEST(HigherOrder, EmbedsIntoPairs) {
  const TransitionMatrix p = second_order().embed();
  expect_near(p.matrix(), {{0.8, 0.2, 0, 0}, {0, 0, 0.4, 0.6}, {0.7, 0.3, 0, 0}, {0, 0, 0.1, 0.9}}, 0);
  EXPECT_EQ(p.name(2), "(2,1)");
  // 0.2 x = 0.7 y and 0.1 z = 0.6 y, with y twice by symmetry.
  const double y = 1 / 11.5;
  expect_near(stationary_distributions(p)[0], {3.5 * y, y, y, 6 * y}, 1e-15);
}

TEST(HigherOrder, OrderOneIsAnOrdinaryChain) {
  const HigherOrderChain chain(1, 2, matrix({{0.4, 0.6}, {0.5, 0.5}}));
  EXPECT_EQ(chain.embed().matrix(), chain.probabilities());
  EXPECT_EQ(chain.embed().name(0), "1");
}

TEST(HigherOrder, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { HigherOrderChain(0, 2, Matrix(1, 2, 0.5)); }), "order: 0 is not allowed; take at least 1");
  EXPECT_EQ(error_of([] { HigherOrderChain(2, 2, Matrix(2, 2, 0.5)); }),
            "order-2 chain: the probabilities are 2 x 2; over 2 symbols they must be 4 x 2");
  EXPECT_EQ(error_of([] {
              HigherOrderChain(2, 2, matrix({{1, 0}, {1, 0}, {0.5, 0.4}, {1, 0}}));
            }),
            "order-2 chain: context (2,1): the sum is 0.9, not 1");
  EXPECT_NE(error_of([] { HigherOrderChain::count_contexts(64, 10); }).find("more than 1048576 contexts"),
            std::string::npos);
  EXPECT_EQ(HigherOrderChain::count_contexts(1000000000, 1), 1u);
  EXPECT_NE(error_of([] { HigherOrderChain(14, 2, Matrix(1 << 14, 2, 0.5)).embed(); }).find("at most 8192"),
            std::string::npos);
}

TEST(Fit, CountsTransitions) {
  const Fit f = fit({{0, 1, 1, 0, 1}, {1, 1}});
  EXPECT_EQ(f.transitions, 5u);
  expect_near(f.counts, {{0, 2}, {1, 2}}, 0);
  expect_near(f.chain.probabilities(), {{0, 1}, {1 / 3., 2 / 3.}}, 1e-15);
  EXPECT_NEAR(f.log_likelihood, std::log(4 / 27.), 1e-15);
  EXPECT_TRUE(f.never_left.empty());
  // Nothing leads from the end of one sequence to the begin of the next.
  EXPECT_EQ(fit({{0, 1}, {1, 0}}).counts(1, 1), 0);
}

// Anderson and Goodman (1957): the shares of what the sequences begin with, beside the transitions.
TEST(Fit, EstimatesTheInitialDistribution) {
  const std::vector<Sequence> sequences = {{0, 1, 1, 0, 1}, {1, 1}, {1, 0}, {0}, {1, 0, 0}};
  expect_near(fit(sequences).initial, {0.4, 0.6}, 1e-15);
  // Contexts 00, 01, 10, 11; a sequence of one symbol has none.
  expect_near(fit(sequences, {.order = 2, .never_left = NeverLeft::uniform}).initial, {0, 0.25, 0.5, 0.25}, 1e-15);
  expect_near(fit(sequences, {.additive_smoothing = 1}).initial, {3 / 7., 4 / 7.}, 1e-15);
}

TEST(Fit, OfOrderTwo) {
  // 001 -> 00:1; 010 -> 01:0; 101 -> 10:1; 011 -> 01:1; 110 -> 11:0.
  const Fit f = fit({{0, 0, 1, 0, 1, 1, 0}}, {.order = 2});
  expect_near(f.chain.probabilities(), {{0, 1}, {0.5, 0.5}, {0, 1}, {1, 0}}, 0);
  EXPECT_NEAR(f.log_likelihood, 2 * std::log(0.5), 1e-15);
  EXPECT_NEAR(likelihood(f.chain, {{0, 0, 1, 0, 1, 1, 0}}).perplexity(), std::pow(2, 2 / 5.), 1e-15);
}

TEST(Fit, Smooths) {
  const Fit f = fit({{0, 1, 1, 0, 1}}, {.symbols = 3, .additive_smoothing = 0.5});
  expect_near(f.chain.probabilities(),
              {{0.5 / 3.5, 2.5 / 3.5, 0.5 / 3.5}, {1.5 / 3.5, 1.5 / 3.5, 0.5 / 3.5}, {1 / 3., 1 / 3., 1 / 3.}}, 1e-15);
  EXPECT_EQ(f.never_left, (std::vector<std::size_t>{2}));
  EXPECT_NEAR(f.log_likelihood, std::log(2.5 / 3.5 * 2.5 / 3.5 * 1.5 / 3.5 * 1.5 / 3.5), 1e-15);
}

TEST(Fit, IsNotSilentAboutStatesNeverLeft) {
  EXPECT_EQ(error_of([] {
              fit({{0, 1}});
            }),
            "fit: 1 of 2 contexts are never left (first: 2), so that nothing is known about what follows them; smooth, "
            "take a lower order, or ask for uniform rows");
  const Fit f = fit({{0, 1}}, {.never_left = NeverLeft::uniform});
  expect_near(f.chain.probabilities(), {{0, 1}, {0.5, 0.5}}, 0);
  EXPECT_EQ(f.never_left, (std::vector<std::size_t>{1}));
}

TEST(Fit, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { fit({}); }), "fit: the sequences are empty");
  EXPECT_NE(error_of([] { fit({{0}, {1}}); }).find("no sequence is longer than the order 1"), std::string::npos);
  EXPECT_EQ(error_of([] {
              fit({{0, 1}, {0, 2}}, {.symbols = 2});
            }),
            "sequence 2: element 2 is symbol 2, counted from 0; there are 2");
  EXPECT_NE(error_of([] {
              fit({{0, 1}}, {.additive_smoothing = -1});
            }).find("additive_smoothing: -1"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              fit({{0, 1}}, {.additive_smoothing = NAN});
            }).find("additive_smoothing: nan"),
            std::string::npos);
}

// The estimate lies within six of its standard errors sqrt(p (1 - p) / n), n visits to the context.
TEST(Fit, FindsTheChainThatMadeTheSequence) {
  const HigherOrderChain truth = second_order();
  std::mt19937_64 generator(20260701);
  Sequence sequence = {0, 0};
  while (sequence.size() < 200000) {
    const double p = truth.probability(truth.context(&sequence[sequence.size() - 2]), 1);
    sequence.push_back(std::uniform_real_distribution<>()(generator) < p ? 1 : 0);
  }
  const Fit f = fit({sequence}, {.order = 2});
  for (std::size_t c = 0; c < 4; ++c) {
    const double n = f.counts(c, 0) + f.counts(c, 1), p = truth.probability(c, 1);
    EXPECT_LT(std::fabs(f.chain.probability(c, 1) - p), 6 * std::sqrt(p * (1 - p) / n));
  }
  EXPECT_GT(f.log_likelihood, likelihood(truth, {sequence}).log_likelihood) << "nothing is likelier than the fit";
}

TEST(Likelihood, OfTheImpossible) {
  const HigherOrderChain chain(1, 2, matrix({{0, 1}, {0.5, 0.5}}));
  const Likelihood l = likelihood(chain, {{0, 0, 1, 1}, {0, 0}});
  EXPECT_EQ(l.log_likelihood, -INFINITY);
  EXPECT_EQ(l.perplexity(), INFINITY);
  EXPECT_EQ(l.transitions, 4u);
  EXPECT_EQ(l.impossible, 2u);
}

TEST(Likelihood, OfNothing) {
  const HigherOrderChain chain(1, 2, matrix({{0, 1}, {0.5, 0.5}}));
  EXPECT_EQ(likelihood(chain, {{0}, {}}).log_likelihood, 0);
  EXPECT_TRUE(std::isnan(likelihood(chain, {{0}, {}}).perplexity()));
}

TEST(Likelihood, OfAUniformChainHasThePerplexityS) {
  const HigherOrderChain chain(1, 5, Matrix(5, 5, 0.2));
  EXPECT_NEAR(likelihood(chain, {{0, 4, 2, 3}}).perplexity(), 5, 1e-14);
}

}  // namespace
}  // namespace manychain::markov::test
