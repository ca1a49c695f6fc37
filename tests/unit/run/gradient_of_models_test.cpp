// check_gradient() of models: whole numbers have no derivative and are left out, and what leaves nothing is said.
#include <gtest/gtest.h>

#include "unit/run/model_of.hpp"

namespace manychain {
namespace {

/// The density changes along k, which has no gradient, and is finite within its range alone.
template <class Number>
struct Mixed {
  using samplers = SamplerList<Metropolis<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto x = target.real("x");
    auto k = target.integers("k", Size<3>{}, 5, 7);
    auto y = target.real("y");
    for (int i = 0; i < 3; ++i) {
      target += log(k[i] - 4) + log(8 - k[i]);
      target += normal(x, k[i], 2);
    }
    target += normal(y, x, 1);
  }
};

template <class Number>
struct IntegersAlone {
  using samplers = SamplerList<Metropolis<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    auto k = target.integers("k", Size<2>{}, 0, 3);
    target += normal(k[0], k[1], 1);
  }
};

template <class Number>
struct Empty {
  using samplers = SamplerList<Metropolis<>>;
  template <class Target>
  MANYCHAIN_HD void log_density(Target& target) const {
    target.vector("x", Size<>(0));
  }
};

template <template <class> class ModelClass>
std::string gradient_refusal() {
  try {
    check_gradient(model_of<ModelClass>());
  } catch (const BadInput& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(GradientOfModels, LeavesWholeNumbersOut) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const GradientCheck check = check_gradient(model_of<Mixed>(), 20, seed);
    EXPECT_TRUE(check.passed) << check.worst_parameter;
    EXPECT_TRUE(check.worst_parameter == "x" || check.worst_parameter == "y") << check.worst_parameter;
  }
}
TEST(GradientOfModels, IsRefusedWhereThereIsNone) {
  EXPECT_EQ(gradient_refusal<IntegersAlone>(),
            "model under_test has whole numbers alone, which have no gradient: there is nothing to check");
  EXPECT_EQ(gradient_refusal<Empty>(), "model under_test has no parameters");
}

}  // namespace
}  // namespace manychain
