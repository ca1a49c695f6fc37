#include "core/threads.hpp"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <utility>

namespace manychain {
namespace {

std::atomic<bool> refused{false};

}  // namespace

int threads_of_setting(int threads) {
  return std::max(threads > 0 ? threads : static_cast<int>(std::thread::hardware_concurrency()), 1);
}

std::thread start_thread(std::function<void()> work) { return std::thread(std::move(work)); }

bool add_thread(std::vector<std::thread>& threads, std::function<void()> work, const StartThread& start) {
  threads.reserve(threads.size() + 1);  // once it runs nothing may throw
  try {
    threads.push_back(start(std::move(work)));
    return true;
  } catch (const std::system_error&) {
    refused = true;
    return false;
  }
}

int threads_for_loop(int wanted) { return refused ? 1 : wanted; }

}  // namespace manychain
