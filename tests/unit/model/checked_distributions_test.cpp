// The distributions of the other headers where data are bound: every one in the number type of the checks, categories
// that are none, sizes that differ. This unit is compiled as the generated one that checks.
#define MANYCHAIN_CHECKED
#include <gtest/gtest.h>

#include "manychain/chain/check_model.hpp"
#include "manychain/model.hpp"

namespace manychain::test {
namespace {

Data example(std::vector<double> categories) {
  Data data;
  data.set("N", static_cast<int>(categories.size()));
  data.set("y", categories);
  return data;
}

/// Kind 0: categorical, 1: categorical_logit, 2: ordered_logistic with three cutpoints.
template <class Number, int Kind>
struct Categories {
  Size<> N;
  View<const int> y;
  void data(DataReader& in) {
    in("N", N);
    in("y", y, N, integer(0));
  }
  template <class Target>
  void log_density(Target& target) const {
    auto theta = target.simplex("theta", 4);
    auto eta = target.vector("eta", 4);
    auto c = target.ordered("c", 3);
    target.observe("y", N, [&](auto j, auto& term) {
      if constexpr (Kind == 0) term += categorical(y[j] - 1, theta);
      if constexpr (Kind == 1) term += categorical_logit(y[j] - 1, eta);
      if constexpr (Kind == 2) term += ordered_logistic(y[j] - 1, eta[0], c);
    });
    target += dirichlet(theta, 2);
  }
};

template <class Number>
struct Draws {
  template <class Target>
  void log_density(Target& target) const {
    auto x = target.real("x", lower(0));
    auto theta = target.simplex("theta", 4);
    auto c = target.ordered("c", 3);
    target.predict("a", poisson_distribution(x * 50));
    target.predict("b", poisson_distribution(x));
    target.predict("c1", binomial_distribution(100, theta[0]));
    target.predict("d", binomial_distribution(5, theta[1]));
    target.predict("e", neg_binomial_2_distribution(3, x));
    target.predict("f", beta_binomial_distribution(3, x, 2));
    target.predict("g", geometric_distribution(theta[2]));
    target.predict("h", von_mises_distribution(0, x));
    target.predict("i", skew_normal_distribution(0, x, 2));
    target.predict("j", student_t_distribution(4, 0, x));
    target.predict("k", gumbel_distribution(0, x));
    target.predict("l", ordered_logistic_distribution(x, c));
    target.predict("m", categorical_distribution(theta));
    target.predict("n", 2, [&](int j) { return weibull_distribution(2, theta[j]); });
  }
};

/// Draws of vectors and matrices, and log CDFs with a shape. Kind 1: a mean of another size than its matrix.
template <class Number, int Kind>
struct Vectors {
  template <class Target>
  void log_density(Target& target) const {
    auto x = target.real("x", lower(0));
    auto mu = target.vector("mu", Kind == 1 ? 3 : 2);
    auto beta = target.vector("beta", 2);
    auto L = target.cholesky_corr("L", 2);
    auto S = target.cov_matrix("S", 2);
    auto X = matrix_of(3, 2, [](int i, int j) { return Scalar<Number>(i + j); });
    auto B = matrix_of(2, 3, [&](int i, int j) { return beta[i] * (j + 1.0); });
    target += gamma_lcdf(x, x, 2) + inverse_gamma_lccdf(x, 2, x) + chi_square_lcdf(x, 3) + student_t_lccdf(x, 3, 0, x);
    target += beta_lcdf(inv_logit(x), x, 2);
    target.predict("a", multi_normal_cholesky_distribution(mu, L));
    target.predict("b", multi_normal_distribution(0, S));
    target.predict("c", 3, [&](int i) { return multi_normal_precision_distribution(beta[i - i], S); });
    target.predict("d", multi_student_t_cholesky_distribution(x, beta, L));
    target.predict("e", multi_student_t_distribution(x, beta, S));
    target.predict("f", dirichlet_distribution(5, x));
    target.predict("g", multinomial_distribution(20, exp(beta)));
    target.predict("h", lkj_corr_cholesky_distribution(3, x));
    target.predict("i", lkj_corr_distribution(3, x));
    target.predict("j", wishart_distribution(x + 2, S));
    target.predict("k", inv_wishart_distribution(x + 2, S));
    target.predict("l", normal_id_glm_distribution(X, 0, beta, x));
    target.predict("m", bernoulli_logit_glm_distribution(X, 0, beta));
    target.predict("n", poisson_log_glm_distribution(X, 0, beta));
    target.predict("o", neg_binomial_2_log_glm_distribution(X, 0, beta, x));
    target.predict("p", categorical_logit_glm_distribution(X, target.vector("alpha", 3), B));
    target.predict("q", normal_variance_distribution(0, x));
  }
};

template <class Model>
std::string complaint(const Data& data) {
  try {
    check_model<Model>("m", data);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "none";
}
template <int Kind>
void expect_categories() {
  using Model = Categories<CheckedNumber, Kind>;
  EXPECT_EQ(complaint<Model>(example({1, 2, 4, 3})), "none");
  for (double bad : {5.0, 0.0}) {
    const std::string told = complaint<Model>(example({1, 2, bad, 3}));
    EXPECT_NE(told.find("observe(\"y\"), index 2"), std::string::npos) << told;
  }
}

TEST(CheckedDistributions, RefuseCategoriesThatAreNone) {
  expect_categories<0>();
  expect_categories<1>();
  expect_categories<2>();
}
/// Cutpoints of the data.
template <class Number>
struct GivenCutpoints {
  View<const Number> c;
  void data(DataReader& in) { in("c", c, Size<>(3)); }
  template <class Target>
  void log_density(Target& target) const {
    target += ordered_logistic(1, target.real("x"), c);
  }
};
TEST(CheckedDistributions, RefuseCutpointsThatDecrease) {
  Data data;
  data.set("c", std::vector<double>{2, 1, 3});
  const std::string told = complaint<GivenCutpoints<CheckedNumber>>(data);
  EXPECT_NE(told.find("ordered_logistic() of cutpoints that decrease: 1 comes after 2"), std::string::npos) << told;
  data.set("c", std::vector<double>{1, 1, 3});
  EXPECT_EQ(complaint<GivenCutpoints<CheckedNumber>>(data), "none");
}
/// A mixture whose parts solve in local memory.
template <class Number, int N>
struct WideMixture {
  Size<N> n;
  void data(DataReader& in) { in("n", n); }
  template <class Target>
  void log_density(Target& target) const {
    auto y = target.vector("y", n);
    auto L = target.cholesky_cov("L", n);
    target += log_mix(0.5, sum(multi_normal_cholesky(y, 0, L)), sum(normal(y, 0, 1)));
  }
};
TEST(CheckedDistributions, RefuseMixturesOfManyElements) {
  Data data;
  data.set("n", 33);
  const std::string told = complaint<WideMixture<CheckedNumber, dynamic>>(data);
  EXPECT_NE(told.find("sum() of a multivariate density takes 32 elements at most, or any number that is fixed"),
            std::string::npos)
      << told;
  EXPECT_EQ((complaint<WideMixture<CheckedNumber, 33>>(data)), "none");
  data.set("n", 32);
  EXPECT_EQ((complaint<WideMixture<CheckedNumber, dynamic>>(data)), "none");
}
TEST(CheckedDistributions, DrawInTheNumberTypeOfTheChecks) {
  EXPECT_EQ(complaint<Draws<CheckedNumber>>(Data()), "none");
  EXPECT_EQ((complaint<Vectors<CheckedNumber, 0>>(Data())), "none");
}
TEST(CheckedDistributions, RefuseToDrawWhereSizesDiffer) {
  const auto told = complaint<Vectors<CheckedNumber, 1>>(Data());
  EXPECT_NE(told.find("multi_normal_cholesky_distribution()"), std::string::npos) << told;
}

/// Densities and the argument that must be positive, or a probability. DENSITY(name, argument, what is added).
#define DENSITIES                                                                     \
  DENSITY(normal, sigma, normal(0.5, 0, s))                                           \
  DENSITY(normal_variance, v, normal_variance(0.5, 0, s))                             \
  DENSITY(half_normal, sigma, half_normal(0.5, s))                                    \
  DENSITY(student_t, nu, student_t(0.5, s, 0, 1))                                     \
  DENSITY(student_t, sigma, student_t(0.5, 3, 0, s))                                  \
  DENSITY(cauchy, sigma, cauchy(0.5, 0, s))                                           \
  DENSITY(half_cauchy, sigma, half_cauchy(0.5, s))                                    \
  DENSITY(lognormal, sigma, lognormal(0.5, 0, s))                                     \
  DENSITY(exponential, beta, exponential(0.5, s))                                     \
  DENSITY(gamma, alpha, gamma(0.5, s, 1))                                             \
  DENSITY(gamma, beta, gamma(0.5, 1, s))                                              \
  DENSITY(inverse_gamma, alpha, inverse_gamma(0.5, s, 1))                             \
  DENSITY(inverse_gamma, beta, inverse_gamma(0.5, 1, s))                              \
  DENSITY(beta, a, beta(0.5, s, 1))                                                   \
  DENSITY(beta, b, beta(0.5, 1, s))                                                   \
  DENSITY(double_exponential, sigma, double_exponential(0.5, 0, s))                   \
  DENSITY(logistic, sigma, logistic(0.5, 0, s))                                       \
  DENSITY(weibull, alpha, weibull(0.5, s, 1))                                         \
  DENSITY(weibull, sigma, weibull(0.5, 1, s))                                         \
  DENSITY(gumbel, beta, gumbel(0.5, 0, s))                                            \
  DENSITY(von_mises, kappa, von_mises(0.5, 0, s))                                     \
  DENSITY(skew_normal, omega, skew_normal(0.5, 0, s, 1))                              \
  DENSITY(half_student_t, nu, half_student_t(0.5, s, 1))                              \
  DENSITY(half_student_t, sigma, half_student_t(0.5, 3, s))                           \
  DENSITY(chi_square, nu, chi_square(0.5, s))                                         \
  DENSITY(pareto, least, pareto(0.5, s, 1))                                           \
  DENSITY(pareto, alpha, pareto(0.5, 0.1, s))                                         \
  DENSITY(poisson, lambda, poisson(1, s))                                             \
  DENSITY(neg_binomial, alpha, neg_binomial(1, s, 1))                                 \
  DENSITY(neg_binomial, beta, neg_binomial(1, 1, s))                                  \
  DENSITY(neg_binomial_2, mu, neg_binomial_2(1, s, 1))                                \
  DENSITY(neg_binomial_2, phi, neg_binomial_2(1, 1, s))                               \
  DENSITY(neg_binomial_2_log, phi, neg_binomial_2_log(1, 0, s))                       \
  DENSITY(beta_binomial, a, beta_binomial(1, 2, s, 1))                                \
  DENSITY(beta_binomial, b, beta_binomial(1, 2, 1, s))                                \
  DENSITY(dirichlet, alpha, dirichlet(share, s))                                      \
  DENSITY(multi_student_t_cholesky, nu, multi_student_t_cholesky(each, s, 0, L))      \
  DENSITY(multi_student_t, nu, multi_student_t(each, s, 0, S))                        \
  DENSITY(lkj_corr_cholesky, eta, lkj_corr_cholesky(L, s))                            \
  DENSITY(lkj_corr, eta, lkj_corr(C, s))                                              \
  DENSITY(wishart, nu, wishart(S, s, S))                                              \
  DENSITY(inv_wishart, nu, inv_wishart(S, s, S))                                      \
  DENSITY(normal_id_glm, sigma, normal_id_glm(each, X, 0, each, s))                   \
  DENSITY(neg_binomial_2_log_glm, phi, neg_binomial_2_log_glm(counts, X, 0, each, s)) \
  DENSITY(bernoulli, theta, bernoulli(1, p))                                          \
  DENSITY(binomial, theta, binomial(1, 2, p))                                         \
  DENSITY(geometric, theta, geometric(1, p))                                          \
  DENSITY(categorical, theta, categorical(1, ps))                                     \
  DENSITY(multinomial, theta, multinomial(counts, ps))                                \
  DENSITY(normal_lccdf, sigma, normal_lccdf(0.5, 0, s))                               \
  DENSITY(gamma_lcdf, alpha, gamma_lcdf(0.5, s, 1))                                   \
  DENSITY(neg_binomial_2_lcdf, phi, neg_binomial_2_lcdf(1, 1, s))                     \
  DENSITY(weibull_lccdf, sigma, weibull_lccdf(0.5, 1, s))
#define DENSITY(name, argument, ...) {#name, #argument},
const std::vector<std::pair<std::string, std::string>> arguments = {DENSITIES};
#undef DENSITY

/// Adds one of them, of a parameter without a bound or with the one that it needs.
template <class Number>
struct OneDensity {
  Size<> which, bound;
  View<const int> counts;
  void data(DataReader& in) {
    in("which", which);
    in("bound", bound);
    in("counts", counts, Size<>(2));
  }
  template <class Target>
  void log_density(Target& target) const {
    auto bare = target.real("bare");
    auto bares = target.vector("bares", 2);
    auto positive = target.real("positive", lower(0));
    auto unit = target.real("unit", interval(0, 1));
    auto share = target.simplex("share", 2);
    auto each = target.vector("each", 2);
    auto L = target.cholesky_corr("L", 2);
    auto C = target.corr_matrix("C", 2);
    auto S = target.cov_matrix("S", 2);
    auto X = matrix_of(2, 2, [](int i, int j) { return Scalar<Number>(i + j); });
    const auto add = [&](const auto& s, const auto& p, const auto& ps) {
      int k = 0;
#define DENSITY(name, argument, ...) \
  if (which.value() == k++) target += __VA_ARGS__;
      DENSITIES
#undef DENSITY
    };
    if (bound.value() == 0)
      add(bare, bare, bares);
    else
      add(positive, unit, share);
  }
};

TEST(CheckedDistributions, RefuseParametersWithoutTheBoundThatAnArgumentNeeds) {
  Data data;
  data.set("counts", {1, 1});
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const auto& [density, argument] = arguments[k];
    data.set("which", static_cast<int>(k));
    data.set("bound", 1);
    EXPECT_EQ(complaint<OneDensity<CheckedNumber>>(data), "none") << density;
    data.set("bound", 0);
    const bool probability = argument == "theta";
    const bool vector = density == "categorical" || density == "multinomial";
    const std::string of = argument + " of " + density + "() is the parameter ";
    EXPECT_EQ(complaint<OneDensity<CheckedNumber>>(data),
              "model m: " + of +
                  (vector        ? "bares, which is not bound to [0, 1]: write target.vector(\"bares\", n, "
                                   "manychain::interval(0, 1))"
                   : probability ? "bare, which is not bound to [0, 1]: write target.real(\"bare\", "
                                   "manychain::interval(0, 1))"
                                 : "bare, which has no lower bound: write target.real(\"bare\", manychain::lower(0))"));
  }
}

/// Conditionals write the variance itself: a bound would make them write its logarithm.
template <class Number>
struct OwnVariance {
  template <class Target>
  void log_density(Target& target) const {
    auto v = target.real("v");
    target += inverse_gamma(v, 3, 2);
    target += normal_variance(0.5, 0, v);
  }
  template <class Visitor>
  void conditionals(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return inverse_gamma_distribution(3.5, 2.125); });
  }
};
TEST(CheckedDistributions, ComponentsThatTheModelWritesNeedNoBound) {
  EXPECT_EQ(complaint<OwnVariance<CheckedNumber>>(Data()), "none");
}

/// Scales that are bounded from elsewhere, or are no parameters, stand as they are; Kind says which.
template <class Number, int Kind>
struct Scales {
  template <class Target>
  void log_density(Target& target) const {
    auto x = target.real("x");
    auto s = target.vector("s", 3);
    auto B = target.matrix("B", 2, 2);
    auto minus = target.vector("minus", 2, lower(-1));
    auto of_x = target.real("of_x", lower(x));
    auto spread = target.real("spread", offset_multiplier(1, 2));
    auto ordered = target.vector("ordered", 2, positive_ordered());
    auto kept = let(x);
    auto positive = target.real("positive", lower(0.5));
    auto between = target.vector("between", 2, interval(-1, 3));
    auto below = target.real("below", upper(8));
    auto to_x = target.real("to_x", interval(-1, x));
    auto unit = target.vector("unit", 3, unit_vector());
    auto cuts = target.ordered("cuts", 3);
    const auto row = [&](const auto& scale) {
      target.observe("y", 2, [&](int, auto& term) { term += normal(0.5, 0, scale); });
    };
    if constexpr (Kind == 0) row(exp(x)), row(abs(s[0])), row(square(B[0][1])), row(kept), row(1 + x);
    if constexpr (Kind == 1) target += normal(0.5, 0, ordered) + normal(0.5, 0, of_x) + uniform(0.2, 0, positive);
    if constexpr (Kind == 2) row(s[2]);
    if constexpr (Kind == 3) target += normal(s, 0, s);
    if constexpr (Kind == 4) target += normal(B, 0, B);
    if constexpr (Kind == 5) target += normal(0.5, 0, minus);
    if constexpr (Kind == 6) target += normal(0.5, 0, spread);
    if constexpr (Kind == 7) target += uniform(0.2, 0, x);
    if constexpr (Kind == 8) target += uniform(0.2, -2, minus);
    if constexpr (Kind == 9) target += uniform(0.2, x, 1);
    if constexpr (Kind == 10) target += uniform(0.2, 0, minus);
    if constexpr (Kind == 11) target += uniform(0.2, x, of_x);
    if constexpr (Kind == 12) target += uniform(2.5, between, below);
    if constexpr (Kind == 13) target += uniform(6, positive, 9);
    if constexpr (Kind == 14) target += normal(0.5, 0, between);
    if constexpr (Kind == 15) target += normal(0.5, 0, to_x);
    if constexpr (Kind == 16) target += bernoulli(1, between[0]);
    if constexpr (Kind == 17) target += normal(0.5, 0, cuts);
    if constexpr (Kind == 18) target += bernoulli(1, cuts[0]);
    if constexpr (Kind == 19) target += normal(0.5, 0, unit);
    if constexpr (Kind == 20) target += bernoulli(1, positive);
    if constexpr (Kind == 21) target += uniform(7, 0, cuts);
    if constexpr (Kind == 22) target += uniform(2, cuts[0], between);
    if constexpr (Kind == 23) target += bernoulli(1, ordered[0]);
    if constexpr (Kind == 24) target += uniform(0.2, ordered[0], 1);
  }
};
TEST(CheckedDistributions, SayWhichBoundIsMissing) {
  const auto told = [](auto kind) { return complaint<Scales<CheckedNumber, decltype(kind)::value>>(Data()); };
  EXPECT_EQ(told(std::integral_constant<int, 0>{}), "none");
  EXPECT_EQ(told(std::integral_constant<int, 1>{}), "none");
  EXPECT_EQ(told(std::integral_constant<int, 2>{}),
            "model m, observe(\"y\"), index 0: sigma of normal() is the parameter s, which has no lower bound: write "
            "target.vector(\"s\", n, manychain::lower(0))");
  EXPECT_EQ(told(std::integral_constant<int, 3>{}),
            "model m: sigma of normal() is the parameter s, which has no lower bound: write target.vector(\"s\", n, "
            "manychain::lower(0))");
  EXPECT_EQ(told(std::integral_constant<int, 4>{}),
            "model m: sigma of normal() is the parameter B, which has no lower bound: write target.matrix(\"B\", rows, "
            "columns, manychain::lower(0))");
  EXPECT_EQ(told(std::integral_constant<int, 5>{}),
            "model m: sigma of normal() is the parameter minus, which has the lower bound -1: write "
            "target.vector(\"minus\", n, manychain::lower(0))");
  EXPECT_EQ(told(std::integral_constant<int, 6>{}),
            "model m: sigma of normal() is the parameter spread, which has no lower bound: write "
            "target.real(\"spread\", manychain::lower(0))");
  EXPECT_EQ(told(std::integral_constant<int, 7>{}),
            "model m: the upper end of uniform() is the parameter x, which has no lower bound: bind it to what is "
            "above the lower end and above each variate, target.real(\"x\", manychain::lower(largest))");
  EXPECT_EQ(told(std::integral_constant<int, 8>{}), "none");
  EXPECT_EQ(told(std::integral_constant<int, 9>{}),
            "model m: the lower end of uniform() is the parameter x, which has no upper bound: bind it to what is "
            "below the upper end and below each variate, target.real(\"x\", manychain::upper(smallest))");
  // Finite ranges that overlap: outside of its support a density is -inf.
  EXPECT_EQ(told(std::integral_constant<int, 10>{}), "none");
  EXPECT_EQ(told(std::integral_constant<int, 11>{}), "none");
}
// Advice keeps what is declared: another bound, or an order.
TEST(CheckedDistributions, AdviceKeepsWhatIsDeclared) {
  const auto told = [](auto kind) { return complaint<Scales<CheckedNumber, decltype(kind)::value>>(Data()); };
  EXPECT_EQ(told(std::integral_constant<int, 12>{}),
            "model m: the upper end of uniform() is the parameter below, which has no lower bound: bind it to what is "
            "above the lower end and above each variate, target.real(\"below\", manychain::interval(largest, 8))");
  EXPECT_EQ(told(std::integral_constant<int, 13>{}),
            "model m: the lower end of uniform() is the parameter positive, which has no upper bound: bind it to what "
            "is below the upper end and below each variate, target.real(\"positive\", manychain::interval(0.5, "
            "smallest))");
  EXPECT_EQ(told(std::integral_constant<int, 14>{}),
            "model m: sigma of normal() is the parameter between, which has the lower bound -1: write "
            "target.vector(\"between\", n, manychain::interval(0, 3))");
  EXPECT_EQ(told(std::integral_constant<int, 15>{}),
            "model m: sigma of normal() is the parameter to_x, which has the lower bound -1: write "
            "target.real(\"to_x\", manychain::interval(0, high)), where high is the upper bound that it has");
  EXPECT_EQ(told(std::integral_constant<int, 16>{}),
            "model m: theta of bernoulli() is the parameter between, which is not bound to [0, 1]: write "
            "target.vector(\"between\", n, manychain::interval(0, 1))");
  EXPECT_EQ(told(std::integral_constant<int, 17>{}),
            "model m: sigma of normal() is the parameter cuts, which has no lower bound: write "
            "target.vector(\"cuts\", n, manychain::positive_ordered())");
  EXPECT_EQ(told(std::integral_constant<int, 18>{}),
            "model m: theta of bernoulli() is the parameter cuts, which is not bound to [0, 1]: write inv_logit(cuts) "
            "in its place");
  EXPECT_EQ(told(std::integral_constant<int, 19>{}),
            "model m: sigma of normal() is the parameter unit, which has the lower bound -1: write exp(unit) in its "
            "place");
  EXPECT_EQ(told(std::integral_constant<int, 20>{}),
            "model m: theta of bernoulli() is the parameter positive, which is not bound to [0, 1]: write "
            "target.real(\"positive\", manychain::interval(0.5, 1))");
  EXPECT_EQ(told(std::integral_constant<int, 21>{}),
            "model m: the upper end of uniform() is the parameter cuts, which has no lower bound: bind it to what is "
            "above the lower end and above each variate, largest + exp(cuts)");
  EXPECT_EQ(told(std::integral_constant<int, 22>{}),
            "model m: the lower end of uniform() is the parameter cuts, which has no upper bound: bind it to what is "
            "below the upper end and below each variate, smallest - exp(cuts)");
  EXPECT_EQ(told(std::integral_constant<int, 23>{}),
            "model m: theta of bernoulli() is the parameter ordered, which is not bound to [0, 1]: write "
            "1 - exp(-ordered) in its place");
  EXPECT_EQ(told(std::integral_constant<int, 24>{}),
            "model m: the lower end of uniform() is the parameter ordered, which has no upper bound: bind it to what "
            "is below the upper end and below each variate, smallest - ordered");
}
/// Ends that may cross, and do not at the data: 5.5 to 6.5.
template <class Number>
struct OverlappingEnds {
  template <class Target>
  void log_density(Target& target) const {
    auto a = target.real("a", interval(0, 5));
    auto b = target.real("b", interval(3, 8));
    const auto y = vector_of(Size<3>{}, [](int i) { return Scalar<Number>(5.5 + 0.5 * i); });
    target.observe("y", uniform(y, a, b));
  }
};
TEST(CheckedDistributions, TakeEndsWhoseFiniteRangesOverlap) {
  EXPECT_EQ(complaint<OverlappingEnds<CheckedNumber>>(Data()), "none");
}

}  // namespace
}  // namespace manychain::test
