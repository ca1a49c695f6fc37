// Densities whose location and scale are the offset and the multiplier of their variate (model/own_scale.hpp): against
// the density of the constrained value in extended precision, and in closed form where that has no digits left.
#include "manychain/model/autodiff/own_scale.hpp"

#include "manychain/model/distributions/continuous_distributions.hpp"
#include "unit/model/evaluation.hpp"

namespace manychain::test {
namespace {

/// Hands the variate on as it is: densities see what it was declared with.
struct Seen {
  template <class X>
  auto operator()(const X& x) const {
    return as_node(x);
  }
};
/// A product with one hides it.
struct Hidden {
  template <class X>
  auto operator()(const X& x) const {
    return 1.0 * as_node(x);
  }
};

const std::vector<int> chosen = {1, 0, 2, 1, 1, 2, 0, 2, 1, 1, 2, 2, 1, 0, 0, 1, 2, 0, 1};

/// mu, log(tau), nu, three elements of every kind: a fixed size, a size of the data, a matrix; a scalar. In statements,
/// in elements of vectors, several rows at once, elements that data select, with weights.
template <class Variate>
struct EveryWay {
  Variate variate;
  static constexpr int dimension = 15;
  template <class Target>
  void operator()(Target& target) const {
    auto mu = target.real("mu");
    auto tau = target.real("tau", lower(0));
    auto nu = target.real("nu", lower(0));
    auto fixed = target.vector("fixed", Size<3>{}, offset_multiplier(mu, tau));
    auto sized = target.vector("sized", 3, offset_multiplier(mu, tau));
    auto table = target.matrix("table", 1, 2, offset_multiplier(2.0 * square(mu) + 1, tau));
    auto one = target.real("one", offset_multiplier(0.1, tau));
    auto width = let(exp(0.5 * mu));
    auto two = target.vector("two", Size<2>{}, offset_multiplier(one, width));
    auto last = target.real("last", offset_multiplier(-1, 2));
    const auto each = [this](const auto& v) {
      return vector_of(v.size(), [v = v.view(), this](const auto& i) { return variate(v[i]); });
    };
    target += normal(each(fixed), mu, tau);
    target += 0.5 * student_t(each(sized), nu, mu, tau);
    target += cauchy(variate(table[0][1]), 2.0 * square(mu) + 1, tau) + gumbel(variate(fixed[0]), mu, tau);
    target += logistic(variate(one), 0.1, tau) + double_exponential(variate(two[1]), one, width);
    const View<const int> index(chosen.data(), Size<>(19));
    target.sum_over(19, [&](auto j, auto& term) {
      term += 0.1 * normal(variate(sized[index[j]]), mu, tau) - 0.01 * square(sized[index[j]]);
    });
    target.sum_over(3, [&](int j, auto& term) { term += lognormal(exp(variate(sized[j])), mu, tau); });
    target.sum_over(2, [&](auto j, auto& term) { term += student_t(variate(two[j]), 4, one, width); });
    target += normal(exp(0.1 * two), 1, 2) + normal(variate(last), -1, 2) + normal(table, 0.3, 2);
    target += normal(variate(fixed[1]), mu, 2) + normal(variate(fixed[2]), 0, tau);  // only one of both is its own
    target += normal_variance(variate(sized[2]), mu, square(tau)) + normal_variance(variate(one), 0.1, tau);
    target += select(value(mu) > 0, normal(variate(fixed[0]), mu, tau), logistic(variate(fixed[1]), mu, tau));
  }
};
const std::vector<double> everywhere = {0.4, -0.3, 1.1,  0.7,  -1.2, 0.1, 1.4, -0.2,
                                        0.3, 0.9,  -0.5, -0.8, 0.6,  1.7, -0.1};

/// Value and gradient in R, of the variate as it is, against extended precision with the variate hidden.
template <class R>
void expect_the_same_density() {
  using Exact = Scalar<long double>;
  constexpr int n = EveryWay<Seen>::dimension;
  const auto at = [](int i, int l) {
    return static_cast<double>(static_cast<number_of<R>>(everywhere[static_cast<std::size_t>(i)] - 0.09375 * l));
  };
  const auto got = run_target<Request::value_and_gradient, R>(n, at, EveryWay<Seen>{});
  const auto value = run_target<Request::value, R>(n, at, EveryWay<Seen>{});
  const auto alone = run_target<Request::gradient, R>(n, at, EveryWay<Seen>{});
  const double tolerance = 256 * std::numeric_limits<number_of<R>>::epsilon();
  for (int l = 0; l < R::lanes; ++l) {
    const auto k = static_cast<std::size_t>(l);
    const auto exact = run_target<Request::value_and_gradient, Exact>(
        n, [&](int i, int) { return at(i, l); }, EveryWay<Hidden>{});
    const auto right = static_cast<double>(exact.value[0]);
    EXPECT_NEAR(got.value[k], right, tolerance * (1 + std::fabs(right))) << "lane " << l;
    EXPECT_EQ(value.value[k], got.value[k]);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      const auto slope = static_cast<double>(exact.gradient[i][0]);
      EXPECT_NEAR(got.gradient[i][k], slope, tolerance * (1 + std::fabs(slope))) << "component " << i << ", lane " << l;
      EXPECT_EQ(alone.gradient[i][k], got.gradient[i][k]);
    }
  }
}
TEST(OwnScale, IsTheSameDensity) {
  expect_the_same_density<Scalar<double>>();
  expect_the_same_density<Pack<float>>();
}

/// log f(exp(x)) + x of a lognormal density f: the density of x, for an element or for each of a vector.
template <class X, class M, class S>
auto exp_lognormal(const X& x, const M& m, const S& s) {
  if constexpr (ModelVector<X>)
    return lognormal(exp(x), m, s) - exponential(x, 1);  // log exponential(x, 1) is -x
  else
    return lognormal(exp(x), m, s) + x;
}

/// A density f(x, location, scale) of 19 elements, log f(u, 0, 1) and its derivative.
template <class Density>
void expect_closed_form(Density density, double log_density, double slope, double u) {
  for (const double log_tau : {-28.0, -80.0}) {  // 6.9e-13; 1.8e-35, near the end of single precision
    const auto check = [&](auto zero, bool in_rows) {
      using R = decltype(zero);
      const auto got = run_target<Request::value_and_gradient, R>(
          21, [&](int i, int) { return i == 0   ? 3.0
                                       : i == 1 ? log_tau
                                                : u; },
          [&](auto& target) {
            auto mu = target.real("mu");
            auto tau = target.real("tau", lower(0));
            auto x = target.vector("x", 19, offset_multiplier(mu, tau));
            if (in_rows)
              target.observe("x", 19, [&](auto j, auto& term) { term += density(x[j], mu, tau); });
            else
              target += density(x, mu, tau);
          });
      const double eps = 4 * std::numeric_limits<number_of<R>>::epsilon();
      // log(tau) of Jacobian and density: 19 and once 19, each rounded.
      EXPECT_NEAR(got.value[0], 19 * log_density + log_tau, 19 * eps * std::fabs(log_tau));
      EXPECT_EQ(got.gradient[0][0], 0) << "the offset has no part in it";
      EXPECT_EQ(got.gradient[1][0], 1) << "but for the Jacobian of lower(0)";
      for (std::size_t i = 2; i < 21; ++i)
        EXPECT_NEAR(got.gradient[i][0], slope, 4 * eps * std::fabs(slope)) << "component " << i;
    };
    check(Scalar<double>(0.0), false);
    check(Pack<float>(0.0f), true);
  }
}

// (mu + tau u - mu) / tau has not a digit there: single precision ends at 3e-7, double at 7e-16.
TEST(OwnScale, HoldsWhereTheScaleVanishes) {
  const double u = 0.75, e = std::exp(-u), pi_ = std::acos(-1.0), t = std::tanh(u / 2);
  expect_closed_form([](const auto& x, const auto& m, const auto& s) { return normal(x, m, s); },
                     -0.5 * u * u - 0.5 * std::log(2 * pi_), -u, u);
  expect_closed_form([](const auto& x, const auto& m, const auto& s) { return student_t(x, 3, m, s); },
                     std::lgamma(2) - std::lgamma(1.5) - 0.5 * std::log(3 * pi_) - 2 * std::log1p(u * u / 3),
                     -4 * u / (3 + u * u), u);
  expect_closed_form([](const auto& x, const auto& m, const auto& s) { return cauchy(x, m, s); },
                     -std::log(pi_) - std::log1p(u * u), -2 * u / (1 + u * u), u);
  expect_closed_form([](const auto& x, const auto& m, const auto& s) { return logistic(x, m, s); },
                     -u - 2 * std::log1p(e), -t, u);
  expect_closed_form([](const auto& x, const auto& m, const auto& s) { return double_exponential(x, m, s); },
                     -u - std::log(2.0), -1, u);
  expect_closed_form([](const auto& x, const auto& m, const auto& s) { return gumbel(x, m, s); }, -(u + e), e - 1, u);
  expect_closed_form([](const auto& x, const auto& m, const auto& s) { return normal_variance(x, m, square(s)); },
                     -0.5 * u * u - 0.5 * std::log(2 * pi_), -u, u);
  // The density of exp(x) has a factor 1 / exp(x): taken back, so that mu and tau have no part in it either.
  expect_closed_form([](const auto& x, const auto& m, const auto& s) { return exp_lognormal(x, m, s); },
                     -0.5 * u * u - 0.5 * std::log(2 * pi_), -u, u);
}

}  // namespace
}  // namespace manychain::test
