// Ctrl-C: the first ends the phase that a run is in, sampling or diagnostics; another one in that phase the program.
#pragma once

#include <signal.h>

#include <atomic>

namespace manychain::cli {

/// While one of these lives, the first SIGINT or SIGTERM sets `requested`; the next one does what it always does.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  /// The next signal is the first again.
  void rearm();

  static std::atomic<bool> requested;

 private:
  struct sigaction before_[2];
};

}  // namespace manychain::cli
