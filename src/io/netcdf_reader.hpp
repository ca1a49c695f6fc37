// NetCDF with draws, as this library, ArviZ and PyMC write it: what is in its groups. Without protection from what HDF5
// does on damaged files.
#pragma once

#include <fmt/format.h>
#include <netcdf.h>
#include <netcdf_filter.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/netcdf_path.hpp"
#include "io/partial_file.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/draws_file.hpp"
#include "text/unsigned_nan.hpp"

namespace manychain::io {

/// A file that is open, and one of its groups.
class NetcdfReader {
 public:
  explicit NetcdfReader(const std::string& path) : path_(path) {
    const int status = nc_open(path_for_netcdf(path).c_str(), NC_NOWRITE, &id_);
    if (status != NC_NOERR) throw BadInput(fmt::format("{}: cannot be read: {}", path, nc_strerror(status)));
  }
  NetcdfReader(const NetcdfReader&) = delete;
  NetcdfReader& operator=(const NetcdfReader&) = delete;
  ~NetcdfReader() { nc_close(id_); }

  /// False if there is no such group.
  bool open_group(const char* name) { return nc_inq_grp_ncid(id_, name, &group_) == NC_NOERR; }

  /// Empty if the group has no such text. Characters, as netCDF-C writes them, or one string, as h5netcdf does.
  std::string attribute(const char* name) const {
    nc_type type = NC_NAT;
    std::size_t length = 0;
    if (nc_inq_att(group_, NC_GLOBAL, name, &type, &length) != NC_NOERR) return "";
    if (type == NC_STRING && length == 1) {
      char* words = nullptr;
      check(nc_get_att_string(group_, NC_GLOBAL, name, &words));
      std::string text = words ? words : "";
      nc_free_string(1, &words);
      return text;
    }
    if (type != NC_CHAR) return "";
    std::string text(length, ' ');
    check(nc_get_att_text(group_, NC_GLOBAL, name, text.data()));
    return text;
  }

  /// The attributes of the group, in their order: texts, and single numbers as words.
  NamedTexts attributes() const {
    NamedTexts all;
    int count = 0;
    check(nc_inq_natts(group_, &count));
    for (int i = 0; i < count; ++i) {
      std::array<char, NC_MAX_NAME + 1> name{};
      check(nc_inq_attname(group_, NC_GLOBAL, i, name.data()));
      if (std::string text = attribute_in_words(name.data()); !text.empty())
        all.emplace_back(name.data(), std::move(text));
    }
    return all;
  }

  /// Nothing if the group has no such number.
  std::optional<unsigned long long> count(const char* name) const {
    unsigned long long value = 0;
    std::size_t length = 0;
    nc_type type = NC_NAT;
    if (nc_inq_att(group_, NC_GLOBAL, name, &type, &length) != NC_NOERR || type == NC_CHAR || length != 1) return {};
    if (nc_get_att_ulonglong(group_, NC_GLOBAL, name, &value) != NC_NOERR) return {};
    return value;
  }

  /// A number for each chain; empty if the group has no variable of that name with one for each of `chains`.
  std::vector<double> of_chains(const char* name, std::size_t chains) const {
    int id = 0;
    if (nc_inq_varid(group_, name, &id) != NC_NOERR || !is_numeric(id)) return {};
    if (const std::vector<int> ids = dimensions(id);
        ids.size() != 1 || dimension_name(ids[0]) != "chain" || shape(id)[0] != chains)
      return {};
    std::vector<double> numbers(chains);
    check(nc_get_var_double(group_, id, numbers.data()));
    return numbers;
  }

  int variables() const {
    int count = 0;
    check(nc_inq_nvars(group_, &count));
    return count;
  }

  std::string name(int variable) const {
    std::array<char, NC_MAX_NAME + 1> text{};
    check(nc_inq_varname(group_, variable, text.data()));
    return text.data();
  }

  /// True if the variable has a number for each chain and draw.
  bool is_drawn(int variable) const {
    const std::vector<int> ids = dimensions(variable);
    return is_numeric(variable) && ids.size() >= 2 && dimension_name(ids[0]) == "chain" &&
           dimension_name(ids[1]) == "draw";
  }

  std::vector<std::size_t> shape(int variable) const {
    std::vector<std::size_t> extents;
    for (const int id : dimensions(variable)) {
      std::size_t extent = 0;
      check(nc_inq_dimlen(group_, id, &extent));
      extents.push_back(extent);
    }
    return extents;
  }

  /// True if the variable has numbers.
  bool is_numeric(int variable) const {
    nc_type type = NC_NAT;
    check(nc_inq_vartype(group_, variable, &type));
    return type != NC_CHAR && type < NC_STRING;
  }

  /// Bytes of a number in the file.
  std::size_t number(int variable) const {
    nc_type type = NC_NAT;
    std::size_t bytes = 0;
    check(nc_inq_vartype(group_, variable, &type));
    check(nc_inq_type(group_, type, nullptr, &bytes));
    return bytes;
  }

  bool is_compressed(int variable) const {
    std::size_t filters = 0;
    check(nc_inq_var_filter_ids(group_, variable, &filters, nullptr));
    return filters > 0;
  }

  /// Draws that are stored together.
  std::size_t draws_of_chunk(int variable) const {
    int storage = NC_CONTIGUOUS;
    std::vector<std::size_t> extents(dimensions(variable).size(), 1);
    check(nc_inq_var_chunking(group_, variable, &storage, extents.data()));
    return storage == NC_CHUNKED ? std::max<std::size_t>(extents[1], 1) : 1;
  }

  /// [chain][draw][element] of some draws.
  void values(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
              double* to) const {
    check(nc_get_vara_double(group_, variable, start.data(), count.data(), to));
  }

  /// A header with a few wrong bytes must not ask for all the memory there is: throws unless the file is large enough
  /// for this variable and all that were asked for before.
  void require_stored(int variable) {
    double bytes = double(number(variable));
    for (const std::size_t extent : shape(variable)) bytes *= double(extent);
    stored_ += is_compressed(variable) ? bytes / largest_compression : bytes;
    std::error_code error;
    const auto size = double(std::filesystem::file_size(path_, error));
    if (!error && stored_ > size) {
      throw BadInput(fmt::format("{}: is damaged: its draws up to {} take {}, and the file has {}", path_,
                                 name(variable), bytes_in_words(stored_), bytes_in_words(size)));
    }
  }

 private:
  static constexpr double largest_compression = 1100;  // zlib's is 1032

  void check(int status) const {
    if (status != NC_NOERR) throw BadInput(fmt::format("{}: cannot be read: {}", path_, nc_strerror(status)));
  }
  std::vector<int> dimensions(int variable) const {
    int count = 0;
    check(nc_inq_varndims(group_, variable, &count));
    std::vector<int> ids(static_cast<std::size_t>(count));
    check(nc_inq_vardimid(group_, variable, ids.data()));
    return ids;
  }
  /// Empty for what is neither a text nor one number.
  std::string attribute_in_words(const char* name) const {
    nc_type type = NC_NAT;
    std::size_t length = 0;
    check(nc_inq_att(group_, NC_GLOBAL, name, &type, &length));
    if (type == NC_CHAR || type == NC_STRING) return attribute(name);
    if (length != 1 || type > NC_STRING) return "";
    if (type == NC_FLOAT || type == NC_DOUBLE) {
      double value = 0;
      check(nc_get_att_double(group_, NC_GLOBAL, name, &value));
      return fmt::format("{}", unsigned_nan(value));
    }
    if (unsigned long long value = 0; nc_get_att_ulonglong(group_, NC_GLOBAL, name, &value) == NC_NOERR)
      return std::to_string(value);
    long long value = 0;  // below zero
    check(nc_get_att_longlong(group_, NC_GLOBAL, name, &value));
    return std::to_string(value);
  }
  std::string dimension_name(int id) const {
    std::array<char, NC_MAX_NAME + 1> text{};
    check(nc_inq_dimname(group_, id, text.data()));
    return text.data();
  }

  std::string path_;
  int id_ = 0, group_ = 0;
  double stored_ = 0;  // bytes, so far
};

}  // namespace manychain::io
