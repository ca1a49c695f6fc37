// Every distribution of distributions.hpp, value and all derivatives, in every Real.
#include "unit/model/densities_check.hpp"

namespace manychain::test {
namespace {

TYPED_TEST_SUITE(RealTest, TestedReals, RealName);

TYPED_TEST(RealTest, DensitiesAndDerivativesMatchTheReference) {
  check_densities<TypeParam>([](auto f) { for_each_density(f); });
}

}  // namespace
}  // namespace manychain::test
