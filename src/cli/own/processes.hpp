// Compilers, several at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace manychain::cli {

/// A program with its arguments. What it writes to stdout goes to the file `output`, or nowhere if that is empty.
struct Process {
  std::vector<std::string> words;
  std::filesystem::path output;
};

/// How the processes of a group ended.
struct ProcessesEnded {
  const Process* failed = nullptr;  ///< the first that failed; null: all are done
  bool started = true;              ///< false: it could not be started, and `words` says why
  std::string words;                ///< what it wrote to stderr
};

/// Runs them in `folder`, where they may leave files, at most `at_once` at a time in the order given. Once one fails
/// the others are ended. Ctrl-C ends them all and throws Error. Their messages are
/// in English, whatever the locale. `look` is called many times a second, with the number of those that are done.
ProcessesEnded run_processes(const std::vector<Process>& processes, const std::filesystem::path& folder,
                             std::size_t at_once, const std::function<void(std::size_t done)>& look = {});

}  // namespace manychain::cli
