// The lines that a run shows while it goes on, and at its end.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/run_files.hpp"
#include "manychain/run/result.hpp"

namespace manychain::cli {

/// Describes a run at its end.
struct RunShownAs {
  TableOptions table;
  std::string json;
  bool verbose = false;
  bool require_converged = false;
};
/// Adds --json, --show, --verbose and --require-converged.
void add_shown(CLI::App& app, RunShownAs& shown, std::string& show);

/// Prints how it went, and the table. Anything out of the ordinary has a line without `verbose`, too.
void print_run(std::FILE* to, const Result& result, const TableOptions& table, bool verbose);

/// Prints how it went, of a run that has no summary: it ended with its warm-up, or is a part of one.
void print_unjudged(std::FILE* to, const Result& result, bool verbose);

/// The line of progress of a run that signals end.
class RunShown {
 public:
  explicit RunShown(InterruptGuard& guard);
  RunShown(const RunShown&) = delete;
  RunShown& operator=(const RunShown&) = delete;

  /// For Settings::progress, while this lives.
  std::function<void(const Progress&)> progress();
  /// True once a Ctrl-C has come before the diagnostics, if only after the last draw.
  bool heard() const { return heard_; }
  /// Takes the line off the terminal.
  void end() { line_.clear(); }

 private:
  InterruptGuard& guard_;
  ProgressLine line_;
  bool heard_ = false;
};

/// A run from its first transition to its files; returns the exit status. Signals end it, and keep its draws. Where
/// they are stored, it is said how to go on.
int run_and_write(std::FILE* to, const RunShownAs& shown, OutputFile& output,
                  const std::function<Result(RunShown&)>& run);

}  // namespace manychain::cli
