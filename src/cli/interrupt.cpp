#include "cli/interrupt.hpp"

namespace manychain::cli {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");

constexpr int signals[] = {SIGINT, SIGTERM};

void request(int) { InterruptGuard::requested = true; }

}  // namespace

std::atomic<bool> InterruptGuard::requested{false};

InterruptGuard::InterruptGuard() {
  struct sigaction action {};
  action.sa_handler = request;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < 2; ++i) sigaction(signals[i], &action, &before_[i]);
}

InterruptGuard::~InterruptGuard() {
  for (int i = 0; i < 2; ++i) sigaction(signals[i], &before_[i], nullptr);
}

}  // namespace manychain::cli
