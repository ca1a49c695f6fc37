#include "chain/dependences.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>

namespace manychain {
namespace {

// All components one at a time up to so many; beyond, elements of vectors that are longer than `short_vector` in sets.
constexpr std::size_t one_at_a_time = 512, short_vector = 32;
// An element that is not in an argument of three others is ruled out by a set with probability 1/4 (3/4)^3: by one of
// 192 but for 4e-10, of 10 000 elements and as many arguments with 4 % of a chance for one too many.
constexpr std::size_t sets = 192;
// The log scale of a logistic function has its slope to 6e-4 there.
constexpr double far = 8;
// Slopes that differ by less are the same; a smaller one is that of a scale with a bound above zero.
constexpr double same_slope = 1e-3, least_slope = 0.05;

long double argument(const checks::ScaleArguments& note, std::size_t which) {
  return which == variate ? note.variate : which == location ? note.location : note.scale;
}
bool changed(long double a, long double b) { return a != b && !(std::isnan(a) && std::isnan(b)); }

std::string parameter_of(const std::string& component) { return component.substr(0, component.find('[')); }

}  // namespace

Moves::Moves(const std::vector<std::string>& names) {
  for (std::size_t begin = 0, end = 0; begin < names.size(); begin = end) {
    const std::string parameter = parameter_of(names[begin]);
    while (end < names.size() && parameter_of(names[end]) == parameter) ++end;
    Components& of = names.size() <= one_at_a_time || end - begin <= short_vector ? alone : in_sets;
    for (std::size_t i = begin; i < end; ++i) of.push_back(i);
  }
}

std::size_t Moves::passes() const { return alone.size() + (in_sets.empty() ? 0 : sets) + 1; }

Dependences::Dependences(const Layout& layout, const ScaleArgumentsAt& evaluate, const Moves& moves)
    : evaluate_(evaluate), moves_(moves), position_(layout.dimension) {
  for (double& x : position_) x = uniform(-1, 1);
  evaluate_(position_, before_);
  of_.resize(before_.size() * arguments);
  slopes_.resize(of_.size());
  knows_small_scales_.resize(before_.size(), false);
  for (const std::size_t i : moves_.alone) {
    std::vector<double> by;
    move({i}, by, [&](std::size_t place, long double from, long double to) {
      of_[place].push_back(i);
      add_slope(place, from, to, i, by[0]);
    });
  }
  if (!moves_.in_sets.empty()) move_sets(moves_.in_sets);
  for (Components& components : of_) std::sort(components.begin(), components.end());
}

void Dependences::add_slope(std::size_t place, long double from, long double to, std::size_t component, double by) {
  const long double change = place % arguments == scale ? std::log(to / from) : to - from;
  if (const double slope = static_cast<double>(change) / by; std::isfinite(slope))
    slopes_[place].push_back({component, slope});
}

template <class F>
void Dependences::move(const Components& components, std::vector<double>& by, const F& f) {
  std::vector<double> moved = position_;
  by.clear();
  for (const std::size_t i : components) {
    moved[i] += uniform(0.25, 0.75);
    by.push_back(moved[i] - position_[i]);
  }
  Notes after;
  evaluate_(moved, after);
  whole_ = whole_ && after.size() == before_.size();
  if (!whole_) return;
  for (std::size_t k = 0; k < after.size(); ++k)
    for (std::size_t which = 0; which < arguments; ++which)
      if (changed(argument(before_[k], which), argument(after[k], which)))
        f(k * arguments + which, argument(before_[k], which), argument(after[k], which));
}

void Dependences::move_sets(const Components& components) {
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
    std::vector<double> by;
    move(in_set, by, [&](std::size_t place, long double, long double) { changes[place][s / 64] |= bit; });
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

void Dependences::find_slopes_of_sets() {
  const Components& in_sets = moves_.in_sets;
  if (in_sets.empty()) return;
  std::vector<double> by;
  move(in_sets, by, [&](std::size_t place, long double from, long double to) {
    Components moved;
    std::set_intersection(of_[place].begin(), of_[place].end(), in_sets.begin(), in_sets.end(),
                          std::back_inserter(moved));
    if (moved.size() != 1) return;
    const auto at = std::lower_bound(in_sets.begin(), in_sets.end(), moved[0]) - in_sets.begin();
    add_slope(place, from, to, moved[0], by[static_cast<std::size_t>(at)]);
  });
}

void Dependences::find_other_slopes() {
  find_slopes_of_sets();
  if (whole_) find_slopes_of_small_scales();
}

void Dependences::find_slopes_of_small_scales() {
  std::vector<bool> is_hyper(position_.size(), false);
  for (std::size_t note = 0; note < notes(); ++note)
    for (const std::size_t h : (*this)(note, scale)) is_hyper[h] = true;
  const auto logs_of = [&](const Notes& noted) {
    std::vector<double> logs;
    for (const checks::ScaleArguments& note : noted) logs.push_back(static_cast<double>(std::log(note.scale)));
    if (logs.size() != notes()) logs.assign(notes(), std::nan(""));
    return logs;
  };
  const auto log_scales = [&](double by) {
    std::vector<double> moved = position_;
    for (std::size_t i = 0; i < moved.size(); ++i)
      if (is_hyper[i]) moved[i] += by;
    Notes after;
    evaluate_(moved, after);
    return logs_of(after);
  };
  const std::vector<double> here = logs_of(before_);
  std::vector<double> below[3], above[3];
  try {
    for (int k = 0; k < 3; ++k) below[k] = log_scales(-far - k), above[k] = log_scales(far + k);
  } catch (const std::exception&) {
    return;  // far away a model may have no density
  }
  for (std::size_t note = 0; note < notes(); ++note) {
    std::vector<DependentScale::Term>& slopes = slopes_[note * arguments + scale];
    double sum = 0;
    for (const DependentScale::Term& term : slopes) sum += term.coefficient;
    const bool all = !slopes.empty() && slopes.size() == (*this)(note, scale).size();
    const auto is_linear = [&](double there, double by) {
      return std::abs((there - here[note]) / by - sum) < same_slope;
    };
    knows_small_scales_[note] = all && is_linear(below[0][note], -far) && is_linear(above[0][note], far);
    if (knows_small_scales_[note] || !all || slopes.size() > 1) continue;
    const bool rises = below[0][note] < here[note] && here[note]<above[0][note], falls = below[0][note]> here[note] &&
                       here[note] > above[0][note];
    if (!rises && !falls) continue;
    const auto slope = [&](int k) {
      return rises ? below[k][note] - below[k + 1][note] : above[k + 1][note] - above[k][note];
    };
    const double there = slope(0);
    if (!(std::abs(there) > least_slope && std::abs(there - slope(1)) < same_slope)) continue;  // it has a bound
    slopes[0].coefficient = there;
    knows_small_scales_[note] = true;
  }
}

Components united(const Components& a, const Components& b) {
  Components both;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

void set_slopes(const Dependences& depends, std::size_t note, DependentScale& leaf) {
  leaf.slopes.assign(leaf.hypers.size(), 0);
  for (const DependentScale::Term& slope : depends.slopes(note, scale)) {
    const auto at = std::lower_bound(leaf.hypers.begin(), leaf.hypers.end(), slope.component);
    if (at != leaf.hypers.end() && *at == slope.component)
      leaf.slopes[static_cast<std::size_t>(at - leaf.hypers.begin())] = slope.coefficient;
  }
}

std::vector<bool> outside_of_circles(const std::vector<Components>& hypers) {
  // Components all of whose hypers are known, one after another.
  std::vector<bool> known(hypers.size(), false);
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = 0; i < hypers.size(); ++i) {
      if (known[i] || !std::all_of(hypers[i].begin(), hypers[i].end(), [&](std::size_t k) { return known[k]; }))
        continue;
      known[i] = found = true;
    }
  }
  return known;
}

}  // namespace manychain
