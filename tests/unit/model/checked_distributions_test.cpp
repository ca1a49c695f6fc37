// The distributions of the other headers where data are bound: every one in the number type of the checks, categories
// that are none, sizes that differ. This unit is compiled as the generated one that checks.
#define MANYCHAIN_CHECKED
#include <gtest/gtest.h>

#include "manychain/chain/check_model.hpp"
#include "manychain/model.hpp"

namespace manychain::test {
namespace {

Data example(std::vector<double> categories) {
  Data data;
  data.set("N", static_cast<int>(categories.size()));
  data.set("y", categories);
  return data;
}

/// Kind 0: categorical, 1: categorical_logit, 2: ordered_logistic with three cutpoints.
template <class Number, int Kind>
struct Categories {
  Size<> N;
  View<const int> y;
  void data(DataReader& in) {
    in("N", N);
    in("y", y, N, integer(0));
  }
  template <class Target>
  void log_density(Target& target) const {
    auto theta = target.simplex("theta", 4);
    auto eta = target.vector("eta", 4);
    auto c = target.ordered("c", 3);
    target.observe("y", N, [&](auto j, auto& term) {
      if constexpr (Kind == 0) term += categorical(y[j] - 1, theta);
      if constexpr (Kind == 1) term += categorical_logit(y[j] - 1, eta);
      if constexpr (Kind == 2) term += ordered_logistic(y[j] - 1, eta[0], c);
    });
    target += dirichlet(theta, 2);
  }
};

template <class Number>
struct Draws {
  template <class Target>
  void log_density(Target& target) const {
    auto x = target.real("x", lower(0));
    auto theta = target.simplex("theta", 4);
    auto c = target.ordered("c", 3);
    target.predict("a", poisson_distribution(x * 50));
    target.predict("b", poisson_distribution(x));
    target.predict("c1", binomial_distribution(100, theta[0]));
    target.predict("d", binomial_distribution(5, theta[1]));
    target.predict("e", neg_binomial_2_distribution(3, x));
    target.predict("f", beta_binomial_distribution(3, x, 2));
    target.predict("g", geometric_distribution(theta[2]));
    target.predict("h", von_mises_distribution(0, x));
    target.predict("i", skew_normal_distribution(0, x, 2));
    target.predict("j", student_t_distribution(4, 0, x));
    target.predict("k", gumbel_distribution(0, x));
    target.predict("l", ordered_logistic_distribution(x, c));
    target.predict("m", categorical_distribution(theta));
    target.predict("n", 2, [&](int j) { return weibull_distribution(2, theta[j]); });
  }
};

/// Draws of vectors and matrices, and log CDFs with a shape. Kind 1: a mean of another size than its matrix.
template <class Number, int Kind>
struct Vectors {
  template <class Target>
  void log_density(Target& target) const {
    auto x = target.real("x", lower(0));
    auto mu = target.vector("mu", Kind == 1 ? 3 : 2);
    auto beta = target.vector("beta", 2);
    auto L = target.cholesky_corr("L", 2);
    auto S = target.cov_matrix("S", 2);
    auto X = matrix_of(3, 2, [](int i, int j) { return Scalar<Number>(i + j); });
    auto B = matrix_of(2, 3, [&](int i, int j) { return beta[i] * (j + 1.0); });
    target += gamma_lcdf(x, x, 2) + inverse_gamma_lccdf(x, 2, x) + chi_square_lcdf(x, 3) + student_t_lccdf(x, 3, 0, x);
    target += beta_lcdf(inv_logit(x), x, 2);
    target.predict("a", multi_normal_cholesky_distribution(mu, L));
    target.predict("b", multi_normal_distribution(0, S));
    target.predict("c", 3, [&](int i) { return multi_normal_precision_distribution(beta[i - i], S); });
    target.predict("d", multi_student_t_cholesky_distribution(x, beta, L));
    target.predict("e", multi_student_t_distribution(x, beta, S));
    target.predict("f", dirichlet_distribution(5, x));
    target.predict("g", multinomial_distribution(20, exp(beta)));
    target.predict("h", lkj_corr_cholesky_distribution(3, x));
    target.predict("i", lkj_corr_distribution(3, x));
    target.predict("j", wishart_distribution(x + 2, S));
    target.predict("k", inv_wishart_distribution(x + 2, S));
    target.predict("l", normal_id_glm_distribution(X, 0, beta, x));
    target.predict("m", bernoulli_logit_glm_distribution(X, 0, beta));
    target.predict("n", poisson_log_glm_distribution(X, 0, beta));
    target.predict("o", neg_binomial_2_log_glm_distribution(X, 0, beta, x));
    target.predict("p", categorical_logit_glm_distribution(X, target.vector("alpha", 3), B));
    target.predict("q", normal_variance_distribution(0, x));
  }
};

template <class Model>
std::string complaint(const Data& data) {
  try {
    check_model<Model>("m", data);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "none";
}
template <int Kind>
void expect_categories() {
  using Model = Categories<CheckedNumber, Kind>;
  EXPECT_EQ(complaint<Model>(example({1, 2, 4, 3})), "none");
  for (double bad : {5.0, 0.0}) {
    const std::string told = complaint<Model>(example({1, 2, bad, 3}));
    EXPECT_NE(told.find("observe(\"y\"), index 2"), std::string::npos) << told;
  }
}

TEST(CheckedDistributions, RefuseCategoriesThatAreNone) {
  expect_categories<0>();
  expect_categories<1>();
  expect_categories<2>();
}
TEST(CheckedDistributions, DrawInTheNumberTypeOfTheChecks) {
  EXPECT_EQ(complaint<Draws<CheckedNumber>>(Data()), "none");
  EXPECT_EQ((complaint<Vectors<CheckedNumber, 0>>(Data())), "none");
}
TEST(CheckedDistributions, RefuseToDrawWhereSizesDiffer) {
  const auto told = complaint<Vectors<CheckedNumber, 1>>(Data());
  EXPECT_NE(told.find("multi_normal_cholesky_distribution()"), std::string::npos) << told;
}

}  // namespace
}  // namespace manychain::test
