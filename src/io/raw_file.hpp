// Bytes to files, as the system has them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace manychain::io {

/// Bytes that lie somewhere.
using Piece = std::pair<const void*, std::size_t>;

/// A piece of so many bytes is written past the system's cache. A shorter one would wait for longer ones before it.
inline constexpr std::size_t direct_bytes = std::size_t(4) << 20;

// Each returns the number of an error, or 0.
int write_all(int file, const std::vector<Piece>& pieces);
/// A new file, or an old one anew. `to_disk`: they will not be read soon. Then a piece of `direct_bytes` or more
/// that begins at a page (allocate_large()) is written past the system's cache where the file system can do that: to
/// copy it there takes longer than a fast disk needs.
int write_new_file(const std::string& place, const std::vector<Piece>& pieces, bool to_disk);
/// A file or a folder outlasts a crash of the machine.
int sync_one(const std::string& place);

}  // namespace manychain::io
