// do_tasks(): each task once, on any number of threads.
#include "core/task_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/threads.hpp"

namespace manychain {
namespace {

TEST(TaskPool, DoesEachTaskOnce) {
  for (const int threads : {1, 3, 50}) {
    std::vector<std::atomic<int>> done(40);
    do_tasks(done.size(), threads, nullptr, [&](std::size_t k) { ++done[k]; });
    for (const auto& count : done) EXPECT_EQ(count, 1) << threads;
  }
  do_tasks(0, 3, nullptr, [](std::size_t) { FAIL(); });
}

TEST(TaskPool, BeginsInOrder) {
  std::vector<std::size_t> order;
  do_tasks(5, 1, nullptr, [&](std::size_t k) { order.push_back(k); });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(TaskPool, BeginsNoneOnceItIsCancelled) {
  std::atomic<bool> cancel{false};
  std::atomic<int> done{0};
  do_tasks(100, 1, &cancel, [&](std::size_t) { cancel = ++done == 7; });
  EXPECT_EQ(done, 7);
}

TEST(TaskPool, ThrowsTheFirstExceptionOnceAllHaveEnded) {
  for (const int threads : {1, 4}) {
    std::atomic<int> begun{0};
    const auto work = [&](std::size_t k) {
      ++begun;
      if (k == 2) throw std::runtime_error("two");
      if (threads > 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the others must not end all before
    };
    EXPECT_THROW(do_tasks(1000, threads, nullptr, work), std::runtime_error);
    EXPECT_LT(begun, 1000) << threads;
  }
}

TEST(TaskPool, ASettingOfNoThreadsIsAllThereAre) {
  EXPECT_EQ(threads_of_setting(5), 5);
  EXPECT_GE(threads_of_setting(0), 1);
}

}  // namespace
}  // namespace manychain
