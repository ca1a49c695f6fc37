// Densities, proposals and weights that are NaN: rejected, and counted as divergences. Density zero is honest.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "manychain/samplers/independent.hpp"
#include "manychain/samplers/metropolis_hastings.hpp"
#include "manychain/samplers/single_component.hpp"

namespace manychain {
namespace {

using R = Scalar<double>;
constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

/// Always proposes 1, from 0; log densities as given.
struct PointDistribution {
  double here;
  template <class T>
  T draw(Variates<T>&) const {
    return T(1);
  }
  template <class T>
  T log_density(T x) const {
    return select(x == T(1), T(here), T(0));
  }
};
struct Points {
  static constexpr int dimension = 1;
  static constexpr bool independent_proposal = true;
  double target, proposal_density;
  template <class Target>
  void parameters(Target& to) const {
    to.real("x");
  }
  template <class Target>
  void log_density(Target& to) const {
    const auto x = to.real("x");
    to += 0.0 * x;
    to.add(R(value(x) == R(1) ? target : -3));  // as a prior would: with a sum and its rounding error
  }
  template <class Visitor>
  void proposal(Visitor& visitor) const {
    visitor.component(0, [this](const auto&) { return PointDistribution{proposal_density}; });
  }
  double log_envelope() const { return 0; }
};

struct Outcome {
  bool accepted, divergent;
  double log_density, acceptance;
};
template <class Sampler, class Model>
Outcome run(const Model& model) {
  Chain<R, Size<1>, Position, LogDensity> chain{};
  chain.position[0] = R(0);
  chain.log_density.sum = R(-3);
  const double step[1] = {1};
  const auto tuning = Sampler::template Tuning<double>::of({.step_size = 1}, {step});
  const auto i = Sampler::transition(model, chain, tuning, Stream<R>(1, Purpose::transition, 0, 0), 0);
  return {i.accepted, i.divergent, chain.log_density.value().v, i.acceptance_probability.v};
}

TEST(NotANumber, metropolis_hastings) {
  using Sampler = MetropolisHastings<>;
  EXPECT_TRUE(run<Sampler>(Points{-2, 0}).accepted);
  EXPECT_FALSE(run<Sampler>(Points{-2, 0}).divergent);
  for (const double target : {-2.0, 2.0}) {  // whatever the sign of the density
    EXPECT_FALSE(run<Sampler>(Points{target, nan}).accepted);
    EXPECT_TRUE(run<Sampler>(Points{target, nan}).divergent);
  }
  EXPECT_TRUE(run<Sampler>(Points{-2, -infinity}).divergent) << "drawn where the distribution has density zero";
  EXPECT_TRUE(run<Sampler>(Points{nan, 0}).divergent);
  EXPECT_FALSE(run<Sampler>(Points{nan, 0}).accepted);
  EXPECT_FALSE(run<Sampler>(Points{-infinity, 0}).accepted);
  EXPECT_FALSE(run<Sampler>(Points{-infinity, 0}).divergent) << "outside the support";
}

TEST(NotANumber, importance_weights) {
  EXPECT_EQ(run<Importance>(Points{-2, -1}).log_density, -1);
  EXPECT_FALSE(run<Importance>(Points{-2, -1}).divergent);
  EXPECT_EQ(run<Importance>(Points{-infinity, -1}).log_density, -infinity) << "a weight of zero";
  EXPECT_FALSE(run<Importance>(Points{-infinity, -1}).divergent);
  EXPECT_TRUE(run<Importance>(Points{-2, -infinity}).divergent);
  EXPECT_TRUE(run<Importance>(Points{nan, -1}).divergent);
  EXPECT_TRUE(run<Importance>(Points{-2, nan}).divergent);
}

TEST(NotANumber, rejection) {
  const Outcome right = run<Rejection>(Points{-0.5, 0});
  EXPECT_TRUE(right.accepted);
  EXPECT_FALSE(right.divergent);
  EXPECT_DOUBLE_EQ(right.acceptance, std::exp(-0.5)) << "of the first trial";
  EXPECT_TRUE(run<Rejection>(Points{0.5, 0}).divergent) << "above the envelope";
  EXPECT_TRUE(run<Rejection>(Points{nan, 0}).divergent);
  const Outcome never = run<Rejection>(Points{-infinity, 0});
  EXPECT_FALSE(never.accepted);
  EXPECT_TRUE(never.divergent) << "no trial was accepted";
  EXPECT_EQ(never.acceptance, 0);
}

/// A conditional that is NaN beside a density that is finite.
struct BadConditional {
  static constexpr int dimension = 1;
  double sd;
  template <class Target>
  void log_density(Target& to) const {
    to += normal(to.real("x"), 0, 1);
  }
  template <class Visitor>
  void conditionals(Visitor& visitor) const {
    visitor.component(0, [this](const auto&) { return normal_distribution(0, sd); });
  }
};
TEST(NotANumber, conditionals_of_single_components) {
  EXPECT_FALSE(run<SingleComponent<>>(BadConditional{1}).divergent);
  EXPECT_TRUE(run<SingleComponent<>>(BadConditional{nan}).divergent);
  EXPECT_FALSE(run<SingleComponent<>>(BadConditional{nan}).accepted);
}

}  // namespace
}  // namespace manychain
