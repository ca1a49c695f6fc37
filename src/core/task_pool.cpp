#include "core/task_pool.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/threads.hpp"

namespace manychain {

void do_tasks(std::size_t count, int threads, const std::atomic<bool>* cancel,
              const std::function<void(std::size_t task)>& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> ended{false};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto serve = [&] {
    for (;;) {
      if (ended || (cancel && cancel->load())) return;
      const std::size_t task = next++;
      if (task >= count) return;
      try {
        work(task);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!failure) failure = std::current_exception();
        ended = true;
      }
    }
  };
  const std::size_t wanted = std::min(static_cast<std::size_t>(std::max(threads, 1)), count);
  std::vector<std::thread> others;
  while (others.size() + 1 < wanted && add_thread(others, serve)) continue;
  serve();
  for (std::thread& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace manychain
