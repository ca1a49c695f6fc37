#include "io/crc32c.hpp"

#include <array>
#include <cstring>

namespace manychain::io {
namespace {

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

/// Table k is of a byte that k more follow, so that eight bytes are looked up at once.
constexpr Tables crc_tables = [] {
  Tables tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0x82f63b78u : 0u);
    tables[0][i] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t i = 0; i < 256; ++i) {
      const std::uint32_t crc = tables[k - 1][i];
      tables[k][i] = (crc >> 8) ^ tables[0][crc & 0xff];
    }
  return tables;
}();

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(const unsigned char* at, std::size_t count,
                                                               std::uint32_t before) {
  std::uint64_t crc = ~before;
  for (; count >= 8; count -= 8, at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    crc = __builtin_ia32_crc32di(crc, word);
  }
  auto rest = static_cast<std::uint32_t>(crc);
  for (; count > 0; --count) rest = __builtin_ia32_crc32qi(rest, *at++);
  return ~rest;
}
#endif

}  // namespace

std::uint32_t crc32c_by_tables(const void* bytes, std::size_t count, std::uint32_t before) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  const Tables& t = crc_tables;
  std::uint32_t crc = ~before;
  for (; count >= 8; count -= 8, at += 8) {
    const std::uint32_t low =
        crc ^ (at[0] | std::uint32_t(at[1]) << 8 | std::uint32_t(at[2]) << 16 | std::uint32_t(at[3]) << 24);
    crc = t[7][low & 0xff] ^ t[6][low >> 8 & 0xff] ^ t[5][low >> 16 & 0xff] ^ t[4][low >> 24] ^ t[3][at[4]] ^
          t[2][at[5]] ^ t[1][at[6]] ^ t[0][at[7]];
  }
  for (; count > 0; --count) crc = (crc >> 8) ^ t[0][(crc ^ *at++) & 0xff];
  return ~crc;
}

std::uint32_t crc32c(const void* bytes, std::size_t count, std::uint32_t before) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("sse4.2")) return by_instruction(static_cast<const unsigned char*>(bytes), count, before);
#endif
  return crc32c_by_tables(bytes, count, before);
}

}  // namespace manychain::io
