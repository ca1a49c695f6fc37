#include "run/named_dimensions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "manychain/core/error.hpp"
#include "text/suggest.hpp"

namespace manychain {
namespace {

constexpr FileGroup all_groups[] = {FileGroup::posterior, FileGroup::posterior_predictive, FileGroup::log_likelihood,
                                    FileGroup::observed_data, FileGroup::constant_data};

/// All that may have dims, whatever group it is in.
std::vector<FileVariable> everything(const Layout& layout, const Data& data) {
  std::vector<FileVariable> all;
  for (const Quantity& quantity : layout.quantities) all.push_back({quantity.name, quantity.shape});
  for (const Observed& observed : layout.observed) all.push_back({observed.name, observed.shape()});
  for (const std::string& name : data.names()) all.push_back({name, data.find(name)->shape});
  return all;
}

std::string numbers(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void require_known(const std::string& name, const std::vector<std::string>& dimensions, const Layout& layout,
                   const Data& data) {
  std::vector<std::string> names;
  std::vector<std::size_t> ranks;
  for (const FileVariable& variable : everything(layout, data)) {
    names.push_back(variable.name);
    if (variable.name == name) ranks.push_back(variable.shape.size());
  }
  if (ranks.empty())
    throw BadInput(fmt::format("dims: neither the model nor its data have a {}{}", name, did_you_mean(name, names)));
  if (std::find(ranks.begin(), ranks.end(), dimensions.size()) == ranks.end())
    throw BadInput(fmt::format("dims: {} has {}, and {} given: {}", name, numbers(ranks[0], "dimension"),
                               dimensions.size() == 1 ? "1 is" : fmt::format("{} are", dimensions.size()),
                               fmt::join(dimensions, ", ")));
  std::set<std::string> distinct;
  for (const std::string& dimension : dimensions) {
    if (dimension.empty() || dimension == "chain" || dimension == "draw" || dimension.find('/') != dimension.npos ||
        !can_be_stored(dimension))
      throw BadInput(fmt::format("dims: {} cannot have a dimension \"{}\"", name, dimension));
    if (!distinct.insert(dimension).second) throw BadInput(fmt::format("dims: {} has {} twice", name, dimension));
  }
}

}  // namespace

bool is_observed(const Layout& layout, const std::string& name) {
  return std::any_of(layout.observed.begin(), layout.observed.end(),
                     [&](const Observed& observed) { return observed.name == name; });
}

bool can_be_stored(const std::string& name) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(name[i]); };
  if (name.empty() || name.size() > 200 || name.back() == ' ') return false;
  if (byte(0) < 0x80 && !std::isalnum(byte(0)) && name[0] != '_') return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (byte(i) < 0x20 || byte(i) == 0x7f) return false;
    if (byte(i) < 0x80) continue;
    // A character of UTF-8: its first byte says how many follow.
    const std::size_t more = byte(i) >= 0xf0 ? 3 : byte(i) >= 0xe0 ? 2 : 1;
    if (byte(i) < 0xc2 || byte(i) > 0xf4 || i + more >= name.size()) return false;
    for (std::size_t k = 0; k < more; ++k)
      if (byte(++i) < 0x80 || byte(i) > 0xbf) return false;
  }
  return true;
}

void require_storable(const Layout& layout) {
  for (const Quantity& quantity : layout.quantities)
    if (!can_be_stored(stored_name(quantity.name)))
      throw BadInput(
          "no file of draws can hold a quantity called \"" + quantity.name +
          "\": names there begin with a letter, a digit or _ and have at most 200 characters; rename it, or keep "
          "no file");
}

std::vector<FileVariable> variables_of(FileGroup group, const Layout& layout, const Data* data) {
  std::vector<FileVariable> found;
  if (group == FileGroup::posterior || group == FileGroup::posterior_predictive) {
    for (const Quantity& quantity : layout.quantities)
      if (quantity.predicted == (group == FileGroup::posterior_predictive))
        found.push_back({quantity.name, quantity.shape});
  } else if (group == FileGroup::log_likelihood) {
    for (const Observed& observed : layout.observed) found.push_back({observed.name, observed.shape()});
  } else if (data) {
    for (const std::string& name : data->names()) {
      const Data::Variable& variable = *data->find(name);
      const bool observed = is_observed(layout, name);
      if (observed == (group == FileGroup::observed_data) && can_be_stored(name) &&
          (observed || variable.values.size() <= largest_constant))
        found.push_back({name, variable.shape});
    }
  }
  // An extent of zero would be an unlimited dimension.
  const auto empty = [](const FileVariable& variable) {
    return std::find(variable.shape.begin(), variable.shape.end(), 0u) != variable.shape.end();
  };
  found.erase(std::remove_if(found.begin(), found.end(), empty), found.end());
  return found;
}

std::vector<std::string> dimensions_of(const FileVariable& variable, const Data* data) {
  if (data) {
    const auto given = data->dims().find(variable.name);
    if (given != data->dims().end() && given->second.size() == variable.shape.size()) return given->second;
  }
  std::vector<std::string> names;
  for (std::size_t axis = 0; axis < variable.shape.size(); ++axis)
    names.push_back(fmt::format("{}_dim_{}", stored_name(variable.name), axis));
  return names;
}

void require_named_dimensions(const Layout& layout, const Data& data) {
  for (const auto& [name, dimensions] : data.dims()) require_known(name, dimensions, layout, data);

  std::map<std::string, FileVariable> first;  // to have a dimension, with its extent there
  for (const FileVariable& variable : everything(layout, data)) {
    if (!data.dims().count(variable.name)) continue;
    const std::vector<std::string> dimensions = dimensions_of(variable, &data);
    if (dimensions != data.dims().at(variable.name)) continue;  // of another rank than something else of its name
    for (std::size_t axis = 0; axis < dimensions.size(); ++axis) {
      const std::string& dimension = dimensions[axis];
      const std::size_t extent = variable.shape[axis];
      const auto labels = data.coords().find(dimension);
      if (labels != data.coords().end() && labels->second.labels.size() != extent)
        throw BadInput(fmt::format("coords: {} has {}, and {} has {} there", dimension,
                                   numbers(labels->second.labels.size(), "label"), variable.name,
                                   numbers(extent, "element")));
      const auto [known, is_new] = first.insert({dimension, {variable.name, {extent}}});
      if (!is_new && known->second.shape[0] != extent)
        throw BadInput(fmt::format("dims: {} is {} long in {} and {} in {}", dimension, known->second.shape[0],
                                   known->second.name, extent, variable.name));
    }
  }
  for (const auto& [dimension, labels] : data.coords()) {
    if (first.count(dimension)) continue;
    std::vector<std::string> known;
    for (const auto& [name, where] : first) known.push_back(name);
    throw BadInput(fmt::format("coords: no dims name {}{}", dimension, did_you_mean(dimension, known)));
  }
  for (const FileGroup group : all_groups) {
    const std::vector<FileVariable> variables = variables_of(group, layout, &data);
    std::set<std::string> taken;  // by what a file calls so anyway
    for (const FileVariable& variable : variables) {
      taken.insert(stored_name(variable.name));
      for (const std::string& dimension : dimensions_of({variable.name, variable.shape}, nullptr))
        if (!data.dims().count(variable.name)) taken.insert(dimension);
    }
    for (const FileVariable& variable : variables)
      if (data.dims().count(variable.name))
        for (const std::string& dimension : dimensions_of(variable, &data))
          if (taken.count(dimension))
            throw BadInput(
                fmt::format("dims: the dimension {} of {} has the name of something else in the same group of "
                            "the file of draws: call it otherwise",
                            dimension, variable.name));
  }
}

}  // namespace manychain
