// A file of draws that is written while the diagnostics of these still run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/child.hpp"
#include "io/partial_file.hpp"
#include "manychain/run/result.hpp"

namespace manychain::io {

/// The work of write_netcdf(), in two steps.
class NetcdfWriter {
 public:
  /// Begins to write the draws of `result`, in a child process. Its summary and its verdict may be missing. Throws what
  /// write_netcdf() throws of the path and of room.
  NetcdfWriter(const std::string& path, const Result& result);

  /// Says what the run now knows of itself, and waits until the file is whole. The draws of `result` are those from
  /// before; the result that they were in then may be gone.
  void finish(const Result& result);

 private:
  std::string path_;
  PartialFile file_;
  std::uint64_t bytes_;
  const Result* result_;            // that has the draws: without a child process they are written in finish()
  std::optional<ChildTask> child_;  // before the file: it ends first
};

}  // namespace manychain::io
