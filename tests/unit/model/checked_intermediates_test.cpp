// Intermediates that do not outlive the function that makes them: found when data are bound. This unit is compiled as
// the generated one that checks.
#define MANYCHAIN_CHECKED
#include "unit/model/checked_models.hpp"

namespace manychain::test {
namespace {

template <class A>
auto own_let(const A& a) {
  auto b = let(exp(a));
  return b * b;
}
template <class Target>
auto own_scale(Target& target) {
  auto scale = target.real("scale", lower(0));
  return 2 * scale;
}
template <class A>
auto expression_of(const A& a) {
  return exp(a) + square(a);
}
template <class Target, class A>
void add_prior(Target& target, const A& a) {
  auto b = let(exp(a));
  auto c = let(b * b + a);
  target += normal(c, b, 1);
}
MODEL(OwnLet, auto a = target.real("a"); target += normal(own_let(a), 0, 1);)
MODEL(LetOfOwnLet, auto a = target.real("a"); auto b = let(1 + own_let(a)); target += normal(b, 0, 1);)
MODEL(VectorOfOwnLets, auto a = target.vector("a", J);
      auto b = target.let(vector_of(J, [&](int j) { return own_let(a[j]); })); target += normal(b, 0, 1);)
MODEL(RowsOfOwnLet, auto a = target.real("a");
      target.observe("y", N, [&](int j, auto& term) { term += normal(y[j], own_let(a), 1); });)
template <class Target, class A>
auto own_vector(Target& target, const A& a) {
  auto b = target.let(exp(a));
  return 2 * b;
}
template <class Target, class A>
auto own_element(Target& target, const A& a) {
  auto b = target.let(exp(a));
  return 2 * b[1];
}
template <class Target>
auto own_weights(Target& target) {
  auto w = target.simplex("w", 3);
  return dot(w, w);
}
template <class Target, class A>
auto own_state(Target& target, const A& a) {
  auto s = target.scan(4, a, [=](int, const auto& before) { return a * before; });
  return s[3];
}
template <class Target, class A>
auto own_factor(Target& target, const A& a) {
  auto L = target.cholesky(matrix_of(2, 2, [=](int i, int j) { return square(a) + (i == j ? 2.0 : 0.0); }));
  return log_determinant(L);
}
MODEL(SumOfOwnLets, auto a = target.vector("a", J);
      target += normal(sum(vector_of(J, [&](int j) { return own_let(a[j]); })), 0, 1);)
MODEL(DotOfOwnLets, auto a = target.vector("a", J);
      target += dot(vector_of(J, [&](int j) { return own_let(a[j]); }), a);)
MODEL(LogSumExpOfOwnLets, auto a = target.vector("a", J);
      target += log_sum_exp(vector_of(J, [&](int j) { return own_let(a[j]); }));)
MODEL(FirstOfOwnLet, auto a = target.real("a");
      auto s = target.scan(N, own_let(a), [&](int, const auto& before) { return 0.5 * before; });
      target += normal(s[1], 0, 1);)
MODEL(StepOfOwnLet, auto a = target.real("a");
      auto s = target.scan(N, a, [&](int, const auto& before) { return own_let(a * before); });
      target += normal(s[1], 0, 1);)
MODEL(BoundOfOwnLet, auto a = target.real("a"); auto b = target.real("b", lower(own_let(a)));
      target += normal(b, 0, 1);)
MODEL(OwnVector, auto a = target.vector("a", J); target += normal(own_vector(target, a), 0, 1);)
MODEL(SumOfOwnVector, auto a = target.vector("a", J); target += sum(own_vector(target, a));)
MODEL(OwnShortVector, auto a = target.vector("a", Size<2>{}); target += normal(own_vector(target, a), 0, 1);)
MODEL(OwnElement, auto a = target.vector("a", J); target += normal(own_element(target, a), 0, 1);)
MODEL(OwnShortElement, auto a = target.vector("a", Size<2>{}); target += normal(own_element(target, a), 0, 1);)
MODEL(OwnWeights, auto a = target.real("a"); target += normal(a, own_weights(target), 1);)
MODEL(OwnState, auto a = target.real("a"); target += normal(own_state(target, a), 0, 1);)
MODEL(OwnFactor, auto a = target.real("a"); target += own_factor(target, a);)
MODEL(DerivedOfOwnLet, auto a = target.real("a"); target += normal(a, 0, 1); target.derived("b", own_let(a));)
MODEL(
    VectorsMakeTheirs, auto a = target.vector("a", J); auto b = target.vector("b", Size<2>{});
    for (int k = 0; k < 2; ++k) {
      auto c = target.let(exp(a) + k);
      auto d = target.let(exp(b) + sum(c));
      auto L =
          target.cholesky(matrix_of(2, 2, [&](int i, int j) { return 0.01 * d[0] * d[1] + (i == j ? 9.0 : 0.0); }));
      target += normal(c, d[0], 1) + normal(d, c[1], 1) + log_determinant(L);
      auto s = target.scan(N, c[0], [&](int t, const auto& before) { return d[t % 2] * before + c[1]; });
      target.observe("y", N, [&](int t, auto& term) { term += normal(y[t], s[t], d[1]); });
      target.observe(
          "y", N, d[0], [&](int t, const auto& before) { return 0.5 * before + c[1] * y[t - 1]; },
          [&](int t, const auto& mean, auto& term) { term += normal(y[t], mean, d[1]); });
    } add_prior(target, a[1]);)
MODEL(OwnScale, auto a = target.real("a"); auto scale = let(own_scale(target)); target += normal(a, 0, scale);)
MODEL(OthersMakeTheirs, auto a = target.real("a"); auto s = target.real("s", interval(0, 1));
      auto b = let(expression_of(a) * s); add_prior(target, b); add_prior(target, a);
      target += normal(expression_of(b), s, 1); target.observe("y", N, [&](int j, auto& term) {
        auto mean = let(b * y[j]);
        term += normal(mean, expression_of(mean), s);
      });)

// Its adjoint would lie where nothing is any more, and the gradient would lack it.
TEST(Intermediates, DoNotOutliveTheirFunction) {
  const auto told = [](const std::string& text) {
    return text.find("a function has returned an expression of its own intermediate") != std::string::npos;
  };
  EXPECT_TRUE(told(complaint<OwnLet>())) << complaint<OwnLet>();
  EXPECT_TRUE(told(complaint<LetOfOwnLet>())) << complaint<LetOfOwnLet>();
  EXPECT_TRUE(told(complaint<VectorOfOwnLets>())) << complaint<VectorOfOwnLets>();
  EXPECT_TRUE(told(complaint<OwnScale>())) << complaint<OwnScale>();
  EXPECT_TRUE(told(complaint<SumOfOwnLets>())) << complaint<SumOfOwnLets>();
  EXPECT_TRUE(told(complaint<DotOfOwnLets>())) << complaint<DotOfOwnLets>();
  EXPECT_TRUE(told(complaint<LogSumExpOfOwnLets>())) << complaint<LogSumExpOfOwnLets>();
  EXPECT_TRUE(told(complaint<FirstOfOwnLet>())) << complaint<FirstOfOwnLet>();
  EXPECT_TRUE(told(complaint<StepOfOwnLet>())) << complaint<StepOfOwnLet>();
  EXPECT_TRUE(told(complaint<BoundOfOwnLet>())) << complaint<BoundOfOwnLet>();
  EXPECT_TRUE(told(complaint<OwnVector>())) << complaint<OwnVector>();
  EXPECT_TRUE(told(complaint<SumOfOwnVector>())) << complaint<SumOfOwnVector>();
  EXPECT_TRUE(told(complaint<OwnShortVector>())) << complaint<OwnShortVector>();
  EXPECT_TRUE(told(complaint<OwnElement>())) << complaint<OwnElement>();
  EXPECT_TRUE(told(complaint<OwnShortElement>())) << complaint<OwnShortElement>();
  EXPECT_TRUE(told(complaint<OwnWeights>())) << complaint<OwnWeights>();
  EXPECT_TRUE(told(complaint<OwnState>())) << complaint<OwnState>();
  EXPECT_TRUE(told(complaint<OwnFactor>())) << complaint<OwnFactor>();
  EXPECT_EQ(complaint<DerivedOfOwnLet>(), "none");
  EXPECT_EQ(complaint<VectorsMakeTheirs>(), "none");
  EXPECT_EQ(complaint<RowsOfOwnLet>().find("model m, observe(\"y\"), index 0: a function has returned"), 0u)
      << complaint<RowsOfOwnLet>();
  EXPECT_EQ(complaint<OthersMakeTheirs>(), "none");
}

}  // namespace
}  // namespace manychain::test
