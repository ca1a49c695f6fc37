#include "manychain/run/stored_run.hpp"

#include <memory>

#include "io/checkpoint_file.hpp"
#include "io/zarr_store.hpp"
#include "manychain/core/error.hpp"
#include "run/named_dimensions.hpp"
#include "sampling/background_store.hpp"
#include "sampling/stored.hpp"

namespace manychain {

Result sample(const Model& model, const Settings& settings, const std::string& path, const Storing& storing) {
  require_storable(model.layout());
  io::ZarrStore store(io::require_store_name(path), io::ZarrStore::Shown::at_once, storing.compression);
  BackgroundStore behind(store);
  return sample(model, settings, behind, storing);
}

Result sample(const Model& model, const Settings& settings, const Checkpoint& checkpoint, const Storing& storing) {
  io::CheckpointFile file(checkpoint.file);
  BackgroundStore behind(file);
  return sample(model, settings, behind, storing);
}

Result resume(const Model& model, const std::string& path, const Resumed& resumed, const Storing& storing) {
  if (resumed.part) throw BadInput("a part of the chains has a store of its own: manychain resume --part makes it");
  const std::unique_ptr<io::KeptRun> kept = io::reopen_run(path);
  BackgroundStore behind(*kept);
  return resume(model, io::open_run(path), resumed, behind, storing);
}

}  // namespace manychain
