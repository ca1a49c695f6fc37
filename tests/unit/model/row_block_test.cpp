// observe() evaluates several rows at once on packs. Row by row, as a Scalar has it, is the reference.
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

/// Whatever a body may do: data and parameters by index, a neighbour's index, rows of a matrix, an intermediate inside,
/// a vector statement inside, literals, and terms that do not depend on the index.
template <class Number>
struct Bodies {
  static constexpr int rows = 21, columns = 3;  // no multiple of any number of rows at once
  Size<dynamic> n = rows;
  View<const Number> y, count, positive;
  Matrix<const Number> X;

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto sigma = target.real("sigma", lower(0));
    auto beta = target.vector("beta", Size<columns>{});
    auto theta = target.vector("theta", n);
    auto tau = target.vector("tau", n, lower(0));
    target += normal(mu, 0, 1);
    target.observe("plain", n, [&](auto j, auto& term) { term += normal(y[j], mu + tau[j] * theta[j], sigma); });
    target.observe("rows", n, [&](auto j, auto& term) { term += bernoulli_logit(count[j], dot(X[j], beta)); });
    target.sum_over(n, [&](auto j, auto& term) {
      auto scale = let(exp(0.1 * theta[j]) * sigma);
      auto shared = let(square(mu));
      term += normal(theta[j], shared, scale);
      term += -(scale * 0.5) + 2 * shared;
      term += normal(beta, mu, scale);
    });
    target.sum_over(n, [&](auto, auto& term) {
      term += 0.25 * mu;
      term += mu - sigma;
      term += -mu;
      term += 1.5;
      term += half_cauchy(sigma, 2);
    });
    target.sum_over(Size<dynamic>(rows - 2), [&](auto j, auto& term) {
      term += normal(theta[j + 1], theta[j], sigma) - square(theta[j + 2] - theta[(j + 2) - 1]);
    });
    target.observe("choices", n, [&](auto j, auto& term) {
      term += select(y[j] < 0.0, abs(theta[j]) * mu, 3 * theta[j] - y[j] / sigma);
      term += student_t(y[j], 4, theta[j], tau[j]);
      term += lognormal(tau[j], mu, sigma) + gamma(tau[j], positive[j], sigma) + inverse_gamma(sigma, 2, tau[j]);
      term += exponential(tau[j], sigma) + cauchy(theta[j], y[j], sigma) + half_normal(tau[j], positive[j]);
      term += poisson_log(count[j], mu + theta[j]) + binomial_logit(count[j], 4, theta[j]);
      term += beta_of(tau[j] / (1 + tau[j]), positive[j], sigma) + uniform(theta[j], -50, 50 + y[j]);
    });
    target.sum_over(n, [&](int j, auto& term) { term += 0.01 * j * theta[j]; });  // an int asks for one at a time
  }
  template <class X_, class A, class B>
  MANYCHAIN_HD static auto beta_of(const X_& x, const A& a, const B& b) {
    return manychain::beta(x, a, b);
  }
};

template <class Number>
struct Filled {
  std::vector<Number> y, count, positive, X;
  Bodies<Number> model;
  Filled() {
    for (int j = 0; j < Bodies<Number>::rows; ++j) {
      y.push_back(Number(std::sin(1.0 + j)));
      count.push_back(Number(j % 2));
      positive.push_back(Number(0.5 + 0.25 * (j % 5)));
      for (int c = 0; c < Bodies<Number>::columns; ++c) X.push_back(Number(std::cos(0.7 * j + c)));
    }
    model.y = {y.data(), model.n};
    model.count = {count.data(), model.n};
    model.positive = {positive.data(), model.n};
    model.X = {X.data(), Bodies<Number>::rows, Size<dynamic>(Bodies<Number>::columns)};
  }
};

template <class R>
class SeveralRows : public ::testing::Test {};
using Packs = ::testing::Types<Pack<float>, Pack<double>>;
TYPED_TEST_SUITE(SeveralRows, Packs);

TYPED_TEST(SeveralRows, AreTheSameAsOneByOne) {
  using R = TypeParam;
  static_assert(rows_at_once<R> > 1 && Bodies<float>::rows % rows_at_once<R> != 0);
  const Filled<number_of<R>> filled;
  const Filled<double> exact;
  std::vector<double> q;
  for (int i = 0; i < 5 + 2 * Bodies<float>::rows; ++i) q.push_back(double(float(0.6 * std::sin(2.0 * i + 1))));
  const auto density = [&]<class Target>(Target& target) {
    if constexpr (std::is_same_v<number_of<typename Target::real_type>, double>)
      exact.model.log_density(target);
    else
      filled.model.log_density(target);
  };
  check_lanes<R>(q, density, 3000);  // some 300 terms of order one
  check_gradient_of(q, density, 1e-6);
}

// A lane whose parameter lies outside the support says -infinity and pushes nothing, row by row.
template <class Number>
struct Edge {
  Size<dynamic> n = 16;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", n);
    target.observe("", n, [&](auto j, auto& term) { term += exponential(x[j], 2); });
  }
};
TYPED_TEST(SeveralRows, MaskAdjointsOutsideTheSupport) {
  using R = TypeParam;
  const auto outside = [](int i, int l) { return (i + l) % 5 == 0; };
  const Edge<number_of<R>> model;
  const auto got = run_target<Request::value_and_gradient, R>(
      16, [&](int i, int l) { return outside(i, l) ? -1.0 : 1.0; }, [&](auto& target) { model.log_density(target); });
  for (int l = 0; l < R::lanes; ++l) {
    EXPECT_EQ(got.value[static_cast<std::size_t>(l)], -std::numeric_limits<number_of<R>>::infinity());
    for (int i = 0; i < 16; ++i)
      EXPECT_EQ(got.gradient[static_cast<std::size_t>(i)][static_cast<std::size_t>(l)], outside(i, l) ? 0 : -2);
  }
}

}  // namespace
}  // namespace manychain::test
