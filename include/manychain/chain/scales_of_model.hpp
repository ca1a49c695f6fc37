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
  TermsByHand by_hand;
  const auto gradient = [&](const std::vector<double>& q, std::size_t statement, std::vector<double>& into) {
    std::copy(q.begin(), q.end(), position.begin());
    std::fill(slopes.begin(), slopes.end(), R(0));
    const Strided<R> at{position.data(), 1};
    Strided<R> slope{slopes.data(), 1};
    TermRequest request;
    request.unobserved = true;
    request.by_hand = &by_hand;
    by_hand.begin(statement);
    {
      TermTarget<R> target(at, slope, Arena<R>{Strided<R>{scratch.data(), 1}, 0}, request);
      model.log_density(target);
    }
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = static_cast<double>(slopes[i].v);
  };
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
  std::vector<double> any(layout.dimension, 0);
  gradient(any, no_statement, any);
  if (by_hand.statements() > 0) add_scales_by_hand(layout, by_hand.statements(), by_hand.terms(), gradient, found);
  add_scales_by_data(layout, evaluate(true), found);
  return found;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
