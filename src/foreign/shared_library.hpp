// A shared library, loaded at run time.
#pragma once

#include <string>

#include "manychain/core/error.hpp"

namespace manychain {

/// Never unloaded: threads that have run its code may end later, and then call what it left for them.
class SharedLibrary {
 public:
  /// Throws BadInput, with the path and the reason.
  explicit SharedLibrary(const std::string& path);
  const std::string& path() const { return path_; }
  /// Null if there is none of that name.
  void* find(const char* symbol) const;

  /// The function of that name and type, or null.
  template <class Function>
  Function function(const char* symbol) const {
    return reinterpret_cast<Function>(find(symbol));
  }

 private:
  std::string path_;
  void* handle_;
};

}  // namespace manychain
