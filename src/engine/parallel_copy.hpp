// Large memory of the host written by several threads: one alone fetches pages and copies more slowly than a device
// sends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "engine/team.hpp"

namespace manychain {

class ParallelCopy {
 public:
  /// At most `threads` at once; they start with the first memory that is worth it. Where the system starts no more of
  /// them, the caller does all.
  explicit ParallelCopy(int threads) : threads_(std::clamp(threads, 1, most_threads)) {}

  /// Fetches the pages of memory whose contents are of no use to anybody: some of them are overwritten.
  void fetch_pages(void* begin, std::size_t bytes) {
    auto* const first = static_cast<volatile char*>(begin);
    in_parts(bytes, [first](std::size_t at, std::size_t end) {
      for (; at < end; at += smallest_page) first[at] = 0;
      first[end - 1] = 0;
    });
  }
  void copy(void* to, const void* from, std::size_t bytes) {
    in_parts(bytes, [to, from](std::size_t at, std::size_t end) {
      std::memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, end - at);
    });
  }

 private:
  static constexpr int most_threads = 4;  // as many keep the memory of a host busy
  static constexpr std::size_t part = std::size_t{1} << 19, smallest_page = 4096;

  template <class Work>
  void in_parts(std::size_t bytes, const Work& work) {
    const std::size_t parts = (bytes + part - 1) / part;
    const auto one = [&work, bytes](std::int64_t k, int) {
      const std::size_t begin = static_cast<std::size_t>(k) * part;
      work(begin, std::min(bytes, begin + part));
    };
    if (parts > 1 && threads_ > 1) {
      if (!team_) team_ = std::make_unique<Team>(threads_);
      const std::vector<Team::Step> steps(1, Team::loop(static_cast<std::int64_t>(parts), one));  // nvcc loses braces
      return team_->run(steps);
    }
    for (std::size_t k = 0; k < parts; ++k) one(static_cast<std::int64_t>(k), 0);
  }

  int threads_;
  std::unique_ptr<Team> team_;
};

}  // namespace manychain
