// Compilers, several at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace manychain::own_model {

/// A program with its arguments. What it writes to stdout goes to the file `output`, or nowhere if that is empty.
struct Process {
  std::vector<std::string> words;
  std::filesystem::path output = {};
  std::filesystem::path folder = {};  ///< where it runs; empty: in that of all
  /// Place in the list, before its own, of one that must be done first. For those aside.
  std::optional<std::size_t> after = {};
  /// Nothing waits for its end, and no failure of it counts but the exit status `refusal`.
  bool aside = false;
  int refusal = -1;
};

/// Exit of the processes of a group.
struct ProcessesEnded {
  const Process* failed = nullptr;  ///< the first that failed; null: all are done
  bool started = true;              ///< false: it could not be started, and `words` says why
  std::string words;                ///< what it wrote to stderr
  std::vector<bool> done;           ///< of each: it came to its end, without an error
};

/// Runs them in `folder`, where they may leave files, at most `at_once` at a time: the first in the order given that
/// can start. Once one fails, or none is left but those aside, the others are ended; so they are, with all that they
/// have started, if this program is killed. Their messages are in English, whatever the locale. `look` is called many
/// times a second, with the number of those that are done and not aside; if it throws, they are ended, and the
/// exception goes on. Throws Error if the exit status of one is lost.
ProcessesEnded run_processes(const std::vector<Process>& processes, const std::filesystem::path& folder,
                             std::size_t at_once, const std::function<void(std::size_t done)>& look = {});

}  // namespace manychain::own_model
