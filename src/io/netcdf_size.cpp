#include "io/netcdf_size.hpp"

#include <algorithm>

#include "manychain/run/result.hpp"
#include "run/named_dimensions.hpp"

namespace manychain::io {
namespace {

// Large enough that a chunk costs no time of its own, small enough that a reader of a few draws reads little else.
constexpr std::size_t chunk_bytes = std::size_t(4) << 20;

// The bytes that HDF5 takes beside the numbers: headers, names, and a node of a B-tree for every 32 chunks.
constexpr double per_file = 8e3, per_variable = 6e3, per_chunk = 256;
// The share of its bytes that a compressed variable takes: it hardly changes, one number per draw. Random digits of a
// byte would take an eighth of it.
constexpr double compressed = 0.25;

std::size_t parts(std::size_t extent, std::size_t part) { return (extent + part - 1) / part; }

double product(const std::vector<std::size_t>& extents) {
  double all = 1;
  for (const std::size_t extent : extents) all *= double(extent);
  return all;
}

/// The bytes of an array and the coordinates of its own dimensions.
double array_bytes(const FileContents& file, const std::vector<std::size_t>& extents, std::size_t bytes) {
  std::vector<std::size_t> shape = {file.chains, file.draws};
  shape.insert(shape.end(), extents.begin(), extents.end());
  const std::vector<std::size_t> chunk = chunk_of(shape, bytes);
  double chunks = 1, coordinates = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) chunks *= double(parts(shape[axis], chunk[axis]));
  for (const std::size_t extent : extents) coordinates += per_variable + 8 * double(extent);
  return per_variable + coordinates + chunks * (per_chunk + double(bytes) * product(chunk));
}

/// The bytes of the groups observed_data and constant_data, and of labels, which every group may have.
double data_bytes(const Layout& layout, const Data& data) {
  constexpr double groups = 5, per_label = 48;
  double all = 0;
  for (const FileGroup group : {FileGroup::observed_data, FileGroup::constant_data}) {
    const std::vector<FileVariable> variables = variables_of(group, layout, &data);
    all += variables.empty() ? 0 : per_file;
    for (const FileVariable& variable : variables) {
      all += per_variable + sizeof(double) * product(variable.shape);
      for (const std::size_t extent : variable.shape) all += per_variable + sizeof(double) * double(extent);
    }
  }
  for (const auto& [name, coordinates] : data.coords()) {
    all += groups * per_variable;
    for (const std::string& label : coordinates.labels) all += groups * (per_label + double(label.size()));
  }
  return all;
}

}  // namespace

std::vector<std::size_t> chunk_of(const std::vector<std::size_t>& shape, std::size_t bytes) {
  std::vector<std::size_t> chunk = shape;
  std::size_t row = bytes;
  for (std::size_t axis = 2; axis < shape.size(); ++axis) row *= shape[axis];
  const auto cut = [](std::size_t extent, std::size_t most) {
    const std::size_t pieces = parts(extent, std::clamp(most, std::size_t(1), extent));
    return parts(extent, pieces);
  };
  chunk[0] = cut(shape[0], 16 * chunk_bytes / row);
  chunk[1] = cut(shape[1], chunk_bytes / (row * chunk[0]));
  return chunk;
}

namespace {

/// The bytes of a posterior and its statistics, without step sizes.
double drawn_bytes(const Layout& layout, const FileContents& file, double coordinates) {
  double all = coordinates;
  for (const Quantity& quantity : layout.quantities)
    if (quantity.size() > 0) all += array_bytes(file, quantity.shape, file.number);
  if (file.stats)
    all += per_file + coordinates + double(sample_stat_count - 1) * array_bytes(file, {}, file.number) +
           compressed * array_bytes(file, {}, 1);  // diverging
  return all;
}

}  // namespace

std::uint64_t netcdf_bytes(const Layout& layout, const FileContents& contents) {
  const double superchains = contents.superchains ? per_variable + 4 * double(contents.chains) : 0;
  const double coordinates = 2 * per_variable + 8 * (double(contents.chains) + double(contents.draws)) + superchains;
  double all = per_file + drawn_bytes(layout, contents, coordinates) + double(contents.record);
  if (contents.stats) {
    all += compressed * array_bytes(contents, {}, sizeof(double)) + 2 * per_variable;
    if (contents.steps) all += compressed * array_bytes(contents, {}, sizeof(int)) + per_variable;
  }
  if (!variables_of(FileGroup::posterior_predictive, layout, nullptr).empty()) all += per_file + coordinates;
  if (contents.warmup > 0) {
    FileContents some = contents;
    some.draws = contents.warmup;
    all += per_file + drawn_bytes(layout, some, 2 * per_variable + 8 * double(some.chains + some.draws) + superchains);
  }
  if (contents.log_likelihood > 0) {
    FileContents some = contents;
    some.draws = contents.log_likelihood;
    all += per_file + coordinates;
    for (const Observed& observed : layout.observed)
      if (observed.rows > 0) all += array_bytes(some, observed.shape(), contents.number);
  }
  if (contents.data) all += data_bytes(layout, *contents.data);
  return static_cast<std::uint64_t>(std::min(all, 9e18));
}

}  // namespace manychain::io
