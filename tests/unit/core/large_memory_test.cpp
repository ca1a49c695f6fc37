// Large blocks of memory that are used again.
#include "manychain/core/large_memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "core/reuse_large_memory.hpp"

namespace {

using namespace manychain;

constexpr std::size_t megabyte = std::size_t(1) << 20;

TEST(LargeMemory, is_used_again_for_as_much) {
  void* const kept = allocate_large(5 * megabyte);
  void* const small = allocate_large(megabyte);
  {
    const ReuseLargeMemory reuse;
    free_large(kept);
    free_large(small);
    void* const far_more = allocate_large(40 * megabyte);
    EXPECT_NE(far_more, kept);
    EXPECT_NE(far_more, small);
    void* const again = allocate_large(4 * megabyte);
    EXPECT_EQ(again, kept);
    std::memset(again, 1, 4 * megabyte);
    free_large(again);
    // The smaller one of two that are large enough is taken, so that the other is left for those who need it.
    void* const larger = allocate_large(8 * megabyte);
    void* const kept_before = allocate_large(5 * megabyte);
    EXPECT_EQ(kept_before, kept);
    free_large(larger);
    free_large(kept_before);
    EXPECT_EQ(allocate_large(5 * megabyte), kept);
    EXPECT_EQ(allocate_large(8 * megabyte), larger);
    free_large(kept);
    std::free(larger);
    free_large(far_more);
    free_large(nullptr);
  }
  void* const still = allocate_large(5 * megabyte);
  EXPECT_EQ(still, kept) << "the next run in this thread";
  free_large(still);
  free_kept_memory();
}

}  // namespace
