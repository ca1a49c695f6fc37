// calibrate(): models that are right pass, and each mistake is found.
#include "calibration/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "calibration/prior.hpp"
#include "calibration/simulated_data.hpp"
#include "manychain/chain/terms_of.hpp"
#include "manychain/manychain.hpp"
#include "manychain/run/engine.hpp"
#include "run/defaults.hpp"
#include "unit/run/model_of.hpp"
#include "unit/run/simulated.hpp"

namespace manychain {
namespace {

/// A model of any class, as if it had been generated with its terms.
template <template <class> class ModelClass>
Model with_terms(const Data& data) {
  static const ModelUnit unit{"under_test", "", [] { return ""; },
                              [](const Data& d) -> std::shared_ptr<const Model::Bound> {
                                using Double = VariantList<ModelClass<double>>;
                                return bind_generated(
                                    "under_test", d, {{{nullptr, make_cpu_program<double, Double, false>}}, {}},
                                    model_functions<Double, Double>(nullptr, terms_of<ModelClass<CheckedNumber>>));
                              }};
  return Model(unit, data);
}

Model simulated_model(int mistake, std::size_t rows = 20) {
  Data data;
  data.set("N", rows);
  data.set("mistake", mistake);
  data.set("y", std::vector<double>(rows, 1.0));
  return with_terms<Simulated>(data);
}

const CalibratedQuantity& quantity(const Calibration& calibration, const std::string& name) {
  const auto found = std::find_if(calibration.quantities.begin(), calibration.quantities.end(),
                                  [&](const CalibratedQuantity& of) { return of.name == name; });
  if (found == calibration.quantities.end()) throw std::logic_error("there is no " + name);
  return *found;
}

template <class F>
std::string refused(const F& f) {
  try {
    f();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// One false alarm in 1000 for each of the two runs (calibration_level); seeds are fixed.
TEST(Calibration, PassesWhatIsRight) {
  for (const std::uint64_t seed : {1, 2}) {
    Settings settings;
    settings.seed = seed;
    std::size_t last = 0;
    const Calibration found =
        calibrate(simulated_model(0), 100, settings, [&](std::size_t done) { last = std::max(last, done); });
    EXPECT_TRUE(found.passed) << found.table();
    EXPECT_EQ(found.used, 100u);
    EXPECT_EQ(last, 100u);
    ASSERT_EQ(found.quantities.size(), 5u);  // mu, sigma, two theta, the log likelihood
    EXPECT_EQ(found.replaced, std::vector<std::string>{"y by y_rep"});
    for (const CalibratedQuantity& of : found.quantities) EXPECT_EQ(of.ranks.size(), 100u);
    EXPECT_SAYS(found.table(), "Passed: ");
  }
}

TEST(Calibration, DoesNotDependOnThreads) {
  Settings one, two;
  one.threads = 1;
  two.threads = 2;
  const Calibration a = calibrate(simulated_model(0, 4), 20, one), b = calibrate(simulated_model(0, 4), 20, two);
  for (std::size_t q = 0; q < a.quantities.size(); ++q) EXPECT_EQ(a.quantities[q].ranks, b.quantities[q].ranks);
}

// sigma has a posterior of a relative sd of 1 / sqrt(2 * 18) = 0.17 or less: a factor of 1.5 is 2.4 sds of it, and 0.65
// is found with probability 0.95 (RankUniformity::power).
TEST(Calibration, FindsAnotherSdOfPredictions) {
  const Calibration found = calibrate(simulated_model(1), 100, {});
  EXPECT_TRUE(found.wrong);
  EXPECT_FALSE(found.passed);
  EXPECT_TRUE(quantity(found, "sigma").wrong);
  EXPECT_LT(quantity(found, "sigma").test.mean_rank, 40);
  EXPECT_SAYS(quantity(found, "sigma").in_words(), "too high (by ");
  EXPECT_SAYS(found.table(), "WRONG: ");
}

// The likelihood is too large by sigma^20: of the log of sigma, whose posterior's precision is 2 * 20, that moves the
// mean by 20 / 40 = 0.5, more than three sds.
TEST(Calibration, FindsAMissingJacobian) {
  const Calibration found = calibrate(simulated_model(2), 100, {});
  EXPECT_TRUE(quantity(found, "sigma").wrong) << found.table();
  EXPECT_TRUE(quantity(found, "log likelihood").wrong) << found.table();
}

TEST(Calibration, NamesWhatCannotBeTested) {
  const auto of = [](int mistake) { return refused([&] { calibrate(simulated_model(mistake), 20, {}); }); };
  EXPECT_SAYS(of(3), "the prior of model under_test depends on y: a statement outside of observe()");
  EXPECT_SAYS(of(4), "the prior of under_test is improper: no term keeps sigma from going anywhere; give it a proper");
  EXPECT_SAYS(of(5), "no term keeps mu, theta from going anywhere, alone or together; give what has none a proper");
  EXPECT_SAYS(of(7),
              "model under_test observes y, and nothing predicts it with 20 elements (y_rep has 21); write "
              "target.predict(\"y_rep\", 20, [&](int i)");
  EXPECT_SAYS(of(8),
              "observe(\"total\") of model under_test is called as no variable of the data, which have N, "
              "mistake, y");
  EXPECT_SAYS(of(9), " of 20 data sets that its own y_rep drew: variable out of bounds: y[");
  EXPECT_SAYS(of(10),
              "model under_test refuses 20 of 20 data sets that its own y_rep drew: int variable contained non-int "
              "values: y[1]");
  EXPECT_SAYS(of(11), "y_rep of model under_test is made of y itself: predictions must follow from parameters");
  EXPECT_SAYS(of(12), "model under_test has other parameters or outputs for other y");
  EXPECT_SAYS(refused([] { calibrate(simulated_model(0), 19, {}); }), "at least 20");
  Settings settings;
  settings.chains = 100;
  EXPECT_SAYS(refused([&] { calibrate(simulated_model(0), 20, settings); }), "chains: 100 is not allowed");
  EXPECT_SAYS(refused([] { calibrate(builtin_model("funnel"), 20, {}); }), "has no observe()");
  EXPECT_SAYS(refused([] { calibrate(builtin_model("eight_schools"), 20, {}); }),
              "observes y, and nothing predicts it; write target.predict(\"y_rep\", 8, ");
}

/// Whole numbers, and a vector of two with a density of its own statements.
template <class Number>
struct Counted {
  using samplers = SamplerList<Hmc<>>;
  Size<> N;
  View<const int> k;
  View<const Number> z;
  void data(DataReader& in) {
    in("N", N);
    in("k", k, N, integer(0));
    in("z", z, Size<dynamic>(2));
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto rate = target.real("rate", lower(0));
    auto level = target.real("level");
    target += gamma(rate, 2, 0.2);
    target += normal(level, 0, 1);
    target.observe("k", poisson(k, rate));
    auto covariance = matrix_of(2, 2, [&](int i, int j) { return (i == j ? 1.0 : 0.5) + 0.0 * level; });
    target.observe("z", multi_normal(z, level, covariance));
    target.predict("k", N, [&](int) { return poisson_distribution(rate); });
    target.predict("z_new", multi_normal_distribution(level, covariance));
  }
};

Model counted() {
  Data data;
  data.set("N", 3);
  data.set("k", std::vector<double>{1, 0, 4});
  data.set("z", std::vector<double>{0.5, -0.5});
  return with_terms<Counted>(data);
}

TEST(Calibration, TakesWholeNumbersAndMultivariateData) {
  const Calibration found = calibrate(counted(), 100, {});
  EXPECT_TRUE(found.passed) << found.table();
  EXPECT_EQ(found.refused, 0u);
  EXPECT_EQ(found.replaced, (std::vector<std::string>{"k by k", "z by z_new"}));
  EXPECT_EQ(found.quantities.back().name, "log likelihood of k");  // z has no rows
}

// Density and gradient of the prior without what is observed, also where that is made of several terms; by hand.
TEST(Prior, HasNoTermOfTheData) {
  const Model prior = prior_of(counted());
  for (const double u : {-0.7, 0.4})
    for (const double level : {-1.0, 2.0}) {
      const double q[2] = {u, level}, rate = std::exp(u);
      double gradient[2];
      const double log_density = prior.bound().density(q, gradient);
      // gamma(2, 0.2) of exp(u) with the Jacobian u, and a standard normal.
      EXPECT_NEAR(log_density, 2 * std::log(0.2) + u - 0.2 * rate + u - 0.5 * level * level - 0.5 * std::log(2 * M_PI),
                  1e-12);
      EXPECT_NEAR(gradient[0], 2 - 0.2 * rate, 1e-12);
      EXPECT_NEAR(gradient[1], -level, 1e-12);
    }
  EXPECT_TRUE(improper_priors(prior, 1).empty());
  EXPECT_EQ(improper_priors(prior_of(simulated_model(4)), 1), std::vector<std::string>{"sigma"});
}

/// Its density is zero at all points that are tried as starting points.
template <class Number>
struct FarAway {
  using samplers = SamplerList<Hmc<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    target += uniform(x, 1000, 1001);
  }
};
TEST(Prior, IsNotImproperWhereNoStartIsFound) {
  EXPECT_TRUE(improper_priors(prior_of(with_terms<FarAway>(Data())), 1).empty());
}

// The outputs at a point do not ask whether the data that the model has give it a density.
TEST(SimulatedData, OutputsAreThoseOfThePoint) {
  const Model model = counted();
  const std::vector<double> points = {std::log(3.0), 0.25, std::log(1e-3), -1e200, 900.0, 0.0};  // exp(900) is infinite
  const Draws at = outputs_at(model.bound(), points, 3, 0);
  EXPECT_NEAR(at(0, 0, 0), 3, 1e-12);
  EXPECT_EQ(at(0, 1, 0), 0.25);
  EXPECT_NEAR(at(0, 0, 1), 1e-3, 1e-15);
  EXPECT_EQ(at(0, 1, 1), -1e200);
  EXPECT_TRUE(std::isinf(at(0, 0, 2)));
  const std::vector<Replacement> replacing = replacements(model);
  ASSERT_EQ(replacing.size(), 2u);
  const Data data = simulated(*model.bound().bound_data(), replacing, at, 0);
  EXPECT_EQ(data.find("k")->values.size(), 3u);
  EXPECT_TRUE(data.find("k")->integer);
  EXPECT_EQ(data.find("z")->shape, std::vector<std::size_t>{2});
  EXPECT_NE(data.find("z")->values, model.bound().bound_data()->find("z")->values);
}

// Parameters, and predictions of two kinds, of chains that have moved: not a whole number of packs of them.
TEST(SimulatedData, OutputsHaveTheBitsOfADraw) {
  const Model model = counted();
  Settings settings;
  settings.precision = Precision::double_precision;
  settings.seed = 7;
  settings.chains = 13;
  settings.sampling.draws = 3;
  fill_in_defaults(model, settings);
  const auto engine = make_cpu_engine(model, settings);
  engine->initialise({}, 100);
  GroupTuning tuning;
  tuning.step_size = 0.2;
  tuning.trajectory = 1;
  engine->set_tuning(0, tuning);
  Block block;
  block.count = 3;
  block.keep = true;
  engine->advance(block, 0);
  const Draws drawn = engine->draws(2, 1);
  std::vector<double> made(drawn.variables * drawn.chains);
  const ChainsAt last{.seed = 7, .transition = 2};
  model.bound().operations()->outputs(engine->points(13).positions.data(), 13, last, made.data());
  EXPECT_EQ(made, std::vector<double>(drawn.float64.begin(), drawn.float64.end()));
}

/// Sampled by its full conditional alone.
template <class Number>
struct MeanOfNormals {
  using samplers = SamplerList<Gibbs<>>;
  Size<> N;
  View<const Number> y;
  Number sum = 0;
  void data(DataReader& in) {
    in("N", N);
    in("y", y, N);
    for (int i = 0; i < N.value(); ++i) sum += y[i].v;
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    target += normal(mu, 0, 1);
    target.observe("y", normal(y, mu, 1));
    target.predict("y_rep", N, [&](int) { return normal_distribution(mu, 1); });
  }
  template <class Visitor>
  MANYCHAIN_HD void conditionals(Visitor& visitor) const {
    const Number precision = Number(N.value() + 1);
    visitor.component(
        0, [=, this](const auto&) { return normal_distribution(sum / precision, 1 / std::sqrt(precision)); });
  }
};

TEST(Calibration, TakesSamplersWithoutSteps) {
  Data data;
  data.set("N", 5);
  data.set("y", std::vector<double>(5, 1.0));
  Settings settings;
  settings.sampler = "gibbs";
  const Calibration found = calibrate(with_terms<MeanOfNormals>(data), 20, settings);
  EXPECT_TRUE(found.passed) << found.table();
  EXPECT_EQ(found.used, 20u);
}

}  // namespace
}  // namespace manychain
