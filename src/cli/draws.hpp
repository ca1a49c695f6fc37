// The shared part of the commands that read files of draws: summary, diagnose, report.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "manychain/io/diagnosis.hpp"

namespace manychain::cli {

struct DrawsOptions {
  std::vector<std::string> files;
  std::size_t rows = 40;
  std::string show;
  int threads = 0;
  std::size_t memory = 512;  ///< megabytes
};

/// For the end of a help.
inline constexpr const char* what_draws_files =
    "FILE: Stan CSV, one file per chain, of CmdStan or any program that writes it; or one NetCDF file of\n"
    "manychain, ArviZ or PyMC; or one Zarr store of manychain. Draws of warm-up are left out.\n";

/// FILE and --threads.
void add_draws_options(CLI::App& app, DrawsOptions& options);
/// --rows and --show.
void add_table_options(CLI::App& app, DrawsOptions& options);
TableOptions table_options(const DrawsOptions& options);

/// Reads, summarises and judges the draws, and says on `to` how many there are.
Diagnosis read_diagnosis(const DrawsOptions& options, std::FILE* to);

}  // namespace manychain::cli
