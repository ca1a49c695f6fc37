// Expressions: every operator and function against differences, intermediates, masks, dot products.
#include <type_traits>

#include "manychain/model/data/view.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

template <class F>
void check_everywhere(const std::vector<double>& q, F density) {
  check_in_every_real(q, density, 128);
}

TEST(Expressions, OperatorsWithParametersDataAndLiterals) {
  check_everywhere({0.7, -1.3}, [](auto& target) {
    using Number = number_of<typename std::remove_reference_t<decltype(target)>::real_type>;
    const Scalar<Number> y(1.75);
    auto x = target.vector("x", Size<2>{});
    const auto a = x[0], b = x[1];
    target += a + b;
    target += a - b;
    target += a * b;
    target += a / b;
    target += -a;
    target += 2 * a + a * 3 - 1 / a + a / 7 + (4 - b) + (b - 4);
    target += y * a + b * y - y / a + a / y + (y - b) + (b + y);
    target += (a + b) * (a - 2 * b) / (a * a + b * b);
    target += y;
    target += 0.25;
  });
}

TEST(Expressions, Functions) {
  check_everywhere({0.7, 0.4}, [](auto& target) {
    auto x = target.vector("x", Size<2>{});
    const auto a = x[0], b = x[1];
    target += 1.1 * exp(a) - 0.3 * log(b) + log1p(a * b) * 2;
    target += expm1(b) + sqrt(a + b) / 3 + square(a - 3 * b) - tanh(a * 1.5);
    target += atan(b - a) + abs(a - 2) + abs(a) - inv_logit(3 * a) + log1p_exp(a - b);
    target += log(inv_logit(a)) + log(1 - inv_logit(b));
  });
}

TEST(Expressions, IntermediatesAreUsedOftenAndNested) {
  check_everywhere({0.3, -0.6, 0.9}, [](auto& target) {
    auto mu = target.real("mu");
    auto sigma = target.real("sigma", lower(0));
    auto u = target.real("u", interval(0, 1));
    auto s = let(exp(0.5 * mu) + sigma);
    auto t = let(s * s + u);
    {
      auto inner = let(t / s);
      target += inner * inner + inner;
    }
    target += log(t) + s * sigma + square(u - mu) + normal(mu, s, t);
  });
}

// A branch that is not selected contributes nothing, also where its value or slope is infinite or NaN.
TYPED_TEST(RealTest, SelectMasksAdjoints) {
  using R = TypeParam;
  const double points[] = {0, -1.5, 2, 0, 4, -0.25};
  const auto got = run_target<Request::value_and_gradient, R>(
      1, [&](int, int l) { return points[l % 6]; },
      [](auto& target) {
        auto x = target.vector("x", Size<1>{});
        const auto positive = value(x[0]) > R(0);
        target += select(positive, log(x[0]), 3 * x[0]);
        target += select(!positive, 0.5, sqrt(x[0]) / x[0]);
        target += select(positive, select(value(x[0]) > R(3), 2 * x[0], 1 / x[0]), 1.0);
        auto chosen = let(log(select(positive, x[0], 1.0)));  // as docs/models.md has it
        target += select(positive, chosen, 0.0);
      });
  for (int l = 0; l < R::lanes; ++l) {
    const double x = points[l % 6];
    const std::size_t k = static_cast<std::size_t>(l);
    const double value = x > 0 ? 2 * std::log(x) + 1 / std::sqrt(x) + (x > 3 ? 2 * x : 1 / x) : 3 * x + 1.5;
    const double slope = x > 0 ? 2 / x - 0.5 * std::pow(x, -1.5) + (x > 3 ? 2 : -1 / (x * x)) : 3;
    EXPECT_NEAR(got.value[k], value, 1e-5) << x;
    EXPECT_NEAR(got.gradient[0][k], slope, 1e-5) << x;
  }
}

// A comparison of data chooses for all lanes at once.
TEST(Expressions, SelectByData) {
  check_everywhere({0.7, -0.4}, [](auto& target) {
    using Number = number_of<typename std::remove_reference_t<decltype(target)>::real_type>;
    const Number numbers[] = {1, -1, 2};
    const View<const Number, 3> y(numbers, Size<3>{});
    auto x = target.vector("x", Size<2>{});
    target.observe("y", Size<3>{}, [&](auto j, auto& term) {
      term += select(y[j] > Scalar<Number>(0), x[0] * y[j], square(x[1]));
      term += select(y[j] > Scalar<Number>(0), select(value(x[0]) > Scalar<Number>(1), x[0], x[1]), 0.0);
    });
  });
}

// In a body of one row it is a branch, whose other side may be infinite.
TYPED_TEST(RealTest, SelectByDataOfOneRow) {
  using R = TypeParam;
  const int y[] = {0, 2, 1, 0, 2};
  const auto run = [&](const auto& body) {
    return run_target<Request::value_and_gradient, R>(
        2, [](int i, int l) { return 0.3 * i - 0.2 * (l + 1); },
        [&](auto& target) {
          auto x = target.vector("x", Size<2>{});
          target.observe("y", Size<5>{}, [&](int j, auto& term) { body(y[j], x[0], x[1], term); });
        });
  };
  const auto selected = run([](int k, const auto& a, const auto& b, auto& term) {
    const auto e = exp(a) * b;
    const auto never = sqrt(a - 10);
    term += select(k == 0, e - 1, select(k == 3, never, select(k == 1, square(b), log1p_exp(e) - a)));
  });
  const auto branched = run([](int k, const auto& a, const auto& b, auto& term) {
    const auto e = exp(a) * b;
    if (k == 0)
      term += e - 1;
    else if (k == 1)
      term += square(b);
    else
      term += log1p_exp(e) - a;
  });
  for (std::size_t l = 0; l < static_cast<std::size_t>(R::lanes); ++l) {
    EXPECT_EQ(selected.value[l], branched.value[l]);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(selected.gradient[i][l], branched.gradient[i][l]);
  }
}

TEST(Expressions, DotProducts) {
  for (int n : {0, 1, 2, 5, 40}) {
    std::vector<double> q;
    for (int i = 0; i < n; ++i) q.push_back(0.1 * i - 0.3);
    check_gradient_of(q, [n](auto& target) {
      using Number = number_of<typename std::remove_reference_t<decltype(target)>::real_type>;
      std::vector<Number> numbers;
      for (int i = 0; i < n; ++i) numbers.push_back(static_cast<Number>(1 - 0.25 * (i % 7)));
      const View<const Number> y(numbers.data(), Size<dynamic>(n));
      auto x = target.vector("x", n);
      target += tanh(dot(y, x)) + 2 * dot(x, y);
    });
  }
  check_everywhere({0.1, 0.9, -0.4}, [](auto& target) {
    using Number = number_of<typename std::remove_reference_t<decltype(target)>::real_type>;
    const Number numbers[] = {1, -1, 2};
    auto x = target.vector("x", Size<3>{}, lower(-1));
    auto eta = let(dot(View<const Number, 3>(numbers, Size<3>{}), x));
    target += bernoulli_logit(1, eta) + poisson_log(3, eta * 0.5);
  });
}

// That an intermediate is not copied is shown in tests/compile_errors. Expressions are values: a helper may return one.
TEST(Expressions, AreCopied) {
  using R = Scalar<double>;
  static_assert(std::is_copy_constructible_v<decltype(std::declval<Variable<R>>() + 1.0)>);
}

// A long sum in single precision: -1e8 in all, and the two ends of a small step told apart.
TEST(Expressions, LongSumsOfATargetAreCompensated) {
  std::vector<float> numbers;
  for (int j = 0; j < 200000; ++j) numbers.push_back(static_cast<float>(30 + j % 13));
  const std::vector<double> same(numbers.begin(), numbers.end());
  const auto density = [&](auto& target) {
    using Number = number_of<typename std::remove_reference_t<decltype(target)>::real_type>;
    View<const Number> y;
    if constexpr (std::is_same_v<Number, float>)
      y = {numbers.data(), Size<dynamic>(200000)};
    else
      y = {same.data(), Size<dynamic>(200000)};
    auto mu = target.real("mu");
    target.observe("y", Size<dynamic>(200000), [&](auto j, auto& term) {
      const auto z = y[j] - mu;
      term += -0.5 * (z * z);
    });
  };
  const auto log_density = [&]<class R>(std::type_identity<R>, double mu) {
    std::vector<R> q = {R(mu)}, g = {R(0)};
    Strided<R> position{q.data(), 1}, slope{g.data(), 1};
    Target<R, Strided<R>, Strided<R>, Request::value> target(position, slope, Arena<R>{});
    density(target);
    return target.log_density();
  };
  using F = std::type_identity<Pack<float>>;
  using D = std::type_identity<Scalar<double>>;
  const double exact = log_density(D{}, 0x1p-17).minus(log_density(D{}, 0)).v;
  const auto here = log_density(F{}, 0x1p-17), there = log_density(F{}, 0);
  EXPECT_LT(lane(here.value(), 0), -1e8f);
  // The terms themselves are rounded to 6e-5 of their 650: that leaves 200 000 times that at random.
  EXPECT_NEAR(lane(here.minus(there), 0), exact, 0.05 * exact);
}

}  // namespace
}  // namespace manychain::test
