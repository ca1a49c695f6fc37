// Matrices whose rows have the constraint of a vector each: the same numbers as so many vectors.
#include "manychain/model/matrices/row_constraints.hpp"

#include <string>
#include <vector>

#include "manychain/model/distributions/categorical_distributions.hpp"
#include "manychain/model/language/layout_target.hpp"
#include "unit/model/constraint_checks.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

template <class R, class Declare>
auto evaluated(int components, Declare declare) {
  return run_target<Request::value_and_gradient, R>(
      3 * components, [](int i, int l) { return 0.8 * std::sin(1.7 * i + 0.3) - 0.1 * l; }, declare);
}

/// The density has another slope for each element.
template <class Row, class Target>
void add_row(const Row& row, int r, int columns, Target& target) {
  target += normal(row, 0.2 * r, 1.3);
  for (int j = 0; j + 1 < columns; ++j) target += (0.7 + r) * row[j] * row[j + 1];
}

/// Rows and Columns: an int, or a Size.
template <class R, class C, class Rows, class Columns>
void expect_rows_of_vectors(const C& constraint, Rows rows, Columns size) {
  const int columns = as_size(size).value();
  const int components = unconstrained_size(constraint, columns);
  const auto of_matrix = evaluated<R>(components, [&](auto& target) {
    auto x = target.matrix("x", rows, size, constraint);
    for (int r = 0; r < 3; ++r) add_row(x[r], r, columns, target);
  });
  const auto of_vectors = evaluated<R>(components, [&](auto& target) {
    auto a = target.vector("a", columns, constraint);
    auto b = target.vector("b", columns, constraint);
    auto c = target.vector("c", columns, constraint);
    add_row(a, 0, columns, target), add_row(b, 1, columns, target), add_row(c, 2, columns, target);
  });
  for (std::size_t l = 0; l < static_cast<std::size_t>(R::lanes); ++l) {
    EXPECT_NEAR(of_matrix.value[l], of_vectors.value[l], 1e-4);
    for (std::size_t i = 0; i < static_cast<std::size_t>(3 * components); ++i)
      EXPECT_NEAR(of_matrix.gradient[i][l], of_vectors.gradient[i][l], 1e-4) << i;
  }
}

TYPED_TEST(RealTest, RowsOfAMatrixAreVectors) {
  const auto check = [](auto rows, auto columns) {
    expect_rows_of_vectors<TypeParam>(simplex(), rows, columns);
    expect_rows_of_vectors<TypeParam>(ordered(), rows, columns);
    expect_rows_of_vectors<TypeParam>(positive_ordered(), rows, columns);
    expect_rows_of_vectors<TypeParam>(unit_vector(), rows, columns);
    expect_rows_of_vectors<TypeParam>(sum_to_zero(), rows, columns);
  };
  for (const int columns : {1, 2, 5}) check(3, columns);
  check(Size<3>{}, Size<4>{});
  check(3, Size<4>{});
}

// Densities of vectors and of categories take a row, also one that data select.
TEST(RowConstraints, OfDensitiesOfRows) {
  std::vector<double> q;
  for (int i = 0; i < 12; ++i) q.push_back(0.6 * std::cos(2.3 * i));
  const auto density = [](auto& target) {
    const int group[] = {2, 0, 1, 1, 0}, y[] = {0, 3, 1, 2, 2};
    auto theta = target.matrix("theta", 2, 4, simplex());
    auto cut = target.matrix("cut", 3, 2, ordered());
    target.sum_over(Size<dynamic>(2), [&](int k, auto& term) { term += dirichlet(theta[k], 1.5); });
    target.observe("y", Size<dynamic>(5), [&](int i, auto& term) {
      term += categorical(y[i], theta[group[i] % 2]);
      term += ordered_logistic(y[i] % 3, 0.3 * i, cut[group[i]]);
    });
  };
  check_gradient_of(q, density);
  check_lanes<Pack<float>>(q, density, 256);
}

std::string refusal_of(const Data& given, int rows, int columns) {
  try {
    LayoutTarget<double> target(given);
    target.matrix("P", rows, columns, simplex());
    target.finish();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "none";
}

TEST(RowConstraints, AreInTheLayout) {
  Data given;
  given.set("P", {0.2, 0.3, 0.5, 0.6, 0.1, 0.3}, {2, 3});
  LayoutTarget<double> target(given);
  const auto P = target.matrix("P", 2, 3, simplex());
  const auto one = target.matrix("one", 2, 1, simplex());
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      EXPECT_NEAR(value(P[i][j]).v, given.find("P")->values[static_cast<std::size_t>(3 * i + j)], 1e-15);
  EXPECT_EQ(value(one[1][0]).v, 1);
  const Layout layout = target.finish();
  EXPECT_EQ(layout.dimension, 4u);
  EXPECT_EQ(layout.outputs, 8u);
  EXPECT_EQ(layout.quantities[0].shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(layout.output_names()[4], "P[2,2]");
  EXPECT_EQ(layout.constant, (std::vector<bool>{false, false, false, false, false, false, true, true}));
  given.set("P", {0.2, 0.3, 0.5, 0.6, 0.1, 0.4}, {2, 3});
  EXPECT_EQ(refusal_of(given, 2, 3), "initial value of P: its elements must add up to 1");
  EXPECT_EQ(refusal_of(Data(), 2, 0), "matrix P has 0 columns, and its constraint needs 1 or more");
  EXPECT_EQ(refusal_of(Data(), 0, 3), "none");
}

}  // namespace
}  // namespace manychain::test
