// Transition matrices: what is refused and in which words, powers, distributions, diagrams.
#include "manychain/markov/transition_matrix.hpp"

#include <limits>

#include "unit/markov/expect.hpp"

namespace manychain::markov::test {
namespace {

std::string refusal(const Rows& rows, const std::vector<std::string>& names = {}) {
  return error_of([&] { TransitionMatrix(rows, names); });
}

TEST(TransitionMatrix, SaysWhichRowIsWrongAndHow) {
  EXPECT_EQ(refusal({}), "transition matrix: it is empty; give at least one state");
  EXPECT_EQ(refusal({{0.5, 0.5}}), "transition matrix: row 1 has 2 entries; a square matrix of 1 rows has 1");
  EXPECT_EQ(refusal({{1, 0}, {1}}), "transition matrix: row 2 has 1 entries; a square matrix of 2 rows has 2");
  EXPECT_EQ(refusal({{1, 0}, {0.5, 0.4}}), "transition matrix: row 2: the sum is 0.9, not 1");
  EXPECT_EQ(refusal({{1.5, -0.5}, {0, 1}}),
            "transition matrix: row 1: entry 2 is -0.5; probabilities are not negative");
  EXPECT_EQ(refusal({{1, 0}, {NAN, 1}}), "transition matrix: row 2: entry 1 is nan, not a finite number");
  EXPECT_EQ(refusal({{INFINITY, 0}, {0, 1}}), "transition matrix: row 1: entry 1 is inf, not a finite number");
  EXPECT_EQ(refusal({{1, 0}, {0, 0}}, {"rain", "sun"}), "transition matrix: row 2 (\"sun\"): the sum is 0, not 1");
  EXPECT_EQ(refusal({{1, 0}, {0, 1}}, {"rain"}), "transition matrix: 1 names for 2 states");
  EXPECT_EQ(refusal({{1, 0}, {0, 1}}, {"rain", "rain"}),
            "transition matrix: states 1 and 2 have the same name \"rain\"");
  EXPECT_EQ(error_of([] { TransitionMatrix(Matrix(2, 3, 1.0 / 3)); }),
            "transition matrix: 2 rows and 3 columns; it must be square");
}

TEST(TransitionMatrix, KnowsTheOtherConvention) {
  EXPECT_EQ(refusal({{0.4, 0.5}, {0.6, 0.5}}),
            "transition matrix: row 1: the sum is 0.9, not 1; the columns have the sum 1: give its transpose");
}

TEST(TransitionMatrix, ToleratesRoundingAndNoMore) {
  const TransitionMatrix p(Rows{{0.3333333333, 0.6666666666}, {0, 1}});
  EXPECT_NEAR(p(0, 0) + p(0, 1), 1, 1e-15);
  EXPECT_NEAR(p(0, 0), 1.0 / 3, 1e-10);
  EXPECT_NE(refusal({{0.333333, 0.666666}, {0, 1}}).find("row 1: the sum is 0.999999, not 1"), std::string::npos);
  const double tenth = TransitionMatrix(Rows{{0.1, 0.2, 0.7}, {0, 1, 0}, {0, 0, 1}})(0, 0);
  EXPECT_EQ(tenth, 0.1) << "the sum 0.9999999999999999 is rounding: the entries stay as they were typed";
}

TEST(TransitionMatrix, NamesItsStates) {
  EXPECT_EQ(two_states(0.5, 0.5).name(1), "2");
  const TransitionMatrix p(Rows{{0, 1}, {1, 0}}, {"rain", "sun"});
  EXPECT_EQ(p.name(0), "rain");
  EXPECT_EQ(p.power(2).name(1), "sun");
}

TEST(TransitionMatrix, PowersFollowTheClosedForm) {
  const TransitionMatrix p = two_states(0.6, 0.5);
  for (std::uint64_t n : {0, 1, 2, 3, 7, 10, 1000}) {
    const double r = std::pow(-0.1, static_cast<double>(n));
    expect_near(p.power(n).matrix(),
                {{5 / 11. + 6 / 11. * r, 6 / 11. - 6 / 11. * r}, {5 / 11. - 5 / 11. * r, 6 / 11. + 5 / 11. * r}},
                1e-15);
  }
}

TEST(TransitionMatrix, ChapmanAndKolmogorov) {
  const TransitionMatrix p = two_ends();
  const Matrix a = p.power(5).matrix(), b = p.power(8).matrix(), both = p.power(13).matrix();
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < 5; ++k) sum += a(i, k) * b(k, j);
      EXPECT_NEAR(both(i, j), sum, 1e-15);
    }
  }
}

// Without rows brought back to the sum one, the rounding of 2^-53 in a sum would be a factor e^1000 after 2^63 steps.
TEST(TransitionMatrix, ManySteps) {
  constexpr std::uint64_t many = std::uint64_t{1} << 63;
  const double a = 1e-19, b = 2e-19, r = std::exp(-3e-19 * static_cast<double>(many));
  expect_near(two_states(a, b).power(many).matrix(),
              {{2 / 3. + r / 3, 1 / 3. - r / 3}, {2 / 3. - 2 * r / 3, 1 / 3. + 2 * r / 3}}, 1e-13);
  expect_near(two_states(0.3, 0.1).power(many).matrix(), {{0.25, 0.75}, {0.25, 0.75}}, 1e-15);
  // A period is kept: even and odd powers of a walk on a ring of six see one half of it each.
  const double third = 1 / 3.;
  const Matrix even = ring(6, 0.3, 0.7).power(many).matrix(), odd = ring(6, 0.3, 0.7).power(many - 1).matrix();
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(even(0, j), j % 2 == 0 ? third : 0, 1e-14);
    EXPECT_NEAR(odd(0, j), j % 2 == 1 ? third : 0, 1e-14);
  }
}

TEST(TransitionMatrix, EvolvesDistributions) {
  const TransitionMatrix p = two_ends();
  const std::vector<double> start = {0.5, 0.5, 0, 0, 0};
  EXPECT_EQ(p.evolve(start, 0), start);
  expect_near(p.evolve(start), {0.35, 0.15, 0.175, 0.2, 0.125}, 1e-15);
  // Few steps and many go different ways.
  for (std::uint64_t n : {2, 20, 2000}) {
    const Matrix power = p.power(n).matrix();
    std::vector<double> expected(5, 0);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 5; ++j) expected[j] += start[i] * power(i, j);
    }
    expect_near(p.evolve(start, n), expected, 1e-14);
  }
  EXPECT_EQ(error_of([&] { p.evolve({1, 0}); }), "distribution: 2 entries for 5 states");
  EXPECT_EQ(error_of([&] { p.evolve({1, 1, 0, 0, 0}); }), "distribution: the sum is 2, not 1");
  EXPECT_EQ(error_of([&] {
              p.evolve({2, -1, 0, 0, 0});
            }),
            "distribution: entry 2 is -1; probabilities are not negative");
}

TEST(TransitionMatrix, DrawsItsDiagram) {
  EXPECT_EQ(to_dot(TransitionMatrix(Rows{{0, 1}, {0.25, 0.75}}, {"rain", "a \"b\" \\"})),
            "digraph markov_chain {\n"
            "  1 [label=\"rain\"];\n"
            "  2 [label=\"a \\\"b\\\" \\\\\"];\n"
            "  1 -> 2 [label=\"1\"];\n"
            "  2 -> 1 [label=\"0.25\"];\n"
            "  2 -> 2 [label=\"0.75\"];\n"
            "}\n");
}

}  // namespace
}  // namespace manychain::markov::test
