// Large arrays of runs that follow each other in one thread: to get zeroed pages for each costs more than to fill them.
#pragma once

namespace manychain {

/// While one lives, its thread keeps up to four large blocks that are freed (manychain/core/large_memory.hpp), of at
/// most 64 MB each, for the next ones that ask for about as much. They are freed with the thread, or by
/// free_kept_memory().
class ReuseLargeMemory {
 public:
  ReuseLargeMemory();
  ~ReuseLargeMemory();
  ReuseLargeMemory(const ReuseLargeMemory&) = delete;
  ReuseLargeMemory& operator=(const ReuseLargeMemory&) = delete;
};

/// Frees what the calling thread has kept.
void free_kept_memory() noexcept;

}  // namespace manychain
