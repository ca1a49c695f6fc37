// Memory that several threads fetch and copy.
#include "engine/parallel_copy.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <vector>

namespace {

using manychain::ParallelCopy;

/// Pages that nobody has touched.
class Pages {
 public:
  explicit Pages(std::size_t bytes) : bytes_(bytes) {
    void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(at, MAP_FAILED);
    madvise(at, bytes, MADV_NOHUGEPAGE);
    begin_ = static_cast<char*>(at);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(begin_, bytes_); }

  char* begin() const { return begin_; }
  /// Number of pages that are in memory.
  std::size_t there() const {
    std::vector<unsigned char> state(bytes_ / static_cast<std::size_t>(getpagesize()));
    EXPECT_EQ(mincore(begin_, bytes_, state.data()), 0);
    return std::accumulate(state.begin(), state.end(), std::size_t{0},
                           [](std::size_t n, int s) { return n + (s & 1); });
  }

 private:
  std::size_t bytes_;
  char* begin_;
};

constexpr std::size_t megabyte = std::size_t{1} << 20;

TEST(ParallelCopy, fetches_every_page_it_is_asked_for_and_no_other) {
  const auto page = static_cast<std::size_t>(getpagesize());
  for (const int threads : {1, 3, 64}) {
    const Pages pages(8 * megabyte);
    ASSERT_EQ(pages.there(), 0u);
    ParallelCopy host(threads);
    host.fetch_pages(pages.begin() + page / 2, 5 * megabyte);  // begins and ends within pages
    EXPECT_EQ(pages.there(), 5 * megabyte / page + 1);
    host.fetch_pages(pages.begin(), 1);
    host.fetch_pages(pages.begin() + 7 * megabyte, 0);
    EXPECT_EQ(pages.there(), 5 * megabyte / page + 1);
  }
}

TEST(ParallelCopy, copies_every_byte_and_no_other) {
  std::vector<unsigned char> from(3 * megabyte + 17), to(from.size() + 2, 7);
  for (std::size_t k = 0; k < from.size(); ++k) from[k] = static_cast<unsigned char>(k * 2654435761u >> 13);
  for (const int threads : {1, 2, 5})
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, megabyte / 2, megabyte / 2 + 1, from.size()}) {
      std::fill(to.begin(), to.end(), 7);
      ParallelCopy host(threads);
      host.copy(to.data() + 1, from.data(), bytes);
      EXPECT_EQ(std::memcmp(to.data() + 1, from.data(), bytes), 0);
      EXPECT_EQ(to[0], 7);
      EXPECT_EQ(to[bytes + 1], 7);
    }
}

}  // namespace
