// A model class of a test, bound as manychain_add_model() would bind it.
#pragma once

#include <memory>

#include "manychain/run/model_unit_cpu.hpp"

namespace manychain {

template <template <class> class ModelClass>
Model model_of(const Data& data = {}) {
  static const ModelUnit unit{"under_test", "", [] { return ""; },
                              [](const Data& d) -> std::shared_ptr<const Model::Bound> {
                                using Bound =
                                    GeneratedBound<VariantList<ModelClass<float>>, VariantList<ModelClass<double>>>;
                                return std::make_shared<Bound>("under_test", d, nullptr, nullptr);
                              }};
  return Model(unit, data);
}

}  // namespace manychain
