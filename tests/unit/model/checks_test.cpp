// Requests that a model may not make of its data and parameters, and the sentence that it is told when data are bound.
// This unit is compiled as the generated one that checks.
#define MANYCHAIN_CHECKED
#include <cmath>
#include <limits>

#include "unit/model/checked_models.hpp"

namespace manychain::test {
namespace {

// Units for different instruction sets share no body of these.
namespace of_this_instruction_set {  // compiles only if each lies in that namespace
using checks::MANYCHAIN_ISA::index, checks::MANYCHAIN_ISA::row, checks::MANYCHAIN_ISA::same_size;
}

MODEL(DataBeforeParameters, auto eta = target.vector("eta", J); target += normal(y, eta, 2);)
MODEL(ParametersBeforeData, auto eta = target.vector("eta", J); target += normal(eta, y, 2);)
MODEL(InsideATerm, auto eta = target.vector("eta", J, lower(0));
      target.observe("z", N, [&](auto j, auto& term) { term += normal(eta, X[j], 2); });)
MODEL(OfADotProduct, auto beta = target.vector("beta", J);
      target.observe("y", N, [&](auto j, auto& term) { term += normal(y[j], dot(X[j], beta), 2); });)

TEST(SizesOfVectors, AreThoseOfOneDensity) {
  EXPECT_EQ(complaint<DataBeforeParameters>(),
            "model m: a density takes y and eta element by element, but y has 8 elements and eta has 3 elements");
  EXPECT_EQ(complaint<ParametersBeforeData>(),
            "model m: a density takes eta and y element by element, but eta has 3 elements and y has 8 elements");
  EXPECT_EQ(complaint<InsideATerm>(),
            "model m, observe(\"z\"), index 0: a density takes eta and X[0] element by element, but eta has 3 elements "
            "and X[0] has 4 elements");
  EXPECT_EQ(complaint<OfADotProduct>(),
            "model m, observe(\"y\"), index 0: dot() takes X[0] and beta element by element, but X[0] has 4 elements "
            "and beta has 3 elements");
}

MODEL(OtherShape, auto z = target.matrix("z", J, 4); auto w = target.matrix("w", Size<4>{}, J);
      target += normal(z, w, 1);)
MODEL(DataOfOtherShape, auto z = target.matrix("z", 4, 20); target += normal(X, 0, z);)
MODEL(VectorBesideMatrix, auto z = target.matrix("z", J, 4); target += normal(z, y, 1);)
MODEL(OneShape, auto z = target.matrix("z", 20, 4); target += normal(X, z, 1) + normal(z, 0, 1);)

// As many elements do not make two matrices fit.
TEST(SizesOfMatrices, AreThoseOfOneDensity) {
  const std::string taken = "model m: a density takes matrices element by element, but one is ";
  EXPECT_EQ(complaint<OtherShape>(), taken + "3 x 4 and another 4 x 3");
  EXPECT_EQ(complaint<DataOfOtherShape>(), taken + "20 x 4 and another 4 x 20");
  EXPECT_EQ(complaint<VectorBesideMatrix>(),
            "model m: a density takes z and y element by element, but z has 12 elements and y has 8 elements");
  EXPECT_EQ(complaint<OneShape>(), "none");
}

MODEL(Literal, auto eta = target.vector("eta", Size<3>{}); target += normal(eta[7], 0, 1);)
MODEL(Negative, auto eta = target.vector("eta", Size<3>{}); target += normal(eta[-1], 0, 1);)
MODEL(OfConstrained, auto eta = target.vector("eta", J, interval(0, 1)); auto s = let(exp(eta[3])); target += -s;)
MODEL(OfSimplex, auto w = target.simplex("w", Size<3>{}); target += log(w[3]);)
MODEL(OfOrdered, auto c = target.ordered("c", J); target += normal(c[J.value()], 0, 1);)
MODEL(OfIntegers, auto z = target.integers("z", Size<2>{}, 1, 4); target += 1.0 * value(z[2]);)
MODEL(OfLatent, auto z = target.latent_integers("z", Size<2>{}, 0, 4); target.derived("d", value(z[2]));)
MODEL(OfData, auto mu = target.real("mu"); target += normal(y[8], mu, 1);)
MODEL(OfRows, auto mu = target.real("mu"); target += normal(X[20][0], mu, 1);)
MODEL(OfColumns, auto mu = target.real("mu"); target += normal(X[3][4], mu, 1);)
MODEL(Neighbours, auto eta = target.vector("eta", J);
      target.sum_over(J, [&](auto j, auto& term) { term += normal(eta[j + 1], eta[j], 1); });)
MODEL(InDerived, auto eta = target.vector("eta", J); target += normal(eta, 0, 1);
      target.derived("fit", N, [&](auto j) { return 2 * eta[j]; });)
MODEL(InPrediction, auto eta = target.vector("eta", J); target += normal(eta, 0, 1);
      target.predict("y_rep", N, [&](auto j) { return normal_distribution(eta[j], 1); });)
MODEL(InCategories, auto eta = target.vector("eta", J); target += normal(eta, 0, 1);
      target.predict("c", categorical_logit_distribution(Size<5>{}, [&](int k) { return value(eta[k]); }));)

TEST(Indices, AreBelowTheSize) {
  const std::string eta = " is asked for, but eta has 3 elements, eta[0] to eta[2] (counted from 0)";
  EXPECT_EQ(complaint<Literal>(), "model m: eta[7]" + eta);
  EXPECT_EQ(complaint<Negative>(), "model m: eta[-1]" + eta);
  EXPECT_EQ(complaint<OfConstrained>(), "model m: eta[3]" + eta);
  EXPECT_EQ(complaint<OfSimplex>(), "model m: w[3] is asked for, but w has 3 elements, w[0] to w[2] (counted from 0)");
  EXPECT_EQ(complaint<OfOrdered>(), "model m: c[3] is asked for, but c has 3 elements, c[0] to c[2] (counted from 0)");
  EXPECT_EQ(complaint<OfIntegers>(), "model m: z[2] is asked for, but z has 2 elements, z[0] to z[1] (counted from 0)");
  EXPECT_EQ(complaint<OfLatent>(), "model m: z[2] is asked for, but z has 2 elements, z[0] to z[1] (counted from 0)");
  EXPECT_EQ(complaint<OfData>(), "model m: y[8] is asked for, but y has 8 elements, y[0] to y[7] (counted from 0)");
  EXPECT_EQ(complaint<OfRows>(), "model m: X[20] is asked for, but X has 20 rows, X[0] to X[19] (counted from 0)");
  EXPECT_EQ(complaint<OfColumns>(),
            "model m: X[3][4] is asked for, but X[3] has 4 elements, X[3][0] to X[3][3] (counted from 0)");
  EXPECT_EQ(complaint<Neighbours>(), "model m, sum_over, index 2: eta[3]" + eta);
  EXPECT_EQ(complaint<InDerived>(), "model m, derived(\"fit\"), index 3: eta[3]" + eta);
  EXPECT_EQ(complaint<InPrediction>(), "model m, predict(\"y_rep\"), index 3: eta[3]" + eta);
  EXPECT_EQ(complaint<InCategories>(), "model m, predict(\"c\"): eta[3]" + eta);
}

template <class Number>
struct Unread : Fields<Number> {
  View<const Number> x;
  Matrix<const Number> Z;
};
#define UNREAD_MODEL(name, ...)                                    \
  template <class Number>                                          \
  struct name : Unread<Number> {                                   \
    using Unread<Number>::N, Unread<Number>::y, Unread<Number>::x; \
    using Unread<Number>::Z;                                       \
    template <class Target>                                        \
    void log_density(Target& target) const {                       \
      auto mu = target.real("mu");                                 \
      __VA_ARGS__                                                  \
    }                                                              \
  };
UNREAD_MODEL(UnreadElement, target.observe("y", N, [&](auto j, auto& term) { term += normal(y[j], mu * x[j], 1); });)
UNREAD_MODEL(UnreadVector, target += normal(y, mu* x, 1);)
UNREAD_MODEL(UnreadRow, target += normal(Z[0][0], mu, 1);)

TEST(Indices, OfDataThatWereNeverRead) {
  EXPECT_EQ(complaint<UnreadElement>(),
            "model m, observe(\"y\"), index 0: a vector[0] is asked for, but a vector has 0 elements (counted from 0): "
            "was it read by in(...) in data()?");
  EXPECT_NE(complaint<UnreadVector>().find("has 0 elements: was it read by in(...) in data()?"), std::string::npos)
      << complaint<UnreadVector>();
  EXPECT_NE(complaint<UnreadRow>().find("was it read by in(...) in data()?"), std::string::npos)
      << complaint<UnreadRow>();
}

MODEL(EmptyInterval, auto q = target.real("q", interval(2, 1)); target += normal(q, 0, 1);)
MODEL(PointInterval, auto q = target.vector("q", J, interval(y[1], y[1])); target += normal(q, 0, 1);)
MODEL(NanInterval, auto q = target.real("q", interval(0, log(y[0] - 2))); target += normal(q, 0, 1);)
MODEL(InfiniteInterval, auto q = target.real("q", interval(0, INFINITY)); target += normal(q, 0, 1);)
MODEL(MatrixInterval, auto q = target.matrix("q", J, Size<2>{}, interval(1, 0)); target += normal(q[0][0], 0, 1);)
MODEL(RightInterval, auto q = target.real("q", interval(y[0], y[1])); target += normal(q, 0, 1);)
// At the point where models are looked at both are 0.
MODEL(IntervalOfParameters, auto a = target.real("a"); auto b = target.real("b");
      auto q = target.real("q", interval(a, b)); target += normal(a, 0, 1); target += normal(b, 9, 1);
      target += normal(q, 0, 1);)
MODEL(IntervalToAParameter, auto b = target.real("b"); auto q = target.real("q", interval(y[7], 2 * b));
      target += normal(b, 9, 1); target += normal(q, 0, 1);)

TEST(Intervals, OfLiteralsAndDataAreNotEmpty) {
  const std::string end = ": the bounds must be finite, and the lower one below the upper one";
  EXPECT_EQ(complaint<EmptyInterval>(), "model m: q is declared with interval(2, 1)" + end);
  EXPECT_EQ(complaint<PointInterval>(), "model m: q is declared with interval(2, 2)" + end);
  EXPECT_EQ(complaint<NanInterval>(), "model m: q is declared with interval(0, nan)" + end);
  EXPECT_EQ(complaint<InfiniteInterval>(), "model m: q is declared with interval(0, inf)" + end);
  EXPECT_EQ(complaint<MatrixInterval>(), "model m: q is declared with interval(1, 0)" + end);
  EXPECT_EQ(complaint<RightInterval>(), "none");
  EXPECT_EQ(complaint<IntervalOfParameters>(), "none");
  EXPECT_EQ(complaint<IntervalToAParameter>(), "none");
}

MODEL(FromOne, auto alpha = target.vector("alpha", J);
      target.observe("y", N, [&](auto j, auto& term) { term += normal(y[j], alpha[county[j]], 1); });)
MODEL(FromZero, auto alpha = target.vector("alpha", J);
      target.observe("y", N, [&](int j, auto& term) { term += normal(y[j], alpha[county[j] - 1], 1); });)
MODEL(OfWholeData, auto mu = target.real("mu"); target.sum_over(Size<>(9), [&](int j, auto& term) {
  if (county[j] > 1) term += normal(mu, 0, 1);
});)

TEST(Indices, ThatDataGive) {
  EXPECT_EQ(complaint<FromOne>(),
            "model m, observe(\"y\"), index 5: alpha[3] is asked for, but alpha has 3 elements, alpha[0] to alpha[2] "
            "(counted from 0); county[5], the whole number of the data that was read last, is 3, and all of county are "
            "1 to 3: where county counts from 1, subtract 1");
  EXPECT_EQ(complaint<FromZero>(), "none");
  Data data = example();
  data.set("county", {0, 0, 1, 1, 1, 2, 2, 0});
  EXPECT_EQ(complaint<FromOne>(data), "none");
  EXPECT_EQ(complaint<FromZero>(data),
            "model m, observe(\"y\"), index 0: alpha[-1] is asked for, but alpha has 3 elements, alpha[0] to alpha[2] "
            "(counted from 0); county[0], the whole number of the data that was read last, is 0, and all of county are "
            "0 to 2: county counts from 0 already, subtract nothing");
  data.set("county", {0, 0, 1, 1, 1, 2, 7, 0});
  EXPECT_NE(complaint<FromOne>(data).find("index 6: alpha[7] is asked for"), std::string::npos);
  EXPECT_EQ(complaint<OfWholeData>(),
            "model m, sum_over, index 8: county[8] is asked for, but county has 8 elements, "
            "county[0] to county[7] (counted from 0)");
}

MODEL(OuterTarget, auto mu = target.real("mu");
      target.observe("y", N, [&](auto, auto&) { target += normal(mu, 0, 1); });)
MODEL(OuterVectorOfTerms, auto eta = target.vector("eta", J);
      target.sum_over(N, [&](auto, auto&) { target += normal(eta, 0, 1); });)
MODEL(TargetAroundBodies, auto mu = target.real("mu"); target += normal(mu, 0, 1);
      target.observe("y", N, [&](auto j, auto& term) { term += normal(y[j], mu, 1); }); target += normal(mu, 0, 2);)

// A term without the index compiles. In packs of eight rows it would count once for all eight.
TEST(Bodies, AddToWhatTheyAreGiven) {
  const std::string added = "index 0: the target is added to inside a body: add to what the body is given, term += ...";
  EXPECT_EQ(complaint<OuterTarget>(), "model m, observe(\"y\"), " + added);
  EXPECT_EQ(complaint<OuterVectorOfTerms>(), "model m, sum_over, " + added);
  EXPECT_EQ(complaint<TargetAroundBodies>(), "none");
}

template <class Number>
struct Visitors : Fields<Number> {
  int of = 0;
  void data(DataReader& in) {
    Fields<Number>::data(in);
    of = in.size("of");
  }
  template <class Target>
  void parameters(Target& target) const {
    target.vector("x", this->J);
    target.latent_integers("z", this->N, 1, 2);
  }
  template <class Visitor>
  void conditionals(Visitor& visitor) const {
    if (of == 0) visitor.components(3, this->N, [&](int i, const auto& q) { return normal_distribution(q[i + 4], 1); });
    if (of == 1)
      visitor.block(9, this->J, [&](const auto&) { return dirichlet_distribution(this->J, [](int) { return 1.0; }); });
  }
  template <class Visitor>
  void proposal(Visitor& visitor) const {
    if (of == 2)
      visitor.component(0, [&](const auto& q) {
        return categorical_distribution(Size<4>{}, [&](int k) { return q[0] * 0.0 + this->X[0][k + 1]; });
      });
    if (of == 3) visitor.component(11, [&](const auto&) { return normal_distribution(0, 1); });
  }
};

TEST(Indices, OfVisitors) {
  Data data = example();
  const auto at = [&](int of) {
    data.set("of", of);
    return complaint<Visitors>(data);
  };
  EXPECT_EQ(at(0),
            "model m, conditionals(), index 7: component 11 of the state is asked for, but the parameters have 11 "
            "components, 0 to 10");
  EXPECT_EQ(at(1),
            "model m, conditionals(): block 9 to 11 of the state is asked for, but the parameters have 11 "
            "components, 0 to 10");
  EXPECT_EQ(at(2),
            "model m, proposal(): X[0][4] is asked for, but X[0] has 4 elements, X[0][0] to X[0][3] (counted "
            "from 0)");
  EXPECT_EQ(at(3),
            "model m, proposal(): component 11 of the state is asked for, but the parameters have 11 "
            "components, 0 to 10");
  EXPECT_EQ(at(4), "none");
}

// The value of a density at the point that is looked at does not matter.
MODEL(OutsideItsSupport, auto x = target.real("x"); target += exponential(x - 1, 1) + log(x - 2) + normal(x, 0, x - 1);
      target.derived("d", sqrt(x - 1)); target.predict("p", gamma_distribution(x - 1, x));)
MODEL(Computed, auto x = target.vector("x", Size<0>{}); target += normal(x, 0, 1); target.derived("d", x[0]);)

TEST(Checks, LookAtNothingElse) {
  EXPECT_EQ(complaint<OutsideItsSupport>(), "none");
  EXPECT_EQ(complaint<Computed>(), "model m: x[0] is asked for, but x has 0 elements (counted from 0)");
}

/// Times that do not decrease, from t0 on; a method; a right-hand side that reads data.
template <class Target, class Times>
void solve(Target& target, double t0, const Times& times, double relative, double absolute, int max_steps, int steps) {
  auto rate = target.real("rate");
  const auto rhs = [](const auto&, const auto& y, const auto& k) { return -k * y; };
  auto a = target.ode_rk45_tol(rhs, 1.0, t0, times, relative, absolute, max_steps, rate);
  auto b = target.ode_rk4(rhs, 1.0, t0, times, steps, rate);
  target += normal(a, 0, 1);
  target += normal(b, 0, 1);
}
MODEL(Solved, solve(target, 1.0, y, 1e-6, 1e-6, 10, 2);)
MODEL(SolvedFromLater, solve(target, 1.5, y, 1e-6, 1e-6, 10, 2);)
MODEL(SolvedBackwards, const auto times = vector_of(3, [this](int i) { return y[2 - i]; });
      solve(target, 0.0, times, 1e-6, 1e-6, 10, 2);)
MODEL(NoTolerance, solve(target, 0.0, y, 1e-6, 0.0, 10, 2);)
MODEL(NegativeTolerance, solve(target, 0.0, y, -1e-6, 1e-6, 10, 2);)
MODEL(NoMaximum, solve(target, 0.0, y, 1e-6, 1e-6, 0, 2);)
MODEL(NoSteps, solve(target, 0.0, y, 1e-6, 1e-6, 10, 0);)
MODEL(SolvedInBody, auto rate = target.real("rate"); target.observe("y", N, [&](int j, auto& term) {
  const auto rhs = [](const auto&, const auto& amount, const auto& k) { return -k * amount; };
  auto path = target.ode_rk45(rhs, 1.0, 0.0, segment(y, j, 1), rate);
  term += normal(y[j], path[0], 1);
});)
MODEL(
    BeyondInSlope, auto rate = target.real("rate");
    const auto rhs = [this](const auto&, const auto& amount, const auto& k) { return y[8] - k * amount; };
    auto path = target.ode_rk45(rhs, 1.0, 0.0, y, rate); target += normal(y, path, 1);)
MODEL(
    BeyondInSolution, auto rate = target.real("rate");
    const auto rhs = [](const auto&, const auto& z, const auto& k) { return derivatives(-k * z[0], z[0]); };
    auto path = target.ode_rk45(rhs, states(1.0, 0.0), 0.0, y, rate); target += path[8][1];)

TEST(Checks, DifferentialEquations) {
  EXPECT_EQ(complaint<Solved>(), "none");
  EXPECT_EQ(complaint<SolvedFromLater>(),
            "model m, ode_rk45, index 0: the first time is 1, before the initial time 1.5");
  EXPECT_EQ(complaint<SolvedBackwards>(), "model m, ode_rk45, index 1: the times must not decrease: 2 comes after 3");
  EXPECT_EQ(complaint<NoTolerance>(), "model m, ode_rk45: the absolute tolerance must be above zero, not 0");
  EXPECT_EQ(complaint<NegativeTolerance>(),
            "model m, ode_rk45: the relative tolerance must not be negative, not -1e-06");
  EXPECT_EQ(complaint<NoMaximum>(), "model m, ode_rk45: max_steps must be 1 or more, not 0");
  EXPECT_EQ(complaint<NoSteps>(), "model m, ode_rk4: a step or more between two times is needed, not 0");
  EXPECT_EQ(complaint<SolvedInBody>().find("model m, observe(\"y\"), index 0: target.ode_rk45() stands in the body"),
            0u)
      << complaint<SolvedInBody>();
  EXPECT_EQ(complaint<BeyondInSlope>(),
            "model m, ode_rk45: y[8] is asked for, but y has 8 elements, y[0] to y[7] (counted from 0)");
  EXPECT_EQ(complaint<BeyondInSolution>(),
            "model m: ode_rk45[8] is asked for, but ode_rk45 has 8 elements, ode_rk45[0] to ode_rk45[7] (counted "
            "from 0)");
}

}  // namespace
}  // namespace manychain::test
