// Ranks that are threads of one process.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "run/ranks.hpp"

namespace manychain {

/// The place where threads meet. Each then reads what the others hold.
class Meeting {
 public:
  explicit Meeting(int threads) : threads_(threads), given_(static_cast<std::size_t>(threads)) {}
  /// Waits until all threads have come.
  void wait();
  struct Given {
    const std::byte* bytes = nullptr;
    const std::vector<std::size_t>* sizes = nullptr;
  };
  Given& of(int rank) { return given_[static_cast<std::size_t>(rank)]; }

 private:
  const int threads_;
  std::vector<Given> given_;
  std::mutex mutex_;
  std::condition_variable all_came_;
  int here_ = 0;
  std::uint64_t meetings_ = 0;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(int rank, int size, std::shared_ptr<Meeting> meeting) : Ranks(rank, size), meeting_(std::move(meeting)) {}

 protected:
  void gather_bytes(const std::byte* mine, std::byte* all, const std::vector<std::size_t>& bytes) override;
  void exchange_bytes(const std::byte* to, const std::vector<std::size_t>& sent, std::byte* from,
                      const std::vector<std::size_t>& received) override;

 private:
  std::shared_ptr<Meeting> meeting_;
};

/// One for each of `size` threads.
std::vector<std::unique_ptr<Ranks>> thread_ranks(int size);

}  // namespace manychain
