// The checksum of RFC 3720, which chunks of Zarr end with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace manychain::io {

/// CRC-32C of some bytes; `before` is that of the bytes before them. By the instruction of SSE4.2 where the processor
/// has it.
std::uint32_t crc32c(const void* bytes, std::size_t count, std::uint32_t before = 0);
/// By tables, on any processor.
std::uint32_t crc32c_by_tables(const void* bytes, std::size_t count, std::uint32_t before = 0);

}  // namespace manychain::io
