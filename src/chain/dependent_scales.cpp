#include "manychain/chain/dependent_scales.hpp"

#include <algorithm>
#include <cmath>

#include "chain/dependences.hpp"

namespace manychain {
namespace {

/// Takes away what leads from a component to itself.
void leave_out_circles(std::vector<Components>& hypers) {
  const std::vector<bool> keeps = outside_of_circles(hypers);
  for (std::size_t i = 0; i < hypers.size(); ++i)
    if (!keeps[i]) hypers[i].clear();
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
  set_slopes(depends, note, leaf);
  // A zero says that the hyper is that of another density.
  for (std::size_t k = 0; k < leaf.hypers.size(); ++k)
    if (leaf.slopes[k] == 0 &&
        std::binary_search(depends(note, scale).begin(), depends(note, scale).end(), leaf.hypers[k])) {
      leaf.slopes.clear();
      return;
    }
  leaf.knows_small_scales = depends.knows_small_scales(note);
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
  const auto passes = static_cast<double>(moves.passes());
  Notes any;
  evaluate(std::vector<double>(layout.dimension, 0), any);
  if (any.empty() || passes * static_cast<double>(layout.dimension + layout.scratch) > most_work) return {};
  Dependences depends(layout, evaluate, moves);
  depends.find_other_slopes();
  if (!depends.whole()) return {};

  std::vector<Components> hypers(layout.dimension);
  std::vector<bool> cancels(layout.dimension, false);
  for (std::size_t k = 0; k < depends.notes(); ++k) {
    const Components& scales = depends(k, scale);
    if (depends(k, variate).empty() || scales.empty() || scales.size() > most_hypers) continue;
    Components leaves = depends(k, variate);
    if (depends(k, location).size() <= most_in_location) leaves = united(leaves, depends(k, location));
    for (const std::size_t i : leaves)
      if (!std::binary_search(scales.begin(), scales.end(), i)) {
        hypers[i] = united(hypers[i], scales);
        cancels[i] = cancels[i] || depends.at(k).cancels;
      }
  }
  for (Components& of : hypers)
    if (of.size() > most_hypers) of.clear();
  leave_out_circles(hypers);

  std::vector<DependentScale> found;
  for (std::size_t i = 0; i < hypers.size(); ++i) {
    if (hypers[i].empty()) continue;
    found.push_back({i, hypers[i]});
    found.back().cancels = cancels[i];
  }
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
