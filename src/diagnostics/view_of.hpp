// Draws on the host as diagnostics take them.
#pragma once

#include <type_traits>

#include "manychain/diagnostics/draws.hpp"
#include "manychain/diagnostics/summary.hpp"

namespace manychain {

/// A view of draws of this precision: without data if they have the other one.
template <class Number>
DrawsView<Number> view_of(const Draws& draws) {
  DrawsView<Number> view;
  if constexpr (std::is_same_v<Number, float>)
    view.data = draws.float32.data();
  else
    view.data = draws.float64.data();
  view.draws = draws.draws;
  view.variables = draws.variables;
  view.chains = draws.chains;
  view.draw_stride = draws.variables * draws.chains;
  view.variable_stride = draws.chains;
  return view;
}

}  // namespace manychain
