// A store at a rank that is not the first of its run.
#pragma once

#include <string>
#include <utility>

#include "io/zarr_store.hpp"
#include "sampling/background_store.hpp"

namespace manychain::io {

/// Writes chunks of the store that the first rank has begun, if that shares it and this rank sees it.
class JoinedStore {
 public:
  explicit JoinedStore(std::string path) : store_(std::move(path), ZarrStore::Joined{}) {}
  RunStore* get() { return &behind_; }

 private:
  ZarrStore store_;
  BackgroundStore behind_{store_};
};

}  // namespace manychain::io
