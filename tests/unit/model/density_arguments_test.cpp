// Arguments of distributions: expressions, intermediates, data, literals and vectors, in every combination.
#include "unit/model/argument_kinds.hpp"

namespace manychain::test {
namespace {

TEST(DensityArguments, OfEveryKindInScalars) {
  check_all_kinds<Scalar<double>, 0, 1>([](auto f) { for_each_density(f); });
}
TEST(DensityArguments, OfEveryKindInPacks) {
  check_all_kinds<Pack<float>, 2, 2>([](auto f) { for_each_density(f); });
}

// Literals alone are a constant that fits any precision, and may stand in a larger expression.
TEST(DensityArguments, LiteralsAlone) {
  const auto density = [](auto& target) {
    auto x = target.vector("x", Size<1>{});
    target += normal(1.0, 0.0, 1) + x[0];
    target += 0.5 * exponential(2, 3);
  };
  const auto got = run_target<Request::value_and_gradient, Pack<float>>(
      1, [](int, int) { return 0.25; }, density);
  EXPECT_NEAR(got.value[0], -0.5 - 0.9189385332046727 + 0.25 + 0.5 * (std::log(3.0) - 6), 1e-6);
  EXPECT_EQ(got.gradient[0][0], 1);
}

}  // namespace
}  // namespace manychain::test
