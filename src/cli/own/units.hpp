// The generated units of a model: the templates of manychain_add_model(), filled in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/own/compile.hpp"

namespace manychain::cli {

/// A unit and how it is compiled.
struct Unit {
  enum class Kind { check, chains, cuda };
  Kind kind;
  std::string file;  ///< which messages of the compiler name
  std::string text;
};

/// The units in the order to compile them: the check, which finds most errors and soon, then those that take longest.
/// `header`: its absolute path. Throws Error if a template cannot be read.
std::vector<Unit> generated_units(const ModelProgram& wanted, const std::string& header, const std::string& class_name,
                                  const std::filesystem::path& templates);

}  // namespace manychain::cli
