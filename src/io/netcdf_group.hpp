// One group of a NetCDF file, as it is written.
#pragma once

#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "io/netcdf_names.hpp"
#include "io/netcdf_size.hpp"
#include "io/transpose.hpp"
#include "manychain/core/error.hpp"
#include "manychain/diagnostics/draws.hpp"
#include "manychain/model/data/data.hpp"

namespace manychain::io {

inline void check(int status, const char* what) {
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

/// Every dimension has a coordinate of its name: labels that the data give, or 0, 1, 2, ...
class Group {
 public:
  /// `room` is memory for one chunk at a time, which all groups share. `data` may be null.
  Group(int file, const char* name, const Data* data, DrawValues<double>& room) : room_(room), data_(data) {
    check(nc_def_grp(file, name, &id_), "create a group");
  }
  /// With the dimensions chain and draw. Chain c is of superchain c mod `superchains`; fewer than two: there are none.
  Group(int file, const char* name, const Data* data, std::size_t chains, std::size_t draws, std::size_t superchains,
        DrawValues<double>& room)
      : Group(file, name, data, room) {
    superchains_ = superchains;
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

  /// Defines a variable of chain and draw, and of dimensions with those names. `compressed` is for the few variables
  /// that hardly change, where zlib is fast and gains a hundredfold. Draws are never compressed: zlib is slower than
  /// the sampler and takes less than a tenth off random digits.
  template <class Number>
  Array define(const std::string& name, const std::vector<std::size_t>& extents,
               const std::vector<std::string>& dimensions, bool compressed = false) {
    Array array;
    std::vector<int> ids;
    for (const char* own : {"chain", "draw"}) {
      array.shape.push_back(dimensions_.at(own).extent);
      ids.push_back(dimensions_.at(own).id);
    }
    array.compressed = compressed;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      array.shape.push_back(extents[axis]);
      ids.push_back(dimension(dimensions[axis], extents[axis]));
    }
    array.chunk = chunk_of(array.shape, sizeof(Number));
    check(nc_def_var(id_, name.c_str(), type_of<Number>(), int(ids.size()), ids.data(), &array.id),
          "define a variable");
    check(nc_def_var_chunking(id_, array.id, NC_CHUNKED, array.chunk.data()), "set the chunks");
    check(nc_def_var_fill(id_, array.id, NC_NOFILL, nullptr), "switch filling off");
    if (compressed) check(nc_def_var_deflate(id_, array.id, 1, 1, 1), "compress a variable");
    drawn_.push_back(array.id);
    return array;
  }

  void mark_as_boolean(const Array& array) {
    check(nc_put_att_text(id_, array.id, "dtype", 4, "bool"), "write an attribute");
  }

  /// A variable of the data, whole; not if there is one of its name already: it may be called as the coordinate of
  /// another's dimension, "sigma_dim_0", which tables exported by xarray have.
  void put(const std::string& name, const Data::Variable& variable, const std::vector<std::string>& dimensions) {
    if (!data_names_.insert(name).second) return;
    if (int coordinate = 0; nc_inq_varid(id_, name.c_str(), &coordinate) == NC_NOERR) return;
    std::vector<int> ids;
    for (std::size_t axis = 0; axis < variable.shape.size(); ++axis)
      ids.push_back(dimension(dimensions[axis], variable.shape[axis]));
    int id = 0;
    const bool integer = variable.integer && std::all_of(variable.values.begin(), variable.values.end(),
                                                         [](double x) { return std::fabs(x) < 0x1p53; });
    check(nc_def_var(id_, name.c_str(), integer ? NC_INT64 : NC_DOUBLE, int(ids.size()), ids.data(), &id),
          "define a variable");
    check(nc_put_var_double(id_, id, variable.values.data()), "write data");
  }

  /// Defines a variable that is written in parts; what is not written is NaN, and takes no room where a whole chunk is
  /// not. Its number in the file.
  int define_in_parts(const std::string& name, const std::vector<std::size_t>& shape,
                      const std::vector<std::string>& dimensions, const std::vector<std::size_t>& chunk) {
    std::vector<int> ids;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) ids.push_back(dimension(dimensions[axis], shape[axis]));
    int id = 0;
    const double unwritten = std::numeric_limits<double>::quiet_NaN();
    check(nc_def_var(id_, name.c_str(), NC_DOUBLE, int(ids.size()), ids.data(), &id), "define a variable");
    check(nc_def_var_chunking(id_, id, NC_CHUNKED, chunk.data()), "set the chunks");
    check(nc_def_var_fill(id_, id, NC_FILL, &unwritten), "fill with NaN");
    return id;
  }
  void put_part(int variable, const std::vector<std::size_t>& begin, const std::vector<std::size_t>& extents,
                const std::vector<double>& values) {
    check(nc_put_vara(id_, variable, begin.data(), extents.data(), values.data()), "write draws");
  }

  /// A word for each place of a dimension.
  void put_words(const char* name, const std::vector<std::string>& words, const std::string& along) {
    const int dimension_id = dimension(along, words.size());
    int id = 0;
    check(nc_def_var(id_, name, NC_STRING, 1, &dimension_id, &id), "define a variable");
    std::vector<const char*> pointers;
    for (const std::string& word : words) pointers.push_back(word.c_str());
    check(nc_put_var_string(id_, id, pointers.data()), "write words");
  }

  /// Writes the coordinate variables. `draws`: numbers of the draws, where they are not 0, 1, 2, ...
  void write_coordinates(const std::vector<std::size_t>& draws = {}) {
    if (superchains_ > 1) write_superchains();
    for (const auto& [name, dimension] : dimensions_) {
      if (dimension.labels) {
        write_labels(dimension);
        continue;
      }
      std::vector<long long> values(dimension.extent);
      std::iota(values.begin(), values.end(), 0);
      if (name == "draw" && !draws.empty()) std::copy(draws.begin(), draws.end(), values.begin());
      check(nc_put_var_longlong(id_, dimension.coordinate, values.data()), "write a coordinate");
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
  struct Dimension {
    int id = 0, coordinate = 0;
    std::size_t extent = 0;
    const Data::Coordinates* labels = nullptr;  // null: numbers from 0
  };

  /// Variables share a dimension by its name.
  int dimension(const std::string& name, std::size_t extent) {
    if (const auto known = dimensions_.find(name); known != dimensions_.end()) return known->second.id;
    Dimension made{0, 0, extent, nullptr};
    if (data_)
      if (const auto found = data_->coords().find(name); found != data_->coords().end()) made.labels = &found->second;
    check(nc_def_dim(id_, name.c_str(), extent, &made.id), "define a dimension");
    check(nc_def_var(id_, name.c_str(), type_of_labels(made.labels), 1, &made.id, &made.coordinate),
          "define a coordinate");
    dimensions_[name] = made;
    return made.id;
  }
  static nc_type type_of_labels(const Data::Coordinates* labels) {
    if (!labels || labels->kind == Data::Labels::integers) return NC_INT64;
    return labels->kind == Data::Labels::reals ? NC_DOUBLE : NC_STRING;
  }
  template <class Number>
  static std::vector<Number> parsed(const std::vector<std::string>& labels) {
    std::vector<Number> numbers;
    for (const std::string& label : labels)
      std::from_chars(label.data(), label.data() + label.size(), numbers.emplace_back());
    return numbers;
  }
  void write_labels(const Dimension& dimension) {
    const std::vector<std::string>& labels = dimension.labels->labels;
    if (dimension.labels->kind == Data::Labels::integers) {
      check(nc_put_var_longlong(id_, dimension.coordinate, parsed<long long>(labels).data()), "write a coordinate");
    } else if (dimension.labels->kind == Data::Labels::reals) {
      check(nc_put_var_double(id_, dimension.coordinate, parsed<double>(labels).data()), "write a coordinate");
    } else {
      std::vector<const char*> words;
      for (const std::string& label : labels) words.push_back(label.c_str());
      check(nc_put_var_string(id_, dimension.coordinate, words.data()), "write a coordinate");
    }
  }

  /// xarray takes a variable for a coordinate if an attribute of others says so, as the CF conventions have it. A
  /// variable or a dimension that the model calls so has the name, and there is no coordinate.
  void write_superchains() {
    const std::string name = superchain_name;
    int id = 0;
    if (nc_inq_varid(id_, name.c_str(), &id) == NC_NOERR) return;
    const Dimension& chain = dimensions_.at("chain");
    check(nc_def_var(id_, name.c_str(), NC_INT, 1, &chain.id, &id), "define a coordinate");
    for (const int array : drawn_)
      check(nc_put_att_text(id_, array, "coordinates", name.size(), name.c_str()), "write an attribute");
    std::vector<int> labels(chain.extent);
    for (std::size_t c = 0; c < labels.size(); ++c) labels[c] = static_cast<int>(c % superchains_);
    check(nc_put_var_int(id_, id, labels.data()), "write a coordinate");
  }

  DrawValues<double>& room_;
  const Data* data_;
  int id_ = 0;
  std::size_t superchains_ = 0;
  std::vector<int> drawn_;  // the arrays
  std::map<std::string, Dimension> dimensions_;
  std::set<std::string> data_names_;
};

/// Fills [chain][draw][element] from `elements` neighbouring variables of [draw][variable][chain].
template <class Number, class Out>
auto transposed(const DrawValues<Number>& values, const Draws& draws, std::size_t variable, std::size_t elements) {
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

}  // namespace manychain::io
