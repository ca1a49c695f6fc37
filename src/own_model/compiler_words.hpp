// The message of a compiler that refuses a model, in one line.
#pragma once

#include <functional>
#include <string>

#include "own_model/language_names.hpp"

namespace manychain::own_model {

/// True if a file, as the compiler names it, is one of the user's.
using IsUsersFile = std::function<bool(const std::string& file)>;

/// The report on the first error.
struct FirstError {
  std::string file, line;  ///< empty: no line of the user's led to it
  std::string message;     ///< empty: there is nothing to say in a line
};

/// The first error in `words`, which g++, Clang or nvcc wrote to stderr. The line is that of the error, or where that
/// lies in no file of the user's the innermost line of the user's that led there: "required from", "at line". The
/// message is the sentence of a static assertion, wherever it stands, or what is to be written where it is known
/// (compiler_hints.hpp), or what the compiler says of a line of the user's; of an error elsewhere it is that what
/// stands in the line does not compile.
FirstError first_error(const std::string& words, const IsUsersFile& is_users, const LanguageNames& names);

}  // namespace manychain::own_model
