// The output of a run: a NetCDF file for ArviZ, one JSON object, a table.
#pragma once

#include <string>

#include "manychain/run/check.hpp"
#include "manychain/run/evidence.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

/// Writes the draws as a NetCDF-4 file that ArviZ opens: groups `posterior` and `sample_stats`, dimensions chain, draw
/// and <name>_dim_0, all inside the groups. Throws BadInput if the file cannot be created or the draws were not kept,
/// Error if there is no room for it or the write fails; then `path` is as it was before. HDF5 runs in a child process,
/// a copy of this one made by fork(), so that what it does on an error stays there: call it while no other thread uses
/// HDF5 or netCDF.
void write_netcdf(const std::string& path, const Result& result);

/// The run as one JSON object; docs/output.md lists its keys.
std::string to_json(const Result& result);
/// The check of a model, likewise.
std::string to_json(const ModelCheck& check);
/// The evidence of a model, likewise.
std::string to_json(const Evidence& evidence);
/// The evidences of two models of the same data, with the logarithm of their Bayes factor.
std::string to_json(const Evidence& a, const Evidence& b);

}  // namespace manychain
