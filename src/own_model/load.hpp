// Shared objects of models, in this process.
#pragma once

#include <string>

#include "manychain/run/model.hpp"

namespace manychain::own_model {

/// The model that was loaded under that key (Compilation::key()); null if there is none.
const ModelUnit* loaded(const std::string& key);

/// Loads `file` under the key, or gives what another thread has loaded under it meanwhile. Throws BadInput on a CPU
/// that lacks the instruction set of models, Error if the file cannot be loaded or is from another build of the
/// library.
const ModelUnit& load(const std::string& file, const std::string& key);

}  // namespace manychain::own_model
