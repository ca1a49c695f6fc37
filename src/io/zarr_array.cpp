#include "io/zarr_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "io/gzip.hpp"
#include "manychain/core/error.hpp"

namespace manychain::io {
namespace {

static_assert(std::endian::native == std::endian::little, "chunks are written as they lie in memory");

constexpr std::pair<ZarrType, const char*> zarr_types[] = {
    {ZarrType::float32, "float32"}, {ZarrType::float64, "float64"}, {ZarrType::int32, "int32"},
    {ZarrType::int64, "int64"},     {ZarrType::boolean, "bool"},    {ZarrType::string, "string"}};

// So that no size of a damaged store overflows.
constexpr std::size_t most_bytes = std::size_t(1) << 62;

ZarrJson default_fill(ZarrType type) {
  if (type == ZarrType::float32 || type == ZarrType::float64) return "NaN";
  if (type == ZarrType::boolean) return false;
  if (type == ZarrType::string) return "";
  return 0;
}

std::vector<std::size_t> counts_of(const ZarrJson& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array() || found->size() > 64)
    throw BadInput(fmt::format("{} is no list of whole numbers", key));
  std::vector<std::size_t> counts;
  for (const ZarrJson& one : *found) {
    if (!one.is_number_unsigned()) throw BadInput(fmt::format("{} is no list of whole numbers", key));
    counts.push_back(one.get<std::size_t>());
  }
  return counts;
}

const ZarrJson& member(const ZarrJson& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  if (!json.is_object() || found == json.end()) throw BadInput(fmt::format("there is no {}", key));
  return *found;
}

std::string word_of(const ZarrJson& json, const char* key) {
  const ZarrJson& word = member(json, key);
  if (!word.is_string()) throw BadInput(fmt::format("{} is no word", key));
  return word.get<std::string>();
}

/// True if chunks are compressed.
bool codecs_compress(const ZarrJson& codecs) {
  const std::vector<std::string> plain = {"bytes", "crc32c"}, compressed = {"bytes", "gzip", "crc32c"};
  if (!codecs.is_array() || codecs.size() < plain.size() || codecs.size() > compressed.size())
    throw BadInput("its codecs are not bytes and crc32c, perhaps with gzip between them");
  const std::vector<std::string>& expected = codecs.size() == plain.size() ? plain : compressed;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (const std::string name = word_of(codecs[i], "name"); name != expected[i])
      throw BadInput(fmt::format("it has the codec {}, which is not read here", name));
  }
  if (word_of(member(codecs[0], "configuration"), "endian") != "little") throw BadInput("it is not little-endian");
  return codecs.size() == compressed.size();
}

void require_whole_chunks(const ZarrArray& array) {
  if (array.chunk.size() != array.shape.size() || array.dimensions.size() != array.shape.size())
    throw BadInput("shape, chunk_shape and dimension_names differ in length");
  for (const std::vector<std::size_t>* extents : {&array.shape, &array.chunk}) {
    std::size_t bytes = std::max<std::size_t>(bytes_of(array.type), 1);
    for (const std::size_t extent : *extents) {
      if (extent > most_bytes / bytes) throw BadInput("it is larger than anything");
      bytes *= std::max<std::size_t>(extent, 1);
    }
  }
  for (std::size_t axis = 0; axis < array.shape.size(); ++axis) {
    const bool cut = array.is_drawn() && (axis == 1 || (axis == 0 && array.chunk[0] < array.shape[0]));
    const bool coordinate = array.shape.size() == 1 && array.dimensions[0] == "draw";
    if (array.chunk[axis] == 0 ||
        (!cut && !coordinate && array.chunk[axis] != std::max<std::size_t>(array.shape[axis], 1)))
      throw BadInput("it is cut into chunks in another way than manychain does it");
  }
}

}  // namespace

std::size_t bytes_of(ZarrType type) {
  switch (type) {
    case ZarrType::float32:
    case ZarrType::int32:
      return 4;
    case ZarrType::float64:
    case ZarrType::int64:
      return 8;
    case ZarrType::boolean:
      return 1;
    case ZarrType::string:
      break;
  }
  return 0;
}

std::size_t ZarrArray::elements() const {
  std::size_t product = 1;
  for (std::size_t axis = 2; axis < shape.size(); ++axis) product *= shape[axis];
  return product;
}

std::size_t ZarrArray::chunk_bytes() const {
  std::size_t bytes = bytes_of(type);
  for (const std::size_t extent : chunk) bytes *= extent;
  return bytes;
}

std::size_t ZarrArray::blocks() const {
  if (shape.empty()) return 1;
  const std::size_t cut = is_drawn() ? 1 : 0;
  return shape[cut] / chunk[cut] + (shape[cut] % chunk[cut] > 0);
}

std::size_t ZarrArray::columns() const { return is_drawn() ? shape[0] / chunk[0] + (shape[0] % chunk[0] > 0) : 1; }

std::size_t zarr_count(const ZarrJson& json, const char* key) {
  const ZarrJson& count = member(json, key);
  if (!count.is_number_unsigned()) throw BadInput(fmt::format("{} is no whole number", key));
  return count.get<std::size_t>();
}

ZarrJson to_zarr_json(const ZarrArray& array) {
  ZarrJson json;
  json["zarr_format"] = 3;
  json["node_type"] = "array";
  json["shape"] = array.shape;
  for (const auto& [type, name] : zarr_types)
    if (type == array.type) json["data_type"] = name;
  json["chunk_grid"] = {{"name", "regular"}, {"configuration", {{"chunk_shape", array.chunk}}}};
  json["chunk_key_encoding"] = {{"name", "default"}, {"configuration", {{"separator", "."}}}};
  json["fill_value"] = array.fill.is_null() ? default_fill(array.type) : array.fill;
  ZarrJson serializer = {{"name", "bytes"}, {"configuration", {{"endian", "little"}}}};
  if (array.type == ZarrType::string) serializer = {{"name", "vlen-utf8"}};
  json["codecs"] = ZarrJson::array({serializer});
  if (array.gzip) json["codecs"].push_back({{"name", "gzip"}, {"configuration", {{"level", gzip_level}}}});
  json["codecs"].push_back({{"name", "crc32c"}});
  json["attributes"] = array.attributes;
  json["dimension_names"] = array.dimensions;
  json["storage_transformers"] = ZarrJson::array();
  return json;
}

ZarrArray zarr_array_from(const std::string& name, const ZarrJson& json) {
  ZarrArray array;
  array.name = name;
  const std::string type = word_of(json, "data_type");
  const auto* const known =
      std::find_if(std::begin(zarr_types), std::end(zarr_types), [&](const auto& one) { return type == one.second; });
  if (known == std::end(zarr_types)) throw BadInput(fmt::format("it is of type {}, which is not read here", type));
  array.type = known->first;
  array.shape = counts_of(json, "shape");
  const ZarrJson& grid = member(json, "chunk_grid");
  array.chunk = counts_of(member(grid, "configuration"), "chunk_shape");
  const ZarrJson& encoding = member(json, "chunk_key_encoding");
  if (word_of(grid, "name") != "regular" || word_of(encoding, "name") != "default" ||
      word_of(member(encoding, "configuration"), "separator") != ".")
    throw BadInput("its chunks are named in another way than manychain does it");
  const ZarrJson& names = member(json, "dimension_names");
  if (!names.is_array()) throw BadInput("dimension_names is no list");
  for (const ZarrJson& one : names) array.dimensions.push_back(one.is_string() ? one.get<std::string>() : "");
  array.fill = member(json, "fill_value");
  if (const auto found = json.find("attributes"); found != json.end() && found->is_object()) array.attributes = *found;
  if (array.type != ZarrType::string) array.gzip = codecs_compress(member(json, "codecs"));
  require_whole_chunks(array);
  return array;
}

std::string chunk_name(const ZarrArray& array, std::size_t block, std::size_t column) {
  std::string name = "c";
  const std::size_t cut = array.is_drawn() ? 1 : 0;
  for (std::size_t axis = 0; axis < array.shape.size(); ++axis)
    name += fmt::format(".{}", axis == cut ? block : axis == 0 ? column : std::size_t(0));
  return name;
}

}  // namespace manychain::io
