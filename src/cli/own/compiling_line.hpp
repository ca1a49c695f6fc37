// The line that says what is being compiled, and for how long.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace manychain::cli {

/// On stderr: "Compiling model.hpp: hmc ...", and behind it, once that is done, the time that it took. On a terminal
/// how far it is stands there meanwhile.
class CompilingLine {
 public:
  CompilingLine() = default;
  CompilingLine(const CompilingLine&) = delete;
  CompilingLine& operator=(const CompilingLine&) = delete;
  ~CompilingLine() { leave(); }

  void begin(const std::string& what);
  /// Shown from the second second on, ten times a second at most: "2 of 3 units, 4 s".
  void show(std::size_t done, std::size_t units);
  void end();
  /// Something else is to be printed: the line stays, without a time.
  void leave();

 private:
  using Clock = std::chrono::steady_clock;
  void write_over(const std::string& state) const;
  void close(const std::string& end);
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  std::string what_;
  bool open_ = false, terminal_ = false;
  Clock::time_point begin_, shown_;
};

}  // namespace manychain::cli
