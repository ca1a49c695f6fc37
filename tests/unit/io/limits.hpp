// Limits of this process within a test.
#pragma once

#include <sys/resource.h>

namespace manychain {

/// A limit of this process, for the length of a scope.
class Limited {
 public:
  Limited(int resource, rlim_t most) : resource_(resource) {
    getrlimit(resource, &before_);
    const struct rlimit now = {most, before_.rlim_max};
    setrlimit(resource, &now);
  }
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;
  ~Limited() { setrlimit(resource_, &before_); }

 private:
  int resource_;
  struct rlimit before_ {};
};

inline bool under_sanitizer() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
  return true;
#endif
#endif
  return false;
}

}  // namespace manychain
