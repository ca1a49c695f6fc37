// The end of a run's time, for work that looks at a flag: a search that knows of no clock.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "core/threads.hpp"

namespace manychain {

class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;
  /// `asked`: of whoever cancels the run, or null.
  TimeLimit(const std::atomic<bool>* asked, Clock::time_point end) : asked_(asked), end_(end), over_(is_over()) {
    if (!over_) add_thread(thread_, [this] { watch(); });  // where there is none, nothing is cut short
  }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  ~TimeLimit() {
    {
      const std::lock_guard lock(mutex_);
      leaving_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : thread_) thread.join();
  }

  /// True once the time is over, or the run was cancelled.
  const std::atomic<bool>& over() const { return over_; }

 private:
  static constexpr std::chrono::milliseconds look{20};

  bool is_over() const { return (asked_ && asked_->load()) || Clock::now() >= end_; }
  void watch() {
    std::unique_lock lock(mutex_);
    while (!over_ && !changed_.wait_until(lock, std::min(end_, Clock::now() + look), [&] { return leaving_; }))
      over_ = is_over();
  }

  const std::atomic<bool>* const asked_;
  const Clock::time_point end_;
  std::atomic<bool> over_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool leaving_ = false;
  std::vector<std::thread> thread_;  ///< one, or none
};

}  // namespace manychain
