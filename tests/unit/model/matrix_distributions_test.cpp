// Distributions of vectors: values against scipy 1.x, gradients in every Real; Gaussian processes.
#include "manychain/model/matrices/matrix_distributions.hpp"

#include "../examples/posteriors/gp_regr.hpp"
#include "manychain/chain/check_model.hpp"
#include "manychain/core/error.hpp"
#include "manychain/model/matrices/covariance_functions.hpp"
#include "unit/model/evaluation.hpp"
#include "unit/model/gp_regr_by_hand.hpp"

namespace manychain::test {
namespace {

using D = Scalar<double>;

template <class F>
void check_everywhere(const std::vector<double>& q, F density, double units = 512) {
  check_gradient_of(q, density);
  check_lanes<Pack<float>>(q, density, units);
  check_lanes<Pack<double>>(q, density, units);
}

const double y_numbers[] = {0.3, -1.2, 0.8}, mu_numbers[] = {0.1, -0.4, 0.5};
const double S_numbers[3][3] = {{2.0, 0.3, -0.5}, {0.3, 1.5, 0.4}, {-0.5, 0.4, 1.25}};
const double W_numbers[3][3] = {{3.0, 0.5, 0.2}, {0.5, 2.0, -0.3}, {0.2, -0.3, 1.0}};
const double R_numbers[4][4] = {{1, 0.3, -0.2, 0.1}, {0.3, 1, 0.5, 0.25}, {-0.2, 0.5, 1, 0.4}, {0.1, 0.25, 0.4, 1}};
auto matrix_of_numbers(const double (&x)[3][3]) {
  return matrix_of(3, 3, [&x](int i, int j) { return D(x[i][j]); });
}
template <class F>
double value_of_density(F density) {
  return run_target<Request::value, D>(
             1, [](int, int) { return 0.0; }, density)
      .value[0];
}

// scipy.stats.multivariate_normal(mu, S).logpdf(y), .multivariate_normal(mu, inv(S)), .multivariate_t(mu, S, 4.5),
// .wishart(5, S).logpdf(W), .invwishart(5, S).logpdf(W). LKJ: |R|^(eta - 1) over its integral, the product of those of
// (1 - r^2)^(b - 1) over partial correlations, b = eta + (n - 1 - k) / 2 at level k, 2^(2 b - 1) B(b, b) each; of the
// factor, times the Jacobian prod_j L[j][j]^(n - 1 - j).
TEST(MatrixDistributions, Values) {
  const View<const double> y(y_numbers, Size<dynamic>(3)), mu(mu_numbers, Size<dynamic>(3));
  const auto S = matrix_of_numbers(S_numbers), W = matrix_of_numbers(W_numbers);
  EXPECT_NEAR(value_of_density([&](auto& target) { target += multi_normal(y, mu, S); }), -3.7211364084005805, 1e-13);
  EXPECT_NEAR(value_of_density([&](auto& target) {
                auto L = target.cholesky(S);
                target.observe("y", multi_normal_cholesky(y, mu, L));
              }),
              -3.7211364084005805, 1e-13);
  EXPECT_NEAR(value_of_density([&](auto& target) {
                auto L = target.cholesky(S);
                target += sum(multi_normal_cholesky(y, mu, L));
              }),
              -3.7211364084005805, 1e-13);
  EXPECT_NEAR(value_of_density([&](auto& target) {
                auto L = target.cholesky(S);
                target += sum(multi_student_t_cholesky(y, 4.5, mu, L));
              }),
              -3.8075421311857847, 1e-13);
  EXPECT_NEAR(value_of_density([&](auto& target) { target += multi_normal_precision(y, mu, S); }), -2.640254091093178,
              1e-13);
  EXPECT_NEAR(value_of_density([&](auto& target) { target += multi_student_t(y, 4.5, mu, S); }), -3.8075421311857847,
              1e-13);
  EXPECT_NEAR(value_of_density([&](auto& target) { target += wishart(W, 5, S); }), -11.12089788489674, 1e-13);
  EXPECT_NEAR(value_of_density([&](auto& target) { target += inv_wishart(W, 5, S); }), -13.565396162892494, 1e-13);
  const auto R3 = matrix_of(3, 3, [](int i, int j) { return D(R_numbers[i][j]); });
  const auto R4 = matrix_of(4, 4, [](int i, int j) { return D(R_numbers[i][j]); });
  EXPECT_NEAR(value_of_density([&](auto& target) { target += lkj_corr(R3, 1.7); }), -1.2544664375245245, 1e-13);
  EXPECT_NEAR(value_of_density([&](auto& target) { target += lkj_corr(R4, 0.8); }), -2.7851203499358914, 1e-13);
  EXPECT_NEAR(value_of_density([&](auto& target) {
                auto L = target.cholesky(R3);
                target += lkj_corr_cholesky(L, 1.7);
              }),
              -1.301621777260145, 1e-13);
}

TEST(MatrixDistributions, Gradients) {
  std::vector<double> q;
  for (int i = 0; i < 15; ++i) q.push_back(0.4 * std::cos(1.7 * i) + 0.1);
  check_everywhere(q, [](auto& target) {
    using T = number_in<decltype(target)>;
    T numbers[12];
    for (int i = 0; i < 12; ++i) numbers[i] = static_cast<T>(std::sin(2.1 * i));
    const Matrix<const T> Y(numbers, 4, Size<dynamic>(3));
    auto mu = target.vector("mu", 3);
    auto sigma = target.vector("sigma", 3, lower(0.5));
    auto nu = target.real("nu", lower(2.5));
    auto eta = target.real("eta", lower(0));
    auto L = target.cholesky_corr("L", 3);
    target += lkj_corr_cholesky(L, eta);
    target.observe("Y", multi_normal_cholesky(Y, mu, diag_pre_multiply(sigma, L)));
    target.observe("Y", multi_student_t_cholesky(Y, nu, 0.2, L));
    auto scale = target.let(diag_pre_multiply(sigma, L));  // lower triangular as well
    target.observe("Y", multi_normal_cholesky(Y, mu, scale));
    auto y = target.vector("y", 3);
    auto S = target.let(multiply_lower_tri_self_transpose(diag_pre_multiply(sigma, L)));
    target += multi_normal(y, mu, S);
    target += multi_normal_precision(mu, y, S);
    target += multi_normal_precision(Y, y[0], S);
    target += multi_student_t(y, nu, mu, S);
    auto R = target.corr_matrix("R", 2);
    target += lkj_corr(R, eta);
  });
  check_gradient_of({0.3, -0.2, 0.4, 0.1, 0.2, -0.3, 0.5}, [](auto& target) {
    auto W = target.cov_matrix("W", 2);
    auto S = target.cov_matrix("S", 2);
    auto nu = target.real("nu", lower(1));
    target += wishart(W, nu, S);
    target += inv_wishart(S, nu, W);
  });
}

// Mixtures of multivariate densities, of fixed sizes and of others.
TEST(MatrixDistributions, NumbersOfExpressions) {
  std::vector<double> q;
  for (int i = 0; i < 14; ++i) q.push_back(0.4 * std::cos(1.7 * i) + 0.1);
  const auto mixture = [](auto n) {
    return [n](auto& target) {
      using T = number_in<decltype(target)>;
      T numbers[12];
      for (int i = 0; i < 12; ++i) numbers[i] = static_cast<T>(std::sin(2.1 * i));
      const Matrix<const T> Y(numbers, 4, Size<dynamic>(3));
      auto mu = target.vector("mu", n);
      auto nu = target.vector("nu", n);
      auto df = target.real("df", lower(2.5));
      auto theta = target.real("theta", interval(0, 1));
      auto L = target.cholesky_cov("L", n);
      target.sum_over(4, [&](int i, auto& term) {
        term += log_mix(theta, sum(multi_normal_cholesky(Y[i], mu, L)), sum(multi_student_t_cholesky(Y[i], df, nu, L)));
        term += log_sum_exp(vector_of(2, [&](int k) { return k * theta + sum(multi_normal_cholesky(nu, mu, L)); }));
      });
      target += log_mix(theta, 0.25 * sum(multi_normal_cholesky(Y, mu, L)), -4 * theta);
    };
  };
  check_everywhere(q, mixture(Size<dynamic>(3)));
  check_everywhere(q, mixture(Size<3>{}));
}

// The rows of a matrix are draws, and the working memory is that of one.
TEST(MatrixDistributions, RowsAreDraws) {
  double numbers[12];
  for (int i = 0; i < 12; ++i) numbers[i] = std::sin(2.1 * i);
  const Matrix<const double> Y(numbers, 4, Size<dynamic>(3));
  const View<const double> mu(mu_numbers, Size<dynamic>(3));
  const auto S = matrix_of_numbers(S_numbers);
  const double all = value_of_density([&](auto& target) { target += multi_normal(Y, mu, S); });
  const double each = value_of_density([&](auto& target) {
    for (int j = 0; j < 4; ++j) target += multi_normal(Y[j], mu, S);
  });
  EXPECT_NEAR(all, each, 1e-13);
  LayoutTarget<double> layout;
  layout.observe("Y", multi_normal(Y, mu, S));
  EXPECT_EQ(layout.finish().scratch, 2u * (6 + 1 + 3) + 2u * 3);
}

// The check of a model evaluates factors and solutions, each row too, and refuses what needs working memory in the body
// of a sum.
TEST(MatrixDistributions, Checked) {
  using T = CheckedNumber;
  T numbers[12];
  for (int i = 0; i < 12; ++i) numbers[i] = std::sin(2.1L * i);
  const Matrix<const T> Y(numbers, 4, Size<dynamic>(3));
  int evaluated = 0;
  const auto S = [&](auto& target) {
    auto b = target.real("b", lower(0));
    return matrix_of(3, 3, [&evaluated, b = as_node(b)](int i, int j) {
      ++evaluated;
      return select(i == j, 2 + b, 0.1 * b);
    });
  };
  checks::Pass pass("model");
  CheckTarget<T> target(pass);
  target.observe("Y", multi_normal(Y, 0.5, S(target)));
  EXPECT_EQ(evaluated, 6);
  CheckTarget<T> body(pass);
  const auto matrix = S(body);
  EXPECT_THROW(body.observe("Y", 4, [&](int j, auto& term) { term += multi_normal(Y[j], 0.5, matrix); }), BadInput);
}

// Seconds, whose squares are beyond int.
TEST(GaussianProcesses, OfPointsThatAreWholeNumbers) {
  const int seconds[] = {0, 50000, 90000};
  const double same[] = {0, 50000, 90000};
  const View<const int> t(seconds, Size<dynamic>(3));
  const View<const double> x(same, Size<dynamic>(3));
  const auto whole = gp_exp_quad_cov(t, D(1), 40000.0);
  const auto real = gp_exp_quad_cov(x, D(1), 40000.0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_EQ(whole[i][j].value().v, real[i][j].value().v);
  EXPECT_NEAR(whole[1][0].value().v, std::exp(-0.5 * 1.5625), 1e-14);
}

// alpha^2 k(d / rho) with math.exp and math.sin of Python, at two distances.
TEST(GaussianProcesses, CovarianceFunctions) {
  const double x_numbers[] = {0.0, 0.7, 1.9}, a = 1.3, rho = 0.8, period = 1.1;
  const View<const double> x(x_numbers, Size<dynamic>(3));
  const Matrix<const double> points(x_numbers, 3, Size<dynamic>(1));
  const auto expect = [&](const auto& K, double first, double second) {
    EXPECT_NEAR(K[1][0].value().v, first, 1e-14);
    EXPECT_NEAR(K[1][2].value().v, second, 1e-14);
    EXPECT_NEAR(K[2][2].value().v, a * a, 1e-14);
  };
  const auto of = [&](const auto& at) {
    expect(gp_exp_quad_cov(at, D(a), rho), 1.1524798695116885, 0.5486626698356112);
    expect(gp_exponential_cov(at, D(a), rho), 0.7044968132566793, 0.37708997065084654);
    expect(gp_matern32_cov(at, D(a), rho), 0.9339553343249628, 0.4525086656008519);
    expect(gp_matern52_cov(at, D(a), rho), 1.0110463463288135, 0.47854592856426076);
    expect(gp_periodic_cov(at, D(a), rho, period), 0.12732767873697576, 1.3187537660144328);
  };
  of(x);
  of(points);
}
TEST(GaussianProcesses, Gradients) {
  check_everywhere(
      {0.3, -0.2, 0.4, 0.1},
      [](auto& target) {
        using T = number_in<decltype(target)>;
        T numbers[14];
        for (int i = 0; i < 14; ++i) numbers[i] = static_cast<T>(2 * std::sin(2.1 * i));
        const View<const T> x(numbers, Size<dynamic>(7)), y(numbers + 7, Size<dynamic>(7));
        const Matrix<const T> points(numbers, 7, Size<dynamic>(2));
        auto alpha = target.real("alpha", lower(0));
        auto rho = target.real("rho", lower(0));
        auto sigma = target.real("sigma", lower(0.3));
        auto period = target.real("period", lower(0.5));
        target.observe("y", multi_normal(y, 0, add_diagonal(gp_exp_quad_cov(x, alpha, rho), square(sigma))));
        target.observe("y", multi_normal(y, 0, add_diagonal(gp_exponential_cov(x, alpha, rho), sigma)));
        target.observe("y", multi_normal(y, period, add_diagonal(gp_matern32_cov(points, alpha, rho), sigma)));
        target.observe("y", multi_normal(y, 0, add_diagonal(gp_matern52_cov(points, alpha, rho), sigma)));
        target.observe("y", multi_normal(y, 0, add_diagonal(gp_periodic_cov(x, alpha, rho, period), sigma)));
      },
      4096);
}

// The posterior as a user writes it, against the one with its gradient written by hand.
TEST(GaussianProcesses, RegressionLikeTheOneByHand) {
  const double x[] = {-10, -8, -6, -4, -2, 0, 2, 4, 6, 8, 10};
  double y[11];
  for (int i = 0; i < 11; ++i) y[i] = std::sin(0.4 * x[i]) + 0.3 * std::cos(3.0 * i);
  const auto bind = [&](auto& model) {
    model.N = Size<dynamic>(11);
    model.x = View<const double>(x, Size<dynamic>(11));
    model.y = View<const double>(y, Size<dynamic>(11));
  };
  GpRegrByHand<double> by_hand;
  GpRegr<double> written;
  bind(by_hand);
  bind(written);
  const auto at = [](int i, int l) { return 0.3 * std::sin(2.0 * i + l) + (i == 0 ? 1.5 : 0.0); };
  using R = Pack<double>;
  const auto right = run_target<Request::value_and_gradient, R>(3, at, [&](auto& t) { by_hand.log_density(t); });
  const auto got = run_target<Request::value_and_gradient, R>(3, at, [&](auto& t) { written.log_density(t); });
  for (std::size_t l = 0; l < R::lanes; ++l) {
    EXPECT_NEAR(got.value[l], right.value[l], 1e-11);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(got.gradient[i][l], right.gradient[i][l], 1e-10 * (1 + std::fabs(right.gradient[i][l])));
  }
}

}  // namespace
}  // namespace manychain::test
