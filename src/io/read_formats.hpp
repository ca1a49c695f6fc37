// The formats of files of draws.
#pragma once

#include <string>
#include <vector>

#include "manychain/io/draws_file.hpp"

namespace manychain::io {

DrawsFile read_stan_csv(const std::vector<std::string>& paths);
DrawsFile read_netcdf(const std::string& path);

}  // namespace manychain::io
