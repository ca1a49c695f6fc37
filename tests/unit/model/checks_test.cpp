// What a model may not ask of its data and parameters, and the sentence that it is told when data are bound. This unit
// is compiled as the generated one that checks.
#define MANYCHAIN_CHECKED
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "manychain/chain/check_model.hpp"

namespace manychain::test {
namespace {

// Units for different instruction sets share no body of these.
namespace of_this_instruction_set {  // compiles only if each lies in that namespace
using checks::MANYCHAIN_ISA::index, checks::MANYCHAIN_ISA::row, checks::MANYCHAIN_ISA::same_size;
}

/// 8 data, 3 groups, 20 rows of 4 columns; groups are counted from 1, as in most data.
Data example() {
  Data data;
  data.set("N", 8);
  data.set("J", 3);
  data.set("y", {1, 2, 3, 4, 5, 6, 7, 8});
  data.set("county", {1, 1, 2, 2, 2, 3, 3, 1});
  data.set("X", std::vector<double>(20 * 4, 1.0), {20, 4});
  return data;
}

template <class Number>
struct Fields {
  Size<> N, J;
  View<const Number> y;
  View<const int> county;
  Matrix<const Number> X;
  void data(DataReader& in) {
    in("N", N);
    in("J", J);
    in("y", y, N);
    in("county", county, N, integer(0));
    in("X", X, Size<>(20), Size<>(4));
  }
};

/// The sentence that binding ModelClass to the data ends in.
template <template <class> class ModelClass>
std::string complaint(const Data& data = example()) {
  try {
    check_model<ModelClass<CheckedNumber>>("m", data);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "none";
}

// A model of Fields whose log_density() is `body`. In a macro, because a class in a function may have no templates.
#define MODEL(name, ...)                                                                                      \
  template <class Number>                                                                                     \
  struct name : Fields<Number> {                                                                              \
    using Fields<Number>::N, Fields<Number>::J, Fields<Number>::y, Fields<Number>::county, Fields<Number>::X; \
    template <class Target>                                                                                   \
    void log_density(Target& target) const {                                                                  \
      __VA_ARGS__                                                                                             \
    }                                                                                                         \
  };

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

// What a density is at the point that is looked at does not matter.
MODEL(OutsideItsSupport, auto x = target.real("x"); target += exponential(x - 1, 1) + log(x - 2) + normal(x, 0, x);
      target.derived("d", sqrt(x - 1)); target.predict("p", gamma_distribution(x - 1, x));)
MODEL(Computed, auto x = target.vector("x", Size<0>{}); target += normal(x, 0, 1); target.derived("d", x[0]);)

TEST(Checks, LookAtNothingElse) {
  EXPECT_EQ(complaint<OutsideItsSupport>(), "none");
  EXPECT_EQ(complaint<Computed>(), "model m: x[0] is asked for, but x has 0 elements (counted from 0)");
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

MODEL(Rejects, target.real("x"); target.predict("p", AboveOne{});)

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
