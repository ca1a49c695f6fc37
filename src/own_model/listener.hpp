// The caller of a compilation, as the compilation sees it.
#pragma once

#include <cstddef>
#include <string>

#include "manychain/core/error.hpp"

namespace manychain::own_model {

/// Hears how a compilation goes on, and may stop it. All calls come from the thread that compiles.
class Listener {
 public:
  Listener() = default;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  virtual ~Listener() = default;

  /// Nothing can be kept in the cache, or a header that has changed is compiled again. One sentence.
  virtual void complain(const std::string&) {}
  /// Compilers start: "Compiling model.hpp: hmc in both precisions, for the CPU".
  virtual void begin(const std::string&) {}
  /// `done` of `units` are compiled; once all are, they are linked. Called many times a second.
  virtual void show(std::size_t, std::size_t) {}
  /// The product is there.
  virtual void end() {}
  /// Asked many times a second. True: the compilers are ended, and Error is thrown.
  virtual bool stops() { return false; }

  void throw_if_stopped() {
    if (stops()) throw Error("interrupted while a model was compiled");
  }
};

}  // namespace manychain::own_model
