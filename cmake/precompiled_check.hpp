// The headers that the generated unit that checks a model includes beside the model's own, model.hpp first, as in
// precompiled_chain.hpp.
#define MANYCHAIN_CHECKED
#include "manychain/model.hpp"

#include "manychain/chain/check_model.hpp"
#include "manychain/chain/terms_of.hpp"
#include "manychain/model/language/model_class.hpp"
