// Ranks that are threads of a test.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "run/thread_ranks.hpp"

namespace manychain {

/// Calls `work(ranks)` in a thread for each of `size` ranks. Returns what each has thrown, or nothing.
template <class Work>
std::vector<std::exception_ptr> in_ranks(int size, const Work& work) {
  const std::vector<std::unique_ptr<Ranks>> ranks = thread_ranks(size);
  std::vector<std::exception_ptr> thrown(ranks.size());
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    threads.emplace_back([&, r] {
      try {
        ranks[r]->together([&] { work(*ranks[r]); });
      } catch (...) {
        thrown[r] = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return thrown;
}

inline std::string what(const std::exception_ptr& thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace manychain
