// The C interface: a study or another long call, from its settings and its watch to its result.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>

#include "c_api/beside.hpp"
#include "c_api/handles.hpp"
#include "c_api/run.hpp"

namespace manychain::c_api {

/// The progress of a study, as the thread that works writes it and the one that asked reads it.
class Standing {
 public:
  explicit Standing(const char* phase) { now_.phase = phase; }
  void set(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    now_ = progress;
  }
  void set_done(std::size_t done, std::size_t of) {
    const std::lock_guard lock(mutex_);
    now_.transitions = done;
    now_.total = of;
  }
  Progress now() const {
    const std::lock_guard lock(mutex_);
    Progress progress = now_;
    progress.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    return progress;
  }

 private:
  using Clock = std::chrono::steady_clock;
  mutable std::mutex mutex_;
  Progress now_{};
  const Clock::time_point begin_ = Clock::now();
};

/// The result of `study`, which gets settings with `cancel`, and may be ended by the watch. `sets`: what the watch gets
/// for manychain_sets_so_far().
template <class Study>
auto watched(const manychain_named_settings& given, Standing& standing, const Study& study,
             const void* sets = nullptr) {
  std::atomic<bool> cancel{false};
  Settings settings = given.settings;
  settings.cancel = &cancel;
  if (!given.watch) return study(settings);
  return beside([&] { return study(settings); },
                [&] {
                  manychain_progress at = progress_of(standing.now());
                  at.sets = sets;
                  if (given.watch(&at, given.watch_user) != 0) cancel = true;
                });
}

}  // namespace manychain::c_api
