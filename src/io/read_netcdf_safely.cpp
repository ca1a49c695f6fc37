// NetCDF read in a child process: its draws come back in shared memory, the rest as words.
#include <functional>
#include <utility>

#include "io/netcdf_reader.hpp"
#include "io/packed.hpp"
#include "io/read_formats.hpp"
#include "io/read_netcdf.hpp"
#include "io/read_safely.hpp"
#include "io/run_record.hpp"

namespace manychain::io {
namespace {

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
  packed.put(file.about.size());
  for (const auto& [name, text] : file.about) {
    packed.put(name);
    packed.put(text);
  }
  packed.put(file.run ? run_record(*file.run, file.chains, file.draws) : "");
  return packed.text();
}

DrawsFile unpack(std::string answer, const SharedNumbers& memory) {
  Packed packed(std::move(answer));
  DrawsFile file;
  file.chains = packed.number();
  file.draws = packed.number();
  file.names = packed.words();
  file.stat_names = packed.words();
  file.faults = packed.words();
  file.cancelled = packed.number() != 0;
  file.draws_planned = packed.number();
  file.about.resize(packed.number());
  for (auto& [name, text] : file.about) {
    name = packed.word();
    text = packed.word();
  }
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
  SharedNumbers memory;
  return read_safely(
      path, [&] { return pack(read_netcdf_here(path, memory)); },
      [&](std::string answer) { return unpack(std::move(answer), memory); });
}

namespace {

/// Asks a file in a child process; no: it cannot be read.
bool found_in(const std::string& path, const std::function<bool(NetcdfReader&)>& look) {
  if (!is_netcdf(path)) return false;
  const auto answer = [&] {
    NetcdfReader reader(path);
    return std::string(look(reader) ? "yes" : "no");
  };
  try {
    return answer_of_child(path, answer) == "yes";
  } catch (const BadInput&) {
    return false;
  }
}

}  // namespace

bool has_draws(const std::string& path) {
  return found_in(path, [](NetcdfReader& reader) {
    bool found = false;
    // A classic file, which has no groups, has one of any name.
    for (int id = 0; reader.open_group("posterior") && id < reader.variables(); ++id)
      found = found || reader.is_drawn(id);
    return found;
  });
}

bool has_sets(const std::string& path) {
  return found_in(path,
                  [](NetcdfReader& reader) { return reader.open_group("data_sets") && reader.open_group("summary"); });
}

}  // namespace manychain::io
