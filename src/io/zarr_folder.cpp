#include "io/zarr_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string_view>

#include "core/digest.hpp"
#include "io/crc32c.hpp"
#include "io/gzip.hpp"
#include "io/partial_file.hpp"
#include "io/zarr_files.hpp"
#include "manychain/core/error.hpp"

namespace manychain::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view state_magic = "manychain state";
constexpr std::size_t most_metadata = std::size_t(1) << 28;
constexpr std::size_t checksum_bytes = sizeof(std::uint32_t);

/// A file of a folder that is open.
class FileIn {
 public:
  FileIn(int folder, const std::string& name) : id_(openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat found {};
    if (id_ < 0 || fstat(id_, &found) != 0) {
      error_ = errno;
    } else if (!S_ISREG(found.st_mode)) {
      error_ = EISDIR;
    } else {
      size_ = static_cast<std::size_t>(found.st_size);
    }
  }
  FileIn(const FileIn&) = delete;
  FileIn& operator=(const FileIn&) = delete;
  ~FileIn() {
    if (id_ >= 0) close(id_);
  }
  int error() const { return error_; }
  std::size_t size() const { return size_; }
  std::string text() {
    std::string bytes(size_, '\0');
    for (std::size_t at = 0; at < size_;) {
      const ssize_t got = ::read(id_, &bytes[at], size_ - at);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        error_ = got < 0 ? errno : EIO;
        break;
      }
      at += static_cast<std::size_t>(got);
    }
    return bytes;
  }

 private:
  int id_, error_ = 0;
  std::size_t size_ = 0;
};

std::uint32_t checksum_of(const StateHeader& header, const RunState& state) {
  std::uint32_t sum = crc32c(&header.draws, 2 * sizeof header.draws);
  if (header.warmup > 0) sum = crc32c(&header.warmup, sizeof header.warmup, sum);
  return crc32c(state.data(), state.size(), sum);
}

/// The attribute that makes a folder a store of this library; null: it is none.
ZarrJson store_attribute_of(const ZarrJson& root) {
  if (!root.is_object()) return nullptr;
  const auto attributes = root.find("attributes");
  if (attributes == root.end() || !attributes->is_object()) return nullptr;
  const auto about = attributes->find(store_attribute);
  return about == attributes->end() || !about->is_object() ? ZarrJson() : *about;
}

/// False of a file that no chunk of that array can be.
bool is_size_of_chunk(const ZarrArray& array, std::size_t size) {
  if (!array.gzip) return size == array.chunk_bytes() + checksum_bytes;
  return size > checksum_bytes && array.chunk_bytes() / gzip_most_ratio <= size;
}
std::string wrong_size(const ZarrArray& array, std::size_t size) {
  if (array.gzip) return fmt::format("it has {} bytes, too few for {} that are compressed", size, array.chunk_bytes());
  return fmt::format("it has {} bytes, and should have {}", size, array.chunk_bytes() + checksum_bytes);
}

}  // namespace

StateHeader state_header(const StateCounts& counts, const RunState& state) {
  if (counts.warmup > std::numeric_limits<std::uint32_t>::max())
    throw Error(fmt::format("{} draws of warm-up of each chain are more than a store counts", counts.warmup));
  StateHeader header{};
  std::copy(state_magic.begin(), state_magic.end(), header.magic);
  header.draws = counts.draws;
  header.warmup = static_cast<std::uint32_t>(counts.warmup);
  header.bytes = state.size();
  header.checksum = checksum_of(header, state);
  return header;
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

bool names_store(const std::string& path) {
  const std::string name = without_slash(path);
  const std::string_view ending = ".zarr";
  return name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
}
const std::string& require_store_name(const std::string& path) {
  if (!names_store(path)) throw BadInput(path + ": the name of a store ends in .zarr");
  return path;
}

bool is_store(const std::string& path) {
  FileIn file(AT_FDCWD, path + "/zarr.json");
  if (file.error() != 0 || file.size() > most_metadata) return false;
  const ZarrJson root = ZarrJson::parse(file.text(), nullptr, false);
  return !root.is_discarded() && !store_attribute_of(root).is_null();
}

void require_store_replaceable(const std::string& path) {
  const std::string name = without_slash(path), target = behind_links(name);
  std::error_code error;
  const fs::file_status there = fs::status(target, error);
  if (fs::exists(there)) {
    if (!fs::is_directory(there)) throw BadInput(name + ": there is such a file, and it is no store of draws");
    if (!fs::is_empty(target, error) && !is_store(target))
      throw BadInput(name + ": there is such a folder, and it is no store of draws of manychain");
    if (is_store(target)) StoreLock(name, target);
  }
  PartialFolder{name};
}

ZarrFolder::ZarrFolder(const std::string& path) : path_(without_slash(path)) {
  id_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (id_ < 0 && errno == ENOTDIR)
    throw BadInput(
        path_ +
        ": is a file, not a store: a folder that --output NAME.zarr of manychain sample makes; nor a checkpoint");
  if (id_ < 0) throw BadInput(fmt::format("{}: cannot be read: {}", path_, std::strerror(errno)));
  try {
    if (FileIn(id_, "zarr.json").error() == ENOENT)
      throw BadInput(fmt::format("{}: cannot be read: {} without a zarr.json", path_, std::strerror(EISDIR)));
    const ZarrJson root = ZarrJson::parse(read("zarr.json", most_metadata), nullptr, false);
    if (root.is_discarded()) damaged("zarr.json", "it is no JSON");
    about_ = store_attribute_of(root);
    if (about_.is_null()) throw BadInput(path_ + ": is no store of draws of manychain: zarr.json does not say so");
    const std::size_t format = zarr_count(about_, "version");
    if (format != store_version)
      throw BadInput(
          fmt::format("{}: is a store of a later version of manychain: its format is {}, and this program reads {}",
                      path_, format, store_version));
    const auto complete = about_.find("complete");
    complete_ = complete != about_.end() && complete->is_boolean() && complete->get<bool>();
    if (const auto facts = root["attributes"].find(store_facts);
        facts != root["attributes"].end() && facts->is_object())
      for (const auto& [key, value] : facts->items())
        if (value.is_string()) facts_[key] = value.get<std::string>();
    const auto consolidated = root.find("consolidated_metadata");
    if (consolidated == root.end() || !consolidated->is_object() || !consolidated->contains("metadata") ||
        !(*consolidated)["metadata"].is_object())
      damaged("zarr.json", "there is no consolidated_metadata");
    for (const auto& [name, json] : (*consolidated)["metadata"].items()) {
      const std::size_t slash = name.find('/');
      if (!json.is_object()) damaged("zarr.json", name + " is no object");
      if (slash == std::string::npos) {
        if (const auto found = json.find("attributes"); found != json.end() && found->is_object())
          groups_[name].attributes = *found;
        continue;
      }
      const std::string array = name.substr(slash + 1);
      if (array.empty() || array.find('/') != std::string::npos || array[0] == '.' || name[0] == '.')
        damaged("zarr.json", "there is a variable " + name);
      try {
        groups_[name.substr(0, slash)].arrays.push_back(zarr_array_from(array, json));
      } catch (const BadInput& error) {
        damaged("zarr.json", fmt::format("{}: {}", name, error.what()));
      }
    }
  } catch (...) {
    close(id_);
    throw;
  }
}

ZarrFolder::~ZarrFolder() { close(id_); }

void ZarrFolder::damaged(const std::string& file, const std::string& why) const {
  throw BadInput(fmt::format("{}/{}: is damaged: {}", path_, file, why));
}

std::string ZarrFolder::read(const std::string& file, std::size_t most) const {
  FileIn in(id_, file);
  if (in.error() == 0 && in.size() > most) damaged(file, "it is too large");
  std::string text = in.error() == 0 ? in.text() : "";
  if (in.error() != 0) throw BadInput(fmt::format("{}/{}: cannot be read: {}", path_, file, std::strerror(in.error())));
  return text;
}

const ZarrFolder::Group* ZarrFolder::group(const std::string& name) const {
  const auto found = groups_.find(name);
  return found == groups_.end() ? nullptr : &found->second;
}

const ZarrArray* ZarrFolder::find(const std::string& group, const std::string& array) const {
  const Group* const in = this->group(group);
  if (!in) return nullptr;
  const auto found =
      std::find_if(in->arrays.begin(), in->arrays.end(), [&](const ZarrArray& one) { return one.name == array; });
  return found == in->arrays.end() ? nullptr : &*found;
}

std::size_t ZarrFolder::block_draws() const {
  try {
    const std::size_t block = zarr_count(about_, "block_draws");
    if (block > 0) return block;
  } catch (const BadInput&) {
    // said below
  }
  damaged("zarr.json", "block_draws is no number of draws");
}

std::size_t ZarrFolder::column() const {
  if (const Group* const draws = group("posterior"))
    for (const ZarrArray& array : draws->arrays)
      if (array.is_drawn()) return array.chunk[0];
  return 0;
}

Compression ZarrFolder::compression() const {
  for (const auto& [name, group] : groups_)
    for (const ZarrArray& array : group.arrays)
      if (array.gzip) return Compression::gzip;
  return Compression::none;
}

StoreFacts ZarrFolder::facts() const { return facts_; }

std::string ZarrFolder::chunk(const std::string& group, const ZarrArray& array, std::size_t block,
                              std::size_t column) const {
  const std::string file = fmt::format("{}/{}/{}", group, array.name, chunk_name(array, block, column));
  const bool words = array.type == ZarrType::string;
  std::uint32_t checksum = 0;
  const std::size_t bytes = array.chunk_bytes();
  FileIn in(id_, file);
  if (in.error() == ENOENT) damaged(file, "it is missing");
  if (in.error() != 0) throw BadInput(fmt::format("{}/{}: cannot be read: {}", path_, file, std::strerror(in.error())));
  if (words ? in.size() < sizeof checksum : !is_size_of_chunk(array, in.size()))
    damaged(file, wrong_size(array, in.size()));
  std::string text = in.text();
  if (in.error() != 0) throw BadInput(fmt::format("{}/{}: cannot be read: {}", path_, file, std::strerror(in.error())));
  std::memcpy(&checksum, &text[text.size() - sizeof checksum], sizeof checksum);
  text.resize(text.size() - sizeof checksum);
  if (crc32c(text.data(), text.size()) != checksum) damaged(file, "its checksum is wrong");
  if (!array.gzip) return text;
  std::string unpacked;
  if (!gunzip(text, bytes, unpacked)) damaged(file, fmt::format("it is no gzip of {} bytes", bytes));
  return unpacked;
}

void ZarrFolder::require_chunks(const std::string& group, const ZarrArray& array) const {
  const std::size_t blocks = array.blocks(), columns = array.columns();
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t k = 0; k < columns; ++k) {
      const std::string file = fmt::format("{}/{}/{}", group, array.name, chunk_name(array, b, k));
      const FileIn in(id_, file);
      if (in.error() == ENOENT) damaged(file, "it is missing");
      if (in.error() != 0 || !is_size_of_chunk(array, in.size())) damaged(file, wrong_size(array, in.size()));
    }
}

std::string ZarrFolder::whole_state() const {
  if (FileIn in(id_, store_state_name); in.error() == ENOENT) return "";
  std::string text = read(store_state_name, static_cast<std::size_t>(-1));
  StateHeader header{};
  if (text.size() < sizeof header) damaged(store_state_name, "it is cut");
  std::memcpy(&header, text.data(), sizeof header);
  if (std::string_view(header.magic, state_magic.size()) != state_magic || header.bytes != text.size() - sizeof header)
    damaged(store_state_name, "it is no state of a run, or cut");
  if (checksum_of(header, text.substr(sizeof header)) != header.checksum)
    damaged(store_state_name, "its checksum is wrong");
  const std::size_t warmup = about_.contains("warmup_draws") ? zarr_count(about_, "warmup_draws") : 0;
  if (header.draws > zarr_count(about_, "draws") || header.warmup > warmup)
    damaged(store_state_name, "it is of more draws than there are");
  return text;
}

std::string ZarrFolder::digest() const { return digest_of(read("zarr.json", most_metadata)); }

std::optional<StateCounts> ZarrFolder::state_counts() const {
  const std::string text = whole_state();
  if (text.empty()) return {};
  StateHeader header{};
  std::memcpy(&header, text.data(), sizeof header);
  return StateCounts{header.draws, header.warmup};
}

RunState ZarrFolder::state() const {
  const std::string text = whole_state();
  return text.empty() ? "" : text.substr(sizeof(StateHeader));
}

StoreFacts read_store_facts(const std::string& path) { return ZarrFolder(path).facts(); }

Compression compression_of(const std::string& path) {
  return is_store(path) ? ZarrFolder(path).compression() : Compression::none;
}

Compression compression_from(const std::string& word) {
  if (word == "none") return Compression::none;
  if (word == "gzip") return Compression::gzip;
  throw BadInput(fmt::format("compression: there is no {}; there are none and gzip", word));
}

}  // namespace manychain::io
