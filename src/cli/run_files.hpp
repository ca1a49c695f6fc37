// The files that `sample` leaves on the disk: the draws and the summary.
#pragma once

#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "cli/outputs.hpp"
#include "io/netcdf_writer.hpp"
#include "io/zarr_store.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"

namespace manychain::cli {

/// The kind of file that `--output` of a run is.
extern const FileKind draws_file;

/// Says on stderr, before the run, what there is too little room for. It runs all the same: the summary needs none, and
/// there may be some in the end. `output`: the file of draws; empty: none.
void look_for_room(const std::string& output, const Model& model, const Settings& settings);

/// The file of draws. NetCDF is written while the summary of these is computed, a store (NAME.zarr) before.
class OutputFile {
 public:
  /// Empty: none.
  explicit OutputFile(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  /// Behind the last draw. What goes wrong is kept for finish().
  void begin(const Result& result);
  void finish(const Result& result);

 private:
  std::string path_;
  std::optional<io::NetcdfWriter> writer_;
  std::optional<io::ZarrStore> store_;
  std::exception_ptr fault_;
};

/// Ends writing the draws to `output`, and writes the summary to `json` ("-": stdout), unless empty; each is tried,
/// whatever became of the other. Returns what went wrong, or nothing.
std::string write_files(std::FILE* to, OutputFile& output, const std::string& json, const Result& result);

}  // namespace manychain::cli
