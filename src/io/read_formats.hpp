// The formats of files of draws.
#pragma once

#include <string>
#include <vector>

#include "manychain/io/draws_file.hpp"

namespace manychain::io {

/// By its first bytes, not by its name: those of HDF5, which is what NetCDF-4 is, or of the older NetCDF. Throws
/// BadInput if it cannot be read.
bool is_netcdf(const std::string& path);
/// True if the file is NetCDF with a group of draws, as this library, ArviZ and PyMC write it. Throws BadInput if it
/// cannot be opened; a damaged file has none.
bool has_draws(const std::string& path);

/// True if that file is one of many data sets, as write_netcdf() of these writes it.
bool has_sets(const std::string& path);
/// Texts of files are printed; those of a damaged one shall not steer a terminal.
void make_harmless(std::string& text);

DrawsFile read_stan_csv(const std::vector<std::string>& paths);
DrawsFile read_netcdf(const std::string& path);
/// A store of this library, whether its run has ended or not.
DrawsFile read_zarr(const std::string& path, double memory);
/// A folder is read as a store.
bool is_folder(const std::string& path);

}  // namespace manychain::io
