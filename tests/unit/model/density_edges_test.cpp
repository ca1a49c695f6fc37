// The edges of supports, bit by bit: what is outside has density zero and no gradient, and a lane outside never
// disturbs its neighbours inside.
#include "manychain/model/distributions/categorical_distributions.hpp"
#include "manychain/model/distributions/mixtures.hpp"
#include "unit/model/densities.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Value and gradient of one distribution whose arguments are all parameters; lane 0 is at `point`, every other lane at
/// `neighbour`.
template <class R, class Density>
void check_beside(Density density, std::vector<double> point, std::vector<double> neighbour, double expected_value,
                  bool outside) {
  const int n = static_cast<int>(point.size());
  const auto in = [&](auto& target) {
    auto x = target.vector("x", Size<dynamic>(n));
    density(target, x);
  };
  const auto got = run_target<Request::value_and_gradient, R>(
      n, [&](int i, int l) { return (l == 0 ? point : neighbour)[static_cast<std::size_t>(i)]; }, in);
  const auto alone = run_target<Request::value_and_gradient, R>(
      n, [&](int i, int) { return neighbour[static_cast<std::size_t>(i)]; }, in);
  if (std::isfinite(expected_value)) {
    EXPECT_NEAR(got.value[0], expected_value, 1e-5 * (1 + std::fabs(expected_value)));
  } else {
    EXPECT_EQ(got.value[0], expected_value);
  }
  for (std::size_t i = 0; i < point.size(); ++i) {
    EXPECT_FALSE(std::isnan(got.gradient[i][0])) << "argument " << i;
    if (outside) {
      EXPECT_EQ(got.gradient[i][0], 0) << "argument " << i;
    }
  }
  for (std::size_t l = 1; l < static_cast<std::size_t>(R::lanes); ++l) {
    EXPECT_TRUE(std::isfinite(got.value[l]));
    EXPECT_EQ(got.value[l], alone.value[l]);
    for (std::size_t i = 0; i < point.size(); ++i) {
      EXPECT_TRUE(std::isfinite(got.gradient[i][l]));
      EXPECT_EQ(got.gradient[i][l], alone.gradient[i][l]) << "argument " << i << ", lane " << l;
    }
  }
}

#define MANYCHAIN_TWO(name) [](auto& target, auto& v) { target += name(v[0], v[1]); }
#define MANYCHAIN_THREE(name) [](auto& target, auto& v) { target += name(v[0], v[1], v[2]); }

TYPED_TEST(RealTest, OutsideTheSupportTheDensityIsZeroAndSoIsTheGradient) {
  using R = TypeParam;
  for (double x : {-1e-30, -0.5, -1e30}) {
    check_beside<R>(MANYCHAIN_TWO(half_normal), {x, 2}, {1, 2}, -infinity, true);
    check_beside<R>(MANYCHAIN_TWO(half_cauchy), {x, 2}, {1, 2}, -infinity, true);
    check_beside<R>(MANYCHAIN_TWO(exponential), {x, 2}, {1, 2}, -infinity, true);
    check_beside<R>(MANYCHAIN_THREE(lognormal), {x, 0, 2}, {1, 0, 2}, -infinity, true);
    check_beside<R>(MANYCHAIN_THREE(gamma), {x, 2.5, 2}, {1, 2.5, 2}, -infinity, true);
    check_beside<R>(MANYCHAIN_THREE(inverse_gamma), {x, 2.5, 2}, {1, 2.5, 2}, -infinity, true);
    check_beside<R>(MANYCHAIN_THREE(beta), {x, 2.5, 2}, {0.5, 2.5, 2}, -infinity, true);
    check_beside<R>(MANYCHAIN_THREE(uniform), {x, 0, 2}, {1, 0, 2}, -infinity, true);
  }
  check_beside<R>(MANYCHAIN_THREE(lognormal), {0, 0, 2}, {1, 0, 2}, -infinity, true);
  check_beside<R>(MANYCHAIN_THREE(inverse_gamma), {0, 2, 2}, {1, 2, 2}, -infinity, true);
  for (double x : {1.0000001192092896, 1.5, 1e30}) {
    check_beside<R>(MANYCHAIN_THREE(beta), {x, 2.5, 2}, {0.5, 2.5, 2}, -infinity, true);
    check_beside<R>(MANYCHAIN_THREE(uniform), {x, 0, 1}, {0.5, 0, 1}, -infinity, true);
  }
}

TYPED_TEST(RealTest, OutsideTheSupportOfFurtherDistributionsTheDensityIsZeroAndSoIsTheGradient) {
  using R = TypeParam;
  for (double x : {-1e-30, -0.5, -1e30}) {
    check_beside<R>(MANYCHAIN_THREE(weibull), {x, 2.5, 2}, {1, 2.5, 2}, -infinity, true);
    check_beside<R>(MANYCHAIN_THREE(half_student_t), {x, 2.5, 2}, {1, 2.5, 2}, -infinity, true);
    check_beside<R>(MANYCHAIN_TWO(chi_square), {x, 2}, {1, 2}, -infinity, true);
    check_beside<R>(MANYCHAIN_THREE(pareto), {x, 0.5, 2}, {1, 0.5, 2}, -infinity, true);
  }
  check_beside<R>(MANYCHAIN_THREE(weibull), {0, 1, 2}, {1, 1, 2}, -std::log(2.0), false);
  check_beside<R>(MANYCHAIN_THREE(weibull), {0, 2, 2}, {1, 2, 2}, -infinity, false);
  check_beside<R>(MANYCHAIN_TWO(chi_square), {0, 2}, {1, 2}, -std::log(2.0), false);
  check_beside<R>(MANYCHAIN_THREE(pareto), {0.5, 0.5, 2}, {1, 0.5, 2}, std::log(4.0), false);
  // Counts: none below zero or above the number of trials. An impossible one has no mass, a sure one no doubt.
  const auto mass = [](auto density, double theta, double expected, bool outside) {
    const auto got = run_target<Request::value_and_gradient, R>(
        1, [=](int, int) { return theta; },
        [=](auto& target) {
          auto v = target.vector("v", Size<1>{});
          target += density(v[0]);
        });
    for (std::size_t l = 0; l < static_cast<std::size_t>(R::lanes); ++l) {
      if (std::isfinite(expected)) {
        EXPECT_NEAR(got.value[l], expected, 1e-5 * (1 + std::fabs(expected)));
      } else {
        EXPECT_EQ(got.value[l], expected);
      }
      EXPECT_FALSE(std::isnan(got.gradient[0][l]));
      if (outside) {
        EXPECT_EQ(got.gradient[0][l], 0);
      }
    }
  };
  mass([](auto x) { return poisson(-1, x); }, 2, -infinity, true);
  mass([](auto x) { return poisson(0, x); }, 0, 0, false);
  mass([](auto x) { return poisson(2, x); }, 0, -infinity, false);
  mass([](auto x) { return bernoulli(2, x); }, 0.5, -infinity, true);
  mass([](auto x) { return bernoulli(0, x); }, 0, 0, false);
  mass([](auto x) { return bernoulli(1, x); }, 1, 0, false);
  mass([](auto x) { return binomial(4, 3, x); }, 0.5, -infinity, true);
  mass([](auto x) { return binomial(-1, 3, x); }, 0.5, -infinity, true);
  mass([](auto x) { return binomial(3, 3, x); }, 1, 0, false);
  mass([](auto x) { return binomial(0, 3, x); }, 0, 0, false);
  mass([](auto x) { return geometric(-1, x); }, 0.5, -infinity, true);
  mass([](auto x) { return geometric(0, x); }, 1, 0, false);
  mass([](auto x) { return neg_binomial(-1, x, 2.0); }, 0.5, -infinity, true);
  mass([](auto x) { return neg_binomial_2(-1, x, 2.0); }, 0.5, -infinity, true);
  mass([](auto x) { return neg_binomial_2_log(-1, x, 2.0); }, 0.5, -infinity, true);
  mass([](auto x) { return beta_binomial(5, 4, x, 2.0); }, 0.5, -infinity, true);
  mass([](auto x) { return neg_binomial_2_log(0, x, 2.0); }, 800, -2 * (800 - std::log(2.0)), false);
}

TYPED_TEST(RealTest, TheEdgeOfTheSupportBelongsToItWhereTheDensityIsFinite) {
  using R = TypeParam;
  check_beside<R>(MANYCHAIN_TWO(half_normal), {0, 2}, {1, 2}, std::log(2 / std::sqrt(2 * std::acos(-1.0)) / 2), false);
  check_beside<R>(MANYCHAIN_TWO(half_cauchy), {0, 2}, {1, 2}, -std::log(std::acos(-1.0)), false);
  check_beside<R>(MANYCHAIN_TWO(exponential), {0, 2}, {1, 2}, std::log(2.0), false);
  check_beside<R>(MANYCHAIN_THREE(uniform), {0, 0, 2}, {1, 0, 2}, -std::log(2.0), false);
  check_beside<R>(MANYCHAIN_THREE(uniform), {2, 0, 2}, {1, 0, 2}, -std::log(2.0), false);
  // Shape 1: finite at the edge (0 times log 0 is 0). Above 1 the density is zero there, below 1 infinite.
  check_beside<R>(MANYCHAIN_THREE(gamma), {0, 1, 2}, {1, 1, 2}, std::log(2.0), false);
  check_beside<R>(MANYCHAIN_THREE(gamma), {0, 2, 2}, {1, 2, 2}, -infinity, false);
  check_beside<R>(MANYCHAIN_THREE(gamma), {0, 0.5, 2}, {1, 0.5, 2}, infinity, false);
  check_beside<R>(MANYCHAIN_THREE(beta), {0, 1, 3}, {0.5, 1, 3}, std::log(3.0), false);
  check_beside<R>(MANYCHAIN_THREE(beta), {1, 3, 1}, {0.5, 3, 1}, std::log(3.0), false);
  check_beside<R>(MANYCHAIN_THREE(beta), {0, 2, 3}, {0.5, 2, 3}, -infinity, false);
  check_beside<R>(MANYCHAIN_THREE(beta), {1, 2, 3}, {0.5, 2, 3}, -infinity, false);
}

TYPED_TEST(RealTest, FarTailsAreFiniteAndWithoutNan) {
  using R = TypeParam;
  const double far = sizeof(number_of<R>) == 4 ? 1e17 : 1e150;
  for (double x : {far, -far}) {
    check_beside<R>(MANYCHAIN_THREE(normal), {x, 0, 1}, {1, 0, 1}, -0.5 * x * x - 0.9189385332046727, false);
    check_beside<R>(MANYCHAIN_THREE(cauchy), {x, 0, 1}, {1, 0, 1}, -2 * std::log(far) - 1.1447298858494002, false);
    check_beside<R>([](auto& target, auto& v) { target += student_t(v[0], 1, v[1], v[2]); }, {x, 0, 1}, {1, 0, 1},
                    -2 * std::log(far) - 1.1447298858494002, false);
  }
  check_beside<R>(MANYCHAIN_TWO(half_cauchy), {far, 1}, {1, 1}, -2 * std::log(far) - 0.4515827052894548, false);
  // exp(eta) overflows: the mass is zero, with an infinite slope back, and no NaN.
  for (double count : {0.0, 3.0})
    check_beside<R>([=](auto& target, auto& v) { target += poisson_log(count, v[0]); }, {800}, {1}, -infinity, false);
  for (double eta : {800.0, -800.0, 1e30, -1e30})
    for (double y : {0.0, 1.0}) {
      const double expected = y == (eta > 0) ? 0 : -std::fabs(static_cast<float>(eta));
      check_beside<R>([=](auto& target, auto& v) { target += bernoulli_logit(y, v[0]); }, {eta}, {1},
                      std::fabs(eta) > 1e20 ? (expected == 0 ? 0 : double(number_of<R>(-std::fabs(eta)))) : expected,
                      false);
    }
}

// A probability above one, or a negative rate, is no parameter, whichever logarithms the count asks for. The first
// argument of each is the parameter.
TYPED_TEST(RealTest, ParametersOutOfRangeHaveNoMass) {
  using R = TypeParam;
  const auto expect_none = [](std::vector<double> q, auto density) {
    const auto got = run_target<Request::value_and_gradient, R>(
        static_cast<int>(q.size()), [&](int i, int) { return q[static_cast<std::size_t>(i)]; },
        [&](auto& target) {
          auto p = target.vector("p", Size<dynamic>(static_cast<int>(q.size())));
          target += density(p);
        });
    EXPECT_TRUE(std::isnan(got.value[0]) || got.value[0] == -infinity) << q[0] << " gives " << got.value[0];
  };
  for (const double y : {0.0, 1.0, 3.0}) {
    for (const double bad : {-0.5, 1.5, 3.0}) {
      expect_none({bad}, [=](auto& p) { return bernoulli(std::fmin(y, 1), p[0]); });
      expect_none({bad}, [=](auto& p) { return binomial(y, 3, p[0]); });
      expect_none({bad}, [=](auto& p) { return geometric(y, p[0]); });
    }
    for (const double bad : {-0.5, -2.0}) {
      expect_none({bad}, [=](auto& p) { return poisson(y, p[0]); });
      expect_none({bad}, [=](auto& p) { return exponential(y, p[0]); });
      expect_none({bad}, [=](auto& p) { return neg_binomial(y, p[0], 1); });
      expect_none({bad}, [=](auto& p) { return neg_binomial(y, 1, p[0]); });
      expect_none({bad}, [=](auto& p) { return neg_binomial_2(y, p[0], 1); });
      expect_none({bad}, [=](auto& p) { return neg_binomial_2(y, 1, p[0]); });
      expect_none({bad}, [=](auto& p) { return gamma(y + 1, p[0], 1); });
      expect_none({bad}, [=](auto& p) { return gamma(y + 1, 1, p[0]); });
      expect_none({bad}, [=](auto& p) { return inverse_gamma(y + 1, p[0], 1); });
      expect_none({bad}, [=](auto& p) { return beta(0.3, p[0], 1); });
      expect_none({bad}, [=](auto& p) { return beta(0.3, 1, p[0]); });
      expect_none({bad}, [=](auto& p) { return weibull(y + 1, p[0], 1); });
      expect_none({bad}, [=](auto& p) { return weibull(y + 1, 1, p[0]); });
      expect_none({bad}, [=](auto& p) { return student_t(y, p[0], 0, 1); });
      expect_none({bad}, [=](auto& p) { return student_t(y, 3, 0, p[0]); });
      expect_none({bad}, [=](auto& p) { return normal(y, 0, p[0]); });
      expect_none({bad}, [=](auto& p) { return cauchy(y, 0, p[0]); });
      expect_none({bad}, [=](auto& p) { return logistic(y, 0, p[0]); });
      expect_none({bad}, [=](auto& p) { return gumbel(y, 0, p[0]); });
      expect_none({bad}, [=](auto& p) { return double_exponential(y, 0, p[0]); });
      expect_none({bad}, [=](auto& p) { return lognormal(y + 1, 0, p[0]); });
      expect_none({bad}, [=](auto& p) { return half_normal(y, p[0]); });
      expect_none({bad}, [=](auto& p) { return half_cauchy(y, p[0]); });
      expect_none({bad}, [=](auto& p) { return chi_square(y + 1, p[0]); });
      expect_none({bad}, [=](auto& p) { return pareto(y + 1, 1, p[0]); });
    }
  }
}

// Gamma is positive between -2 and -1, and so are densities that are written by it: none has a shape there. A
// probability above one has a positive logarithm.
TYPED_TEST(RealTest, ParametersThatAreNoneGiveNaN) {
  using R = TypeParam;
  const auto is_nan = [](const char* name, std::vector<double> point, auto density) {
    const auto in = [&](auto& target) {
      auto x = target.vector("x", Size<dynamic>(static_cast<int>(point.size())));
      density(target, x);
    };
    const auto got = run_target<Request::value_and_gradient, R>(
        static_cast<int>(point.size()), [&](int i, int) { return point[static_cast<std::size_t>(i)]; }, in);
    EXPECT_TRUE(std::isnan(got.value[0])) << name << " gives " << got.value[0];
  };
  for (const double shape : {-0.5, -1.5, -3.5}) {
    is_nan("gamma", {0.01, shape, 1}, MANYCHAIN_THREE(gamma));
    is_nan("inverse_gamma", {1, shape, 1}, MANYCHAIN_THREE(inverse_gamma));
    is_nan("beta", {0.5, shape, 2}, MANYCHAIN_THREE(beta));
    is_nan("beta", {0.5, 2, shape}, MANYCHAIN_THREE(beta));
    is_nan("beta", {0.5, shape, shape}, MANYCHAIN_THREE(beta));
    is_nan("chi_square", {1, shape}, MANYCHAIN_TWO(chi_square));
    is_nan("neg_binomial", {0, shape, 2}, MANYCHAIN_THREE(neg_binomial));
    is_nan("weibull_lcdf", {2, shape, 1}, MANYCHAIN_THREE(weibull_lcdf));
    is_nan("weibull_lccdf", {2, shape, 1}, MANYCHAIN_THREE(weibull_lccdf));
    is_nan("dirichlet", {0.2, 0.8, shape}, [](auto& target, auto& v) { target += dirichlet(segment(v, 0, 2), v[2]); });
  }
  is_nan("categorical", {1.1, -0.1}, [](auto& target, auto& v) { target += categorical(0, v); });
  is_nan("categorical of a parameter", {0, 1.1, -0.1},
         [](auto& target, auto& v) { target += categorical(v[0], segment(v, 1, 2)); });
  is_nan("multinomial", {3, 1, 1.5, 0.2},
         [](auto& target, auto& v) { target += multinomial(segment(v, 0, 2), segment(v, 2, 2)); });
}

// Groups without a count, their mean far below the smallest number: certain, as of poisson().
TYPED_TEST(RealTest, NoCountsOfAMeanThatVanishesAreCertain) {
  using R = TypeParam;
  check_beside<R>(MANYCHAIN_THREE(neg_binomial_2), {0, 0, 2}, {1, 0.5, 2}, 0, false);
  check_beside<R>(MANYCHAIN_THREE(neg_binomial), {0, 2, infinity}, {1, 2, 3}, 0, false);
}

// A share that rounds to one has no slope that is no number.
TYPED_TEST(RealTest, SharesOfAMixtureMayRoundToOne) {
  using R = TypeParam;
  const auto mixture = [](auto& target, auto& v) {
    target += log_mix(inv_logit(v[0]), normal(v[1], 0, 1), normal(v[1], 1, 1));
  };
  check_beside<R>(mixture, {50, 0.2}, {1, 0.2}, -0.5 * 0.04 - 0.91893853320467274, false);
  check_beside<R>(mixture, {-200, 0.2}, {1, 0.2}, -0.5 * 0.64 - 0.91893853320467274, false);
}

// Hazards that overflow: the event has happened, and nothing changes that.
TYPED_TEST(RealTest, CertainEventsHaveNoSlope) {
  using R = TypeParam;
  for (const double more : {0.0, 20.0, 1e30}) {
    check_beside<R>(MANYCHAIN_THREE(weibull_lcdf), {100 + more, 20, 1}, {1, 2, 1}, 0, true);
    check_beside<R>(MANYCHAIN_THREE(gumbel_lccdf), {-100 - 100 * more, 0, 1}, {1, 0, 1}, 0, true);
  }
}

// The log odds of a sure thing keep their relative accuracy: log(1 - 1e-9), and its slope, are not zero.
TYPED_TEST(RealTest, SureOutcomesKeepRelativeAccuracy) {
  using R = TypeParam;
  const double eps = std::numeric_limits<number_of<R>>::epsilon();
  const auto at = [&](double y, double eta) {
    return run_target<Request::value_and_gradient, R>(
        1, [=](int, int) { return eta; },
        [=](auto& target) {
          auto x = target.vector("x", Size<1>{});
          target += bernoulli_logit(y, x[0]);
          target += binomial_logit(y, 1, x[0]);
        });
  };
  const double tail = std::exp(-20.0);
  for (double y : {0.0, 1.0}) {
    const auto got = at(y, y > 0 ? 20 : -20);
    EXPECT_NEAR(got.value[0], -2 * tail, sizeof(number_of<R>) == 4 ? 4e-6 : 1e-14);
    EXPECT_NEAR(got.gradient[0][0], (y > 0 ? 2 : -2) * tail / (1 + tail), 16 * eps * tail);
  }
}

}  // namespace
}  // namespace manychain::test
