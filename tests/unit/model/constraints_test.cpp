// Constraints: value and log Jacobian against closed forms and a numerical determinant, gradients by differences,
// extreme points in every Real.
#include "unit/model/constraint_checks.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

TEST(Constraints, LowerUpperAndIntervalVectors) {
  check_sizes(lower(-2), [](const auto& x) {
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], -2 + std::exp(start[i]), 1e-14);
  });
  check_sizes(upper(3), [](const auto& x) {
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], 3 - std::exp(start[i]), 1e-14);
  });
  check_sizes(interval(-1, 4), [](const auto& x) {
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], -1 + 5 / (1 + std::exp(-start[i])), 1e-14);
  });
}

TEST(Constraints, SimplexAndOrdered) {
  check_sizes(
      Simplex{},
      [](const auto& x) {
        double sum = 0, rest = 1;
        for (std::size_t i = 0; i < x.size(); ++i) {
          sum += x[i];
          EXPECT_GT(x[i], 0);
          if (i == 4) break;
          const double z = 1 / (1 + std::exp(-(start[i] - std::log(4.0 - double(i)))));
          EXPECT_NEAR(x[i], rest * z, 1e-15);
          rest *= 1 - z;
        }
        EXPECT_NEAR(sum, 1, 1e-15);
      },
      1);
  check_sizes(Ordered{}, [](const auto& x) {
    EXPECT_EQ(x[0], start[0]);
    for (std::size_t i = 1; i < x.size(); ++i) EXPECT_NEAR(x[i] - x[i - 1], std::exp(start[i]), 1e-14);
  });
}

// Size 1: a simplex is the constant 1 without a parameter, an ordered vector is free.
TEST(Constraints, VectorsOfOne) {
  const auto simplex = transformed({}, [](auto& target) { return target.simplex("x", Size<1>{}); });
  EXPECT_EQ(simplex.first, std::vector<double>{1.0});
  EXPECT_EQ(simplex.second, 0);
  const auto ordered = transformed({0.4}, [](auto& target) { return target.ordered("x", 1); });
  EXPECT_EQ(ordered.first, std::vector<double>{0.4});
  EXPECT_EQ(ordered.second, 0);
  EXPECT_EQ(transformed({0, 0}, [](auto& target) { return target.simplex("x", 3); }).first[0], 1 / 3.0);
}

// Scalars, with bounds that are data, parameters and other constrained parameters: the bounds are due a gradient, too.
TEST(Constraints, BoundsThatAreExpressions) {
  const auto density = [](auto& target) {
    using Number = number_of<typename std::remove_reference_t<decltype(target)>::real_type>;
    const Scalar<Number> datum(0.25);
    auto a = target.real("a", lower(datum));
    auto b = target.real("b", lower(a));
    auto c = target.real("c", interval(a, a + b));
    auto d = target.real("d", upper(c * 0.5));
    auto e = target.vector("e", 3, interval(d, exp(0.3 * a)));
    auto f = target.vector("f", Size<2>{}, lower(b));
    target += gamma(a, 2, 1.5) + gamma(b, 3, a) + normal(c, a, 1) + normal(d, b, 2);
    target += normal(e, 0.1, b);
    target += lognormal(f, 0.2, 0.9);
  };
  const std::vector<double> q = {0.2, -0.4, 0.6, -0.9, 0.1, 1.2, -0.7, 0.4, -0.3};
  check_gradient_of(q, density);
  check_lanes<Pack<float>>(q, density, 256);
  check_lanes<Pack<double>>(q, density, 256);
}

// Near its ends an interval keeps the distance from the end, as far as the number type can.
TEST(Constraints, IntervalsAreAccurateAtBothEnds) {
  const auto at = [](double u) {
    return transformed({u}, [](auto& target) { return target.vector("x", Size<1>{}, interval(0, 1)); });
  };
  for (double u : {1.0, 10.0, 30.0}) {
    EXPECT_NEAR(at(-u).first[0], std::exp(-u) / (1 + std::exp(-u)), 1e-15 * std::exp(-u));
    EXPECT_NEAR(1 - at(u).first[0], std::exp(-u) / (1 + std::exp(-u)), 2e-16);
    EXPECT_EQ(at(u).second, at(-u).second);
  }
}

// Far out nothing is NaN: values and Jacobians at +-50 and +-700 in one pack with ordinary neighbours.
TYPED_TEST(RealTest, ExtremePointsOfConstraints) {
  using R = TypeParam;
  const double extremes[] = {50, -50, 700, -700, 0.5};
  const auto check = [&](auto declare, int parameters, bool grows) {
    for (std::size_t first = 0; first < 5; ++first)
      for (int sign : {0, 1}) {
        const auto at = [&](int i, int l) {
          return extremes[(first + static_cast<std::size_t>(l)) % 5] * (sign && i % 2 ? -1 : 1);
        };
        std::vector<double> worst(static_cast<std::size_t>(R::lanes));
        const auto got = run_target<Request::value_and_gradient, R>(parameters, at, [&](auto& target) {
          auto x = declare(target);
          for (int i = 0; i < x.size().value(); ++i)
            for (int l = 0; l < R::lanes; ++l) {
              const double v = double(lane(R(value(x[i])), l));
              EXPECT_FALSE(std::isnan(v));
              double& w = worst[static_cast<std::size_t>(l)];
              w = std::max(w, std::fabs(v));
            }
        });
        for (int l = 0; l < R::lanes; ++l) {
          const std::size_t k = static_cast<std::size_t>(l);
          EXPECT_TRUE(std::isfinite(got.value[k])) << at(0, l);
          EXPECT_TRUE(grows || std::isfinite(worst[k])) << at(0, l);
          if (!std::isfinite(worst[k])) continue;  // overflow: no density is finite there
          for (int i = 0; i < parameters; ++i)
            EXPECT_TRUE(std::isfinite(got.gradient[static_cast<std::size_t>(i)][k])) << i << " at " << at(i, l);
        }
      }
  };
  check([](auto& target) { return target.vector("x", Size<3>{}, lower(1)); }, 3, true);
  check([](auto& target) { return target.vector("x", 3, upper(-1)); }, 3, true);
  check([](auto& target) { return target.vector("x", Size<3>{}, interval(-1, 2)); }, 3, false);
  check([](auto& target) { return target.ordered("x", Size<3>{}); }, 3, true);
  check([](auto& target) { return target.simplex("x", Size<4>{}); }, 3, false);
  check([](auto& target) { return target.simplex("x", 4); }, 3, false);
}

}  // namespace
}  // namespace manychain::test
