#include "io/open_parts.hpp"

#include "core/digest.hpp"
#include "io/zarr_store.hpp"
#include "manychain/core/error.hpp"

namespace manychain::io {

OpenParts open_parts(const std::vector<std::string>& parts, const std::string& store) {
  OpenParts opened;
  for (const std::string& part : parts) {
    const RunState state = read_stored_state(part);
    try {
      opened.about = stored_facts(state);
    } catch (const BadInput& error) {
      throw BadInput(part + ": " + error.what());
    }
  }
  if (is_store(store) && opened.about.warm == digest_of(read_stored_state(store)))
    throw BadInput(store + ": is the run that the parts were cut from; merge them into another store");
  for (const std::string& part : parts) opened.parts.push_back(open_stored_run(part));
  return opened;
}

}  // namespace manychain::io
