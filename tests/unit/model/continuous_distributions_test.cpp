// Every distribution of continuous_distributions.hpp, value and all derivatives, in every Real.
#include "unit/model/densities_check.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

TYPED_TEST(RealTest, ContinuousDistributionsMatchTheReference) {
  check_densities<TypeParam>([](auto f) { for_each_continuous_density(f); });
}

}  // namespace
}  // namespace manychain::test
