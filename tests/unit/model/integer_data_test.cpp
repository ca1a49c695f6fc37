// Whole numbers of the data select elements, decide branches and count: in every Real, with one row at a time, with
// several, and in minibatches.
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

/// Groups repeat within the rows that are taken at once, and not in order.
template <class Number>
struct Whole {
  static constexpr int rows = 21, groups = 5;
  Size<> n = rows, J = groups;
  View<const Number> y, of_group;
  View<const int> group, count, parent;
  Matrix<const Number> U;
  Matrix<const int> W;
  std::vector<Number> y_, of_group_, U_;
  std::vector<int> group_, count_, parent_, W_;

  Whole() {
    for (int j = 0; j < rows; ++j) {
      y_.push_back(Number(std::sin(1.0 + j)));
      group_.push_back((j * j + j / 8) % groups + 1);
      count_.push_back(1 + j % 4);
      W_.push_back(j % 3);
      W_.push_back(2 - j % 2);
    }
    for (int g = 0; g < groups; ++g) {
      of_group_.push_back(Number(0.5 * g - 1));
      parent_.push_back((2 * g + 1) % groups);
      for (int c = 0; c < 2; ++c) U_.push_back(Number(std::cos(0.7 * g + c)));
    }
    y = {y_.data(), n};
    of_group = {of_group_.data(), J};
    group = {group_.data(), n};
    count = {count_.data(), n};
    parent = {parent_.data(), J};
    U = {U_.data(), groups, Size<>(2)};
    W = {W_.data(), rows, Size<>(2)};
  }
};

/// Statements to be evaluated with an opaque index and with an int.
template <class Number, class Index>
struct Statements : Whole<Number> {
  using Whole<Number>::n, Whole<Number>::J, Whole<Number>::y, Whole<Number>::of_group, Whole<Number>::group,
      Whole<Number>::count, Whole<Number>::parent, Whole<Number>::U, Whole<Number>::W;

  template <class Target>
  void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto sigma = target.real("sigma", lower(0));
    auto alpha = target.vector("alpha", J);
    auto beta = target.vector("beta", Size<2>{});
    auto tau = target.vector("tau", J, lower(0));
    const auto body = [&](auto j, auto& term) {
      using std::abs;  // of an int
      term += normal(y[j], alpha[group[j] - 1] + of_group[group[j] - 1] * mu, tau[group[j] - 1]);
      term += poisson_log(count[j], alpha[parent[group[j] - 1]]) + normal(y[j], dot(U[group[j] - 1], beta), sigma);
      term += 0.1 * count[j] * mu - mu / count[j] + (count[j] - 0.5) * sigma - count[j] / sigma;
      term += select(count[j] > 2, mu * sigma, 2 * alpha[group[j] % 5]) - square(alpha[7 * group[j] / 8]);
      term += select(count[j] != 2, mu, sigma) + select(y[j] != 0 && value(mu) != 0, sigma * mu, mu);
      term += mu * manychain::select(count[j] > 2, 1.0, 0.0) + sigma * manychain::select(value(mu) > 0, 1, 0);
      term += mu * manychain::select(y[j] > 0, y[j], 0.5) + sigma * manychain::select(value(mu) > 0, 1, of_group[0]);
      term += binomial_logit(count[j], 4, mu) + poisson_log(count[j], 0.5) + normal(y[j] - count[j], mu, sigma);
      term += normal(count[j], alpha, sigma);
      term += dot(W[j], beta) * 0.5 - W[j][1] * mu + sigma * (abs(count[j] - 4) / 2);
      auto scale = let(exp(0.1 * alpha[group[j] - 1]) * sigma);
      term += normal(mu, -count[j], scale);
    };
    if constexpr (std::is_same_v<Index, int>)
      target.observe("y", n, [&](int j, auto& term) { body(j, term); });
    else
      target.observe("y", n, body);
    target += poisson_log(count, mu);
  }
};

template <class R>
struct IntegerData : RealTest<R> {};
TYPED_TEST_SUITE(IntegerData, TestedReals, RealName);

constexpr int dimension = 2 + 5 + 2 + 5;
std::vector<double> point() {
  std::vector<double> q;
  for (int i = 0; i < dimension; ++i) q.push_back(double(float(0.6 * std::sin(2.0 * i + 1))));
  return q;
}

TYPED_TEST(IntegerData, SelectElementsInAllRowsAtOnce) {
  using R = TypeParam;
  const Statements<number_of<R>, void> at_once;
  const Statements<double, void> exact;
  const Statements<double, int> one_by_one;
  const auto density = [&]<class Target>(Target& target) {
    if constexpr (std::is_same_v<number_of<typename Target::real_type>, double>)
      exact.log_density(target);
    else
      at_once.log_density(target);
  };
  check_lanes<R>(point(), density, 3000);  // some 300 terms of order one
  check_gradient_of(point(), density, 1e-6);
  const auto at = [](int i, int) { return point()[std::size_t(i)]; };
  const auto a = run_target<Request::value_and_gradient, Scalar<double>>(dimension, at, density);
  const auto b = run_target<Request::value_and_gradient, Scalar<double>>(
      dimension, at, [&](auto& target) { one_by_one.log_density(target); });
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.gradient, b.gradient);
}

/// A body with an int takes one row at a time, and may do with its data what it likes.
template <class Number>
struct Branches : Whole<Number> {
  using Whole<Number>::n, Whole<Number>::J, Whole<Number>::y, Whole<Number>::group, Whole<Number>::count;
  template <class Target>
  void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto sigma = target.real("sigma", lower(0));
    auto alpha = target.vector("alpha", J);
    target.observe("y", n, [&](int j, auto& term) {
      if (y[j] > 0)
        term += normal(y[j], mu, sigma);
      else
        term += -exp(mu) * y[j];
      for (int k = 0; k < count[j]; ++k) term += normal(alpha[(group[j] + k) % 5], mu, 1 + count[j]);
    });
  }
};

TYPED_TEST(IntegerData, DecideBranchesWhereABodyTakesAnInt) {
  using R = TypeParam;
  const Branches<number_of<R>> model;
  const Branches<double> exact;
  const auto density = [&]<class Target>(Target& target) {
    if constexpr (std::is_same_v<number_of<typename Target::real_type>, double>)
      exact.log_density(target);
    else
      model.log_density(target);
  };
  const std::vector<double> all = point(), q(all.begin(), all.begin() + 7);
  check_lanes<R>(q, density, 1000);
  check_gradient_of(q, density, 1e-6);
}

/// In a minibatch they select other data, and count.
template <class Number>
struct Sampled : Whole<Number> {
  using Whole<Number>::n, Whole<Number>::y, Whole<Number>::of_group, Whole<Number>::group, Whole<Number>::count,
      Whole<Number>::parent;
  template <class Target>
  void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto sigma = target.real("sigma", lower(0));
    target.observe("y", n, [&](auto j, auto& term) {
      term += normal(y[j], of_group[parent[group[j] - 1]] + count[j] / 2 * mu, sigma);
      term += poisson_log(count[j], mu * of_group[group[j] % 5]) + select(count[j] > 2, mu, 2 * sigma);
      term += (0.5 * count[j] - 1) * mu + select(count[j] != 2, mu, 3 * sigma);
      term += mu * manychain::select(count[j] > 2, 1.0, 0.0) + sigma * manychain::select(count[j] > 2, count[j], 1);
      term += mu * manychain::select(y[j] > 0, y[j], 0.5) - sigma * manychain::select(value(mu) > 0, 1, count[j]);
    });
  }
};

TYPED_TEST(IntegerData, InMinibatches) {
  using R = TypeParam;
  using S = Scalar<number_of<R>>;
  const Sampled<number_of<R>> model;
  const auto gradient = [&]<class Real>(std::uint64_t chain, std::type_identity<Real>) {
    Real q_[2] = {Real(0.25), Real(-0.5)}, g_[2];
    const Strided<Real> q{q_, 1};
    Strided<Real> g{g_, 1};
    const Stream<Real> stream(5, Purpose::transition, chain, 7);
    evaluate_minibatch<Real>(model, Size<2>{}, q, g, Arena<Real>{}, stream, 9);
    return std::vector<Real>{g_[0], g_[1]};
  };
  const std::vector<R> together = gradient(48, std::type_identity<R>{});
  bool differ = false;
  for (int l = 0; l < R::lanes; ++l) {
    const std::vector<S> alone = gradient(48 + std::uint64_t(l), std::type_identity<S>{});
    for (std::size_t i = 0; i < 2; ++i) {
      const double expected = double(lane(alone[i], 0));
      EXPECT_NEAR(double(lane(together[i], l)), expected,
                  200 * std::numeric_limits<number_of<R>>::epsilon() * (10 + std::fabs(expected)));
      differ = differ || lane(together[i], l) != lane(together[i], 0);
    }
  }
  EXPECT_EQ(differ, R::lanes > 1);  // each chain has rows of its own
}

/// The outputs recorded of each draw, element by element.
template <class R>
struct Recorded {
  std::vector<R>* outputs;
  void operator()(int i, R x) const {
    outputs->resize(std::max(outputs->size(), std::size_t(i) + 1), R(-1));
    (*outputs)[std::size_t(i)] = x;
  }
};

TYPED_TEST(IntegerData, MakeIndicatorsThatAreRecorded) {
  using R = TypeParam;
  const Whole<number_of<R>> data;
  R q_[1] = {lanes_of<R>([](int l) { return 0.5 - l; })}, g_[1];
  const Strided<R> q{q_, 1};
  Strided<R> g{g_, 1};
  std::vector<R> outputs;
  Target<R, Strided<R>, Strided<R>, Request::outputs, Recorded<R>> target(q, g, Arena<R>{}, 1, Recorded<R>{&outputs});
  auto mu = target.real("mu");
  target.derived("positive", manychain::select(value(mu) > 0, 1, 0));
  target.derived("big", data.n, [&](auto j) { return manychain::select(data.count[j] != 2, 1.0, 0.0); });
  ASSERT_EQ(outputs.size(), 2u + data.rows);
  for (int l = 0; l < R::lanes; ++l) {
    EXPECT_EQ(lane(outputs[1], l), l == 0);
    for (int j = 0; j < data.rows; ++j)
      EXPECT_EQ(lane(outputs[std::size_t(2 + j)], l), data.count_[std::size_t(j)] != 2);
  }
}

// Which row a minibatch takes is random; all of them, each with its weight, are the full gradient.
TEST(IntegerDataOfMinibatches, AverageToTheFullGradient) {
  using R = Scalar<double>;
  const Sampled<double> model;
  R q_[2] = {R(0.25), R(-0.5)}, full_[2], g_[2];
  const Strided<R> q{q_, 1};
  Strided<R> full{full_, 1}, g{g_, 1};
  evaluate<Request::gradient, R>(model, Size<2>{}, q, full, Arena<R>{});
  // The term that has no data: the Jacobian of sigma, in both.
  double sum[2] = {0, 0}, squares[2] = {0, 0};
  constexpr int batches = 20000;
  for (int k = 0; k < batches; ++k) {
    const Stream<R> stream(11, Purpose::transition, std::uint64_t(k), 0);
    evaluate_minibatch<R>(model, Size<2>{}, q, g, Arena<R>{}, stream, 8);
    for (int i = 0; i < 2; ++i) {
      sum[i] += g_[i].v;
      squares[i] += g_[i].v * g_[i].v;
    }
  }
  for (int i = 0; i < 2; ++i) {
    const double mean = sum[i] / batches, sd = std::sqrt(squares[i] / batches - mean * mean);
    // |z| < 4.5: a false alarm in 70 000 runs; an error of 3 % of the standard deviation of one batch is seen.
    EXPECT_LT(std::fabs(mean - full_[i].v), 4.5 * sd / std::sqrt(double(batches))) << "component " << i;
  }
}

}  // namespace
}  // namespace manychain::test
