// Code that compilers have got wrong with the options of chain code (cmake/isa.cmake).
#include <gtest/gtest.h>

#include <vector>

namespace manychain {
namespace {

// Without -mtune-ctrl=^inter_unit_moves_to_vec GCC 12 copies {2, 2, 0, 0} as {2, 2, 2, 2} for AVX-512.
__attribute__((noinline)) void expect_half(const std::vector<double>& x, double first, double second) {
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], i < x.size() / 2 ? first : second) << i;
}
TEST(Compiler, CopiesConstantsWhoseSecondHalfIsZero) {
  expect_half({2, 2, 0, 0}, 2, 0);
  expect_half({0, 0, 2, 2}, 0, 2);
  expect_half({3, 3, 3, 3, 0, 0, 0, 0}, 3, 0);
}

}  // namespace
}  // namespace manychain
