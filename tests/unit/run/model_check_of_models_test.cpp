// check_model() of models that are right, and of single mistakes: NaN, gradients by hand, constraints.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "manychain/chain/term_target.hpp"
#include "manychain/manychain.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

/// model_of() with its terms.
template <template <class> class ModelClass>
Model checked_model_of() {
  static const ModelUnit unit{"under_test", "", [] { return ""; },
                              [](const Data& d) -> std::shared_ptr<const Model::Bound> {
                                using Single = VariantList<ModelClass<float>>;
                                using Double = VariantList<ModelClass<double>>;
                                return std::make_shared<GeneratedBound<Single, Double>>(
                                    "under_test", d, ProgramUnits{{cpu_unit<Single, Double, false>()}, {}}, nullptr,
                                    terms_of<ModelClass<CheckedNumber>>);
                              }};
  return Model(unit, Data());
}

/// log(x): NaN for x < 0. Half of the points are no mistake of a support if they are NaN.
template <class Number>
struct NanHere {
  using samplers = SamplerList<Mala<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += -square(x);
    target += 0.01 * log(x);
  }
};
/// The same, -inf outside of the support: none.
template <class Number>
struct OutsideHere {
  using samplers = SamplerList<Mala<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += -square(x);
    target += select(value(x) > 0, 0.01 * x, -std::numeric_limits<double>::infinity());
  }
};
/// NaN in an observation of one number, behind a statement of several parts.
template <class Number>
struct NanInOne {
  using samplers = SamplerList<Mala<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto v = target.vector("v", 2);
    target += normal(v, 0, 1) + 0.5 * normal(v, x, 2) - cauchy(x, 0, 1);
    target.observe("one", normal(2.0, x, 1) + 0.01 * log(x));
  }
};
TEST(ModelCheck, terms_of_sums_and_of_single_observations) {
  const ModelCheck found = check_model(checked_model_of<NanInOne>());
  EXPECT_GT(found.nonfinite.not_a_number, 2u);
  EXPECT_EQ(found.nonfinite.term, "statement 2, observe(\"one\")");
}
TEST(ModelCheck, nan_is_a_mistake_and_the_edge_of_a_support_is_none) {
  const ModelCheck nan = check_model(checked_model_of<NanHere>());
  EXPECT_FALSE(nan.passed);
  EXPECT_GT(nan.nonfinite.not_a_number, 2u);
  EXPECT_EQ(nan.nonfinite.term, "statement 2 (target +=)");
  const ModelCheck outside = check_model(checked_model_of<OutsideHere>());
  EXPECT_TRUE(outside.passed) << outside.table();
  EXPECT_GT(outside.nonfinite.outside, 2u);
  EXPECT_EQ(outside.nonfinite.not_a_number, 0u);
  EXPECT_EQ(outside.nonfinite.term, "statement 2 (target +=)");
}

/// A gradient written by hand. One that is wrong, one whose value alone is another, one that is wrong in single
/// precision alone.
template <class Number>
struct ByHand {
  using samplers = SamplerList<Mala<>>;
  static constexpr int dimension = 2;
  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.vector("x", Size<2>{});
  }
  template <class R, class Q, class G>
  MANYCHAIN_HD R value_and_gradient(const Q& q, G& g) const {
    g[0] = -q[0];
    g[1] = R(-4.0) * q[1];
    return R(-0.5) * (q[0] * q[0] + R(4.0) * q[1] * q[1]);
  }
};
template <class Number>
struct WrongByHand : ByHand<Number> {
  template <class R, class Q, class G>
  MANYCHAIN_HD R value_and_gradient(const Q& q, G& g) const {
    const R value = ByHand<Number>::template value_and_gradient<R>(q, g);
    g[1] = g[1] * R(1.001);
    return value;
  }
};
template <class Number>
struct TwoValues : ByHand<Number> {
  template <class R, class Q>
  MANYCHAIN_HD R value(const Q& q) const {
    return R(-0.5) * (q[0] * q[0] + R(4.0) * q[1] * q[1]) - R(1.0);
  }
};
template <class Number>
struct WrongInSingle : ByHand<Number> {
  template <class R, class Q, class G>
  MANYCHAIN_HD R value_and_gradient(const Q& q, G& g) const {
    const R value = ByHand<Number>::template value_and_gradient<R>(q, g);
    return sizeof(number_of<R>) == 4 ? value * R(1.5) : value;
  }
};

TEST(ModelCheck, gradients_by_hand) {
  EXPECT_TRUE(check_model(checked_model_of<ByHand>()).passed) << check_model(checked_model_of<ByHand>()).table();
  const ModelCheck wrong = check_model(checked_model_of<WrongByHand>());
  EXPECT_FALSE(wrong.passed);
  EXPECT_EQ(wrong.gradient.worst_parameter, "x[2]");
  EXPECT_TRUE(wrong.gradient.worst_term.empty());  // it has no terms
  const ModelCheck two = check_model(checked_model_of<TwoValues>());
  EXPECT_FALSE(two.passed);
  EXPECT_GT(two.value_error, 0.1);
  EXPECT_NE(two.table().find("DIFFERS from value_and_gradient()"), std::string::npos) << two.table();
  const ModelCheck single = check_model(checked_model_of<WrongInSingle>());
  EXPECT_FALSE(single.passed);
  EXPECT_TRUE(single.gradient.passed);
  EXPECT_FALSE(single.single.passed);
  EXPECT_GT(single.single.log_density_error, 0.1);
}

TEST(ModelCheck, a_compiled_density_has_one_precision) {
  CompiledDensity density;
  density.dimension = 1;
  density.value_and_gradient = [](const double* q, double* g) { return g[0] = -q[0], -0.5 * q[0] * q[0]; };
  const ModelCheck check = check_model(Model(density));
  EXPECT_TRUE(check.passed) << check.table();
  EXPECT_FALSE(check.single.made);
  EXPECT_NE(check.single.why_not.find("double"), std::string::npos);
  EXPECT_FALSE(check.cuda.made);
}

/// Of the transforms of the language, at many points: what they add is log |det|.
template <class Number>
struct EveryConstraint {
  using samplers = SamplerList<Mala<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto low = target.real("low", lower(-1));
    auto high = target.real("high", upper(2));
    auto between = target.real("between", interval(-1, 4));
    auto above = target.vector("above", Size<3>{}, lower(0.5));
    auto moving = target.real("moving", lower(low));
    auto parts = target.simplex("parts", Size<5>{});
    auto steps = target.ordered("steps", Size<4>{});
    target += -square(low) - square(high) - square(between) - square(above[1]) - square(parts[2]) - square(steps[3]) -
              square(moving);
  }
};
TEST(ModelCheck, jacobians_of_all_constraints) {
  const ModelCheck check = check_model(checked_model_of<EveryConstraint>(), 100);
  EXPECT_EQ(check.jacobians.compared, 7u);
  EXPECT_LT(check.jacobians.error, 1e-9) << check.table();
  EXPECT_TRUE(check.passed) << check.table();
}

}  // namespace
}  // namespace manychain
