#include "io/zarr_group.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>

#include "io/netcdf_names.hpp"

namespace manychain::io {
namespace {

// Numbers of draws are written ahead, so that their file seldom changes.
constexpr std::size_t most_draw_numbers = std::size_t(1) << 16;

/// Each with its length before it.
std::string words_as_stored(const std::vector<std::string>& words) {
  std::string bytes;
  const auto put = [&](std::size_t count) {
    const auto number = static_cast<std::uint32_t>(count);
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  put(words.size());
  for (const std::string& word : words) {
    put(word.size());
    bytes += word;
  }
  return bytes;
}

template <class Number>
std::vector<Number> numbers_of(const std::vector<std::string>& labels) {
  std::vector<Number> numbers;
  for (const std::string& label : labels)
    std::from_chars(label.data(), label.data() + label.size(), numbers.emplace_back());
  return numbers;
}

}  // namespace

ZarrGroup::ZarrGroup(std::string name, const Data* data, std::size_t chains, std::size_t column, std::size_t block,
                     std::size_t superchains, Compression compression)
    : ZarrGroup(std::move(name), data) {
  chains_ = chains;
  column_ = column;
  block_ = block;
  superchains_ = superchains;
  compression_ = compression;
  dimension("chain", chains);
  dimension("draw", 0);
}

void ZarrGroup::number(const char* name, double value) {
  // JSON has no other word for it that Python would take for a number.
  attributes_[name] = std::isfinite(value) ? ZarrJson(value)
                                           : ZarrJson(std::isnan(value) ? "NaN"
                                                      : value > 0       ? "Infinity"
                                                                        : "-Infinity");
}

bool ZarrGroup::has(const std::string& name) const {
  return std::any_of(arrays_.begin(), arrays_.end(), [&](const ZarrArray& array) { return array.name == name; });
}

void ZarrGroup::dimension(const std::string& name, std::size_t extent) { dimensions_.emplace(name, extent); }

std::size_t ZarrGroup::define(const std::string& name, ZarrType type, const std::vector<std::size_t>& extents,
                              const std::vector<std::string>& dimensions) {
  ZarrArray array;
  array.name = name;
  array.type = type;
  array.shape = {chains_, dimensions_.at("draw")};
  array.chunk = {column_, block_};
  array.dimensions = {"chain", "draw"};
  array.gzip = compression_ == Compression::gzip;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    array.shape.push_back(extents[axis]);
    array.chunk.push_back(extents[axis]);
    array.dimensions.push_back(dimensions[axis]);
    dimension(dimensions[axis], extents[axis]);
  }
  arrays_.push_back(std::move(array));
  return arrays_.size() - 1;
}

void ZarrGroup::add_whole(ZarrArray array, std::string bytes) {
  array.chunk.clear();
  for (const std::size_t extent : array.shape) array.chunk.push_back(std::max<std::size_t>(extent, 1));
  contents_.emplace_back(array.name + "/" + chunk_name(array, 0), std::move(bytes));
  arrays_.push_back(std::move(array));
}

void ZarrGroup::put(const std::string& name, const Data::Variable& variable,
                    const std::vector<std::string>& dimensions) {
  if (has(name) || dimensions_.count(name)) return;
  ZarrArray array;
  array.name = name;
  array.shape = variable.shape;
  for (std::size_t axis = 0; axis < variable.shape.size(); ++axis) {
    dimension(dimensions[axis], variable.shape[axis]);
    array.dimensions.push_back(dimensions[axis]);
  }
  const bool integer = variable.integer && std::all_of(variable.values.begin(), variable.values.end(),
                                                       [](double x) { return std::fabs(x) < 0x1p53; });
  array.type = integer ? ZarrType::int64 : ZarrType::float64;
  std::string bytes;
  if (integer)
    bytes = bytes_as_stored(std::vector<std::int64_t>(variable.values.begin(), variable.values.end()));
  else
    bytes = bytes_as_stored(std::vector<double>(variable.values.begin(), variable.values.end()));
  add_whole(std::move(array), std::move(bytes));
}

void ZarrGroup::add_labels(const std::string& dimension, const Data::Coordinates& labels) {
  ZarrArray array;
  array.name = dimension;
  array.shape = {labels.labels.size()};
  array.dimensions = {dimension};
  std::string bytes;
  if (labels.kind == Data::Labels::integers) {
    array.type = ZarrType::int64;
    bytes = bytes_as_stored(numbers_of<long long>(labels.labels));
  } else if (labels.kind == Data::Labels::reals) {
    array.type = ZarrType::float64;
    bytes = bytes_as_stored(numbers_of<double>(labels.labels));
  } else {
    array.type = ZarrType::string;
    bytes = words_as_stored(labels.labels);
  }
  add_whole(std::move(array), std::move(bytes));
}

void ZarrGroup::add_coordinates(std::size_t planned) {
  // As in NetCDF: where a variable or a dimension has the name, there is no coordinate.
  if (superchains_ > 1 && !has(superchain_name) && !dimensions_.count(superchain_name)) {
    for (ZarrArray& array : arrays_) array.attributes["coordinates"] = superchain_name;
    ZarrArray array;
    array.name = superchain_name;
    array.type = ZarrType::int32;
    array.shape = {chains_};
    array.dimensions = {"chain"};
    std::vector<std::int32_t> labels(chains_);
    for (std::size_t c = 0; c < chains_; ++c) labels[c] = static_cast<std::int32_t>(c % superchains_);
    add_whole(std::move(array), bytes_as_stored(labels));
  }
  for (const auto& [name, extent] : dimensions_) {
    const Data::Coordinates* labels = nullptr;
    if (data_)
      if (const auto found = data_->coords().find(name); found != data_->coords().end()) labels = &found->second;
    if (labels) {
      add_labels(name, *labels);
      continue;
    }
    ZarrArray array;
    array.name = name;
    array.type = ZarrType::int64;
    array.shape = {extent};
    array.dimensions = {name};
    if (name == "draw" && has_draws()) {
      array.chunk = {std::clamp<std::size_t>(planned, 1, most_draw_numbers)};
      arrays_.push_back(std::move(array));
      continue;
    }
    std::vector<std::int64_t> numbers(extent);
    std::iota(numbers.begin(), numbers.end(), 0);
    add_whole(std::move(array), bytes_as_stored(numbers));
  }
}

void ZarrGroup::grow(std::size_t draws) {
  dimensions_.at("draw") = draws;
  for (ZarrArray& array : arrays_) {
    if (array.is_drawn()) array.shape[1] = draws;
    if (array.name == "draw") array.shape[0] = draws;
  }
}

ZarrJson ZarrGroup::json() const { return {{"zarr_format", 3}, {"node_type", "group"}, {"attributes", attributes_}}; }

}  // namespace manychain::io
