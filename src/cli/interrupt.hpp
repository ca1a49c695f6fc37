// Ctrl-C and the signals of systems that end jobs: the first ends the phase that a run is in, sampling or diagnostics.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>

namespace manychain::cli {

/// While one of these lives, SIGINT, SIGTERM, SIGHUP and SIGUSR1 set `requested`, and the files of a run are written
/// all the same. Another Ctrl-C in the same phase ends the program; the others, which timeout(1), shells and batch
/// systems send twice, never do. Where SIGHUP was ignored, under nohup(1), it stays so.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();

  /// The next signal is the first again.
  void rearm();

  static constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
  static std::atomic<bool> requested;

 private:
  std::array<struct sigaction, signals.size()> before_{};
};

/// From here on a reader that has gone (`| head -1`) is an error of the write and does not end a run.
/// A SIGPIPE that was ignored stays ignored: that error is then its only effect.
void outlive_readers();
/// Ends the program by SIGPIPE if a reader has gone, which outlive_readers() put off.
void end_without_reader();
/// For a command that leaves nothing but what it prints: it ends with its reader.
void end_with_reader();

}  // namespace manychain::cli
