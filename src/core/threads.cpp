#include "core/threads.hpp"

#include <atomic>
#include <exception>
#include <system_error>
#include <utility>

namespace manychain {
namespace {

std::atomic<bool> refused{false};

}  // namespace

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

void in_threads(std::size_t count, const std::function<void()>& work, const StartThread& start) {
  std::exception_ptr error;
  std::atomic<bool> failed{false};
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(count);
  while (others.size() + 1 < count && add_thread(others, guarded, start)) continue;
  guarded();
  for (std::thread& other : others) other.join();
  if (error) std::rethrow_exception(error);
}

int threads_for_loop(int wanted) { return refused ? 1 : wanted; }

}  // namespace manychain
