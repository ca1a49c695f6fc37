// One line for all chains together.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "manychain/run/settings.hpp"

namespace manychain::cli {

/// Writes where a run stands to stderr: rewritten in place on a terminal, else a line every few seconds.
class ProgressLine {
 public:
  explicit ProgressLine(const std::atomic<bool>& cancel);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }

  void show(const Progress& progress);
  /// Takes the line off the terminal, so that something else can be printed.
  void clear();

 private:
  const std::atomic<bool>& cancel_;
  bool terminal_;
  bool on_screen_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace manychain::cli
