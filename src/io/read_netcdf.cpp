// NetCDF with the groups posterior and sample_stats, as this library, ArviZ and PyMC write it.
#include "io/read_netcdf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "io/netcdf_names.hpp"
#include "io/netcdf_reader.hpp"
#include "io/run_record.hpp"
#include "manychain/core/error.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain::io {
namespace {

/// True if chains stand as their run left them, chain c of superchain c mod `superchains`. A file without labels is one
/// of an older version, or of a run without superchains.
bool in_order(const std::vector<double>& labels, std::size_t superchains) {
  for (std::size_t c = 0; c < labels.size(); ++c)
    if (superchains < 2 || labels[c] != double(c % superchains)) return false;
  return true;
}

}  // namespace

double* room_in(SharedNumbers& memory, std::size_t count, const std::string& path) {
  try {
    return memory.create(count);
  } catch (const BadInput& error) {
    throw BadInput(fmt::format("{}: cannot be read: {}", path, error.what()));
  }
}

DrawsFile read_netcdf_here(const std::string& path, SharedNumbers& memory) {
  NetcdfReader reader(path);
  if (!reader.open_group("posterior")) {
    throw BadInput(path + ": has no group posterior; are there draws in it, as ArviZ writes them?");
  }
  const bool ours = reader.attribute("inference_library") == "manychain";
  const std::string sampler = reader.attribute("sampler"), record = ours ? reader.attribute(run_record_name) : "";
  const auto planned = reader.count("draws_planned");
  NamedTexts about = reader.attributes();
  about.erase(std::remove_if(about.begin(), about.end(), [](const auto& one) { return one.first == run_record_name; }),
              about.end());
  const bool cancelled = reader.count("cancelled").value_or(0) == 1;
  DrawsReader draws(path, reader);
  DrawsFile& file = draws.file();
  const std::vector<DrawnVariable> quantities = draws.find(file.names, [](const std::string&) { return true; });
  if (file.names.empty() || file.draws == 0 || file.chains == 0) {
    throw BadInput(path + ": has no draws: its group posterior has no variable with the dimensions chain and draw");
  }
  const std::vector<double> labels = reader.of_chains(superchain_name, file.chains);
  // Predictions of our own runs are judged, too, as the run did. Predictions of others may be of other sizes.
  std::vector<DrawnVariable> predicted;
  if (ours && reader.open_group("posterior_predictive"))
    predicted = draws.find(file.names, [](const std::string&) { return true; });
  file.about = std::move(about);
  file.cancelled = cancelled;
  file.draws_planned = planned.value_or(0);
  try {
    if (!record.empty()) file.run = read_run_record(record, file.chains, file.draws);
    // It names chains by their places.
    if (file.run && !in_order(labels, file.run->superchains)) file.run.reset();
  } catch (const BadInput& error) {
    file.faults.push_back(fmt::format("{}: {}.", path, error.what()));
  }
  // Ours keeps an energy for every sampler. Without momenta it is the log density, of which E-BFMI asks nothing. A file
  // of an older version does not say whether there are.
  const SamplerInfo* const known = find_sampler(sampler);
  const bool momenta = !ours || (file.run ? file.run->momenta : known && known->energy);
  std::vector<DrawnVariable> stats;
  if (reader.open_group("sample_stats")) {
    stats = draws.find(file.stat_names, [&](const std::string& name) { return momenta || name != "energy"; });
  }
  double* to = room_in(memory, (file.names.size() + file.stat_names.size()) * file.chains * file.draws, path);
  reader.open_group("posterior");
  to = draws.read(quantities, to);
  if (!predicted.empty()) {
    reader.open_group("posterior_predictive");
    to = draws.read(predicted, to);
  }
  if (!stats.empty()) {
    reader.open_group("sample_stats");
    draws.read(stats, to);
  }
  return file;
}

}  // namespace manychain::io
