#include "manychain/chain/counters.hpp"

#include "manychain/chain/program.hpp"
#include "manychain/core/error.hpp"

namespace manychain {

std::vector<FieldInfo> counter_fields() { return fields_of<Counters<Scalar<float>>>(0); }

std::vector<bool> ModelBinding::unconstrain(const Data&, std::vector<double>&) const {
  throw BadInput("model " + name + " takes no initial values by name");
}

}  // namespace manychain
