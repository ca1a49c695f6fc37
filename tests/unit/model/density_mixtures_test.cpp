// Mixtures of the log densities of vectors: row by row what a body writes, in every Real; what is recorded of their
// rows; and what does not fit together.
#include "manychain/model/distributions/categorical_distributions.hpp"
#include "manychain/model/distributions/count_distributions.hpp"
#include "manychain/model/distributions/functions.hpp"
#include "manychain/model/distributions/mixtures.hpp"
#include "manychain/model/language/layout_of.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

template <class T>
View<const T> rows_of(const std::vector<T>& x) {
  return {x.data(), Size<dynamic>(static_cast<int>(x.size()))};
}

/// `statement` and `apart` are given a target, theta, mu, sigma and data: they have the same bits.
template <class Statement, class Apart>
void expect_same(Statement statement, Apart apart) {
  for (std::size_t n : {1, 8, 21}) {
    const auto with = [n](auto body) {
      return [n, body](auto& target) {
        using T = number_in<decltype(target)>;
        std::vector<T> y(n), w(n);
        std::vector<int> k(n);
        for (std::size_t i = 0; i < n; ++i) {
          y[i] = static_cast<T>(1.5 * std::sin(2.0 * double(i)) - 0.25);
          w[i] = static_cast<T>(0.25 + 0.25 * double(i % 3));
          k[i] = static_cast<int>(i % 4);
        }
        auto theta = target.real("theta", interval(0, 1));
        auto mu = target.vector("mu", 2);
        auto sigma = target.real("sigma", lower(0));
        body(target, theta, mu, sigma, rows_of(y), rows_of(w), rows_of(k));
      };
    };
    const std::vector<double> q = {0.3, -0.4, 0.9, -0.7};
    check_in_every_real(q, with(statement), 256);
    const auto compare = [&]<class R>(std::type_identity<R>) {
      const auto at = [&](int i, int l) { return q[static_cast<std::size_t>(i)] + 0.03125 * l; };
      const auto got = run_target<Request::value_and_gradient, R>(4, at, with(statement));
      const auto known = run_target<Request::value_and_gradient, R>(4, at, with(apart));
      EXPECT_EQ(got.value, known.value) << n << " rows";
      EXPECT_EQ(got.gradient, known.gradient) << n << " rows";
    };
    compare(std::type_identity<Scalar<double>>{});
    compare(std::type_identity<Pack<float>>{});
  }
}
#define BODY(...)                                                                                        \
  [](auto& target, [[maybe_unused]] const auto& theta, [[maybe_unused]] const auto& mu,                  \
     [[maybe_unused]] const auto& sigma, [[maybe_unused]] const auto& y, [[maybe_unused]] const auto& w, \
     [[maybe_unused]] const auto& k) { __VA_ARGS__ }

TEST(DensityMixtures, AreThoseOfEachRow) {
  expect_same(BODY(target.observe("y", log_mix(theta, normal(y, mu[0], sigma), normal(y, mu[1], sigma)));),
              BODY(target.observe("y", y.size(), [&](auto j, auto& term) {
                term += log_mix(theta, normal(y[j], mu[0], sigma), normal(y[j], mu[1], sigma));
              });));
  expect_same(
      BODY(target.observe("y", log_sum_exp(log(theta) + normal(y, mu[0], sigma), normal(y, mu[1], 2) + log1m(theta)));),
      BODY(target.observe("y", y.size(), [&](auto j, auto& term) {
        term += log_sum_exp(log(theta) + normal(y[j], mu[0], sigma), normal(y[j], mu[1], 2) + log1m(theta));
      });));
}
TEST(DensityMixtures, OfWeightsThatDifferAndOfOtherParts) {
  // A weight of each row, and outliers of a density that is the same everywhere.
  expect_same(BODY(target.observe("y", log_mix(w, normal(y, mu[0], sigma), -3.0));),
              BODY(target.observe("y", y.size(), [&](auto j, auto& term) {
                term += log_mix(w[j], normal(y[j], mu[0], sigma), -3.0);
              });));
  // Within another and with weights.
  expect_same(BODY(target.observe("y", w * log_mix(inv_logit(mu[0]), normal(y, mu[0], sigma),
                                                   log_mix(theta, cauchy(y, 0, sigma), 2 * normal(y, mu[1], 1))));),
              BODY(target.observe("y", y.size(), [&](auto j, auto& term) {
                term += log_mix(inv_logit(mu[0]), normal(y[j], mu[0], sigma),
                                log_mix(theta, cauchy(y[j], 0, sigma), normal(y[j], mu[1], 1) * 2)) *
                        w[j];
              });));
  // Counts; and rows that are taken one at a time.
  expect_same(BODY(target.observe("k", log_mix(theta, poisson(k, sigma), neg_binomial_2(k, sigma, 1.5)));),
              BODY(target.observe("k", k.size(), [&](auto j, auto& term) {
                term += log_mix(theta, poisson(k[j], sigma), neg_binomial_2(k[j], sigma, 1.5));
              });));
  expect_same(
      BODY(target.observe("k", log_mix(theta, categorical_logit(k, vector_of(4, [&](int i) { return mu[0] * i; })),
                                       poisson(k, sigma)));),
      BODY(target.observe("k", k.size(), [&](int j, auto& term) {
        term += log_mix(theta, categorical_logit(k[j], vector_of(4, [&](int i) { return mu[0] * i; })),
                        poisson(k[j], sigma));
      });));
}
// A weight that is a literal, of a term and of rows: the compiler may know its logarithm, and the last bits differ.
TEST(DensityMixtures, OfALiteralWeight) {
  const auto value = [](bool rows) {
    return run_target<Request::value, Scalar<double>>(
        2, [](int i, int) { return 0.5 * i; },
        [rows](auto& target) {
          static const std::vector<double> y = {0.5, -1, 2};
          auto mu = target.vector("mu", 2);
          if (rows)
            target.observe("y", log_mix(0.25, normal(rows_of(y), mu[0], 1), normal(rows_of(y), mu[1], 2)));
          else
            for (double x : y) target += log_mix(0.25, normal(x, mu[0], 1), normal(x, mu[1], 2));
        });
  };
  double known = 0;
  for (double x : {0.5, -1.0, 2.0})
    known += std::log((0.25 * std::exp(-0.5 * x * x) + 0.375 * std::exp(-0.125 * (x - 0.5) * (x - 0.5))) /
                      std::sqrt(2 * pi));
  EXPECT_NEAR(value(true).value[0], known, 1e-13);
  EXPECT_NEAR(value(false).value[0], known, 1e-13);
}
/// Rows are observations: counted, drawn for minibatches, recorded.
template <class Number>
struct TwoGroups {
  static constexpr bool minibatches = true;
  View<const Number> y;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto theta = target.real("theta", interval(0, 1));
    auto mu = target.vector("mu", 2);
    target.observe("y", log_mix(theta, normal(y, mu[0], 1), normal(y, mu[1], 1)));
  }
};
TEST(DensityMixtures, LayoutAndMinibatches) {
  const std::vector<double> y(40, 0.75);
  const TwoGroups<double> model{rows_of(y)};
  const Layout layout = layout_of(model);
  ASSERT_EQ(layout.observed.size(), 1u);
  EXPECT_EQ(layout.observed[0].shape(), std::vector<std::size_t>{40});
  EXPECT_EQ(layout.terms, 40u);
  using R = Pack<double>;
  Registers<R, 3> q, exact, g;
  for (int i = 0; i < 3; ++i) q[i] = lanes_of<R>([i](int l) { return 0.25 * i - 0.125 * l / R::lanes; });
  evaluate<Request::gradient, R>(model, Size<3>{}, q, exact, Arena<R>{});
  evaluate_minibatch<R>(model, Size<3>{}, q, g, Arena<R>{}, Stream<R>(7, Purpose::transition, 0, 3), 5);
  for (int i = 0; i < 3; ++i)
    for (int l = 0; l < R::lanes; ++l) EXPECT_NEAR(lane(g[i], l), lane(exact[i], l), 1e-12);
}

}  // namespace
}  // namespace manychain::test
