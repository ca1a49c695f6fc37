// add_scales_by_hand(): densities that a model writes itself (manychain/chain/dependent_scales.hpp).
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "chain/dependences.hpp"

namespace manychain {
namespace {

using Numbers = std::vector<double>;

// Steps towards a mode: a density of z has it after one.
constexpr int most_newton_steps = 20;
// Numbers of parameters, intermediates and terms in all evaluations of a statement.
constexpr double most_work_by_hand = 1e8;
// Slopes are looked at so far from a mode, in units of the scale there.
constexpr double near = 0.05, lower = -1.6, upper = 0.8;
// Relative differences: of numbers that are the same, and of slopes that are found by differences.
constexpr double rounding = 1e-9, alike = 1e-6;
// Precisions that come to nothing.
constexpr double nothing = 1e-6;
constexpr std::size_t no_colour = static_cast<std::size_t>(-1);
// Statements of more components are tried for sums of functions of one each, and so often.
constexpr std::size_t many_components = 32, tries = 16;

/// The density of one component, given all others: its mode, the scale that its curvature has there, and slopes beside
/// it in units of the scale. A family of one location and one scale has the same slopes at all locations and scales.
struct Conditional {
  double mode = 0, scale = 1, lower = 0, upper = 0;
  bool found = true;
};

/// The density of a component as a statement has it, and how it changes with others.
struct Family {
  bool found = false;
  std::vector<DependentScale::Term> hypers;    ///< of the log scale; ascending
  std::vector<DependentScale::Term> location;  ///< of the mode
  Conditional at;
};

/// One statement: a function of some components.
class Statement {
 public:
  Statement(const Layout& layout, const GradientByHand& gradient, std::size_t statement, double cost)
      : dimension_(layout.dimension),
        gradient_(gradient),
        statement_(statement),
        evaluations_(most_work_by_hand / cost),
        position_(layout.dimension),
        adjacent_(layout.dimension) {
    for (double& x : position_) x = uniform() - 0.5;
  }

  /// [component] what is a family; empty if no component depends on another one, or if it took too long.
  std::vector<Family> families() {
    if (!find_components() || is_sum_of_functions_of_one() || !find_neighbours()) return {};
    colour();
    if (needed() > evaluations_) return {};
    std::vector<Conditional> here(dimension_);
    for (std::size_t i = 0; i < dimension_; ++i) here[i].mode = position_[i];
    for (const Components& of_colour : colours_) find(position_, of_colour, here);
    std::vector<Family> all(dimension_);
    for (const std::size_t i : components_) all[i].found = here[i].found, all[i].at = here[i];
    for (const std::size_t k : components_) {
      Numbers moved = position_;
      const double by = 0.25 + 0.5 * uniform();
      moved[k] += by;
      std::vector<Conditional> there = here;
      for (const auto& [_, of_colour] : by_colour(k)) {
        Components change;
        for (const std::size_t i : of_colour)
          if (all[i].found) change.push_back(i);
        if (!change.empty()) find(moved, change, there);
        for (const std::size_t i : change) compare(here[i], there[i], k, by, all[i]);
      }
      if (evaluations_ < 0) return {};
    }
    return all;
  }
  const Numbers& position() const { return position_; }

 private:
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  Numbers slope(const Numbers& q) {
    Numbers g(dimension_);
    evaluations_ -= 1;
    gradient_(q, statement_, g);
    return g;
  }
  static bool differ(double a, double b) { return std::fabs(a - b) > rounding * (std::fabs(a) + std::fabs(b)); }

  /// Finds on which components it depends: two at least.
  bool find_components() {
    Numbers without(dimension_);
    gradient_(position_, no_statement, without);
    const Numbers g = slope(position_);
    for (std::size_t i = 0; i < dimension_; ++i)
      if (differ(g[i], without[i])) components_.push_back(i);
    return components_.size() > 1;
  }
  bool is_sum_of_functions_of_one() {
    if (components_.size() <= many_components) return false;
    const Numbers g = slope(position_);
    for (std::size_t k = 0; k < tries; ++k) {
      Numbers moved = position_;
      for (const std::size_t i : components_)
        if (engine_() % 2 == 0) moved[i] += 0.5;
      const Numbers h = slope(moved);
      for (const std::size_t i : components_)
        if (moved[i] == position_[i] && differ(g[i], h[i])) return false;
    }
    return true;
  }
  bool find_neighbours() {
    if (static_cast<double>(components_.size()) > evaluations_) return false;
    const Numbers g = slope(position_);
    for (const std::size_t k : components_) {
      Numbers moved = position_;
      moved[k] += 0.5;
      const Numbers h = slope(moved);
      for (const std::size_t i : components_)
        if (i != k && differ(g[i], h[i])) adjacent_[k].push_back(i), adjacent_[i].push_back(k);
    }
    for (Components& of : adjacent_) {
      std::sort(of.begin(), of.end());
      of.erase(std::unique(of.begin(), of.end()), of.end());
    }
    return true;
  }
  /// Components of a colour do not depend on each other: they can be moved together.
  void colour() {
    std::vector<std::size_t>& of = colour_of_;
    of.assign(dimension_, no_colour);
    for (const std::size_t i : components_) {
      std::vector<bool> taken(colours_.size() + 1, false);
      for (const std::size_t k : adjacent_[i])
        if (of[k] < taken.size()) taken[of[k]] = true;
      of[i] = static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
      if (of[i] == colours_.size()) colours_.emplace_back();
      colours_[of[i]].push_back(i);
    }
  }

  std::map<std::size_t, Components> by_colour(std::size_t neighbours_of) const {
    std::map<std::size_t, Components> found;
    for (const std::size_t i : adjacent_[neighbours_of]) found[colour_of_[i]].push_back(i);
    return found;
  }
  /// Evaluations if each mode is found in two steps.
  double needed() const {
    std::size_t moved_colours = 0;
    for (const std::size_t k : components_) moved_colours += by_colour(k).size();
    return 8.0 * static_cast<double>(moved_colours + colours_.size());
  }

  /// Newton steps from where they stand.
  void find(const Numbers& q, const Components& components, std::vector<Conditional>& of) {
    Numbers at = q;
    const auto slopes_beside = [&](double by) {
      for (const std::size_t i : components) at[i] = of[i].mode + by * of[i].scale;
      return slope(at);
    };
    bool arrived = false;
    for (int step = 0; step < most_newton_steps && !arrived && evaluations_ > 0; ++step) {
      const Numbers middle = slopes_beside(0), below = slopes_beside(-near), above = slopes_beside(near);
      arrived = true;
      for (const std::size_t i : components) {
        Conditional& c = of[i];
        const double curvature = (below[i] - above[i]) / (2 * near * c.scale);
        double scale = 2 * c.scale, move = std::copysign(scale, middle[i]);
        if (curvature > 0)
          scale = 1 / std::sqrt(curvature), move = std::clamp(middle[i] / curvature, -4 * scale, 4 * scale);
        c.found = std::fabs(move) <= alike * scale && std::fabs(scale - c.scale) <= alike * scale;
        arrived = arrived && std::fabs(move) <= rounding * scale && std::fabs(scale - c.scale) <= rounding * scale;
        c.mode += move, c.scale = scale;
        if (!std::isfinite(c.mode) || !std::isfinite(c.scale)) c = {0, 1, 0, 0, false};
      }
    }
    const Numbers at_lower = slopes_beside(lower), at_upper = slopes_beside(upper);
    for (const std::size_t i : components)
      of[i].lower = at_lower[i] * of[i].scale, of[i].upper = at_upper[i] * of[i].scale;
  }

  static void compare(const Conditional& here, const Conditional& there, std::size_t k, double by, Family& family) {
    const auto same = [](double a, double b) { return std::fabs(a - b) < 10 * alike; };  // of the order of one
    family.found = family.found && there.found;
    if (!family.found) return;
    if (const double change = std::log(there.scale / here.scale); std::fabs(change) > alike) {
      family.found = same(here.lower, there.lower) && same(here.upper, there.upper);
      family.hypers.push_back({k, change / by});
    }
    if (std::fabs(there.mode - here.mode) > alike * here.scale)
      family.location.push_back({k, (there.mode - here.mode) / by});
  }

  std::size_t dimension_;
  const GradientByHand& gradient_;
  std::size_t statement_;
  double evaluations_;  ///< that are left
  std::mt19937_64 engine_{20261129};
  Numbers position_;
  Components components_;
  std::vector<Components> adjacent_, colours_;
  std::vector<std::size_t> colour_of_;
};

/// precision x_i + sum of others times components = constant: the mode of x_i.
struct Row {
  double precision, constant;
  std::map<std::size_t, double> others;
  double first;  ///< precision before others were integrated out
  bool one_scale = true;
};

bool same_scale(const Family& a, const Family& b) {
  return std::equal(a.hypers.begin(), a.hypers.end(), b.hypers.begin(), b.hypers.end(),
                    [](const DependentScale::Term& x, const DependentScale::Term& y) {
                      return x.component == y.component && std::fabs(x.coefficient - y.coefficient) < 10 * alike;
                    });
}

/// Writes the density of components that are each other's locations as a product: each given those that come after it,
/// after all that come before it have been integrated out. Those of few neighbours come first: effects before their
/// mean, the end of a walk before its begin. What has no precision left, as the mean, keeps a mass, but no slope.
std::vector<DependentScale> in_turn(const std::vector<Family>& families, const Numbers& position) {
  std::map<std::size_t, Row> rows;
  for (std::size_t i = 0; i < families.size(); ++i) {
    const Family& f = families[i];
    if (!f.found || f.hypers.empty() || f.hypers.size() > most_hypers) continue;
    Row row{1 / (f.at.scale * f.at.scale), f.at.mode, {}, 0};
    for (const DependentScale::Term& t : f.location) {
      row.others[t.component] = -t.coefficient * row.precision;
      row.constant -= t.coefficient * position[t.component];
    }
    row.constant *= row.precision;
    row.first = row.precision;
    rows.emplace(i, std::move(row));
  }
  std::set<std::pair<std::size_t, std::size_t>> order;  // by neighbours; of as many the last one
  const auto place = [&](std::size_t i) { return std::make_pair(rows.at(i).others.size(), families.size() - i); };
  for (const auto& of : rows) order.insert(place(of.first));

  std::vector<DependentScale> leaves;
  while (!order.empty()) {
    const std::size_t i = families.size() - order.begin()->second;
    order.erase(order.begin());
    const Row row = std::move(rows.at(i));
    rows.erase(i);
    const Family& f = families[i];
    DependentScale leaf{i, {}};
    for (const DependentScale::Term& hyper : f.hypers) leaf.hypers.push_back(hyper.component);
    const bool in_scale = std::any_of(row.others.begin(), row.others.end(), [&](const auto& other) {
      return std::binary_search(leaf.hypers.begin(), leaf.hypers.end(), other.first);
    });
    const bool known =
        row.one_scale && !in_scale && row.precision > nothing * row.first && row.others.size() <= most_in_location;
    for (const auto& [k, value] : row.others) {
      const auto other = rows.find(k);
      if (other == rows.end()) continue;
      if (!known || !same_scale(f, families[k])) {
        other->second.one_scale = false;
        continue;
      }
      order.erase(place(k));
      const double part = value / row.precision;
      for (const auto& [l, of_l] : row.others)
        if (l != k) other->second.others[l] -= part * of_l;
      other->second.others.erase(i);
      other->second.precision -= part * value;
      other->second.constant -= part * row.constant;
      order.insert(place(k));
    }
    if (known) {
      for (const DependentScale::Term& hyper : f.hypers) leaf.slopes.push_back(hyper.coefficient);
      leaf.location = row.constant / row.precision;
      for (const auto& [k, value] : row.others)
        if (std::fabs(value) > rounding * row.precision) leaf.location_terms.push_back({k, -value / row.precision});
    }
    leaves.push_back(std::move(leaf));
  }
  return leaves;
}

/// A component in the location of a density has its hypers, too.
void add_locations(const std::vector<Family>& families, std::vector<DependentScale>& leaves) {
  std::map<std::size_t, Components> hypers;
  for (const DependentScale& leaf : leaves)
    for (const DependentScale::Term& t : families[leaf.component].location)
      if (families[leaf.component].location.size() <= most_in_location)
        hypers[t.component] = united(hypers[t.component], leaf.hypers);
  for (const auto& [component, of] : hypers)
    if (of.size() <= most_hypers && !std::binary_search(of.begin(), of.end(), component))
      leaves.push_back({component, of});
}

/// Adds hypers and, where it has none, the slopes and the location of a density.
void merge(const DependentScale& leaf, std::vector<DependentScale>& found) {
  const auto at = std::lower_bound(found.begin(), found.end(), leaf.component,
                                   [](const DependentScale& a, std::size_t b) { return a.component < b; });
  if (at == found.end() || at->component != leaf.component) {
    found.insert(at, leaf);
    return;
  }
  DependentScale& known = *at;
  const DependentScale& density = known.slopes.empty() ? leaf : known;
  DependentScale both = density;
  both.hypers = united(known.hypers, leaf.hypers);
  if (both.hypers.size() > most_hypers) return;
  if (!density.slopes.empty()) {
    both.slopes.assign(both.hypers.size(), 0);
    for (std::size_t k = 0; k < density.hypers.size(); ++k) {
      const auto place = std::lower_bound(both.hypers.begin(), both.hypers.end(), density.hypers[k]);
      both.slopes[static_cast<std::size_t>(place - both.hypers.begin())] = density.slopes[k];
    }
  }
  both.cancels = known.cancels || leaf.cancels;
  known = std::move(both);
}

}  // namespace

void add_scales_by_hand(const Layout& layout, std::size_t statements, std::size_t terms, const GradientByHand& gradient,
                        std::vector<DependentScale>& found) {
  const auto cost = static_cast<double>(layout.dimension + layout.scratch + terms + 1);
  std::vector<DependentScale> all = found;
  for (std::size_t s = 0; s < statements; ++s) {
    Statement statement(layout, gradient, s, cost);
    const std::vector<Family> families = statement.families();
    if (families.empty()) continue;
    std::vector<DependentScale> leaves = in_turn(families, statement.position());
    add_locations(families, leaves);
    for (const DependentScale& leaf : leaves) merge(leaf, all);
  }
  std::vector<Components> hypers(layout.dimension);
  for (const DependentScale& leaf : all) hypers[leaf.component] = leaf.hypers;
  const std::vector<bool> keeps = outside_of_circles(hypers);
  if (std::all_of(keeps.begin(), keeps.end(), [](bool keep) { return keep; })) found = std::move(all);
}

}  // namespace manychain
