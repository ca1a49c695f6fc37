// NetCDF read in a child process: its draws come back in shared memory, the rest as words.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <utility>

#include "io/child.hpp"
#include "io/read_netcdf.hpp"
#include "io/run_record.hpp"
#include "manychain/core/error.hpp"

namespace manychain::io {
namespace {

/// Words and counts of a file, on their way from one process to another: each ends with a zero byte.
class Packed {
 public:
  Packed() = default;
  explicit Packed(std::string text) : text_(std::move(text)) {}
  std::string text() { return std::move(text_); }

  void put(std::size_t number) { put(std::to_string(number)); }
  void put(const std::string& word) { text_.append(word.c_str()).push_back('\0'); }
  void put(const std::vector<std::string>& words) {
    put(words.size());
    for (const std::string& word : words) put(word);
  }
  std::size_t number() { return std::stoull(word()); }
  std::string word() {
    const std::size_t end = std::min(text_.find('\0', at_), text_.size());
    std::string result = text_.substr(std::min(at_, end), end - at_);
    at_ = end + 1;
    return result;
  }
  std::vector<std::string> words() {
    std::vector<std::string> result(number());
    for (std::string& one : result) one = word();
    return result;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

constexpr const char* no_sense = ": cannot be read: what was read makes no sense; the file is damaged";

/// All but the numbers.
std::string pack(const DrawsFile& file) {
  Packed packed;
  packed.put(file.chains);
  packed.put(file.draws);
  packed.put(file.names);
  packed.put(file.stat_names);
  packed.put(file.faults);
  packed.put(file.cancelled);
  packed.put(file.draws_planned);
  packed.put(file.run ? run_record(*file.run, file.chains, file.draws) : "");
  return packed.text();
}

DrawsFile unpack(std::string text, const SharedNumbers& memory) {
  Packed packed(std::move(text));
  DrawsFile file;
  file.chains = packed.number();
  file.draws = packed.number();
  file.names = packed.words();
  file.stat_names = packed.words();
  file.faults = packed.words();
  file.cancelled = packed.number() != 0;
  file.draws_planned = packed.number();
  if (const std::string record = packed.word(); !record.empty())
    file.run = read_run_record(record, file.chains, file.draws);
  const std::size_t rows = file.chains * file.draws, values = rows * file.names.size();
  file.values = memory.view(values + rows * file.stat_names.size());
  file.stats = {file.values, file.values.get() + values};
  for (std::size_t c = 0; c < file.chains; ++c) file.chain_names.push_back(std::to_string(c));
  return file;
}

}  // namespace

DrawsFile read_netcdf(const std::string& path) {
  std::error_code error;
  const std::size_t size = std::filesystem::file_size(path, error);
  // HDF5 can crash on a file of which some bytes are wrong, run in circles, or ask for any amount of memory. A sound
  // file takes a hundredth of this.
  ChildLimits limits;
  limits.seconds = 5 + size / 1'000'000;
  limits.bytes = (std::size_t(2) << 30) + 2 * size;
  SharedNumbers memory;
  std::string answer;
  try {
    answer = in_child([&] { return pack(read_netcdf_here(path, memory)); }, limits);
  } catch (const ChildDied& died) {
    // SIGKILL is what a system that runs out of memory sends.
    const char* const why = died.signal() == SIGKILL ? "is too large for the memory, or damaged" : "is damaged";
    throw BadInput(fmt::format("{}: cannot be read: {}; the file {}", path, died.what(), why));
  } catch (const std::bad_alloc&) {
    throw BadInput(path + ": cannot be read: it takes more memory than there is; the file is damaged or too large");
  }
  try {
    return unpack(std::move(answer), memory);
  } catch (const BadInput&) {
    throw BadInput(path + no_sense);
  } catch (const std::logic_error&) {  // a child that has not crashed, and yet lost its senses
    throw BadInput(path + no_sense);
  }
}

}  // namespace manychain::io
