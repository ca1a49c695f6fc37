// Parts of a run as they are stored, to be put together.
#pragma once

#include <string>
#include <vector>

#include "sampling/stored.hpp"

namespace manychain::io {

struct OpenParts {
  StoredFacts about;             ///< of one of them
  std::vector<StoredRun> parts;  ///< for merge()
};

/// Opens them, to be merged into `store`. Throws BadInput if that is the run that they were cut from, or one of them
/// cannot be read, with its name.
OpenParts open_parts(const std::vector<std::string>& parts, const std::string& store);

}  // namespace manychain::io
