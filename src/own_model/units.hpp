// The generated units of a model: the templates of manychain_add_model(), filled in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manychain/run/settings.hpp"

namespace manychain::own_model {

/// The code to compile. The generated units are those of manychain_add_model().
struct ModelCode {
  std::string header;      ///< as it was given
  std::string class_name;  ///< empty: the one model in the header
  std::vector<std::string> samplers;
  std::vector<std::string> sizes;              ///< "8", or "3,4" of several extents, beside the one for any size
  Precision precision = Precision::automatic;  ///< automatic: both
  std::vector<std::string> architectures;      ///< of CUDA code; none: for the CPU alone
};

/// "radon" of "models/radon.hpp", without what has no place in the name of a model.
std::string model_name(const std::string& header);

/// A unit and how it is compiled.
struct Unit {
  enum class Kind { check, chains, cuda };
  Kind kind;
  std::string file;  ///< which messages of the compiler name
  std::string text;
};

/// The units in the order to compile them: the check, which finds most errors and soon, then those that take longest.
/// `header`: its absolute path. Throws Error if a template cannot be read.
std::vector<Unit> generated_units(const ModelCode& wanted, const std::string& header, const std::string& class_name,
                                  const std::filesystem::path& templates);

}  // namespace manychain::own_model
