#include "own_model/entry.hpp"

// The generated units define it.
const manychain::ModelUnit& manychain_unit_own();

const char* manychain_own_model_build() { return manychain::own_model::build_identity(); }
const manychain::ModelUnit* manychain_own_model_unit() { return &manychain_unit_own(); }
