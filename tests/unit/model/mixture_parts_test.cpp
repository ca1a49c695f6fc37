// Densities with one part of each mixture: together they are the density of the model.
#define MANYCHAIN_CHECKED
#include "manychain/chain/terms_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <vector>

#include "manychain/model.hpp"
#include "unit/model/checked_models.hpp"

namespace manychain::test {
namespace {

struct Value {
  double log_density;
  std::vector<double> gradient;
};

template <template <class> class ModelClass>
class PartsOf {
 public:
  Value whole(const std::vector<double>& q) {
    Value found{0, std::vector<double>(q.size())};
    for (const long double term : terms_->values(q.data())) found.log_density += static_cast<double>(term);
    found.log_density += static_cast<double>(terms_->log_jacobian());
    terms_->gradient(q.data(), 0, ModelTerms::none, found.gradient.data());
    return found;
  }
  std::size_t choices(const std::vector<double>& q) { return parts().mixture_choices(q.data()); }
  Value part(std::size_t choice, const std::vector<double>& q) {
    Value found{0, std::vector<double>(q.size())};
    found.log_density = parts().mixture_part(choice, q.data(), found.gradient.data());
    return found;
  }

 private:
  MixtureParts& parts() { return dynamic_cast<MixtureParts&>(*terms_); }

  Data data_ = example();
  std::unique_ptr<ModelTerms> terms_ =
      terms_of<ModelClass<CheckedNumber>>(data_, layout_of(HostModel<ModelClass<CheckedNumber>>(data_).model));
};

/// The densities of all choices add up to that of the model, and their gradients, weighted by them, to its gradient. A
/// part that is no mixture, beside one that is, is chosen with each part of that: it counts once.
template <template <class> class ModelClass>
void expect_sum(std::size_t choices, const std::vector<double>& q) {
  PartsOf<ModelClass> model;
  const Value whole = model.whole(q);
  ASSERT_EQ(model.choices(q), choices);
  double sum = 0;
  std::set<double> counted;
  std::vector<double> gradient(q.size());
  for (std::size_t c = 0; c < choices; ++c) {
    const Value part = model.part(c, q);
    if (!counted.insert(part.log_density).second) continue;
    const double share = std::exp(part.log_density - whole.log_density);
    sum += share;
    for (std::size_t i = 0; i < q.size(); ++i) gradient[i] += share * part.gradient[i];
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(gradient[i], whole.gradient[i], 1e-10) << i;
  const Value again = model.whole(q);
  EXPECT_EQ(again.log_density, whole.log_density);
  EXPECT_EQ(again.gradient, whole.gradient);
}

MODEL(OfVectors, auto x = target.vector("x", 3); auto s = target.real("s", lower(0)); target += half_normal(s, 2);
      target += log_mix(0.3, sum(normal(x, -1, s)), sum(normal(x, 1, 0.5)));)
MODEL(Nested, auto x = target.real("x"); auto w = target.simplex("w", 3);
      target +=
      log_sum_exp(log(w[0]) + normal(x, 0, 1), log_sum_exp(log(w[1]) + normal(x, 1, 2), log(w[2]) + cauchy(x, -1, 1)));)
MODEL(Several, auto x = target.vector("x", 2);
      target += log_sum_exp(vector_of(3, [&](int k) { return normal(x[0], 0.5 * k, 1 + k) + normal(x[1], -k, 1); }));
      auto of_sum = target.let(log_mix(0.6, normal(x[0] + x[1], 0, 1), normal(x[0] + x[1], 2, 1))); target += of_sum;
      target.sum_over(2, [&](int i, auto& term) { term += log_mix(0.2, normal(x[i], 0, 1), normal(x[i], 1, 1)); });)
MODEL(MixturesInVectors, auto x = target.real("x");
      target += log_sum_exp(vector_of(2, [&](int k) { return log_mix(0.4, normal(x, k, 1), normal(x, -k, 2)); }));)
TEST(MixtureParts, add_up_to_the_mixture) {
  expect_sum<OfVectors>(2, {0.3, -0.2, 0.8, 0.1});
  expect_sum<Nested>(4, {0.4, 0.2, -0.3});
  expect_sum<Several>(3 * 2 * 2 * 2, {0.3, -0.6});
}

// A choice is one for all mixtures of one type in a term: the two that stand in a vector take parts of one number.
TEST(MixtureParts, of_mixtures_in_a_vector) {
  PartsOf<MixturesInVectors> model;
  const std::vector<double> q = {0.3};
  ASSERT_EQ(model.choices(q), 4u);
  const auto normal = [&](double mean, double sd) {
    return -0.5 * std::pow((q[0] - mean) / sd, 2) - std::log(sd) - 0.5 * std::log(2 * M_PI);
  };
  std::vector<double> found, expected = {std::log(0.4) + normal(0, 1), std::log(0.6) + normal(0, 2),
                                         std::log(0.4) + normal(1, 1), std::log(0.6) + normal(-1, 2)};
  for (std::size_t c = 0; c < 4; ++c) found.push_back(model.part(c, q).log_density);
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(found[c], expected[c], 1e-12);
}

// From where the density of the model is that of the wide part, to the last digit, the narrow one has a slope.
MODEL(WideAndNarrow, auto x = target.vector("x", 20);
      target += log_mix(0.5, sum(normal(x, 0, 1)), sum(normal(x, 9, 0.01)));)
TEST(MixtureParts, have_slopes_where_the_mixture_hides_them) {
  PartsOf<WideAndNarrow> model;
  const std::vector<double> q(20, 0.5);
  EXPECT_NEAR(model.whole(q).gradient[3], -0.5, 1e-12);
  ASSERT_EQ(model.choices(q), 2u);
  EXPECT_NEAR(model.part(0, q).gradient[3], -0.5, 1e-12);
  EXPECT_NEAR(model.part(1, q).gradient[3], 8.5 / 1e-4, 1e-6);
}

MODEL(Plain, auto x = target.vector("x", 2); target += normal(x, 0, 1);)
MODEL(InManyRows, auto x = target.vector("x", 300);
      target.sum_over(300, [&](int i, auto& term) { term += log_mix(0.5, normal(x[i], 0, 1), normal(x[i], 3, 1)); });)
TEST(MixtureParts, are_none_of_what_has_no_mixture_or_one_in_each_of_many_rows) {
  EXPECT_EQ(PartsOf<Plain>().choices({0.1, 0.2}), 0u);
  EXPECT_EQ(PartsOf<InManyRows>().choices(std::vector<double>(300, 0.1)), 0u);
}

// 128 ways are too many: those remain that take parts of one number everywhere.
MODEL(SevenWells, auto x = target.vector("x", 7);
      target.sum_over(7, [&](int i, auto& term) { term += log_mix(0.5, normal(x[i], -4, 1), normal(x[i], 4, 1)); });)
TEST(MixtureParts, are_those_of_one_number_where_there_are_many) {
  PartsOf<SevenWells> model;
  const std::vector<double> q(7, 0.0);
  ASSERT_EQ(model.choices(q), 2u);
  for (const double g : model.part(0, q).gradient) EXPECT_NEAR(g, -4, 1e-12);
  for (const double g : model.part(1, q).gradient) EXPECT_NEAR(g, 4, 1e-12);
}

}  // namespace
}  // namespace manychain::test
