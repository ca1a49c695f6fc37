// Draws as a Zarr store.
#pragma once

#include <string>

#include "manychain/run/result.hpp"

namespace manychain {

/// Writes the draws as a Zarr store (version 3 of the format), a folder that xarray and zarr-python open: the groups,
/// variables and attributes of write_netcdf(). A store of this library at `path` is replaced, at once and when the new
/// one is whole. Throws BadInput if there is another folder or file, if no folder can be made there or the draws were
/// not kept; Error if there is no room for it or the write fails, and then `path` is as it was before.
void write_zarr(const std::string& path, const Result& result);

}  // namespace manychain
