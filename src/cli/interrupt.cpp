#include "cli/interrupt.hpp"

namespace manychain::cli {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");

constexpr int signals[] = {SIGINT, SIGTERM};

void request(int) { InterruptGuard::requested = true; }

/// `before`: what handled them until now; may be null.
void catch_signals(struct sigaction* before) {
  struct sigaction action {};
  action.sa_handler = request;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 2; ++i) sigaction(signals[i], &action, before ? &before[i] : nullptr);
}

}  // namespace

std::atomic<bool> InterruptGuard::requested{false};

InterruptGuard::InterruptGuard() { catch_signals(before_); }

void InterruptGuard::rearm() {
  requested = false;
  catch_signals(nullptr);
}

InterruptGuard::~InterruptGuard() {
  for (int i = 0; i < 2; ++i) sigaction(signals[i], &before_[i], nullptr);
}

}  // namespace manychain::cli
