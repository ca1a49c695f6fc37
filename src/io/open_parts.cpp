#include "io/open_parts.hpp"

#include <fmt/format.h>

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

std::string part_name(const std::string& store, const RunPart& part) {
  const std::size_t digits = std::to_string(part.of).size();
  return fmt::format("{}.part-{:0{}}-of-{}.zarr", store.substr(0, store.rfind(".zarr")), part.number, digits, part.of);
}

bool is_begun(const std::string& output, const RunPart& part, const RunState& warm) {
  if (!is_store(output)) return false;
  const RunState there = read_stored_state(output);
  if (there.empty()) return false;
  const StoredFacts facts = stored_facts(there);
  if (facts.part && facts.part->number == part.number && facts.part->of == part.of && facts.warm == digest_of(warm))
    return true;
  throw BadInput(output + ": another run is there, or a part of another one; name another store");
}

}  // namespace manychain::io
