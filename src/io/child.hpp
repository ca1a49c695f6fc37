// Work in a process of its own: where HDF5 crashes, on a damaged file or a full disk, the caller gets an error. HDF5
// also crashes at exit after a write that failed. It therefore runs in child processes only, which send back an error,
// or draws in shared memory (io/shared_numbers.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "manychain/core/error.hpp"

namespace manychain::io {

/// The child process ended before it had an answer.
class ChildDied : public Error {
 public:
  /// `signal` ended it; 0 if it ended by itself.
  explicit ChildDied(int signal);
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// The resources that a child may use; 0: no limit.
struct ChildLimits {
  std::size_t seconds = 0;  ///< of processor time, so that a slow disk does not count
  std::size_t bytes = 0;    ///< of memory beyond its parent's; not looked at under a sanitizer, which takes terabytes
};

/// Work in a child process, a copy of this one, while this one goes on. As in_child() otherwise.
class ChildTask {
 public:
  using Told = std::function<std::string()>;
  /// `work(told)`: told() waits for what finish() says. Where no process can be started, finish() does the work here:
  /// what `work` refers to must last until then.
  explicit ChildTask(std::function<std::string(const Told& told)> work, ChildLimits limits = {});
  ChildTask(const ChildTask&) = delete;
  ChildTask& operator=(const ChildTask&) = delete;
  /// Ends a child that nobody has waited for.
  ~ChildTask();

  /// Says `what` to the child, once, and waits for its answer.
  std::string finish(const std::string& what);

 private:
  int end();

  std::function<std::string(const Told&)> work_;  // where there is no child
  int process_ = -1, answer_ = -1, told_ = -1;
};

/// Runs `work` in a child process, a copy of this one, and returns its answer. BadInput, std::bad_alloc and other
/// exceptions that leave `work` are thrown here, the others as Error. Throws ChildDied if the child crashes or exceeds
/// a limit. It leaves neither core file nor words of its own on stderr, and runs no clean-up at its exit. `work` must
/// not start threads. It ends with this process. Where no process can be started it runs in this one.
std::string in_child(const std::function<std::string()>& work, ChildLimits limits = {});

}  // namespace manychain::io
