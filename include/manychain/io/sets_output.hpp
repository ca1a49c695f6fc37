// The output of a run of many data sets: a NetCDF file, one JSON object.
#pragma once

#include <string>

#include "manychain/run/folds.hpp"
#include "manychain/run/sets.hpp"

namespace manychain {

/// Writes a NetCDF-4 file with a dimension for the set: the group `data_sets` has the verdicts, `summary` the
/// statistics of every quantity (set, ..., statistic) and, if the result has draws, `posterior` these (chain, draw,
/// set, ...). What a set has not, because another is larger or has more draws, is NaN. Throws as write_netcdf() of a
/// run.
void write_netcdf(const std::string& path, const SetsResult& result);

/// The run as one JSON object; docs/data_sets.md lists its keys.
std::string to_json(const SetsResult& result);
/// Cross-validation, likewise.
std::string to_json(const CrossValidation& found);

}  // namespace manychain
