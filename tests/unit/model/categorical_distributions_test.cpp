// Distributions that take whole vectors: values against scipy and against closed forms, sums of masses, gradients by
// differences, categories of every kind.
#include "manychain/model/distributions/categorical_distributions.hpp"

#include "manychain/model/data/view.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class F>
double value_of_density(const std::vector<double>& q, F density) {
  return run_target<Request::value, Scalar<double>>(
             static_cast<int>(q.size()), [&](int i, int) { return q[static_cast<std::size_t>(i)]; }, density)
      .value[0];
}
template <class F>
void check_density(const std::vector<double>& q, F density, double tolerance = 1e-7) {
  check_gradient_of(q, density, tolerance);
  check_lanes<Scalar<float>>(q, density, 256);
  check_lanes<Pack<float>>(q, density, 256);
  check_lanes<Pack<double>>(q, density, 256);
}

// scipy 1.17.1: dirichlet([1.5, 0.7, 4, 2.25]).logpdf([0.2, 0.1, 0.4, 0.3]), dirichlet([2] * 4).logpdf(the same),
// multinomial(10, [0.2, 0.1, 0.4, 0.3]).logpmf([1, 0, 7, 2]) and that of [0, 0, 0, 0] of no trials.
TEST(VectorDistributions, MatchScipy) {
  const std::vector<double> share = {0.2, 0.1, 0.4, 0.3}, shape = {1.5, 0.7, 4, 2.25};
  const std::vector<int> count = {1, 0, 7, 2}, zero = {0, 0, 0, 0};
  const View<const double> theta(share.data(), 4), alpha(shape.data(), 4);
  EXPECT_NEAR(dirichlet(theta, alpha).value().v, 3.0209212669789345, 1e-13);
  EXPECT_NEAR(dirichlet(theta, 2).value().v, 2.492874819437178, 1e-13);
  EXPECT_NEAR(multinomial(View<const int>(count.data(), 4), theta).value().v, -4.545314612754902, 1e-13);
  EXPECT_NEAR(multinomial(View<const int>(zero.data(), 4), theta).value().v, 0, 1e-13);
}

TEST(VectorDistributions, DirichletAndMultinomialHaveEveryDerivative) {
  const std::vector<double> q = {0.3, -0.4, 0.9, 1.1, 0.2, -0.3, 0.6};
  const std::vector<int> count = {3, 0, 1, 12};
  const std::vector<double> counts_of_reals = {3, 0, 1, 12};
  const auto density = [&](auto& target) {
    using Number = number_of<typename std::remove_reference_t<decltype(target)>::real_type>;
    const std::vector<Number> reals(counts_of_reals.begin(), counts_of_reals.end());
    auto theta = target.simplex("theta", Size<4>{});
    auto alpha = target.vector("alpha", 4, lower(0));
    target += dirichlet(theta, alpha);
    target += 0.5 * dirichlet(theta, alpha[1]) - dirichlet(theta, 3);
    target += multinomial(View<const int>(count.data(), 4), theta);
    target += multinomial(View<const Number>(reals.data(), 4), theta);
  };
  check_density(q, density);
}

TEST(VectorDistributions, MultinomialIsZeroOffItsSupport) {
  const std::vector<double> share = {0.5, 0.5}, none = {0, 1};
  const std::vector<int> negative = {-1, 2}, impossible = {1, 1};
  EXPECT_EQ(multinomial(View<const int>(negative.data(), 2), View<const double>(share.data(), 2)).value().v, -infinity);
  EXPECT_EQ(multinomial(View<const int>(impossible.data(), 2), View<const double>(none.data(), 2)).value().v,
            -infinity);
}

const std::vector<double> position = {0.3, -0.4, 1.1, 0.2, 0.7};

/// Adds `mass(category, target's vectors)` of a category of every kind: they must agree.
template <class Declare, class Mass>
void check_kinds_of_categories(std::vector<double> q, int categories, Declare declare, Mass mass) {
  std::vector<int> ys;
  for (int k = 0; k < 19; ++k) ys.push_back((k * k + 1) % categories);
  const View<const int> y(ys.data(), 19);
  const auto plain = [&](auto& target) {
    auto x = declare(target);
    for (int k = 0; k < 19; ++k) target += mass(ys[static_cast<std::size_t>(k)], x);
  };
  check_density(q, plain);
  const auto rows = [&](auto& target) {
    auto x = declare(target);
    target.observe("y", Size<dynamic>(19), [&](auto j, auto& term) { term += mass(y[j], x); });
  };
  const auto vector = [&](auto& target) {
    auto x = declare(target);
    target += mass(y, x);
  };
  const auto numbers = [&](auto& target) {  // not integers: as a state has them, and as data may be
    using Number = number_of<typename std::remove_reference_t<decltype(target)>::real_type>;
    auto x = declare(target);
    for (int k : ys) target += mass(Scalar<Number>(k), x);
  };
  const auto compare = [&]<class R>(R, const auto& other) {
    const auto at = [&](int i, int l) { return q[static_cast<std::size_t>(i)] + 0.0625 * l; };
    const int n = static_cast<int>(q.size());
    const auto a = run_target<Request::value_and_gradient, R>(n, at, plain);
    const auto b = run_target<Request::value_and_gradient, R>(n, at, other);
    const double eps = 128 * std::numeric_limits<number_of<R>>::epsilon();
    for (std::size_t l = 0; l < static_cast<std::size_t>(R::lanes); ++l) {
      EXPECT_NEAR(a.value[l], b.value[l], eps * (1 + std::fabs(a.value[l])));
      for (std::size_t i = 0; i < q.size(); ++i)
        EXPECT_NEAR(a.gradient[i][l], b.gradient[i][l], eps * (1 + std::fabs(a.gradient[i][l]))) << i;
    }
  };
  compare(Pack<float>(), rows);
  compare(Pack<double>(), rows);
  compare(Scalar<double>(), rows);
  compare(Pack<float>(), vector);
  compare(Pack<double>(), numbers);
  // The masses of all categories sum to one; a number that is no category has mass zero and no slope.
  double sum = 0;
  for (int k = 0; k < categories; ++k)
    sum += std::exp(value_of_density(q,
                                     [&](auto& t) {
                                       auto x = declare(t);
                                       t += mass(k, x);
                                     }) -
                    value_of_density(q, [&](auto& t) { [[maybe_unused]] auto x = declare(t); }));
  EXPECT_NEAR(sum, 1, 1e-14);
  for (int outside : {-1, categories}) {
    const auto impossible = [&](auto& t) {
      auto x = declare(t);
      t += mass(outside, x);
    };
    EXPECT_EQ(value_of_density(q, impossible), -infinity);
    const auto got = run_target<Request::gradient, Scalar<double>>(
        static_cast<int>(q.size()), [&](int i, int) { return q[static_cast<std::size_t>(i)]; }, impossible);
    for (const auto& g : got.gradient) EXPECT_TRUE(std::isfinite(g[0]));
  }
}

TEST(VectorDistributions, CategoricalTakesCategoriesOfEveryKind) {
  check_kinds_of_categories(
      {position.begin(), position.begin() + 3}, 4, [](auto& t) { return t.simplex("theta", Size<4>{}); },
      [](const auto& y, const auto& theta) { return categorical(y, theta); });
  check_kinds_of_categories(
      {position.begin(), position.begin() + 4}, 5, [](auto& t) { return t.simplex("theta", 5); },
      [](const auto& y, const auto& theta) { return categorical(y, theta); });
}
TEST(VectorDistributions, CategoricalLogitTakesCategoriesOfEveryKind) {
  check_kinds_of_categories(
      position, 5, [](auto& t) { return t.vector("eta", Size<5>{}); },
      [](const auto& y, const auto& eta) { return categorical_logit(y, eta); });
  check_kinds_of_categories(
      position, 5, [](auto& t) { return t.ordered("eta", 5); },
      [](const auto& y, const auto& eta) { return categorical_logit(y, eta); });
}
TEST(VectorDistributions, OrderedLogisticTakesCategoriesOfEveryKind) {
  check_kinds_of_categories(
      {position.begin(), position.begin() + 4}, 5, [](auto& t) { return t.ordered("c", Size<4>{}); },
      [](const auto& y, const auto& c) { return ordered_logistic(y, c[1] * 0.7 + 0.25, c); });
  check_kinds_of_categories(
      {0.4}, 2, [](auto& t) { return t.vector("c", 1); },
      [](const auto& y, const auto& c) { return ordered_logistic(y, 0.3, c); });
}

// The closed forms, in long double.
TEST(VectorDistributions, OrderedLogisticIsADifferenceOfLogisticCurves) {
  const std::vector<double> c = {-1.5, 0.25, 3};
  const auto curve = [](long double x) { return 1 / (1 + std::exp(-x)); };
  for (double eta : {-4.0, 0.0, 0.2, 7.5})
    for (int y = 0; y < 4; ++y) {
      const std::size_t k = static_cast<std::size_t>(y);
      const long double p = (y > 0 ? curve(eta - c[k - 1]) : 1) - (y < 3 ? curve(eta - c[k]) : 0);
      EXPECT_NEAR(ordered_logistic(y, eta, View<const double>(c.data(), 3)).value().v, double(std::log(p)), 1e-13);
    }
  const std::vector<double> falling = {1, 0};
  EXPECT_EQ(ordered_logistic(1, 0.0, View<const double>(falling.data(), 2)).value().v, -infinity);
}

// Cutpoints that decrease anywhere leave no category any mass; equal ones leave none to the category between them.
TEST(VectorDistributions, OrderedLogisticOfCutpointsThatDecrease) {
  const std::vector<double> falling = {2, 1, 3}, equal = {0, 0, 3};
  for (int y = 0; y < 4; ++y)
    EXPECT_EQ(ordered_logistic(y, 0.5, View<const double>(falling.data(), 3)).value().v, -infinity) << y;
  double sum = 0;
  for (int y = 0; y < 4; ++y) sum += std::exp(ordered_logistic(y, 0.5, View<const double>(equal.data(), 3)).value().v);
  EXPECT_NEAR(sum, 1, 1e-15);
}

// Far apart and far out: no overflow, no NaN, in lanes beside ordinary ones.
TYPED_TEST(RealTest, ExtremeLogits) {
  using R = TypeParam;
  const double far[] = {1e4, -1e4, 3, 0};
  const auto at = [&](int i, int l) { return l % 2 ? 0.25 * i : far[i]; };
  for (int y = 0; y < 4; ++y) {
    const auto got = run_target<Request::value_and_gradient, R>(4, at, [&](auto& target) {
      auto eta = target.vector("eta", Size<4>{});
      target += categorical_logit(y, eta);
    });
    EXPECT_NEAR(got.value[0], far[y] - 1e4, 0.002);
    for (std::size_t l = 0; l < static_cast<std::size_t>(R::lanes); ++l)
      for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(std::isfinite(got.gradient[i][l]));
  }
  for (double eta : {600.0, -600.0})
    for (int y = 0; y < 3; ++y) {
      const auto got = run_target<Request::value_and_gradient, R>(
          1, [&](int, int l) { return l % 2 ? 0.5 : eta; },
          [&](auto& target) {
            using Number = number_of<R>;
            const Number c[] = {-1, 1};
            auto x = target.vector("eta", Size<1>{});
            target += ordered_logistic(y, x[0], View<const Number>(c, 2));
          });
      const int favoured = eta > 0 ? 2 : 0;
      EXPECT_NEAR(got.value[0], y == favoured ? 0 : -599 + (y == 1 ? std::log1p(-std::exp(-2.0)) : -2), 1e-3) << y;
      EXPECT_NEAR(got.gradient[0][0], y == favoured ? 0 : eta > 0 ? -1 : 1, 1e-6);
    }
}

}  // namespace
}  // namespace manychain::test
