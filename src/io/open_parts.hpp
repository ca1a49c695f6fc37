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

/// The store of a part beside that of its run: "warm.part-03-of-16.zarr", so that names have the order of parts.
std::string part_name(const std::string& store, const RunPart& part);

/// True if there is a store of this part already, begun from this state: its process was ended, and goes on. Throws
/// BadInput if another run is there.
bool is_begun(const std::string& output, const RunPart& part, const RunState& warm);

}  // namespace manychain::io
