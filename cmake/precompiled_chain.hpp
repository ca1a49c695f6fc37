// The headers that the generated units of chain code of a model include beside its own. model.hpp is the first: above a
// mistake GCC prints by which headers it came to the place that refuses it, and through this one they are few.
#include "manychain/model.hpp"

#include "manychain/chain/model_functions.hpp"
#include "manychain/chain/model_unit_cpu.hpp"
