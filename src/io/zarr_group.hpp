// One group of a Zarr store as it is written: the same variables, dimensions and attributes as in the NetCDF file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/zarr_array.hpp"
#include "manychain/model/data/data.hpp"
#include "manychain/run/stored_run.hpp"

namespace manychain::io {

class ZarrGroup {
 public:
  /// `data` may be null.
  ZarrGroup(std::string name, const Data* data) : name_(std::move(name)), data_(data) {}
  /// With the dimensions chain and draw, of no draws yet, which are stored in chunks of `column` chains and `block`
  /// draws. Chain c is of superchain c mod `superchains`; fewer than two: there are none. `compression`: of variables
  /// of chain and draw.
  ZarrGroup(std::string name, const Data* data, std::size_t chains, std::size_t column, std::size_t block,
            std::size_t superchains, Compression compression);

  void text(const char* name, const std::string& value) { attributes_[name] = value; }
  void number(const char* name, double value);
  void integer(const char* name, std::uint64_t value) { attributes_[name] = value; }

  /// Defines a variable of chain and draw, and of dimensions with those names. Returns its place among the arrays.
  std::size_t define(const std::string& name, ZarrType type, const std::vector<std::size_t>& extents,
                     const std::vector<std::string>& dimensions);
  /// A variable of the data, whole, as Group::put() of NetCDF.
  void put(const std::string& name, const Data::Variable& variable, const std::vector<std::string>& dimensions);
  /// Behind all variables: coordinates of all dimensions, and superchains. A coordinate of draws has room for
  /// `planned`.
  void add_coordinates(std::size_t planned);
  /// So many draws from now on.
  void grow(std::size_t draws);

  const std::string& name() const { return name_; }
  std::vector<ZarrArray>& arrays() { return arrays_; }
  const std::vector<ZarrArray>& arrays() const { return arrays_; }
  bool has_draws() const { return chains_ > 0; }
  ZarrJson json() const;
  /// Files of arrays that do not grow: "theta_dim_0/c.0", and their bytes without checksum.
  const std::vector<std::pair<std::string, std::string>>& contents() const { return contents_; }

 private:
  bool has(const std::string& name) const;
  void dimension(const std::string& name, std::size_t extent);
  void add_whole(ZarrArray array, std::string bytes);
  void add_labels(const std::string& dimension, const Data::Coordinates& labels);

  std::string name_;
  const Data* data_;
  std::size_t chains_ = 0, column_ = 0, block_ = 1, superchains_ = 0;
  Compression compression_ = Compression::none;
  ZarrJson attributes_ = ZarrJson::object();
  std::vector<ZarrArray> arrays_;
  std::map<std::string, std::size_t> dimensions_;
  std::vector<std::pair<std::string, std::string>> contents_;
};

template <class Number>
std::string bytes_as_stored(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

}  // namespace manychain::io
