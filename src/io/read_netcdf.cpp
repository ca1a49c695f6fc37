// NetCDF with the groups posterior and sample_stats, as this library, ArviZ and PyMC write it.
#include <fmt/format.h>
#include <netcdf.h>

#include <array>
#include <functional>
#include <numeric>
#include <optional>

#include "io/draws_file.hpp"
#include "manychain/core/error.hpp"

namespace manychain::io {
namespace {

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
    const int status = nc_open(path.c_str(), NC_NOWRITE, &id_);
    if (status != NC_NOERR) throw BadInput(fmt::format("{}: cannot be read: {}", path, nc_strerror(status)));
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { nc_close(id_); }

  /// False if there is no such group.
  bool open_group(const char* name) { return nc_inq_grp_ncid(id_, name, &group_) == NC_NOERR; }

  /// Empty if the group has no such text.
  std::string attribute(const char* name) const {
    nc_type type = NC_NAT;
    std::size_t length = 0;
    if (nc_inq_att(group_, NC_GLOBAL, name, &type, &length) != NC_NOERR || type != NC_CHAR) return "";
    std::string text(length, ' ');
    check(nc_get_att_text(group_, NC_GLOBAL, name, text.data()));
    return text;
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

  /// Whether the variable has a number for each chain and draw.
  bool is_drawn(int variable) const {
    nc_type type = NC_NAT;
    check(nc_inq_vartype(group_, variable, &type));
    const std::vector<int> ids = dimensions(variable);
    return type != NC_CHAR && type < NC_STRING && ids.size() >= 2 && dimension_name(ids[0]) == "chain" &&
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

  /// [chain][draw][element]
  std::vector<double> values(int variable, std::size_t size) const {
    std::vector<double> result(size);
    if (size > 0) check(nc_get_var_double(group_, variable, result.data()));
    return result;
  }

 private:
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
  std::string dimension_name(int id) const {
    std::array<char, NC_MAX_NAME + 1> text{};
    check(nc_inq_dimname(group_, id, text.data()));
    return text.data();
  }

  std::string path_;
  int id_ = 0, group_ = 0;
};

/// "theta[2,1]", 1-based, the last index fastest, as in the file.
std::string element_name(const std::string& name, const std::vector<std::size_t>& shape, std::size_t element) {
  std::string indices;
  for (std::size_t axis = shape.size(); axis-- > 2;) {
    const std::string index = std::to_string(element % shape[axis] + 1);
    indices = indices.empty() ? index : index + "," + indices;
    element /= shape[axis];
  }
  return indices.empty() ? name : fmt::format("{}[{}]", name, indices);
}

}  // namespace

DrawsFile read_netcdf(const std::string& path) {
  Reader reader(path);
  if (!reader.open_group("posterior")) {
    throw BadInput(path + ": has no group posterior; are there draws in it, as ArviZ writes them?");
  }
  DrawsFile file;
  // Ours keeps an energy for every sampler. Without momenta it is the log density, of which E-BFMI asks nothing.
  const std::string sampler = reader.attribute("sampler");
  const bool momenta = reader.attribute("inference_library") != "manychain" || sampler == "hmc";
  const auto read_group = [&](std::vector<std::string>& names, std::vector<double>& values) {
    for (int variable = 0; variable < reader.variables(); ++variable) {
      if (!reader.is_drawn(variable)) continue;  // a coordinate, or words
      if (&names == &file.stat_names && reader.name(variable) == "energy" && !momenta) continue;
      const std::vector<std::size_t> shape = reader.shape(variable);
      if (file.chains == 0) {
        file.chains = shape[0];
        file.draws = shape[1];
      }
      if (shape[0] != file.chains || shape[1] != file.draws) {
        throw BadInput(fmt::format("{}: {} has {} chains of {} draws, other variables have {} of {}", path,
                                   reader.name(variable), shape[0], shape[1], file.chains, file.draws));
      }
      const std::size_t elements = std::accumulate(shape.begin() + 2, shape.end(), std::size_t(1), std::multiplies<>());
      const std::size_t rows = file.chains * file.draws;
      const std::vector<double> from = reader.values(variable, rows * elements);
      for (std::size_t e = 0; e < elements; ++e) {
        names.push_back(element_name(reader.name(variable), shape, e));
        for (std::size_t row = 0; row < rows; ++row) values.push_back(from[row * elements + e]);
      }
    }
  };
  const auto planned = reader.count("draws_planned");
  read_group(file.names, file.values);
  if (file.names.empty() || file.draws == 0) {
    throw BadInput(path + ": has no draws: its group posterior has no variable with the dimensions chain and draw");
  }
  if (planned && file.draws < *planned) {
    file.faults.push_back(
        fmt::format("{}: has {} of {} draws of each chain; the run was cancelled.", path, file.draws, *planned));
  }
  if (reader.open_group("sample_stats")) read_group(file.stat_names, file.stats);
  for (std::size_t c = 0; c < file.chains; ++c) file.chain_names.push_back(std::to_string(c));
  return file;
}

}  // namespace manychain::io
