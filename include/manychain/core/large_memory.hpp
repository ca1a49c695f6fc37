// Memory for large arrays, in pages as large as the system has: to fetch them one small page at a time costs more than
// to write them.
#pragma once

#include <cstddef>

namespace manychain {

/// From so many bytes on an array is large.
inline constexpr std::size_t large_bytes = std::size_t(1) << 20;

/// Not zeroed. Throws std::bad_alloc.
void* allocate_large(std::size_t bytes);
void free_large(void* at) noexcept;
/// Asks for large pages of memory that begins and ends anywhere.
void prefer_large_pages(void* at, std::size_t bytes) noexcept;

}  // namespace manychain
