// Scales that depend on parameters, of a model with checked numbers (chain/dependent_scales.hpp).
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "manychain/chain/dependent_scales.hpp"
#include "manychain/chain/term_target.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

/// See find_dependent_scales().
template <class Model, class R>
std::vector<DependentScale> dependent_scales(const Model& model, const Layout& layout, std::type_identity<R>) {
  std::vector<R> position(layout.dimension), slopes(layout.dimension + 1, R(0)), scratch(layout.scratch + 1, R(0));
  const auto evaluate = [&](bool with_data) {
    return [&, with_data](const std::vector<double>& q, std::vector<checks::ScaleArguments>& notes) {
      checks::ScaleNotes noted(notes, with_data);
      std::copy(q.begin(), q.end(), position.begin());
      const Strided<R> at{position.data(), 1};
      Strided<R> slope{slopes.data(), 1};
      TermRequest request;
      request.unobserved = !with_data;
      request.scales = &noted;
      TermTarget<R> target(at, slope, Arena<R>{Strided<R>{scratch.data(), 1}, 0}, request);
      model.log_density(target);
    };
  };
  std::vector<DependentScale> found = find_dependent_scales(layout, evaluate(false));
  add_scales_by_data(layout, evaluate(true), found);
  return found;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
