// Draws as a NetCDF-4 file for ArviZ. netCDF-C is not safe to call from several threads at once.
#include <fmt/format.h>
#include <netcdf.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <csignal>

#include "io/child.hpp"
#include "io/netcdf_group.hpp"
#include "io/netcdf_path.hpp"
#include "io/netcdf_size.hpp"
#include "io/netcdf_writer.hpp"
#include "io/partial_file.hpp"
#include "io/run_attributes.hpp"
#include "io/run_record.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/output.hpp"
#include "run/named_dimensions.hpp"
#include "sampling/judge.hpp"

namespace manychain {
namespace {

using io::Array;
using io::check;
using io::Group;
using io::transposed;

std::size_t superchains_of(const Result& result) { return result.settings.superchains.value_or(0); }

void describe(Group& group, const Result& result, const std::string& now) {
  io::describe_run(group, result, now);
  io::describe_end(group, result);
}

/// The facts of a run that are known when its diagnostics have ended.
struct LastWords {
  bool cancelled;
  std::string record;
};

void add_last_words(int file, const LastWords& words) {
  const unsigned long long cancelled = words.cancelled;
  for (const char* name : {"posterior", "sample_stats"}) {
    int group = 0;
    if (nc_inq_grp_ncid(file, name, &group) != NC_NOERR) continue;  // no statistics were kept
    check(nc_put_att_ulonglong(group, NC_GLOBAL, "cancelled", NC_UINT64, 1, &cancelled), "write an attribute");
    if (std::string(name) != "posterior") continue;
    check(nc_put_att_text(group, NC_GLOBAL, io::run_record_name, words.record.size(), words.record.c_str()),
          "write an attribute");
  }
}

/// The writer of one run, in the precision of its draws.
template <class Number>
class Writer {
 public:
  Writer(int file, const Result& result, DrawValues<Number> Draws::*values)
      : file_(file), result_(result), values_(values), now_(io::utc_now()) {}

  void all() {
    quantities(FileGroup::posterior, "posterior", result_.draws);
    if (!(result_.sample_stats.*values_).empty()) sample_stats();
    quantities(FileGroup::posterior_predictive, "posterior_predictive", result_.draws);
    if (!(result_.warmup.draws.*values_).empty())
      quantities(FileGroup::posterior, "warmup_posterior", result_.warmup.draws);
    if (!(result_.warmup.sample_stats.*values_).empty()) warmup_stats();
    if (!(result_.output.log_likelihood.*values_).empty()) log_likelihood();
    data(FileGroup::observed_data, "observed_data");
    data(FileGroup::constant_data, "constant_data");
  }

 private:
  const Data* named() const { return result_.data.get(); }
  Group with_chains(const char* name, const Draws& draws) {
    return Group(file_, name, named(), draws.chains, draws.draws, superchains_of(result_), room_);
  }

  void quantities(FileGroup which, const char* name, const Draws& draws) {
    const std::vector<FileVariable> variables = variables_of(which, result_.layout, named());
    if (variables.empty() && which != FileGroup::posterior) return;
    Group group = with_chains(name, draws);
    describe(group, result_, now_);
    std::vector<Array> arrays;
    for (const FileVariable& variable : variables)
      arrays.push_back(
          group.define<Number>(stored_name(variable.name), variable.shape, dimensions_of(variable, named())));
    group.write_coordinates();
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const auto of = std::find_if(result_.layout.quantities.begin(), result_.layout.quantities.end(),
                                   [&](const Quantity& quantity) { return quantity.name == variables[i].name; });
      group.write<Number>(arrays[i], transposed<Number, Number>(draws.*values_, draws, of->offset, of->size()));
    }
  }

  std::vector<Array> define_stats(Group& group) {
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < sample_stat_count; ++i) {
      const std::string name = sample_stat_names[i];
      arrays.push_back(name == "diverging" ? group.define<signed char>(name, {}, {}, true)
                                           : group.define<Number>(name, {}, {}));
      if (name == "diverging") group.mark_as_boolean(arrays.back());
    }
    return arrays;
  }
  void write_stats(Group& group, const std::vector<Array>& arrays, const Draws& stats) {
    const DrawValues<Number>& values = stats.*values_;
    for (std::size_t i = 0; i < sample_stat_count; ++i) {
      if (arrays[i].compressed) {
        group.write<signed char>(arrays[i], transposed<Number, signed char>(values, stats, i, 1));
      } else {
        group.write<Number>(arrays[i], transposed<Number, Number>(values, stats, i, 1));
      }
    }
  }

  void warmup_stats() {
    Group group = with_chains("warmup_sample_stats", result_.warmup.sample_stats);
    describe(group, result_, now_);
    const std::vector<Array> arrays = define_stats(group);
    group.write_coordinates();
    write_stats(group, arrays, result_.warmup.sample_stats);
  }

  void sample_stats() {
    const Draws& stats = result_.sample_stats;
    Group group = with_chains("sample_stats", stats);
    describe(group, result_, now_);
    const bool hmc = !result_.sampling.leapfrogs.empty();
    const std::vector<Array> arrays = define_stats(group);
    // All chains of a group have the same, but a reader expects one per chain.
    const Array step_size = group.define<double>("step_size", {}, {}, true);
    Array n_steps;
    const bool has_steps = hmc && result_.sampling.leapfrogs.size() == stats.draws;
    if (has_steps) n_steps = group.define<int>("n_steps", {}, {}, true);
    group.write_coordinates();

    write_stats(group, arrays, stats);
    group.write<double>(
        step_size, [&](double* block, std::size_t first_chain, std::size_t chains, std::size_t, std::size_t draws) {
          for (std::size_t c = 0; c < chains; ++c)
            std::fill_n(block + c * draws, draws, io::step_size_of(result_, first_chain + c));
        });
    if (!has_steps) return;
    group.write<int>(n_steps, [&](int* block, std::size_t, std::size_t chains, std::size_t first, std::size_t draws) {
      for (std::size_t c = 0; c < chains; ++c) {
        for (std::size_t d = 0; d < draws; ++d) block[c * draws + d] = int(result_.sampling.leapfrogs[first + d]);
      }
    });
  }

  void log_likelihood() {
    const Draws& draws = result_.output.log_likelihood;
    Group group = with_chains("log_likelihood", draws);
    describe(group, result_, now_);
    std::vector<Array> arrays;
    for (const Observed& observed : result_.layout.observed)
      if (observed.rows > 0)
        arrays.push_back(group.define<Number>(stored_name(observed.name), observed.shape(),
                                              dimensions_of({observed.name, observed.shape()}, named())));
    group.write_coordinates(result_.output.log_likelihood_draws);
    std::size_t first = 0;
    for (const Array& array : arrays) {
      group.write<Number>(array, transposed<Number, Number>(draws.*values_, draws, first, array.elements()));
      first += array.elements();
    }
  }

  void data(FileGroup which, const char* name) {
    const std::vector<FileVariable> variables = variables_of(which, result_.layout, named());
    if (variables.empty()) return;
    Group group(file_, name, named(), room_);
    if (which == FileGroup::constant_data) {
      const std::string left_out = io::left_out_of_constants(result_.layout, *named());
      if (!left_out.empty()) group.text("left_out", left_out);
    }
    io::describe_maker(group, now_);
    for (const FileVariable& variable : variables)
      group.put(stored_name(variable.name), *named()->find(variable.name), dimensions_of(variable, named()));
    group.write_coordinates();
  }

  int file_;
  const Result& result_;
  DrawValues<Number> Draws::*values_;
  std::string now_;
  DrawValues<double> room_;
};

std::string record_of(const Result& result) {
  return io::run_record(run_facts(result), result.draws.chains, result.draws.draws);
}

io::FileContents contents_of(const Result& result) {
  const bool single = !result.draws.float32.empty();
  return {result.draws.chains,
          result.draws.draws,
          single ? sizeof(float) : sizeof(double),
          !result.sample_stats.empty(),
          result.sampling.leapfrogs.size() == result.draws.draws,
          record_of(result).size() + 32 * result.draws.chains,  // chains that the verdict may still name
          result.output.log_likelihood.draws,
          result.data.get(),
          superchains_of(result) > 1,
          result.warmup.draws.draws};
}

/// Keeps memory that was freed: HDF5 and the blocks above ask for the same megabytes again and again, and fresh pages
/// cost more than what is done with them. For a process that ends soon.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that it takes
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

std::string begun_file;  // in a child process: what it writes

void end_without_file(int) {
  unlink(begun_file.c_str());
  _exit(1);
}

/// When the process that began it ends before the file is whole, nothing of it remains. Ctrl-C, and what else is sent
/// to a whole group of processes, is that process's matter.
void end_with_process(pid_t parent, const std::string& name) {
  begun_file = name;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) std::signal(signal, SIG_IGN);
  std::signal(SIGUSR2, end_without_file);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGUSR2);
#endif
  if (getppid() != parent) _exit(1);
}

/// Returns why there is no room on the disk, or nothing.
std::string write_file(const std::string& name, const Result& result, std::uint64_t bytes,
                       const io::ChildTask::Told& told) {
  int file = 0;
  if (const int status = nc_create(io::path_for_netcdf(name).c_str(), NC_NETCDF4 | NC_CLOBBER, &file);
      status != NC_NOERR) {
    throw BadInput(fmt::format("cannot be written: {}", nc_strerror(status)));
  }
  // A full disk is found here. After a write that failed HDF5 can do nothing with the file any more, not even close it,
  // so that on an error it stays open.
  if (std::string why = io::reserve_room(name, bytes); !why.empty()) return why;
  if (result.draws.float32.empty())
    Writer<double>(file, result, &Draws::float64).all();
  else
    Writer<float>(file, result, &Draws::float32).all();
  const std::string words = told();
  if (words.empty()) throw Error("the run ended before its file");
  add_last_words(file, {words[0] == '1', words.substr(1)});
  check(nc_close(file), "close the file");
  io::release_room(name);
  return "";
}

}  // namespace

namespace io {

NetcdfWriter::NetcdfWriter(const std::string& path, const Result& result)
    : path_(path), file_(path), bytes_(netcdf_bytes(result.layout, contents_of(result))), result_(&result) {
  io::require_draws(path, result);
  require_storable(result.layout);
  require_room(path, bytes_);
  // If HDF5 could not write a file to its end, it crashes when its process ends.
  child_.emplace([this, name = file_.begin(), bytes = bytes_, here = getpid()](const ChildTask::Told& told) {
    if (getpid() != here) {
      keep_freed_memory();
      end_with_process(here, name);
    }
    return write_file(name, *result_, bytes, told);
  });
}

void NetcdfWriter::finish(const Result& result) {
  result_ = &result;
  std::string no_room;
  try {
    no_room = child_->finish((result.cancelled ? "1" : "0") + record_of(result));
  } catch (const BadInput& error) {
    throw BadInput(path_ + ": " + error.what());
  } catch (const Error& error) {
    require_room(path_, bytes_ - std::min(bytes_, file_.size()));  // another program may have filled the disk
    throw Error(path_ + ": cannot be written: " + error.what());
  }
  if (!no_room.empty()) throw NoRoom(path_ + ": " + no_room);
  file_.keep();
}

}  // namespace io

void write_netcdf(const std::string& path, const Result& result) {
  io::require_draws(path, result);
  io::NetcdfWriter(path, result).finish(result);
}

}  // namespace manychain
