// Densities of matrices: an element of the matrix is an element of the density.
#include "manychain/model/distributions/functions.hpp"
#include "manychain/model/matrices/matrix_expression.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

std::vector<double> point(int n) {
  std::vector<double> q;
  for (int i = 0; i < n; ++i) q.push_back(0.4 * std::cos(1.7 * i) + 0.1);
  return q;
}

/// Data of `rows` rows and `columns` columns, and the same element by element.
template <class T, class F>
void with_data_matrix(int rows, int columns, F use) {
  std::vector<T> x;
  for (int i = 0; i < rows * columns; ++i) x.push_back(static_cast<T>(0.5 + std::sin(1.1 * i)));
  use(Matrix<const T>(x.data(), rows, Size<dynamic>(columns)), View<const T>(x.data(), Size<dynamic>(rows * columns)));
}

// Each element of a matrix is an element of the density: of parameters, a let, data, an expression, beside one another
// and beside a vector of as many elements.
template <class Target>
void matrices_in_densities(Target& target, int k) {
  using T = number_in<Target>;
  auto z = target.matrix("z", 3, k);
  auto s = target.matrix("s", 3, k, lower(0));
  auto v = target.vector("v", 3 * k);
  auto kept = target.let(matrix_of(3, k, [&](int i, int j) { return z[i][j] * v[j] + 0.5; }));
  with_data_matrix<T>(3, k, [&](const auto& y, const auto&) {
    target += normal(z, 0, 1);
    target += student_t(y, 4, z, s);
    target += normal(v, kept, exp(v)) + 0.5 * gamma(s, 2, 1.5);
    target += normal(transpose(z), 0.25, 2);
    target += normal(transpose(transpose(z)), y, 2);
    target += bernoulli_logit(1, z);
    target.sum_over(1, [&](int, auto& term) { term += 0.5 * square(z[0][0]); });
  });
}
template <class Target>
void elements_in_densities(Target& target, int k) {
  using T = number_in<Target>;
  auto z = target.vector("z", 3 * k);
  auto s = target.vector("s", 3 * k, lower(0));
  auto v = target.vector("v", 3 * k);
  auto kept = target.let(vector_of(3 * k, [&](int i) { return z[i] * v[i % k] + 0.5; }));
  with_data_matrix<T>(3, k, [&](const auto&, const auto& y) {
    for (int i = 0; i < 3 * k; ++i) {
      target += normal(z[i], 0, 1);
      target += student_t(y[i], 4, z[i], s[i]);
      target += normal(v[i], kept[i], exp(v[i])) + 0.5 * gamma(s[i], 2, 1.5);
      target += normal(z[i], 0.25, 2);
      target += normal(z[i], y[i], 2);
      target += bernoulli_logit(1, z[i]);
    }
    target += 0.5 * square(z[0]);
  });
}

TEST(MatrixDensities, OfElements) {
  for (int k : {1, 4}) {
    const auto q = point(9 * k);
    check_in_every_real(
        q, [k](auto& target) { matrices_in_densities(target, k); }, 256);
    const auto at = [&](int i, int) { return q[static_cast<std::size_t>(i)]; };
    const auto got = run_target<Request::value_and_gradient, Scalar<double>>(
        9 * k, at, [k](auto& target) { matrices_in_densities(target, k); });
    const auto right = run_target<Request::value_and_gradient, Scalar<double>>(
        9 * k, at, [k](auto& target) { elements_in_densities(target, k); });
    EXPECT_NEAR(got.value[0], right.value[0], 1e-11 * std::fabs(right.value[0]));
    for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(got.gradient[i][0], right.gradient[i][0], 1e-11) << i;
  }
  LayoutTarget<double> layout;
  matrices_in_densities(layout, 2);
  EXPECT_EQ(layout.finish().dimension, 18u);
}

// A fixed size stays one, so that rows of data are taken several at once.
TEST(MatrixDensities, OfFixedSize) {
  check_in_every_real(
      point(7),
      [](auto& target) {
        auto b = target.matrix("b", Size<2>{}, Size<3>{});
        auto mu = target.real("mu");
        const auto density = normal(b, mu, 1);
        static_assert(decltype(density.size)::fixed);
        target.observe("b", density);
      },
      256);
}

}  // namespace
}  // namespace manychain::test
