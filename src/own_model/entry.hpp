// The functions that a shared object of a model exports. They are C functions: their names are the same whichever
// build of the library they are from.
#pragma once

#include "own_model/build.hpp"

namespace manychain {
struct ModelUnit;
}

extern "C" {
/// See build_identity() of the library in the shared object. Nothing else is looked at if it is another one.
const char* manychain_own_model_build();
const manychain::ModelUnit* manychain_own_model_unit();
}
