#include "manychain/core/large_memory.hpp"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cstdint>
#include <cstdlib>
#include <new>

namespace manychain {
namespace {

constexpr std::size_t large_page = std::size_t(2) << 20;

}  // namespace

void* allocate_large(std::size_t bytes) {
  if (bytes > SIZE_MAX - large_page) throw std::bad_alloc();
  const std::size_t whole = (bytes + large_page - 1) / large_page * large_page;
  void* const at = std::aligned_alloc(large_page, whole);
  if (!at) throw std::bad_alloc();
  prefer_large_pages(at, whole);
  return at;
}

void free_large(void* at) noexcept { std::free(at); }

void prefer_large_pages([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(at) + page - 1) / page * page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(at) + bytes) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a wish
#endif
}

}  // namespace manychain
