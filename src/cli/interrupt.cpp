#include "cli/interrupt.hpp"

#include <cerrno>
#include <cstdint>
#include <ctime>

namespace manychain::cli {
namespace {

// A signal handler may touch nothing else.
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

constexpr std::int64_t one_request = 250;  // milliseconds: timeout(1) signals a program and then its group

std::atomic<std::int64_t> heard{-one_request};
std::atomic<bool> reader_gone{false};

void request(int signal) {
  const int error = errno;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  errno = error;
  const std::int64_t milliseconds = std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
  if (milliseconds - heard < one_request) return;
  heard = milliseconds;
  if (!InterruptGuard::requested.exchange(true) || signal != SIGINT) return;
  ::signal(signal, SIG_DFL);
  raise(signal);
}

/// Tells whether SIGPIPE is ignored, which only the program that started this one can have chosen.
bool pipes_ignored() {
  struct sigaction now {};
  sigaction(SIGPIPE, nullptr, &now);
  return now.sa_handler == SIG_IGN;
}

}  // namespace

std::atomic<bool> InterruptGuard::requested{false};

InterruptGuard::InterruptGuard() {
  struct sigaction action {};
  action.sa_handler = request;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], nullptr, &before_[i]);
    const bool ignored = signals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN;
    if (!ignored) sigaction(signals[i], &action, nullptr);
  }
}

void InterruptGuard::rearm() { requested = false; }

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
}

void outlive_readers() {
  if (pipes_ignored()) return;
  // A handler, for what is ignored would be in every program that is started, too.
  ::signal(SIGPIPE, [](int) { reader_gone = true; });
}

void end_without_reader() {
  if (!reader_gone) return;
  end_with_reader();
  raise(SIGPIPE);
}

void end_with_reader() {
  if (!pipes_ignored()) ::signal(SIGPIPE, SIG_DFL);
}

}  // namespace manychain::cli
