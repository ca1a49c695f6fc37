// Which scales depend on which parameters, as a model says when its data are bound.
#define MANYCHAIN_CHECKED
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "manychain/model.hpp"
#include "unit/model/checked_models.hpp"

namespace manychain::test {
namespace {

using Notes = std::vector<checks::ScaleArguments>;

/// "theta[1]: tau; theta[2]: tau; theta[2] by data: sigma"
template <template <class> class ModelClass>
std::string dependences(const Data& data = example()) {
  const HostModel<ModelClass<CheckedNumber>> host(data);
  const std::vector<std::string> names = layout_of(host.model).unconstrained_names;
  std::string text;
  for (const DependentScale& leaf : check_model<ModelClass<CheckedNumber>>("m", data)) {
    if (!text.empty()) text += "; ";
    text += names[leaf.component] + (leaf.by_data ? " by data:" : ":");
    for (const std::size_t k : leaf.hypers) text += " " + names[k];
  }
  return text;
}

// The variate, and what stands in the location; data have no scale that matters to a leaf.
MODEL(Centred, auto mu = target.real("mu"); auto tau = target.real("tau", lower(0));
      auto sigma = target.real("sigma", lower(0)); auto theta = target.vector("theta", 2);
      target += normal(mu, 0, 5) + half_cauchy(tau, 5) + half_normal(sigma, 1); target += normal(theta, mu, tau);
      target.observe("y", N, [&](int i, auto& term) { term += normal(y[i], theta[0], sigma); });)
TEST(DependentScales, AreThoseOfVariateAndLocation) {
  EXPECT_EQ(dependences<Centred>(), "mu: tau; theta[1]: tau; theta[2]: tau");
}

// The sampled value of a parameter with offset and multiplier has a constant scale.
MODEL(NonCentred, auto mu = target.real("mu"); auto tau = target.real("tau", lower(0));
      auto theta = target.vector("theta", 3, offset_multiplier(mu, tau)); auto z = target.vector("z", 2);
      auto eta = target.real("eta", offset_multiplier(mu, 2.0)); target += normal(theta, mu, tau) + normal(z, 0, 1);
      target += normal(eta, mu, 2.0); target += normal(z[0] * tau, 0, 1);)
TEST(DependentScales, AreNoneOfNonCentredParameters) { EXPECT_EQ(dependences<NonCentred>(), ""); }

MODEL(Densities, auto s = target.vector("s", 9, lower(0)); auto x = target.vector("x", 9);
      auto w = target.real("w", lower(0)); target += normal(x[0], 0, s[0]) + normal_variance(x[1], 0, square(s[1]));
      target += student_t(x[2], 4, 0, s[2]) + cauchy(x[3], 0, s[3]); target += double_exponential(x[4], 0, s[4]);
      target += logistic(x[5], 0, s[5]) + gumbel(x[6], 0, s[6]) + skew_normal(x[7], 0, s[7], 2);
      target += lognormal(w, x[8], s[8]);)
TEST(DependentScales, OfEachDensityWithLocationAndScale) {
  EXPECT_EQ(dependences<Densities>(),
            "x[1]: s[1]; x[2]: s[2]; x[3]: s[3]; x[4]: s[4]; x[5]: s[5]; x[6]: s[6]; x[7]: s[7]; x[8]: s[8]; x[9]: "
            "s[9]; w: s[9]");
}

// The logarithm of such a variate has a location, and a scale that the shape makes small. A shape that is a number does
// not.
MODEL(Shapes, auto s = target.vector("s", 2, lower(0)); auto g = target.real("g", lower(0));
      auto i = target.real("i", lower(0)); auto n = target.real("n", lower(0));
      target += gamma(g, s[0], s[0] / 3) + inverse_gamma(i, s[1], 2) + gamma(n, 2, s[0]);)
TEST(DependentScales, OfGammaVariates) {
  EXPECT_EQ(dependences<Shapes>(), "g: s[1]; i: s[2]");
  const std::vector<DependentScale> leaves = check_model<Shapes<CheckedNumber>>("m", example());
  ASSERT_EQ(leaves.size(), 2u);
  for (const DependentScale& leaf : leaves) {
    EXPECT_TRUE(leaf.cancels);
    ASSERT_EQ(leaf.slopes.size(), 1u);
    EXPECT_NEAR(leaf.slopes[0], -0.5, 1e-9);  // 1 / sqrt(shape)
  }
  EXPECT_NEAR(leaves[0].location, std::log(3.0), 1e-9);
  for (const DependentScale& leaf : check_model<Centred<CheckedNumber>>("m", example())) EXPECT_FALSE(leaf.cancels);
}

MODEL(Expressions, auto t = target.real("t", lower(0)); auto l = target.vector("l", 2, lower(0));
      auto w = target.real("w"); auto b = target.vector("b", 2); auto c = target.real("c");
      auto scale = target.let(t * l); target += normal(b, 0, scale); target += normal(c, 0, exp(0.5 * w));)
TEST(DependentScales, ThroughIntermediatesAndProducts) {
  EXPECT_EQ(dependences<Expressions>(), "b[1]: t l[1]; b[2]: t l[2]; c: w");
}

MODEL(Levels, auto s = target.real("s", lower(0)); auto t = target.vector("t", 2, lower(0));
      auto x = target.vector("x", 2); target += lognormal(t, 0, s); target += normal(x, 0, t);)
TEST(DependentScales, InLevels) { EXPECT_EQ(dependences<Levels>(), "t[1]: s; t[2]: s; x[1]: t[1]; x[2]: t[2]"); }

MODEL(Autoregression, auto mu = target.real("mu"); auto phi = target.real("phi", interval(-1, 1));
      auto s = target.real("s", lower(0)); auto h = target.vector("h", 3); target += normal(h[0], mu, s);
      for (int t = 1; t < 3; ++t) target += normal(h[t], mu + phi * (h[t - 1] - mu), s);
      target.observe("y", N, [&](int i, auto& term) { term += normal(y[i], 0, exp(0.5 * h[0])); });)
TEST(DependentScales, OfAutoregressions) {
  EXPECT_EQ(dependences<Autoregression>(), "mu: s; phi: s; h[1]: s; h[2]: s; h[3]: s");
}

MODEL(Slopes, auto tau = target.vector("tau", 2, lower(0)); auto L = target.cholesky_corr("L", 2);
      auto b = target.vector("b", 2); target += multi_normal_cholesky(b, 0, diag_pre_multiply(tau, L));)
TEST(DependentScales, OfVectorsWithACholeskyFactor) {
  EXPECT_EQ(dependences<Slopes>(), "b[1]: tau[1]; b[2]: tau[2] L[1]");
}

// "h[2]: slope 1, location 0.5 + 0.25 h[1]", where a component is the variate itself.
template <template <class> class ModelClass>
std::vector<DependentScale> leaves_of(const Data& data = example()) {
  return check_model<ModelClass<CheckedNumber>>("m", data);
}
TEST(DependentScales, HaveSlopesAndLocations) {
  const std::vector<DependentScale> centred = leaves_of<Centred>();
  EXPECT_TRUE(centred[0].slopes.empty());  // mu is in the location of others alone
  for (const std::size_t i : {1, 2}) {
    ASSERT_EQ(centred[i].slopes.size(), 1u);
    EXPECT_NEAR(centred[i].slopes[0], 1, 1e-12);
    EXPECT_NEAR(centred[i].location, 0, 1e-12);
    ASSERT_EQ(centred[i].location_terms.size(), 1u);
    EXPECT_EQ(centred[i].location_terms[0].component, 0u);
    EXPECT_NEAR(centred[i].location_terms[0].coefficient, 1, 1e-12);
  }
  const std::vector<DependentScale> products = leaves_of<Expressions>();
  EXPECT_NEAR(products[0].slopes[0], 1, 1e-12);
  EXPECT_NEAR(products[0].slopes[1], 1, 1e-12);
  EXPECT_TRUE(products[0].location_terms.empty());
  EXPECT_NEAR(products[2].slopes[0], 0.5, 1e-12);
  const std::vector<DependentScale> walk = leaves_of<Autoregression>();
  EXPECT_EQ(walk[3].location_terms.size(), 3u);  // mu, phi and h[1]
  const std::vector<DependentScale> positive = leaves_of<Levels>();
  EXPECT_TRUE(positive[0].slopes.empty());  // t is not sampled as it is
  EXPECT_NEAR(positive[2].slopes[0], 1, 1e-12);
}

// Draws may not show a neck, so that masses need to know how a scale becomes small: as one of its bounds is reached, or
// not at all. A scale of several parameters has slopes everywhere, or only where they were looked for.
MODEL(Small, auto s = target.real("s", interval(0, 10)); auto icc = target.real("icc", interval(0, 1));
      auto t = target.real("t", lower(0)); auto u = target.real("u", lower(0)); auto x = target.vector("x", 8);
      target += normal(x[0], 0, s) + normal(x[1], 0, sqrt(icc)) + normal(x[2], 0, sqrt(1 - icc));
      target += normal(x[3], 0, 0.1 + t) + normal(x[4], 0, sqrt(t* t + u * u)) + normal(x[5], 0, t / sqrt(u));
      target += normal(x[6], 0, 1e-3 + t) + normal(x[7], 0, sqrt(t* t + 1e-6));)
TEST(DependentScales, HaveTheSlopesOfSmallScales) {
  const std::vector<DependentScale> found = check_model<Small<CheckedNumber>>("m", example());
  ASSERT_EQ(found.size(), 8u);
  const std::vector<double> slopes = {1, 0.5, -0.5};
  for (std::size_t k = 0; k < 3; ++k) {
    ASSERT_EQ(found[k].slopes.size(), 1u);
    EXPECT_NEAR(found[k].slopes[0], slopes[k], 1e-3) << k;
    EXPECT_TRUE(found[k].knows_small_scales) << k;
  }
  for (const std::size_t k : {3, 4, 6, 7}) EXPECT_FALSE(found[k].knows_small_scales) << k;
  EXPECT_NEAR(found[5].slopes[0], 1, 1e-12);
  EXPECT_NEAR(found[5].slopes[1], -0.5, 1e-12);
  EXPECT_TRUE(found[5].knows_small_scales);
}

// Neither is above the other.
MODEL(Circle, auto a = target.real("a"); auto b = target.real("b"); auto c = target.real("c");
      target += normal(a, 0, exp(b)) + normal(b, 0, exp(a)) + normal(c, 0, exp(a));)
TEST(DependentScales, AreNoneInACircle) { EXPECT_EQ(dependences<Circle>(), ""); }

MODEL(ManyHypers, auto s = target.vector("s", 9, lower(0)); auto a = target.real("a"); auto b = target.real("b");
      target += normal(a, 0, sum(s)); target += normal(b, 0, sum(segment(s, 0, 8)));)
TEST(DependentScales, OfEightHypersAtMost) {
  EXPECT_EQ(dependences<ManyHypers>(), "b: s[1] s[2] s[3] s[4] s[5] s[6] s[7] s[8]");
}

MODEL(Numbers, auto beta = target.vector("beta", 3); target += normal(beta, 0, 2.5);
      target.observe("y", normal(y, beta[0], 1));)
TEST(DependentScales, AreNoneWhereScalesAreNumbers) { EXPECT_EQ(dependences<Numbers>(), ""); }

// More than can be moved one at a time: elements of vectors in sets. Each effect has its own scale, and one of its own
// and its neighbour's.
MODEL(Long, auto tau = target.real("tau", lower(0)); auto s = target.vector("s", 2000);
      auto x = target.vector("x", 2000); target += normal(s, 0, tau); target += normal(x[0], 0, exp(s[0]));
      for (int i = 1; i < 2000; ++i) target += normal(x[i], x[i - 1], exp(s[i]));)
TEST(DependentScales, OfLongVectors) {
  const std::vector<DependentScale> found = check_model<Long<CheckedNumber>>("m", example());
  ASSERT_EQ(found.size(), 4000u);
  for (std::size_t i = 0; i < 2000; ++i) {
    EXPECT_EQ(found[i].component, 1 + i);
    EXPECT_EQ(found[i].hypers, (std::vector<std::size_t>{0}));
    EXPECT_EQ(found[2000 + i].component, 2001 + i);
    // The last one is in the location of none.
    const std::vector<std::size_t> own = {1 + i}, both = {1 + i, 2 + i};
    EXPECT_EQ(found[2000 + i].hypers, i < 1999 ? both : own) << i;
  }
}

// Data.

// Zero is the slope of a hyper of another density alone, however long vectors are.
MODEL(LongHorseshoe, auto tau = target.real("tau", lower(0)); auto s = target.real("s", lower(0));
      auto lambda = target.vector("lambda", 300, lower(0)); auto x = target.vector("x", 300);
      target += normal(x, 0, tau* lambda) + normal(vector_of(300, [&](auto i) { return 2 * x[i]; }), 0, s);)
TEST(DependentScales, HaveSlopesOfElementsOfLongVectors) {
  const auto found = check_model<LongHorseshoe<CheckedNumber>>("m", example());
  ASSERT_EQ(found.size(), 300u);
  for (const DependentScale& leaf : found) {
    ASSERT_EQ(leaf.hypers.size(), 3u);  // tau, s, lambda
    ASSERT_EQ(leaf.slopes.size(), 3u);
    EXPECT_NEAR(leaf.slopes[0], 1, 1e-9);
    EXPECT_EQ(leaf.slopes[1], 0);
    EXPECT_NEAR(leaf.slopes[2], 1, 1e-9);
  }
}

// A level for each datum: as sigma goes to zero the levels are the data.
MODEL(LocalLevel, auto tau = target.real("tau", lower(0)); auto sigma = target.real("sigma", lower(0));
      auto x = target.vector("x", N); target += normal(segment(x, 1, N.value() - 1), segment(x, 0, N.value() - 1), tau);
      target.observe("y", normal(y, x, sigma));)
TEST(DependentScales, OfALevelForEachDatum) {
  const std::string by_data = " by data: sigma; ";
  std::string expected;
  for (int i = 1; i <= 8; ++i)
    for (const char* by : {": tau; ", " by data: sigma; "}) expected += "x[" + std::to_string(i) + "]" + by;
  EXPECT_EQ(dependences<LocalLevel>() + "; ", expected);
  const std::vector<DependentScale> found = leaves_of<LocalLevel>();
  for (std::size_t i = 0; i < 8; ++i) {
    const DependentScale& leaf = found[2 * i + 1];
    ASSERT_TRUE(leaf.by_data);
    ASSERT_EQ(leaf.slopes.size(), 1u);
    EXPECT_NEAR(leaf.slopes[0], 1, 1e-12);
    EXPECT_NEAR(leaf.location, static_cast<double>(i + 1), 1e-12);
    EXPECT_TRUE(leaf.location_terms.empty());
  }
}

// The shared part stands in the location of a leaf: 2 x = y - mu.
MODEL(Shifted, auto mu = target.real("mu"); auto sigma = target.real("sigma", lower(0)); auto x = target.vector("x", N);
      target += normal(x, 0, 1);
      for (int i = 0; i < N.value(); ++i) target += normal(y[i], mu + 2 * x[i], sigma* sigma);)
TEST(DependentScales, OfDataWithoutObserve) {
  const std::vector<DependentScale> found = leaves_of<Shifted>();
  ASSERT_EQ(found.size(), 9u);
  EXPECT_EQ(found[0].component, 0u);
  EXPECT_EQ(found[0].hypers, (std::vector<std::size_t>{1}));
  EXPECT_TRUE(found[0].slopes.empty());  // no datum is its own
  for (std::size_t i = 0; i < 8; ++i) {
    const DependentScale& leaf = found[1 + i];
    EXPECT_EQ(leaf.component, 2 + i);
    EXPECT_EQ(leaf.hypers, (std::vector<std::size_t>{1}));
    EXPECT_NEAR(leaf.slopes[0], 2, 1e-9);
    EXPECT_NEAR(leaf.location, 0.5 * static_cast<double>(i + 1), 1e-12);
    ASSERT_EQ(leaf.location_terms.size(), 1u);
    EXPECT_EQ(leaf.location_terms[0].component, 0u);
    EXPECT_NEAR(leaf.location_terms[0].coefficient, -0.5, 1e-12);
  }
}

// Sigma cannot be small: data that share a level differ.
MODEL(TwoEach, auto sigma = target.real("sigma", lower(0)); auto x = target.vector("x", 4); target += normal(x, 0, 1);
      target.observe("y", N, [&](int i, auto& term) { term += normal(y[i], x[i / 2], sigma); });)
MODEL(Regression, auto sigma = target.real("sigma", lower(0)); auto b = target.vector("b", N);
      target += normal(b, 0, 1);
      target.observe("y", N, [&](int i, auto& term) { term += normal(y[i], b[i] + sum(b), sigma); });)
MODEL(Known, auto x = target.vector("x", N); target += normal(x, 0, 1); target.observe("y", normal(y, x, 0.5));)
MODEL(AsItsPrior, auto sigma = target.real("sigma", lower(0)); auto x = target.vector("x", N);
      target += normal(x, 0, sigma); target.observe("y", normal(y, x, sigma));)
TEST(DependentScales, AreNoneOfDataThatHoldTheirScale) {
  EXPECT_EQ(dependences<TwoEach>(), "");
  EXPECT_EQ(dependences<Regression>(), "");
  EXPECT_EQ(dependences<Known>(), "");
  EXPECT_EQ(dependences<AsItsPrior>().find("by data"), std::string::npos);
}

// One datum more than levels hardly holds sigma: two rows share the last level.
MODEL(OneMore, auto sigma = target.real("sigma", lower(0)); auto x = target.vector("x", 7); target += normal(x, 0, 1);
      target.observe("y", N, [&](int i, auto& term) { term += normal(y[i], x[i < 7 ? i : 6], sigma); });)
TEST(DependentScales, OfHardlyMoreDataThanLevels) {
  std::string expected;
  for (int i = 1; i <= 7; ++i) expected += "x[" + std::to_string(i) + "] by data: sigma; ";
  EXPECT_EQ(dependences<OneMore>() + "; ", expected);
}

// A scale of its own for each datum: the log variance is a leaf itself. One in a circle is none.
MODEL(Volatile, auto s = target.real("s", lower(0)); auto h = target.vector("h", 2); auto x = target.vector("x", 2);
      target += normal(h, 0, s); target += normal(x, 0, 1);
      target.observe("y", 2, [&](int i, auto& term) { term += normal(y[i], x[i], exp(0.5 * h[i])); });)
MODEL(CircleByData, auto x = target.real("x"); auto s = target.real("s"); target += normal(x, 0, 1);
      target += normal(s, 0, exp(x)); target.observe("y", normal(y[0], x, exp(s)));)
TEST(DependentScales, OfDataInLevels) {
  EXPECT_EQ(dependences<Volatile>(), "h[1]: s; h[2]: s; x[1] by data: h[1]; x[2] by data: h[2]");
  EXPECT_EQ(dependences<CircleByData>(), "s: x");
}

// Two data for each level, from sources of different noise: each may meet all levels.
MODEL(Sources, auto a = target.real("a", lower(0)); auto b = target.real("b", lower(0)); auto x = target.vector("x", N);
      target += normal(x, 0, 1); target.observe("y", normal(y, x, a)); target.observe("z", normal(2 * y, x, b));)
TEST(DependentScales, OfSeveralSources) {
  const std::vector<DependentScale> found = leaves_of<Sources>();
  ASSERT_EQ(found.size(), 16u);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(found[i].component, 2 + i / 2);
    EXPECT_EQ(found[i].hypers, (std::vector<std::size_t>{i % 2}));
    EXPECT_NEAR(found[i].location, static_cast<double>((1 + i % 2) * (i / 2 + 1)), 1e-12);
  }
}

// Items that measure one factor: where all data of one are met, its loading, which they share, has no room either.
MODEL(Items, auto a = target.real("a", lower(0)); auto b = target.real("b", lower(0)); auto l = target.vector("l", 2);
      auto x = target.vector("x", N); target += normal(x, 0, 1); target += normal(l, 0, 1);
      target.observe("y", normal(y, l[0] * x, a)); target.observe("z", normal(2 * y, l[1] * x, b));)
TEST(DependentScales, OfCoefficientsOfDataThatAreMet) {
  std::string expected = "l[1] by data: a; l[2] by data: b; ";
  for (int i = 1; i <= 8; ++i)
    for (const char* by : {"a", "b"}) expected += "x[" + std::to_string(i) + "] by data: " + by + "; ";
  EXPECT_EQ(dependences<Items>() + "; ", expected);
}

// A coefficient whose hyper is a leaf of its own takes no leaf of a datum with it.
MODEL(CircleOfCoefficient, auto c = target.real("c"); auto h = target.real("h"); auto x = target.vector("x", N);
      target += normal(c, 0, 1); target += normal(h, 0, exp(c)); target += normal(x, 0, 1);
      target.observe("y", normal(y, c + x, exp(h)));)
TEST(DependentScales, OfDataBesideACoefficientInACircle) {
  std::string expected = "h: c; ";
  for (int i = 1; i <= 8; ++i) expected += "x[" + std::to_string(i) + "] by data: h; ";
  EXPECT_EQ(dependences<CircleOfCoefficient>() + "; ", expected);
}

// Ten scales are more than one density may have, and a mean that all items share is a leaf of each.
MODEL(TenItems, auto s = target.vector("s", 10, lower(0)); auto m = target.real("m"); auto x = target.vector("x", N);
      target += normal(x, 0, 1); target += normal(m, 0, 1); target.observe("y", N, [&](int i, auto& term) {
        for (int j = 0; j < 10; ++j) term += normal(y[i], m + x[i], s[j]);
      });)
TEST(DependentScales, OfManyScalesOfData) {
  const std::vector<DependentScale> found = leaves_of<TenItems>();
  ASSERT_EQ(found.size(), 90u);
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].component, 10 + k / 10);
    EXPECT_EQ(found[k].hypers, std::vector<std::size_t>{k % 10});
    EXPECT_EQ(found[k].slopes.empty(), k < 10);
  }
}

// Rows that a few evaluations rule out.
std::size_t evaluations_by_data(std::size_t dimension, const std::function<Notes(const std::vector<double>&)>& notes) {
  Layout layout;
  layout.dimension = dimension;
  for (std::size_t i = 0; i < dimension; ++i) layout.unconstrained_names.push_back("x[" + std::to_string(i + 1) + "]");
  std::vector<DependentScale> found;
  std::size_t count = 0;
  add_scales_by_data(
      layout, [&](const std::vector<double>& q, Notes& into) { into = notes(q), ++count; }, found);
  EXPECT_TRUE(found.empty());
  return count;
}
TEST(DependentScales, OfDataCostLittleWhereTheyAreNone) {
  const auto rows = [](std::size_t n, const auto& row) {
    return [n, row](const std::vector<double>& q) {
      Notes notes;
      for (std::size_t i = 0; i < n; ++i) notes.push_back(row(q, i));
      return notes;
    };
  };
  using Q = std::vector<double>;
  const auto row = [](double location, double scale) { return checks::ScaleArguments{0, location, scale, true}; };
  // Numbers, more data than parameters, a scale that is known, a regression.
  EXPECT_EQ(evaluations_by_data(100, rows(0, [&](const Q&, std::size_t) { return row(0, 1); })), 1u);
  const auto shared = [&](const Q& q, std::size_t i) { return row(q[1 + i % 99], std::exp(q[0])); };
  EXPECT_EQ(evaluations_by_data(100, rows(100'000, shared)), 1u);
  EXPECT_EQ(evaluations_by_data(100, rows(103, shared)), 2u);
  EXPECT_EQ(evaluations_by_data(100, rows(99, [&](const Q& q, std::size_t i) { return row(q[1 + i], 2); })), 2u);
  const auto regression = [&](const Q& q, std::size_t i) {
    double sum = 0;
    for (std::size_t k = 1; k < q.size(); ++k) sum += q[k] * std::sin(static_cast<double>(i * k));
    return row(sum, std::exp(q[0]));
  };
  EXPECT_EQ(evaluations_by_data(100, rows(90, regression)), 5u);
}

// More than can be moved one at a time.
MODEL(LongLevels, auto sigma = target.real("sigma", lower(0)); auto mu = target.real("mu");
      auto x = target.vector("x", 3000); target += normal(x, 0, 1);
      target.observe("y", 3000, [&](int i, auto& term) { term += normal(y[i % 8], mu + 3 * x[i], sigma); });)
TEST(DependentScales, OfLongData) {
  const std::vector<DependentScale> found = leaves_of<LongLevels>();
  ASSERT_EQ(found.size(), 3001u);
  EXPECT_EQ(found[0].component, 1u);  // mu
  for (std::size_t i = 0; i < 3000; ++i) {
    const DependentScale& leaf = found[1 + i];
    EXPECT_EQ(leaf.component, 2 + i);
    ASSERT_EQ(leaf.slopes.size(), 1u);
    EXPECT_NEAR(leaf.location, static_cast<double>(i % 8 + 1) / 3, 1e-9);
    ASSERT_EQ(leaf.location_terms.size(), 1u);
    EXPECT_NEAR(leaf.location_terms[0].coefficient, -1 / 3.0, 1e-9);
  }
}

// Densities that a model writes by hand. Their notes are those of the densities of the library, but for slopes of mu.
template <template <class> class ByHand, template <class> class ByName>
void expect_same_scales(const Data& data = example()) {
  const std::vector<DependentScale> found = leaves_of<ByHand>(data), expected = leaves_of<ByName>(data);
  EXPECT_EQ((dependences<ByHand>(data)), (dependences<ByName>(data)));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    ASSERT_EQ(found[k].slopes.size(), expected[k].slopes.size());
    for (std::size_t h = 0; h < found[k].slopes.size(); ++h)
      EXPECT_NEAR(found[k].slopes[h], expected[k].slopes[h], 1e-6);
    EXPECT_NEAR(found[k].location, expected[k].location, 1e-6);
    ASSERT_EQ(found[k].location_terms.size(), expected[k].location_terms.size());
    for (std::size_t t = 0; t < found[k].location_terms.size(); ++t) {
      EXPECT_EQ(found[k].location_terms[t].component, expected[k].location_terms[t].component);
      EXPECT_NEAR(found[k].location_terms[t].coefficient, expected[k].location_terms[t].coefficient, 1e-6);
    }
  }
}

#define EFFECTS(name, ...)                                                                                          \
  MODEL(name, auto mu = target.real("mu"); auto tau = target.real("tau", lower(0)); auto x = target.vector("x", N); \
        target += normal(mu, 1, 5); __VA_ARGS__; target.observe("y", normal(y, x, 1.0));)
template <class X, class M, class S>
auto written_out(const X& x, const M& mu, const S& sigma) {
  return -0.5 * square((x - mu) / sigma) - log(sigma);
}
EFFECTS(ByName, target += normal(x, mu, tau))
EFFECTS(OneSum, target += -0.5 * sum(square((x - mu) / tau)) - N.value() * log(tau))
EFFECTS(TwoTerms, target += -0.5 * sum(square((x - mu) / tau)); target += -N.value() * log(tau))
EFFECTS(InALoop, target.sum_over(N, [&](int i, auto& term) { term += written_out(x[i], mu, tau); }))
EFFECTS(Precision, auto precision = let(1 / square(tau));
        target += 0.5 * N.value() * log(precision) - 0.5 * precision * sum(square(x - mu)))
EFFECTS(Mixed, target += half_cauchy(tau, 1) - 0.5 * sum(square((x - mu) / tau)) - N.value() * log(tau))
EFFECTS(ByHandStudent, target.sum_over(N, [&](int i, auto& term) {
  term += -2.5 * log1p(0.25 * square((x[i] - mu) / tau)) - log(tau);
}))
TEST(DependentScales, OfDensitiesByHand) {
  expect_same_scales<OneSum, ByName>();
  expect_same_scales<TwoTerms, ByName>();
  expect_same_scales<InALoop, ByName>();
  expect_same_scales<Precision, ByName>();
  expect_same_scales<Mixed, ByName>();
  expect_same_scales<ByHandStudent, ByName>();
}

// The end of a walk given its begin, as in the density of its steps; its begin has no scale.
MODEL(Walk, auto tau = target.real("tau", lower(0)); auto x = target.vector("x", N);
      for (int i = 1; i < N.value(); ++i) target += normal(x[i], x[i - 1], tau* tau);)
MODEL(WalkByHand, auto tau = target.real("tau", lower(0)); auto x = target.vector("x", N);
      for (int i = 1; i < N.value(); ++i) target += written_out(x[i], x[i - 1], tau* tau);)
TEST(DependentScales, OfAWalkByHand) { expect_same_scales<WalkByHand, Walk>(); }

// Curves of another kind: no density has one shape, but for location and scale. Nor has one whose scale is a number.
MODEL(Banana, auto a = target.real("a"); auto b = target.real("b");
      target += -100.0 * square(b - square(a)) - square(1 - a);)
MODEL(Quartic, auto a = target.real("a"); auto b = target.real("b"); target += -exp(b) * square(a) - square(square(a));)
MODEL(PoissonByHand, auto a = target.real("a"); auto b = target.vector("b", 2);
      target.sum_over(N, [&](int i, auto& term) { term += y[i] * (a + b[i % 2]) - exp(a + b[i % 2]); });)
MODEL(FixedScale, auto mu = target.real("mu"); auto x = target.vector("x", 50);
      target += -0.5 * sum(square((x - mu) / 3)); target += -0.5 * sum(square(x));)
TEST(DependentScales, AreNoneOfOtherTermsByHand) {
  EXPECT_EQ(dependences<Banana>(), "");
  EXPECT_EQ(dependences<Quartic>(), "");
  EXPECT_EQ(dependences<PoissonByHand>(), "");
  EXPECT_EQ(dependences<FixedScale>(), "");
}

// The logit of a rate has a scale that the sum of the shapes makes small.
MODEL(Rates, auto phi = target.real("phi", interval(0, 1)); auto kappa = target.real("kappa", lower(0));
      auto x = target.vector("x", 2, interval(0, 1)); auto z = target.real("z", interval(0, 1));
      target += beta(x, phi* kappa, (1 - phi) * kappa) + beta(z, 2, 3);)
TEST(DependentScales, OfBetaVariates) {
  EXPECT_EQ(dependences<Rates>(), "phi: kappa; x[1]: kappa; x[2]: kappa");
  const std::vector<DependentScale> leaves = leaves_of<Rates>();
  for (const std::size_t i : {1, 2}) {
    ASSERT_EQ(leaves[i].slopes.size(), 1u);
    EXPECT_NEAR(leaves[i].slopes[0], -0.5, 1e-5);
    EXPECT_NEAR(leaves[i].location, 0, 1e-5);  // logit(phi)
    ASSERT_EQ(leaves[i].location_terms.size(), 1u);
    EXPECT_EQ(leaves[i].location_terms[0].component, 0u);
    EXPECT_NEAR(leaves[i].location_terms[0].coefficient, 1, 1e-5);
  }
}

}  // namespace
}  // namespace manychain::test
