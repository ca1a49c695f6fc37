#include "io/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <new>

#include "manychain/core/error.hpp"

namespace manychain::io {
namespace {

constexpr int gzip_format = MAX_WBITS + 16;
constexpr std::size_t most_at_once = std::size_t(1) << 30;  // zlib counts in 32 bits

/// Runs `step` over all of `from`, to the `count` bytes at `to`. Returns the bytes written if the stream ended just
/// where `from` does, else more than `count`.
template <class Step>
std::size_t through(z_stream& stream, std::string_view from, char* to, std::size_t count, const Step& step) {
  std::size_t read = 0, written = 0;
  for (;;) {
    const std::size_t in = std::min(from.size() - read, most_at_once), out = std::min(count - written, most_at_once);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data() + read));
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(to + written);
    stream.avail_out = static_cast<uInt>(out);
    const int status = step(read + in == from.size());
    const std::size_t more = in - stream.avail_in, made = out - stream.avail_out;
    read += more;
    written += made;
    if (status == Z_STREAM_END) return read == from.size() ? written : count + 1;
    if (status != Z_OK || (more == 0 && made == 0)) return count + 1;
  }
}

}  // namespace

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, gzip_level, Z_DEFLATED, gzip_format, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string to(deflateBound(&stream, bytes.size()), '\0');
  const std::size_t made = through(stream, bytes, to.data(), to.size(),
                                   [&](bool last) { return deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH); });
  deflateEnd(&stream);
  if (made > to.size()) throw Error("zlib could not compress a chunk");
  to.resize(made);
  return to;
}

bool gunzip(std::string_view from, std::size_t count, std::string& bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, gzip_format) != Z_OK) throw std::bad_alloc();
  bytes.resize(count);
  const std::size_t made =
      through(stream, from, bytes.data(), count, [&](bool) { return inflate(&stream, Z_NO_FLUSH); });
  inflateEnd(&stream);
  return made == count;
}

}  // namespace manychain::io
