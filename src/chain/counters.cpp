#include "manychain/chain/counters.hpp"

#include "manychain/chain/program.hpp"

namespace manychain {

std::vector<FieldInfo> counter_fields() { return fields_of<Counters<Scalar<float>>>(0); }

}  // namespace manychain
