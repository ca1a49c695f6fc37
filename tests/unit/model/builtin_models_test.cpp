// The built-in models: gradients against differences, the variants of fixed size against those of any size.
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/model/language/layout_of.hpp"
#include "manychain/model/language/variants.hpp"
#include "manychain/models/eight_schools.hpp"
#include "manychain/models/eight_schools_centered.hpp"
#include "manychain/models/linear_regression.hpp"
#include "manychain/models/logistic_regression.hpp"
#include "manychain/models/normal.hpp"
#include "manychain/run/model.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

Data data_of(const std::string& name) {
  for (const ModelInfo& info : builtin_models())
    if (info.name == name) return Data::from_json(info.unit->data());
  ADD_FAILURE() << name;
  return {};
}

TEST(BuiltinModels, GradientsMatchFiniteDifferences) {
  int checked = 0;
  for (const ModelInfo& info : builtin_models()) {
    Data data;
    if (info.name == "normal") data.set("D", 7);
    const Model model = info.name == "normal" ? builtin_model(info.name, data) : builtin_model(info.name);
    const GradientCheck check = check_gradient(model, 10, 3);
    EXPECT_TRUE(check.passed) << info.name << ": " << check.worst_parameter << " " << check.gradient << " instead of "
                              << check.finite_difference;
    EXPECT_FALSE(check.worst_parameter.empty());
    EXPECT_LT(check.worst_error, check.tolerance);
    ++checked;
  }
  EXPECT_EQ(checked, 10);
}

// By which a GPU deals terms (core/chain_threads.hpp): sums of at most 32 terms may be unrolled and do not count.
TEST(BuiltinModels, CountTheTermsOfLongSums) {
  EXPECT_EQ(builtin_model("logistic_regression").layout().terms, 1000u);
  EXPECT_EQ(builtin_model("eight_schools").layout().terms, 0u);
  EXPECT_EQ(builtin_model("banana").layout().terms, 0u);
  Data data;
  data.set("D", 40);
  EXPECT_EQ(builtin_model("normal", data).layout().terms, 40u);
}

// The check itself: a wrong component is found and named, a gradient that is NaN is an error, and a density that
// is finite nowhere is no pass.
TEST(GradientCheck, FindsWhatIsWrong) {
  CompiledDensity density;
  density.dimension = 3;
  density.parameters = {"a", "b", "c"};
  const auto with = [&](auto change) {
    density.value_and_gradient = [change](const double* q, double* g) {
      double lp = 0;
      for (int i = 0; i < 3; ++i) lp -= 0.5 * q[i] * q[i];
      if (g)
        for (int i = 0; i < 3; ++i) g[i] = -q[i];
      return change(lp, g);
    };
    return Model(density);
  };
  EXPECT_TRUE(check_gradient(with([](double lp, double*) { return lp; })).passed);
  const GradientCheck wrong = check_gradient(with([](double lp, double* g) {
    if (g) g[1] *= 1.001;
    return lp;
  }));
  EXPECT_FALSE(wrong.passed);
  EXPECT_EQ(wrong.worst_parameter, "b");
  const GradientCheck nan = check_gradient(with([](double lp, double* g) {
    if (g) g[2] = std::nan("");
    return lp;
  }));
  EXPECT_FALSE(nan.passed);
  EXPECT_EQ(nan.worst_parameter, "c");
  EXPECT_THROW(check_gradient(with([](double, double*) { return -HUGE_VAL; })), SamplingFailed);
}

/// Two instantiations of one model at the same points of every lane: the same bits, because nothing is contracted and
/// every sum has one order, unrolled or not.
template <class R, class Fixed, class Any>
void check_variants(const Data& data) {
  const HostModel<Fixed> fixed(data);
  const HostModel<Any> any(data);
  const int n = model_dimension<Fixed>();
  static_assert(model_dimension<Fixed>() != dynamic && model_dimension<Any>() == dynamic);
  ASSERT_EQ(layout_of(HostModel<Any>(data).model).dimension, static_cast<std::size_t>(n));
  std::vector<R> q, g(static_cast<std::size_t>(n)), h(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) q.push_back(lanes_of<R>([&](int l) { return 0.3 * std::sin(1.0 + i + 3 * l); }));
  const Strided<R> position{q.data(), 1};
  Strided<R> a{g.data(), 1}, b{h.data(), 1};
  const Arena<R> arena;
  const R x =
      evaluate<Request::value_and_gradient, R>(fixed.model, Size<model_dimension<Fixed>()>{}, position, a, arena)
          .value();
  const R y = evaluate<Request::value_and_gradient, R>(any.model, Size<dynamic>(n), position, b, arena).value();
  for (int l = 0; l < R::lanes; ++l) {
    EXPECT_TRUE(std::isfinite(lane(x, l)));
    EXPECT_EQ(lane(x, l), lane(y, l));
    for (std::size_t i = 0; i < g.size(); ++i) EXPECT_EQ(lane(g[i], l), lane(h[i], l)) << i;
  }
}

template <class R>
void check_all_variants() {
  using T = number_of<R>;
  Data ten;
  ten.set("D", 10);
  using namespace models;
  check_variants<R, Normal<T, 10>, Normal<T>>(ten);
  check_variants<R, EightSchools<T, 8>, EightSchools<T>>(data_of("eight_schools"));
  check_variants<R, EightSchoolsCentered<T, 8>, EightSchoolsCentered<T>>(data_of("eight_schools_centered"));
  check_variants<R, LinearRegression<T, 5>, LinearRegression<T>>(data_of("linear_regression"));
  check_variants<R, LogisticRegression<T, 25>, LogisticRegression<T>>(data_of("logistic_regression"));
}

TEST(BuiltinModels, FixedSizesEqualAnySizeBitForBit) {
  check_all_variants<Scalar<double>>();
  check_all_variants<Pack<float>>();
}

}  // namespace
}  // namespace manychain::test
