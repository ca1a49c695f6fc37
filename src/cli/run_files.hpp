// The files that `sample` leaves on the disk: the draws and the summary.
#pragma once

#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/outputs.hpp"
#include "io/checkpoint_file.hpp"
#include "io/netcdf_writer.hpp"
#include "io/zarr_store.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"
#include "sampling/background_store.hpp"
#include "sampling/stored.hpp"

namespace manychain::cli {

/// The kind of file that `--output` of a run is.
extern const FileKind draws_file;
/// That of `--checkpoint`.
extern const FileKind checkpoint_file;

/// Says on stderr, before the run, what there is too little room for. It runs all the same: the summary needs none, and
/// there may be some in the end. `output`: the file of draws; empty: none.
void check_free_space(const std::string& output, const Model& model, const Settings& settings);

/// The options of a run with a store or a checkpoint.
struct StoringOptions {
  std::string checkpoint;
  std::size_t every = 30, memory = 512;
  Storing storing() const { return {static_cast<double>(every), memory_bytes(memory)}; }
};
void add_every(CLI::App& app, StoringOptions& options);
void add_checkpoint(CLI::App& app, StoringOptions& options);
void add_memory(CLI::App& app, StoringOptions& options);

/// The file of draws, and what keeps the run. NetCDF is written while the summary of the draws is computed, a store
/// (NAME.zarr) while the run goes on; so is a checkpoint, which keeps the run beside a file of NetCDF or none.
class OutputFile {
 public:
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// An empty path: none.
  OutputFile(std::string path, const Storing& storing, const std::string& checkpoint = "")
      : path_(std::move(path)), storing_(storing) {
    if (io::names_store(path_))
      keep(path_, std::make_unique<io::ZarrStore>(path_, io::ZarrStore::Shown::at_once, storing_.compression));
    if (!checkpoint.empty()) keep(checkpoint, std::make_unique<io::CheckpointFile>(checkpoint));
  }
  /// A store that takes its place when it is whole.
  struct WhenWhole {};
  OutputFile(std::string path, const Storing& storing, WhenWhole) : path_(std::move(path)), storing_(storing) {
    keep(path_, std::make_unique<io::ZarrStore>(path_, io::ZarrStore::Shown::when_whole, storing_.compression));
  }
  /// A run goes on where `kept` is: a store, which is the file of draws as well, or a checkpoint.
  struct Reopened {
    std::string kept;
  };
  OutputFile(std::string path, const Storing& storing, const Reopened& reopened)
      : path_(std::move(path)), goes_on_(true), storing_(storing) {
    keep(reopened.kept, io::reopen_run(reopened.kept));
  }

  /// Null: nothing keeps the run. A run that stores itself there begins and finishes it. Where that fails the run goes
  /// on, for its summary, unless it needs the store for its draws: what was whole stays, and finish() throws the fault.
  RunStore* store() { return kept_ ? &behind_ : nullptr; }
  void set_facts(io::StoreFacts facts) { kept_->set_facts(std::move(facts)); }
  /// The name to go on with; empty: nothing is kept yet.
  std::string kept_at() const { return goes_on_ ? kept_at_ : ""; }
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
    void append(std::size_t first, Draws&& draws, Draws&& stats, RunState state) override;
    void begin_append(std::size_t first, Draws&& draws, Draws&& stats, RunState state) override;
    void flush() override;
    bool takes_warmup() const override { return file_.kept_->takes_warmup(); }
    void append_warmup(std::size_t first, Draws&& draws, Draws&& stats, RunState state) override;
    void finish(const Result& result) override;
    bool needs_draws() const override { return file_.kept_->needs_draws(); }
    bool can_be_read() const override { return file_.kept_->can_be_read(); }
    void keep_for_run() override;
    SharedChunks* shared() override { return file_.fault_ ? nullptr : file_.kept_->shared(); }
    void fail(const std::string& reason) override;
    std::unique_ptr<DrawsSource> open() override { return file_.kept_->open(); }

   private:
    template <class Work>
    void attempt(const Work& work);
    OutputFile& file_;
    bool needed_ = false;  ///< the run has the draws nowhere else
  };

  void keep(const std::string& at, std::unique_ptr<io::KeptRun> run) {
    kept_at_ = at;
    kept_ = std::move(run);
  }

  std::string path_, kept_at_;
  std::optional<io::NetcdfWriter> writer_;
  std::unique_ptr<io::KeptRun> kept_;
  std::exception_ptr writer_fault_, fault_;
  std::atomic<bool> goes_on_{false};  ///< a state is stored
  Patient patient_{*this};
  BackgroundStore behind_{patient_};
  Storing storing_;
};

/// Ends writing the draws to `output`, and writes the summary to `json` ("-": stdout), unless empty; each is tried,
/// whatever became of the other. Returns what went wrong, or nothing.
std::string write_files(std::FILE* to, OutputFile& output, const std::string& json, const Result& result);

}  // namespace manychain::cli
