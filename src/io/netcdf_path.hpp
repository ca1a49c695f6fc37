// Paths as netCDF-C takes them.
#pragma once

#include <string>

namespace manychain::io {

/// netCDF-C passes over blanks at the beginning of a path.
inline std::string path_for_netcdf(const std::string& path) {
  return !path.empty() && static_cast<unsigned char>(path[0]) <= ' ' ? "./" + path : path;
}

}  // namespace manychain::io
