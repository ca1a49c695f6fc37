// Built-in models that a build does not compile: the first minute waits for few.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "manychain/core/error.hpp"

namespace manychain {

/// Names of built-in models that this build left out (the CMake variable MANYCHAIN_MODELS). Defined beside the table of
/// models.
std::vector<std::string> models_left_out();

/// Throws BadInput that says what to do if `name` is one of them.
inline void require_not_left_out(const std::string& name) {
  const std::vector<std::string> names = models_left_out();
  if (std::find(names.begin(), names.end(), name) != names.end())
    throw BadInput("model " + name + " is not compiled in this build; `make build` compiles all built-in models");
}

}  // namespace manychain
