#include "manychain/chain/dependent_scales.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>

namespace manychain {
namespace {

using Notes = std::vector<checks::ScaleArguments>;
using Components = std::vector<std::size_t>;

// All components one at a time up to so many; beyond, elements of vectors that are longer than `short_vector` in sets.
constexpr std::size_t one_at_a_time = 512, short_vector = 32;
// An element that is not in an argument of three others is ruled out by a set with probability 1/4 (3/4)^3: by one of
// 192 but for 4e-10, of 10 000 elements and as many arguments with 4 % of a chance for one too many.
constexpr std::size_t sets = 192;
constexpr double work = 2e8;
// A location with more parameters than that has no leaf that matters.
constexpr std::size_t most_in_location = 64;

enum Argument : std::size_t { variate, location, scale, arguments };

long double argument(const checks::ScaleArguments& note, std::size_t which) {
  return which == variate ? note.variate : which == location ? note.location : note.scale;
}
bool changed(long double a, long double b) { return a != b && !(std::isnan(a) && std::isnan(b)); }

std::string parameter_of(const std::string& component) { return component.substr(0, component.find('[')); }

/// Components that are moved alone, and the others.
struct Moves {
  Components alone, in_sets;
  explicit Moves(const std::vector<std::string>& names) {
    for (std::size_t begin = 0, end = 0; begin < names.size(); begin = end) {
      const std::string parameter = parameter_of(names[begin]);
      while (end < names.size() && parameter_of(names[end]) == parameter) ++end;
      Components& of = names.size() <= one_at_a_time || end - begin <= short_vector ? alone : in_sets;
      for (std::size_t i = begin; i < end; ++i) of.push_back(i);
    }
  }
};

/// The components of which each argument of each note depends, ascending.
class Dependences {
 public:
  Dependences(const Layout& layout, const ScaleArgumentsAt& evaluate, const Moves& moves)
      : evaluate_(evaluate), position_(layout.dimension) {
    for (double& x : position_) x = uniform(-1, 1);
    evaluate_(position_, before_);
    of_.resize(before_.size() * arguments);
    slopes_.resize(of_.size());
    for (const std::size_t i : moves.alone)
      move({i}, [&](std::size_t place, long double from, long double to, double by) {
        of_[place].push_back(i);
        const long double change = place % arguments == scale ? std::log(to / from) : to - from;
        if (const double slope = static_cast<double>(change) / by; std::isfinite(slope))
          slopes_[place].push_back({i, slope});
      });
    if (!moves.in_sets.empty()) move_sets(moves.in_sets);
    for (Components& components : of_) std::sort(components.begin(), components.end());
  }
  /// Notes were the same at all positions.
  bool whole() const { return whole_; }
  std::size_t notes() const { return before_.size(); }
  const Components& operator()(std::size_t note, Argument which) const { return of_[note * arguments + which]; }
  /// The position at which all was noted first, and what was noted there.
  const std::vector<double>& position() const { return position_; }
  const checks::ScaleArguments& at(std::size_t note) const { return before_[note]; }
  /// Changes of an argument, or of the log scale, by that of a component, for those that were moved alone.
  const std::vector<DependentScale::Term>& slopes(std::size_t note, Argument which) const {
    return slopes_[note * arguments + which];
  }

 private:
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  /// Calls f(note * arguments + argument, from, to, by) for what changes when these components move, the first by `by`.
  template <class F>
  void move(const Components& components, const F& f) {
    std::vector<double> moved = position_;
    for (const std::size_t i : components) moved[i] += uniform(0.25, 0.75);
    Notes after;
    evaluate_(moved, after);
    whole_ = whole_ && after.size() == before_.size();
    if (!whole_) return;
    for (std::size_t k = 0; k < after.size(); ++k)
      for (std::size_t which = 0; which < arguments; ++which)
        if (changed(argument(before_[k], which), argument(after[k], which)))
          f(k * arguments + which, argument(before_[k], which), argument(after[k], which),
            moved[components[0]] - position_[components[0]]);
  }
  void move_sets(const Components& components) {
    using Bits = std::vector<std::uint64_t>;  // one for each set
    const std::size_t words = sets / 64;
    std::vector<Bits> holds(components.size(), Bits(words, 0)), changes(of_.size(), Bits(words, 0));
    for (std::size_t s = 0; s < sets; ++s) {
      const std::uint64_t bit = std::uint64_t{1} << (s % 64);
      Components in_set;
      for (std::size_t k = 0; k < components.size(); ++k)
        if (engine_() % 4 == 0) {
          in_set.push_back(components[k]);
          holds[k][s / 64] |= bit;
        }
      move(in_set, [&](std::size_t place, long double, long double, double) { changes[place][s / 64] |= bit; });
      if (!whole_) return;
    }
    for (std::size_t place = 0; place < of_.size(); ++place) {
      if (std::all_of(changes[place].begin(), changes[place].end(), [](std::uint64_t bits) { return bits == 0; }))
        continue;
      for (std::size_t k = 0; k < components.size(); ++k) {
        bool always = true;
        for (std::size_t w = 0; w < words && always; ++w) always = (holds[k][w] & ~changes[place][w]) == 0;
        if (always) of_[place].push_back(components[k]);
      }
    }
  }

  const ScaleArgumentsAt& evaluate_;
  std::mt19937_64 engine_{20260409};
  std::vector<double> position_;
  Notes before_;
  std::vector<Components> of_;
  std::vector<std::vector<DependentScale::Term>> slopes_;  ///< as of_; of components that were moved alone
  bool whole_ = true;
};

Components united(const Components& a, const Components& b) {
  Components both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

/// Takes away what leads from a component to itself: components all of whose hypers are known, one after another.
void leave_out_circles(std::vector<Components>& hypers) {
  std::vector<bool> known(hypers.size(), false);
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = 0; i < hypers.size(); ++i) {
      if (known[i] || !std::all_of(hypers[i].begin(), hypers[i].end(), [&](std::size_t k) { return known[k]; }))
        continue;
      known[i] = found = true;
    }
  }
  for (std::size_t i = 0; i < hypers.size(); ++i)
    if (!known[i]) hypers[i].clear();
}

/// Adds the density whose variate is the leaf itself.
void add_density(const Dependences& depends, std::size_t note, DependentScale& leaf) {
  const std::vector<double>& q = depends.position();
  const auto is = [](long double x, double y) { return std::abs(static_cast<double>(x) - y) < 1e-9; };
  const Components& in_location = depends(note, location);
  if (!leaf.slopes.empty() || !is(depends.at(note).variate, q[leaf.component]) || in_location.size() > most_in_location)
    return;
  for (const Argument other : {location, scale})
    if (std::binary_search(depends(note, other).begin(), depends(note, other).end(), leaf.component)) return;
  leaf.slopes.assign(leaf.hypers.size(), 0);
  for (const DependentScale::Term& slope : depends.slopes(note, scale)) {
    const auto at = std::lower_bound(leaf.hypers.begin(), leaf.hypers.end(), slope.component);
    if (at != leaf.hypers.end() && *at == slope.component)
      leaf.slopes[static_cast<std::size_t>(at - leaf.hypers.begin())] = slope.coefficient;
  }
  leaf.location = static_cast<double>(depends.at(note).location);
  leaf.location_terms = depends.slopes(note, location);
  // One of a long vector, which is not moved alone: the element itself, as in a random walk.
  if (leaf.location_terms.empty() && in_location.size() == 1 && is(depends.at(note).location, q[in_location[0]]))
    leaf.location_terms.push_back({in_location[0], 1});
  for (const DependentScale::Term& term : leaf.location_terms) leaf.location -= term.coefficient * q[term.component];
}

}  // namespace

std::vector<DependentScale> find_dependent_scales(const Layout& layout, const ScaleArgumentsAt& evaluate) {
  const Moves moves(layout.unconstrained_names);
  const double passes = static_cast<double>(moves.alone.size() + (moves.in_sets.empty() ? 0 : sets) + 1);
  Notes any;
  evaluate(std::vector<double>(layout.dimension, 0), any);
  if (any.empty() || passes * static_cast<double>(layout.dimension + layout.scratch) > work) return {};
  const Dependences depends(layout, evaluate, moves);
  if (!depends.whole()) return {};

  std::vector<Components> hypers(layout.dimension);
  for (std::size_t k = 0; k < depends.notes(); ++k) {
    const Components& scales = depends(k, scale);
    if (depends(k, variate).empty() || scales.empty() || scales.size() > most_hypers) continue;
    Components leaves = depends(k, variate);
    if (depends(k, location).size() <= most_in_location) leaves = united(leaves, depends(k, location));
    for (const std::size_t i : leaves)
      if (!std::binary_search(scales.begin(), scales.end(), i)) hypers[i] = united(hypers[i], scales);
  }
  for (Components& of : hypers)
    if (of.size() > most_hypers) of.clear();
  leave_out_circles(hypers);

  std::vector<DependentScale> found;
  for (std::size_t i = 0; i < hypers.size(); ++i)
    if (!hypers[i].empty()) found.push_back({i, hypers[i]});
  for (std::size_t k = 0; k < depends.notes(); ++k) {
    if (depends(k, variate).size() != 1) continue;
    const std::size_t i = depends(k, variate)[0];
    const auto leaf = std::lower_bound(found.begin(), found.end(), i,
                                       [](const DependentScale& a, std::size_t b) { return a.component < b; });
    if (leaf != found.end() && leaf->component == i) add_density(depends, k, *leaf);
  }
  return found;
}

}  // namespace manychain
