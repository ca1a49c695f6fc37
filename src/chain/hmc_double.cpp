#include "chain/called_model.hpp"
#include "manychain/samplers/hmc.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

MANYCHAIN_DENSITY_PROGRAM(Hmc<>, double)

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
