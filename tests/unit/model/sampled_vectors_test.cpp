// Draws of vectors and matrices: their moments, and distribution functions of some of their elements, against those of
// the distributions; and what predict() records of them.
//
// Means and covariances of 100 000 draws, each within 6.22 standard errors of what it is: false alarm 5e-10 each, less
// than 1e-6 for all of this file. A mean that is wrong by 0.03 standard deviations, and a variance or covariance that
// is wrong by 0.03 of the product of the standard deviations times the root of the kurtosis, is found with probability
// above 0.99.
#include "manychain/model/matrices/sampled_vectors.hpp"

#include <cmath>
#include <functional>

#include "manychain/model.hpp"
#include "unit/model/drawn_samples.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

using Vector = std::vector<double>;

/// One vector for each lane of a block of so many elements, of which `used` of the arena are still taken.
template <class R>
void append_block(std::vector<Vector>& draws, const std::vector<R>& block, int elements, int used) {
  EXPECT_EQ(used, 0);
  EXPECT_EQ(static_cast<int>(block.size()), elements);
  for (int l = 0; l < R::lanes; ++l) {
    draws.emplace_back();
    for (const R& x : block) draws.back().push_back(double(lane(x, l)));
  }
}
/// Draws of a block, one vector each.
template <class R, class Distribution>
std::vector<Vector> blocks_of(const Distribution& distribution, std::size_t count = sample_size) {
  std::vector<Vector> draws;
  const int elements = detail::block_elements(distribution);
  std::vector<R> memory(static_cast<std::size_t>(detail::prediction_memory<R>(distribution)) + 1);
  for (std::uint64_t chain = 0; draws.size() < count; chain += R::lanes) {
    const Stream<R> stream(20261122, Purpose::prediction, chain, chain % 31);
    Variates<R> variates(stream);
    Arena<R> arena{Strided<R>{memory.data(), 1}, 0};
    std::vector<R> drawn;
    detail::draw_prediction(distribution, variates, arena, [&](R x) { drawn.push_back(x); });
    append_block(draws, drawn, elements, arena.used);
  }
  return draws;
}
/// The mean of f(draw), with its standard error, is `expected`.
void expect_mean(const std::vector<Vector>& draws, const std::function<double(const Vector&)>& f, double expected,
                 const std::string& what) {
  double sum = 0, squares = 0;
  for (const Vector& x : draws) {
    const double y = f(x) - expected;
    sum += y;
    squares += y * y;
  }
  const double n = static_cast<double>(draws.size()), mean = sum / n, variance = squares / n - mean * mean;
  ASSERT_TRUE(std::isfinite(variance)) << what;
  EXPECT_LE(std::fabs(mean), threshold * std::sqrt(variance / n) + 1e-6 * (1 + std::fabs(expected))) << what;
}
/// Means and the covariance of all pairs.
void expect_moments(const std::vector<Vector>& draws, const Vector& mean, const std::vector<Vector>& covariance) {
  for (std::size_t i = 0; i < mean.size(); ++i) {
    expect_mean(
        draws, [&](const Vector& x) { return x[i]; }, mean[i], "mean " + std::to_string(i));
    for (std::size_t j = 0; j <= i; ++j)
      expect_mean(
          draws, [&](const Vector& x) { return (x[i] - mean[i]) * (x[j] - mean[j]); }, covariance[i][j],
          "covariance " + std::to_string(i) + ", " + std::to_string(j));
  }
}

/// L = (2 0 0; -1 1.5 0; 0.5 0.25 0.75) and L L', as matrices of the data.
template <class T>
struct Example {
  std::vector<T> lower = {2, 0, 0, -1, 1.5, 0, 0.5, 0.25, 0.75};
  std::vector<T> full = {4, -2, 1, -2, 3.25, -0.125, 1, -0.125, 0.875};
  std::vector<T> location = {1, -2, 0.5};
  std::vector<Vector> covariance = {{4, -2, 1}, {-2, 3.25, -0.125}, {1, -0.125, 0.875}};
  Vector mean = {1, -2, 0.5};
  View<const T> mu() const { return {location.data(), Size<>(3)}; }
  auto sigma() const {
    return matrix_of(3, 3, [p = full.data()](int i, int j) { return Scalar<T>(p[3 * i + j]); });
  }
};
/// A factor as a parameter's: what it is here.
template <class T>
struct LowerMatrix {
  static constexpr bool lower_triangular = true;
  const T* p;
  struct Row {
    const T* p;
    Scalar<T> operator[](int j) const { return Scalar<T>(p[j]); }
    Size<> size() const { return Size<>(3); }
    Row view() const { return *this; }
  };
  Row operator[](int i) const { return {p + 3 * i}; }
  int rows() const { return 3; }
  Size<> columns() const { return Size<>(3); }
};

TYPED_TEST(RealTest, MultivariateNormalInAllForms) {
  using R = TypeParam;
  using T = number_of<R>;
  const Example<T> e;
  const LowerMatrix<T> L{e.lower.data()};
  expect_moments(blocks_of<R>(multi_normal_cholesky_distribution(e.mu(), L)), e.mean, e.covariance);
  expect_moments(blocks_of<R>(multi_normal_distribution(e.mu(), e.sigma())), e.mean, e.covariance);
  expect_moments(blocks_of<R>(multi_normal_distribution(2.5, e.sigma())), {2.5, 2.5, 2.5}, e.covariance);
  // As a precision: the inverse, by cofactors over the determinant 2.25^2.
  const double d = 5.0625;
  const std::vector<Vector> inverse = {{(3.25 * 0.875 - 0.015625) / d, (2 * 0.875 - 0.125) / d, (0.25 - 3.25) / d},
                                       {(2 * 0.875 - 0.125) / d, (4 * 0.875 - 1) / d, (4 * 0.125 - 2) / d},
                                       {(0.25 - 3.25) / d, (4 * 0.125 - 2) / d, (13 - 4) / d}};
  expect_moments(blocks_of<R>(multi_normal_precision_distribution(e.mu(), e.sigma())), e.mean, inverse);
}

TYPED_TEST(RealTest, MultivariateStudentT) {
  using R = TypeParam;
  using T = number_of<R>;
  const Example<T> e;
  const LowerMatrix<T> L{e.lower.data()};
  const double nu = 20;
  std::vector<Vector> covariance = e.covariance;
  for (Vector& row : covariance)
    for (double& x : row) x *= nu / (nu - 2);
  expect_moments(blocks_of<R>(multi_student_t_cholesky_distribution(nu, e.mu(), L)), e.mean, covariance);
  const auto draws = blocks_of<R>(multi_student_t_distribution(nu, e.mu(), e.sigma()));
  expect_moments(draws, e.mean, covariance);
  // One width for all elements: the mean of (x0 - m0)^2 (x2 - m2)^2 is (s00 s22 + 2 s02^2) nu^2 / ((nu - 2) (nu - 4)).
  const double ratio = nu * nu / ((nu - 2) * (nu - 4));
  expect_mean(
      draws, [&](const Vector& x) { return std::pow(x[0] - 1, 2) * std::pow(x[2] - 0.5, 2); },
      (4 * 0.875 + 2 * 1 * 1) * ratio, "fourth moment");
}

// The distribution function of one element: normal, and Student's t.
TYPED_TEST(RealTest, MarginalsOfVectors) {
  using R = TypeParam;
  using T = number_of<R>;
  const Example<T> e;
  const auto marginal = [](const std::vector<Vector>& draws, std::size_t i, double mean, double sd) {
    Vector z;
    for (const Vector& x : draws) z.push_back((x[i] - mean) / sd);
    return z;
  };
  EXPECT_LT(
      kolmogorov_smirnov(marginal(blocks_of<R>(multi_normal_distribution(e.mu(), e.sigma())), 1, -2, std::sqrt(3.25)),
                         [](double z) { return normal_cdf(z); }),
      farthest);
  const auto t_cdf = [](double z) {
    const double tail = 0.5 * beta_cdf(1.5, 0.5, 3 / (3 + z * z));
    return z < 0 ? tail : 1 - tail;
  };
  EXPECT_LT(
      kolmogorov_smirnov(
          marginal(blocks_of<R>(multi_student_t_distribution(3, e.mu(), e.sigma())), 1, -2, std::sqrt(3.25)), t_cdf),
      farthest);
}

TYPED_TEST(RealTest, DirichletAndMultinomialOfVectors) {
  using R = TypeParam;
  using T = number_of<R>;
  const auto covariance = [](const Vector& p, double scale) {
    std::vector<Vector> result(3, Vector(3));
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) result[i][j] = scale * ((i == j ? p[i] : 0) - p[i] * p[j]);
    return result;
  };
  const std::vector<T> alpha = {2, 0.5, 1.5}, theta = {0.5, 0.125, 0.375};
  expect_moments(blocks_of<R>(dirichlet_distribution(View<const T>(alpha.data(), Size<>(3)))), {0.5, 0.125, 0.375},
                 covariance({0.5, 0.125, 0.375}, 1.0 / 5));
  expect_moments(blocks_of<R>(dirichlet_distribution(3, 2)), {1.0 / 3, 1.0 / 3, 1.0 / 3},
                 covariance({1.0 / 3, 1.0 / 3, 1.0 / 3}, 1.0 / 7));
  expect_moments(blocks_of<R>(multinomial_distribution(40, View<const T>(theta.data(), Size<>(3)))), {20, 5, 15},
                 covariance({0.5, 0.125, 0.375}, 40));
}

// LKJ: every correlation of n rows has the distribution 2 B - 1 with B ~ beta(eta - 1 + n / 2, same), its square the
// mean 1 / (2 eta + n - 1) (Lewandowski, Kurowicka and Joe 2009, theorem 1), and the determinant the mean
// prod_i E[1 - r_i^2] with 1 - r_i^2 ~ beta(eta + (n - 1 - i) / 2, i / 2).
TYPED_TEST(RealTest, Lkj) {
  using R = TypeParam;
  for (double eta : {0.75, 3.0}) {
    const int n = 4;
    const auto corr = blocks_of<R>(lkj_corr_distribution(n, eta));
    const auto factor = blocks_of<R>(lkj_corr_cholesky_distribution(n, eta));
    double determinant = 1;
    for (int i = 1; i < n; ++i) determinant *= (eta + 0.5 * (n - 1 - i)) / (eta + 0.5 * (n - 1));
    expect_mean(
        factor,
        [](const Vector& L) {
          const double product = L[0] * L[5] * L[10] * L[15];
          return product * product;
        },
        determinant, "determinant");
    const double shape = eta - 1 + 0.5 * n;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        const std::size_t at = static_cast<std::size_t>(n * i + j), mirrored = static_cast<std::size_t>(n * j + i);
        Vector r, of_factor;
        for (const Vector& x : corr) {
          r.push_back(0.5 + 0.5 * x[at]);
          ASSERT_EQ(x[at], x[mirrored]);
        }
        for (const Vector& L : factor) {
          double sum = 0;
          for (int k = 0; k < n; ++k)
            sum += L[static_cast<std::size_t>(n * i + k)] * L[static_cast<std::size_t>(n * j + k)];
          of_factor.push_back(0.5 + 0.5 * sum);
          if (j > i) {
            ASSERT_EQ(L[at], 0);
          }
        }
        if (i == j) {
          for (double x : r) ASSERT_EQ(x, 1);
          for (double x : of_factor) ASSERT_NEAR(x, 1, 1e-6);
        } else if (j < i) {
          const auto cdf = [&](double x) { return beta_cdf(shape, shape, x); };
          EXPECT_LT(kolmogorov_smirnov(r, cdf), farthest) << i << j;
          EXPECT_LT(kolmogorov_smirnov(of_factor, cdf), farthest) << i << j;
        }
      }
  }
}

// Wishart: E W = nu S, cov(W_ij, W_kl) = nu (S_ik S_jl + S_il S_jk). Inverse Wishart: E W = S / (nu - n - 1), and the
// inverse of a draw has the moments of Wishart with S^-1 (Anderson 2003, 7.3 and 7.7).
TYPED_TEST(RealTest, WishartAndInverseWishart) {
  using R = TypeParam;
  using T = number_of<R>;
  const Example<T> e;
  const double nu = 12;
  const auto check = [&](const std::vector<Vector>& draws, const std::vector<Vector>& S) {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        expect_mean(
            draws, [&](const Vector& w) { return w[3 * i + j]; }, nu * S[i][j], "mean");
        for (std::size_t k = 0; k < 3; ++k)
          for (std::size_t l = 0; l <= k; ++l)
            expect_mean(
                draws, [&](const Vector& w) { return (w[3 * i + j] - nu * S[i][j]) * (w[3 * k + l] - nu * S[k][l]); },
                nu * (S[i][k] * S[j][l] + S[i][l] * S[j][k]), "covariance");
      }
  };
  const auto inverted = [](const Vector& m) {
    Vector r(9);
    double det = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        const auto at = [&](std::size_t a, std::size_t b) { return m[3 * (a % 3) + b % 3]; };
        r[3 * j + i] = at(i + 1, j + 1) * at(i + 2, j + 2) - at(i + 1, j + 2) * at(i + 2, j + 1);
      }
      det += m[i] * r[3 * i];
    }
    for (double& x : r) x /= det;
    return r;
  };
  const auto draws = blocks_of<R>(wishart_distribution(nu, e.sigma()));
  for (const Vector& w : draws) ASSERT_EQ(w[1], w[3]);
  check(draws, e.covariance);

  auto inverse = blocks_of<R>(inv_wishart_distribution(nu, e.sigma()));
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      expect_mean(
          inverse, [&](const Vector& w) { return w[3 * i + j]; }, e.covariance[i][j] / (nu - 4), "mean of inverse");
  const Vector flat = {4, -2, 1, -2, 3.25, -0.125, 1, -0.125, 0.875}, s = inverted(flat);
  for (Vector& w : inverse) w = inverted(w);
  check(inverse, {{s[0], s[1], s[2]}, {s[3], s[4], s[5]}, {s[6], s[7], s[8]}});
}

// Nothing is drawn where there is no distribution.
TYPED_TEST(RealTest, NoMatrixDrawsNoNumber) {
  using R = TypeParam;
  using T = number_of<R>;
  const auto bad = matrix_of(2, 2, [](int i, int j) { return Scalar<T>(i == j ? 1 : 2); });
  const auto good = matrix_of(2, 2, [](int i, int j) { return Scalar<T>(i == j ? 1 : 0); });
  const auto expect_none = [](const std::vector<Vector>& draws, std::size_t i) {
    EXPECT_TRUE(std::isnan(draws[0][i]));
  };
  expect_none(blocks_of<R>(multi_normal_distribution(0, bad), 1), 1);
  expect_none(blocks_of<R>(multi_normal_precision_distribution(0, bad), 1), 0);
  expect_none(blocks_of<R>(multi_student_t_distribution(-1, 0, good), 1), 0);
  expect_none(blocks_of<R>(wishart_distribution(0.5, good), 1), 3);
  expect_none(blocks_of<R>(inv_wishart_distribution(0.5, good), 1), 3);
  expect_none(blocks_of<R>(lkj_corr_distribution(2, -1), 1), 3);
}

/// Every distribution of a vector or a matrix in a model, and one row after the other.
template <class Number>
struct Predicts {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", 2);
    auto theta = target.simplex("theta", 3);
    auto L = target.cholesky_corr("L", 2);
    auto S = target.cov_matrix("S", 2);
    auto nu = target.real("nu", lower(3));
    auto x = matrix_of(4, 2, [](int i, int j) { return Scalar<Number>(Number(0.25 * (i - j))); });
    auto B = matrix_of(2, 3, [&](int i, int j) { return beta[i] * (j + 1.0); });
    target.predict("a", multi_normal_cholesky_distribution(beta, L));
    target.predict("b", multi_normal_distribution(0, S));
    target.predict("c", 3, [&](int i) { return multi_normal_precision_distribution(beta[0] * (i + 1.0), S); });
    target.predict("d", multi_student_t_cholesky_distribution(nu, beta, L));
    target.predict("e", multi_student_t_distribution(nu, beta, S));
    target.predict("f", dirichlet_distribution(theta));
    target.predict("g", dirichlet_distribution(5, nu));
    target.predict("h", multinomial_distribution(20, theta));
    target.predict("i", lkj_corr_cholesky_distribution(3, nu));
    target.predict("j", lkj_corr_distribution(3, nu));
    target.predict("k", wishart_distribution(nu, S));
    target.predict("l", 2, [&](int) { return inv_wishart_distribution(nu, S); });
    target.predict("m", normal_id_glm_distribution(x, beta[0], beta, nu));
    target.predict("n", bernoulli_logit_glm_distribution(x, 0, beta));
    target.predict("o", poisson_log_glm_distribution(x, 0.5, beta));
    target.predict("p", neg_binomial_2_log_glm_distribution(x, 0, beta, nu));
    target.predict("q", categorical_logit_glm_distribution(x, theta, B));
    target.predict("r", normal_variance_distribution(beta[1], nu));
  }
};
TEST(SampledVectors, ShapesInALayout) {
  const Layout layout = layout_of(Predicts<double>{});
  using Shape = std::vector<std::size_t>;
  const std::vector<Shape> shapes = {{2},    {2},    {3, 2},    {2}, {2}, {3}, {5}, {3}, {3, 3},
                                     {3, 3}, {2, 2}, {2, 2, 2}, {4}, {4}, {4}, {4}, {4}, {}};
  std::size_t k = 0, elements = 0;
  for (const Quantity& quantity : layout.quantities)
    if (quantity.predicted) {
      ASSERT_LT(k, shapes.size());
      EXPECT_EQ(quantity.shape, shapes[k]) << quantity.name;
      elements += quantity.size();
      ++k;
    }
  EXPECT_EQ(k, shapes.size());
  EXPECT_EQ(layout.outputs, 2 + 3 + 4 + 4 + 1 + elements);
}
// Every output is written once, in its place, and the working memory that the layout counts is enough and is given
// back.
TYPED_TEST(RealTest, PredictionsInAModel) {
  using R = TypeParam;
  using T = number_of<R>;
  const Predicts<T> model{};
  const Layout layout = layout_of(model);
  std::vector<R> q(layout.dimension, R(0.25)), scratch(layout.scratch + 1, R(-99));
  std::vector<R> out(layout.outputs);
  std::vector<int> written(layout.outputs, 0);
  evaluate_outputs<R>(
      model, Strided<R>{q.data(), 1}, Arena<R>{Strided<R>{scratch.data(), 1}, 0}, 14,
      [&](int i, R x) {
        out[static_cast<std::size_t>(i)] = x;
        ++written[static_cast<std::size_t>(i)];
      },
      Stream<R>(1, Purpose::prediction, 0, 0));
  EXPECT_EQ(written, std::vector<int>(layout.outputs, 1));
  EXPECT_EQ(double(lane(scratch.back(), 0)), -99) << "more than the layout says was used";
  for (const R& x : out)
    for (int l = 0; l < R::lanes; ++l) EXPECT_TRUE(std::isfinite(double(lane(x, l))));
  const auto at = [&](const char* name, std::size_t i, int l) {
    for (const Quantity& quantity : layout.quantities)
      if (quantity.name == name) return double(lane(out[quantity.offset + i], l));
    return HUGE_VAL;
  };
  for (int l = 0; l < R::lanes; ++l) {
    EXPECT_NEAR(at("f", 0, l) + at("f", 1, l) + at("f", 2, l), 1, 1e-6);
    EXPECT_EQ(at("h", 0, l) + at("h", 1, l) + at("h", 2, l), 20);
    EXPECT_EQ(at("j", 0, l), 1);
    EXPECT_EQ(at("j", 1, l), at("j", 3, l));
    EXPECT_EQ(at("o", 2, l), std::floor(at("o", 2, l)));
    EXPECT_TRUE(at("q", 3, l) == 0 || at("q", 3, l) == 1 || at("q", 3, l) == 2);
  }
}

// Rows of a generalised linear model have their own means.
TYPED_TEST(RealTest, GeneralisedLinearModels) {
  using R = TypeParam;
  using T = number_of<R>;
  const std::vector<T> slopes = {1, -0.5};
  const View<const T> beta(slopes.data(), Size<>(2));
  const auto x = matrix_of(3, 2, [](int i, int j) { return Scalar<T>(T(j == 0 ? 0.5 * i : 1)); });
  const auto B = matrix_of(2, 2, [](int i, int j) { return Scalar<T>(T(i == 0 ? j : 0)); });
  const std::vector<T> none = {0, 0};
  const auto logit = [](std::size_t i) { return 0.25 + 0.5 * static_cast<double>(i) - 0.5; };
  const auto check = [&](const auto& distribution, auto mean, auto variance) {
    const auto draws = blocks_of<R>(distribution);
    for (std::size_t i = 0; i < 3; ++i) {
      const double m = mean(i);
      expect_mean(
          draws, [&](const Vector& y) { return y[i]; }, m, "mean of row " + std::to_string(i));
      expect_mean(
          draws, [&](const Vector& y) { return (y[i] - m) * (y[i] - m); }, variance(i), "variance");
      if (i > 0)
        expect_mean(
            draws, [&](const Vector& y) { return (y[i] - m) * (y[i - 1] - mean(i - 1)); }, 0, "pair");
    }
  };
  const auto p = [&](std::size_t i) { return 1 / (1 + std::exp(-logit(i))); };
  const auto rate = [&](std::size_t i) { return std::exp(logit(i)); };
  check(normal_id_glm_distribution(x, 0.25, beta, 1.5), logit, [](std::size_t) { return 2.25; });
  check(bernoulli_logit_glm_distribution(x, 0.25, beta), p, [&](std::size_t i) { return p(i) * (1 - p(i)); });
  check(poisson_log_glm_distribution(x, 0.25, beta), rate, rate);
  check(neg_binomial_2_log_glm_distribution(x, 0.25, beta, 3), rate,
        [&](std::size_t i) { return rate(i) + rate(i) * rate(i) / 3; });
  const auto second = [](std::size_t i) { return 1 / (1 + std::exp(-0.5 * static_cast<double>(i))); };
  check(categorical_logit_glm_distribution(x, View<const T>(none.data(), Size<>(2)), B), second,
        [&](std::size_t i) { return second(i) * (1 - second(i)); });
}

// normal_variance: the object draws, and states the density.
TYPED_TEST(RealTest, NormalVariance) {
  using R = TypeParam;
  const auto distribution = normal_variance_distribution(1.0, 2.25);
  EXPECT_LT(kolmogorov_smirnov(sample_of<R>(distribution), [](double x) { return normal_cdf((x - 1) / 1.5); }),
            farthest);
  expect_density<R>(distribution, {-3, 1, 4}, [](double x) { return normal(Scalar<double>(x), 1, 1.5).value().v; });
}

}  // namespace
}  // namespace manychain::test
