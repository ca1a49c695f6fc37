// Chunks and size of the file of draws: known before the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "manychain/model/data/data.hpp"
#include "manychain/model/data/layout.hpp"
#include "manychain/run/settings.hpp"

namespace manychain::io {

/// The chunk of an array (chain, draw, dims...) whose numbers have `bytes` bytes: all chains x a block of draws; only
/// where one draw of all chains is too large, fewer chains. HDF5 stores the chunks at the edges in full, so that they
/// are made of equal size.
std::vector<std::size_t> chunk_of(const std::vector<std::size_t>& shape, std::size_t bytes);

/// The contents of a file of draws.
struct FileContents {
  std::size_t chains = 0, draws = 0;
  std::size_t number = sizeof(float);  ///< bytes
  bool stats = true;                   ///< statistics of the sampler
  bool steps = false;                  ///< n_steps among them
  std::size_t record = 1024;           ///< bytes of what the run tells of itself; more where chains failed
  std::size_t log_likelihood = 0;      ///< draws of each chain that have pointwise log likelihoods
  const Data* data = nullptr;          ///< that the model was bound to; null: none
  bool superchains = true;             ///< each chain has the number of one
  std::size_t warmup = 0;              ///< draws of warm-up of each chain
};

/// Bytes of the file, never too few and at most some per cent and 100 kB too many.
std::uint64_t netcdf_bytes(const Layout& layout, const FileContents& contents);

}  // namespace manychain::io
