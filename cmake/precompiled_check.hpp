// What the generated unit that checks a model includes beside its header.
#define MANYCHAIN_CHECKED
#include "manychain/chain/check_model.hpp"
#include "manychain/chain/term_target.hpp"
#include "manychain/model.hpp"
#include "manychain/model/model_class.hpp"
