// Stochastic gradients: unbiased, exact where all terms are equal, and the prior is never subsampled.
#include "manychain/model/language/evaluate.hpp"

#include "manychain/random/philox_pack.hpp"
#include "unit/core/reals.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

constexpr double largest_z = 6.22;  // false alarm 5.0e-10

/// A regression with two kinds of observations, of a matrix row and of a vector.
template <class Number>
struct Regression {
  static constexpr bool minibatches = true;
  View<Number> y, z;
  Matrix<Number, 2> x;

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto beta = target.vector("beta", Size<2>{});
    auto log_sd = target.real("log_sd");
    target += normal(beta, 0.5, 2);
    target += normal(log_sd, 0, 1);
    auto sd = let(exp(log_sd));
    target.observe("y", y.size(), [&](auto j, auto& term) {
      const auto row = x[j];
      term += normal(y[j], beta[0] * row[0] + beta[1] * row[1], sd);
    });
    target.observe("z", z.size(), [&](auto j, auto& term) { term += normal(z[j], beta[1], 3); });
  }
};

template <class Number>
struct Memory {
  std::vector<Number> y, z, x;
  Memory(int rows, bool equal) {
    for (int j = 0; j < rows; ++j) {
      const int k = equal ? 1 : j;
      x.push_back(static_cast<Number>(0.5 + 0.25 * k));
      x.push_back(static_cast<Number>(1 - 0.5 * (k % 3)));
      y.push_back(static_cast<Number>(0.75 * k - 1.5 * (k % 4)));
      if (j % 2 == 0) z.push_back(static_cast<Number>(equal ? 0.5 : 0.25 * j));
    }
  }
  Regression<Number> model() const {
    return {{y.data(), static_cast<int>(y.size())},
            {z.data(), static_cast<int>(z.size())},
            {x.data(), static_cast<int>(y.size()), {}}};
  }
};

template <class R>
using Three = Registers<R, 3>;

template <class R>
Three<R> point() {
  Three<R> q;
  for (int i = 0; i < 3; ++i) q[i] = lanes_of<R>([=](int l) { return 0.25 * i - 0.125 * l / R::lanes; });
  return q;
}
template <class R>
Three<R> full(const Regression<number_of<R>>& model) {
  Three<R> g;
  evaluate<Request::gradient, R>(model, Size<3>{}, point<R>(), g, Arena<R>{});
  return g;
}
template <class R>
Three<R> estimate(const Regression<number_of<R>>& model, int terms, std::uint64_t chain, std::uint64_t transition) {
  Three<R> g;
  const Stream<R> stream(7, Purpose::transition, chain, transition);
  evaluate_minibatch<R>(model, Size<3>{}, point<R>(), g, Arena<R>{}, stream, terms);
  return g;
}

TYPED_TEST(RealTest, MinibatchGradientsAreUnbiased) {
  using R = TypeParam;
  const Memory<number_of<R>> memory(11, false);
  const auto model = memory.model();
  const Three<R> exact = full<R>(model);
  for (const int terms : {1, 4, 6}) {
    const int n = 4000;
    std::vector<double> sum(3 * R::lanes), square(3 * R::lanes);
    for (int t = 0; t < n; ++t) {
      const Three<R> g = estimate<R>(model, terms, 64, static_cast<std::uint64_t>(t));
      for (int i = 0; i < 3; ++i)
        for (int l = 0; l < R::lanes; ++l) {
          const double error = double(lane(g[i], l)) - double(lane(exact[i], l));
          sum[static_cast<std::size_t>(i * R::lanes + l)] += error;
          square[static_cast<std::size_t>(i * R::lanes + l)] += error * error;
        }
    }
    for (std::size_t k = 0; k < sum.size(); ++k) {
      const double variance = (square[k] - sum[k] * sum[k] / n) / (n - 1);
      EXPECT_GT(variance, 0);  // an estimate, each chain its own
      EXPECT_LT(std::fabs(sum[k]) / std::sqrt(n * variance), largest_z) << terms << " terms";
    }
  }
}

TYPED_TEST(RealTest, MinibatchGradientsOfEqualTermsAreExact) {
  using R = TypeParam;
  const Memory<number_of<R>> memory(12, true);
  const auto model = memory.model();
  const Three<R> exact = full<R>(model);
  for (const int terms : {1, 3, 4, 5, 40}) {
    const Three<R> g = estimate<R>(model, terms, 0, 3);
    for (int i = 0; i < 3; ++i)
      for (int l = 0; l < R::lanes; ++l) {
        const double e = double(lane(exact[i], l));
        EXPECT_NEAR(double(lane(g[i], l)), e, 64 * std::numeric_limits<number_of<R>>::epsilon() * (1 + std::fabs(e)));
      }
  }
}

TYPED_TEST(RealTest, ThePriorIsNotSubsampled) {
  using R = TypeParam;
  const Memory<number_of<R>> memory(0, true);
  const auto model = memory.model();
  const Three<R> exact = full<R>(model), g = estimate<R>(model, 5, 0, 0), q = point<R>();
  for (int l = 0; l < R::lanes; ++l) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(lane(g[i], l), lane(exact[i], l));
    EXPECT_NEAR(double(lane(g[0], l)), (0.5 - double(lane(q[0], l))) / 4, 1e-6);
    EXPECT_NEAR(double(lane(g[2], l)), -double(lane(q[2], l)), 1e-6);
  }
}

// A chain's terms do not depend on its neighbours, and two chains take different ones.
TYPED_TEST(RealTest, MinibatchesBelongToChains) {
  using R = TypeParam;
  using S = Scalar<number_of<R>>;
  const Memory<number_of<R>> memory(50, false);
  const auto model = memory.model();
  const Three<R> g = estimate<R>(model, 3, 128, 5);
  for (int l = 0; l < R::lanes; ++l) {
    Three<S> q, alone;
    for (int i = 0; i < 3; ++i) q[i] = S(lane(point<R>()[i], l));
    const Stream<S> stream(7, Purpose::transition, 128 + static_cast<std::uint64_t>(l), 5);
    evaluate_minibatch<S>(model, Size<3>{}, q, alone, Arena<S>{}, stream, 3);
    for (int i = 0; i < 3; ++i) {
      const double e = double(alone[i].v);
      EXPECT_NEAR(double(lane(g[i], l)), e, 64 * std::numeric_limits<number_of<R>>::epsilon() * (1 + std::fabs(e)));
    }
  }
  EXPECT_NE(lane(g[0], 0), lane(estimate<R>(model, 3, 192, 5)[0], 0));
}

}  // namespace
}  // namespace manychain::test
