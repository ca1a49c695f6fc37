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
#include <ctime>
#include <numeric>
#include <type_traits>

#include "io/child.hpp"
#include "io/netcdf_size.hpp"
#include "io/netcdf_writer.hpp"
#include "io/partial_file.hpp"
#include "io/run_record.hpp"
#include "io/transpose.hpp"
#include "io/version.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/output.hpp"
#include "run/judge.hpp"
#include "run/setting_table.hpp"

namespace manychain {
namespace {

void check(int status, const char* what) {
  if (status != NC_NOERR) throw Error(fmt::format("NetCDF: cannot {}: {}", what, nc_strerror(status)));
}

template <class Number>
constexpr nc_type type_of() {
  if constexpr (std::is_same_v<Number, float>) return NC_FLOAT;
  if constexpr (std::is_same_v<Number, double>) return NC_DOUBLE;
  if constexpr (std::is_same_v<Number, int>) return NC_INT;
  if constexpr (std::is_same_v<Number, long long>) return NC_INT64;
  if constexpr (std::is_same_v<Number, signed char>) return NC_BYTE;
}

/// A variable (chain, draw, element...) of a group, and how its file is cut into chunks.
struct Array {
  int id = 0;
  std::vector<std::size_t> shape;  // chain, draw, dims...
  std::vector<std::size_t> chunk;
  bool compressed = false;

  std::size_t elements() const {
    return std::accumulate(shape.begin() + 2, shape.end(), std::size_t(1), std::multiplies<>());
  }
};

/// One group of the file, with the dimensions chain and draw.
class Group {
 public:
  /// `room` is memory for one chunk at a time, which all groups share.
  Group(int file, const char* name, std::size_t chains, std::size_t draws, DrawValues<double>& room) : room_(room) {
    check(nc_def_grp(file, name, &id_), "create a group");
    dimension("chain", chains);
    dimension("draw", draws);
  }

  void text(const char* name, const std::string& value) {
    check(nc_put_att_text(id_, NC_GLOBAL, name, value.size(), value.c_str()), "write an attribute");
  }
  void number(const char* name, double value) {
    check(nc_put_att_double(id_, NC_GLOBAL, name, NC_DOUBLE, 1, &value), "write an attribute");
  }
  void integer(const char* name, std::uint64_t value) {
    const unsigned long long wide = value;
    check(nc_put_att_ulonglong(id_, NC_GLOBAL, name, NC_UINT64, 1, &wide), "write an attribute");
  }

  /// `compressed` is for the few variables that hardly change, where zlib is fast and gains a hundredfold. Draws are
  /// never compressed: zlib is slower than the sampler and takes less than a tenth off random digits.
  template <class Number>
  Array define(const std::string& name, const std::vector<std::size_t>& extents, bool compressed = false) {
    Array array;
    array.shape = {extent_[0], extent_[1]};
    array.compressed = compressed;
    std::vector<int> dimensions = {dimension_[0], dimension_[1]};
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      array.shape.push_back(extents[axis]);
      dimension(fmt::format("{}_dim_{}", name, axis), extents[axis]);
      dimensions.push_back(dimension_.back());
    }
    array.chunk = io::chunk_of(array.shape, sizeof(Number));
    check(nc_def_var(id_, name.c_str(), type_of<Number>(), int(dimensions.size()), dimensions.data(), &array.id),
          "define a variable");
    check(nc_def_var_chunking(id_, array.id, NC_CHUNKED, array.chunk.data()), "set the chunks");
    check(nc_def_var_fill(id_, array.id, NC_NOFILL, nullptr), "switch filling off");
    if (compressed) check(nc_def_var_deflate(id_, array.id, 1, 1, 1), "compress a variable");
    return array;
  }

  void mark_as_boolean(const Array& array) {
    check(nc_put_att_text(id_, array.id, "dtype", 4, "bool"), "write an attribute");
  }

  /// Writes the coordinate variables: 0, 1, 2, ... along every dimension.
  void write_coordinates() {
    for (std::size_t i = 0; i < extent_.size(); ++i) {
      std::vector<long long> values(extent_[i]);
      std::iota(values.begin(), values.end(), 0);
      check(nc_put_var_longlong(id_, coordinate_[i], values.data()), "write a coordinate");
    }
  }

  /// Fills an array chunk by chunk: fill(block, first_chain, chains, first_draw, draws) writes [chain][draw][element].
  template <class Number, class Fill>
  void write(const Array& array, Fill&& fill) {
    std::vector<std::size_t> start(array.shape.size(), 0), count = array.shape;
    const std::size_t bytes = array.chunk[0] * array.chunk[1] * array.elements() * sizeof(Number);
    if (room_.size() * sizeof(double) < bytes) room_ = DrawValues<double>(bytes / sizeof(double) + 1);
    Number* const block = reinterpret_cast<Number*>(room_.data());
    for (start[0] = 0; start[0] < array.shape[0]; start[0] += array.chunk[0]) {
      count[0] = std::min(array.chunk[0], array.shape[0] - start[0]);
      for (start[1] = 0; start[1] < array.shape[1]; start[1] += array.chunk[1]) {
        count[1] = std::min(array.chunk[1], array.shape[1] - start[1]);
        fill(block, start[0], count[0], start[1], count[1]);
        check(nc_put_vara(id_, array.id, start.data(), count.data(), block), "write draws");
      }
    }
  }

 private:
  void dimension(const std::string& name, std::size_t extent) {
    int dimension = 0, coordinate = 0;
    check(nc_def_dim(id_, name.c_str(), extent, &dimension), "define a dimension");
    check(nc_def_var(id_, name.c_str(), NC_INT64, 1, &dimension, &coordinate), "define a coordinate");
    dimension_.push_back(dimension);
    coordinate_.push_back(coordinate);
    extent_.push_back(extent);
  }

  DrawValues<double>& room_;
  int id_ = 0;
  std::vector<int> dimension_, coordinate_;
  std::vector<std::size_t> extent_;
};

/// Fills [chain][draw][element] from `elements` neighbouring variables of [draw][variable][chain].
template <class Number, class Out>
auto transpose(const DrawValues<Number>& values, const Draws& draws, std::size_t variable, std::size_t elements) {
  return [&values, &draws, variable, elements](Out* block, std::size_t first_chain, std::size_t chains,
                                               std::size_t first_draw, std::size_t count) {
    io::transpose<Number>(
        count * elements, chains,
        [&](std::size_t row) {
          const std::size_t draw = first_draw + row / elements;
          return &values[(draw * draws.variables + variable + row % elements) * draws.chains + first_chain];
        },
        block, count * elements);
  };
}

void describe(Group& group, const Result& result, const std::string& now) {
  const Settings& settings = result.settings;
  group.text("created_at", now);
  group.text("creation_library", "manychain");
  group.text("creation_library_version", version);
  group.text("inference_library", "manychain");
  group.text("inference_library_version", version);
  group.text("model", result.model);
  group.text("backend", result.backend);
  group.text("device", result.device);
  for_each_setting([&](const auto& row) {
    const auto* const value = row.value(settings);
    if (!row.attribute || !value) return;
    if constexpr (std::is_same_v<decltype(value), const double* const>)
      group.number(row.attribute, *value);
    else if constexpr (std::is_same_v<decltype(value), const std::size_t* const>)
      group.integer(row.attribute, *value);
    else
      group.text(row.attribute, row.text(settings));
  });
  group.number("sampling_time", result.seconds.sampling);
}

/// What is known of a run when its diagnostics have ended.
struct LastWords {
  bool cancelled;
  std::string record;
};

void add_last_words(int file, const LastWords& words) {
  int groups[2], count = 0;
  check(nc_inq_grps(file, &count, groups), "find the groups");  // the posterior, and sample_stats
  const unsigned long long cancelled = words.cancelled;
  for (int g = 0; g < count; ++g)
    check(nc_put_att_ulonglong(groups[g], NC_GLOBAL, "cancelled", NC_UINT64, 1, &cancelled), "write an attribute");
  check(nc_put_att_text(groups[0], NC_GLOBAL, io::run_record_name, words.record.size(), words.record.c_str()),
        "write an attribute");
}

template <class Number>
void write_posterior(int file, const Result& result, const DrawValues<Number>& values, const std::string& now,
                     DrawValues<double>& room) {
  Group group(file, "posterior", result.draws.chains, result.draws.draws, room);
  describe(group, result, now);
  std::vector<std::pair<Array, const Quantity*>> arrays;
  for (const Quantity& quantity : result.layout.quantities) {
    if (quantity.size() == 0) continue;  // an extent of zero would be an unlimited dimension
    arrays.emplace_back(group.define<Number>(stored_name(quantity.name), quantity.shape), &quantity);
  }
  group.write_coordinates();
  for (const auto& [array, quantity] : arrays) {
    group.write<Number>(array, transpose<Number, Number>(values, result.draws, quantity->offset, quantity->size()));
  }
}

template <class Number>
void write_sample_stats(int file, const Result& result, const DrawValues<Number>& values, const std::string& now,
                        DrawValues<double>& room) {
  const Draws& stats = result.sample_stats;
  Group group(file, "sample_stats", stats.chains, stats.draws, room);
  describe(group, result, now);
  const bool hmc = !result.leapfrogs.empty();
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < sample_stat_count; ++i) {
    const std::string name = sample_stat_names[i];
    arrays.push_back(name == "diverging" ? group.define<signed char>(name, {}, true) : group.define<Number>(name, {}));
    if (name == "diverging") group.mark_as_boolean(arrays.back());
  }
  // The same in all chains of a group, but a reader expects one per chain.
  const Array step_size = group.define<double>("step_size", {}, true);
  Array n_steps;
  const bool has_steps = hmc && result.leapfrogs.size() == stats.draws;
  if (has_steps) n_steps = group.define<int>("n_steps", {}, true);
  group.write_coordinates();

  for (std::size_t i = 0; i < sample_stat_count; ++i) {
    if (arrays[i].compressed) {
      group.write<signed char>(arrays[i], transpose<Number, signed char>(values, stats, i, 1));
    } else {
      group.write<Number>(arrays[i], transpose<Number, Number>(values, stats, i, 1));
    }
  }
  const auto step_size_of = [&](std::size_t chain) {
    const std::size_t groups = result.tuning.size();
    return groups > 1 ? result.tuning[chain / (result.settings.chains / groups)].step_size : result.step_size;
  };
  group.write<double>(step_size,
                      [&](double* block, std::size_t first_chain, std::size_t chains, std::size_t, std::size_t draws) {
                        for (std::size_t c = 0; c < chains; ++c)
                          std::fill_n(block + c * draws, draws, step_size_of(first_chain + c));
                      });
  if (!has_steps) return;
  group.write<int>(n_steps, [&](int* block, std::size_t, std::size_t chains, std::size_t first, std::size_t draws) {
    for (std::size_t c = 0; c < chains; ++c) {
      for (std::size_t d = 0; d < draws; ++d) block[c * draws + d] = int(result.leapfrogs[first + d]);
    }
  });
}

std::string utc_now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm time{};
  gmtime_r(&seconds, &time);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", &time);
  return text;
}

std::string record_of(const Result& result) {
  return io::run_record(run_facts(result), result.draws.chains, result.draws.draws);
}

io::FileContents contents_of(const Result& result) {
  const bool single = !result.draws.float32.empty();
  return {result.draws.chains,
          result.draws.draws,
          single ? sizeof(float) : sizeof(double),
          !result.sample_stats.empty(),
          result.leapfrogs.size() == result.draws.draws,
          record_of(result).size() + 32 * result.draws.chains};  // chains that the verdict may still name
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

/// When the process that began it ends before the file is whole, nothing of it remains. Ctrl-C is that process's
/// matter.
void end_with(pid_t parent, const std::string& name) {
  begun_file = name;
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGUSR1, end_without_file);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
#endif
  if (getppid() != parent) _exit(1);
}

/// Returns why there is no room on the disk, or nothing.
std::string write_file(const std::string& name, const Result& result, std::uint64_t bytes,
                       const io::ChildTask::Told& told) {
  int file = 0;
  if (const int status = nc_create(name.c_str(), NC_NETCDF4 | NC_CLOBBER, &file); status != NC_NOERR) {
    throw BadInput(fmt::format("cannot be written: {}", nc_strerror(status)));
  }
  // A full disk is found here. After a write that failed HDF5 can do nothing with the file any more, not even close it,
  // so that on an error it stays open.
  if (std::string why = io::reserve_room(name, bytes); !why.empty()) return why;
  const std::string now = utc_now();
  DrawValues<double> room;
  if (result.draws.float32.empty()) {
    write_posterior(file, result, result.draws.float64, now, room);
  } else {
    write_posterior(file, result, result.draws.float32, now, room);
  }
  if (!result.sample_stats.float32.empty()) {
    write_sample_stats(file, result, result.sample_stats.float32, now, room);
  } else if (!result.sample_stats.float64.empty()) {
    write_sample_stats(file, result, result.sample_stats.float64, now, room);
  }
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
    : path_(path), file_(path), bytes_(netcdf_bytes(result.layout, contents_of(result))) {
  if (result.draws.empty()) throw BadInput(path + ": there are no draws to write; the run kept none");
  require_room(path, bytes_);
  // If HDF5 could not write a file to its end, it crashes when its process ends.
  child_.emplace([&result, name = file_.begin(), bytes = bytes_, here = getpid()](const ChildTask::Told& told) {
    if (getpid() != here) {
      keep_freed_memory();
      end_with(here, name);
    }
    return write_file(name, result, bytes, told);
  });
}

void NetcdfWriter::finish(const Result& result) {
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
  if (result.draws.empty()) throw BadInput(path + ": there are no draws to write; the run kept none");
  io::NetcdfWriter(path, result).finish(result);
}

}  // namespace manychain
