// check_gradient(): right gradients that finite differences find hard, wrong ones of several kinds, and what it says
// where rounding hides everything.
//
// False alarms and power were measured: 20 to 200 seeds of each density here (2003 parameters: 20) gave no false alarm
// and missed none of the mistakes, whose errors are five times what is allowed, or more.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>

#include "manychain/core/error.hpp"
#include "unit/run/gradient_densities.hpp"

namespace manychain::test {
namespace {

using Density = std::function<double(const double*, double*)>;

GradientCheck checked(std::size_t n, const Density& density, std::uint64_t seed = 1) {
  return check_gradient(compiled(n, density), 20, seed);
}
std::string described(const GradientCheck& check) {
  return check.worst_parameter + ": gradient " + std::to_string(check.gradient) + ", difference " +
         std::to_string(check.finite_difference) + ", error " + std::to_string(check.worst_error) + " of " +
         std::to_string(check.tolerance);
}
std::string name_of(std::size_t i) { return "q[" + std::to_string(i + 1) + "]"; }
/// `right`, with `change(q, gradient)` applied to the gradient.
template <class Change>
Density spoilt(const Density& right, Change change) {
  return [=](const double* q, double* g) {
    const double lp = right(q, g);
    change(q, g);
    return lp;
  };
}

/// A density that is hard for a difference with one fixed step.
struct Hard {
  const char* name;
  double (*density)(const double*, double*);
};
class HardGradients : public testing::TestWithParam<Hard> {};

TEST_P(HardGradients, AreRight) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const GradientCheck check = checked(4, GetParam().density, seed);
    EXPECT_TRUE(check.passed) << described(check);
    EXPECT_LE(check.worst_error, check.tolerance);
  }
}
TEST_P(HardGradients, WithAnErrorOf1e4AreFound) {
  for (std::size_t i = 0; i < 4; ++i) {
    const GradientCheck check =
        checked(4, spoilt(GetParam().density, [i](const double*, double* g) { g[i] *= 1.0001; }));
    EXPECT_FALSE(check.passed);
    EXPECT_TRUE(check.conclusive);
    EXPECT_EQ(check.worst_parameter, name_of(i));
    EXPECT_NEAR(check.worst_error, 1e-4, 1e-5);
  }
}
INSTANTIATE_TEST_SUITE_P(Densities, HardGradients,
                         testing::Values(Hard{"recurrence", recurrence}, Hard{"garch", garch},
                                         Hard{"predators", predators}, Hard{"survival", survival}),
                         [](const auto& hard) { return std::string(hard.param.name); });

class InAnyDimension : public testing::TestWithParam<std::size_t> {
 protected:
  const std::size_t n = GetParam(), one = n / 3;
  const Density right = [n = n](const double* q, double* g) { return chain_of(n, q, g); };
};

TEST_P(InAnyDimension, RightGradientsPass) {
  const GradientCheck check = checked(n, right);
  EXPECT_TRUE(check.passed) << described(check);
}

// A missing factor, a small error, a wrong sign, a term that is missing altogether.
TEST_P(InAnyDimension, OneWrongComponentIsNamed) {
  for (double factor : {1.0001, 0.999, 2.0, 0.5, -1.0, 0.0}) {
    const GradientCheck check =
        checked(n, spoilt(right, [factor, i = one](const double*, double* g) { g[i] *= factor; }));
    EXPECT_FALSE(check.passed) << factor;
    EXPECT_TRUE(check.conclusive) << factor;
    EXPECT_EQ(check.worst_parameter, name_of(one)) << factor;
    EXPECT_NEAR(check.gradient, factor * check.finite_difference, 2e-6 * std::fabs(check.finite_difference)) << factor;
  }
}
TEST_P(InAnyDimension, OneThatIsWrongHereAndThereIsNamed) {
  const GradientCheck check = checked(n, spoilt(right, [i = one](const double* q, double* g) {
                                        if (q[i] > 0) g[i] *= 1.001;
                                      }));
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.worst_parameter, name_of(one));
}
TEST_P(InAnyDimension, AllWrongAreFound) {
  for (double factor : {1.0001, -1.0}) {
    const GradientCheck check = checked(n, spoilt(right, [factor, m = n](const double*, double* g) {
                                          for (std::size_t i = 0; i < m; ++i) g[i] *= factor;
                                        }));
    EXPECT_FALSE(check.passed) << factor;
    EXPECT_NEAR(check.gradient, factor * check.finite_difference, 2e-6 * std::fabs(check.finite_difference)) << factor;
  }
}
TEST_P(InAnyDimension, NoNumberIsNamed) {
  const GradientCheck check = checked(n, spoilt(right, [i = one](const double*, double* g) { g[i] = std::nan(""); }));
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.worst_parameter, name_of(one));
  EXPECT_TRUE(std::isfinite(check.finite_difference));
}

// A Laplace density has a kink at zero, which some step of some component crosses.
TEST_P(InAnyDimension, KinksAreNoErrors) {
  const GradientCheck check = checked(n, [m = n](const double* q, double* g) {
    double lp = 0;
    for (std::size_t i = 0; i < m; ++i) {
      lp -= std::fabs(q[i]);
      g[i] = q[i] > 0 ? -1 : 1;
    }
    return lp;
  });
  EXPECT_TRUE(check.passed) << described(check);
}

// 1e12 has digits of 1e-4: nothing can be said, of a right gradient or of one that is slightly wrong.
TEST_P(InAnyDimension, RoundingThatHidesErrorsIsSaid) {
  for (double factor : {1.0, 1.0001}) {
    const GradientCheck check = checked(n, [=, m = n, i = one](const double* q, double* g) {
      const double lp = 1e12 + chain_of(m, q, g);
      g[i] *= factor;
      return lp;
    });
    EXPECT_FALSE(check.passed);
    EXPECT_FALSE(check.conclusive);
  }
}

TEST_P(InAnyDimension, AtMost1000EvaluationsAreMade) {
  for (double factor : {1.0, -1.0}) {
    std::atomic<int> evaluations{0};
    checked(n, [&, i = one](const double* q, double* g) {
      ++evaluations;
      const double lp = right(q, g);
      g[i] *= factor;
      return lp;
    });
    EXPECT_LE(evaluations, 1000);
  }
}
INSTANTIATE_TEST_SUITE_P(Parameters, InAnyDimension, testing::Values(1, 50, 2003), testing::PrintToStringParamName());

// Precisions of 1e6 and of 1e-6: gradients of a million and of a millionth are held to the same relative error.
TEST(GradientCheck, AsksForTheSameRelativeErrorAtAnyScale) {
  for (double precision : {1e6, 1e-6})
    for (std::size_t n : {1, 50}) {
      const Density right = [=](const double* q, double* g) { return normals_of_precision(n, precision, 1, q, g); };
      const GradientCheck check = checked(n, right);
      EXPECT_TRUE(check.passed) << precision << " " << described(check);
      const GradientCheck wrong = checked(n, spoilt(right, [n](const double*, double* g) { g[n / 2] *= 1.0002; }));
      EXPECT_FALSE(wrong.passed) << precision;
      EXPECT_EQ(wrong.worst_parameter, name_of(n / 2)) << precision;
    }
}
// Both at once: components of one magnitude move together, or the small ones would go unseen.
TEST(GradientCheck, LooksAtEachMagnitude) {
  const Density right = [](const double* q, double* g) { return normals_of_precision(7, 1e3, 0.1, q, g); };
  EXPECT_TRUE(checked(7, right).passed);
  for (std::size_t i = 0; i < 7; ++i) {
    const GradientCheck check = checked(7, spoilt(right, [i](const double*, double* g) { g[i] *= 1.0001; }));
    EXPECT_FALSE(check.passed) << i;
    EXPECT_EQ(check.worst_parameter, name_of(i));
  }
}
// Gradients that are zero, of a parameter that the density does not know and of one whose gradient was forgotten.
TEST(GradientCheck, KnowsWhatIsZero) {
  const Density flat = [](const double* q, double* g) {
    g[0] = -q[0];
    g[1] = 0;
    return -0.5 * q[0] * q[0];
  };
  EXPECT_TRUE(checked(2, flat).passed);
  const GradientCheck check = checked(2, [](const double* q, double* g) {
    g[0] = -q[0];
    g[1] = 0;
    return -0.5 * (q[0] * q[0] + 1e-3 * q[1] * q[1]);
  });
  EXPECT_FALSE(check.passed);
  EXPECT_EQ(check.worst_parameter, "q[2]");
}
// Steps that leave the support say nothing; smaller ones do.
TEST(GradientCheck, StaysWithinTheSupport) {
  const GradientCheck check = checked(3, [](const double* q, double* g) {
    double lp = 0;
    for (int i = 0; i < 3; ++i) {
      lp += std::log(4 - q[i] * q[i]);
      g[i] = -2 * q[i] / (4 - q[i] * q[i]);
    }
    return lp;
  });
  EXPECT_TRUE(check.passed) << described(check);
  EXPECT_THROW(checked(3, [](const double*, double*) { return -HUGE_VAL; }), SamplingFailed);
}

}  // namespace
}  // namespace manychain::test
