// Runs compilers on a header, and makes a sentence of what they say.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "own_model/listener.hpp"
#include "own_model/processes.hpp"
#include "own_model/toolchain.hpp"

namespace manychain::own_model {

/// The member of CompileError that has the compiler's words, as messages name it.
constexpr const char* compiler_words_member = "CompileError::words";

/// Cores that this process may run on.
std::size_t cores();

/// The header, the compiler, and the folder where they meet.
struct Workplace {
  const Toolchain& toolchain;
  std::string header;  ///< as the user names it
  std::filesystem::path folder;
  Listener& listener;
  std::string class_name = "";  ///< once it is known

  /// Throws CompileError where one fails. Returns what came of them where one has refused that may (Process::refusal).
  /// `units` of them, the last, are counted for the listener.
  ProcessesEnded run(const std::vector<Process>& processes, const char* fault = "it does not compile",
                     std::size_t units = 0) const;
  /// The header alone.
  Process syntax_check() const;

 private:
  std::string first_error_line(const std::string& words) const;
  std::string line_of_class(const std::string& message) const;
  std::string said_of_header(const std::string& words) const;
};

}  // namespace manychain::own_model
