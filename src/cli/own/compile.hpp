// From the header of a model to a program: generated units, compiled side by side, kept, and linked.
//
// An object or a program is kept under the digest of all that it was made from: the user's files, the text of the unit,
// the command, and size and time of every file of the library (Toolchain::stamp()). The unit with the table is the same
// for all samplers. `manychain check` takes the program of `manychain sample`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/own/cache.hpp"
#include "manychain/run/settings.hpp"

namespace manychain::cli {

/// The program to compile. The generated units are those of manychain_add_model().
struct ModelProgram {
  std::string header;      ///< as it was given
  std::string class_name;  ///< empty: the one model in the header
  std::vector<std::string> samplers;
  std::vector<std::string> sizes;              ///< "8", or "3,4" of several extents, beside the one for any size
  Precision precision = Precision::automatic;  ///< automatic: both
  std::vector<std::string> architectures;      ///< of CUDA code; none: for the CPU alone
};

/// Throws BadInput unless `header` names a file that can be read and looks like one.
void require_header(const std::string& header);

/// "radon" of "models/radon.hpp", without what has no place in the name of a model.
std::string model_name(const std::string& header);

/// Looks at data while a model is compiled.
struct DataToBind {
  std::function<void()> look = {};  ///< called before a compiler starts
  /// Bound to the model once the unit that checks it is there, while the others compile; null: they are not.
  const std::vector<std::string>* files = nullptr;
};

/// The file of the program, in the cache or in its workshop. Says on stderr what it does once it takes time. What the
/// compiler says of a model that it refuses goes to stderr, and BadInput has its first error in one line; or why the
/// model refuses the data.
std::string compile_program(const ModelProgram& wanted, Cache& cache, const DataToBind& data);

}  // namespace manychain::cli
