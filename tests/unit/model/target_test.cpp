// The parts of a model (layout), the outputs of a draw, and the three ways to write a model.
#include "manychain/model/language/layout_of.hpp"
#include "manychain/models/eight_schools.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

template <class Number>
struct Everything {
  Size<dynamic> n = 3;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau", lower(0));
    auto theta = target.vector("theta", n);
    target.derived("early", mu * 2);
    auto share = target.simplex("share", Size<4>{});
    auto cut = target.ordered("cut", n);
    auto scale = target.vector("scale", n, interval(0, tau));
    target += normal(mu, 0, tau);
    target += normal(theta, mu, tau);
    target += gamma(scale, 2, 1);
    target.derived("late", n, [&](auto j) { return theta[j] * scale[j] + share[0] + cut[j]; });
  }
};

TEST(Layout, NamesShapesAndOffsets) {
  const Layout layout = layout_of(Everything<double>{});
  EXPECT_EQ(layout.dimension, 14u);
  EXPECT_EQ(layout.outputs, 19u);
  EXPECT_EQ(layout.scratch, 12u);  // two dynamic vectors, values and adjoints
  std::vector<std::string> names;
  std::vector<std::size_t> offsets;
  for (const Quantity& q : layout.quantities) {
    names.push_back(q.name);
    offsets.push_back(q.offset);
    EXPECT_EQ(q.derived, q.name == "early" || q.name == "late");
  }
  EXPECT_EQ(names, (std::vector<std::string>{"mu", "tau", "theta", "share", "cut", "scale", "early", "late"}));
  EXPECT_EQ(offsets, (std::vector<std::size_t>{0, 1, 2, 5, 9, 12, 15, 16}));
  EXPECT_EQ(layout.quantities[3].shape, std::vector<std::size_t>{4});
  EXPECT_TRUE(layout.quantities[0].shape.empty());
  EXPECT_EQ(layout.unconstrained_names,
            (std::vector<std::string>{"mu", "tau", "theta[1]", "theta[2]", "theta[3]", "share[1]", "share[2]",
                                      "share[3]", "cut[1]", "cut[2]", "cut[3]", "scale[1]", "scale[2]", "scale[3]"}));
  const std::vector<std::string> outputs = layout.output_names();
  ASSERT_EQ(outputs.size(), 19u);
  EXPECT_EQ(outputs[8], "share[4]");
  EXPECT_EQ(outputs[15], "early");
  EXPECT_EQ(outputs[18], "late[3]");
}

/// Two parameters of one name, and an index that is not there.
struct Unlike {
  int last;
  template <class Target>
  void log_density(Target& target) const {
    auto x = target.vector("x", Size<3>{});
    target += normal(x[last], 0, 1);
    auto y = target.vector(last == 2 ? "x" : "y", Size<3>{}, lower(x[0]));
    target += normal(y, x, 1);
  }
};
TEST(Layout, RefusesNamesThatAreDeclaredTwiceAndIndicesBeyond) {
  EXPECT_EQ(layout_of(Unlike{1}).dimension, 6u);
  EXPECT_THROW(layout_of(Unlike{2}), BadInput);
  EXPECT_THROW(layout_of(Unlike{3}), BadInput);
}

TEST(Layout, MatricesAreNumberedRowByRow) {
  Layout layout;
  layout.quantities.push_back({"m", {2, 2}, 0, false});
  EXPECT_EQ(layout.output_names(), (std::vector<std::string>{"m[1,1]", "m[1,2]", "m[2,1]", "m[2,2]"}));
}

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

// Outputs are the constrained values in the order of the layout, each position written once, in every lane.
TYPED_TEST(RealTest, OutputsComeInTheOrderOfTheLayout) {
  using R = TypeParam;
  const Everything<number_of<R>> model{};
  const std::size_t outputs = 19, first_derived = 15;
  std::vector<R> q, scratch(64);
  for (int i = 0; i < 14; ++i) q.push_back(lanes_of<R>([&](int l) { return 0.25 * i - 0.5 - 0.125 * l; }));
  std::vector<R> out(outputs, R(-99));
  std::vector<int> written(outputs, 0);
  evaluate_outputs<R>(
      model, Strided<R>{q.data(), 1}, Arena<R>{Strided<R>{scratch.data(), 1}, 0}, first_derived,
      [&](int i, R x) {
        out[static_cast<std::size_t>(i)] = x;
        ++written[static_cast<std::size_t>(i)];
      },
      Stream<R>(1, Purpose::prediction, 0, 0));
  EXPECT_EQ(written, std::vector<int>(outputs, 1));
  for (int l = 0; l < R::lanes; ++l) {
    const auto x = [&](std::size_t i) { return double(lane(out[i], l)); };
    const auto u = [&](std::size_t i) { return double(lane(q[i], l)); };
    EXPECT_EQ(x(0), u(0));
    EXPECT_NEAR(x(1), std::exp(u(1)), 1e-6);
    EXPECT_EQ(x(3), u(3));
    EXPECT_NEAR(x(5) + x(6) + x(7) + x(8), 1, 1e-6);
    EXPECT_EQ(x(9), u(8));
    EXPECT_NEAR(x(10), u(8) + std::exp(u(9)), 1e-5);
    EXPECT_NEAR(x(12), x(1) / (1 + std::exp(-u(11))), 1e-6);
    EXPECT_NEAR(x(15), 2 * u(0), 1e-6);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(x(16 + j), x(2 + j) * x(12 + j) + x(5) + x(9 + j), 2e-5);
  }
}

/// A normal density, written in three ways.
struct Dsl {
  static constexpr int dimension = 3;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.vector("x", Size<3>{});
    target += normal(x, 0.5, 2);
  }
};
struct Declared {
  static constexpr int dimension = 3;
  template <class Target>
  MANYCHAIN_HD void parameters(Target& target) const {
    target.vector("x", Size<3>{});
  }
};
struct ByHand : Declared {
  template <class R, class Q, class G>
  MANYCHAIN_HD R value_and_gradient(const Q& q, G& g) const {
    R sum = R(0);
    for (int i = 0; i < 3; ++i) {
      const R z = (q[i] - R(0.5)) / R(2);
      sum += R(-0.5) * z * z - R(half_log_two_pi + log_two);
      g[i] = -z / R(2);
    }
    return sum;
  }
};
struct ValueAlone : Declared {
  template <class R, class Q>
  MANYCHAIN_HD R value(const Q& q) const {
    R sum = R(0);
    for (int i = 0; i < 3; ++i) {
      const R z = (q[i] - R(0.5)) / R(2);
      sum += R(-0.5) * z * z - R(half_log_two_pi + log_two);
    }
    return sum;
  }
};

TYPED_TEST(RealTest, ThreeWaysToWriteAModelAgree) {
  using R = TypeParam;
  static_assert(gives_log_density<Dsl> && gives_own_gradient<ByHand> && gives_value<ValueAlone>);
  static_assert(model_has_gradient<Dsl>() && model_has_gradient<ByHand>() && !model_has_gradient<ValueAlone>());
  std::vector<R> q, g(3, R(-7)), h(3, R(-7));
  for (int i = 0; i < 3; ++i) q.push_back(lanes_of<R>([&](int l) { return i - 0.3 * l; }));
  const Strided<R> position{q.data(), 1};
  Strided<R> dsl{g.data(), 1}, hand{h.data(), 1};
  const Arena<R> arena;
  const Size<3> n;
  const R a = evaluate<Request::value_and_gradient, R>(Dsl{}, n, position, dsl, arena).value();
  const R b = evaluate<Request::value_and_gradient, R>(ByHand{}, n, position, hand, arena).value();
  const R c = evaluate<Request::value, R>(ValueAlone{}, n, position, hand, arena).value();
  for (int l = 0; l < R::lanes; ++l) {
    const double right = double(lane(a, l));
    EXPECT_NEAR(double(lane(b, l)), right, 2e-6 * (1 + std::fabs(right)));
    EXPECT_NEAR(double(lane(c, l)), right, 2e-6 * (1 + std::fabs(right)));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(double(lane(g[i], l)), double(lane(h[i], l)), 2e-6);
  }
  for (const Layout& layout : {layout_of(Dsl{}), layout_of(ByHand{}), layout_of(ValueAlone{})}) {
    EXPECT_EQ(layout.dimension, 3u);
    EXPECT_EQ(layout.output_names(), (std::vector<std::string>{"x[1]", "x[2]", "x[3]"}));
  }
}

// The gradient is overwritten, not added to; each way of asking gives the same bits.
TYPED_TEST(RealTest, EveryRequestGivesTheSameBits) {
  using R = TypeParam;
  const Everything<number_of<R>> model{};
  std::vector<R> q, g(14, R(5)), h(14, R(6)), unused(14), scratch(64);
  for (int i = 0; i < 14; ++i) q.push_back(lanes_of<R>([&](int l) { return 0.3 * i - 1.5 - 0.05 * l; }));
  const Strided<R> position{q.data(), 1};
  Strided<R> both{g.data(), 1}, alone{h.data(), 1}, none{unused.data(), 1};
  const Arena<R> arena{Strided<R>{scratch.data(), 1}, 0};
  const Size<dynamic> n(14);
  const R a = evaluate<Request::value_and_gradient, R>(model, n, position, both, arena).value();
  evaluate<Request::gradient, R>(model, n, position, alone, arena);
  const R b = evaluate<Request::value, R>(model, n, position, none, arena).value();
  for (int l = 0; l < R::lanes; ++l) {
    EXPECT_TRUE(std::isfinite(lane(a, l)));
    EXPECT_EQ(lane(a, l), lane(b, l));
    for (std::size_t i = 0; i < 14; ++i) EXPECT_EQ(lane(g[i], l), lane(h[i], l)) << i;
  }
}

}  // namespace
}  // namespace manychain::test
