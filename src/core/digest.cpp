#include "core/digest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace manychain {

void Digest::add_word(Wide word) {
  constexpr Wide prime = (Wide(1) << 88) + 0x13b;
  hash_ = (hash_ ^ word) * prime;
  hash_ ^= hash_ >> 64;
}

void Digest::add(const char* bytes, std::size_t size) {
  size_ += size;
  for (std::size_t done = 0; done < size; done += sizeof(Wide)) {
    Wide word = 0;
    std::memcpy(&word, bytes + done, std::min(sizeof word, size - done));
    add_word(word);
  }
}

std::string Digest::text() {
  add_word(size_);
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(hash_ >> 64), static_cast<std::uint64_t>(hash_));
}

std::string digest_of(std::string_view text) {
  Digest digest;
  digest.add(text.data(), text.size());
  return digest.text();
}

// By read(), not by a map: who reads a map of a file that is cut short meanwhile is ended by a signal.
std::string digest_of_file(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  Digest digest;
  std::vector<char> buffer(1 << 16);
  std::size_t filled = 0;
  ssize_t read = 0;
  while ((read = ::read(file, buffer.data() + filled, buffer.size() - filled)) != 0) {
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) break;
    filled += static_cast<std::size_t>(read);
    if (filled < buffer.size()) continue;
    digest.add(buffer.data(), filled);
    filled = 0;
  }
  ::close(file);
  if (read < 0) return "";
  digest.add(buffer.data(), filled);
  return digest.text();
}

}  // namespace manychain
