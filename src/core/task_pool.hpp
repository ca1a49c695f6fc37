// Tasks that have nothing to do with each other, as many at a time as there are threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace manychain {

/// Calls `work(task)` for each task from 0 to `count`, on `threads` threads, of which the caller is one: in their order
/// each is taken by the first thread that is free. Once `cancel` (or null) is true none is begun. The first exception
/// of a task ends the others before they begin, and is thrown again here.
void do_tasks(std::size_t count, int threads, const std::atomic<bool>* cancel,
              const std::function<void(std::size_t task)>& work);

}  // namespace manychain
