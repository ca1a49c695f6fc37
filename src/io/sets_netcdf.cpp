// Many data sets in one NetCDF file: every quantity has a dimension for the set.
#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/nan.hpp"
#include "diagnostics/summary_columns.hpp"
#include "io/child.hpp"
#include "io/netcdf_group.hpp"
#include "io/netcdf_path.hpp"
#include "io/partial_file.hpp"
#include "io/run_attributes.hpp"
#include "manychain/core/error.hpp"
#include "manychain/io/sets_output.hpp"

namespace manychain {
namespace {

using io::Group;
using Extents = std::vector<std::size_t>;

std::size_t product(const Extents& extents) {
  std::size_t all = 1;
  for (const std::size_t extent : extents) all *= extent;
  return all;
}

/// The place of element `k` of an array of one shape in one that is at least as large along each axis.
std::size_t place_in(const Extents& larger, const Extents& shape, std::size_t k) {
  std::size_t place = 0, stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    place += k % shape[axis] * stride;
    k /= shape[axis];
    stride *= larger[axis];
  }
  return place;
}

using Member = std::vector<Quantity> SetQuantities::*;

/// The quantities of all sets, or what they observe, with the largest extents that one has in any.
class Quantities {
 public:
  explicit Quantities(const SetsResult& result, Member which = &SetQuantities::quantities) : which_(which) {
    for (const SetSummary& set : result.sets) {
      if (!set.of || !seen_.insert(set.of.get()).second) continue;
      for (const Quantity& quantity : (*set.of).*which_) add(quantity);
    }
  }
  const std::vector<std::string>& names() const { return names_; }
  /// That of a set; null: it has none of that name.
  const Quantity* find(const SetSummary& set, const std::string& name) const {
    if (!set.of) return nullptr;
    for (const Quantity& quantity : (*set.of).*which_)
      if (quantity.name == name) return &quantity;
    return nullptr;
  }
  const Extents& extents(const std::string& name) const { return largest_.at(name); }

 private:
  void add(const Quantity& quantity) {
    const auto [known, is_new] = largest_.emplace(quantity.name, quantity.shape);
    if (is_new) names_.push_back(quantity.name);
    if (known->second.size() != quantity.shape.size())
      throw BadInput(fmt::format("{} is of {} dimensions in one data set and of {} in another: no file holds both",
                                 quantity.name, known->second.size(), quantity.shape.size()));
    for (std::size_t axis = 0; axis < quantity.shape.size(); ++axis)
      known->second[axis] = std::max(known->second[axis], quantity.shape[axis]);
  }
  const Member which_;
  std::set<const SetQuantities*> seen_;
  std::vector<std::string> names_;
  std::map<std::string, Extents> largest_;
};

/// The most chains and draws that a set has of `draws`, a member of it.
std::pair<std::size_t, std::size_t> most_drawn(const SetsResult& result, Draws SetSummary::*draws) {
  std::pair<std::size_t, std::size_t> most{0, 0};
  for (const SetSummary& set : result.sets) {
    if ((set.*draws).empty()) continue;
    most.first = std::max(most.first, (set.*draws).chains);
    most.second = std::max(most.second, (set.*draws).draws);
  }
  return most;
}

class SetsWriter {
 public:
  SetsWriter(int file, const SetsResult& result) : file_(file), result_(result), quantities_(result) {
    std::vector<std::string> names, columns;
    for (const SetSummary& set : result.sets) names.push_back(set.name);
    for (const auto& [name, value] : diagnostics::summary_columns) columns.push_back(name);
    labels_.set_coords("set", names);
    labels_.set_coords("statistic", columns);
  }

  void all() {
    verdicts();
    summaries();
    drawn("posterior", quantities_, &SetSummary::kept);
    drawn("log_likelihood", Quantities(result_, &SetQuantities::observed), &SetSummary::log_likelihood);
  }

 private:
  std::size_t count() const { return result_.sets.size(); }
  static std::vector<std::string> dimensions(const std::string& name, std::size_t axes) {
    std::vector<std::string> all;
    for (std::size_t axis = 0; axis < axes; ++axis) all.push_back(fmt::format("{}_dim_{}", name, axis));
    return all;
  }
  void describe(Group& group) const {
    io::describe_maker(group, now_);
    group.text("model", result_.model);
    group.text("settings", io::options_to_repeat(result_.settings));
    group.text("padding", "NaN: a set that is smaller or has fewer draws, or has no answer");
  }

  void verdicts() {
    Group group(file_, "data_sets", &labels_, room_);
    describe(group);
    const auto put = [&](const char* name, bool integer, const auto& value) {
      Data::Variable all{{count()}, {}, integer};
      for (const SetSummary& set : result_.sets) all.values.push_back(static_cast<double>(value(set)));
      group.put(name, all, {"set"});
    };
    const auto sampled = [](const SetSummary& set, double x) { return set.of ? x : nan; };
    put("converged", true, [](const SetSummary& set) { return set.converged; });
    put("seed", true, [](const SetSummary& set) { return set.seed; });
    put("draws", true, [](const SetSummary& set) { return set.draws; });
    put("warmup_done", true, [](const SetSummary& set) { return set.warmup; });
    put("divergences", true, [](const SetSummary& set) { return set.divergences; });
    put("largest_rhat", false, [&](const SetSummary& set) { return sampled(set, set.largest_rhat); });
    put("smallest_ess", false, [&](const SetSummary& set) { return sampled(set, set.smallest_ess); });
    std::vector<std::string> states, said;
    for (const SetSummary& set : result_.sets) states.push_back(in_words(set.state)), said.push_back(set.said);
    group.put_words("state", states, "set");
    group.put_words("said", said, "set");
    group.write_coordinates();
  }

  void summaries() {
    Group group(file_, "summary", &labels_, room_);
    describe(group);
    constexpr std::size_t columns = diagnostics::summary_columns.size();
    for (const std::string& name : quantities_.names()) {
      const Extents& extents = quantities_.extents(name);
      const std::size_t size = product(extents);
      Data::Variable all{{count()}, std::vector<double>(count() * size * columns, nan), false};
      all.shape.insert(all.shape.end(), extents.begin(), extents.end());
      all.shape.push_back(columns);
      for (std::size_t k = 0; k < count(); ++k) {
        const SetSummary& set = result_.sets[k];
        const Quantity* const quantity = quantities_.find(set, name);
        for (std::size_t i = 0; quantity && i < quantity->size(); ++i)
          for (std::size_t c = 0; c < columns; ++c)
            all.values[(k * size + place_in(extents, quantity->shape, i)) * columns + c] =
                set.summary[quantity->offset + i].*diagnostics::summary_columns[c].second;
      }
      std::vector<std::string> names = dimensions(name, extents.size());
      names.insert(names.begin(), "set");
      names.push_back("statistic");
      group.put(stored_name(name), all, names);
    }
    group.write_coordinates();
  }

  void drawn(const char* name_of_group, const Quantities& quantities, Draws SetSummary::*draws_of) {
    const auto [chains, draws] = most_drawn(result_, draws_of);
    if (chains == 0) return;
    Group group(file_, name_of_group, &labels_, room_);
    describe(group);
    for (const std::string& name : quantities.names()) {
      const Extents& extents = quantities.extents(name);
      const std::size_t size = product(extents);
      Data::Variable all{{chains, draws, count()}, std::vector<double>(chains * draws * count() * size, nan), false};
      all.shape.insert(all.shape.end(), extents.begin(), extents.end());
      for (std::size_t k = 0; k < count(); ++k) {
        const Draws& of_set = result_.sets[k].*draws_of;
        const Quantity* const quantity = of_set.empty() ? nullptr : quantities.find(result_.sets[k], name);
        for (std::size_t i = 0; quantity && i < quantity->size(); ++i) {
          const std::size_t place = place_in(extents, quantity->shape, i);
          for (std::size_t d = 0; d < of_set.draws; ++d)
            for (std::size_t c = 0; c < of_set.chains; ++c)
              all.values[((c * draws + d) * count() + k) * size + place] = of_set(d, quantity->offset + i, c);
        }
      }
      std::vector<std::string> names = dimensions(name, extents.size());
      names.insert(names.begin(), {"chain", "draw", "set"});
      group.put(stored_name(name), all, names);
    }
    group.write_coordinates();
  }

  const int file_;
  const SetsResult& result_;
  const Quantities quantities_;
  Data labels_;
  const std::string now_ = io::utc_now();
  DrawValues<double> room_;
};

/// Bytes of the file, about, and not too few.
std::uint64_t bytes_of(const SetsResult& result) {
  const std::uint64_t sets = result.sets.size();
  const auto numbers = [&](Member which, std::uint64_t of_each, Draws SetSummary::*drawn) {
    const Quantities quantities(result, which);
    const auto [chains, draws] = most_drawn(result, drawn);
    std::uint64_t elements = 0;
    for (const std::string& name : quantities.names()) elements += product(quantities.extents(name));
    return elements * sets * (of_each + std::uint64_t{chains} * draws);
  };
  std::uint64_t words = 0;
  for (const SetSummary& set : result.sets) words += set.name.size() * 3 + set.said.size() + 256;
  return (numbers(&SetQuantities::quantities, diagnostics::summary_columns.size(), &SetSummary::kept) +
          numbers(&SetQuantities::observed, 0, &SetSummary::log_likelihood)) *
             sizeof(double) +
         words + 200'000;
}

}  // namespace

void write_netcdf(const std::string& path, const SetsResult& result) {
  const std::uint64_t bytes = bytes_of(result);
  io::PartialFile file(path);
  io::require_room(path, bytes);
  const std::string name = file.begin();
  std::string no_room;
  try {
    no_room = io::in_child([&]() -> std::string {
      int id = 0;
      if (const int status = nc_create(io::path_for_netcdf(name).c_str(), NC_NETCDF4 | NC_CLOBBER, &id);
          status != NC_NOERR)
        throw BadInput(fmt::format("cannot be written: {}", nc_strerror(status)));
      if (std::string why = io::reserve_room(name, bytes); !why.empty()) return why;
      SetsWriter(id, result).all();
      io::check(nc_close(id), "close the file");
      io::release_room(name);
      return "";
    });
  } catch (const BadInput& error) {
    throw BadInput(path + ": " + error.what());
  } catch (const Error& error) {
    throw Error(path + ": cannot be written: " + error.what());
  }
  if (!no_room.empty()) throw io::NoRoom(path + ": " + no_room);
  file.keep();
}

}  // namespace manychain
