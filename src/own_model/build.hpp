// The build of the library that a program or a shared object is linked with.
#pragma once

namespace manychain::own_model {

/// Version, compiler, its options, and the digest of the library's headers. Two builds with different ones may lay out
/// their classes differently, and share none.
const char* build_identity();

/// The instruction set of chain code: "avx512", "avx2" or another, which every CPU has.
const char* build_instruction_set();

}  // namespace manychain::own_model
