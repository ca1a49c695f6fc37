// Mixtures: value and gradient, also where one part is next to nothing.
#include "manychain/model/distributions/mixtures.hpp"

#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

TEST(Mixtures, gradients) {
  const auto density = [](auto& target) {
    auto x = target.vector("x", Size<2>{});
    auto theta = target.real("theta", interval(0, 1));
    target += log_sum_exp(2 * x[0], x[1] * x[0]) + log_sum_exp(x[1], 0.5);
    target += 3 * log_mix(theta, normal(x[0], 1, 0.5), normal(x[0], x[1], 2));
    target += log_sum_exp(x[0], x[0]);
  };
  for (const double q : {-0.7, 0.4, 1.5}) {
    check_gradient_of({q, 0.3, -q}, density);
    check_lanes<Scalar<float>>({q, 0.3, -q}, density, 128);
    check_lanes<Pack<float>>({q, 0.3, -q}, density, 128);
    check_lanes<Pack<double>>({q, 0.3, -q}, density, 128);
  }
}

// A part of a mixture is the density of a whole vector: with one part it is that density, and a number that stands
// beside it counts once.
TEST(Mixtures, of_whole_vectors) {
  const double numbers[] = {0.5, -1, 2};
  const auto density = [&](auto& target) {
    using T = number_in<decltype(target)>;
    T data[3];
    for (int i = 0; i < 3; ++i) data[i] = static_cast<T>(numbers[i]);
    const View<const T> y(data, Size<dynamic>(3));
    auto mu = target.vector("mu", Size<dynamic>(3));
    auto s = target.real("s", lower(0));
    auto theta = target.real("theta", interval(0, 1));
    target += log_mix(theta, sum(normal(y, mu, s)), sum(student_t(y, 4, mu, 2) + normal(mu, 0, 1) + 0.5 * theta));
    target += log_sum_exp(vector_of(2, [&](int k) { return 0.1 * k * theta + sum(student_t(mu, 5, k, s)); }));
  };
  for (const double q : {-0.7, 0.4, 1.5}) {
    check_gradient_of({q, 0.3, -q, 0.2, q}, density);
    check_lanes<Scalar<float>>({q, 0.3, -q, 0.2, q}, density, 256);
    check_lanes<Pack<float>>({q, 0.3, -q, 0.2, q}, density, 256);
    check_lanes<Pack<double>>({q, 0.3, -q, 0.2, q}, density, 256);
  }
  const View<const double> y(numbers, Size<dynamic>(3));
  const auto value = [&](const auto& body) {
    return run_target<Request::value, Scalar<double>>(
               1, [](int, int) { return 0.3; },
               [&](auto& target) {
                 auto x = target.real("x");
                 body(target, x);
               })
        .value[0];
  };
  const double whole = value([&](auto& target, auto& x) { target += normal(y, x, 2) + 0.5 * x; });
  EXPECT_NEAR(value([&](auto& target, auto& x) {
                target += log_sum_exp(vector_of(1, [&](int) { return sum(normal(y, x, 2) + 0.5 * x); }));
              }),
              whole, 1e-14);
}

// exp(-1e20) beside exp(-3) is nothing, and exp(-3) stays.
TYPED_TEST(RealTest, MixturesKeepTheLarger) {
  using R = TypeParam;
  const double points[] = {0, 1e3, 1e10, 1e20};
  const auto got = run_target<Request::value_and_gradient, R>(
      1, [&](int, int l) { return points[l % 4]; },
      [](auto& target) {
        auto x = target.vector("x", Size<1>{});
        target += log_sum_exp(-x[0], -3.0) + log_sum_exp(-3.0, -x[0]);
      });
  for (int l = 0; l < R::lanes; ++l) {
    const double x = points[l % 4];
    const std::size_t k = static_cast<std::size_t>(l);
    const double sum = x == 0 ? std::log1p(std::exp(-3.0)) : -3;
    EXPECT_NEAR(got.value[k], 2 * sum, 1e-5) << x;
    EXPECT_NEAR(got.gradient[0][k], x == 0 ? -2 / (1 + std::exp(-3.0)) : 0, 1e-5) << x;
  }
}

// Nothing and nothing is nothing, not NaN.
TYPED_TEST(RealTest, LogOfASumOfZeros) {
  using R = TypeParam;
  const R none = log(R(0));
  R slopes[2] = {R(0), R(0)};
  {
    const auto sum = log_sum_exp(Variable<R>(none, &slopes[0]), Variable<R>(none, &slopes[1]));
    EXPECT_TRUE(all(sum.value() == none));
    sum.push(One{}, NoMask{});
  }
  EXPECT_TRUE(all(slopes[0] == R(0.5)));
  EXPECT_TRUE(all(slopes[1] == R(0.5)));
}

}  // namespace
}  // namespace manychain::test
