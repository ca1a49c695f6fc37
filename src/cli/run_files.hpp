// The files that `sample` leaves on the disk: the draws and the summary.
#pragma once

#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "io/netcdf_writer.hpp"
#include "io/zarr_store.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "sampling/background_store.hpp"
#include "sampling/stored.hpp"

namespace manychain::cli {

/// The kind of file that `--output` of a run is.
extern const FileKind draws_file;

/// Says on stderr, before the run, what there is too little room for. It runs all the same: the summary needs none, and
/// there may be some in the end. `output`: the file of draws; empty: none.
void look_for_room(const std::string& output, const Model& model, const Settings& settings);

/// The options of a run with a store.
struct StoringOptions {
  std::size_t every = 30, memory = 512;
  Storing storing() const { return {static_cast<double>(every), memory_bytes(memory)}; }
};
void add_every(CLI::App& app, StoringOptions& options);
void add_memory(CLI::App& app, StoringOptions& options);

/// The file of draws. NetCDF is written while the summary of these is computed, a store (NAME.zarr) while the run goes
/// on.
class OutputFile {
 public:
  struct Reopened {};
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// An empty path: none.
  OutputFile(std::string path, const Storing& storing) : path_(std::move(path)), storing_(storing) {
    if (io::names_store(path_)) store_.emplace(path_);
  }
  /// A store that takes its place when it is whole.
  struct WhenWhole {};
  OutputFile(std::string path, const Storing& storing, WhenWhole) : path_(std::move(path)), storing_(storing) {
    store_.emplace(path_, io::ZarrStore::Shown::when_whole);
  }
  /// The store of a run that goes on.
  OutputFile(std::string path, const Storing& storing, Reopened) : path_(std::move(path)), storing_(storing) {
    store_.emplace(path_, io::ZarrStore::Reopened{});
  }

  /// Null: the file is none. A run that stores itself there begins and finishes it. Where that fails the run goes on,
  /// for its summary, unless it needs the store for its draws: what was whole stays, and finish() throws the fault.
  RunStore* store() { return store_ ? &behind_ : nullptr; }
  void set_facts(io::StoreFacts facts) { store_->set_facts(std::move(facts)); }
  const Storing& storing() const { return storing_; }
  /// The run ends with its warm-up. A store alone keeps that.
  void end_with_warmup() { storing_.warmup_only = true; }

  const std::string& path() const { return path_; }
  /// Behind the last draw. What goes wrong is kept for finish().
  void begin(const Result& result);
  void finish(const Result& result);

 private:
  class Patient : public RunStore {
   public:
    explicit Patient(OutputFile& file) : file_(file) {}
    void begin(const Result& facts) override;
    std::size_t block_draws() const override;
    void append(std::size_t first, Draws draws, Draws stats, RunState state) override;
    void finish(const Result& result) override;
    bool can_be_read() const override { return true; }
    void keep_for_run() override;
    std::unique_ptr<DrawsSource> open() override { return file_.store_->open(); }

   private:
    template <class Work>
    void attempt(const Work& work);
    OutputFile& file_;
    bool needed_ = false;  ///< the run has the draws nowhere else
  };

  std::string path_;
  std::optional<io::NetcdfWriter> writer_;
  std::optional<io::ZarrStore> store_;
  std::exception_ptr fault_;
  Patient patient_{*this};
  BackgroundStore behind_{patient_};
  Storing storing_;
};

/// Ends writing the draws to `output`, and writes the summary to `json` ("-": stdout), unless empty; each is tried,
/// whatever became of the other. Returns what went wrong, or nothing.
std::string write_files(std::FILE* to, OutputFile& output, const std::string& json, const Result& result);

}  // namespace manychain::cli
