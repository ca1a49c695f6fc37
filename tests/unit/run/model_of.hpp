// Models of a test's own, and what sample() says when it refuses one.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "manychain/chain/model_functions.hpp"
#include "manychain/chain/model_unit_cpu.hpp"
#include "manychain/run/model.hpp"
#include "manychain/run/result.hpp"

namespace manychain {

/// The class as manychain_add_model() would generate it, for SAMPLERS names or the default; `terms`: terms_of() it with
/// checked numbers, where a test needs them.
template <template <class> class ModelClass, TermsOfModel terms, SamplerName... names>
Model model_and_terms(const Data& data) {
  static const ModelUnit unit{"under_test", "", [] { return ""; },
                              [](const Data& d) -> std::shared_ptr<const Model::Bound> {
                                using Single = VariantList<ModelClass<float>>;
                                using Double = VariantList<ModelClass<double>>;
                                return bind_generated("under_test", d,
                                                      {{cpu_unit<Single, Double, false, names...>()}, {}},
                                                      model_functions<Single, Double>(nullptr, terms));
                              }};
  return Model(unit, data);
}
template <template <class> class ModelClass, SamplerName... names>
Model model_of(const Data& data = {}) {
  return model_and_terms<ModelClass, nullptr, names...>(data);
}

/// The message of the exception that sample() throws.
template <class Exception = BadInput>
std::string refusal(const Model& model, const Settings& settings) {
  try {
    sample(model, settings);
  } catch (const Exception& e) {
    return e.what();
  }
  return "nothing was thrown";
}
#define EXPECT_SAYS(message, words) EXPECT_NE(message.find(words), std::string::npos) << message

}  // namespace manychain
