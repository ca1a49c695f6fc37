// An array of a Zarr store (version 3 of the format): its metadata as JSON, and its chunks as bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run/draws_source.hpp"

namespace manychain::io {

using ZarrJson = nlohmann::ordered_json;

enum class ZarrType { float32, float64, int32, int64, boolean, string };

/// Bytes of a number; 0: words.
std::size_t bytes_of(ZarrType type);

/// Arrays with the dimensions chain and draw are cut along draw, and along chain where ranks wrote them; all others are
/// one chunk.
struct ZarrArray {
  std::string name;
  ZarrType type = ZarrType::float64;
  std::vector<std::size_t> shape, chunk;
  std::vector<std::string> dimensions;
  ZarrJson fill;      ///< null: NaN, or 0
  bool gzip = false;  ///< its chunks are compressed
  ZarrJson attributes = ZarrJson::object();

  bool is_drawn() const { return dimensions.size() >= 2 && dimensions[0] == "chain" && dimensions[1] == "draw"; }
  std::size_t elements() const;     ///< of a chain and draw
  std::size_t chunk_bytes() const;  ///< without checksum, not compressed
  std::size_t blocks() const;       ///< chunks along draw
  std::size_t columns() const;      ///< chunks along chain
  /// The chains of a column, which the last one may have fewer of.
  Stretch chains_of(std::size_t column) const {
    return {column * chunk[0], std::min(chunk[0], shape[0] - column * chunk[0])};
  }
};

ZarrJson to_zarr_json(const ZarrArray& array);
/// Throws BadInput, with what is wrong and without a file, unless it is an array as this library writes it.
ZarrArray zarr_array_from(const std::string& name, const ZarrJson& json);

/// "c.0.3.0": the file of block `block` of draws of a column, or of the whole array.
std::string chunk_name(const ZarrArray& array, std::size_t block, std::size_t column = 0);

/// Whole numbers of JSON from a file that anybody may have made. Throws BadInput.
std::size_t zarr_count(const ZarrJson& json, const char* key);

}  // namespace manychain::io
