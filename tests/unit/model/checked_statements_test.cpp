// Requests of statements, sums of densities, recurrences and names that a model may not make, and the sentence that it
// is told when data are bound. This unit is compiled as the generated one that checks.
#define MANYCHAIN_CHECKED
#include "manychain/model/distributions/count_log_cdfs.hpp"
#include "manychain/model/distributions/mixtures.hpp"
#include "manychain/model/matrices/sampled_vectors.hpp"
#include "unit/model/checked_models.hpp"

namespace manychain::test {
namespace {

MODEL(BeyondLet, auto a = target.real("a"); auto e = target.let(vector_of(3, [&](int i) { return a * (1.0 + i); }));
      target += e[7];)
MODEL(CountedFromOne, auto a = target.vector("a", J); auto e = target.let(2.0 * a);
      target.observe("y", N, [&](int j, auto& term) { term += normal(y[j], e[county[j]], 1); });)
MODEL(BeyondSegment, auto p = target.vector("p", J); target += segment(p, 1, 2)[2];)
MODEL(LongerStep, auto p = target.vector("p", 2);
      auto path = target.scan(4, p,
                              [&](int, const auto& before) {
                                return vector_of(3, [&, before](int k) { return before[k % 2] * 0.5; });
                              });
      target += path[3][0];)
MODEL(ShorterStep, auto p = target.vector("p", 2);
      auto path = target.scan(4, p,
                              [&](int, const auto& before) {
                                return vector_of(1, [&, before](int k) { return before[k] * 0.5; });
                              });
      target += path[3][0];)
MODEL(FewerThanNone, auto a = target.real("a");
      target.observe("y", N.value() - 10, [&](int j, auto& term) { term += normal(y[j], a, 1); });)
template <class Number>
struct KeepsTooFew : Fields<Number> {
  void data(DataReader& in) {
    Fields<Number>::data(in);
    this->y = in.keep<Number>({1, 2}, this->N);
  }
  template <class Target>
  void log_density(Target& target) const {
    target.observe("y", normal(this->y, target.real("a"), 1));
  }
};
template <class Number>
struct KeepsAnotherShape : Fields<Number> {
  void data(DataReader& in) {
    Fields<Number>::data(in);
    this->X = in.keep_matrix<Number>(with_ones(std::vector<double>(16, 2.0), 2), 8, 2);
  }
  template <class Target>
  void log_density(Target& target) const {
    auto b = target.vector("b", 2);
    target.observe("y", normal(this->y, this->X * b, 1));
  }
};

TEST(Checks, ExpressionsAndRecurrences) {
  EXPECT_NE(complaint<BeyondLet>().find("[7] is asked for"), std::string::npos) << complaint<BeyondLet>();
  EXPECT_NE(complaint<CountedFromOne>().find("where county counts from 1, subtract 1"), std::string::npos)
      << complaint<CountedFromOne>();
  EXPECT_NE(complaint<BeyondSegment>().find("[2] is asked for"), std::string::npos) << complaint<BeyondSegment>();
  EXPECT_NE(complaint<LongerStep>().find("a step of scan()"), std::string::npos) << complaint<LongerStep>();
  EXPECT_NE(complaint<ShorterStep>().find("a step of scan()"), std::string::npos) << complaint<ShorterStep>();
  EXPECT_NE(complaint<FewerThanNone>().find("asks for -2"), std::string::npos) << complaint<FewerThanNone>();
  EXPECT_NE(complaint<KeepsTooFew>().find("is given 2 numbers for a shape of 8"), std::string::npos);
  EXPECT_NE(complaint<KeepsAnotherShape>().find("is given 24 numbers for a shape of 16"), std::string::npos);
}

// The parameters of a step are gone when what it returns is read.
#define RECURRENCE(name, captured)                                                                        \
  MODEL(name, auto p = target.vector("p", 2);                                                             \
        auto path = target.scan(4, p,                                                                     \
                                [&](int t, const auto& before) {                                          \
                                  return vector_of(2, [captured](int k) { return 0.5 * before[k] + t; }); \
                                });                                                                       \
        target += path[3][0];)
RECURRENCE(GoneIndex, &)
#define BY_VALUE &, t, before
RECURRENCE(KeptIndex, BY_VALUE)
#define HELPER(name, captured)                                                                              \
  MODEL(                                                                                                    \
      name, auto p = target.vector("p", 4);                                                                 \
      const auto means = [&](int g) { return vector_of(3, [captured](int k) { return p[k] + 0.5 + g; }); }; \
      target += sum(means(2)) + normal(sum(means(1)), 0, 1);)
HELPER(GoneArgument, &)
#define ARGUMENT_BY_VALUE &, g
HELPER(KeptArgument, ARGUMENT_BY_VALUE)
MODEL(
    GoneIndexOfHelper, auto p = target.vector("p", 3);
    const auto means = [&](int g) { return vector_of(N, [&](int k) { return p[g] + 0.5 * y[k]; }); };
    target += normal(y, means(0), 1) + normal(y, means(2), 1);)
#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer);
#else
constexpr bool sanitized = false;
#endif
TEST(Checks, BodiesThatOutliveTheirFunction) {
  if (sanitized) GTEST_SKIP() << "the address sanitizer ends the program at such a read";
  EXPECT_EQ(complaint<KeptIndex>(), "none");
  EXPECT_EQ(complaint<KeptArgument>(), "none");
  EXPECT_NE(complaint<GoneArgument>().find("a function returns a vector that reads variables of it, which are gone"),
            std::string::npos)
      << complaint<GoneArgument>();
  EXPECT_NE(complaint<GoneIndexOfHelper>().find("reads variables of it, which are gone"), std::string::npos)
      << complaint<GoneIndexOfHelper>();
  EXPECT_NE(complaint<GoneIndex>().find("the step returns a vector that reads variables of it, which are gone"),
            std::string::npos)
      << complaint<GoneIndex>();
}

#define ALONG(name, step)                                                                                          \
  MODEL(name, [[maybe_unused]] auto alpha = target.vector("alpha", J); [[maybe_unused]] auto a = target.real("a"); \
        [[maybe_unused]] auto b = target.real("b"); target.observe(                                                \
            "y", N, square(a), step, [&](int t, const auto& s, auto& term) { term += normal(y[t], s, 1); });)
ALONG(OfTheGroup, ([&](int t, const auto& s) { return 0.5 * s + alpha[county[t] - 1]; }))
ALONG(InTurn, ([&](int t, const auto& s) { return (t % 2 == 1 ? a : b) * s; }))
ALONG(OfThisTime, ([&](int t, const auto& s) { return 0.5 * s + alpha[(t - 1) % 3]; }))
ALONG(TheSame, ([&](int t, const auto& s) { return a * s + b * y[t - 1] + alpha[1]; }))
ALONG(ByValue, ([&](int t, const auto& s) { return select(value(s) > 0.1 * t, a, b) * s; }))
ALONG(OfAVector, ([&](int t, const auto& s) { return 0.5 * s + alpha[t % 3] * sum(alpha); }))
MODEL(Several, auto alpha = target.vector("alpha", J); target.observe(
    "y", N, states(alpha[0], alpha[1]),
    [&](int t, const auto& u, const auto& v) { return states(v * alpha[0], u + alpha[t < 7 ? 1 : 2]); },
    [&](int t, const auto& u, const auto&, auto& term) { term += normal(y[t], u, 1); });)

// Derivatives that are carried along go to the parameters of the first step; on a GPU nothing else would tell.
TEST(Recurrences, NameTheSameParametersInEachStep) {
  const auto refused = [](int index) {
    return "model m, observe(\"y\"), index " + std::to_string(index) +
           ": this step names other parameters than the step of index 1, and observe() along a recurrence takes "
           "derivatives by the same ones in all: keep the states, auto h = target.scan(n, first, step), and say "
           "observe(name, n, body) of h[t]";
  };
  EXPECT_EQ(complaint<OfTheGroup>(), refused(2));  // counties 1, 1, 2
  EXPECT_EQ(complaint<InTurn>(), refused(2));
  EXPECT_EQ(complaint<OfThisTime>(), refused(2));
  EXPECT_EQ(complaint<Several>(), refused(7));
  EXPECT_EQ(complaint<TheSame>(), "none");
  EXPECT_EQ(complaint<ByValue>(), "none");
  EXPECT_EQ(complaint<OfAVector>(), "none");  // states are kept
  Data one = example();
  one.set("county", std::vector<double>(8, 2.0));
  EXPECT_EQ(complaint<OfTheGroup>(one), "none");
}

MODEL(UnlikeWeights, auto eta = target.vector("eta", J); target.observe("y", y* normal(eta, 0, 1));)
MODEL(UnlikeSums, auto eta = target.vector("eta", J); target.observe("y", normal(y, 0, 1) + normal(eta, 0, 1));)
MODEL(SumsOfAnySize, auto eta = target.vector("eta", J); target += normal(y, 0, 1) + normal(eta, 0, 1);
      target.observe("one", normal(1.5, eta[0], 1)); target.derived("twice", transpose(X));)
MODEL(BeyondOne, auto eta = target.vector("eta", J); target.observe("one", normal(y[8], eta[0], 1));)
MODEL(BeyondMatrix, auto eta = target.vector("eta", J);
      target.derived("m", matrix_of(3, 2, [&](int i, int j) { return eta[i + j]; }));)
MODEL(OneInABody, auto eta = target.vector("eta", J); target.sum_over(J, [&](int j, auto& term) {
  term += eta[j];
  target.observe("one", normal(1.5, eta[0], 1));
});)

TEST(Checks, SumsOfDensitiesAndSingleObservations) {
  EXPECT_EQ(complaint<UnlikeWeights>(),
            "model m: operator * takes the log density and y element by element, but the log density has 3 elements "
            "and y has 8 elements");
  EXPECT_EQ(complaint<UnlikeSums>(),
            "model m, observe(\"y\"): a sum in observe() takes the first log density and the second element by "
            "element, but the first log density has 8 elements and the second has 3 elements");
  EXPECT_EQ(complaint<SumsOfAnySize>(), "none");
  EXPECT_EQ(complaint<BeyondOne>().find("model m: y[8] is asked for"), 0u) << complaint<BeyondOne>();
  EXPECT_EQ(complaint<BeyondMatrix>().find("model m, derived(\"m\"), index 2: eta[3] is asked for"), 0u)
      << complaint<BeyondMatrix>();
  EXPECT_NE(complaint<OneInABody>().find("the target is added to inside a body"), std::string::npos);
}

MODEL(UnlikeMixture, auto eta = target.vector("eta", J);
      target.observe("y", log_mix(0.5, normal(y, eta[0], 1), normal(eta, 0, 1)));)
MODEL(UnlikeMixtureWeights, auto eta = target.vector("eta", J);
      target.observe("y", log_mix(inv_logit(eta), normal(y, 0, 1), normal(y, 1, 1)));)
MODEL(UnlikeMixtureSum, auto eta = target.vector("eta", J);
      target.observe("y", log_sum_exp(normal(y, 0, 1) + eta[0], normal(eta, 0, 1) - 2));)
MODEL(Mixture, auto eta = target.vector("eta", J);
      target.observe("y", log_mix(0.5, normal(y, eta[0], 1), cauchy(y, 0, 1) + eta[1]));)

TEST(Checks, Mixtures) {
  const std::string unlike = " takes the mixture and ",
                    sizes = " element by element, but the mixture has 8 elements and ";
  EXPECT_EQ(complaint<UnlikeMixture>(),
            "model m: log_mix()" + unlike + "a density in it" + sizes + "a density in it has 3 elements");
  EXPECT_EQ(complaint<UnlikeMixtureSum>(),
            "model m: log_sum_exp()" + unlike + "a density in it" + sizes + "a density in it has 3 elements");
  EXPECT_NE(complaint<UnlikeMixtureWeights>().find("log_mix()" + unlike), std::string::npos)
      << complaint<UnlikeMixtureWeights>();
  EXPECT_EQ(complaint<Mixture>(), "none");
}

/// Draws until every variate is above its middle: constants would never end it.
struct AboveOne {
  template <class R, class V>
  R draw(V& variates) const {
    R x = variates.normal();
    while (!(x > R(1)) || !(variates.gamma(R(2)) > R(2)) || !(variates.uniform() > R(0.5)) ||
           !(variates.exponential() > R(1)) || !(variates.beta(R(2), R(2)) > R(0.5)))
      x = variates.normal();
    return x;
  }
};
MODEL(Rejects, target.real("x"); target.predict("p", AboveOne{});)

MODEL(UnequalPredictions, auto a = target.real("a"); target.predict("p", 3, [&](int j) {
  return multi_normal_distribution(a, matrix_of(1 + j % 2, 1 + j % 2, [](int r, int c) { return r == c ? 1.0 : 0.0; }));
});)
MODEL(EqualPredictions, auto a = target.real("a"); target.predict("p", 3, [&](int) {
  return multi_normal_distribution(a, matrix_of(2, 2, [](int r, int c) { return r == c ? 1.0 : 0.0; }));
});)
MODEL(NoOutcomes, auto a = target.real("a"); target.observe("y", bernoulli_logit(y, a));)
MODEL(NoOutcomeOfInts, auto a = target.real("a");
      target.observe("county", N, [&](auto j, auto& term) { term += binomial_logit(county[j], 2, a); });)
MODEL(Outcomes, auto a = target.real("a"); target.observe("county", binomial_logit(county, 3, a));)
MODEL(NotWhole, auto a = target.real("a"); target.observe("y", poisson_log(y, a));)
MODEL(HalfACount, auto a = target.real("a", lower(0)); target += neg_binomial_2(2.5, a, 1);)
MODEL(HalfATrial, auto a = target.real("a", interval(0, 1)); target += binomial(1, 2.5, a);)
MODEL(HalfAnOutcome, auto a = target.real("a"); target += bernoulli_logit(0.5, a);)
MODEL(HalfACensoredCount, auto a = target.real("a"); target += poisson_log_lccdf(2.5, a);)
MODEL(WholeReals, auto a = target.real("a", lower(0)); target += poisson(2.0, a) + neg_binomial_2(0.0, a, 1);)
MODEL(BeyondInt, auto a = target.real("a"); target += normal(a, sum(county * 1'000'000'000), 1);)

TEST(Checks, PredictionsOfOneSize) {
  EXPECT_NE(complaint<UnequalPredictions>().find("this prediction has 2 elements and that of index 0 has 1"),
            std::string::npos)
      << complaint<UnequalPredictions>();
  EXPECT_EQ(complaint<EqualPredictions>(), "none");
}
// As codes 1 and 2 of a file: the density of 2 would be above one.
TEST(Checks, Outcomes) {
  EXPECT_NE(complaint<NoOutcomes>().find("bernoulli_logit() of the outcome 2: outcomes are whole numbers from 0 to 1"),
            std::string::npos)
      << complaint<NoOutcomes>();
  EXPECT_NE(
      complaint<NoOutcomeOfInts>().find("binomial_logit() of the outcome 3: outcomes are whole numbers from 0 to 2"),
      std::string::npos)
      << complaint<NoOutcomeOfInts>();
  EXPECT_EQ(complaint<Outcomes>(), "none");
}
// Formulae take any number for a count.
TEST(Checks, CountsAreWhole) {
  const auto expect = [](const std::string& complaint, const std::string& part) {
    EXPECT_NE(complaint.find(part), std::string::npos) << complaint;
  };
  Data data = example();
  data.set("y", {1, 2.5, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(complaint<NotWhole>(), "none");
  expect(complaint<NotWhole>(data), "poisson_log() of the count 2.5: counts are whole numbers");
  expect(complaint<HalfACount>(), "neg_binomial_2() of the count 2.5: counts are whole numbers");
  expect(complaint<HalfATrial>(), "binomial() of the count 2.5: counts are whole numbers");
  expect(complaint<HalfAnOutcome>(), "bernoulli_logit() of the outcome 0.5: outcomes are whole numbers from 0 to 1");
  expect(complaint<HalfACensoredCount>(), "poisson_log_lccdf() of the count 2.5");
  EXPECT_EQ(complaint<WholeReals>(), "none");
}
TEST(Checks, ProductsOfWholeNumbers) {
  EXPECT_NE(complaint<BeyondInt>().find("the result of * of two whole numbers is beyond 2^31"), std::string::npos)
      << complaint<BeyondInt>();
}

TEST(Checks, EndWhereADistributionRejects) { EXPECT_EQ(complaint<Rejects>(), "none"); }

MODEL(Twice, target.real("mu"); target.vector("mu", J);)
MODEL(DerivedToo, auto mu = target.real("mu"); target.derived("mu", 2 * mu);)
MODEL(PredictedToo, auto mu = target.real("mu"); target.predict("mu", normal_distribution(mu, 1));)
MODEL(LatentToo, target.real("mu"); target.latent_integers("mu", Size<2>{}, 0, 1);)
MODEL(NoName, target.real("");)
MODEL(Slash, target.real("a/b"); target.real("a_b");)
MODEL(Chain, target.real("chain"); target.real("chain_");)
MODEL(DimensionOfVector, target.vector("theta", J); target.real("theta_dim_0");)
MODEL(ElementOfVector, target.vector("theta", J); target.real("theta[2]");)
MODEL(Alike, target.real("chain"); target.real("draw"); target.real("theta"); target.vector("theta_", J);
      target.real("a/b"); target.real("x[1]"); target.latent_integers("z", J, 0, 1);)

TEST(Names, TellQuantitiesApart) {
  const std::string twice = "the name mu is declared twice: ";
  EXPECT_EQ(complaint<Twice>().find(twice), 0u) << complaint<Twice>();
  EXPECT_EQ(complaint<DerivedToo>().find(twice), 0u);
  EXPECT_EQ(complaint<PredictedToo>().find(twice), 0u);
  EXPECT_EQ(complaint<LatentToo>().find(twice), 0u);
  EXPECT_EQ(complaint<NoName>().find("a parameter, derived quantity or prediction has an empty name"), 0u);
  EXPECT_EQ(complaint<Slash>().find("the name a_b is taken in NetCDF files"), 0u);
  EXPECT_EQ(complaint<Chain>().find("the name chain_ is taken in NetCDF files"), 0u);
  EXPECT_EQ(complaint<DimensionOfVector>().find("the name theta_dim_0 is taken in NetCDF files"), 0u);
  EXPECT_EQ(complaint<ElementOfVector>().find("the name theta[2] is that of a quantity and of an element"), 0u);
  EXPECT_EQ(complaint<Alike>(), "none");
}

}  // namespace
}  // namespace manychain::test
