// NetCDF with the groups posterior and sample_stats, as this library, ArviZ and PyMC write it.
#include "io/read_netcdf.hpp"

#include <fmt/format.h>

#include "io/draws_reader.hpp"
#include "io/netcdf_reader.hpp"

namespace manychain::io {

double* room_in(SharedNumbers& memory, std::size_t count, const std::string& path) {
  try {
    return memory.create(count);
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: cannot be read: {}", path, error.what()));
  }
}

DrawsFile read_netcdf_here(const std::string& path, SharedNumbers& memory) {
  NetcdfReader reader(path);
  return read_groups(path, reader, [&](std::size_t count) { return room_in(memory, count, path); });
}

}  // namespace manychain::io
