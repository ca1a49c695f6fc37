// Threads that do loops together, each loop after the one before, on a machine that may be busy with other things.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/threads.hpp"

namespace manychain {

/// The caller and `threads - 1` threads beside it. Each takes items of a loop from a range of its own, then from those
/// of the others. Whoever ends the last item goes on with what follows and opens the next loop. So a loop costs one
/// meeting, and nobody waits for a thread that another process keeps from its core, unless that thread holds items. A
/// thread without work spins for some microseconds, then it sleeps and leaves the core to others.
///
/// One caller at a time; steps must not call run() of the same team.
class Team {
 public:
  /// A part of a round. Fewer than 2^32 items.
  struct Step {
    std::int64_t items;
    std::int64_t grain;  ///< items that are taken at once, at least; a loop of no more is left to one thread
    std::function<void(std::int64_t item, int worker)> work;
  };
  /// `work(item, worker)` for each item from 0 to `items`, in any order. `worker`, from 0 to threads() - 1, tells apart
  /// items that run at the same time.
  template <class Work>
  static Step loop(std::int64_t items, Work work, std::int64_t grain = 1) {
    return {items, grain, std::move(work)};
  }
  /// `work()` once, in any of the threads.
  template <class Work>
  static Step single(Work work) {
    return {1, 1, [work = std::move(work)](std::int64_t, int) mutable { work(); }};
  }

  /// `start`: how threads are started.
  explicit Team(int threads, StartThread start = start_thread);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  /// Fewer than were asked for once the system has refused one, which is in the first runs.
  int threads() const { return threads_; }

  /// Does the steps in order, `rounds` times, on at most `most` of the threads. A step sees what all steps before it
  /// wrote. The first exception of a step ends the run and is thrown again here; items not yet begun are left out.
  void run(const std::vector<Step>& steps, std::uint32_t rounds = 1, int most = 1 << 30);

 private:
  class Run;
  void serve(int worker);

  const StartThread start_;
  int threads_;
  std::vector<std::thread> others_;
  std::mutex mutex_;  // for all below
  std::condition_variable called_;
  std::shared_ptr<Run> run_;  // the one in progress
  std::uint64_t runs_ = 0;
  bool leaving_ = false;
};

}  // namespace manychain
