// The error of data that lack a variable, apart from other bad input: the command line has advice for it.
#pragma once

#include "manychain/core/error.hpp"

namespace manychain {

/// The model reads a variable that the data do not have.
class MissingVariable : public BadInput {
 public:
  using BadInput::BadInput;
};

}  // namespace manychain
