#include "manychain/core/large_memory.hpp"

#ifdef __linux__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "core/reuse_large_memory.hpp"

namespace manychain {
namespace {

constexpr std::size_t large_page = std::size_t(2) << 20, most_kept = std::size_t(64) << 20;

std::size_t size_of([[maybe_unused]] void* at) {
#ifdef __linux__
  return malloc_usable_size(at);
#else
  return 0;
#endif
}

/// Blocks of a thread that wait for the next allocations.
struct Kept {
  void* blocks[4] = {};
  bool wanted = false;

  ~Kept() { free_all(); }
  void free_all() {
    for (void*& block : blocks) std::free(std::exchange(block, nullptr));
  }
  /// The smallest block of about as many bytes, or null.
  void* take(std::size_t bytes) {
    void** best = nullptr;
    for (void*& block : blocks)
      if (block && size_of(block) >= bytes && size_of(block) / 2 <= bytes && (!best || size_of(block) < size_of(*best)))
        best = &block;
    return best ? std::exchange(*best, nullptr) : nullptr;
  }
  bool keep(void* at) {
    const std::size_t size = wanted && at ? size_of(at) : 0;
    for (void*& block : blocks) {
      if (block || size == 0 || size > most_kept) continue;
      block = at;
      return true;
    }
    return false;
  }
};
thread_local Kept kept;

}  // namespace

ReuseLargeMemory::ReuseLargeMemory() { kept.wanted = true; }
ReuseLargeMemory::~ReuseLargeMemory() { kept.wanted = false; }

void free_kept_memory() noexcept { kept.free_all(); }

void* allocate_large(std::size_t bytes) {
  if (bytes > SIZE_MAX - large_page) throw std::bad_alloc();
  const std::size_t whole = (bytes + large_page - 1) / large_page * large_page;
  if (void* const again = kept.take(whole)) return again;
  void* const at = std::aligned_alloc(large_page, whole);
  if (!at) throw std::bad_alloc();
  prefer_large_pages(at, whole);
  return at;
}

void free_large(void* at) noexcept {
  if (!kept.keep(at)) std::free(at);
}

void prefer_large_pages([[maybe_unused]] void* at, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(at) + page - 1) / page * page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(at) + bytes) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a wish
#endif
}

}  // namespace manychain
