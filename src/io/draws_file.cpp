#include "manychain/io/draws_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>

#include "io/read_formats.hpp"
#include "manychain/core/error.hpp"

namespace manychain {
namespace {

bool is_control(char c) { return (c >= '\0' && c < ' ') || c == '\x7f'; }

}  // namespace

namespace io {

bool is_folder(const std::string& path) {
  std::error_code none;
  return std::filesystem::is_directory(path, none);
}

bool is_netcdf(const std::string& path) {
  // A pipe can be read but once, and NetCDF needs a file that can be read from any place.
  if (std::error_code none; std::filesystem::is_fifo(path, none)) return false;
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> start{};
  file.read(start.data(), start.size());
  // A folder opens, and fails here.
  if (file.bad() || !file.is_open()) throw BadInput(path + ": cannot be read: " + std::strerror(errno));
  return std::memcmp(start.data(), "\x89HDF", 4) == 0 || std::memcmp(start.data(), "CDF", 3) == 0;
}

void make_harmless(std::string& text) { std::replace_if(text.begin(), text.end(), is_control, '?'); }

}  // namespace io

std::shared_ptr<const double[]> DrawsFile::quantities(std::size_t first, std::size_t count) const {
  if (numbers) return numbers->quantities(first, count);
  return {values, values.get() + first * draws * chains};
}

std::optional<OwnedQuantity> DrawsFile::stat(const std::string& name) const {
  for (std::size_t i = 0; i < stat_names.size(); ++i) {
    if (stat_names[i] != name) continue;
    OwnedQuantity one;
    one.numbers = numbers ? numbers->stat(i) : std::shared_ptr<const double[]>(stats, stats.get() + i * draws * chains);
    static_cast<diagnostics::QuantityView&>(one) = {one.numbers.get(), draws, chains, 1, draws};
    return one;
  }
  return {};
}

DrawsFile read_draws(const std::vector<std::string>& paths) {
  return open_draws(paths, std::numeric_limits<double>::infinity());
}

DrawsFile open_draws(const std::vector<std::string>& paths, double memory) {
  if (paths.empty()) throw BadInput("give a file of draws: Stan CSV, one file per chain, NetCDF, or a Zarr store");
  const auto store = std::find_if(paths.begin(), paths.end(), io::is_folder);
  if (store != paths.end() && paths.size() > 1)
    throw BadInput(*store + ": is a folder, of which a store holds all chains of a run; give it alone");
  const bool netcdf = store == paths.end() && std::any_of(paths.begin(), paths.end(), io::is_netcdf);
  if (netcdf && paths.size() > 1) {
    throw BadInput(*std::find_if(paths.begin(), paths.end(), io::is_netcdf) +
                   ": is NetCDF and holds all chains of a run; give it alone");
  }
  DrawsFile file = store != paths.end() ? io::read_zarr(paths[0], memory)
                   : netcdf             ? io::read_netcdf(paths[0])
                                        : io::read_stan_csv(paths);
  for (std::vector<std::string>* names : {&file.names, &file.stat_names})
    std::for_each(names->begin(), names->end(), io::make_harmless);
  for (auto& [name, text] : file.about) {
    io::make_harmless(name);
    io::make_harmless(text);
  }
  if (file.run) io::make_harmless(file.run->sampler);
  file.paths = paths;
  return file;
}

}  // namespace manychain
