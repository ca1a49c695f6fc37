#include "chain/called_model.hpp"
#include "manychain/samplers/tempering.hpp"

namespace manychain {
inline namespace MANYCHAIN_ISA {

MANYCHAIN_DENSITY_PROGRAM(Tempering<>, double)

}  // namespace MANYCHAIN_ISA
}  // namespace manychain
