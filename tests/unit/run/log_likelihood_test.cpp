// Pointwise log likelihoods, against the densities written down once more from the draws.
#include "run/log_likelihood.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "manychain/chain/program.hpp"
#include "manychain/manychain.hpp"
#include "manychain/model.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

constexpr double log_sqrt_2pi = 0.91893853320467274178;
double normal_lpdf(double x, double mu, double sigma) {
  const double z = (x - mu) / sigma;
  return -0.5 * z * z - std::log(sigma) - log_sqrt_2pi;
}

/// Two likelihoods of different kinds; parameters with every kind of constraint, a prior that no row may take, a sum
/// within a row, a `let` outside.
template <class Number>
struct TwoLikelihoods {
  Size<> N, M;
  View<const Number> y;
  View<const int> count, kind;

  void data(DataReader& in) {
    in("N", N);
    in("M", M);
    in("y", y, N);
    in("kind", kind, N, integer(0, 2));
    in("count", count, M, integer(0));
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto sigma = target.real("sigma", lower(0));
    auto weights = target.simplex("weights", Size<3>{});
    auto cut = target.ordered("cut", 3);
    auto rate = target.vector("rate", M, interval(0.1, 5));
    target += normal(mu, 0, 1);
    target += exponential(sigma, 1);
    target += normal(cut, 0, 2);
    target.sum_over(M, [&](auto j, auto& term) { term += normal(rate[j], 1, 1); });
    auto shift = let(mu + 1);
    target.observe("y", N, [&](auto j, auto& term) {
      term += normal(y[j], shift + cut[kind[j]], sigma);
      target.sum_over(2, [&](int k, auto& inner) { inner += log(weights[k]); });
    });
    target.observe("count", M, [&](auto j, auto& term) { term += poisson_log(count[j], log(rate[j])); });
    target.derived("twice", 2 * mu);
  }
};

Data two_likelihoods() {
  return Data::from_json(R"({"N": 4, "M": 3, "y": [0.5, -1, 2, 3.25], "kind": [0, 2, 1, 1], "count": [2, 0, 3]})");
}

Settings short_run(Precision precision = Precision::double_precision) {
  Settings settings;
  settings.backend = Backend::cpu;
  settings.precision = precision;
  settings.chains = 37;  // no whole packs
  settings.warmup.transitions = 50;
  settings.sampling.draws = 11;
  settings.seed = 5;
  settings.output.log_likelihood = 11;
  return settings;
}

/// The row of the draw, from the outputs that the result holds.
double by_hand(const Result& result, std::size_t draw, std::size_t chain, std::size_t row) {
  const double y[] = {0.5, -1, 2, 3.25}, counts[] = {2, 0, 3};
  const std::size_t kind[] = {0, 2, 1, 1};
  const auto of = [&](const char* name, std::size_t i = 0) -> double {
    for (const Quantity& quantity : result.layout.quantities)
      if (quantity.name == name) return result.draws(draw, quantity.offset + i, chain);
    return NAN;
  };
  if (row < 4)
    return normal_lpdf(y[row], of("mu") + 1 + of("cut", kind[row]), of("sigma")) + std::log(of("weights", 0)) +
           std::log(of("weights", 1));
  const double rate = of("rate", row - 4), count = counts[row - 4];
  return count * std::log(rate) - rate - std::lgamma(count + 1);
}

TEST(LogLikelihood, IsThatOfEachRow) {
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    const Result result = sample(model_of<TwoLikelihoods>(two_likelihoods()), short_run(precision));
    const Draws& rows = result.output.log_likelihood;
    ASSERT_EQ(rows.draws, 11u);
    ASSERT_EQ(rows.variables, 7u);
    ASSERT_EQ(rows.chains, 37u);
    ASSERT_EQ(rows.float32.empty(), precision == Precision::double_precision);
    // Rounded once, from a value in double; of packs log and exp are good to a few units in the last place.
    const double relative = precision == Precision::single_precision ? 0x1p-24 : 1e-14;
    for (std::size_t d = 0; d < 11; ++d)
      for (std::size_t c = 0; c < 37; ++c)
        for (std::size_t r = 0; r < 7; ++r) {
          const double known = by_hand(result, d, c, r);
          EXPECT_NEAR(rows(d, r, c), known, relative * std::max(10.0, 2 * std::fabs(known)))
              << "draw " << d << ", chain " << c << ", row " << r;
        }
  }
}

/// A vector with a weight for each row, and a single number.
template <class Number>
struct WeightedAndSingle {
  Size<> N;
  View<const Number> y, w;
  Scalar<Number> total;

  void data(DataReader& in) {
    in("N", N);
    in("y", y, N);
    in("w", w, N, lower(0));
    in("total", total);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    target += normal(mu, 0, 1);
    target.observe("total", normal(total, 3 * mu, 2));
    target.observe("y", w * normal(y, mu, 1));
  }
};

TEST(LogLikelihood, OfWeightedRowsAndOfASingleNumber) {
  const Model model =
      model_of<WeightedAndSingle>(Data::from_json(R"({"N": 2, "y": [0.5, -1], "w": [0.25, 3], "total": 2.5})"));
  EXPECT_TRUE(model.layout().observed[0].scalar);
  const Result result = sample(model, short_run());
  ASSERT_EQ(result.output.log_likelihood.variables, 3u);
  for (std::size_t d = 0; d < 11; ++d)
    for (std::size_t c = 0; c < 37; ++c) {
      const double mu = result.draws(d, 0, c);
      const double known[] = {normal_lpdf(2.5, 3 * mu, 2), 0.25 * normal_lpdf(0.5, mu, 1), 3 * normal_lpdf(-1, mu, 1)};
      for (std::size_t r = 0; r < 3; ++r)
        EXPECT_NEAR(result.output.log_likelihood(d, r, c), known[r], 1e-13 * (1 + std::fabs(known[r])));
    }
}

TEST(LogLikelihood, OfTheModelSaysWhatItsRowsAre) {
  const Model model = model_of<TwoLikelihoods>(two_likelihoods());
  ASSERT_EQ(model.layout().observed.size(), 2u);
  EXPECT_EQ(model.layout().observed[0].name, "y");
  EXPECT_EQ(model.layout().observed[1].rows, 3u);
  EXPECT_EQ(model.layout().observed_rows(), 7u);
  EXPECT_EQ(model.layout().parameter_outputs(), 11u);
  EXPECT_EQ(model.data()->find("y")->values.size(), 4u);
}

TEST(LogLikelihood, OfSomeDrawsIsEvenlySpread) {
  Settings settings = short_run();
  const Model model = model_of<TwoLikelihoods>(two_likelihoods());
  const Result all = sample(model, settings);
  settings.output.log_likelihood = 4;
  const Result some = sample(model, settings);
  EXPECT_EQ(some.output.log_likelihood_draws, (std::vector<std::size_t>{1, 4, 7, 10}));
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t r = 0; r < 7; ++r)
      EXPECT_EQ(some.output.log_likelihood(k, r, 36),
                all.output.log_likelihood(some.output.log_likelihood_draws[k], r, 36));
  settings.output.log_likelihood = 1000;
  EXPECT_EQ(sample(model, settings).output.log_likelihood.draws, 11u);
  settings.output.log_likelihood = 0;
  const Result none = sample(model, settings);
  EXPECT_TRUE(none.output.log_likelihood.empty());
  EXPECT_EQ(none.draws.float64, all.draws.float64);  // it changes no draw
}

TEST(LogLikelihood, DoesNotDependOnThreads) {
  Settings settings = short_run();
  settings.threads = 1;
  const Model model = model_of<TwoLikelihoods>(two_likelihoods());
  const Result one = sample(model, settings);
  settings.threads = 5;
  EXPECT_EQ(sample(model, settings).output.log_likelihood.float64, one.output.log_likelihood.float64);
}

TEST(LogLikelihood, IsWholeOrNotThere) {
  const Model model = model_of<TwoLikelihoods>(two_likelihoods());
  Result result = sample(model, short_run());
  std::atomic<bool> cancel{true};
  EXPECT_FALSE(add_log_likelihood(model, result, &cancel));
  EXPECT_TRUE(result.output.log_likelihood.empty());
  EXPECT_TRUE(result.output.log_likelihood_draws.empty());
  cancel = false;
  EXPECT_TRUE(add_log_likelihood(model, result, &cancel));
  EXPECT_EQ(result.output.log_likelihood.draws, 11u);
}

// Eight lanes at once, and a draw alone.
TEST(LogLikelihood, OfADrawDoesNotDependOnItsNeighbours) {
  const Model model = model_of<TwoLikelihoods>(two_likelihoods());
  const Result result = sample(model, short_run());
  const auto operations = model.bound().operations();
  std::vector<double> parameters(11), rows(7);
  for (std::size_t i = 0; i < 11; ++i) parameters[i] = result.draws(3, i, 20);
  operations->rows(parameters.data(), 1, 1, rows.data(), 1);
  for (std::size_t r = 0; r < 7; ++r) EXPECT_EQ(rows[r], result.output.log_likelihood(3, r, 20));
}

// An interval parameter that rounding has put onto its bound has no finite place on the unconstrained scale.
TEST(LogLikelihood, NeedsNoWayBackToTheUnconstrainedScale) {
  const Model model = model_of<TwoLikelihoods>(two_likelihoods());
  const auto operations = model.bound().operations();
  const std::vector<double> parameters = {0, 1, 0, 1, 0, -1, 0, 1, 5, 5, 5};
  std::vector<double> rows(7);
  operations->rows(parameters.data(), 1, 1, rows.data(), 1);
  EXPECT_NEAR(rows[4], 2 * std::log(5.0) - 5 - std::log(2.0), 1e-14);
  EXPECT_EQ(rows[0], -INFINITY);  // a weight of zero
}

/// Every element of matrices with each constraint, sizes in registers and in the arena, one behind the other, and
/// vectors whose unconstrained components are fewer than their elements; `last` is read behind all of them.
template <class Number>
struct OfMatrices {
  Size<> N;

  void data(DataReader& in) { in("N", N); }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto L = target.cholesky_corr("L", N);
    auto C = target.cholesky_cov("C", N);
    auto direction = target.vector("direction", 3, unit_vector());
    auto P = target.corr_matrix("P", N);
    auto S = target.cov_matrix("S", N);
    auto contrast = target.vector("contrast", 3, sum_to_zero());
    auto l = target.cholesky_corr("l", Size<2>{});
    auto c = target.cholesky_cov("c", Size<2>{});
    auto p = target.corr_matrix("p", Size<2>{});
    auto s = target.cov_matrix("s", Size<2>{});
    auto last = target.real("last", lower(0));
    target += normal(contrast, 0, 1);
    target += exponential(last, 1);
    auto z = target.solve_lower(C, direction);
    for_each_of(target, 3, L, C, P, S);
    for_each_of(target, 2, l, c, p, s);
    target.observe("solved", 3, [&](int i, auto& term) { term += normal(z[i] + contrast[i], 0, last); });
  }
  /// A prior for the elements, and an observe() of n x n rows for each of the matrices.
  template <class Target, class... M>
  MANYCHAIN_HD static void for_each_of(Target& target, int n, const M&... matrices) {
    const char* const names[] = {n == 3 ? "y0" : "z0", n == 3 ? "y1" : "z1", n == 3 ? "y2" : "z2",
                                 n == 3 ? "y3" : "z3"};
    int k = 0;
    (target.observe(names[k++], n * n, [&](int j, auto& term) { term += normal(matrices[j / n][j % n], 0.25, 1); }),
     ...);
  }
};

TEST(LogLikelihood, OfMatricesWithAConstraint) {
  const Model model = model_of<OfMatrices, "hmc">(Data::from_json(R"({"N": 3})"));
  const char* const names[] = {"L", "C", "P", "S", "l", "c", "p", "s"};
  for (const Precision precision : {Precision::single_precision, Precision::double_precision}) {
    const Result result = sample(model, short_run(precision));
    ASSERT_EQ(result.output.no_log_likelihood, "");
    const Draws& rows = result.output.log_likelihood;
    ASSERT_EQ(rows.draws, 11u);
    ASSERT_EQ(rows.variables, 4u * 9 + 4 * 4 + 3);
    const double relative = precision == Precision::single_precision ? 0x1p-23 : 1e-13;
    const auto near = [&](double got, double known, double scale) {
      EXPECT_NEAR(got, known, relative * std::max(scale, std::fabs(known)));
    };
    for (std::size_t d = 0; d < 11; ++d)
      for (std::size_t chain = 0; chain < 37; ++chain) {
        const auto of = [&](const std::string& name, std::size_t i = 0) -> double {
          for (const Quantity& quantity : result.layout.quantities)
            if (quantity.name == name) return result.draws(d, quantity.offset + i, chain);
          return NAN;
        };
        // In the order of the observe(): nine rows of the four large matrices, four of the small ones.
        for (std::size_t m = 0, row = 0; m < 8; ++m)
          for (std::size_t i = 0; i < (m < 4 ? 9u : 4u); ++i, ++row)
            near(rows(d, row, chain), normal_lpdf(of(names[m], i), 0.25, 1), 1);
        double z[3], scale = 10;
        for (std::size_t i = 0; i < 3; ++i) {
          double rest = of("direction", i);
          for (std::size_t j = 0; j < i; ++j) rest -= of("C", 3 * i + j) * z[j];
          z[i] = rest / of("C", 4 * i);
          const double x = std::fabs(z[i]) + std::fabs(of("contrast", i)), sigma = of("last");
          scale += 100 * x * x / (sigma * sigma);
          near(rows(d, 52 + i, chain), normal_lpdf(z[i] + of("contrast", i), 0, sigma), scale);
        }
      }
  }
}

/// Log likelihoods alone fail: the model cannot be evaluated at recorded parameters.
template <class Number>
struct FailsBehind {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target.observe("y", 3, [&](int j, auto& term) {
      if constexpr (requires { requires Target::pointwise; }) throw BadInput("no log likelihood today");
      term += normal(x, j, 1);
    });
  }
};

TEST(LogLikelihood, FailuresLoseNoDraws) {
  const Result result = sample(model_of<FailsBehind, "hmc">(), short_run());
  EXPECT_EQ(result.draws.draws, 11u);
  EXPECT_FALSE(result.draws.float64.empty());
  EXPECT_FALSE(result.cancelled);
  EXPECT_TRUE(result.output.log_likelihood.float64.empty());
  EXPECT_TRUE(result.output.log_likelihood_draws.empty());
  EXPECT_EQ(result.output.no_log_likelihood, "no log likelihood today");
  const std::string path = testing::TempDir() + "manychain_no_log_likelihood_" + std::to_string(getpid()) + ".nc";
  write_netcdf(path, result);
  const diagnostics::Verdict of_file = diagnose(read_draws({path})).verdict;
  std::remove(path.c_str());
  for (const auto& verdict : {result.verdict(), of_file}) {
    const auto warnings = verdict.texts(diagnostics::Severity::warning);
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
      return warning.rfind("Log likelihoods: none could be computed: no log likelihood today. ", 0) == 0;
    })) << verdict.text();
  }
}

TEST(LogLikelihood, OfABuiltInModel) {
  Settings settings = short_run(Precision::single_precision);
  const Result result = sample(builtin_model("eight_schools"), settings);
  const double y[] = {28, 8, -3, 7, -1, 1, 18, 12}, sigma[] = {15, 10, 16, 11, 9, 11, 10, 18};
  for (std::size_t r = 0; r < 8; ++r) {
    const double theta = result.draws(2, 0, 9) + result.draws(2, 1, 9) * result.draws(2, 2 + r, 9);
    const double known = normal_lpdf(y[r], theta, sigma[r]);
    EXPECT_NEAR(result.output.log_likelihood(2, r, 9), known, 0x1p-23 * std::fabs(known));
  }
}

template <class Number>
struct TwiceTheSameName {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    for (int k = 0; k < 2; ++k) target.observe("y", 3, [&](auto, auto& term) { term += normal(x, 0, 1); });
  }
};
template <class Number>
struct Nameless {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target.observe(" y", 3, [&](auto, auto& term) { term += normal(x, 0, 1); });
  }
};
template <class Number>
struct Latent {
  using samplers = SamplerList<Gibbs<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto z = target.latent_integers("z", 2, 0, 1);
    target += bernoulli_logit(z[0], 0) + bernoulli_logit(z[1], 0);
    target.observe("y", 2, [&](int j, auto& term) { term += normal(x, z[j], 1); });
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    visitor.component(0, [](const auto&) { return normal_distribution(0, 1); });
    visitor.components(1, 2, [](int, const auto&) { return bernoulli_logit_distribution(0); });
  }
};

TEST(LogLikelihood, SaysWhyThereIsNone) {
  Settings settings = short_run();
  EXPECT_SAYS(refusal(model_of<TwiceTheSameName>(), settings),
              "Settings::output.log_likelihood: model under_test has two observe() with the name y: give each its own");
  EXPECT_SAYS(refusal(model_of<Nameless>(), settings), "has the name \" y\", which no file can hold");
  EXPECT_SAYS(refusal(builtin_model("funnel"), settings), "model funnel has no observe()");
  CompiledDensity density;
  density.dimension = 1;
  density.value_and_gradient = [](const double* q, double* g) { return *g = -*q, -0.5 * *q * *q; };
  EXPECT_SAYS(refusal(Model(density), settings), "has no observe()");
  settings.output.keep_draws = false;
  EXPECT_SAYS(refusal(builtin_model("eight_schools"), settings), "which Settings::output.keep_draws leaves out");
  settings = short_run();
  settings.sampling.draws = settings.output.log_likelihood = std::size_t{1} << 36;
  EXPECT_SAYS(
      refusal<OutOfMemory>(builtin_model("eight_schools"), settings),
      "Settings::output.log_likelihood: 68719476736 draws of 37 chains, of 8 rows each, take 162727.7 GB, and ");
  settings = short_run();
  settings.sampler = "gibbs";
  EXPECT_SAYS(refusal(model_of<Latent>(), settings),
              "the draws of model under_test leave out z, of which its data terms may be functions");
}

}  // namespace
}  // namespace manychain
