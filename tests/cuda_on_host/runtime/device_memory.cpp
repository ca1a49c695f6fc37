#include "runtime/device_memory.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <map>
#include <mutex>

#include "runtime/machine.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(begin, bytes) (static_cast<void>(begin), static_cast<void>(bytes))
#endif

namespace ptx {

namespace {

constexpr std::uint64_t page = 4096, granule = 256, device_bytes = std::uint64_t{12} << 30;
constexpr std::uint64_t address_space = std::uint64_t{1} << 40;

std::uint64_t reserved() {
  void* const begin = mmap(nullptr, address_space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return begin == MAP_FAILED ? 0 : address_of(begin);
}

struct Piece {
  std::uint64_t pages, page_bytes, bytes;
};
std::mutex mutex;
std::map<std::uint64_t, Piece> pieces;  // by their first byte
std::uint64_t next = 0, allocated = 0, kept_back = 0;

}  // namespace

std::uint64_t DeviceMemory::begin = reserved();
std::uint64_t DeviceMemory::bytes = DeviceMemory::begin ? address_space : 0;

namespace device_memory {

void* allocate(std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex);
  const std::uint64_t rounded = (bytes + granule - 1) / granule * granule;
  const std::uint64_t page_bytes = (rounded + page - 1) / page * page;
  if (allocated + kept_back + page_bytes > device_bytes || next + page_bytes + page > DeviceMemory::bytes)
    return nullptr;
  const std::uint64_t pages = DeviceMemory::begin + next;
  if (mprotect(reinterpret_cast<void*>(pages), page_bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
  next += page_bytes + page;  // a page between two is never there
  allocated += page_bytes;
  // Against the end of the pages, as closely as alignment lets it.
  const std::uint64_t begin = pages + page_bytes - rounded;
  pieces[begin] = {pages, page_bytes, bytes};
  void* const memory = reinterpret_cast<void*>(begin);
  fill_unknown(memory, bytes);
  ASAN_POISON_MEMORY_REGION(reinterpret_cast<void*>(pages), begin - pages);
  ASAN_POISON_MEMORY_REGION(reinterpret_cast<void*>(begin + bytes), rounded - bytes);
  return memory;
}

bool release(void* memory) {
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = pieces.find(address_of(memory));
  if (found == pieces.end()) return false;
  const Piece& piece = found->second;
  madvise(reinterpret_cast<void*>(piece.pages), piece.page_bytes, MADV_DONTNEED);
  mprotect(reinterpret_cast<void*>(piece.pages), piece.page_bytes, PROT_NONE);
  allocated -= piece.page_bytes;
  pieces.erase(found);
  return true;
}

bool holds(const void* begin, std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex);
  auto after = pieces.upper_bound(address_of(begin));
  if (after == pieces.begin()) return false;
  const auto& [first, piece] = *--after;
  return address_of(begin) + bytes <= first + piece.bytes;
}

bool owns(const void* address) { return DeviceMemory::has(address_of(address)); }

void keep_back(std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex);
  kept_back = bytes;
}

std::size_t total_bytes() { return device_bytes; }
std::size_t free_bytes() {
  const std::lock_guard<std::mutex> lock(mutex);
  return device_bytes - allocated - kept_back;
}

}  // namespace device_memory
}  // namespace ptx
