// Sums, multiples and weights of the log densities of vectors: what they are, written apart, in every Real; and what
// becomes of observations that are one number.
#include "manychain/model/distributions/density_sums.hpp"

#include "manychain/model/distributions/categorical_distributions.hpp"
#include "manychain/model/distributions/count_distributions.hpp"
#include "manychain/model/distributions/functions.hpp"
#include "manychain/model/language/layout_of.hpp"
#include "manychain/model/matrices/linear_algebra.hpp"
#include "manychain/model/matrices/matrix_constraints.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

/// Data of any number type: n numbers, as many weights above zero, as many whole numbers.
template <class T>
struct Rows {
  explicit Rows(int n) {
    for (int i = 0; i < n; ++i) {
      numbers.push_back(static_cast<T>(1.5 * std::sin(2.0 * i) - 0.25));
      weights.push_back(static_cast<T>(0.25 + 0.5 * (i % 3)));
      counts.push_back(1 + i % 4);
    }
  }
  template <class Element>
  static View<const Element> view(const std::vector<Element>& x) {
    return {x.data(), Size<dynamic>(static_cast<int>(x.size()))};
  }
  std::vector<T> numbers, weights;
  std::vector<int> counts;
};

/// `statement` and `apart` are given a target, mu, sigma, a vector of parameters and data: they add the same numbers in
/// the same order, and so have the same bits: compared in a scalar and in a pack, for a body takes a second to compile.
template <class Statement, class Apart>
void expect_same(int n, Statement statement, Apart apart) {
  const auto with = [n](auto body) {
    return [n, body](auto& target) {
      const Rows<number_in<decltype(target)>> data(n);
      auto mu = target.real("mu");
      auto sigma = target.real("sigma", lower(0));
      auto theta = target.vector("theta", 3);
      body(target, mu, sigma, theta, Rows<int>::view(data.numbers), Rows<int>::view(data.weights),
           Rows<int>::view(data.counts));
    };
  };
  const std::vector<double> q = {0.3, -0.4, 0.2, 0.9, -0.7};
  check_in_every_real(q, with(statement), 256);
  const auto compare = [&]<class R>(std::type_identity<R>) {
    const auto at = [&](int i, int l) { return q[static_cast<std::size_t>(i)] + 0.03125 * l; };
    const auto got = run_target<Request::value_and_gradient, R>(5, at, with(statement));
    const auto known = run_target<Request::value_and_gradient, R>(5, at, with(apart));
    EXPECT_EQ(got.value, known.value) << n << " rows";
    EXPECT_EQ(got.gradient, known.gradient) << n << " rows";
  };
  compare(std::type_identity<Scalar<double>>{});
  compare(std::type_identity<Pack<float>>{});
}

// A function of `target, mu, sigma, theta, y, w, k`.
#define BODY(...)                                                                                        \
  [](auto& target, [[maybe_unused]] const auto& mu, [[maybe_unused]] const auto& sigma,                  \
     [[maybe_unused]] const auto& theta, [[maybe_unused]] const auto& y, [[maybe_unused]] const auto& w, \
     [[maybe_unused]] const auto& k) { __VA_ARGS__ }

TEST(DensitySums, AreTheirPartsOneAfterTheOther) {
  for (int n : {1, 8, 21}) {
    expect_same(n, BODY(target += normal(y, mu, sigma) + normal(theta, 0, 1) + normal(mu, 0, 2);),
                BODY(target += normal(y, mu, sigma); target += normal(theta, 0, 1); target += normal(mu, 0, 2);));
    expect_same(
        n, BODY(target += half_normal(sigma, 2) + normal(theta, 0, 1) - (normal(y, mu, sigma) + cauchy(mu, 0, 1));),
        BODY(target += half_normal(sigma, 2); target += normal(theta, 0, 1);
             target.sum_over(y.size(), [&](auto j, auto& term) { term += -normal(y[j], mu, sigma); });
             target += -cauchy(mu, 0, 1);));
  }
}

TEST(DensitySums, MultiplesAreThoseOfEachRow) {
  for (int n : {1, 8, 21}) {
    expect_same(n, BODY(target += 2 * normal(y, mu, sigma);),
                BODY(target.sum_over(y.size(), [&](auto j, auto& term) { term += normal(y[j], mu, sigma) * 2; });));
    expect_same(n, BODY(target += (normal(y, mu, sigma) - 3.0 * normal(mu, 0, 1)) / sigma;),
                BODY(target.sum_over(y.size(), [&](auto j, auto& term) { term += normal(y[j], mu, sigma) / sigma; });
                     target += -(normal(mu, 0, 1) * 3.0 / sigma);));
    expect_same(n, BODY(target += -(inv_logit(mu) * normal(y, mu, sigma));),
                BODY(target.sum_over(
                    y.size(), [&](auto j, auto& term) { term += -(normal(y[j], mu, sigma) * inv_logit(mu)); });));
  }
}

TEST(DensitySums, VectorsAreWeightsOfRows) {
  for (int n : {1, 8, 21}) {
    expect_same(
        n, BODY(target.observe("y", w * normal(y, mu, sigma));),
        BODY(target.observe("y", y.size(), [&](auto j, auto& term) { term += normal(y[j], mu, sigma) * w[j]; });));
    expect_same(
        n, BODY(target += k * (normal(y, mu, sigma) + poisson_log(k, mu) / 2);),
        BODY(target.sum_over(y.size(), [&](auto j, auto& term) { term += normal(y[j], mu, sigma) * k[j]; });
             target.sum_over(y.size(), [&](auto j, auto& term) { term += poisson_log(k[j], mu) / 2 * k[j]; });));
    expect_same(n, BODY(target.observe("y", 0.5 * normal(y, mu, sigma) - normal(w, mu, sigma) / k);),
                BODY(target.observe("y", y.size(), [&](auto j, auto& term) {
                  term += normal(y[j], mu, sigma) * 0.5 + -(normal(w[j], mu, sigma) / k[j]);
                });));
    expect_same(n, BODY(target += exp(0.1 * mu * y) * normal(y, mu, sigma);),
                BODY(target.sum_over(
                    y.size(), [&](auto j, auto& term) { term += normal(y[j], mu, sigma) * exp(0.1 * mu * y[j]); });));
  }
  expect_same(3, BODY(target += theta * normal(theta, mu, sigma);),
              BODY(target.sum_over(theta.size(),
                                   [&](auto j, auto& term) { term += normal(theta[j], mu, sigma) * theta[j]; });));
}

// Sums of rows that are taken one at a time, and in the body of another sum.
TEST(DensitySums, OfRowsOneByOneAndInBodies) {
  for (int n : {1, 8, 21}) {
    expect_same(n, BODY(target.observe("k", w * categorical_logit(k, vector_of(5, [&](int i) { return mu * i; })));),
                BODY(target.observe("k", k.size(), [&](int j, auto& term) {
                  term += categorical_logit(k[j], vector_of(5, [&](int i) { return mu * i; })) * w[j];
                });));
    expect_same(n,
                BODY(target.observe(
                    "y", y.size(),
                    [&](auto j, auto& term) { term += w[j] * normal(theta, y[j], sigma) - normal(theta, 0, w[j]); });),
                BODY(target.observe("y", y.size(), [&](auto j, auto& term) {
                  for (int i = 0; i < 3; ++i) term += normal(theta[i], y[j], sigma) * w[j];
                  for (int i = 0; i < 3; ++i) term += -normal(theta[i], 0, w[j]);
                });));
  }
}

TEST(DensitySums, OfFixedSizes) {
  check_in_every_real(
      {0.1, -0.3, 0.5, 0.2},
      [](auto& target) {
        auto sigma = target.real("sigma", lower(0));
        auto theta = target.vector("theta", Size<3>{});
        const auto sum = 2 * normal(theta, 0, sigma) - cauchy(theta, 1, sigma);
        static_assert(decltype(sum.first.size)::fixed && decltype(sum.second.size)::fixed);
        target += sum;
        target.observe("theta", sum);
      },
      256);
}

/// Two likelihoods with weights, and one of a single number.
template <class Number>
struct Weighted {
  static constexpr bool minibatches = true;
  View<const Number> y, w;
  Number total = Number(2.5);

  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto b = target.vector("b", 2);
    target += normal(mu, 0, 1) + normal(b, 0, 1);
    target.observe("y", w * normal(y, mu, 2));
    target.observe("total", normal(Scalar<Number>(total), 3 * mu, 0.5));
    target.observe("both", y.size(), [&](auto j, auto& term) { term += normal(y[j], b[0], 1) / 2; });
    target.derived("m", matrix_of(3, 2, [&](int i, int j) { return mu * i + b[j]; }));
    target.derived("after", 2 * mu);
  }
};

template <class R>
struct RowsSink {
  std::vector<R>* rows;
  void operator()(int i, R x) const {
    if (rows->size() <= static_cast<std::size_t>(i)) rows->resize(static_cast<std::size_t>(i) + 1, R(0));
    (*rows)[static_cast<std::size_t>(i)] = x;
  }
};

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

double log_normal_density(double x, double mu, double sigma) {
  return -0.5 * (x - mu) * (x - mu) / (sigma * sigma) - std::log(sigma) - 0.5 * std::log(2 * M_PI);
}

TYPED_TEST(RealTest, RowsOfWeightedAndSingleObservations) {
  using R = TypeParam;
  using T = number_of<R>;
  const Rows<T> data(5);
  const Weighted<T> model{Rows<int>::view(data.numbers), Rows<int>::view(data.weights)};
  Registers<R, 3> q, g;
  for (int i = 0; i < 3; ++i) q[i] = lanes_of<R>([i](int l) { return 0.25 * i - 0.125 * l / R::lanes; });
  std::vector<R> rows;
  Target<R, Registers<R, 3>, Registers<R, 3>, Request::pointwise, RowsSink<R>> target(q, g, Arena<R>{}, 0, {&rows});
  model.log_density(target);
  ASSERT_EQ(rows.size(), 11u);
  const double eps = 64 * std::numeric_limits<T>::epsilon();
  for (int l = 0; l < R::lanes; ++l) {
    const double mu = double(lane(q[0], l)), b = double(lane(q[1], l));
    for (std::size_t j = 0; j < 11; ++j) {
      const double known = j < 5    ? data.weights[j] * log_normal_density(data.numbers[j], mu, 2)
                           : j == 5 ? log_normal_density(2.5, 3 * mu, 0.5)
                                    : log_normal_density(data.numbers[j - 6], b, 1) / 2;
      EXPECT_NEAR(double(lane(rows[j], l)), known, eps * (1 + std::fabs(known))) << "row " << j;
    }
  }
}

TYPED_TEST(RealTest, MatricesAreRecordedByRows) {
  using R = TypeParam;
  using T = number_of<R>;
  const Rows<T> data(5);
  const Weighted<T> model{Rows<int>::view(data.numbers), Rows<int>::view(data.weights)};
  Registers<R, 3> q;
  for (int i = 0; i < 3; ++i) q[i] = lanes_of<R>([i](int l) { return 0.25 * i - 0.125 * l / R::lanes; });
  std::vector<R> outputs;
  evaluate_outputs<R>(model, q, Arena<R>{}, 3, RowsSink<R>{&outputs}, Stream<R>(1, Purpose::transition, 0, 0));
  ASSERT_EQ(outputs.size(), 3u + 6u + 1u);
  for (int l = 0; l < R::lanes; ++l) {
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 2; ++j)
        EXPECT_NEAR(double(lane(outputs[static_cast<std::size_t>(3 + 2 * i + j)], l)),
                    i * double(lane(q[0], l)) + double(lane(q[1 + j], l)), 1e-6);
    EXPECT_EQ(lane(outputs[9], l), 2 * lane(q[0], l));
  }
}

TEST(DensitySums, LayoutOfTheModel) {
  const Rows<double> data(40);
  const Layout layout = layout_of(Weighted<double>{Rows<int>::view(data.numbers), Rows<int>::view(data.weights)});
  ASSERT_EQ(layout.observed.size(), 3u);
  EXPECT_EQ(layout.observed[0].shape(), std::vector<std::size_t>{40});
  EXPECT_EQ(layout.observed[1].name, "total");
  EXPECT_EQ(layout.observed[1].shape(), std::vector<std::size_t>{});
  EXPECT_EQ(layout.observed_rows(), 81u);
  EXPECT_EQ(layout.terms, 80u);  // a weighted sum deals its rows, as any
  EXPECT_EQ(layout.outputs, 10u);
  EXPECT_EQ(layout.quantities[2].name, "m");
  EXPECT_EQ(layout.quantities[2].shape, (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(layout.output_names()[6], "m[2,2]");
}

// A minibatch of equal terms is exact, with weights, too; the single number is never drawn from.
TYPED_TEST(RealTest, MinibatchesOfWeightedObservations) {
  using R = TypeParam;
  using T = number_of<R>;
  const std::vector<T> numbers(12, T(0.75)), weights(12, T(0.4));
  const Weighted<T> model{Rows<int>::view(numbers), Rows<int>::view(weights)};
  Registers<R, 3> q, exact, g;
  for (int i = 0; i < 3; ++i) q[i] = lanes_of<R>([i](int l) { return 0.25 * i - 0.125 * l / R::lanes; });
  evaluate<Request::gradient, R>(model, Size<3>{}, q, exact, Arena<R>{});
  for (const int terms : {1, 5}) {
    evaluate_minibatch<R>(model, Size<3>{}, q, g, Arena<R>{}, Stream<R>(7, Purpose::transition, 0, 3), terms);
    for (int i = 0; i < 3; ++i)
      for (int l = 0; l < R::lanes; ++l) {
        const double known = double(lane(exact[i], l));
        EXPECT_NEAR(double(lane(g[i], l)), known, 64 * std::numeric_limits<T>::epsilon() * (1 + std::fabs(known)));
      }
  }
}

/// Terms of every kind of matrix: parameters of a fixed size and of any, a factor, a product, data, states.
template <class Number>
struct Matrices {
  Matrix<const Number> X;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto B = target.matrix("B", Size<2>{}, Size<3>{});
    auto L = target.cholesky_corr("L", Size<2>{});
    auto scale = target.vector("scale", 2, lower(0));
    target.derived("B_again", B);
    target.derived("L_again", L);
    target.derived("scaled", diag_pre_multiply(scale, L));
    target.derived("transposed", transpose(B));
    auto kept = target.let(transpose(B));
    target.derived("kept", kept);
    target.derived("X", X);
    auto path =
        target.scan(4, states(B[0][0], B[0][1]), [](int, const auto& a, const auto& b) { return states(b, a + b); });
    target.derived("path", path);
  }
};

TYPED_TEST(RealTest, MatricesOfAllKindsAreRecorded) {
  using R = TypeParam;
  using T = number_of<R>;
  const std::vector<double> known = {1, 2, 3, 4, 5, 6};
  const std::vector<T> numbers(known.begin(), known.end());
  const Matrices<T> model{Matrix<const T>(numbers.data(), 2, Size<dynamic>(3))};
  const Layout layout = layout_of(Matrices<double>{Matrix<const double>(known.data(), 2, Size<dynamic>(3))});
  std::vector<R> memory(9), scratch(layout.scratch + 1), outputs;
  for (std::size_t i = 0; i < 9; ++i) memory[i] = lanes_of<R>([i](int l) { return 0.25 * double(i) - 0.125 * l; });
  Strided<R> q{memory.data(), 1};
  evaluate_outputs<R>(model, q, Arena<R>{Strided<R>{scratch.data(), 1}, 0},
                      static_cast<int>(layout.parameter_outputs()), RowsSink<R>{&outputs},
                      Stream<R>(1, Purpose::transition, 0, 0));
  const auto of = [&](const std::string& name, int i, int j, int l) {
    for (const Quantity& quantity : layout.quantities)
      if (quantity.name == name)
        return double(lane(
            outputs[quantity.offset + static_cast<std::size_t>(i) * quantity.shape.at(1) + static_cast<std::size_t>(j)],
            l));
    return std::nan("");
  };
  ASSERT_EQ(outputs.size(), 6u + 4u + 2u + 6u + 4u + 4u + 6u + 6u + 6u + 8u);
  for (int l = 0; l < R::lanes; ++l) {
    double before[2] = {of("B", 0, 0, l), of("B", 0, 1, l)};
    for (int t = 0; t < 4; ++t) {
      EXPECT_NEAR(of("path", t, 0, l), before[0], 1e-5);
      EXPECT_NEAR(of("path", t, 1, l), before[1], 1e-5);
      before[0] = std::exchange(before[1], before[0] + before[1]);
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 3; ++j) {
        EXPECT_EQ(of("B_again", i, j, l), of("B", i, j, l));
        EXPECT_EQ(of("transposed", j, i, l), of("B", i, j, l));
        EXPECT_EQ(of("kept", j, i, l), of("B", i, j, l));
        EXPECT_EQ(of("X", i, j, l), 3 * i + j + 1);
      }
      const double scale = double(lane(outputs[10 + static_cast<std::size_t>(i)], l));
      for (int j = 0; j < 2; ++j) {
        EXPECT_EQ(of("L_again", i, j, l), of("L", i, j, l));
        EXPECT_NEAR(of("scaled", i, j, l), scale * of("L", i, j, l), 1e-6 * scale);
      }
    }
  }
}

}  // namespace
}  // namespace manychain::test
