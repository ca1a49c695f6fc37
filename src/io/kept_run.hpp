// A run on the disk that another process can go on with: a store (zarr_store.hpp) or a checkpoint
// (checkpoint_file.hpp).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "run/run_store.hpp"

namespace manychain::io {

/// Facts of a run as texts by name, whatever its caller needs to go on with it.
using StoreFacts = std::map<std::string, std::string>;

class KeptRun : public RunStore {
 public:
  /// Before begin() or later: they are written with the next change.
  virtual void set_facts(StoreFacts facts) = 0;
};

// Each takes either, and throws BadInput, with the file, where it is damaged, neither, or of a later version.
/// Goes on with what is there, which no other run may write to.
std::unique_ptr<KeptRun> reopen_run(const std::string& path);
/// The run, with a source of its draws.
StoredRun open_run(const std::string& path);
StoreFacts read_facts(const std::string& path);

}  // namespace manychain::io
