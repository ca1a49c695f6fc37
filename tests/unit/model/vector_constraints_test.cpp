// More constrained vectors, and offsets with multipliers: values and log Jacobians against closed forms and by
// differences, gradients, moments of known densities, initial values, ends.
#include "manychain/model/autodiff/vector_constraints.hpp"

#include <numeric>
#include <random>

#include "unit/model/constraint_checks.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

TEST(VectorConstraints, PositiveOrdered) {
  check_sizes(positive_ordered(), [](const auto& x) {
    double last = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(x[i] - last, std::exp(start[i]), 1e-14);
      last = x[i];
    }
  });
}

// Scalar and vector, with expressions as arguments: both are due a gradient.
TEST(VectorConstraints, OffsetAndMultiplier) {
  check_sizes(offset_multiplier(3, 0.5), [](const auto& x) {
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], 3 + 0.5 * start[i], 1e-14);
  });
  const auto density = [](auto& target) {
    auto mu = target.real("mu");
    auto tau = target.real("tau", lower(0));
    auto first = target.real("first", offset_multiplier(mu, 2.0 * tau));
    auto theta = target.vector("theta", Size<3>{}, offset_multiplier(mu + first, tau));
    auto long_one = target.vector("long_one", 2, offset_multiplier(0.25, exp(0.5 * mu)));
    target += normal(theta, mu, tau);
    target += normal(first, 1, 2) + half_normal(tau, 3) + normal(mu, 0, 1);
    target += lognormal(tau, 0.1, 0.7) - square(long_one[0]) - 0.3 * long_one[1] * theta[2];
  };
  const std::vector<double> q = {0.2, -0.4, 0.6, -0.9, 0.1, 1.2, -0.7, 0.4};
  check_gradient_of(q, density);
  check_lanes<Scalar<float>>(q, density, 256);
  check_lanes<Pack<float>>(q, density, 256);
  check_lanes<Pack<double>>(q, density, 256);
}
// Non-centred: what normal(x, mu, sigma) leaves to be sampled is standard normal, whatever mu and sigma are.
TEST(VectorConstraints, OffsetAndMultiplierOfANormalGiveAStandardNormal) {
  for (double mu : {-3.0, 40.0})
    for (double u : {-1.5, 0.0, 2.0}) {
      const auto got = run_target<Request::value_and_gradient, Scalar<double>>(
          2, [&](int, int) { return u; },
          [&](auto& target) {
            auto x = target.vector("x", Size<2>{}, offset_multiplier(mu, 7.0));
            target += normal(x, mu, 7.0);
          });
      EXPECT_NEAR(got.value[0], -u * u - std::log(2 * std::acos(-1.0)), 1e-12);
      EXPECT_NEAR(got.gradient[1][0], -u, 1e-13);
    }
}

// x = u / |u|: the length of u is left with its chi distribution, and the direction with nothing.
TEST(VectorConstraints, UnitVector) {
  for (int fixed : {0, 1}) {
    const auto check = [&](auto declare) {
      const auto [x, log_density] = transformed(start, declare);
      double square = 0, length = 0;
      for (double u : start) square += u * u;
      for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_NEAR(x[i], start[i] / std::sqrt(square), 1e-15);
        length += x[i] * x[i];
      }
      EXPECT_NEAR(length, 1, 1e-15);
      EXPECT_NEAR(log_density, -0.5 * square, 1e-14);
      check_gradients(declare, start);
    };
    if (fixed)
      check([](auto& t) { return t.vector("x", Size<5>{}, unit_vector()); });
    else
      check([](auto& t) { return t.vector("x", 5, unit_vector()); });
  }
  // No direction: finite, and no slope.
  const auto zero = run_target<Request::value_and_gradient, Scalar<double>>(
      2, [](int, int) { return 0.0; },
      [](auto& t) {
        auto x = t.vector("x", Size<2>{}, unit_vector());
        EXPECT_NEAR(value(x[0]).v, std::sqrt(0.5), 1e-15);
        t += 3.0 * x[0];
      });
  EXPECT_EQ(zero.gradient[0][0], 0);
}
// A known density, exp(kappa x_0) on a circle and on a sphere (von Mises and Fisher): its mean is I1 / I0 and
// coth kappa - 1 / kappa. Integrated over u on a grid, which a wrong density of u moves.
TEST(VectorConstraints, UnitVectorsHaveTheMomentsOfVonMisesAndFisher) {
  const double kappa = 1.5;
  for (int n : {2, 3}) {
    const double step = 0.25, end = 6;
    double mass = 0, moment = 0;
    std::vector<double> u(static_cast<std::size_t>(n), -end + step / 2);
    for (bool more = true; more;) {
      double x0 = 0;
      const double lp = run_target<Request::value, Scalar<double>>(
                            n, [&](int i, int) { return u[static_cast<std::size_t>(i)]; },
                            [&](auto& t) {
                              auto x = t.vector("x", n, unit_vector());
                              x0 = value(x[0]).v;
                              t += kappa * x[0];
                            })
                            .value[0];
      mass += std::exp(lp);
      moment += x0 * std::exp(lp);
      std::size_t k = 0;
      while (k < u.size() && (u[k] += step) > end) u[k++] = -end + step / 2;
      more = k < u.size();
    }
    // I1(1.5) / I0(1.5) by mpmath; the direction jumps at u = 0, which a grid of this step sees to 1e-3.
    EXPECT_NEAR(moment / mass, n == 2 ? 0.59613324 : 1 / std::tanh(kappa) - 1 / kappa, 2e-3);
  }
}

TEST(VectorConstraints, SumToZeroIsOrthonormal) {
  const std::vector<double> q(start.begin(), start.end() - 1);
  const auto check = [&](auto declare) {
    const auto [x, log_density] = transformed(q, declare);
    EXPECT_EQ(log_density, 0);
    EXPECT_NEAR(std::accumulate(x.begin(), x.end(), 0.0), 0, 1e-15);
    const Eigen::MatrixXd jacobian = numerical_jacobian(q, declare);
    EXPECT_EQ(jacobian.rows(), 5);
    EXPECT_LT((jacobian.transpose() * jacobian - Eigen::MatrixXd::Identity(4, 4)).norm(), 1e-10);
    check_gradients(declare, q);
  };
  check([](auto& t) { return t.vector("x", Size<5>{}, sum_to_zero()); });
  check([](auto& t) { return t.vector("x", 5, sum_to_zero()); });
  EXPECT_EQ(transformed({}, [](auto& t) { return t.vector("x", 1, sum_to_zero()); }).first[0], 0);
  // Stan's transform: the first of two free numbers moves the first two elements apart.
  const auto first = transformed({1, 0}, [](auto& t) { return t.vector("x", 3, sum_to_zero()); }).first;
  EXPECT_NEAR(first[0], std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(first[1], -std::sqrt(0.5), 1e-15);
  EXPECT_EQ(first[2], 0);
}
// Every element has variance 1 - 1 / n if the free numbers are standard normal. 40 000 draws, five standard errors of a
// variance: a false alarm has probability 3e-6 for five elements; a variance that is wrong by 6 % is found surely.
TEST(VectorConstraints, SumsToZeroHaveEqualVariances) {
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  std::vector<double> square(5);
  const int n = 40'000;
  for (int k = 0; k < n; ++k) {
    std::vector<double> u(4);
    for (double& v : u) v = normal(engine);
    const auto x = transformed(u, [](auto& t) { return t.vector("x", Size<5>{}, sum_to_zero()); }).first;
    for (std::size_t i = 0; i < 5; ++i) square[i] += x[i] * x[i] / n;
  }
  for (double s : square) EXPECT_NEAR(s, 0.8, 5 * 0.8 * std::sqrt(2.0 / n));
}

// There and back.
template <class Constraint>
void check_inverse(const Constraint& c, std::vector<double> u, int n) {
  using R = Scalar<double>;
  std::vector<R> free(static_cast<std::size_t>(n), R(0)), x(static_cast<std::size_t>(n)), back = free;
  for (std::size_t i = 0; i < u.size(); ++i) free[i] = R(u[i]);
  forward<R>(c, Size<dynamic>(n), free, x);
  std::vector<double> values;
  for (R v : x) values.push_back(v.v);
  EXPECT_EQ(violation(c, n, values.data()), nullptr);
  unconstrain<R>(c, n, values.data(), back);
  std::vector<R> again(static_cast<std::size_t>(n));
  forward<R>(c, Size<dynamic>(n), back, again);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(again[i].v, values[i], 1e-14) << i;
}
TEST(VectorConstraints, HaveInverses) {
  check_inverse(positive_ordered(), start, 5);
  check_inverse(offset_multiplier(2, 3), start, 5);
  check_inverse(unit_vector(), start, 5);
  check_inverse(sum_to_zero(), {start.begin(), start.begin() + 4}, 5);
}

template <class Declare>
std::string refusal_of(const Data& data, Declare declare) {
  try {
    LayoutTarget<double> target(data);
    declare(target);
    target.finish();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "none";
}
// Names of a billion parameters, a slip in the data, would fill the memory first.
TEST(Dimension, OfTooManyParametersIsRefused) {
  EXPECT_EQ(refusal_of(Data(), [](auto& t) { t.vector("x", 1'000'000'000); }),
            "with x the model has 1000000000 parameters, and there may be 2^24: look at the sizes in the data");
}
TEST(VectorConstraints, RefuseWhatIsNotInside) {
  Data data;
  data.set("x", {0.6, 0.8, 0.1});
  EXPECT_EQ(refusal_of(data, [](auto& t) { t.vector("x", 3, unit_vector()); }),
            "initial value of x: the squares of its elements must add up to 1");
  EXPECT_EQ(refusal_of(data, [](auto& t) { t.vector("x", 3, sum_to_zero()); }),
            "initial value of x: its elements must add up to 0");
  EXPECT_EQ(refusal_of(data, [](auto& t) { t.vector("x", 3, positive_ordered()); }),
            "initial value of x: it must lie inside of its constraint, not on its edge");
  EXPECT_EQ(refusal_of(data, [](auto& t) { t.simplex("x", 3); }), "initial value of x: its elements must add up to 1");
  EXPECT_EQ(refusal_of(data, [](auto& t) { t.vector("y", 0, unit_vector()); }),
            "vector y has size 0, which must be 1 or more");
  EXPECT_EQ(refusal_of(data, [](auto& t) { t.vector("y", 0, sum_to_zero()); }),
            "vector y has size 0, which must be 1 or more");
  data.set("x", {0.6, 0.8, 0.0});
  EXPECT_EQ(refusal_of(data, [](auto& t) { t.vector("x", 3, unit_vector()); }), "none");
  data.set("x", {0.25, -1.0, 0.75});
  LayoutTarget<double> target(data);
  const auto x = target.vector("x", 3, sum_to_zero());
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(value(x[i]).v, data.find("x")->values[static_cast<std::size_t>(i)], 1e-15);
  EXPECT_EQ(target.finish().dimension, 2u);
}

// Far out nothing is NaN, beside ordinary neighbours.
TYPED_TEST(RealTest, ExtremePointsOfVectorConstraints) {
  using R = TypeParam;
  const double extremes[] = {80, -80, 700, -700, 0.5};
  const auto check = [&](auto declare, int parameters) {
    for (std::size_t first = 0; first < 5; ++first) {
      const auto at = [&](int i, int l) {
        return extremes[(first + static_cast<std::size_t>(l)) % 5] * (i % 2 ? -1 : 1);
      };
      std::vector<bool> finite(static_cast<std::size_t>(R::lanes), true);
      const auto got = run_target<Request::value_and_gradient, R>(parameters, at, [&](auto& target) {
        auto x = declare(target);
        for (int i = 0; i < x.size().value(); ++i)
          for (int l = 0; l < R::lanes; ++l) {
            const double v = double(lane(R(value(x[i])), l));
            EXPECT_FALSE(std::isnan(v));
            if (!std::isfinite(v)) finite[static_cast<std::size_t>(l)] = false;
          }
      });
      for (std::size_t l = 0; l < static_cast<std::size_t>(R::lanes); ++l) {
        EXPECT_TRUE(std::isfinite(got.value[l]));
        for (std::size_t i = 0; finite[l] && i < static_cast<std::size_t>(parameters); ++i)
          EXPECT_TRUE(std::isfinite(got.gradient[i][l])) << i;
      }
    }
  };
  check([](auto& t) { return t.vector("x", Size<3>{}, positive_ordered()); }, 3);
  check([](auto& t) { return t.vector("x", 3, unit_vector()); }, 3);
  check([](auto& t) { return t.vector("x", Size<4>{}, sum_to_zero()); }, 3);
  check([](auto& t) { return t.vector("x", 3, offset_multiplier(1, 2)); }, 3);
}

}  // namespace
}  // namespace manychain::test
