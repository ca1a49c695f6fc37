#include "cli/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>

#include "cli/files.hpp"
#include "io/netcdf_size.hpp"
#include "io/partial_file.hpp"
#include "io/read_formats.hpp"
#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/output.hpp"
#include "manychain/io/zarr.hpp"
#include "run/setting_names.hpp"

namespace manychain::cli {
namespace {

constexpr const char* options_for_room = " (--draws or --thin, --keep none; --output)";

/// A run that holds some of its draws alone cannot do without its store.
[[noreturn]] void end_run(const std::exception& fault) {
  throw SamplingFailed(
      fmt::format("{}; the run has more draws than --memory holds, and ends here: what is stored goes on by manychain "
                  "resume, once it can be written",
                  fault.what()));
}

}  // namespace

const FileKind draws_file{"file of draws", io::has_draws, true};
const FileKind checkpoint_file{"checkpoint of a run", io::is_checkpoint, true};

void add_every(CLI::App& app, StoringOptions& options) {
  add_option(app, "--every", options.every,
             "Seconds after which new draws, or the state of warm-up, are in a Zarr store, if not sooner, or in the "
             "--checkpoint");
}
void add_checkpoint(CLI::App& app, StoringOptions& options) {
  add_option(app, "--checkpoint", options.checkpoint,
             "One file that keeps the run, for manychain resume, where --output is no Zarr store", "FILE");
}
void add_memory(CLI::App& app, StoringOptions& options) {
  add_option(app, "--memory", options.memory,
             "Megabytes of draws that a run with a Zarr store holds; what is more it reads back from there");
}

void check_free_space(const std::string& output, const Model& model, const Settings& settings) {
  if (output.empty()) return;
  const SamplerInfo* const sampler = model.bound().sampler(settings.sampler);
  io::FileContents contents;
  contents.chains = settings.chains;
  contents.draws = *settings.sampling.draws;
  contents.number = settings.precision == Precision::double_precision ? sizeof(double) : sizeof(float);
  contents.stats = settings.output.keep_sample_stats;
  contents.steps = sampler && sampler->trajectory;
  if (settings.output.save_warmup) contents.warmup = settings.warmup.transitions.value_or(0) / settings.sampling.thin;
  contents.log_likelihood = std::min(settings.output.log_likelihood, *settings.sampling.draws);
  const std::shared_ptr<const Data> data = model.data();
  contents.data = data.get();
  try {
    io::require_room(output, io::netcdf_bytes(model.layout(), contents));
  } catch (const io::NoRoom& error) {
    say(stderr, "manychain: {}. The run goes on, for its summary.\n",
        sentence(std::string(error.what()) + options_for_room));
  }
}

void OutputFile::begin(const Result& result) {
  if (path_.empty()) return;
  try {
    writer_.emplace(path_, result);
  } catch (...) {
    writer_fault_ = std::current_exception();
  }
}

void OutputFile::finish(const Result& result) {
  if (kept_) behind_.flush();
  if (!path_.empty() && path_ != kept_at_ && result.kept > 0) {
    if (io::names_store(path_))
      write_zarr(path_, result);
    else if (!writer_ && !writer_fault_)
      begin(result);
  }
  if (writer_fault_) std::rethrow_exception(writer_fault_);
  if (writer_) writer_->finish(result);
  writer_.reset();
  if (fault_) std::rethrow_exception(fault_);
}

template <class Work>
void OutputFile::Patient::attempt(const Work& work) {
  if (file_.fault_) return;
  try {
    work(*file_.kept_);
  } catch (const BadInput&) {
    throw;
  } catch (const std::exception& error) {
    if (needed_) end_run(error);
    file_.fault_ = std::current_exception();
    say(stderr, "manychain: {}. The run goes on, for its summary.\n", sentence(error.what()));
  }
}
void OutputFile::Patient::begin(const Result& facts) {
  attempt([&](io::KeptRun& store) { store.begin(facts); });
}
std::size_t OutputFile::Patient::block_draws() const {
  return file_.fault_ ? std::numeric_limits<std::size_t>::max() / 2 : file_.kept_->block_draws();
}
void OutputFile::Patient::append(std::size_t first, Draws&& draws, Draws&& stats, RunState state) {
  begin_append(first, std::move(draws), std::move(stats), std::move(state));
  flush();
}
void OutputFile::Patient::flush() {
  attempt([&](io::KeptRun& store) { store.flush(); });
}
void OutputFile::Patient::begin_append(std::size_t first, Draws&& draws, Draws&& stats, RunState state) {
  attempt([&](io::KeptRun& store) {
    store.begin_append(first, std::move(draws), std::move(stats), std::move(state));
    file_.goes_on_ = true;
  });
}
void OutputFile::Patient::append_warmup(std::size_t first, Draws&& draws, Draws&& stats, RunState state) {
  attempt([&](io::KeptRun& store) {
    const bool has_state = !state.empty();
    store.append_warmup(first, std::move(draws), std::move(stats), std::move(state));
    if (has_state) file_.goes_on_ = true;
  });
}
void OutputFile::Patient::keep_for_run() {
  needed_ = true;
  try {
    if (file_.fault_) std::rethrow_exception(file_.fault_);
  } catch (const std::exception& error) {
    end_run(error);
  }
}
void OutputFile::Patient::fail(const std::string& reason) {
  attempt([&](io::KeptRun&) { throw Error(reason); });
}
void OutputFile::Patient::finish(const Result& result) {
  attempt([&](io::KeptRun& store) { store.finish(result); });
}

std::string write_files(std::FILE* to, OutputFile& output, const std::string& json, const Result& result) {
  std::string faults;
  const auto add = [&](const std::string& what) { faults += (faults.empty() ? "" : "; ") + what; };
  const auto attempt = [&](const auto& write) {
    try {
      write();
    } catch (const io::NoRoom& error) {
      add(std::string(error.what()) + options_for_room);
    } catch (const std::bad_alloc&) {
      add("there is not enough memory to write the files");
    } catch (const std::exception& error) {
      add(error.what());
    }
  };
  attempt([&] {
    output.finish(result);
    if (output.path().empty() || (result.kept == 0 && !io::names_store(output.path()))) return;
    say(to, "\n{}: {} ({})\n", result.kept > 0 ? "Draws" : "Stored", output.path(), size_of_file(output.path()));
  });
  attempt([&] {
    if (json == "-") {
      say(stdout, "{}\n", with_options(to_json(result)));
    } else if (!json.empty()) {
      write_text(json, with_options(to_json(result)));
    }
  });
  return faults;
}

}  // namespace manychain::cli
