// The meaning of a message of g++, Clang or nvcc for the author of the model.
#pragma once

#include <string>

#include "own_model/language_names.hpp"

namespace manychain::own_model {

/// An error of a compiler.
struct CompilerSays {
  std::string message;       ///< behind "error: ", on one line
  std::string source;        ///< the line of code below it; empty: the compiler shows none
  bool users = true;         ///< the line is the user's own
  bool begins_line = false;  ///< it is about what stands first in that line
};

/// Advice on the error, in one sentence: "there is no nromal: did you mean normal(x, mu, sigma)?". Empty: the message
/// is none of those that are known.
std::string hint(const CompilerSays& error, const LanguageNames& names);

/// A message without the namespaces of instruction sets, which nobody writes, and with plain quotes.
std::string plain(std::string text);

}  // namespace manychain::own_model
