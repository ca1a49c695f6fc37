// Which classes of a header are models.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace manychain::own_model {

/// The description of a class in a header.
struct ClassFound {
  std::string name;  ///< with its namespaces
  bool is_template = false;
  bool density = false;  ///< it has a member log_density or value_and_gradient
  bool other = false;    ///< it has one of those that serve in their place: value, score, conditionals, draw
};

using UsersFile = std::function<bool(const std::string& file, bool system)>;

/// The classes that are defined in the files of the user, in the order of the text. `text` is what the preprocessor
/// makes of the header; whether a file, as its line markers name it, is one of the user's `is_users` says; `system`: by
/// the compiler it is none. A specialisation counts as no class of its own; nor does a class within a class or within a
/// function.
std::vector<ClassFound> classes_in(const std::string& text, const UsersFile& is_users);

/// The one that is meant: `wanted`, with or without its namespaces, or if that is empty the one model that there is.
/// Empty: there is none at all. Throws BadInput, with the names of those there are, where it cannot be told.
std::string choose_class(const std::vector<ClassFound>& classes, const std::string& wanted, const std::string& header);

}  // namespace manychain::own_model
