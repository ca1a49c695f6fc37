// What the generated units of chain code of a model include beside its header.
#include "manychain/chain/model_unit_cpu.hpp"
#include "manychain/model.hpp"
