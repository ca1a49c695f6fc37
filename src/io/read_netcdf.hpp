// Reading NetCDF, without protection from what HDF5 does on damaged files.
#pragma once

#include <cstddef>
#include <string>

#include "io/read_formats.hpp"
#include "io/shared_numbers.hpp"

namespace manychain::io {

/// Reads the file in this process; the numbers into `memory`, quantities before statistics, and nothing points to them.
/// Names of chains are left out. Throws BadInput.
DrawsFile read_netcdf_here(const std::string& path, SharedNumbers& memory);

/// Room for `count` numbers in `memory`. Throws BadInput that names the file.
double* room_in(SharedNumbers& memory, std::size_t count, const std::string& path);

}  // namespace manychain::io
