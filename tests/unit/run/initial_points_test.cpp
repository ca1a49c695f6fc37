// Starting points from values of parameters by name.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "manychain/run/result.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

/// A parameter of each kind.
template <class Number>
struct Constrained {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    auto sigma = target.real("sigma", lower(0));
    auto below = target.real("below", upper(3));
    auto part = target.real("part", interval(mu, 2));  // a bound that is a parameter
    auto x = target.vector("x", Size<2>());
    auto rates = target.vector("rates", Size<2>(), lower(1));
    auto p = target.simplex("p", Size<3>());
    auto cuts = target.ordered("cuts", Size<3>());
    target += normal(mu, -1, 0.1) + normal(sigma, 1, 1) + normal(below, 0, 1) + normal(part, 0, 1);
    target += normal(x[0], 0, 1) + normal(x[1], 0, 1) + normal(rates[0], 2, 1) + normal(rates[1], 2, 1);
    target += normal(p[0], 0, 1) + normal(cuts[0], 0, 1) + normal(cuts[1], 0, 1) + normal(cuts[2], 0, 1);
    target.derived("twice", 2 * mu);
  }
};

Data complete_values() {
  return Data::from_json(R"({"mu": -1.5, "sigma": 0.25, "below": -4, "part": 1.25, "x": [3, 4], "rates": [1.5, 7],
                             "p": [0.2, 0.5, 0.3], "cuts": [-1, 0.5, 9], "twice": 3})");
}

Settings small() {
  Settings s;
  s.chains = 64;
  s.seed = 5;
  s.backend = Backend::cpu;
  s.precision = Precision::double_precision;
  return s;
}

/// Output by output: a proposal of scale 1e-12 moves nothing that is seen.
std::vector<double> start_of(const Model& model, Settings s, std::size_t chain) {
  s.sampler = "metropolis";
  s.sampling.step_size = 1e-12;
  s.warmup.transitions = 0;
  s.sampling.draws = 4;
  const Result result = sample(model, s);
  std::vector<double> values;
  for (std::size_t v = 0; v < result.draws.variables; ++v) values.push_back(result.draws(0, v, chain));
  return values;
}

std::string refusal_of(const Model& model, const char* json) {
  Settings s = small();
  try {
    set_initial_points(model, {Data::from_json(json)}, s);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "nothing was thrown";
}

const Model& constrained() {
  static const Model model = model_of<Constrained, "metropolis">();
  return model;
}

TEST(InitialPoints, AreTheValuesOnTheConstrainedScale) {
  Settings s = small();
  set_initial_points(constrained(), {complete_values()}, s);
  EXPECT_EQ(s.superchains, 0u);  // one point does not show what is forgotten
  const std::vector<double> expected = {-1.5, 0.25, -4, 1.25, 3, 4, 1.5, 7, 0.2, 0.5, 0.3, -1, 0.5, 9, -3};
  for (const std::size_t chain : {0, 63}) {
    const std::vector<double> start = start_of(constrained(), s, chain);
    ASSERT_EQ(start.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(start[i], expected[i], 1e-8) << i;
  }
}

// Chains that are left to the run are as many as superchains of all points take; points that no chain would take are
// refused.
TEST(InitialPoints, CountForTheNumberOfChains) {
  const Model model = constrained();
  for (const std::size_t n : {16, 64, 100, 300}) {
    const std::vector<Data> values(n, complete_values());
    Settings s;
    s.backend = Backend::cpu;
    set_initial_points(model, values, s);
    EXPECT_EQ(s.chains, std::max<std::size_t>(n, 256)) << n;
    EXPECT_EQ(s.superchains, n <= 64 ? n : 0) << n;
  }
  Settings s = small();
  EXPECT_THROW(set_initial_points(model, std::vector<Data>(65, complete_values()), s), BadInput);
}

TEST(InitialPoints, TakeTurnsAndMakeSuperchains) {
  std::vector<Data> values(4, complete_values());
  for (std::size_t k = 0; k < 4; ++k) values[k].set("sigma", 1.0 + static_cast<double>(k));
  Settings s = small();
  set_initial_points(constrained(), values, s);
  EXPECT_EQ(s.superchains, 4u);
  for (const std::size_t chain : {0, 1, 6, 63})
    EXPECT_NEAR(start_of(constrained(), s, chain)[1], 1 + static_cast<double>(chain % 4), 1e-8);

  s.superchains = 0;
  set_initial_points(constrained(), values, s);
  EXPECT_NEAR(start_of(constrained(), s, 6)[1], 3, 1e-8);
}

TEST(InitialPoints, LeaveTheRestUniform) {
  Data given;
  given.set("sigma", 0.25);
  given.set("cuts", {-1.0, 0.5, 9.0});
  Settings s = small();
  set_initial_points(constrained(), {given}, s);
  EXPECT_EQ(s.superchains, 16u);
  const std::size_t d = constrained().layout().dimension;
  std::size_t different = 0;
  for (std::size_t c = 0; c < s.chains; ++c) {
    const auto at = [&](std::size_t i) { return s.warmup.initial_points[i * s.chains + c]; };
    EXPECT_EQ(at(0), s.warmup.initial_points[c % 16]);
    different += at(0) != s.warmup.initial_points[0];
    EXPECT_NEAR(at(1), std::log(0.25), 1e-15);
    EXPECT_NEAR(at(d - 3), -1, 0);
    EXPECT_NEAR(at(d - 1), std::log(8.5), 1e-15);
    EXPECT_LE(std::fabs(at(0)), 2);
  }
  EXPECT_EQ(different, 60u);
  const std::vector<double> before = s.warmup.initial_points;
  s.seed = 6;
  set_initial_points(constrained(), {given}, s);
  EXPECT_NE(before, s.warmup.initial_points);
}

TEST(InitialPoints, SayWhatDoesNotFit) {
  const Model& model = constrained();
  EXPECT_SAYS(refusal_of(model, R"({"sgima": 1})"), "the model has no parameter sgima");
  EXPECT_SAYS(refusal_of(model, R"({"sigma": -1})"), "initial value of sigma: it must lie inside of its constraint");
  EXPECT_SAYS(refusal_of(model, R"({"sigma": 0})"), "initial value of sigma: it must lie inside of its constraint");
  EXPECT_SAYS(refusal_of(model, R"({"below": 3})"), "initial value of below");
  EXPECT_SAYS(refusal_of(model, R"({"mu": -1, "part": 2.5})"), "initial value of part");
  EXPECT_SAYS(refusal_of(model, R"({"mu": 1, "part": 0.5})"), "initial value of part");
  EXPECT_SAYS(refusal_of(model, R"({"cuts": [1, 1, 2]})"), "initial value of cuts");
  EXPECT_SAYS(refusal_of(model, R"({"p": [0.2, 0.5, 0.4]})"), "initial value of p: its elements must add up to 1");
  EXPECT_SAYS(refusal_of(model, R"({"x": [1, 2, 3]})"), "initial value of x: a vector of 2 is needed, found 3");
  EXPECT_SAYS(refusal_of(model, R"({"mu": [1, 2]})"), "initial value of mu: one number is needed, found 2");
  EXPECT_SAYS(refusal_of(model, R"({"mu": "NaN"})"), "initial value of mu");
}

TEST(InitialPoints, WithSuperchainsAreThoseThatShareOne) {
  Settings s = small();
  s.superchains = 4;
  s.warmup.initial_points.assign(constrained().layout().dimension * s.chains, 0.0);
  s.warmup.initial_points[6] = 1;
  EXPECT_SAYS(refusal(constrained(), s), "chains 6 and 2 share a starting point");
}

TEST(InitialPoints, OfACompiledDensity) {
  CompiledDensity density;
  density.dimension = 2;
  density.value_and_gradient = [](const double* q, double* g) {
    g[0] = -q[0];
    g[1] = -q[1];
    return -0.5 * (q[0] * q[0] + q[1] * q[1]);
  };
  const Model model(density);
  Settings s = small();
  set_initial_points(model, {Data::from_json(R"({"q": [3, 4]})")}, s);
  EXPECT_EQ(s.warmup.initial_points[63], 3);
  EXPECT_EQ(s.warmup.initial_points[127], 4);
  EXPECT_SAYS(refusal_of(model, R"({"q": [3]})"), "2 numbers are needed, found 1");
}

}  // namespace
}  // namespace manychain
