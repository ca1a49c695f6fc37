// Numbers that a child process computes and its parent reads, without a copy.
#pragma once

#include <cstddef>
#include <memory>

namespace manychain::io {

/// Memory without a name. Made before the child, sized and filled by the child, looked at by the parent.
class SharedNumbers {
 public:
  /// Throws Error if the system refuses.
  SharedNumbers();
  SharedNumbers(const SharedNumbers&) = delete;
  SharedNumbers& operator=(const SharedNumbers&) = delete;
  ~SharedNumbers();

  /// Room for `count` numbers, to be filled. Throws std::bad_alloc, BadInput where the limit of the size of files,
  /// which holds for memory like this, is too low for it.
  double* create(std::size_t count);
  /// The memory that was created; of at least `count` numbers, or it throws Error. Lives as long as somebody holds it.
  std::shared_ptr<const double[]> view(std::size_t count) const;

 private:
  int file_;
};

}  // namespace manychain::io
