// Expressions of whole vectors and matrices: values and gradients, in every Real, by rows and one by one;
// intermediates.
#include "manychain/model/distributions/functions.hpp"
#include "manychain/model/distributions/mixtures.hpp"
#include "manychain/model/matrices/glm.hpp"
#include "manychain/model/matrices/linear_algebra.hpp"
#include "manychain/model/matrices/matrix_expression.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

template <class F>
void check_everywhere(const std::vector<double>& q, F density) {
  check_in_every_real(q, density, 256);
}

/// 0.5, -0.25, ...: data of any number type.
template <class T>
struct Numbers {
  explicit Numbers(int n, double by = 0.37) {
    for (int i = 0; i < n; ++i) x.push_back(static_cast<T>(0.5 + std::sin(3 * i * by) - 0.1 * (i % 3)));
  }
  View<const T> view() const { return {x.data(), Size<dynamic>(static_cast<int>(x.size()))}; }
  std::vector<T> x;
};
std::vector<double> point(int n) {
  std::vector<double> q;
  for (int i = 0; i < n; ++i) q.push_back(0.4 * std::cos(1.7 * i) + 0.1);
  return q;
}

TEST(VectorExpressions, Operators) {
  for (int n : {1, 3, 8, 21}) {
    check_everywhere(point(n + 2), [n](auto& target) {
      const Numbers<number_in<decltype(target)>> data(n);
      const auto x = data.view();
      auto beta = target.vector("beta", n);
      auto alpha = target.real("alpha");
      auto sigma = target.real("sigma", lower(0));
      target += normal(x, alpha + beta * x, sigma);
      target += normal(2 * beta - x / 3, -beta, 1.5);
      target += normal(beta, (alpha - beta) / sigma, exp(0.1 * beta) + sqrt(square(beta) + 1));
      target += normal(0.3, beta * beta, 1 + inv_logit(-beta));
    });
  }
}

// As vectors have it, not as two ints do.
TEST(VectorExpressions, QuotientsAndSumsOfWholeNumbersAreReal) {
  const int y_numbers[] = {50000, 3, 7}, n_numbers[] = {60000, 4, 2};
  const View<const int> y(y_numbers, Size<dynamic>(3)), n(n_numbers, Size<dynamic>(3));
  EXPECT_EQ((y / n)[1], 0.75);
  EXPECT_EQ((y / 2)[2], 3.5);
  EXPECT_EQ((y - n)[1], -1);
  EXPECT_EQ(dot(y, y).value(), 2500000058.0);
  EXPECT_EQ(dot(y, n).value(), 3000000026.0);
  EXPECT_EQ(sum(vector_of(3, [](int) { return 1'000'000'000; })).value(), 3e9);
}
// In blocks of rows, and in those that are left over.
TEST(VectorExpressions, QuotientsOfWholeNumbersInDensities) {
  for (int n : {1, 8, 21}) {
    std::vector<int> counts;
    for (int i = 0; i < n; ++i) counts.push_back(5 * i % 13);
    const View<const int> y(counts.data(), Size<dynamic>(n));
    check_everywhere(point(2), [&](auto& target) {
      auto mu = target.real("mu");
      auto sigma = target.real("sigma", lower(0));
      target += normal(y / 4, mu, sigma);
    });
    const auto density = [&](auto quotient) {
      return run_target<Request::value, Scalar<double>>(
                 1, [](int, int) { return 0.3; },
                 [&](auto& target) { target += normal(quotient, target.real("mu"), 1); })
          .value[0];
    };
    EXPECT_EQ(density(y / 4), density(y * 0.25));
  }
}

TEST(VectorExpressions, FixedSizes) {
  check_everywhere(point(4), [](auto& target) {
    const Numbers<number_in<decltype(target)>> data(3);
    const View<const number_in<decltype(target)>, 3> x(data.x.data(), Size<3>{});
    auto beta = target.vector("beta", Size<3>{});
    auto tau = target.real("tau", lower(0));
    static_assert(decltype((beta * x + tau).size())::fixed);
    auto eta = target.let(beta * x + tau);
    target += normal(eta, 0, tau);
    target += square(eta[1]) * sum(eta);
    target += normal(eta, beta, 1.0);
  });
}

TEST(VectorExpressions, SumsOverElements) {
  for (int n : {1, 2, 9}) {
    check_everywhere(point(2 * n), [n](auto& target) {
      const Numbers<number_in<decltype(target)>> data(n);
      const auto x = data.view();
      auto a = target.vector("a", n);
      auto b = target.vector("b", n, lower(-1));
      target += square(sum(a)) - sum(a * b) + 0.5 * mean(square(b));
      target += dot(a, b) * dot(x, a) - dot(b, x) + 0.25 * dot(a - b, a + b);
      target += -square(log_sum_exp(a + x)) + log_sum_exp(-b);
      target += -exp(sum(x) * 0.125 * a[0]);
    });
  }
}

// Its weights sum to one however large the elements are, and nothing is NaN where one or all are -infinity.
TEST(VectorExpressions, LogSumExpOfLargeNumbers) {
  using R = Scalar<double>;
  const double inf = std::numeric_limits<double>::infinity();
  for (const auto& [x, y, expected, weight] :
       {std::tuple(1000.0, 1000.0, 1000 + std::log(2), 0.5),
        std::tuple(-1e5, -1e5 + 1, -1e5 + std::log(1 + std::exp(1)), 1 / (1 + std::exp(1))),
        std::tuple(-inf, 3.0, 3.0, 0.0), std::tuple(-inf, -inf, -inf, 0.0)}) {
    const auto got = run_target<Request::value_and_gradient, R>(
        2, [&, x = x, y = y](int i, int) { return i == 0 ? x : y; },
        [](auto& target) { target += log_sum_exp(target.vector("x", Size<2>{})); });
    EXPECT_DOUBLE_EQ(got.value[0], expected);
    EXPECT_NEAR(got.gradient[0][0], weight, 1e-12);
  }
}

TEST(VectorExpressions, LetOfVectors) {
  for (int n : {1, 5, 40}) {
    check_everywhere(point(n + 1), [n](auto& target) {
      const Numbers<number_in<decltype(target)>> data(n);
      const auto x = data.view();
      auto mu = target.real("mu");
      auto beta = target.vector("beta", n);
      auto eta = target.let(exp(mu + 0.3 * beta * x));
      auto zeta = target.let(eta * eta + mu);
      target += normal(x, zeta, 1.0);
      target += square(eta[0]) * 0.1;
      target.observe("x", n, [&](auto j, auto& term) { term += normal(x[j], eta[j] - zeta[j], 2.0); });
      target += normal(segment(zeta, n / 2, n - n / 2), mu, 1.0);
      const auto squares = vector_of(n, [&](auto i) { return square(zeta[i]); });
      target += -0.01 * sum(squares);
    });
  }
}

// One statement is the same as a loop over the elements, to the bit, in every request.
TEST(VectorExpressions, AStatementIsTheLoop) {
  using R = Pack<float>;
  const int n = 37;
  const Numbers<float> data(n);
  const auto x = data.view();
  const auto at = [](int i, int l) { return 0.1 * i - 0.07 * l; };
  const auto statement = run_target<Request::value_and_gradient, R>(2, at, [&](auto& target) {
    auto alpha = target.real("alpha");
    auto sigma = target.real("sigma", lower(0));
    target.observe("x", normal(x, alpha * x + 1, sigma));
  });
  const auto loop = run_target<Request::value_and_gradient, R>(2, at, [&](auto& target) {
    auto alpha = target.real("alpha");
    auto sigma = target.real("sigma", lower(0));
    target.observe("x", n, [&](auto j, auto& term) { term += normal(x[j], alpha * x[j] + 1, sigma); });
  });
  EXPECT_EQ(statement.value, loop.value);
  EXPECT_EQ(statement.gradient, loop.gradient);
}

TEST(MatrixExpressions, ProductsWithVectors) {
  for (int n : {1, 8, 19}) {
    const int k = 3;
    check_everywhere(point(k + 1 + 2 * k), [n](auto& target) {
      using T = number_in<decltype(target)>;
      const Numbers<T> data(n), design(n * k, 0.71);
      const Matrix<const T> X(design.x.data(), n, Size<dynamic>(k));
      const auto y = data.view();
      auto beta = target.vector("beta", k);
      auto alpha = target.real("alpha");
      auto B = target.matrix("B", 2, k);
      target.observe("y", normal(y, alpha + X * beta, 1.5));
      auto eta = target.let(X * beta);
      target += normal(eta, B[1][0], 2.0);
      auto z = target.let(B * beta);
      target += square(z[0]) * z[1] + dot(B[0], B[1]) - sum(column(B, 2)) * alpha;
      target += -sum(square(transpose(B) * z));
    });
  }
}

// Data select a row of a matrix of parameters, several rows at once where a body takes them so.
TEST(MatrixExpressions, RowsThatDataSelect) {
  check_everywhere(point(3 * 2 + 1), [](auto& target) {
    using T = number_in<decltype(target)>;
    const int n = 21;
    const Numbers<T> data(n);
    std::vector<int> groups;
    for (int j = 0; j < n; ++j) groups.push_back(1 + (j * j) % 3);
    const View<const int> group(groups.data(), Size<dynamic>(n));
    const auto y = data.view();
    auto b = target.matrix("b", 3, 2, lower(-2));
    auto mu = target.real("mu");
    target.observe("y", n, [&](auto j, auto& term) {
      term += normal(y[j], mu + b[group[j] - 1][0] + b[group[j] - 1][1] * y[j], 1.0);
    });
    target += normal(b.elements(), mu, 2.0);
  });
}

TEST(VectorExpressions, FurtherFunctions) {
  check_everywhere(point(6), [](auto& target) {
    auto x = target.vector("x", 5, interval(0.1, 0.9));
    auto mu = target.real("mu");
    target += sum(lgamma(x)) + sum(logit(x)) * 0.1 - sum(pow(x, 2.5)) + dot(Phi(x), erf(x)) + sum(log1m(x));
    target += sum(pow(x, mu)) + sum(log1m_exp(-x)) + sum(sin(x) * cos(x));
    target += normal_variance(x, mu, exp(x));
  });
}

// normal_variance() with a variance is normal() with its square root.
TEST(VectorExpressions, NormalByItsVariance) {
  using R = Scalar<double>;
  const auto at = [](int i, int) { return 0.7 - 0.9 * i; };
  const auto by_variance = run_target<Request::value_and_gradient, R>(3, at, [](auto& target) {
    auto q = target.vector("q", 3);
    target += normal_variance(q[0], q[1], exp(2 * q[2]));
  });
  const auto by_sd = run_target<Request::value_and_gradient, R>(3, at, [](auto& target) {
    auto q = target.vector("q", 3);
    target += normal(q[0], q[1], exp(q[2]));
  });
  EXPECT_NEAR(by_variance.value[0], by_sd.value[0], 1e-13);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(by_variance.gradient[i][0], by_sd.gradient[i][0], 1e-13);
}

TEST(GeneralisedLinearModels, AreTheirDensities) {
  const int n = 19, k = 2, K = 3;
  const auto density = [n](bool glm, auto& target) {
    using T = number_in<decltype(target)>;
    const Numbers<T> numbers(n), design(n * k, 0.71);
    std::vector<T> counts;
    std::vector<int> categories;
    for (int j = 0; j < n; ++j) counts.push_back(static_cast<T>(j % 4)), categories.push_back(j % K);
    const Matrix<const T> X(design.x.data(), n, Size<dynamic>(k));
    const View<const T> y = numbers.view(), count(counts.data(), Size<dynamic>(n));
    const View<const int> category(categories.data(), Size<dynamic>(n));
    auto beta = target.vector("beta", k);
    auto alpha = target.real("alpha");
    auto phi = target.real("phi", lower(0));
    auto intercepts = target.vector("intercepts", K);
    auto B = target.matrix("B", k, K);
    if (glm) {
      target += normal_id_glm(y, X, alpha, beta, phi);
      target += bernoulli_logit_glm(1, X, alpha, beta);
      target += poisson_log_glm(count, X, alpha, beta);
      target += neg_binomial_2_log_glm(count, X, alpha, beta, phi);
      target += categorical_logit_glm(category, X, intercepts, B);
    } else {
      target.sum_over(n, [&](int j, auto& term) {
        const auto eta = alpha + beta[0] * X[j][0] + beta[1] * X[j][1];
        term += normal(y[j], eta, phi) + bernoulli_logit(1, eta) + poisson_log(count[j], eta) +
                neg_binomial_2_log(count[j], eta, phi);
        const auto logits = vector_of(K, [&](int c) { return intercepts[c] + B[0][c] * X[j][0] + B[1][c] * X[j][1]; });
        term += categorical_logit(category[j], logits);
      });
    }
  };
  check_everywhere(point(k + 2 + K + k * K), [&](auto& target) { density(true, target); });
  const auto at = [](int i, int) { return 0.3 * std::cos(1.1 * i); };
  const int d = k + 2 + K + k * K;
  using R = Scalar<double>;
  const auto glm = run_target<Request::value_and_gradient, R>(d, at, [&](auto& target) { density(true, target); });
  const auto terms = run_target<Request::value_and_gradient, R>(d, at, [&](auto& target) { density(false, target); });
  EXPECT_NEAR(glm.value[0], terms.value[0], 1e-12 * std::fabs(terms.value[0]));
  for (int i = 0; i < d; ++i)
    EXPECT_NEAR(glm.gradient[static_cast<std::size_t>(i)][0], terms.gradient[static_cast<std::size_t>(i)][0], 1e-11);
}

TEST(MatrixExpressions, FixedSizes) {
  check_everywhere(point(6), [](auto& target) {
    auto b = target.matrix("b", Size<2>{}, Size<3>{});
    static_assert(decltype(b.elements().size())::fixed);
    target += -square(b[0][2] - b[1][0] * b[1][2]) - dot(b[0], b[1]) - square(sum(b.elements()));
  });
}

// A layout asks whether expressions take several rows: one of whole numbers alone says no.
TEST(MatrixExpressions, OfWholeNumbersAlone) {
  const auto density = [](auto& target) {
    auto v = target.vector("v", 3);
    auto s = target.real("s", lower(0));
    const auto B = matrix_of(3, 3, [&](int i, int j) { return s * (1.0 + i) - 0.25 * j; });
    target += normal(B * v, 0, 1);
    target += normal(column(B, 1), v, 2.0);
    target += normal(transpose(B) * v, 0, 1);
    auto kept = target.let(B);
    target += normal(kept * v, 0, 1);
    auto L =
        target.cholesky(add_diagonal(matrix_of(3, 3, [&](int i, int j) { return s * (i == j ? 2.0 : 0.5); }), 1.0));
    auto z = target.solve_lower(L, v);
    target += normal(vector_of(3, [&](auto i) { return z[i] * 2.0; }), 0, 1);
  };
  check_everywhere(point(4), density);
  LayoutTarget<double> layout;
  density(layout);
  EXPECT_EQ(layout.finish().dimension, 4u);
}

TEST(MatrixExpressions, Layout) {
  LayoutTarget<double> target;
  target.matrix("B", 2, Size<3>{});
  target.matrix("C", Size<2>{}, Size<2>{}, lower(0));
  auto v = target.vector("v", 5);
  auto kept = target.let(v * 2.0);
  target.derived("twice", kept);
  const Layout layout = target.finish();
  EXPECT_EQ(layout.dimension, 15u);
  EXPECT_EQ(layout.scratch, 10u);  // kept: values and adjoints; C lies in registers
  ASSERT_EQ(layout.quantities.size(), 4u);
  EXPECT_EQ(layout.quantities[0].shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(layout.quantities[3].shape, (std::vector<std::size_t>{5}));
  EXPECT_EQ(layout.output_names()[5], "B[2,3]");
}

}  // namespace
}  // namespace manychain::test
