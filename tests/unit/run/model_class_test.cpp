// Models that are right whatever their data are called, and whatever else their class says of itself.
#include <gtest/gtest.h>

#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

/// Data that are called as what a model may give beside log_density().
template <class Number>
struct NamedAsFunctions {
  using samplers = SamplerList<Metropolis<>>;
  Size<> N;
  View<const Number> value, score, conditionals, proposal;
  static constexpr int draw = 3;

  void data(DataReader& in) {
    in("N", N);
    in("value", value, N);
    in("score", score, N);
    in("conditionals", conditionals, N);
    in("proposal", proposal, N);
  }
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto mu = target.real("mu");
    target += normal(value, mu, 1);
    target += normal(score, mu, draw);
  }
};

template <class Number>
struct Final final {
  using samplers = SamplerList<Metropolis<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target += normal(target.real("mu"), 0, 1);
  }
};

static_assert(check_model_class<NamedAsFunctions<float>>());
static_assert(check_model_class<Final<float>>());

struct Functions {
  template <class R, class Q>
  R value(const Q&);
  void draw() const;
  static void score();
};
static_assert(detail::has_value<Functions> && detail::has_draw<Functions> && detail::has_score<Functions>);

TEST(ModelClass, MayNameItsDataAsItLikes) {
  Data data;
  data.set("N", 2);
  for (const char* name : {"value", "score", "conditionals", "proposal"}) data.set(name, {1, 2});
  EXPECT_EQ(model_of<NamedAsFunctions>(data).layout().dimension, 1u);
}
TEST(ModelClass, MayBeFinal) { EXPECT_EQ(model_of<Final>().layout().dimension, 1u); }

}  // namespace
}  // namespace manychain
