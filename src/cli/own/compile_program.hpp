// A program is compiled from a header while the user waits.
#pragma once

#include <string>

#include "manychain/chain/program.hpp"
#include "own_model/compile.hpp"
#include "own_model/toolchain.hpp"

namespace manychain::cli {

/// The file of the program, in the cache or in its workshop. Says on stderr what it does once it takes time, and the
/// compiler's message about a header that it refuses; BadInput then has its first error in one line, or the reason why
/// the model refuses the data. The first Ctrl-C ends the compilers and throws Error.
std::string compile_program(const own_model::ModelCode& wanted, own_model::Cache& cache,
                            const own_model::DataToBind& data);

/// As compile_program(), but that the model is loaded into this process. It is not bound to the data while it compiles.
const ModelUnit& compile_and_load(const own_model::ModelCode& wanted, own_model::Cache& cache,
                                  const own_model::DataToBind& data);
/// The toolchain of this command line.
own_model::Toolchain own_toolchain();

}  // namespace manychain::cli
