// Labels that may be exchanged are recognised, and those that may not are not.
#include "modes/exchangeable.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "manychain/model.hpp"
#include "unit/run/mixtures_of_normals.hpp"
#include "unit/run/model_of.hpp"

namespace manychain::test {
namespace {

using Names = std::vector<std::string>;

/// Three components, of means mu and weights w; `other` has as many elements.
template <class Number>
struct ThreeComponents {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    const Size<3> K{};
    auto other = target.vector("other", K);
    auto w = target.simplex("w", K);
    auto mu = target.vector("mu", K);
    target += normal(other[0], 0, 1) + normal(other[1], 1, 1) + normal(other[2], 2, 1);
    target += dirichlet(w, 5) + normal(mu, 0, 10);
    target.sum_over(30, [&](int i, auto& term) {
      term += log_sum_exp(vector_of(K, [&](int k) { return log(w[k]) + normal(i % 3 * 6.0 - 6, mu[k], 1); }));
    });
  }
};

TEST(Exchangeable, components_of_a_mixture_with_their_weights) {
  const ExchangeableLabels labels =
      exchangeable_labels(model_of<ThreeComponents, "hmc">(), {0.1, 1.2, 2.1, 0.2, -0.1, -6, 0, 6});
  EXPECT_EQ(labels.sets, Names{"w, mu"});
  EXPECT_EQ(labels.orderable, Names{"mu as ordered()"});
}
/// Two classes of answers to three questions, each with probabilities of its own for two kinds of answers.
template <class Number>
struct TwoClasses {
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    const Size<2> K{};
    auto w = target.simplex("w", K);
    auto theta = target.matrix("theta", K, 3, simplex());
    target += dirichlet(w, 5);
    target.sum_over(K, [&](int k, auto& term) { term += dirichlet(theta[k], 2); });
    target.sum_over(40, [&](int i, auto& term) {
      term += log_sum_exp(vector_of(K, [&](int k) { return log(w[k]) + 4 * log(theta[k][i % 3 == 0 ? 2 : 0]); }));
    });
  }
};
TEST(Exchangeable, rows_that_are_simplexes) {
  const ExchangeableLabels labels = exchangeable_labels(model_of<TwoClasses, "hmc">(), {0.3, 1.5, 0.2, -1.5, -0.4});
  EXPECT_EQ(labels.sets, Names{"w, theta"});
  EXPECT_EQ(labels.orderable, Names{""});
}
TEST(Exchangeable, modes_at_all_orders) {
  const Model two = mixture_of({{1, 0.5, {-3, 4}}, {1, 0.5, {4, -3}}});
  EXPECT_EQ(exchangeable_labels(two, {-3, 4, 4, -3}).sets, Names{"q"});
}
TEST(Exchangeable, none_of_other_weights_or_widths) {
  EXPECT_EQ(exchangeable_labels(mixture_of({{1, 0.5, {-3, 4}}, {1.1, 0.5, {4, -3}}}), {-3, 4}).sets, Names{});
  EXPECT_EQ(exchangeable_labels(mixture_of({{1, 0.5, {-3, 4}}, {1, 0.6, {4, -3}}}), {-3, 4}).sets, Names{});
}
// Elements of independent effects may be exchanged, and have one mode.
TEST(Exchangeable, none_that_have_one_mode) {
  EXPECT_EQ(exchangeable_labels(mixture_of({{1, 1, {0, 0, 0}}}), {-1, 0.5, 2, 0.2, -0.7, 1}).sets, Names{});
}

}  // namespace
}  // namespace manychain::test
