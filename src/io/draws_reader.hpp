// The draws of a file with the groups posterior and sample_stats, whatever its format.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/netcdf_names.hpp"
#include "io/partial_file.hpp"
#include "io/run_record.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/draws_file.hpp"
#include "manychain/samplers/info.hpp"

namespace manychain::io {

/// "theta[2,1]", 1-based, the last index fastest, as in the file.
inline std::string element_name(const std::string& name, const std::vector<std::size_t>& shape, std::size_t element) {
  std::string indices;
  for (std::size_t axis = shape.size(); axis-- > 2;) {
    const std::string index = std::to_string(element % shape[axis] + 1);
    indices = indices.empty() ? index : index + "," + indices;
    element /= shape[axis];
  }
  return indices.empty() ? name : fmt::format("{}[{}]", name, indices);
}

/// A variable with draws, as the file describes it.
struct DrawnVariable {
  int id = 0;
  std::string name;
  std::vector<std::size_t> shape;
  std::size_t elements = 1;
};

/// `Reader` is NetcdfReader or ZarrReader.
template <class Reader>
class DrawsReader {
 public:
  /// `whole`: the draws are to be in memory, all together.
  DrawsReader(const std::string& path, Reader& reader, bool whole = true)
      : path_(path), reader_(reader), whole_(whole) {}

  /// The variables of the open group that have draws, and their names. `wanted` is asked for each of them.
  template <class Wanted>
  std::vector<DrawnVariable> find(std::vector<std::string>& names, const Wanted& wanted) {
    std::vector<DrawnVariable> found;
    for (int id = 0; id < reader_.variables(); ++id) {
      if (!reader_.is_drawn(id)) continue;  // a coordinate, or words
      DrawnVariable v{id, reader_.name(id), reader_.shape(id)};
      if (!wanted(v.name)) continue;
      if (file_.chains == 0) {
        file_.chains = v.shape[0];
        file_.draws = v.shape[1];
      }
      if (v.shape[0] != file_.chains || v.shape[1] != file_.draws) {
        throw BadInput(fmt::format("{}: {} has {} chains of {} draws, other variables have {} of {}", path_, v.name,
                                   v.shape[0], v.shape[1], file_.chains, file_.draws));
      }
      require_plausible(v);
      for (std::size_t axis = 2; axis < v.shape.size(); ++axis) v.elements *= v.shape[axis];
      for (std::size_t e = 0; e < v.elements; ++e) names.push_back(element_name(v.name, v.shape, e));
      found.push_back(std::move(v));
    }
    return found;
  }

  /// Reads [element][chain][draw] of the variables of the open group.
  double* read(const std::vector<DrawnVariable>& variables, double* to) const {
    for (const DrawnVariable& v : variables) {
      if (v.elements == 1) {
        reader_.values(v.id, std::vector<std::size_t>(v.shape.size(), 0), v.shape, to);
      } else if (v.elements > 1) {
        read_in_blocks(v, to);
      }
      to += v.elements * file_.chains * file_.draws;
    }
    return to;
  }

  DrawsFile& file() { return file_; }

 private:
  void require_plausible(const DrawnVariable& v) {
    reader_.require_stored(v.id);
    double numbers = 1;
    for (const std::size_t extent : v.shape) numbers *= double(extent);
    needed_ += numbers * sizeof(double);
    const double memory = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
    if (whole_ && needed_ > memory) {
      throw BadInput(fmt::format("{}: its draws up to {} take {} of memory, and there are {}", path_, v.name,
                                 bytes_in_words(needed_), bytes_in_words(memory)));
    }
  }

  void read_in_blocks(const DrawnVariable& v, double* to) const {
    // Whole chunks, so that none is read twice.
    const std::size_t row = v.elements * file_.chains, chunk = reader_.draws_of_chunk(v.id);
    const std::size_t most = std::max(block_numbers / row / chunk, std::size_t(1)) * chunk;
    std::vector<std::size_t> start(v.shape.size(), 0), count = v.shape;
    std::vector<double> block(row * std::min(most, file_.draws));
    for (start[1] = 0; start[1] < file_.draws; start[1] += count[1]) {
      count[1] = std::min(most, file_.draws - start[1]);
      reader_.values(v.id, start, count, block.data());
      for (std::size_t c = 0; c < file_.chains; ++c) {
        const double* from = block.data() + c * count[1] * v.elements;
        for (std::size_t e = 0; e < v.elements; ++e) {
          double* const draws = to + (e * file_.chains + c) * file_.draws + start[1];
          for (std::size_t d = 0; d < count[1]; ++d) draws[d] = from[d * v.elements + e];
        }
      }
    }
  }

  static constexpr std::size_t block_numbers = std::size_t(1) << 21;

  std::string path_;
  Reader& reader_;
  bool whole_;
  DrawsFile file_;
  double needed_ = 0;  // bytes, so far
};

/// True if chains stand as their run left them, chain c of superchain c mod `superchains`. A file without labels is one
/// of an older version, or of a run without superchains.
inline bool in_order(const std::vector<double>& labels, std::size_t superchains) {
  for (std::size_t c = 0; c < labels.size(); ++c)
    if (superchains < 2 || labels[c] != double(c % superchains)) return false;
  return true;
}

/// Variables of the groups posterior, posterior_predictive and sample_stats, in the order of the names of a DrawsFile.
struct GroupsFound {
  std::vector<DrawnVariable> quantities, predicted, stats;
};

/// All but numbers and names of chains.
template <class Reader>
GroupsFound find_groups(const std::string& path, Reader& reader, DrawsReader<Reader>& draws) {
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
  DrawsFile& file = draws.file();
  GroupsFound found;
  found.quantities = draws.find(file.names, [](const std::string&) { return true; });
  if (file.names.empty() || file.draws == 0 || file.chains == 0) {
    throw BadInput(path + ": has no draws: its group posterior has no variable with the dimensions chain and draw");
  }
  const std::vector<double> labels = reader.of_chains(superchain_name, file.chains);
  // Predictions of our own runs are judged, too, as the run did. Predictions of others may be of other sizes.
  if (ours && reader.open_group("posterior_predictive"))
    found.predicted = draws.find(file.names, [](const std::string&) { return true; });
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
  if (reader.open_group("sample_stats")) {
    found.stats = draws.find(file.stat_names, [&](const std::string& name) { return momenta || name != "energy"; });
  }
  return found;
}

/// All but names of chains. room(count) gives memory for the numbers, quantities before statistics; nothing points to
/// them yet.
template <class Reader, class Room>
DrawsFile read_groups(const std::string& path, Reader& reader, const Room& room) {
  DrawsReader<Reader> draws(path, reader);
  const auto [quantities, predicted, stats] = find_groups(path, reader, draws);
  const DrawsFile& file = draws.file();
  double* to = room((file.names.size() + file.stat_names.size()) * file.chains * file.draws);
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
  return draws.file();
}

}  // namespace manychain::io
