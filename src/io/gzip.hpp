// Chunks of Zarr in the format of gzip (RFC 1952), by zlib.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace manychain::io {

/// The level that stores ask for: digits of draws are random, and higher ones take longer for next to nothing.
inline constexpr int gzip_level = 1;
/// No stream of gzip has more than so many times its own bytes in it.
inline constexpr std::size_t gzip_most_ratio = 1032;

/// Without name and time: the same bytes give the same stream by one version of zlib.
std::string gzip(std::string_view bytes);
/// True if `stream` is one whole stream of exactly `count` bytes, which are put into `bytes`.
bool gunzip(std::string_view stream, std::size_t count, std::string& bytes);

}  // namespace manychain::io
