#include "run/thread_ranks.hpp"

#include <algorithm>
#include <numeric>

namespace manychain {

void Meeting::wait() {
  std::unique_lock lock(mutex_);
  const std::uint64_t meeting = meetings_;
  if (++here_ < threads_) return all_came_.wait(lock, [&] { return meetings_ != meeting; });
  here_ = 0;
  ++meetings_;
  all_came_.notify_all();
}

void ThreadRanks::gather_bytes(const std::byte* mine, std::byte* all, const std::vector<std::size_t>& bytes) {
  meeting_->of(rank()) = {mine, &bytes};
  meeting_->wait();
  for (int r = 0; r < size(); ++r) all = std::copy_n(meeting_->of(r).bytes, bytes[static_cast<std::size_t>(r)], all);
  meeting_->wait();
}

void ThreadRanks::exchange_bytes(const std::byte* to, const std::vector<std::size_t>& sent, std::byte* from,
                                 const std::vector<std::size_t>& received) {
  meeting_->of(rank()) = {to, &sent};
  meeting_->wait();
  for (int r = 0; r < size(); ++r) {
    const Meeting::Given& other = meeting_->of(r);
    const std::size_t before = std::accumulate(other.sizes->begin(), other.sizes->begin() + rank(), std::size_t{0});
    from = std::copy_n(other.bytes + before, received[static_cast<std::size_t>(r)], from);
  }
  meeting_->wait();
}

std::vector<std::unique_ptr<Ranks>> thread_ranks(int size) {
  const auto meeting = std::make_shared<Meeting>(size);
  std::vector<std::unique_ptr<Ranks>> ranks;
  for (int r = 0; r < size; ++r) ranks.push_back(std::make_unique<ThreadRanks>(r, size, meeting));
  return ranks;
}

}  // namespace manychain
