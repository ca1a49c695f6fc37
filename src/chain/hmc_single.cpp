#include "chain/called_model.hpp"
#include "manychain/samplers/hmc.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

MANYCHAIN_DENSITY_PROGRAM(Hmc<>, float)

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
