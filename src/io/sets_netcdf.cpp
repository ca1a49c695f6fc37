// Many data sets in one NetCDF file: every quantity has a dimension for the set.
#include <fmt/format.h>
#include <netcdf.h>

#include <algorithm>
#include <map>
#include <set>
#include <type_traits>
#include <utility>

#include "core/nan.hpp"
#include "diagnostics/summary_columns.hpp"
#include "io/child.hpp"
#include "io/netcdf_group.hpp"
#include "io/netcdf_path.hpp"
#include "io/partial_file.hpp"
#include "io/run_attributes.hpp"
#include "io/transpose.hpp"
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

/// The layout of the draws of all sets in a file: a chunk is a block of draws of one set, so that sets with fewer draws
/// than others take less room.
class DrawsOfSets {
 public:
  DrawsOfSets(const SetsResult& result, Draws SetSummary::*draws) : result_(result), draws_(draws) {
    std::size_t fewest = 0;
    for (const SetSummary& set : result.sets) {
      const Draws& drawn = of(set);
      if (drawn.empty()) continue;
      chains_ = std::max(chains_, drawn.chains);
      most_ = std::max(most_, drawn.draws);
      fewest = fewest == 0 ? drawn.draws : std::min(fewest, drawn.draws);
    }
    block_ = fewest;
  }
  const Draws& of(const SetSummary& set) const { return set.*draws_; }
  bool none() const { return chains_ == 0; }

  /// (chain, draw, set, element...)
  Extents shape(const Extents& element) const { return with({chains_, most_, result_.sets.size()}, element); }
  /// At most 4 MB; at least a page, or the whole.
  Extents chunk(const Extents& element) const {
    const std::size_t row = std::max<std::size_t>(1, chains_ * product(element));
    const std::size_t draws =
        std::clamp(block_, std::min(most_, 512 / row + 1), std::max<std::size_t>(1, (1 << 19) / row));
    Extents one = with({chains_, draws, 1}, element);
    for (std::size_t& extent : one) extent = std::max<std::size_t>(extent, 1);
    return one;
  }
  std::uint64_t bytes(const Extents& element) const {
    constexpr std::uint64_t of_chunk = 256, of_variable = 6000;  // as HDF5 takes them, see netcdf_size.cpp
    const Extents one = chunk(element);
    std::uint64_t chunks = 0;
    for (const SetSummary& set : result_.sets) chunks += (of(set).draws + one[1] - 1) / one[1];
    return of_variable + chunks * (of_chunk + product(one) * sizeof(double));
  }

 private:
  static Extents with(Extents first, const Extents& element) {
    first.insert(first.end(), element.begin(), element.end());
    return first;
  }
  const SetsResult& result_;
  Draws SetSummary::*const draws_;
  std::size_t chains_ = 0, most_ = 0, block_ = 0;
};

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
    const DrawsOfSets all(result_, draws_of);
    if (all.none()) return;
    Group group(file_, name_of_group, &labels_, room_);
    describe(group);
    for (const std::string& name : quantities.names()) {
      const Extents& extents = quantities.extents(name);
      std::vector<std::string> names = dimensions(name, extents.size());
      names.insert(names.begin(), {"chain", "draw", "set"});
      const int variable = group.define_in_parts(stored_name(name), all.shape(extents), names, all.chunk(extents));
      for (std::size_t k = 0; k < count(); ++k) {
        const Draws& of_set = all.of(result_.sets[k]);
        if (of_set.empty()) continue;
        if (const Quantity* const quantity = quantities.find(result_.sets[k], name))
          put_set(group, variable, k, *quantity, of_set);
      }
    }
    group.write_coordinates();
  }

  void put_set(Group& group, int variable, std::size_t k, const Quantity& quantity, const Draws& draws) {
    const std::size_t size = quantity.size();
    if (size == 0 || draws.draws == 0) return;
    const std::size_t rows = draws.draws * size;
    part_.resize(draws.chains * rows);
    const auto fill = [&](const auto& values) {
      using Number = typename std::remove_cvref_t<decltype(values)>::value_type;
      io::transpose<Number>(
          rows, draws.chains,
          [&](std::size_t row) {
            return &values[(row / size * draws.variables + quantity.offset + row % size) * draws.chains];
          },
          part_.data(), rows);
    };
    draws.float32.empty() ? fill(draws.float64) : fill(draws.float32);
    Extents begin{0, 0, k}, extents{draws.chains, draws.draws, 1};
    begin.resize(3 + quantity.shape.size(), 0);
    extents.insert(extents.end(), quantity.shape.begin(), quantity.shape.end());
    group.put_part(variable, begin, extents, part_);
  }

  const int file_;
  const SetsResult& result_;
  const Quantities quantities_;
  Data labels_;
  const std::string now_ = io::utc_now();
  DrawValues<double> room_;
  std::vector<double> part_;
};

/// Bytes of the file, about, and not too few.
std::uint64_t bytes_of(const SetsResult& result) {
  const std::uint64_t sets = result.sets.size();
  std::uint64_t bytes = 200'000;
  for (const SetSummary& set : result.sets) bytes += set.name.size() * 3 + set.said.size() + 256;
  const auto add = [&](Member which, std::uint64_t columns, Draws SetSummary::*drawn) {
    const Quantities quantities(result, which);
    const DrawsOfSets draws(result, drawn);
    for (const std::string& name : quantities.names()) {
      const Extents& extents = quantities.extents(name);
      bytes += product(extents) * sets * columns * sizeof(double) + (draws.none() ? 0 : draws.bytes(extents));
    }
  };
  add(&SetQuantities::quantities, diagnostics::summary_columns.size(), &SetSummary::kept);
  add(&SetQuantities::observed, 0, &SetSummary::log_likelihood);
  return bytes;
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
