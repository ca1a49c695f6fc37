// What `sample` leaves on the disk: the draws and the summary.
#pragma once

#include <cstdio>
#include <string>

#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"

namespace manychain::cli {

/// Says on stderr, before the run, what there is too little room for. It runs all the same: the summary needs none, and
/// there may be some in the end. `output`: the file of draws; empty: none.
void look_for_room(const std::string& output, const Model& model, const Settings& settings);

/// Writes the draws to `output` and the summary to `json` ("-": stdout), unless empty; each is tried, whatever became
/// of the other. Returns what went wrong, or nothing.
std::string write_files(std::FILE* to, const std::string& output, const std::string& json, const Result& result);

}  // namespace manychain::cli
