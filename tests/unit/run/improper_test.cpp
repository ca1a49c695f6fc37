// Posteriors without a finite integral are named, proper ones are not, however wide; and runs say so first.
#include "check/improper.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "calibration/prior.hpp"
#include "check/uniform_points.hpp"
#include "manychain/manychain.hpp"
#include "manychain/model.hpp"
#include "unit/run/advice.hpp"
#include "unit/run/model_with_terms.hpp"

namespace manychain::test {
namespace {

using Names = std::vector<std::string>;

Names improper(const Model& model) { return improper_parameters(model, uniform_points(model, 3, 2, 1)); }

/// A real x and a positive s, each with one of several densities.
template <class Number>
struct Shapes {
  Size<> of_x, of_s;
  void data(DataReader& in) {
    in("of_x", of_x);
    in("of_s", of_s);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto s = target.real("s", lower(0));
    if (of_x.value() == 1) target += -0.5 * log1p(square(x));  // as 1 / |x|
    if (of_x.value() == 2) target += normal(x, 0, 1e6);
    if (of_x.value() == 3) target += student_t(x, 0.2, 0, 1);
    if (of_x.value() == 4) target += uniform(x, -500, 500);
    if (of_x.value() == 5) target += cauchy(x, 3e4, 1);
    if (of_x.value() == 6) target += uniform(x, -1e4, 1e4);
    if (of_x.value() == 7) target += uniform(x, -3, 1e8);
    if (of_x.value() == 8)
      target += normal(x, 0, 1000) + of_s.value() * exp(x);  // 0 times a number, as far as there is one
    if (of_x.value() == 9) target += of_s.value() * exp(x);
    if (of_x.value() == 10) target += normal(x, 0, 1) - 1e30;
    if (of_s.value() == 1) target += -log(s);
    if (of_s.value() == 2) target += half_cauchy(s, 5);
    if (of_s.value() == 3) target += inverse_gamma(s, 0.01, 0.01);
    if (of_s.value() == 4) target += uniform(s, 0, 1e4);
    if (of_s.value() == 5) target += exponential(s, 1e-6);
    if (of_s.value() == 6) target += inverse_gamma(s, 0.001, 0.001);
  }
};
Model shapes(int of_x, int of_s) {
  Data data;
  data.set("of_x", of_x);
  data.set("of_s", of_s);
  return model_with_terms<Shapes, "hmc">(data);
}

/// Asks of a model and of its prior, which is the same here, and has no terms.
void expect_improper(const Model& model, const Names& names) {
  EXPECT_EQ(improper(model), names);
  EXPECT_EQ(improper_priors(prior_of(model), 1), names);
}

TEST(Improper, names_what_has_no_finite_integral) {
  for (const int proper : {2, 3, 4, 5, 6}) {
    SCOPED_TRACE(proper);
    expect_improper(shapes(0, proper), {"x"});
    expect_improper(shapes(1, proper), {"x"});
    expect_improper(shapes(proper, 0), {"s"});
    expect_improper(shapes(proper, 1), {"s"});
  }
  expect_improper(shapes(0, 1), {"x", "s"});
}

TEST(Improper, names_no_proper_density) {
  for (const int of_x : {2, 3, 4, 5, 6, 7})
    for (const int of_s : {2, 3, 4, 5, 6}) {
      SCOPED_TRACE(std::to_string(of_x) + " " + std::to_string(of_s));
      expect_improper(shapes(of_x, of_s), {});
    }
  for (const ModelInfo& info : builtin_models()) {
    const Model model = builtin_model(info.name);
    EXPECT_EQ(improper(model), Names{}) << info.name;
  }
}

// Distances of 600 and 3000 above such a point lie on both sides of the mean of the prior.
TEST(Improper, names_no_wide_prior_where_numbers_end) {
  EXPECT_EQ(improper_parameters(shapes(8, 0), {-1500, 0}), Names{"s"});
  EXPECT_EQ(improper_parameters(shapes(9, 0), {-1500, 0}), (Names{"x", "s"}));
}

// -1e30 in the place of a density of zero: nothing that falls is seen beside it.
TEST(Improper, names_nothing_where_rounding_hides_what_falls) { EXPECT_EQ(improper(shapes(10, 2)), Names{}); }

/// y ~ N(a + b x + c w, sigma), x as prices are; a and sigma alone have priors.
template <class Number>
struct TwoPredictors {
  Size<> N, prior;
  View<const Number> x, w, y;
  void data(DataReader& in) {
    in("N", N);
    in("prior", prior);
    in("x", x, N);
    in("w", w, N);
    in("y", y, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto a = target.real("a");
    auto b = target.real("b");
    auto c = target.real("c");
    auto sigma = target.real("sigma", lower(0));
    target += normal(a, 0, 10);
    target += exponential(sigma, 1);
    if (prior.value() > 0) target += normal(b, 0, 1e-5) + normal(c, 0, 1e-5);
    target.observe("y", N, [&](auto j, auto& term) { term += normal(y[j], a + b * x[j] + c * w[j], sigma); });
  }
};
/// `apart`: how far w is from 2 x.
Model two_predictors(double apart, bool prior = false) {
  std::vector<double> x, w, y;
  for (int j = 0; j < 40; ++j) {
    x.push_back(1e6 + 3e5 * std::sin(7.0 * j));
    w.push_back(2 * x.back() + apart * std::cos(5.0 * j));
    y.push_back(3 + 2e-6 * x.back() + std::sin(11.0 * j));
  }
  Data data;
  data.set("N", 40);
  data.set("prior", prior ? 1 : 0);
  data.set("x", x);
  data.set("w", w);
  data.set("y", y);
  return model_with_terms<TwoPredictors, "hmc">(data);
}

// By collinear predictors, whose scales are far from those of the other parameters.
TEST(Improper, names_parameters_that_only_their_sum_bounds) {
  EXPECT_EQ(improper(two_predictors(0)), (Names{"b", "c"}));
  EXPECT_EQ(improper(two_predictors(1)), Names{});
  EXPECT_EQ(improper(two_predictors(0, true)), Names{});
}

/// Categories of an intercept and a slope each: a number that is added to all intercepts, or to all slopes, changes
/// nothing. With `priors` 1 the intercepts have a prior, with 2 the slopes, too.
template <class Number>
struct AllCategories {
  Size<> priors;
  void data(DataReader& in) { in("priors", priors); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    const Size<3> K{};
    auto a = target.vector("a", K);
    auto b = target.vector("b", K);
    if (priors.value() > 0) target += normal(a, 0, 5);
    if (priors.value() > 1) target += normal(b, 0, 5);
    for (const int i : {0, 1, 2, 3, 4, 5, 6, 7})
      target += categorical_logit(i % 3, vector_of(K, [&](int k) { return a[k] + 0.37 * (i - 3.1) * b[k]; }));
  }
};
Model all_categories(int priors) {
  Data data;
  data.set("priors", priors);
  return model_with_terms<AllCategories, "hmc">(data);
}
TEST(Improper, names_each_of_several_sums) {
  EXPECT_EQ(improper(all_categories(0)), (Names{"a", "b"}));
  EXPECT_EQ(improper(all_categories(1)), Names{"b"});
  EXPECT_EQ(improper(all_categories(2)), Names{});
}
/// Two intercepts and a trend by the year, whose curvature is hardly seen beside that of the slopes.
template <class Number>
struct Years {
  Size<> prior;
  void data(DataReader& in) { in("prior", prior); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto a1 = target.real("a1");
    auto a2 = target.real("a2");
    auto b = target.real("b");
    auto c = target.real("c");
    if (prior.value() > 0) target += normal(a2, 0, 5);
    for (const double year : {1990, 1995, 2000, 2005, 2010, 2015, 2020})
      target += normal(std::sin(year), a1 + a2 + b * year + c * year * year, 1);
  }
};
TEST(Improper, names_sums_beside_directions_that_hardly_curve) {
  Data data;
  data.set("prior", 0);
  EXPECT_EQ(improper(model_with_terms<Years, "hmc">(data)), (Names{"a1", "a2"}));
  data.set("prior", 1);
  EXPECT_EQ(improper(model_with_terms<Years, "hmc">(data)), Names{});
}
// Chains go 1e5 away, where rounding hides much. A look at the first draws ends these runs, which have 1000 draws else.
TEST(Improper, is_said_of_runs_of_several_sums) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Settings s;
    s.seed = seed;
    const Result result = sample(all_categories(0), s);
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.posterior.improper, (Names{"a", "b"})) << seed;
    EXPECT_LE(result.kept, 40u) << seed;
  }
}

/// Proper, with its mass 1e6 away, and slow: a look finds chains far out before they have what is asked for.
template <class Number>
struct FarAway {
  void data(DataReader&) {}
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto a = target.real("a");
    auto b = target.real("b");
    target += student_t(a, 2, 1e6, 10) + normal(b, a, 1e-2);
  }
};
TEST(Improper, ends_no_run_whose_posterior_lies_far_away) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Settings s;
    s.seed = seed;
    s.sampling.draws = 160;
    s.sampling.target_ess = 1e6;
    const Result result = sample(model_with_terms<FarAway, "hmc">(), s);
    EXPECT_EQ(result.kept, 160u) << seed;
    EXPECT_EQ(result.posterior.improper, Names{}) << seed;
  }
}

/// Degrees of freedom without a prior: the density has a finite limit at infinity, behind a valley if data have tails.
template <class Number>
struct FlatTail {
  Size<> prior;
  void data(DataReader& in) { in("prior", prior); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto nu = target.real("nu", lower(0));
    if (prior.value() > 0) target += gamma(nu, 2, 0.1);
    for (const double y : {-30.0, -2.0, -1.0, -0.5, -0.2, 0.1, 0.4, 0.7, 1.0, 3.0, 25.0})
      target += student_t(y, nu, 0, 1);
  }
};
TEST(Improper, is_said_of_runs_whose_chains_agree_behind_a_valley) {
  for (const int prior : {0, 1})
    for (const std::uint64_t seed : {1, 2, 3}) {
      Data data;
      data.set("prior", prior);
      Settings s;
      s.seed = seed;
      const Result result = sample(model_with_terms<FlatTail, "hmc">(data), s);
      EXPECT_EQ(result.posterior.improper, prior == 0 ? Names{"nu"} : Names{}) << seed;
      EXPECT_EQ(result.converged, prior == 1) << seed;
      EXPECT_TRUE(result.sampling.reached_target) << seed;
    }
}

TEST(Improper, ends_with_its_evaluations) {
  EXPECT_EQ(improper_parameters(two_predictors(0), std::vector<double>(4, 0.5), 10), Names{});
}

/// A logistic regression on data that a threshold of x separates.
template <class Number>
struct Separated {
  Size<> prior;
  void data(DataReader& in) { in("prior", prior); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto a = target.real("a");
    auto b = target.real("b");
    if (prior.value() > 0) target += normal(a, 0, 5) + normal(b, 0, 5);
    for (const int x : {-4, -3, -2, -1, 1, 2, 3, 4}) target += bernoulli_logit(x > 0 ? 1 : 0, a + b * x);
  }
};
Model separated(bool prior) {
  Data data;
  data.set("prior", prior ? 1 : 0);
  return model_with_terms<Separated, "hmc">(data);
}

// No settings are named, and no quantiles vouched for.
TEST(Improper, is_said_before_all_else_and_a_prior_cures_it) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Settings s;
    s.seed = seed;
    expect_that_advice_cures({"Improper: the density has no finite integral along ",
                              "a proper prior, for example normal(", separated(false), s, not_converged,
                              [] { return separated(true); }});
    const Result result = sample(separated(false), s);
    const std::string text = result.verdict().text();
    EXPECT_FALSE(result.converged);
    EXPECT_EQ(result.verdict().findings.front().what.rfind("Improper:", 0), 0u) << text;
    EXPECT_NE(text.find("No more draws mend that: see Improper."), std::string::npos) << text;
    EXPECT_EQ(text.find("Settings::"), std::string::npos) << text;
    EXPECT_EQ(text.find("quantiles, which stand"), std::string::npos) << text;
  }
}

TEST(Improper, is_noted_by_the_check_of_a_model) {
  const ModelCheck found = check_model(separated(false)), proper = check_model(separated(true));
  EXPECT_TRUE(found.passed) << found.table();
  EXPECT_NE(found.table().find("improper: the density has no finite integral along b; no run converges before it has a "
                               "proper prior"),
            std::string::npos)
      << found.table();
  EXPECT_EQ(proper.table().find("improper"), std::string::npos) << proper.table();
}

// A posterior without a finite integral has no tails to speak of, and what else was found is due to it.
TEST(Improper, is_the_only_cause) {
  Result result = sample(builtin_model("normal"), few("hmc", 256, 300, 100));
  ASSERT_TRUE(result.verdict().sound()) << result.verdict().text();
  result.posterior.improper = {"a", "b"};
  result.posterior.edges = {"tau"};
  result.posterior.places = "tau: chains stay in 2 places";
  result.summary[0].statistics.khat = 2;
  result.sampling.divergences = 3;
  const diagnostics::Verdict verdict = result.verdict();
  ASSERT_EQ(verdict.texts(diagnostics::Severity::failure).size(), 1u) << verdict.text();
  EXPECT_EQ(verdict.findings[0].text(),
            "Improper: the density has no finite integral along a, b, alone or together: however far one goes, it does "
            "not fall, or too slowly. No run samples such a posterior. Give each of them that has none a proper prior, "
            "for example normal(a, 0, 5).");
  EXPECT_NE(verdict.text().find("whatever the step size: see Improper."), std::string::npos) << verdict.text();
  EXPECT_EQ(verdict.text().find("Tails:"), std::string::npos) << verdict.text();
  EXPECT_EQ(verdict.text().find("Settings::"), std::string::npos) << verdict.text();
}

// Proper posteriors whose runs are too short to converge are not accused.
TEST(Improper, is_not_said_of_short_runs) {
  std::size_t converged = 0;
  for (const char* name : {"eight_schools_centered", "funnel", "banana", "logistic_regression"}) {
    Settings s;
    s.sampling.draws = 6;
    s.warmup.transitions = 50;
    const Result result = sample(builtin_model(name), s);
    EXPECT_EQ(result.posterior.improper, Names{}) << name;
    converged += result.converged;
  }
  EXPECT_LE(converged, 1u);
}

}  // namespace
}  // namespace manychain::test
