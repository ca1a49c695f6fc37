// Models of a test's own with their terms, which are of checked numbers.
#pragma once

#include "manychain/chain/terms_of.hpp"
#include "unit/run/model_of.hpp"

namespace manychain {

template <template <class> class ModelClass, SamplerName... names>
Model model_with_terms(const Data& data = {}) {
  return model_and_terms<ModelClass, terms_of<ModelClass<CheckedNumber>>, names...>(data);
}

}  // namespace manychain
