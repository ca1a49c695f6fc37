// add_scales_by_data(): necks that data leave (manychain/chain/dependent_scales.hpp).
#include <algorithm>
#include <cmath>
#include <compare>
#include <iterator>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <utility>

#include "chain/dependences.hpp"

namespace manychain {
namespace {

constexpr std::size_t no_row = static_cast<std::size_t>(-1);
// Rows of one scale that share an element of their locations. Elements of more are coefficients, not leaves.
constexpr std::size_t most_rows_of_leaf = 3;
// Rows beyond the elements they can have for themselves: each has the posterior of the scale vanish faster at zero. Two
// hardly keep it away, one of eight are many.
constexpr std::size_t most_left = 2, share_left = 8;
// Rows in all passes of a search, some 0.1 s, that models may have whose rows are many more than their parameters.
constexpr std::size_t most_rows = 500'000;
// A search of no promise costs little below so many parameters.
constexpr std::size_t few_parameters = 64;
// Steps along edges of a matching.
constexpr std::size_t most_steps = 10'000'000;

/// A few evaluations: false where data have no scales that depend on parameters, are too many, or share what stands in
/// their locations, as rows of a regression do.
class FirstLook {
 public:
  FirstLook(const Layout& layout, const ScaleArgumentsAt& evaluate, std::size_t passes)
      : evaluate_(evaluate), passes_(passes), position_(layout.dimension) {
    for (double& x : position_) x = static_cast<double>(engine_() >> 11) * 0x1p-53 - 0.5;
    evaluate_(position_, before_);
  }
  bool may_have_necks() {
    const std::size_t d = position_.size();
    const auto is_data = [](const checks::ScaleArguments& note) { return note.data; };
    const auto rows = static_cast<std::size_t>(std::count_if(before_.begin(), before_.end(), is_data));
    const bool many = rows > most_hypers * d && rows * passes_ > most_rows;
    if (rows == 0 || many || !some_may_be_met()) return false;
    if (d <= few_parameters) return true;
    // Few elements change few rows, those that are shared nearly all. What all rows have, a mean, may be among them.
    for (int tried = 0; tried < 3; ++tried) {
      std::vector<double> moved = position_;
      for (std::size_t count = 0; count < d / few_parameters; ++count) moved[engine_() % d] += 0.5;
      if (!look(moved)) return false;
      std::size_t changed = 0;
      for (std::size_t k = 0; k < before_.size(); ++k)
        changed += before_[k].data && before_[k].location != after_[k].location;
      if (2 * changed <= rows) return true;
    }
    return false;
  }

 private:
  bool look(const std::vector<double>& position) {
    after_.clear();
    evaluate_(position, after_);
    return after_.size() == before_.size();
  }
  /// True if some data with one scale, which depends on parameters, are no more than these.
  bool some_may_be_met() {
    std::vector<double> moved = position_;
    for (double& x : moved) x += 0.5;
    if (!look(moved)) return false;
    std::map<long double, std::size_t> rows_of;
    for (std::size_t k = 0; k < before_.size(); ++k)
      if (before_[k].data && before_[k].scale != after_[k].scale) ++rows_of[before_[k].scale];
    return std::any_of(rows_of.begin(), rows_of.end(),
                       [&](const auto& rows) { return rows.second <= position_.size() + most_left; });
  }

  const ScaleArgumentsAt& evaluate_;
  std::size_t passes_;
  std::mt19937_64 engine_{20261128};
  std::vector<double> position_;
  Notes before_, after_;
};

/// Rows with the same hyper, each of which takes an element of its own: a matching by augmenting paths.
class Matching {
 public:
  explicit Matching(const std::vector<Components>& leaves) : leaves_(leaves), leaf_of_(leaves.size(), no_row) {}
  /// False if more than `left` rows find none.
  bool find(std::size_t left) {
    std::size_t alone = 0;
    for (std::size_t row = 0; row < leaves_.size(); ++row)
      if (!augment(row) && ++alone > left) return false;
    return true;
  }
  /// The element of a row, or none.
  std::size_t operator()(std::size_t row) const { return leaf_of_[row]; }

 private:
  bool augment(std::size_t from) {
    std::map<std::size_t, std::size_t> reached_by;  // element: row
    std::queue<std::size_t> rows;
    rows.push(from);
    while (!rows.empty()) {
      const std::size_t row = rows.front();
      rows.pop();
      for (const std::size_t leaf : leaves_[row]) {
        if (++steps_ > most_steps) return false;
        if (!reached_by.emplace(leaf, row).second) continue;
        if (const auto taken = row_of_.find(leaf); taken != row_of_.end()) {
          rows.push(taken->second);
          continue;
        }
        for (std::size_t end = leaf, by = row;; by = reached_by[end]) {
          const std::size_t before = leaf_of_[by];
          leaf_of_[by] = end;
          row_of_[end] = by;
          if (by == from) return true;
          end = before;
        }
      }
    }
    return false;
  }

  const std::vector<Components>& leaves_;
  std::vector<std::size_t> leaf_of_;
  std::map<std::size_t, std::size_t> row_of_;
  std::size_t steps_ = 0;
};

/// Slopes and location of the element that meets the datum of this row.
void add_datum(const Dependences& depends, std::size_t row, DependentScale& leaf) {
  if (!depends(row, variate).empty()) return;
  const std::vector<double>& q = depends.position();
  double own = 0;
  for (const DependentScale::Term& term : depends.slopes(row, location))
    if (term.component == leaf.component) own = term.coefficient;
  if (own == 0) return;
  set_slopes(depends, row, leaf);
  leaf.knows_small_scales = depends.knows_small_scales(row);
  leaf.location = q[leaf.component] + static_cast<double>(depends.at(row).variate - depends.at(row).location) / own;
  for (const DependentScale::Term& term : depends.slopes(row, location)) {
    if (term.component == leaf.component) continue;
    leaf.location_terms.push_back({term.component, -term.coefficient / own});
    leaf.location += term.coefficient / own * q[term.component];
  }
}

/// A leaf, and the row that has it for itself; or none, and the parameters in the scale of rows that share it.
struct Place {
  std::size_t leaf, row;
  Components scale = {};
  auto operator<=>(const Place&) const = default;
};
using Found = std::map<Place, Components>;  ///< hypers

void add_necks_of(std::size_t hyper, const Components& rows, const Dependences& depends, Found& found) {
  std::vector<Components> leaves;
  std::map<std::size_t, std::size_t> shared_by;
  for (const std::size_t row : rows) {
    const Components& in_location = depends(row, location);
    Components all = depends.at(row).data ? Components() : depends(row, variate), own;
    if (in_location.size() <= most_in_location) all = united(all, in_location);
    std::set_difference(all.begin(), all.end(), depends(row, scale).begin(), depends(row, scale).end(),
                        std::back_inserter(own));
    for (const std::size_t i : own) ++shared_by[i];
    leaves.push_back(std::move(own));
  }
  // Coefficients, as loadings of a factor, meet no datum, but are narrow where all are met.
  const std::vector<Components> with_coefficients = leaves;
  for (Components& of_row : leaves)
    std::erase_if(of_row, [&](std::size_t i) { return shared_by[i] > most_rows_of_leaf; });
  Matching matching(leaves);
  if (!matching.find(std::min(most_left, rows.size() / share_left))) return;
  std::map<std::size_t, std::size_t> row_of;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (depends.at(rows[k]).data && matching(k) != no_row) row_of[matching(k)] = rows[k];
  std::set<Place> places;
  for (const auto& [leaf, row] : row_of) places.insert({leaf, row});
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!depends.at(rows[k]).data) continue;
    for (const std::size_t leaf : with_coefficients[k])
      if (!row_of.contains(leaf)) places.insert({leaf, no_row, depends(rows[k], scale)});
  }
  for (const Place& place : places) {
    Components& hypers = found[place];
    hypers = united(hypers, {hyper});
  }
}

/// Takes away leaves whose hypers are leaves of theirs, those first that meet no datum.
void leave_out_circles_by_data(std::size_t dimension, const std::vector<DependentScale>& by_parameters, Found& found) {
  for (const bool all : {false, true}) {
    std::vector<Components> hypers(dimension);
    for (const DependentScale& leaf : by_parameters) hypers[leaf.component] = leaf.hypers;
    for (const auto& [place, of_leaf] : found) hypers[place.leaf] = united(hypers[place.leaf], of_leaf);
    const std::vector<bool> keeps = outside_of_circles(hypers);
    std::erase_if(found, [&](const auto& leaf) {
      const auto& [place, of_leaf] = leaf;
      return (!keeps[place.leaf] && (all || place.row == no_row)) || of_leaf.size() > most_hypers;
    });
  }
}

}  // namespace

void add_scales_by_data(const Layout& layout, const ScaleArgumentsAt& evaluate, std::vector<DependentScale>& found) {
  const Moves moves(layout.unconstrained_names);
  if (static_cast<double>(moves.passes()) * static_cast<double>(layout.dimension + layout.scratch) > most_work ||
      !FirstLook(layout, evaluate, moves.passes()).may_have_necks())
    return;
  Dependences depends(layout, evaluate, moves);
  depends.find_other_slopes();
  if (!depends.whole()) return;

  std::map<std::size_t, Components> rows_of;
  std::map<std::size_t, bool> of_data;
  for (std::size_t k = 0; k < depends.notes(); ++k) {
    if (depends(k, scale).size() > most_hypers) continue;
    for (const std::size_t h : depends(k, scale)) {
      rows_of[h].push_back(k);
      of_data[h] = of_data[h] || depends.at(k).data;
    }
  }
  Found necks;
  for (const auto& [hyper, rows] : rows_of)
    if (of_data[hyper]) add_necks_of(hyper, rows, depends, necks);
  leave_out_circles_by_data(layout.dimension, found, necks);
  for (const auto& [place, hypers] : necks) {
    DependentScale leaf{place.leaf, hypers};
    leaf.by_data = true;
    if (place.row != no_row) {
      leaf.cancels = depends.at(place.row).cancels;
      add_datum(depends, place.row, leaf);
    }
    found.push_back(std::move(leaf));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const DependentScale& a, const DependentScale& b) { return a.component < b.component; });
}

}  // namespace manychain
