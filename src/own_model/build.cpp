#include "own_model/build.hpp"

// Defined in a source that is written while manychain is built (digest_program.cpp).
extern const char* const manychain_build_identity;

namespace manychain::own_model {

const char* build_identity() { return manychain_build_identity; }

const char* build_instruction_set() { return MANYCHAIN_BUILD_ISA; }

}  // namespace manychain::own_model
