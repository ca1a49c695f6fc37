#include "io/predictions.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "io/draws_reader.hpp"
#include "io/netcdf_reader.hpp"
#include "io/packed.hpp"
#include "io/read_formats.hpp"
#include "io/read_netcdf.hpp"
#include "io/read_safely.hpp"
#include "io/zarr_reader.hpp"

namespace manychain::io {
namespace {

constexpr const char* replicate = "_rep";  // Stan's word for data of the kind that was observed

using Places = std::map<std::string, int>;  // of variables, by name

/// The numeric variables of the open group.
template <class Reader>
Places numeric_variables(const Reader& reader) {
  Places found;
  for (int id = 0; id < reader.variables(); ++id)
    if (reader.is_numeric(id)) found[reader.name(id)] = id;
  return found;
}

std::size_t size_of(const std::vector<std::size_t>& shape, std::size_t first) {
  std::size_t size = 1;
  for (std::size_t axis = first; axis < shape.size(); ++axis) size *= shape[axis];
  return size;
}

/// The observed variable that one of that name predicts; empty: none.
std::string predicted_by(const std::string& name, const std::map<std::string, std::size_t>& observed) {
  if (observed.count(name) > 0) return name;
  const std::size_t end = name.size() - std::min(name.size(), std::string(replicate).size());
  if (name.compare(end, std::string::npos, replicate) == 0 && observed.count(name.substr(0, end)) > 0)
    return name.substr(0, end);
  return "";
}

/// Gives what there is as words, the numbers into memory of room(count): first those observed, then the draws that
/// `file` does not have.
template <class Reader, class Room>
std::string read_here(const DrawsFile& file, Reader& reader, const Room& room) {
  const std::string& path = file.paths[0];
  std::vector<std::string> log_likelihoods;
  if (reader.open_group("log_likelihood")) {
    for (const auto& [name, id] : numeric_variables(reader))
      if (reader.is_drawn(id)) log_likelihoods.push_back(name);
  }
  Places places;
  std::map<std::string, std::size_t> observed;
  if (reader.open_group("observed_data")) {
    places = numeric_variables(reader);
    for (const auto& [name, id] : places) observed[name] = size_of(reader.shape(id), 0);
  }
  DrawsReader<Reader> draws(path, reader, !file.numbers);
  std::vector<std::string> names;
  std::vector<DrawnVariable> predicted;
  if (!observed.empty() && reader.open_group("posterior_predictive")) {
    predicted = draws.find(names, [&](const std::string& name) { return !predicted_by(name, observed).empty(); });
  }
  const auto differs = [&](const DrawnVariable& v) {
    return v.elements == 0 || v.elements != observed[predicted_by(v.name, observed)];
  };
  predicted.erase(std::remove_if(predicted.begin(), predicted.end(), differs), predicted.end());

  Packed packed;
  packed.put(log_likelihoods);
  packed.put(predicted.size());
  packed.put(draws.file().chains);
  packed.put(draws.file().draws);
  std::size_t numbers = 0;
  std::vector<DrawnVariable> to_read;
  for (const DrawnVariable& v : predicted) {
    std::vector<std::string> elements;
    for (std::size_t e = 0; e < v.elements; ++e) elements.push_back(element_name(v.name, v.shape, e));
    const bool there = std::find(file.names.begin(), file.names.end(), elements[0]) != file.names.end();
    packed.put(v.name);
    packed.put(predicted_by(v.name, observed));
    packed.put(elements);
    packed.put(there);
    numbers += v.elements;
    if (there) continue;
    to_read.push_back(v);
    numbers += v.elements * v.shape[0] * v.shape[1];
  }
  double* to = room(std::max<std::size_t>(numbers, 1));
  reader.open_group("observed_data");
  for (const DrawnVariable& v : predicted) {
    const int id = places.at(predicted_by(v.name, observed));
    const std::vector<std::size_t> shape = reader.shape(id);
    reader.values(id, std::vector<std::size_t>(shape.size(), 0), shape, to);
    to += v.elements;
  }
  reader.open_group("posterior_predictive");
  draws.read(to_read, to);
  return packed.text();
}

Predictions understand(std::string answer, const DrawsFile& file,
                       const std::function<std::shared_ptr<const double[]>(std::size_t)>& view) {
  Packed packed(std::move(answer));
  Predictions found;
  found.log_likelihoods = packed.words();
  found.all.resize(packed.number());
  const std::size_t chains = packed.number(), draws = packed.number();
  std::vector<bool> there;
  std::size_t numbers = 0;
  for (Prediction& one : found.all) {
    one.name = packed.word();
    one.of = packed.word();
    one.elements = packed.words();
    there.push_back(packed.number() != 0);
    one.chains = chains;
    one.draws = draws;
    numbers += one.elements.size() * (there.back() ? 1 : 1 + chains * draws);
  }
  const std::shared_ptr<const double[]> all = view(std::max<std::size_t>(numbers, 1));
  const double* at = all.get();
  for (Prediction& one : found.all) {
    one.observed.assign(at, at + one.elements.size());
    at += one.elements.size();
  }
  for (std::size_t i = 0; i < found.all.size(); ++i) {
    Prediction& one = found.all[i];
    if (there[i]) {
      const auto place = std::find(file.names.begin(), file.names.end(), one.elements.at(0));
      const auto row = static_cast<std::size_t>(place - file.names.begin());
      if (row + one.elements.size() > file.names.size()) throw BadInput("fewer predictions than there were");
      one.chains = file.chains;
      one.draws = file.draws;
      if (file.numbers) {
        const double bytes = double(one.elements.size() * file.chains) * double(file.draws) * sizeof(double);
        one.thin = static_cast<std::size_t>(std::clamp(std::ceil(bytes / (file.memory / 2)), 1.0, double(file.draws)));
        one.draws = file.draws / one.thin;
        one.values = file.numbers->quantities(row, one.elements.size(), one.thin);
      } else {
        one.values = file.quantities(row, one.elements.size());
      }
    } else {
      one.values = {all, at};
      at += one.elements.size() * chains * draws;
    }
  }
  return found;
}

}  // namespace

Predictions read_predictions(const DrawsFile& file) {
  if (file.paths.size() != 1) return {};
  const std::string& path = file.paths[0];
  Predictions found;
  if (is_folder(path)) {
    ZarrReader reader(path);
    OwnNumbers memory(path);
    found = understand(read_here(file, reader, [&](std::size_t count) { return memory.create(count); }), file,
                       [&](std::size_t count) { return memory.view(count); });
  } else if (is_netcdf(path)) {
    SharedNumbers memory;
    const auto read = [&] {
      NetcdfReader reader(path);
      return read_here(file, reader, [&](std::size_t count) { return room_in(memory, count, path); });
    };
    found = read_safely(path, read, [&](std::string answer) {
      return understand(std::move(answer), file, [&](std::size_t count) { return memory.view(count); });
    });
  }
  for (Prediction& one : found.all) {
    make_harmless(one.name);
    make_harmless(one.of);
  }
  for (std::string& name : found.log_likelihoods) make_harmless(name);
  return found;
}

}  // namespace manychain::io
