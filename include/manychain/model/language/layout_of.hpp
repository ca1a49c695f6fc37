// The layout of a model that is bound to its data.
#pragma once

#include "manychain/model/language/layout_target.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

namespace detail {
/// The precision that a model class was instantiated for: its data have it, too.
template <class Model>
struct model_number {
  using type = double;
};
template <template <class, int...> class Model, class Number, int... Sizes>
struct model_number<Model<Number, Sizes...>> {
  using type = Number;
};
}  // namespace detail

/// Tells `target` what `model`, bound to its data, consists of.
template <class Model, class Target>
void declare_to(const Model& model, Target& target) {
  if constexpr (gives_log_density<Model>)
    model.log_density(target);
  else
    model.parameters(target);
}

/// The layout of `model`, bound to its data.
template <class Model>
Layout layout_of(const Model& model) {
  LayoutTarget<typename detail::model_number<Model>::type> target;
  declare_to(model, target);
  Layout layout = target.finish();
  layout.conditional.assign(layout.dimension, false);
  layout.proposed.assign(layout.dimension, false);
  [[maybe_unused]] const auto marks = [](std::vector<bool>& flags) {
    const auto mark = [&flags](int i) {
      if (i < 0 || static_cast<std::size_t>(i) >= flags.size())
        checks::throw_component("component", i, 1, static_cast<int>(flags.size()));
      flags[static_cast<std::size_t>(i)] = true;
    };
    return MarkingVisitor<decltype(mark)>{mark};
  };
  if constexpr (gives_conditionals<Model>) {
    auto visitor = marks(layout.conditional);
    model.conditionals(visitor);
  }
  if constexpr (gives_proposal<Model>) {
    auto visitor = marks(layout.proposed);
    model.proposal(visitor);
  }
  return layout;
}

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
